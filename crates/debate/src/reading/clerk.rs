//! Reads the clerk's replies with the same tolerance: a round's summary, the
//! perspectives for a topic, the side each seat takes. Unlike an answer, a
//! clerk's reply is not essential, so an unusable one is refused and the caller
//! falls back on its own computation.

use super::json::{JsonShape, find};
use super::tree::{Json, JsonObject};
use super::values::{
    citation_numbers, claim_ids, figure, items, member, note, plain, shortened, text, texts,
    word_of,
};
use crate::model::{
    ClaimId, ContestedClaim, EvidenceId, KeyMove, Nuances, Perspective, PropositionId, Side,
    TurnNote, clip, counted,
};
use crate::sorting::SortRows;

const MAX_PROPOSITIONS: usize = 12;
const MAX_ENTRIES: usize = 50;
const MAX_PERSPECTIVES: usize = 20;
const MAX_TEXT: usize = 4_000;
const ONE_LINER_TOKENS: usize = 35;
const MOVE_TOKENS: usize = 20;
const ARGUMENT_TOKENS: usize = 25;

/// The agents and claims that a summary may name.
#[derive(Debug, Clone, Copy)]
pub struct SummaryScope<'a> {
    /// The agents' names in seat order.
    pub speakers: &'a [String],
    pub known_claims: usize,
    pub known_evidence: usize,
}

/// The clerk's additions to a round's summary; figures come from the record.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadSummary {
    pub one_liner: String,
    pub new_claims: Vec<ClaimId>,
    pub new_evidence: Vec<EvidenceId>,
    pub decisions: Vec<String>,
    pub by_agent: Vec<ReadMoves>,
    pub contested: Vec<ContestedClaim>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ReadMoves {
    /// Index into the speakers.
    pub speaker: usize,
    pub key_moves: Vec<KeyMove>,
}

const ONE_LINER: &[&str] = &["oneliner", "globaloneliner", "headline", "summary"];
const SUMMARY: JsonShape = JsonShape {
    opens: &['{'],
    score: |value, _| score(value, &[ONE_LINER, &["byagent"], &["contested"], &["newclaims"]]),
    keeps_cut: |_| false,
};

/// Returns `None` if the reply has no one-liner, the one part that only the clerk
/// can supply.
pub fn read_summary(raw: &str, scope: &SummaryScope<'_>) -> Option<ReadSummary> {
    let found = find(raw, &SUMMARY)?;
    let object = found.value.as_object()?;
    let one_liner = clipped(object, ONE_LINER, ONE_LINER_TOKENS)?;
    let by_agent = list(object, &["byagent", "agents"]).iter().filter_map(|item| {
        let item = item.as_object()?;
        let who = member(item, &["agent", "participant", "seat", "name", "speaker"])?;
        let moves = list(item, &["keymoves", "moves"]);
        Some(ReadMoves {
            speaker: speaker(who, scope.speakers)?,
            key_moves: moves.iter().filter_map(|item| key_move(item, scope)).collect(),
        })
    });
    let contested = list(object, &["contested", "contestedclaims"]).iter().filter_map(|item| {
        let item = item.as_object()?;
        Some(ContestedClaim {
            claim: known_ids(member(item, &["claim", "id", "claimid"])?, scope).first().copied()?,
            best_pro: clipped(item, &["bestpro", "pro", "for"], ARGUMENT_TOKENS)?,
            best_con: clipped(item, &["bestcon", "con", "against"], ARGUMENT_TOKENS)?,
        })
    });
    Some(ReadSummary {
        one_liner,
        new_claims: member(object, &["newclaims"])
            .map(|value| known_ids(value, scope))
            .unwrap_or_default(),
        new_evidence: member(object, &["newevidence"])
            .map(|value| evidence_ids(value, scope))
            .unwrap_or_default(),
        decisions: strings(object, &["decisions"]),
        by_agent: by_agent.collect(),
        contested: contested.collect(),
    })
}

fn key_move(value: &Json<'_>, scope: &SummaryScope<'_>) -> Option<KeyMove> {
    const KINDS: &[(&str, &str)] = &[
        ("claim", "claim"),
        ("support", "support"),
        ("oppose", "oppose"),
        ("retract", "retract"),
        ("gap", "gap"),
    ];
    let object = value.as_object()?;
    let kind = member(object, &["kind", "type", "move"]).and_then(text)?;
    let claim = member(object, &["claim", "claimid", "id"]);
    Some(KeyMove {
        kind: word_of(&kind, KINDS)?.to_owned(),
        claim: claim.and_then(|value| known_ids(value, scope).first().copied()),
        note: clipped(object, &["note", "text", "gist"], MOVE_TOKENS).unwrap_or_default(),
    })
}

fn known_ids(value: &Json<'_>, scope: &SummaryScope<'_>) -> Vec<ClaimId> {
    claim_ids(value).into_iter().filter(|id| id.index() < scope.known_claims).collect()
}

fn evidence_ids(value: &Json<'_>, scope: &SummaryScope<'_>) -> Vec<EvidenceId> {
    let words = items(value).iter().filter_map(text).take(MAX_ENTRIES);
    words
        .filter_map(|word| word.parse::<EvidenceId>().ok())
        .filter(|id| id.index() < scope.known_evidence)
        .collect()
}

/// A speaker by name, else by number from 1.
fn speaker(value: &Json<'_>, speakers: &[String]) -> Option<usize> {
    let said = plain(&text(value)?);
    let mut named = speakers.iter().enumerate().filter(|(_, name)| plain(name) == said);
    match (named.next(), named.next()) {
        (Some((index, _)), None) => Some(index),
        _ => participant(value, speakers.len()).map(|number| number - 1),
    }
}

/// Returns the perspectives named for a topic; `None` if there are none.
pub fn read_perspectives(raw: &str) -> Option<Vec<Perspective>> {
    const NAMES: &[&str] = &["perspectives", "experts", "panel"];
    const SHAPE: JsonShape = JsonShape {
        opens: &['{', '['],
        score: |value, _| entries(value, NAMES).iter().filter(|item| item.is_object()).count(),
        keeps_cut: |_| false,
    };
    let found = find(raw, &SHAPE)?;
    let mut read: Vec<Perspective> = Vec::new();
    for item in entries(&found.value, NAMES).iter().take(MAX_PERSPECTIVES) {
        let Some(object) = item.as_object() else { continue };
        let Some(name) = member(object, &["name", "title"]).and_then(text) else { continue };
        if read.iter().any(|other| plain(&other.name) == plain(&name)) {
            continue;
        }
        read.push(Perspective {
            name: shortened(&name, MAX_TEXT),
            description: string(object, &["description", "summary"]),
            focus_areas: strings(object, &["focusareas", "focus"]),
            evidence_types: strings(object, &["evidencetypes", "evidence"]),
            key_questions: strings(object, &["keyquestions", "questions"]),
            anti_patterns: strings(object, &["antipatterns", "pitfalls"]),
        });
    }
    (!read.is_empty()).then_some(read)
}

fn entries<'v>(value: &'v Json<'v>, names: &[&str]) -> &'v [Json<'v>] {
    match value {
        Json::Array(items) => items,
        Json::Object(object) => member(object, names).map(items).unwrap_or_default(),
        _ => &[],
    }
}

/// The clerk's findings about agreement. Participants are numbered from 1, in the
/// order in which they were shown to the clerk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadConsensus {
    pub propositions: Vec<ReadProposition>,
    pub clusters: Vec<ReadCluster>,
    pub common_ground: Vec<String>,
    pub disagreements: Vec<String>,
    pub nuances: Nuances,
    pub conflicts: Vec<ReadConflict>,
    pub summary: String,
    pub reasoning: String,
    /// The clerk's own rating, 0 to 1: a check beside the computed level.
    pub rating: Option<f64>,
    pub notes: Vec<TurnNote>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadProposition {
    /// The id under which it was shown to the clerk, if it was.
    pub id: Option<PropositionId>,
    pub text: String,
    /// Returns whether the clerk calls it settled.
    pub settled: bool,
    /// Participant and side, each participant once.
    pub stands: Vec<(usize, Side)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCluster {
    pub theme: String,
    pub participants: Vec<usize>,
    pub summary: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadConflict {
    pub issue: String,
    pub positions: Vec<(usize, String)>,
}

const PROPOSITIONS: &[&str] = &["propositions", "issues"];
const CONSENSUS: JsonShape = JsonShape {
    opens: &['{'],
    score: |value, _| score(value, &[PROPOSITIONS, &["clusters"], &["summary"], &["conflicts"]]),
    keeps_cut: |_| false,
};

/// The error gives the reason why the reply cannot be used: without propositions
/// and stands no level can be computed.
pub fn read_consensus(raw: &str, participants: usize) -> Result<ReadConsensus, String> {
    let Some(found) = find(raw, &CONSENSUS) else {
        return Err("the clerk's reply holds no JSON object with propositions".to_owned());
    };
    let Some(object) = found.value.as_object() else {
        return Err("the clerk's reply is no JSON object".to_owned());
    };
    let mut notes = Vec::new();
    for repair in found.repairs {
        note(&mut notes, "json", repair.sentence());
    }
    let propositions = propositions(object, participants, &mut notes);
    if propositions.is_empty() {
        return Err("the clerk named no proposition on which an agent takes a position".to_owned());
    }
    let clusters = list(object, &["clusters"]).iter().filter_map(|item| {
        let item = item.as_object()?;
        let who = member(item, &["participants", "agents", "agentids", "members"])?;
        let participants = participant_list(who, participants);
        let theme = string(item, &["theme", "name", "title"]);
        let summary = string(item, &["summary", "description"]);
        (!participants.is_empty()).then_some(ReadCluster { theme, participants, summary })
    });
    let nuances = member(object, &["nuances"]).and_then(Json::as_object).unwrap_or(object);
    Ok(ReadConsensus {
        propositions,
        clusters: clusters.collect(),
        common_ground: strings(object, &["commonground", "agreements"]),
        disagreements: strings(object, &["disagreements", "disagreementpoints"]),
        nuances: Nuances {
            partial_agreements: strings(nuances, &["partialagreements"]),
            conditional_positions: strings(nuances, &["conditionalpositions"]),
            uncertainties: strings(nuances, &["uncertainties"]),
        },
        conflicts: conflicts(object, participants),
        summary: string(object, &["summary"]),
        reasoning: string(object, &["reasoning", "rationale"]),
        rating: rating(object, &mut notes),
        notes,
    })
}

fn propositions(
    object: &JsonObject<'_>,
    participants: usize,
    notes: &mut Vec<TurnNote>,
) -> Vec<ReadProposition> {
    let all = member(object, PROPOSITIONS).map(items).unwrap_or_default();
    if all.len() > MAX_PROPOSITIONS {
        let given = all.len();
        let most = MAX_PROPOSITIONS;
        note(notes, "json", format!("of {given} propositions the first {most} were kept"));
    }
    let mut read = Vec::new();
    for item in all.iter().take(MAX_PROPOSITIONS).filter_map(Json::as_object) {
        let id = member(item, &["id", "proposition_id", "propositionid"]).and_then(text);
        let id = id.and_then(|id| id.parse::<PropositionId>().ok());
        let words = member(item, &["text", "proposition", "statement"]).and_then(text);
        let Some(words) = words.or_else(|| id.map(|id| id.to_string().into())) else {
            note(notes, "required", "a proposition without text was dropped");
            continue;
        };
        let settled = member(item, &["settled", "closed"]).and_then(Json::as_bool);
        let stands = stands(item, participants, notes);
        if stands.is_empty() {
            note(notes, "required", "a proposition on which no agent takes a position was dropped");
            continue;
        }
        let settled = settled.unwrap_or(false);
        read.push(ReadProposition { id, text: shortened(&words, MAX_TEXT), settled, stands });
    }
    read
}

/// Stands as a list of entries, as a map from participant to side, or as a list
/// of participants per side.
fn stands(
    item: &JsonObject<'_>,
    participants: usize,
    notes: &mut Vec<TurnNote>,
) -> Vec<(usize, Side)> {
    const SIDES: &[(&str, Side)] = &[
        ("for", Side::For),
        ("against", Side::Against),
        ("open", Side::Open),
        ("agree", Side::For),
        ("disagree", Side::Against),
        ("neutral", Side::Open),
    ];
    let mut said: Vec<(Option<usize>, Option<Side>)> = Vec::new();
    let side_of = |value: &Json<'_>| text(value).and_then(|word| word_of(&word, SIDES));
    match member(item, &["stands", "positions", "participants"]) {
        Some(Json::Array(entries)) => {
            for entry in entries.iter().filter_map(Json::as_object) {
                let who = member(entry, &["participant", "agent", "id", "number"]);
                let side = member(entry, &["side", "stand", "stance", "position"]);
                said.push((
                    who.and_then(|who| participant(who, participants)),
                    side.and_then(side_of),
                ));
            }
        }
        Some(Json::Object(map)) => {
            for (who, side) in map.iter() {
                let who = Json::from(who);
                said.push((participant(&who, participants), side_of(side)));
            }
        }
        _ => {
            for (name, side) in SIDES {
                let who = member(item, &[*name]).map(|who| participant_list(who, participants));
                said.extend(
                    who.unwrap_or_default().into_iter().map(|who| (Some(who), Some(*side))),
                );
            }
        }
    }
    let mut read: Vec<(usize, Side)> = Vec::new();
    let mut dropped = 0;
    for entry in said {
        match entry {
            (Some(who), Some(side)) if read.iter().all(|(other, _)| *other != who) => {
                read.push((who, side));
            }
            _ => dropped += 1,
        }
    }
    if dropped > 0 {
        let dropped = counted(dropped, "stand");
        note(
            notes,
            "required",
            format!("{dropped} unreadable, repeated or by an unknown agent; dropped"),
        );
    }
    read.sort_rows_by_key(|(who, _)| *who);
    read
}

fn conflicts(object: &JsonObject<'_>, participants: usize) -> Vec<ReadConflict> {
    let read = list(object, &["conflicts"]).iter().filter_map(|item| {
        let item = item.as_object()?;
        let issue = member(item, &["issue", "topic", "text"]).and_then(text)?;
        let positions = list(item, &["positions", "sides"]).iter().filter_map(|side| {
            let side = side.as_object()?;
            let who = member(side, &["participant", "agent", "id", "number"])?;
            let says = string(side, &["says", "position", "text"]);
            let who = participant(who, participants)?;
            (!says.is_empty()).then_some((who, says))
        });
        let positions: Vec<_> = positions.collect();
        let issue = shortened(&issue, MAX_TEXT);
        (!positions.is_empty()).then_some(ReadConflict { issue, positions })
    });
    read.collect()
}

/// Reads a rating. It is a check, not a result, so one out of range is clamped,
/// not dropped.
fn rating(object: &JsonObject<'_>, notes: &mut Vec<TurnNote>) -> Option<f64> {
    let value = member(object, &["agreementlevel", "agreement", "rating", "agreementrating"])?;
    let found = figure(value)?;
    let number = match found.unit.as_str() {
        "%" => found.number / 100.0,
        "" if (2.0..=100.0).contains(&found.number) => found.number / 100.0,
        "" => found.number,
        _ => return None,
    };
    let rating = number.clamp(0.0, 1.0);
    if rating != found.number {
        let stated = found.number;
        note(notes, "json", format!("an agreement of {stated} was limited to {rating}"));
    }
    Some(rating)
}

/// `2`, `"2"`, `"P2"`, `"Participant 2"`: a number from 1 to the last one.
fn participant(value: &Json<'_>, participants: usize) -> Option<usize> {
    let said = text(value)?;
    let lower = said.trim().to_lowercase();
    let bare = ["participant", "agent", "p"]
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .unwrap_or(&lower);
    let number = bare.trim().trim_start_matches(['#', '_', '-']).parse::<usize>().ok()?;
    (1..=participants).contains(&number).then_some(number)
}

fn participant_list(value: &Json<'_>, participants: usize) -> Vec<usize> {
    let mut read: Vec<usize> = match value {
        Json::String(text) if participant(value, participants).is_none() => {
            let numbers = citation_numbers(&Json::from(&**text));
            let numbers = numbers.into_iter().filter_map(|number| usize::try_from(number).ok());
            numbers.filter(|number| (1..=participants).contains(number)).collect()
        }
        other => items(other).iter().filter_map(|who| participant(who, participants)).collect(),
    };
    super::values::once(&mut read);
    read
}

pub(super) fn score(value: &Json<'_>, fields: &[&[&str]]) -> usize {
    value
        .as_object()
        .map_or(0, |object| fields.iter().filter(|names| member(object, names).is_some()).count())
}

pub(super) fn list<'v>(object: &'v JsonObject<'v>, names: &[&str]) -> &'v [Json<'v>] {
    let all = member(object, names).map(items).unwrap_or_default();
    all.get(..MAX_ENTRIES).unwrap_or(all)
}

pub(super) fn string(object: &JsonObject<'_>, names: &[&str]) -> String {
    let found = member(object, names).and_then(text).unwrap_or_default();
    shortened(&found, MAX_TEXT)
}

pub(super) fn strings(object: &JsonObject<'_>, names: &[&str]) -> Vec<String> {
    let all = member(object, names).map(texts).unwrap_or_default();
    all.iter().take(MAX_ENTRIES).map(|text| shortened(text, MAX_TEXT)).collect()
}

fn clipped(object: &JsonObject<'_>, names: &[&str], tokens: usize) -> Option<String> {
    member(object, names).and_then(text).map(|text| clip(&text, tokens).into_owned())
}

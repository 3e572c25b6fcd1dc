//! What a result rests on, in short: what each agent used, what is still in conflict, and
//! what to check.

use debate::model::*;

use super::lookup::seat_name;
use super::shapes::*;
use super::shortening::{TextLimits, rounded, short};

/// The change of an agent's confidence up to its last answer.
pub fn confidence_change(
    room: &Room,
    word: &FinalWord,
    limits: TextLimits,
) -> Option<ConfidenceView> {
    let change = room.round(word.round)?.turn(word.seat)?.confidence_change.as_ref()?;
    Some(ConfidenceView {
        delta: rounded(change.delta),
        previous_round: change.previous_round,
        // Where there is no room for a point, there is none for a reason.
        reason: change
            .reason
            .as_deref()
            .filter(|_| limits.points > 0)
            .map(|why| short(why, limits.point)),
    })
}

/// What an agent based its answers on, over all rounds.
pub fn used(room: &Room, word: &FinalWord) -> EvidenceUsed {
    let turns = || room.rounds.iter().filter_map(|record| record.turn(word.seat));
    let calls = || turns().flat_map(|turn| &turn.tool_calls);
    let mut tools: Vec<String> = calls().map(|call| short(&call.tool, 40)).collect();
    tools.sort();
    tools.dedup();
    let searched = calls().filter(|call| call.tool == SEARCH_TOOL).count() as u32;
    let cites = |source: &&Evidence| source.cited_by.iter().any(|cited| cited.seat == word.seat);
    EvidenceUsed {
        searches: searched + turns().map(|turn| turn.searches).sum::<u32>(),
        citations: room.ledger.evidence.iter().filter(cites).count(),
        tools,
        kinds: word.evidence_used.clone(),
    }
}

/// Conflicts that the clerk named, then claims that are still contested.
pub fn conflicts(room: &Room, layer: &EvidenceLayer, limits: TextLimits) -> Vec<ConflictView> {
    let last = room.rounds.iter().rev().find_map(|record| record.analysis.as_ref());
    let named = last.into_iter().flat_map(|analysis| &analysis.consensus.conflicts).map(|one| {
        let positions = one.positions.iter().map(|side| ConflictPosition {
            agent: seat_name(room, side.seat),
            stance: short(&side.says, limits.entry / 2),
        });
        (one.issue.clone(), positions.take(limits.names).collect())
    });
    let contested = layer.conflicts.iter().map(|one| {
        let side = |names: &[String], stance: &str| {
            let position = |name: &String| ConflictPosition {
                agent: short(name, 60),
                stance: stance.to_owned(),
            };
            names.iter().map(position).collect::<Vec<_>>()
        };
        let mut positions = side(&one.held_by, "for");
        positions.extend(side(&one.opposed_by, "against"));
        positions.truncate(limits.names);
        (format!("{}: {}", one.claim, one.text), positions)
    });
    named
        .chain(contested)
        .take(limits.entries)
        .map(|(issue, positions)| ConflictView { issue: short(&issue, limits.entry), positions })
        .collect()
}

/// The signs of groupthink, with the advice on them.
pub fn groupthink(layer: &EvidenceLayer, limits: TextLimits) -> Option<GroupthinkView> {
    if layer.groupthink.is_empty() && layer.groupthink_recommendation.is_none() {
        return None;
    }
    Some(GroupthinkView {
        signs: limits.list(&layer.groupthink),
        recommendation: layer
            .groupthink_recommendation
            .as_deref()
            .map(|advice| short(advice, limits.entry)),
    })
}

/// What to check, why, and with which tool. A hint about a claim names it with its
/// number.
pub fn hints(room: &Room, all: &[String], limits: TextLimits) -> Vec<HintView> {
    let hint = |hint: &String| {
        let words = || hint.split(|letter: char| !letter.is_alphanumeric());
        let claim = room.ledger.claims.iter().find(|claim| {
            let id = claim.id.to_string();
            words().take(6).any(|word| word == id)
        });
        match claim {
            Some(claim) => {
                let contested = claim.status == ClaimStatus::Contested;
                let (why, how) = if contested {
                    ("agents dispute it", "get_round_details")
                } else {
                    ("it was called a fact without a source", "get_response_detail")
                };
                let what = short(&format!("{}: {}", claim.id, claim.text), limits.entry);
                HintView { what, why: why.into(), how: how.into() }
            }
            None => {
                let (what, why) = hint.split_once(": ").unwrap_or((hint, ""));
                HintView {
                    what: short(what, limits.entry),
                    why: short(why, limits.entry),
                    how: "get_response_detail".into(),
                }
            }
        }
    };
    all.iter().take(limits.entries).map(hint).collect()
}

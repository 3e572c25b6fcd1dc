//! The checks every answer goes through, in order. Each repairs what can be
//! repaired mechanically and notes it; none adds content.

use std::collections::BTreeSet;

use super::objections::says_what_must_change;
use super::values::{cited_in, note};
use super::{AnswerDraft, ExpectedAnswer, RepairChance};
use crate::model::{Ballot, Citation, ClaimId, ClaimMade, Label, WITHOUT_EVIDENCE, clip, counted};

type Validator = fn(&mut AnswerDraft, &ExpectedAnswer<'_>);

/// Name and function, in the order they run.
pub(super) const VALIDATORS: [(&str, Validator); 9] = [
    ("required", required),
    ("confidence", confidence),
    ("stance", stance),
    ("citations", citations),
    ("facts", facts),
    ("vote", vote),
    ("claims", claims),
    ("answer", answer),
    ("ruling", ruling),
];

const MAX_KEY_POINTS: usize = 3;
const CLAIM_TOKENS: usize = 30;
/// The most numbers listed in one note.
const LISTED: usize = 10;

fn required(draft: &mut AnswerDraft, _: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, .. } = draft;
    if answer.unstructured {
        return;
    }
    if answer.reasoning.is_empty() {
        note(notes, "required", "no reasoning was given");
    }
    if answer.key_points.is_empty() {
        note(notes, "required", "no key points were given");
    }
    let given = answer.key_points.len();
    if given > MAX_KEY_POINTS {
        answer.key_points.truncate(MAX_KEY_POINTS);
        note(notes, "required", format!("of {given} key points the first 3 were kept"));
    }
}

fn confidence(draft: &mut AnswerDraft, _: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, .. } = draft;
    let Some(stated) = answer.confidence else {
        if !answer.unstructured && !notes.iter().any(|note| note.check == "confidence") {
            note(notes, "confidence", "no confidence was stated; it stays absent");
        }
        return;
    };
    let in_range = match stated {
        0.0..=1.0 => return,
        // From 2 on it can only be meant out of a hundred; between 1 and 2 it is
        // more likely a slip above 1 than one percent and a bit.
        2.0..=100.0 => stated / 100.0,
        _ => stated.clamp(0.0, 1.0),
    };
    answer.confidence = Some(in_range).filter(|number| number.is_finite());
    note(notes, "confidence", format!("a confidence of {stated} was brought to {in_range}"));
}

fn stance(draft: &mut AnswerDraft, expected: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, problems, .. } = draft;
    let Some(assigned) = expected.stance else {
        if answer.stance.take().is_some() {
            note(notes, "stance", "a stance was given where none is assigned; ignored");
        }
        return;
    };
    if answer.stance == Some(assigned) {
        return;
    }
    let word = assigned.word();
    let given = answer.stance.map_or("missing", |stance| stance.word());
    match draft.chance {
        RepairChance::First => {
            problems.push(format!("The stance is {given}; the one assigned is {word}."));
            note(notes, "stance", format!("the stance is {given}, assigned is {word}"));
        }
        RepairChance::Last => {
            answer.stance = Some(assigned);
            draft.stance_forced = true;
            note(notes, "stance", format!("the stance was {given}; {word} was written in"));
        }
    }
}

fn citations(draft: &mut AnswerDraft, expected: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, .. } = draft;
    if answer.unstructured {
        return;
    }
    let in_text = cited_in(&answer.reasoning);
    if answer.citations.is_empty() {
        // With no list of its own, an answer's numbers are its provider's.
        let wanted: BTreeSet<u32> = answer
            .claims
            .iter()
            .flat_map(|claim| claim.citations.iter())
            .chain(&in_text)
            .copied()
            .collect();
        let mut found: Vec<Citation> = Vec::new();
        for source in expected.sources.iter().filter(|source| wanted.contains(&source.number)) {
            if found.iter().all(|other| other.number != source.number) {
                found.push(source.clone());
            }
        }
        if !found.is_empty() {
            let taken = format!("{} from the provider's search", counted(found.len(), "source"));
            note(notes, "citations", taken);
            answer.citations = found;
        }
    }
    let known: BTreeSet<u32> = answer.citations.iter().map(|citation| citation.number).collect();
    for (index, claim) in answer.claims.iter_mut().enumerate() {
        let lost: Vec<u32> =
            claim.citations.iter().copied().filter(|number| !known.contains(number)).collect();
        if !lost.is_empty() {
            claim.citations.retain(|number| known.contains(number));
            let number = index + 1;
            let nowhere = pointing_nowhere(&lost);
            note(notes, "citations", format!("claim {number} cites {nowhere}; removed"));
        }
    }
    let lost: Vec<u32> = in_text.into_iter().filter(|number| !known.contains(number)).collect();
    if !lost.is_empty() {
        let nowhere = pointing_nowhere(&lost);
        note(notes, "citations", format!("the reasoning cites {nowhere}; left as written"));
    }
}

/// Lists ids that do not exist, for a note.
pub(super) fn non_existent(ids: &[String]) -> String {
    let verb = if ids.len() == 1 { "does" } else { "do" };
    format!("{}, which {verb} not exist", ids.join(", "))
}

fn pointing_nowhere(numbers: &[u32]) -> String {
    let mut list: Vec<String> =
        numbers.iter().take(LISTED).map(|number| format!("[{number}]")).collect();
    if numbers.len() > LISTED {
        list.push("…".to_owned());
    }
    let verb = if numbers.len() == 1 { "points" } else { "point" };
    format!("{}, which {verb} nowhere", list.join(", "))
}

/// Where evidence is required, an answer needs claims, and a FACT needs a source.
fn evidence(draft: &mut AnswerDraft, expected: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, problems, .. } = draft;
    if !expected.evidence || answer.answer.is_none() && answer.cannot_say.is_some() {
        return;
    }
    let bare = |claim: &&ClaimMade| claim.label == Label::Fact && claim.citations.is_empty();
    let bare = answer.claims.iter().filter(bare).count();
    let lack = match (answer.claims.is_empty(), bare) {
        (true, _) => "the answer makes no claim with an evidence type".to_owned(),
        (false, 0) => return,
        (false, bare) => format!("{} without a citation", counted(bare, "FACT claim")),
    };
    match draft.chance {
        RepairChance::First => problems.push(format!("Evidence is required, and {lack}.")),
        RepairChance::Last => note(notes, WITHOUT_EVIDENCE, format!("without evidence: {lack}")),
    }
}

fn facts(draft: &mut AnswerDraft, expected: &ExpectedAnswer<'_>) {
    evidence(draft, expected);
    let AnswerDraft { answer, notes, .. } = draft;
    for (index, claim) in answer.claims.iter_mut().enumerate() {
        let number = index + 1;
        if claim.label == Label::Fact && claim.citations.is_empty() {
            claim.label = Label::Infer;
            note(notes, "facts", format!("claim {number} is a FACT without a citation; now INFER"));
        }
        if claim.label == Label::Assume && !claim.citations.is_empty() {
            claim.citations.clear();
            note(notes, "facts", format!("claim {number} is an ASSUME with citations; removed"));
        }
    }
}

fn vote(draft: &mut AnswerDraft, expected: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, .. } = draft;
    let round = expected.round;
    match (&answer.vote, expected.vote) {
        (None, true) if !notes.iter().any(|note| note.check == "vote") => {
            note(notes, "vote", format!("no vote was given in round {round}; it stays absent"));
        }
        (Some(_), false) => {
            answer.vote = None;
            note(
                notes,
                "vote",
                format!("a vote was given in round {round}, which has none; ignored"),
            );
        }
        _ => {}
    }
    let blocker = answer.vote.as_mut().filter(|vote| vote.ballot == Ballot::Blocker);
    if let Some(vote) = blocker.filter(|vote| !says_what_must_change(vote.objection.as_deref())) {
        vote.ballot = Ballot::Minor;
        note(
            notes,
            "vote",
            "a BLOCKER that does not say what would have to change; counted as MINOR",
        );
    }
}

fn claims(draft: &mut AnswerDraft, expected: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, .. } = draft;
    let known = |id: &ClaimId| id.0 > 0 && id.index() < expected.known_claims;
    for (index, claim) in answer.claims.iter_mut().enumerate() {
        let number = index + 1;
        let short = clip(&claim.text, CLAIM_TOKENS).trim_end().to_owned();
        if short != claim.text {
            claim.text = short;
            note(notes, "claims", format!("claim {number} was cut to {CLAIM_TOKENS} tokens"));
        }
        for ids in [&mut claim.supports, &mut claim.opposes, &mut claim.retracts] {
            let unknown: Vec<String> =
                ids.iter().filter(|id| !known(id)).take(LISTED).map(ClaimId::to_string).collect();
            if !unknown.is_empty() {
                ids.retain(known);
                let unknown = non_existent(&unknown);
                note(notes, "claims", format!("claim {number} refers to {unknown}; removed"));
            }
        }
    }
    if !expected.critiques && !answer.critiques.is_empty() {
        answer.critiques.clear();
        note(notes, "claims", "critiques were given where none are asked for; ignored");
    }
    answer.critiques.retain(|critique| {
        let keep = known(&critique.claim);
        if !keep {
            let id = critique.claim;
            note(notes, "claims", format!("a critique of {id}, which does not exist, was dropped"));
        }
        keep
    });
}

/// Checks that the question got the kind of answer it asks for.
fn answer(draft: &mut AnswerDraft, expected: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, .. } = draft;
    let asked = !matches!(expected.question, crate::model::Question::Open);
    if answer.answer.is_some() {
        answer.cannot_say = None;
    }
    if asked && answer.cannot_say.is_some() {
        return;
    }
    if asked && answer.answer.is_none() && !notes.iter().any(|note| note.check == "answer") {
        note(
            notes,
            "answer",
            "the question asks for an answer and none was given; it stays absent",
        );
    }
}

/// Accepts a ruling only from the deciding seat; a missing ruling ends nothing.
fn ruling(draft: &mut AnswerDraft, expected: &ExpectedAnswer<'_>) {
    let AnswerDraft { answer, notes, .. } = draft;
    match (answer.ruling, expected.ruling) {
        (None, true) if !notes.iter().any(|note| note.check == "ruling") => {
            note(notes, "ruling", "no ruling was given; the debate goes on as planned");
        }
        (Some(_), false) => {
            answer.ruling = None;
            note(notes, "ruling", "a ruling was given by a seat that does not decide; ignored");
        }
        _ => {}
    }
}

//! Turns a model's reply into an answer. Reading never fails: it returns the
//! readable parts, and a note for everything that was repaired or missing. It
//! never invents: a missing field stays absent, and if something must be assumed,
//! it is the weakest possible.

mod clerk;
mod drafts;
mod fields;
mod json;
mod judging;
mod lists;
mod objections;
mod synthesis;
#[cfg(test)]
mod tests;
mod tree;
mod validators;
mod values;
mod working;

pub use clerk::{
    ReadCluster, ReadConflict, ReadConsensus, ReadMoves, ReadProposition, ReadSummary,
    SummaryScope, read_consensus, read_perspectives, read_summary,
};

pub use drafts::{read_domain, read_draft};
pub use judging::{ReadJudgement, read_complexity, read_judgement};
pub use synthesis::read_synthesis;
pub use working::{AnswerTexts, is_record, read_parts, read_person};

use crate::model::{Answer, Citation, CountedField, Question, Round, Stance, TurnNote, counted};

use values::{first_sentence, note, shortened};

/// The request that the turn answers.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedAnswer<'a> {
    pub round: Round,
    /// The stance assigned to the seat, if there is one.
    pub stance: Option<Stance>,
    /// True if a vote was asked for: from round 2 on.
    pub vote: bool,
    pub critiques: bool,
    /// True if the seat decides over the next round.
    pub ruling: bool,
    pub question: &'a Question,
    /// True if an answer without evidence is to be sent back.
    pub evidence: bool,
    /// The ledger's size: C1 to Cn exist.
    pub known_claims: usize,
    /// The results of the provider's own search.
    pub sources: &'a [Citation],
}

/// The number of the attempt, which decides if the agent can still be asked once
/// more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairChance {
    First,
    Last,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub answer: Answer,
    pub notes: Vec<TurnNote>,
    /// The problem that a second ask should repair; only after the first attempt.
    pub problem: Option<ReplyProblem>,
    /// The counted fields that an answer in parts lacks.
    pub missing: Vec<CountedField>,
    /// True if the assigned stance had to be written in.
    pub stance_forced: bool,
}

/// The problem with a reply, in words for the agent that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyProblem {
    pub text: String,
}

const MAX_REASONING: usize = 200_000;
const MAX_POSITION: usize = 300;
/// Longest single text apart from the reasoning.
const MAX_TEXT: usize = 4_000;
const MAX_NOTES: usize = 200;

/// A reading in progress.
pub(in crate::reading) struct AnswerDraft {
    pub answer: Answer,
    pub notes: Vec<TurnNote>,
    pub problems: Vec<String>,
    pub stance_forced: bool,
    pub chance: RepairChance,
}

/// Returns true if a reply holds nothing that could be read at all.
pub fn is_blank(raw: &str) -> bool {
    let mut lines = json::without_thoughts(raw).lines().filter(|line| !line.starts_with("```"));
    !lines.any(|line| line.chars().any(char::is_alphanumeric))
}

pub fn read(raw: &str, expected: &ExpectedAnswer<'_>, chance: RepairChance) -> Reading {
    let mut draft = AnswerDraft {
        answer: Answer::default(),
        notes: Vec::new(),
        problems: Vec::new(),
        stance_forced: false,
        chance,
    };
    match json::find(raw, &fields::ANSWER) {
        Some(found) => {
            for repair in found.repairs {
                note(&mut draft.notes, "json", repair.sentence());
            }
            fields::fill(&mut draft, &found.value, expected);
            if draft.answer.position.is_empty() && draft.answer.reasoning.is_empty() {
                draft.problems.push(
                    "The JSON object has neither \"position\" nor \"reasoning\"; both are required."
                        .into(),
                );
                keep_raw(&mut draft, raw);
            }
        }
        None => {
            draft.problems.push(
                "The reply holds no JSON object with the fields asked for; it must be one such \
                 object and nothing else."
                    .into(),
            );
            keep_raw(&mut draft, raw);
        }
    }
    for (_, validate) in validators::VALIDATORS {
        validate(&mut draft, expected);
    }
    finish(draft)
}

/// Keeps a text without structure as the reasoning, and claims nothing else.
fn keep_raw(draft: &mut AnswerDraft, raw: &str) {
    let body = json::without_thoughts(raw.trim_start_matches('\u{feff}'));
    let body = if body.trim().is_empty() { raw } else { body };
    draft.answer = Answer {
        position: first_sentence(body, MAX_POSITION),
        reasoning: shortened(body, MAX_REASONING),
        unstructured: true,
        ..Answer::default()
    };
    note(
        &mut draft.notes,
        "json",
        "no structured answer could be read; the text is kept as reasoning and its first \
         sentence as position",
    );
}

fn finish(mut draft: AnswerDraft) -> Reading {
    let more = draft.notes.len().saturating_sub(MAX_NOTES);
    if more > 0 {
        draft.notes.truncate(MAX_NOTES);
        note(&mut draft.notes, "json", format!("{} left out", counted(more, "more note")));
    }
    let problem = match draft.chance {
        RepairChance::First if !draft.problems.is_empty() => {
            Some(ReplyProblem { text: draft.problems.join(" ") })
        }
        RepairChance::First | RepairChance::Last => None,
    };
    Reading {
        answer: draft.answer,
        notes: draft.notes,
        problem,
        missing: Vec::new(),
        stance_forced: draft.stance_forced,
    }
}

//! From a model's reply to an answer. Reading never fails: it yields what could
//! be read, and a note for everything that was mended or found wanting. It
//! refuses to invent: a field that is not there stays absent, and where something
//! must be assumed it is the weakest that can be.

mod clerk;
mod drafts;
mod fields;
mod json;
mod judging;
mod lists;
mod synthesis;
#[cfg(test)]
mod tests;
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
pub use working::{AnswerTexts, is_record, read_parts};

use crate::model::{
    Answer, Citation, CountedField, Question, Round, Stance, Switch, TurnNote, counted,
};

use values::{first_sentence, note, shortened};

/// What the turn was asked for.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedAnswer<'a> {
    pub round: Round,
    /// The stance the seat was given, where it was given one.
    pub stance: Option<Stance>,
    /// Whether a vote was asked for: from round 2 on.
    pub vote: Switch,
    pub critiques: Switch,
    /// Whether the seat decides over the next round.
    pub ruling: Switch,
    pub question: &'a Question,
    /// The ledger's size: C1 to Cn exist.
    pub known_claims: usize,
    /// What the provider's own search returned.
    pub sources: &'a [Citation],
}

/// Whether the agent can still be asked once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairChance {
    First,
    Last,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub answer: Answer,
    pub notes: Vec<TurnNote>,
    /// What a second ask should mend; only on the first chance.
    pub problem: Option<ReplyProblem>,
    /// The counted fields that an answer in parts lacks.
    pub missing: Vec<CountedField>,
    /// Whether the assigned stance had to be written in.
    pub stance_forced: bool,
}

/// What is wrong with a reply, in words for the one who wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyProblem {
    pub text: String,
}

const MAX_REASONING: usize = 200_000;
const MAX_POSITION: usize = 300;
const MAX_NOTES: usize = 200;

/// A reading under way.
pub(in crate::reading) struct AnswerDraft {
    pub answer: Answer,
    pub notes: Vec<TurnNote>,
    pub problems: Vec<String>,
    pub stance_forced: bool,
    pub chance: RepairChance,
}

/// Whether there is nothing in a reply that could be read at all.
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

/// No structure: the text itself is the reasoning, and nothing else is claimed.
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

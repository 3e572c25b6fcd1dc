//! Every round in full, folded: one line that says what changed in it, then the answers
//! with their claims and their whole reasoning.

use askama::Template;
use debate::model::{ClaimStatus, RoundKind, RoundRecord, Turn, counted};

use super::Sheet;
use super::signs::{LinkedText, SeatSign, percent};
use super::standing::ballot;
use crate::document::{Markup, prose};
use crate::report::debate::numbers;

#[derive(Template)]
#[template(path = "round.html", whitespace = "preserve")]
pub struct RoundSheet {
    pub number: u32,
    line: LinkedText,
    signs: Vec<SeatSign>,
    remarks: Vec<String>,
    answers: Vec<AnswerBlock>,
    gaps: Vec<GapLine>,
    open: bool,
}

struct AnswerBlock {
    anchor: String,
    sign: SeatSign,
    facts: Vec<String>,
    position: String,
    claims: Vec<AnswerClaim>,
    objection: String,
    words: usize,
    reasoning: Markup,
}

struct AnswerClaim {
    id: String,
    text: String,
    withdrawn: bool,
}

struct GapLine {
    sign: SeatSign,
    text: String,
}

impl RoundSheet {
    pub fn of(sheet: &Sheet<'_>, record: &RoundRecord) -> RoundSheet {
        let room = sheet.view.room;
        let remarks = room.remarks.iter().filter(|one| one.round == record.number);
        let gap = |gap: &debate::model::Gap| GapLine {
            sign: sheet.signs.seat(gap.seat).small(),
            text: format!(" gave no answer ({}): {}", gap.class.word(), gap.message),
        };
        let answered: Vec<debate::model::SeatId> =
            record.answered().map(|turn| turn.seat).collect();
        RoundSheet {
            number: record.number,
            line: LinkedText::of(&line(record), &room.ledger),
            signs: sheet.signs.seats(&answered),
            remarks: remarks.map(|one| one.text.clone()).collect(),
            answers: record.answered().map(|turn| answer(sheet, record, turn)).collect(),
            gaps: record.gaps.iter().map(gap).collect(),
            open: false,
        }
    }
}

/// One line that says what a round changed.
fn line(record: &RoundRecord) -> String {
    if let Some(summary) = &record.summary {
        return summary.one_liner.clone();
    }
    let answers = record.answered().count();
    let kind = match record.kind {
        RoundKind::Planned if record.number == 1 => " without seeing the others",
        RoundKind::Planned => "",
        RoundKind::Sample => " sealed",
        RoundKind::CriticalObjection => " to critical objections",
    };
    let waited: usize = record.waves.iter().map(Vec::len).sum();
    if record.closed {
        format!(
            "{}{kind}; {}, {}",
            counted(answers, "answer"),
            counted(record.new_claims.len(), "claim"),
            counted(record.new_evidence.len(), "source")
        )
    } else {
        format!("Running: {answers} of {waited} answers are in")
    }
}

fn answer(sheet: &Sheet<'_>, record: &RoundRecord, turn: &Turn) -> AnswerBlock {
    let room = sheet.view.room;
    let mut facts = Vec::new();
    let delta = turn.confidence_change.as_ref().map(|change| (change.delta * 100.0).round());
    facts.extend(turn.answer.confidence.map(|share| match delta.filter(|delta| *delta != 0.0) {
        Some(delta) => format!("confidence {} ({delta:+})", percent(share)).replace('-', "−"),
        None => format!("confidence {}", percent(share)),
    }));
    let vote = turn.answer.vote.as_ref();
    facts.extend(vote.map(|vote| ballot(vote.ballot).to_owned()));
    facts.extend(turn.answer.answer.as_ref().map(crate::document::words::choice));
    facts.extend(turn.perspective.clone());
    facts.push(turn.model.clone());
    let touched = record.touched.get(turn.seat.index());
    let introduced = touched.map(|touched| touched.introduced.as_slice()).unwrap_or_default();
    let claims =
        introduced.iter().filter_map(|id| room.ledger.claim(*id)).map(|claim| AnswerClaim {
            id: claim.id.to_string(),
            text: claim.text.clone(),
            withdrawn: claim.status == ClaimStatus::Retracted,
        });
    let own = sheet.view.numbering.as_ref().map(|numbering| numbering.of(turn)).unwrap_or_default();
    let reasoning = numbers::renumber(&turn.answer.reasoning, &own, room.ledger.evidence.len());
    AnswerBlock {
        anchor: format!("round-{}-seat-{}", turn.round, turn.seat.index() + 1),
        sign: sheet.signs.seat(turn.seat),
        facts,
        position: turn.answer.position.clone(),
        claims: claims.collect(),
        objection: vote.and_then(|vote| vote.objection.clone()).unwrap_or_default(),
        words: reasoning.split_whitespace().count(),
        reasoning: prose(&reasoning),
    }
}

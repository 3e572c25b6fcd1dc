//! The headline of a result: what it leads with, in the words of the one who
//! speaks for it, or that there is no decision and why.

use crate::model::{
    CardKind, Choice, ModePlan, RiskEntry, Room, SeatId, VoterPlan, WeighedAnswer, WeighedOver,
    Weighing, counted,
};

use super::lead::Lead;
use crate::analysis::answers::trace::Trace;
use crate::analysis::voting::dissent::{level_answers, spokesman};
use crate::analysis::voting::voters::voting_seats;
use crate::analysis::wording::{listed, seat_name, seat_names};

#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    pub kind: CardKind,
    pub text: String,
}

pub struct HeadlineInputs<'a> {
    pub room: &'a Room,
    pub plan: &'a ModePlan,
    pub lead: &'a Lead,
    pub weighing: &'a Weighing,
    pub trace: &'a Trace,
    pub risks: &'a [RiskEntry],
}

pub fn headline(of: &HeadlineInputs<'_>) -> Headline {
    let kind = of.lead.kind;
    let text = match kind {
        CardKind::Risks => register(of),
        CardKind::NoAnswer => no_answer(of),
        CardKind::Estimated => estimate(of),
        CardKind::Unread => format!("No two answers are worded alike: {}.", level_sides(of)),
        CardKind::Split => format!("The table is split between {}.", level_sides(of)),
        CardKind::Ruled | CardKind::Judged | CardKind::Decided => leading_words(of),
    };
    Headline { kind, text }
}

fn level_sides(of: &HeadlineInputs<'_>) -> String {
    let side = |answer: &&WeighedAnswer| match answer.seats.as_slice() {
        [] => format!("“{}”", answer.answer),
        seats => format!("“{}” ({})", answer.answer, seat_names(of.room, seats)),
    };
    listed(&level_answers(of.weighing).iter().map(side).collect::<Vec<String>>())
}

fn estimate(of: &HeadlineInputs<'_>) -> String {
    let Some(pooled) = &of.weighing.pooled else {
        return no_answer(of);
    };
    let figure = |value: f64| of.room.brief.question.figure(value);
    let alike = (pooled.highest - pooled.lowest).abs() < f64::EPSILON;
    match (alike, of.weighing.voices.len()) {
        (true, 1) => figure(pooled.last),
        (true, _) => format!("{} (all estimates are the same)", figure(pooled.last)),
        (false, _) => format!(
            "{} (all estimates combined; they lie between {} and {})",
            figure(pooled.last),
            figure(pooled.lowest),
            figure(pooled.highest)
        ),
    }
}

/// The leading answer with the words of the one who speaks for it.
fn leading_words(of: &HeadlineInputs<'_>) -> String {
    let Some(leading) = of.weighing.answers.first() else {
        return no_answer(of);
    };
    let words = spokesman(of.room, of.trace, leading).map(|turn| turn.answer.position.trim());
    let named = match &leading.choice {
        Some(Choice::Number(value)) => of.room.brief.question.figure(*value),
        Some(Choice::Option(_) | Choice::Probability(_)) | None => leading.answer.clone(),
    };
    match (of.weighing.over, words) {
        (WeighedOver::Clusters, Some(words)) if !words.is_empty() => words.to_owned(),
        (_, Some(words)) if !words.is_empty() => format!("{named}: “{words}”"),
        _ => named,
    }
}

fn no_answer(of: &HeadlineInputs<'_>) -> String {
    let judges = voting_seats(of.room, of.plan);
    match (of.weighing.abstained.as_slice(), of.plan.voters) {
        ([], VoterPlan::Roles(_)) if !judges.is_empty() => {
            format!("No decision: {} gave no answer.", seat_names(of.room, &judges))
        }
        ([], _) => "No agent gave an answer.".into(),
        (seats, _) => format!("No decision: {} could not say.", seat_names(of.room, seats)),
    }
}

/// What is left open, and the plan as those who defended it left it.
fn register(of: &HeadlineInputs<'_>) -> String {
    let risks = of.risks;
    let open = risks.iter().filter(|risk| risk.state.is_open()).count();
    let attacks = counted(risks.len(), "attack");
    let mut text = match (risks.first(), open) {
        (None, _) => "No attack was recorded.".to_owned(),
        (Some(_), 0) if risks.len() == 1 => "The one attack was answered.".into(),
        (Some(_), 0) => format!("All {attacks} were answered."),
        (Some(strongest), open) => format!(
            "{open} of {attacks} {} left open, the strongest by {}: “{}”.",
            if open == 1 { "is" } else { "are" },
            listed(&strongest.by),
            strongest.attack
        ),
    };
    let VoterPlan::NoSeat { leads } = of.plan.voters else {
        return text;
    };
    let plan: Vec<String> = last_words(of.room, leads)
        .map(|(seat, words)| format!("{}: “{words}”", seat_name(of.room, seat)))
        .collect();
    if !plan.is_empty() {
        text = format!("{text} The plan as amended: {}", plan.join(" "));
    }
    text
}

/// The last words of the seats in a role.
fn last_words<'a>(room: &'a Room, role: &'a str) -> impl Iterator<Item = (SeatId, &'a str)> {
    let seats = room.seats.iter().filter(move |seat| seat.role == role);
    seats.filter_map(|seat| {
        let turn = room.rounds.iter().rev().find_map(|round| round.turn(seat.id))?;
        Some((seat.id, turn.answer.position.trim()))
    })
}

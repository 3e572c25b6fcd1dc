//! The recommended action for the caller, with a reason that names what to look
//! at.

use crate::model::{
    Action, Alert, AnalysedBy, ClaimStatus, ConsensusLevel, ConvergenceStatus, ModePlan, Room,
    RoundAnalysis, RoundRecord, VoteShare, WeighedOver, Weighing,
};

use crate::analysis::groupthink::objections_heard;
use crate::analysis::votes::standing_blockers;
use crate::analysis::voting::voters::{is_voter, voting_seats};
use crate::analysis::wording::{listed, seat_name, seat_names};

const HIGH: f64 = 0.7;
const MEDIUM: f64 = 0.4;
const SLACK: f64 = 1e-9;
/// At most this many claims, and conflicts, are named in a reason.
const NAMED_CLAIMS: usize = 5;
const NAMED_CONFLICTS: usize = 3;

#[derive(Debug, Clone, PartialEq)]
pub struct DecisionAdvice {
    pub level: ConsensusLevel,
    pub score: Option<f64>,
    pub action: Action,
    pub reason: String,
}

pub fn level(score: Option<f64>) -> ConsensusLevel {
    match score {
        Some(score) if score >= HIGH - SLACK => ConsensusLevel::High,
        Some(score) if score >= MEDIUM - SLACK => ConsensusLevel::Medium,
        Some(_) => ConsensusLevel::Low,
        None => ConsensusLevel::Unknown,
    }
}

pub fn decide(
    room: &Room,
    plan: &ModePlan,
    last: Option<&RoundAnalysis>,
    weighing: &Weighing,
) -> DecisionAdvice {
    let score = last.and_then(|found| found.consensus.agreement_level);
    let doubts = doubts(room, plan, last, weighing);
    let split = split(room, last, weighing);
    let closed = room.brief.question.is_closed();
    let level = match level(score) {
        // Votes without a majority are no agreement, however many pairs are equal.
        ConsensusLevel::High | ConsensusLevel::Medium if closed && split.is_some() => {
            ConsensusLevel::Low
        }
        level => level,
    };
    let voters = voting_seats(room, plan);
    let one_decides = voters.len() < 2 && room.seats.len() >= 2;
    let ruled = one_decides && (voters.is_empty() || !weighing.final_vote.is_empty());
    let mut action = match (level, doubts.is_empty()) {
        (ConsensusLevel::Unknown, _) if ruled => Action::Verify,
        (ConsensusLevel::Unknown | ConsensusLevel::Low, _) => Action::QueryDetail,
        (ConsensusLevel::Medium, _) | (ConsensusLevel::High, false) => Action::Verify,
        (ConsensusLevel::High, true) => Action::Proceed,
    };
    if split.is_some() {
        action = Action::QueryDetail;
    }
    let mut sentences = vec![match score {
        Some(score) => format!("Agreement is {} ({score:.2}).", level.word()),
        None => without_agreement(room, plan, weighing),
    }];
    sentences.extend(split);
    if differ_in_words_only(last, weighing) {
        sentences.push(
            "Without a clerk, Roundtable cannot tell whether these differently worded answers \
             agree: read them side by side."
                .into(),
        );
    }
    sentences.extend(doubts);
    if action == Action::Verify && sentences.len() == 1 && !one_decides {
        sentences.push(dissenters(room, weighing));
    }
    let reason = sentences.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    DecisionAdvice { level, score, action, reason: reason.join(" ") }
}

/// Why there is no agreement to speak of.
fn without_agreement(room: &Room, plan: &ModePlan, weighing: &Weighing) -> String {
    let voters = voting_seats(room, plan);
    let votes = weighing.final_vote.iter().map(VoteShare::count).sum::<usize>();
    let abstained = seat_names(room, &weighing.abstained);
    match (voters.as_slice(), votes) {
        ([], _) if room.seats.len() >= 2 => {
            "No vote is taken in this mode: read what was attacked and what is left open.".into()
        }
        ([only], 1) if room.seats.len() >= 2 => format!(
            "{} decides in this mode, so there is no agreement to measure: read the case it heard.",
            seat_name(room, *only)
        ),
        (_, 0) if !weighing.abstained.is_empty() => {
            format!("There is no decision: {abstained} could not say.")
        }
        (_, 1) if !weighing.abstained.is_empty() => {
            format!("Only one agent gave an answer; {abstained} could not say.")
        }
        _ => "Too few answers to tell whether the agents agree: read them one by one.".into(),
    }
}

/// A direct conflict: at least two answers, and none held by more than half.
/// Estimates are in conflict only where a stated tolerance excludes them.
fn split(room: &Room, last: Option<&RoundAnalysis>, weighing: &Weighing) -> Option<String> {
    let votes: usize = weighing.final_vote.iter().map(VoteShare::count).sum();
    let [first, second, ..] = weighing.final_vote.as_slice() else {
        return None;
    };
    let combined = room.brief.combines_figures() && room.brief.number.tolerance.is_none();
    if 2 * first.count() > votes || combined || differ_in_words_only(last, weighing) {
        return None;
    }
    Some(format!(
        "The agents are in direct conflict: no answer is held by more than half; {} for “{}”, {} \
         for “{}”.",
        first.count(),
        first.answer,
        second.count(),
        second.answer
    ))
}

/// Returns true if the answers are only known to differ in wording: no clerk read
/// them for their meaning, no two are alike and none denies another.
pub fn differ_in_words_only(last: Option<&RoundAnalysis>, weighing: &Weighing) -> bool {
    let unread = last.is_some_and(|found| {
        found.consensus.by == AnalysedBy::Basic && found.consensus.conflicts.is_empty()
    });
    let alone = weighing.final_vote.iter().all(|share| share.seats.len() == 1);
    unread && alone && weighing.over == WeighedOver::Clusters && weighing.final_vote.len() > 1
}

/// Whatever keeps a high agreement from being enough, each with what to look at.
fn doubts(
    room: &Room,
    plan: &ModePlan,
    last: Option<&RoundAnalysis>,
    weighing: &Weighing,
) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some(first) = &weighing.held_first {
        doubts.push(format!(
            "The first votes were for “{first}”; those who left it brought nothing that can be \
             checked, so it stays the answer."
        ));
    }
    let contested: Vec<String> = room
        .ledger
        .with_status(ClaimStatus::Contested)
        .take(NAMED_CLAIMS)
        .map(|claim| claim.id.to_string())
        .collect();
    if !contested.is_empty() {
        let ids: Vec<&str> = contested.iter().map(String::as_str).collect();
        doubts.push(format!("Still contested: look at {}.", listed(&ids)));
    }
    let up_to = room.rounds.last().map_or(0, |round| round.number);
    let blockers = standing_blockers(room, up_to).into_iter();
    for blocker in blockers.filter(|blocker| is_voter(room, plan, blocker.seat)) {
        let name = seat_name(room, blocker.seat);
        doubts.push(match blocker.text.trim() {
            "" => format!("{name} holds a BLOCKER and gives no objection."),
            text => format!("{name} holds a BLOCKER: “{text}”."),
        });
    }
    let Some(last) = last else {
        return doubts;
    };
    for conflict in last.consensus.conflicts.iter().take(NAMED_CONFLICTS) {
        let names: Vec<&str> =
            conflict.positions.iter().map(|side| seat_name(room, side.seat)).collect();
        doubts.push(format!("{} contradict each other: {}", listed(&names), conflict.issue));
    }
    doubts.extend(groupthink_doubts(room, last));
    if last.convergence.status == Some(ConvergenceStatus::DiminishingReturns) {
        doubts.push(
            "The agents stopped changing their positions and do not agree: a person decides."
                .into(),
        );
    }
    doubts
}

fn groupthink_doubts(room: &Room, last: &RoundAnalysis) -> Vec<String> {
    let groupthink = &last.groupthink;
    let unheard = !objections_heard(room, last.round);
    let premature = last.convergence.alerts.contains(&Alert::Premature) && unheard;
    let mut doubts = Vec::new();
    let shown_to_fail = |round: &RoundRecord| {
        round.analysis.as_ref().is_some_and(|found| found.groupthink.escalate)
    };
    if groupthink.escalate || room.rounds.iter().any(shown_to_fail) {
        doubts.push(
            "Groupthink is likely: forced objections changed nothing, so a person should check \
             the reasoning before relying on it."
                .into(),
        );
    } else if groupthink.trigger.is_some() || groupthink.warning {
        doubts.push(format!("Groupthink is possible: {}.", groupthink.indicators.join("; ")));
    } else if premature && groupthink.checked {
        doubts.push("The positions were alike so early that they were never tested.".into());
    }
    doubts
}

fn dissenters(room: &Room, weighing: &Weighing) -> String {
    let others: Vec<&str> = weighing
        .final_vote
        .iter()
        .skip(1)
        .flat_map(|share| &share.seats)
        .map(|seat| seat_name(room, *seat))
        .collect();
    match others.as_slice() {
        [] => "Check the points on which the agents differ.".into(),
        [one] => format!("Read what {one} says differently."),
        several => format!("Read what {} say differently.", listed(several)),
    }
}

//! The recommended action for the caller, with a reason that names what to look
//! at.

use crate::model::{
    Action, Alert, AnalysedBy, CardKind, ClaimStatus, ConsensusLevel, ConvergenceStatus, ModePlan,
    Objection, Room, RoundAnalysis, RoundRecord, VoteShare, Weighing, WeighingFlag,
};

use super::cautions::without_evidence;
use super::lead::Lead;
use crate::analysis::groupthink::objections_heard;
use crate::analysis::votes::standing_blockers;
use crate::analysis::voting::voters::{equal_pairs, is_voter, voting_seats};
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

/// What the advice rests on.
#[derive(Clone, Copy)]
pub struct AdviceInputs<'a> {
    pub room: &'a Room,
    pub plan: &'a ModePlan,
    pub last: Option<&'a RoundAnalysis>,
    pub weighing: &'a Weighing,
    pub lead: &'a Lead,
}

pub fn decide(of: &AdviceInputs<'_>) -> DecisionAdvice {
    let score = final_agreement(of);
    let blocked = !blockers(of).is_empty();
    let level = level(of.lead, score, blocked);
    let doubts = doubts(of);
    let action = action(of, level, doubts.is_empty());
    let mut sentences = vec![opening(of, score)];
    sentences.extend(doubts);
    let named = sentences.len() > 1 || of.lead.holding == of.lead.votes;
    if action == Action::Verify && !named {
        sentences.push(dissenters(of));
    }
    let reason = sentences.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    DecisionAdvice { level, score, action, reason: reason.join(" ") }
}

/// The agreement of the final votes: where the question has a form, a seat that
/// missed the last round keeps the vote it gave before.
fn final_agreement(of: &AdviceInputs<'_>) -> Option<f64> {
    let brief = &of.room.brief;
    let last = of.last.and_then(|found| found.consensus.agreement_level);
    let shares = &of.weighing.final_vote;
    if !brief.question.is_closed() || brief.combines_figures() {
        return last;
    }
    equal_pairs(&shares.iter().map(VoteShare::count).collect::<Vec<usize>>())
}

fn level(lead: &Lead, score: Option<f64>, blocked: bool) -> ConsensusLevel {
    let Some(score) = score else {
        return ConsensusLevel::Unknown;
    };
    match lead.kind {
        CardKind::Risks | CardKind::NoAnswer | CardKind::Unread => ConsensusLevel::Unknown,
        CardKind::Split => ConsensusLevel::Low,
        _ if !lead.has_majority() => ConsensusLevel::Low,
        _ if score >= HIGH - SLACK && !blocked => ConsensusLevel::High,
        _ if score >= MEDIUM - SLACK => ConsensusLevel::Medium,
        _ => ConsensusLevel::Low,
    }
}

/// Where one seat decides or no vote is taken there is no agreement to measure, and
/// what it came to is to be checked by a person.
fn action(of: &AdviceInputs<'_>, level: ConsensusLevel, sound: bool) -> Action {
    let one_decides = of.lead.voters < 2 && of.room.seats.len() >= 2;
    match (level, of.lead.kind) {
        (_, CardKind::Risks | CardKind::Ruled) => Action::Verify,
        (ConsensusLevel::Unknown, CardKind::Judged | CardKind::Decided | CardKind::Estimated)
            if one_decides =>
        {
            Action::Verify
        }
        (ConsensusLevel::Unknown | ConsensusLevel::Low, _) => Action::QueryDetail,
        (ConsensusLevel::High, _) if sound => Action::Proceed,
        (ConsensusLevel::Medium | ConsensusLevel::High, _) => Action::Verify,
    }
}

/// The count behind the level, in words.
fn opening(of: &AdviceInputs<'_>, score: Option<f64>) -> String {
    let Lead { kind, holding, votes, voters, .. } = *of.lead;
    let AdviceInputs { room, plan, weighing, .. } = *of;
    let decides = || seat_names(room, &voting_seats(room, plan));
    match (kind, score) {
        (CardKind::Risks, _) => {
            "No vote is taken in this mode: read what was attacked and what is left open.".into()
        }
        (CardKind::NoAnswer, _) if !weighing.abstained.is_empty() => {
            format!(
                "There is no decision: {} could not say.",
                seat_names(room, &weighing.abstained)
            )
        }
        (CardKind::NoAnswer, _) => "There is no decision: nobody who decides answered.".into(),
        (CardKind::Ruled, _) => {
            format!("{} decides in this mode: read the case it heard.", decides())
        }
        (CardKind::Unread, _) => {
            "Without a clerk, Roundtable cannot tell whether these differently \
                                  worded answers agree: read them side by side."
                .into()
        }
        (CardKind::Split, _) => format!("The votes are level: {}.", shares(weighing)),
        (_, None) if votes == 1 && voters < 2 => {
            format!("{} decides in this mode: read the case it heard.", decides())
        }
        (_, None) if votes < 2 => {
            "Too few answers to tell whether the agents agree: read them one by one.".into()
        }
        (_, None) if holding < 2 => format!(
            "{holding} of {votes} holds it; without a clerk, Roundtable cannot tell whether the \
             others agree."
        ),
        (_, None) => format!(
            "{holding} of {votes} use the same words; without a clerk, Roundtable cannot tell \
             whether the others agree."
        ),
        (CardKind::Estimated, Some(score)) => format!(
            "{holding} of {votes} estimates lie close to the combined figure (agreement \
             {score:.2})."
        ),
        (_, Some(score)) if of.lead.has_majority() => {
            format!("{holding} of {voters} agree (agreement {score:.2}).")
        }
        (_, Some(score)) => format!(
            "What leads is held by {holding} of {voters}, which is no majority: {} (agreement \
             {score:.2}).",
            shares(weighing)
        ),
    }
}

/// The final vote in words.
fn shares(weighing: &Weighing) -> String {
    let share = |share: &VoteShare| format!("{} for “{}”", share.count(), share.answer);
    listed(&weighing.final_vote.iter().map(share).collect::<Vec<String>>())
}

fn blockers(of: &AdviceInputs<'_>) -> Vec<Objection> {
    let up_to = of.room.rounds.last().map_or(0, |round| round.number);
    let mut standing = standing_blockers(of.room, up_to);
    standing.retain(|blocker| is_voter(of.room, of.plan, blocker.seat));
    standing
}

/// Whatever keeps a high agreement from being enough, each with what to look at.
fn doubts(of: &AdviceInputs<'_>) -> Vec<String> {
    let AdviceInputs { room, last, weighing, .. } = *of;
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
        .filter(|claim| claim.holders.iter().any(|seat| of.lead.seats.contains(seat)))
        .take(NAMED_CLAIMS)
        .map(|claim| claim.id.to_string())
        .collect();
    if !contested.is_empty() {
        let ids: Vec<&str> = contested.iter().map(String::as_str).collect();
        doubts.push(format!("Still contested: look at {}.", listed(&ids)));
    }
    for blocker in blockers(of) {
        let name = seat_name(room, blocker.seat);
        doubts.push(match blocker.text.trim() {
            "" => format!("{name} holds a BLOCKER and gives no objection."),
            text => format!("{name} holds a BLOCKER: “{text}”."),
        });
    }
    doubts.extend(weighing.flags.iter().filter_map(|flag| flag_doubt(*flag)));
    doubts.extend(without_evidence(room).map(|clause| format!("Evidence is required: {clause}.")));
    let Some(last) = last else {
        return doubts;
    };
    // Where votes differ, the count above says so; only those who differ are named.
    let by_votes = last.consensus.by == AnalysedBy::Votes;
    if by_votes && !last.consensus.conflicts.is_empty() && of.lead.has_majority() {
        doubts.push(dissenters(of));
    }
    let conflicts = last.consensus.conflicts.iter().filter(|_| !by_votes);
    for conflict in conflicts.take(NAMED_CONFLICTS) {
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

fn flag_doubt(flag: WeighingFlag) -> Option<String> {
    match flag {
        WeighingFlag::Collapse => Some(
            "The first answers differed, and the difference vanished without new evidence.".into(),
        ),
        WeighingFlag::SharedErrorRisk => Some(
            "All agree, but they are of one family or cite nothing, so they may all be wrong: \
             check a source."
                .into(),
        ),
        WeighingFlag::MinorityReport => None,
    }
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

fn dissenters(of: &AdviceInputs<'_>) -> String {
    let others: Vec<&str> = of
        .weighing
        .final_vote
        .iter()
        .flat_map(|share| &share.seats)
        .filter(|seat| !of.lead.seats.contains(seat))
        .map(|seat| seat_name(of.room, *seat))
        .collect();
    match others.as_slice() {
        [] => "Check the points on which the agents differ.".into(),
        [one] => format!("Read what {one} says differently."),
        several => format!("Read what {} say differently.", listed(several)),
    }
}

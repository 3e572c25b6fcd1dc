//! The notices of the safety checks for the result: every trigger without an
//! evaluator, every answer that was changed or kept out, and the reason.

use crate::model::{
    JudgedBy, Judgement, ModePlan, Room, RoundRecord, SafetyVerdict, SafetyWatch, VoterPlan,
};

use crate::analysis::voting::voters::{is_voter, voting_seats};
use crate::analysis::wording::{seat_name, seat_names};

/// What a reader of the agreement must know about whose answers it is made of.
pub fn voter_notes(room: &Room, plan: &ModePlan, round: &RoundRecord) -> Vec<String> {
    if round.answered().all(|turn| is_voter(room, plan, turn.seat)) {
        return Vec::new();
    }
    let voters = voting_seats(room, plan);
    vec![match (plan.voters, voters.as_slice()) {
        (VoterPlan::NoSeat { .. }, _) => {
            "No vote is taken in this mode: its sides are assigned, and attackers do not outvote \
             defenders."
                .into()
        }
        (_, []) => "No seat of this table votes: all argue for a side they were given.".into(),
        (_, voters) => format!(
            "Stances are assigned in this mode: only {} {}; the others argue for a side they were \
             given and are not counted.",
            seat_names(room, voters),
            if voters.len() == 1 { "votes" } else { "vote" }
        ),
    }]
}

pub fn safety_notices(room: &Room) -> Vec<String> {
    let safety = &room.safety;
    let mut notices = Vec::new();
    if let Some(one) = room.brief.known_language().filter(|one| !one.has_cues()) {
        notices.push(format!(
            "The quick checks of safety and of opposite wording know English and German, not {}.",
            one.name
        ));
    }
    if safety.watch == SafetyWatch::Unmanned {
        let why: Vec<&str> = safety.triggers.iter().map(|trigger| trigger.what.as_str()).collect();
        notices.push(format!(
            "Safety: the answers should have been judged ({}), but no model was available to \
             judge them; only the built-in checks ran.",
            why.join("; ")
        ));
    }
    let changed = |verdict: &&SafetyVerdict| verdict.judgement != Judgement::Allow;
    for verdict in safety.verdicts.iter().filter(changed) {
        let became = match verdict.judgement {
            Judgement::Revise => "had to be revised",
            Judgement::Block | Judgement::Allow => "was blocked",
        };
        let by = match verdict.by {
            JudgedBy::Checks => "the checks",
            JudgedBy::Evaluator => "the evaluator",
        };
        notices.push(format!(
            "Safety: {}'s answer in round {} {became} by {by}: {}.",
            seat_name(room, verdict.seat),
            verdict.round,
            listed_or(&verdict.reasons, "no reason was given")
        ));
    }
    for unjudged in &safety.unjudged {
        notices.push(format!(
            "Safety: {}'s answer in round {} was not judged: {}.",
            seat_name(room, unjudged.seat),
            unjudged.round,
            unjudged.why.trim_end_matches('.')
        ));
    }
    for refused in &safety.refused {
        notices.push(format!(
            "Safety: a {} in round {} was rejected: {}.",
            refused.what,
            refused.round,
            listed_or(&refused.reasons, "no reason was given")
        ));
    }
    notices
}

fn listed_or(reasons: &[String], none: &str) -> String {
    match reasons {
        [] => none.into(),
        some => some.join("; ").trim_end_matches('.').to_owned(),
    }
}

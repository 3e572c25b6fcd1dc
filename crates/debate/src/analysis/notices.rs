//! The notices of the safety checks for the result: every trigger without an
//! evaluator, every answer that was changed or kept out, and the reason.

use crate::model::{JudgedBy, Judgement, Room, SafetyVerdict, SafetyWatch};

use super::wording::seat_name;

pub fn safety_notices(room: &Room) -> Vec<String> {
    let safety = &room.safety;
    let mut notices = Vec::new();
    if safety.watch == SafetyWatch::Unmanned {
        let why: Vec<&str> = safety.triggers.iter().map(|trigger| trigger.what.as_str()).collect();
        notices.push(format!(
            "Safety: the answers should have been judged ({}), but there is no light model to \
             judge them; only the cheap checks ran.",
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
            "Safety: a {} in round {} was not let in: {}.",
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

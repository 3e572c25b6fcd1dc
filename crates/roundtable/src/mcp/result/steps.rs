//! What comes after a result: calls that change something, or what a person must do
//! first. No call is named that would bring the same outcome again.

use debate::model::{BudgetLimit, MicroUsd, PauseReason, Room, Status};
use serde_json::{Value, json};

use super::shapes::{ContextRequestView, NextCall, StatusWord};
use crate::mcp::wording::budget_remedy;
use engine::background::host::DebateSnapshot;

/// The seconds that the next call should wait.
const NEXT_WAIT: u32 = 45;

/// Facts about a pause that the state of the debate does not tell.
#[derive(Debug, Clone, Copy, Default)]
pub struct PauseFacts {
    /// True if going on was tried since, and paused again for the same reason without a
    /// new answer.
    pub is_stuck: bool,
    /// The operator's limit on one debate, which no caller may lift.
    pub ceiling: Option<MicroUsd>,
}

/// What to do after a result.
#[derive(Debug, Default)]
pub struct NextSteps {
    /// What a person must do before going on can help.
    pub needs_person: Option<String>,
    pub calls: Vec<NextCall>,
}

pub fn next(tool: &str, arguments: Value, why: &str) -> NextCall {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    NextCall { tool: tool.into(), arguments, why: why.into() }
}

/// Returns what to do after this state of a debate. `required`: the context requests that
/// hold it up.
pub fn steps(
    seen: &DebateSnapshot,
    status: StatusWord,
    required: &[ContextRequestView],
    facts: PauseFacts,
) -> NextSteps {
    let (id, room) = (&seen.id, seen.debate.room());
    match status {
        StatusWord::Queued | StatusWord::Running => NextSteps::call(next(
            "get_consensus",
            json!({ "sessionId": id, "waitSeconds": NEXT_WAIT }),
            "waits for the end; call it again while the status is running",
        )),
        StatusWord::NeedsContext => NextSteps::call(unanswered(id, required)),
        StatusWord::Paused => paused(id, room, facts),
        StatusWord::Completed | StatusWord::Error | StatusWord::Damaged => reading(id, room),
    }
}

impl NextSteps {
    fn call(call: NextCall) -> NextSteps {
        NextSteps { needs_person: None, calls: vec![call] }
    }
}

/// The call declines, so that it is right as it stands; an answer is better.
fn unanswered(id: &str, required: &[ContextRequestView]) -> NextCall {
    let results: Vec<Value> = required
        .iter()
        .map(|one| json!({ "requestId": one.request_id, "declined": true }))
        .collect();
    next(
        "continue_roundtable",
        json!({ "sessionId": id, "contextResults": results }),
        "goes on without the answers; where you or the user know one, give content in place of \
         declined",
    )
}

fn paused(id: &str, room: &Room, facts: PauseFacts) -> NextSteps {
    let resume = |why| next("continue_roundtable", json!({ "sessionId": id }), why);
    let stop = || {
        next(
            "control_session",
            json!({ "sessionId": id, "action": "stop" }),
            "ends it here with a verdict on what was said",
        )
    };
    let Status::Paused { reason } = &room.status else {
        return NextSteps::call(resume("picks up where it left off"));
    };
    match reason {
        PauseReason::Asked | PauseReason::Interrupted | PauseReason::NeedsContext { .. } => {
            NextSteps::call(resume("picks up where it left off; nothing is paid for twice"))
        }
        PauseReason::Budget { limit, .. } => {
            let raised = match limit {
                Some(BudgetLimit::Debate { needs }) => raised(*needs, room.brief.budget, facts),
                Some(BudgetLimit::Day { .. } | BudgetLimit::UnknownPrice) | None => None,
            };
            let more = raised.map(|usd| {
                let arguments = json!({ "sessionId": id, "budgetUsd": usd });
                next("continue_roundtable", arguments, "goes on, once the user agreed to it")
            });
            let person = budget_remedy(reason).unwrap_or_else(|| reason.sentence());
            NextSteps {
                needs_person: Some(person.trim().to_owned()),
                calls: more.into_iter().chain([stop()]).collect(),
            }
        }
        PauseReason::QuorumLost { .. } | PauseReason::Trouble { .. } if facts.is_stuck => {
            let person = format!(
                "Going on was tried and brought no new answer. Tell the user what stopped it: {}. \
                 When that is mended, continue_roundtable goes on.",
                reason.sentence().trim_end_matches('.')
            );
            NextSteps { needs_person: Some(person), calls: vec![stop()] }
        }
        PauseReason::QuorumLost { .. } | PauseReason::Trouble { .. } => {
            NextSteps::call(resume("asks those again who gave no answer"))
        }
    }
}

/// Returns a budget that brings the debate on, if the operator's limit allows one.
fn raised(needs: MicroUsd, budget: Option<MicroUsd>, facts: PauseFacts) -> Option<f64> {
    let twice = MicroUsd(budget.map_or(0, |budget| budget.0.saturating_mul(2)));
    let wanted = twice.max(MicroUsd(needs.0.saturating_mul(2)));
    let allowed = facts.ceiling.map_or(wanted, |ceiling| ceiling.min(wanted));
    (allowed > needs).then(|| (allowed.usd() * 100.0).floor() / 100.0)
}

fn reading(id: &str, room: &Room) -> NextSteps {
    let mut calls = Vec::new();
    if room.rounds.iter().any(|record| record.answered().next().is_some()) {
        let round = room.rounds.len();
        let arguments = json!({ "sessionId": id, "round": round });
        calls.push(next("get_round_details", arguments, "what each agent said"));
    }
    if !room.ledger.evidence.is_empty() {
        let arguments = json!({ "sessionId": id });
        calls.push(next("get_citations", arguments, "the sources, with who cited them"));
    }
    NextSteps { needs_person: None, calls }
}

//! Going on with a debate.

use debate::model::MicroUsd;
use engine::nouns::{CLIENT_PROVIDER, DebateCommand};
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::start_roundtable;
use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::{DebateResult, LengthWord, StatusWord};
use crate::mcp::result::shaping::{self, AnalysisWish};
use crate::mcp::session::context;
use crate::mcp::session::delivery::{self, CallPurpose, ResultWish};
use crate::mcp::session::elicitation::ContextAnswer;
use crate::mcp::session::seal::SealedState;
use crate::mcp::wording;
use engine::background::host::{ClientSeat, DebateSnapshot, StartOrigin};
use engine::error::EngineError;
use engine::people::caller::Operation;
use engine::sessions::control;
use engine::sessions::follow_up::{self, ForkWish};
use engine::table::order::{CallerContext, Order};

pub const ROW: ToolRow = ToolRow {
    name: "continue_roundtable",
    title: "Go on with a debate",
    description: include_str!("../words/continue_roundtable.md"),
    hints: ToolHints::Asks,
    input: schema::of_input::<ContinueArguments>,
    output: schema::of_output::<DebateResult>,
    call: |call, given| go_on(call, given).boxed(),
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContinueArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// Per context request: content, or declined true.
    #[schemars(length(max = 50))]
    pub context_results: Option<Vec<ContextResult>>,
    /// For all agents.
    #[schemars(length(min = 1, max = 10000))]
    pub remark: Option<String>,
    /// Answers must address it.
    #[schemars(length(min = 1, max = 10000))]
    pub focus_question: Option<String>,
    /// A further question.
    #[schemars(length(min = 1, max = 10000))]
    pub question: Option<String>,
    /// Another table, for question or the same one.
    #[schemars(length(max = 10))]
    pub agents: Option<Vec<String>>,
    /// Branch off after this round.
    #[schemars(range(min = 1, max = 20))]
    pub fork_round: Option<u32>,
    /// New limit; ask the user first.
    #[schemars(range(min = 0))]
    pub budget_usd: Option<f64>,
    /// Default 45; 0 returns at once.
    #[schemars(range(min = 0, max = 600))]
    pub wait_seconds: Option<u64>,
    /// Default concise.
    pub response_format: Option<LengthWord>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextResult {
    pub request_id: String,
    /// All agents read it.
    #[schemars(length(min = 1, max = 100000))]
    pub content: Option<String>,
    pub declined: Option<bool>,
}

async fn go_on(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let key = start_roundtable::key(&given);
    let args: ContinueArguments = arguments(given)?;
    let wish = |notices, before| ResultWish {
        wait_seconds: args.wait_seconds,
        format: args.response_format.unwrap_or_default(),
        analysis: AnalysisWish::None,
        notices,
        kind: CallPurpose::of_start(args.wait_seconds),
        before,
    };
    if args.question.is_some() || args.agents.is_some() || args.fork_round.is_some() {
        // Kept off the stack: it holds a whole start.
        return Box::pin(further(&call, &args, key, wish)).await;
    }
    if let Some(brought) = &call.brought
        && let SealedState::Debate { id, .. } = &brought.state
    {
        context::take_in(&call, id, brought).await?;
        return delivery::show(&call, id, wish(Vec::new(), None)).await;
    }
    let told = told(args.context_results.as_deref().unwrap_or_default())?;
    let looked = call.host().look_to(&args.session_id, Operation::Steer);
    let DebateSnapshot { id, seq, .. } = looked.await?;
    if !told.is_empty() {
        context::answer(call.host(), &id, told).await?;
    }
    let config = call.host().config();
    let remark = args.remark.clone().map(DebateCommand::Remark);
    let focus = args.focus_question.clone().map(DebateCommand::Focus);
    for command in [remark, focus].into_iter().flatten() {
        control::control(config, &id, command).await?;
    }
    let seen = call.host().look(&id).await?;
    // What is still asked for is shown again; going on would only pause again.
    if shaping::status(&seen) == StatusWord::NeedsContext {
        return delivery::show(&call, &id, wish(Vec::new(), Some(seq))).await;
    }
    let cap = args.budget_usd.map(MicroUsd::from_usd).filter(|cap| *cap > MicroUsd::ZERO);
    let held = call.host().resume(&id, cap, ClientSeat::default()).await?;
    let notices = match held.joined {
        StartOrigin::New => wording::notices(&held.notices),
        StartOrigin::Running => Vec::new(),
    };
    delivery::show(&call, &id, wish(notices, Some(seq))).await
}

/// Holds a new debate that comes after this one: a branch, a further question, or the
/// same question before another table.
async fn further(
    call: &Call,
    args: &ContinueArguments,
    key: String,
    wish: impl Fn(Vec<String>, Option<u64>) -> ResultWish,
) -> Result<ToolReply, EngineError> {
    let seat = ClientSeat::default();
    let after = call.host().look_to(&args.session_id, Operation::Start).await?;
    if let Some(round) = args.fork_round {
        call.host().admit(call.connection.caller())?;
        let budget = args.budget_usd.map(MicroUsd::from_usd).filter(|cap| *cap > MicroUsd::ZERO);
        let focus = args.focus_question.clone();
        let branch = ForkWish { round, rounds: None, budget, focus };
        let begun = async {
            let id = follow_up::fork(call.host().config(), &after.id, &branch).await?;
            call.host().resume(&id, None, seat).await
        };
        let held = call.host().once(key, begun).await?;
        return delivery::show(call, &held.id, wish(wording::notices(&held.notices), None)).await;
    }
    let agents = args.agents.clone().unwrap_or_default();
    let wants_client = agents.iter().any(|spec| spec.to_lowercase().contains(CLIENT_PROVIDER));
    let order = Order {
        topic: args.question.clone(),
        agents,
        after: Some(after.id),
        focus: args.focus_question.clone(),
        budget: args.budget_usd.map(|usd| usd.to_string()),
        caller: CallerContext {
            start_key: Some(key.clone()),
            voice: (call.can_sample() && wants_client).then(|| seat.speaker()),
            is_remote: true,
            ..CallerContext::default()
        },
        ..Order::default()
    };
    Box::pin(start_roundtable::begin(call, order, key, seat, wish)).await
}

fn told(results: &[ContextResult]) -> Result<Vec<ContextAnswer>, EngineError> {
    let mut faults = Vec::new();
    let mut told = Vec::new();
    for (index, result) in results.iter().enumerate() {
        let request = result.request_id.clone();
        match (&result.content, result.declined.unwrap_or(false)) {
            (Some(content), false) => {
                told.push(ContextAnswer { request, content: Some(content.clone()) })
            }
            (None, true) => told.push(ContextAnswer { request, content: None }),
            _ => faults
                .push(format!("contextResults[{index}]: give either content, or declined: true")),
        }
    }
    if faults.is_empty() { Ok(told) } else { Err(EngineError::Face(faults)) }
}

//! Starting a debate.

use debate::model::{Attachment, MicroUsd, Question};
use engine::nouns::CLIENT_PROVIDER;
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::start_settings::{
    AlgorithmWord, AnswerForm, DepthWord, EffortWord, SearchWord, SettingsArguments,
    flags_described, flatten_flags, word,
};
use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::era::ProtocolEra;
use crate::mcp::result::schema;
use crate::mcp::result::shapes::{DebateResult, LengthWord};
use crate::mcp::result::shaping::AnalysisWish;
use crate::mcp::session::context;
use crate::mcp::session::delivery::{self, CallPurpose, ResultWish};
use crate::mcp::session::elicitation::{self, Confirmation};
use crate::mcp::session::seal::{SealedState, digest};
use crate::mcp::wording;
use crate::mcp::words::mode;
use engine::background::host::{ClientSeat, StartOrigin, StartedUnderKey};
use engine::error::EngineError;
use engine::table::affordable;
use engine::table::order::{CallerContext, Order};
use engine::table::prepare::PreparedDebate;
use rmcp::model::InputRequiredResult;

pub const ROW: ToolRow = ToolRow {
    name: "start_roundtable",
    title: "Hold a debate",
    description: include_str!("../words/start_roundtable.md"),
    hints: ToolHints::Asks,
    input: schema::of_input::<StartArguments>,
    output: schema::of_output::<DebateResult>,
    call: |call, given| start(call, given).boxed(),
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartArguments {
    /// The question and all needed to answer it.
    #[schemars(length(min = 1, max = 10000))]
    pub topic: String,
    #[schemars(description = mode::described())]
    pub mode: Option<mode::ModeWord>,
    /// 2 to 10 of get_agents, "provider/model" or "name=provider/model"; "client": your own model, if lent. Default: the configured panel or up to four found.
    #[schemars(length(min = 2, max = 10))]
    pub agents: Option<Vec<String>>,
    /// Seats where agents is not given.
    #[schemars(range(min = 2, max = 10))]
    pub agent_count: Option<usize>,
    /// 1 to 20, default 3. Even 1 may get a round of objections added, if all agree too easily.
    #[schemars(range(min = 1, max = 20))]
    pub rounds: Option<u32>,
    /// Each agent must choose one, word for word.
    #[schemars(length(min = 2, max = 20))]
    pub options: Option<Vec<String>>,
    /// Default open.
    pub answer_form: Option<AnswerForm>,
    /// Of figures: "0.5" or "2%".
    pub tolerance: Option<String>,
    /// debate: all rounds; adaptive: only if first answers differ (default if answers can be counted and no rounds given); vote: first answers.
    pub effort: Option<EffortWord>,
    /// Most first answers; default 9.
    #[schemars(range(min = 1, max = 100))]
    pub samples: Option<u32>,
    /// Texts for all agents; files are not read.
    #[schemars(length(max = 20))]
    pub context: Option<Vec<ContextText>>,
    /// For expert-panel: "name: description", or ["auto"].
    #[schemars(length(max = 10))]
    pub perspectives: Option<Vec<String>>,
    /// ["round-robin"], ["random"] or a perspective per agent.
    pub assignment: Option<Vec<String>>,
    /// Answers must address it.
    #[schemars(length(min = 1, max = 10000))]
    pub focus_question: Option<String>,
    /// End early by algorithm. Default false.
    pub exit_on_consensus: Option<bool>,
    /// Default agreement.
    pub algorithm: Option<AlgorithmWord>,
    /// For moderated. Default standard.
    pub depth: Option<DepthWord>,
    /// Analyses: "provider/model" or "none".
    pub clerk: Option<String>,
    /// Web search. Default auto.
    pub search: Option<SearchWord>,
    /// It pauses before passing it.
    #[schemars(range(min = 0))]
    pub budget_usd: Option<f64>,
    /// Per answer; default 4096.
    #[schemars(range(min = 256))]
    pub max_output_tokens: Option<u32>,
    /// Rarely needed.
    pub settings: Option<SettingsArguments>,
    #[schemars(description = flags_described(), length(max = 30))]
    pub flags: Option<Vec<String>>,
    /// e.g. tech-choice, pre-mortem, code-review (diff as context).
    #[schemars(length(max = 100))]
    pub preset: Option<String>,
    /// Default 45; 0 returns at once.
    #[schemars(range(min = 0, max = 600))]
    pub wait_seconds: Option<u64>,
    /// Equal keys: one debate.
    #[schemars(length(max = 200))]
    pub idempotency_key: Option<String>,
    /// Default concise.
    pub response_format: Option<LengthWord>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextText {
    #[schemars(length(max = 200))]
    pub name: Option<String>,
    #[schemars(length(min = 1, max = 4000000))]
    pub text: String,
}

async fn start(call: Call, mut given: Value) -> Result<ToolReply, EngineError> {
    flatten_flags(&mut given);
    let same = key(&given);
    let args: StartArguments = arguments(given)?;
    let key = args.idempotency_key.as_ref().map_or(same, |key| digest("key", &key.as_str().into()));
    let wish = |notices, before| ResultWish {
        wait_seconds: args.wait_seconds,
        format: args.response_format.unwrap_or_default(),
        analysis: AnalysisWish::None,
        notices,
        kind: CallPurpose::of_start(args.wait_seconds),
        before,
    };
    let seat = ClientSeat::default();
    let order = order(&call, &args, &seat, &key);
    Box::pin(begin(&call, order, key, seat, wish)).await
}

/// Starts the debate that was ordered, or joins the one that this key started, and
/// shows it as the wish for its notices and its log says.
pub async fn begin(
    call: &Call,
    order: Order,
    key: String,
    seat: ClientSeat,
    wish: impl Fn(Vec<String>, Option<u64>) -> ResultWish,
) -> Result<ToolReply, EngineError> {
    if let Some(brought) = &call.brought
        && let SealedState::Debate { id, .. } = &brought.state
    {
        context::take_in(call, id, brought).await?;
        return delivery::show(call, id, wish(Vec::new(), None)).await;
    }
    match call.host().started(&key, order.topic.as_deref().unwrap_or_default()).await? {
        Some(StartedUnderKey::Known(id)) => {
            return delivery::show(call, &id, wish(vec![joined(&id)], None)).await;
        }
        Some(StartedUnderKey::CutOff(id)) => {
            let held = call.host().once(key, call.host().resume(&id, None, seat)).await?;
            let notices = [vec![joined(&held.id)], wording::notices(&held.notices)].concat();
            return delivery::show(call, &held.id, wish(notices, None)).await;
        }
        None => {}
    }
    call.host().admit(call.connection.caller())?;
    let prepared = call.host().prepare(&order).await?;
    let budget = order.budget.as_ref().and_then(|usd| usd.parse().ok());
    if let Some(asked) = confirm(call, budget, &prepared).await? {
        return Ok(ToolReply::Ask(asked));
    }
    // What has not begun need not go on, whatever the cause; a client that only ran
    // out of time calls again.
    if call.is_given_up() {
        return Err(EngineError::input("The call was cancelled. Nothing was started."));
    }
    let held = call.host().once(key, call.host().start(prepared, seat)).await?;
    let (notices, before) = match held.joined {
        StartOrigin::New => (wording::notices(&held.notices), Some(0)),
        StartOrigin::Running => (vec![joined(&held.id)], None),
    };
    delivery::show(call, &held.id, wish(notices, before)).await
}

fn joined(id: &str) -> String {
    format!(
        "The same debate was started a moment ago; this is that one ({id}), nothing is paid \
         twice. Pass another idempotencyKey to hold a second one."
    )
}

/// Returns the key that identifies a start: everything but the caller's wishes
/// about waiting.
pub fn key(given: &Value) -> String {
    let mut given = schema::without_nulls(given.clone());
    if let Some(map) = given.as_object_mut() {
        ["waitSeconds", "responseFormat"].iter().for_each(|name| {
            map.remove(*name);
        });
    }
    digest(ROW.name, &given)
}

/// Asks the user where the debate may cost more than the server's owner wants
/// unasked. `Some`: the client is to ask and call again.
async fn confirm(
    call: &Call,
    budget_usd: Option<f64>,
    prepared: &PreparedDebate,
) -> Result<Option<InputRequiredResult>, EngineError> {
    let Some(limit) = call.host().config().file.server.confirm_above else { return Ok(None) };
    let limit = MicroUsd::from_usd(limit);
    let capped = budget_usd.map(MicroUsd::from_usd).filter(|cap| *cap > MicroUsd::ZERO);
    let worst = affordable::estimate(&prepared.debate, &prepared.table.outside).worst;
    let budget = prepared.debate.room().brief.budget;
    let worst = budget.map_or(worst, |cap| cap.min(worst));
    if worst <= limit {
        return Ok(None);
    }
    let brought = call.brought.as_ref();
    let brought = brought.and_then(|brought| elicitation::cost_answer(&brought.responses));
    let answer = match (brought, call.can_elicit(), call.era()) {
        (Some(answer), ..) => answer,
        (None, false, _) => Confirmation::Nobody,
        (None, true, ProtocolEra::Legacy) => elicitation::confirm_now(call, worst).await,
        (None, true, ProtocolEra::Modern) => {
            let state = call.connection.seal().close(&SealedState::Confirm, &call.digest);
            let requests = elicitation::cost_requests(worst);
            return Ok(Some(InputRequiredResult::new(Some(requests), Some(state))));
        }
    };
    match (answer, capped) {
        (Confirmation::Yes, _) | (Confirmation::Nobody, Some(_)) => Ok(None),
        (Confirmation::No, _) => Err(EngineError::input(format!(
            "The user did not agree: this debate may cost up to about {worst}. Nothing was \
             started. Offer fewer rounds or agents, or a budgetUsd of at most {limit}."
        ))),
        (Confirmation::Nobody, None) => Err(EngineError::input(format!(
            "This debate may cost up to about {worst}; above {limit} somebody has to agree, and \
             nobody could be asked. Nothing was started. Call again with budgetUsd, the most it \
             may cost."
        ))),
    }
}

fn order(call: &Call, args: &StartArguments, seat: &ClientSeat, key: &str) -> Order {
    let settings = args.settings.clone().unwrap_or_default();
    let unit = settings.unit.clone();
    let question = match (&args.options, args.answer_form) {
        (Some(options), _) => Question::Options { options: options.clone() },
        (None, Some(AnswerForm::YesNo)) => Question::YesNo,
        (None, Some(AnswerForm::Number | AnswerForm::Estimate)) => Question::Number { unit },
        (None, Some(AnswerForm::Probability)) => Question::Probability,
        (None, Some(AnswerForm::Open) | None) => Question::Open,
    };
    let mut flags = args.flags.clone().unwrap_or_default();
    if let Some(exit) = args.exit_on_consensus {
        flags.push(format!("exitCriteria.enabled={exit}"));
    }
    let context = args.context.iter().flatten().enumerate().map(|(index, one)| Attachment {
        name: one.name.clone().unwrap_or_else(|| format!("context {}", index + 1)),
        text: one.text.clone(),
    });
    let named = args.agents.iter().flatten();
    let wants_client = named.clone().any(|spec| spec.to_lowercase().contains(CLIENT_PROVIDER));
    let offered = call.can_sample() && (wants_client || args.agents.is_none());
    let mut order = Order {
        assignment: args.assignment.clone().unwrap_or_default(),
        topic: Some(args.topic.clone()),
        preset: args.preset.clone(),
        mode: args.mode.map(|mode| mode.0.name.to_owned()),
        agents: args.agents.clone().unwrap_or_default(),
        rounds: args.rounds.map(|rounds| rounds.to_string()),
        focus: args.focus_question.clone(),
        perspectives: args.perspectives.clone().unwrap_or_default(),
        question,
        estimate: matches!(args.answer_form, Some(AnswerForm::Estimate)),
        tolerance: args.tolerance.clone(),
        effort: args.effort.map(word),
        samples: args.samples.map(|samples| samples.to_string()),
        depth: args.depth.map(word),
        flags,
        algorithm: args.algorithm.map(word),
        max_output_tokens: args.max_output_tokens.map(|tokens| tokens.to_string()),
        budget: args.budget_usd.map(|usd| usd.to_string()),
        clerk: args.clerk.clone(),
        search: args.search.map(word),
        caller: CallerContext {
            attachments: context.collect(),
            seats: args.agent_count,
            start_key: Some(key.into()),
            voice: offered.then(|| seat.speaker()),
            is_remote: true,
            has_person: false,
        },
        ..Order::default()
    };
    settings.fill(&mut order);
    order
}

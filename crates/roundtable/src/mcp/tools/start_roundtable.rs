//! Starting a debate.

use debate::model::{Attachment, MicroUsd, Question};
use engine::nouns::CLIENT_PROVIDER;
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::era::ProtocolEra;
use crate::mcp::result::schema;
use crate::mcp::result::shapes::LengthWord;
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
    output: schema::of_debate,
    call: |call, given| start(call, given).boxed(),
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartArguments {
    /// The question to decide, with all that must be known to answer it.
    #[schemars(length(min = 1, max = 10000))]
    pub topic: String,
    #[schemars(description = mode::described())]
    pub mode: Option<mode::ModeWord>,
    /// Who debates: "provider/model" or "name=provider/model", as get_agents lists them; "client" is your own model where your client lends it. Without it, every model that is found takes a seat, at most four.
    #[schemars(length(min = 2, max = 10))]
    pub agents: Option<Vec<String>>,
    /// How many agents to seat where agents is not given.
    #[schemars(range(min = 2, max = 10))]
    pub agent_count: Option<usize>,
    /// How many rounds; more rounds cost more. Default 3, in moderated mode 2.
    #[schemars(range(min = 1, max = 20))]
    pub rounds: Option<u32>,
    /// Make every agent choose one of these, word for word.
    #[schemars(length(min = 2, max = 20))]
    pub options: Option<Vec<String>>,
    /// The form of the answer, where there are no options. Default open.
    pub answer_form: Option<AnswerForm>,
    /// How far apart two figures may lie and still be one answer: "0.5", or "2%".
    pub tolerance: Option<String>,
    /// debate: all rounds; adaptive: talk only where first answers are split; vote: first answers only. Default adaptive with options or an answerForm and no rounds, else debate.
    pub effort: Option<EffortWord>,
    /// The most first answers with effort adaptive or vote. Default 9.
    #[schemars(range(min = 1, max = 100))]
    pub samples: Option<u32>,
    /// Texts every agent is shown as data, such as a design or a diff.
    #[schemars(length(max = 20))]
    pub context: Option<Vec<ContextText>>,
    /// Viewpoints for expert-panel, each "name" or "name: description"; ["auto"] has them named for the topic.
    #[schemars(length(max = 10))]
    pub perspectives: Option<Vec<String>>,
    /// Deals perspectives: ["round-robin"], ["random"], or one name for each agent.
    pub assignment: Option<Vec<String>>,
    /// A question that every answer must address.
    #[schemars(length(min = 1, max = 10000))]
    pub focus_question: Option<String>,
    /// End early once the algorithm below says so. Default false: all rounds are held.
    pub exit_on_consensus: Option<bool>,
    /// What ends the debate early. Default agreement.
    pub algorithm: Option<AlgorithmWord>,
    /// How deep moderated mode goes. Default standard.
    pub depth: Option<DepthWord>,
    /// Facts about the decision, for depth auto.
    pub decision_case: Option<CaseArguments>,
    /// Finer settings for this debate alone.
    pub flags: Option<FlagArguments>,
    /// Who sums up and analyses without debating: "provider/model", or "none". Chosen by itself otherwise.
    pub clerk: Option<String>,
    /// Who may search the web. Default auto.
    pub search: Option<SearchWord>,
    /// The most this debate may cost in USD; it pauses before a call that might pass it.
    #[schemars(range(min = 0))]
    pub budget_usd: Option<f64>,
    /// The longest answer of an agent, in tokens. Default 4096.
    #[schemars(range(min = 256))]
    pub max_output_tokens: Option<u32>,
    /// How long to wait for the result before returning with status running. Default 45; 0 returns at once.
    #[schemars(range(min = 0, max = 600))]
    pub wait_seconds: Option<u64>,
    /// Return the sessionId at once. The same as waitSeconds 0.
    pub background: Option<bool>,
    /// Starts with the same key are one debate, equal starts with other keys are several. Without it, an equal start within two minutes joins the debate.
    #[schemars(length(max = 200))]
    pub idempotency_key: Option<String>,
    /// concise: under 2,000 tokens. detailed: longer texts. Default concise.
    pub response_format: Option<LengthWord>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    Open,
    YesNo,
    Number,
    Estimate,
    Probability,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffortWord {
    Debate,
    Adaptive,
    Vote,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlgorithmWord {
    Agreement,
    Votes,
    EvidenceBasedDebate,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DepthWord {
    Standard,
    Extended,
    Auto,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchWord {
    Auto,
    Native,
    Api,
    Off,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextText {
    /// What to call it, such as a file name.
    #[schemars(length(max = 200))]
    pub name: Option<String>,
    /// The text itself. Files are not read: pass what is in them.
    #[schemars(length(min = 1, max = 4000000))]
    pub text: String,
}

/// The same names as in the config file; what is left out keeps its value.
#[derive(Debug, Clone, Default, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlagArguments {
    /// Lets agents speak at once in modes where they wait for one another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential_parallelization: Option<ParallelFlag>,
    /// How often agents must and may use their tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_enforcement: Option<ToolFlag>,
    /// Warns when agents agree too easily.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groupthink_detection: Option<GroupthinkFlag>,
    /// When a debate may end early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_criteria: Option<ExitFlag>,
    /// Economies in modes where agents wait for one another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential_mode: Option<SequentialFlag>,
}

macro_rules! flag {
    ($name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* }) => {
        #[derive(Debug, Clone, Default, Deserialize, serde::Serialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($(#[$meta])* #[serde(skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,)*
        }
    };
}

flag!(CaseArguments {
    /// normal, high or critical.
    importance: String,
    /// Parties with a stake.
    stakeholders: u32,
    /// Technical fields it touches.
    technical_domains: u32,
    /// short, medium or long.
    horizon: String,
    /// low, medium or high.
    budget_impact: String,
});
flag!(ParallelFlag {
    /// Returns whether agents may speak at once.
    enabled: bool,
    /// none, last-only or full; the mode's own where it is left out.
    level: String,
});
flag!(ToolFlag {
    /// Returns whether the use of tools is looked after.
    enabled: bool,
    /// strict, normal or relaxed.
    level: String,
    /// The least calls per answer.
    min_calls: u32,
    /// The most calls per answer.
    max_calls: u32,
});
flag!(GroupthinkFlag {
    /// Returns whether it is looked for.
    enabled: bool,
    /// Agreement from which it is suspected, 0 to 1.
    threshold: f64,
});
flag!(ExitFlag {
    /// Returns whether a debate may end early.
    enabled: bool,
    /// Agreement that ends it, 0 to 1.
    consensus_threshold: f64,
    /// Rounds without movement that end it.
    convergence_rounds: u32,
    /// Confidence of everybody that ends it, 0 to 1.
    confidence_threshold: f64,
});
flag!(SequentialFlag {
    /// Seats lighter models.
    use_light_model: bool,
    /// The longest answer, in tokens.
    max_tokens: u32,
    /// Answers equal searches once.
    cache_tool_results: bool,
});

async fn start(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let same = key(&given);
    let args: StartArguments = arguments(given)?;
    let key = args.idempotency_key.as_ref().map_or(same, |key| digest("key", &key.as_str().into()));
    let wish = |notices, before| ResultWish {
        wait_seconds: args.wait_seconds,
        format: args.response_format.unwrap_or_default(),
        analysis: AnalysisWish::None,
        notices,
        kind: if args.background == Some(true) {
            CallPurpose::Background
        } else {
            CallPurpose::Holds
        },
        before,
    };
    if let Some(brought) = &call.brought
        && let SealedState::Debate { id } = &brought.state
    {
        context::take_in(&call, id, brought).await?;
        return delivery::show(&call, id, wish(Vec::new(), None)).await;
    }
    let seat = ClientSeat::default();
    match call.host().started(&key, &args.topic).await? {
        Some(StartedUnderKey::Known(id)) => {
            return delivery::show(&call, &id, wish(vec![joined(&id)], None)).await;
        }
        Some(StartedUnderKey::CutOff(id)) => {
            let held = call.host().once(key, call.host().resume(&id, None, seat)).await?;
            let notices = [vec![joined(&held.id)], wording::notices(&held.notices)].concat();
            return delivery::show(&call, &held.id, wish(notices, None)).await;
        }
        None => {}
    }
    call.host().admit(call.connection.caller())?;
    let prepared = call.host().prepare(&order(&call, &args, &seat, &key)).await?;
    if let Some(asked) = confirm(&call, &args, &prepared).await? {
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
    delivery::show(&call, &held.id, wish(notices, before)).await
}

fn joined(id: &str) -> String {
    format!(
        "The same debate was started a moment ago; this is that one ({id}), nothing is paid \
         twice. Pass another idempotencyKey to hold a second one."
    )
}

/// Returns the key that identifies a start: everything but the caller's wishes
/// about waiting.
fn key(given: &Value) -> String {
    let mut given = schema::without_nulls(given.clone());
    if let Some(map) = given.as_object_mut() {
        ["waitSeconds", "background", "responseFormat"].iter().for_each(|name| {
            map.remove(*name);
        });
    }
    digest(ROW.name, &given)
}

/// Asks the user where the debate may cost more than the server's owner wants
/// unasked. `Some`: the client is to ask and call again.
async fn confirm(
    call: &Call,
    args: &StartArguments,
    prepared: &PreparedDebate,
) -> Result<Option<InputRequiredResult>, EngineError> {
    let Some(limit) = call.host().config().file.server.confirm_above else { return Ok(None) };
    let limit = MicroUsd::from_usd(limit);
    let capped = args.budget_usd.map(MicroUsd::from_usd).filter(|cap| *cap > MicroUsd::ZERO);
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
    let question = match (&args.options, args.answer_form) {
        (Some(options), _) => Question::Options { options: options.clone() },
        (None, Some(AnswerForm::YesNo)) => Question::YesNo,
        (None, Some(AnswerForm::Number | AnswerForm::Estimate)) => Question::Number { unit: None },
        (None, Some(AnswerForm::Probability)) => Question::Probability,
        (None, Some(AnswerForm::Open) | None) => Question::Open,
    };
    let mut flags = flags(args.flags.as_ref());
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
    let case = args.decision_case.clone().unwrap_or_default();
    Order {
        assignment: args.assignment.clone().unwrap_or_default(),
        importance: case.importance,
        stakeholders: case.stakeholders.map(|count| count.to_string()),
        technical_domains: case.technical_domains.map(|count| count.to_string()),
        horizon: case.horizon,
        budget_impact: case.budget_impact,
        topic: Some(args.topic.clone()),
        mode: args.mode.map(|mode| mode.0.name.to_owned()),
        agents: args.agents.clone().unwrap_or_default(),
        rounds: args.rounds.map(|rounds| rounds.to_string()),
        focus: args.focus_question.clone(),
        perspectives: args.perspectives.clone().unwrap_or_default(),
        question,
        estimate: matches!(args.answer_form, Some(AnswerForm::Estimate)),
        tolerance: args.tolerance.clone(),
        effort: args.effort.map(|effort| format!("{effort:?}").to_lowercase()),
        samples: args.samples.map(|samples| samples.to_string()),
        depth: args.depth.map(|depth| format!("{depth:?}").to_lowercase()),
        flags,
        algorithm: args.algorithm.map(|algorithm| {
            match algorithm {
                AlgorithmWord::Agreement => "agreement",
                AlgorithmWord::Votes => "votes",
                AlgorithmWord::EvidenceBasedDebate => "evidence_based_debate",
            }
            .into()
        }),
        max_output_tokens: args.max_output_tokens.map(|tokens| tokens.to_string()),
        budget: args.budget_usd.map(|usd| usd.to_string()),
        clerk: args.clerk.clone(),
        search: args.search.map(|way| format!("{way:?}").to_lowercase()),
        caller: CallerContext {
            attachments: context.collect(),
            seats: args.agent_count,
            start_key: Some(key.into()),
            voice: offered.then(|| seat.speaker()),
            is_remote: true,
        },
        ..Order::default()
    }
}

/// Returns the flags as `FLAG=VALUE`, as the command line sets them.
fn flags(given: Option<&FlagArguments>) -> Vec<String> {
    let given = serde_json::to_value(given).unwrap_or_default();
    let groups = given.as_object().into_iter().flatten();
    groups
        .flat_map(|(group, fields)| {
            fields.as_object().into_iter().flatten().map(move |(field, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("{group}.{field}={value}")
            })
        })
        .collect()
}

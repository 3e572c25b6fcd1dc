//! An ask, a target and an exchange for the tests of dialects.

use std::sync::Arc;

use debate::model::{Ask, AskId, Party, Reply, SeatId, Task, ToolPolicy, ViewContents};
use serde_json::{Value, json};

use crate::catalogue::models::ModelFacts;
use crate::catalogue::providers;
use crate::conversation::{
    Exchange, Prompt, RawTurn, ToolOutcome, ToolResult, ToolSpec, WantedCall, WantedCalls,
};
use crate::wire::dialect::{Decode, Dialect, EffortField, NativeSearch, ServerLimits, Target};
use crate::wire::outcome::WireOutcome;
use crate::wire::try_error::TryError;

pub fn ask(task: Task) -> Ask {
    Ask {
        id: AskId { round: 1, wave: 0, party: Party::Seat(SeatId(0)), task, about: None },
        agent: Some(0),
        speaker: "Ada".into(),
        system: Arc::new("You sit at a table.".into()),
        user: "Speak to the topic.".into(),
        schema: Arc::new(
            json!({
                "type": "object",
                "properties": {"position": {"type": "string"}},
                "required": ["position"],
                "additionalProperties": false,
            })
            .into(),
        ),
        max_output_tokens: 1024,
        temperature: 0.7,
        timeout_seconds: 60,
        tools: ToolPolicy::NONE,
        form: Default::default(),
        shown: ViewContents::default(),
    }
}

pub fn target(provider: &str, model: &str) -> Target {
    let provider = providers::find(provider).unwrap();
    Target {
        provider,
        model: model.into(),
        base_url: provider.base_url.unwrap_or("http://127.0.0.1:8000/v1").into(),
        host: "host".into(),
        key: None,
        headers: Vec::new(),
        search: NativeSearch::Off,
        effort: EffortField::Usual,
        keep: Default::default(),
        facts: ModelFacts::UNKNOWN,
    }
}

pub fn tool() -> ToolSpec {
    ToolSpec {
        name: "search_web".into(),
        description: Arc::new("Searches the web.".into()),
        schema: Arc::new(
            json!({
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"],
            })
            .into(),
        ),
    }
}

/// One search, answered; and one that failed.
pub fn exchange(raw: Option<RawTurn>) -> Exchange {
    let call = |id: &str, query: &str| WantedCall {
        id: id.into(),
        name: "search_web".into(),
        arguments: json!({"query": query}),
    };
    let result = |id: &str, text: &str, outcome| ToolResult {
        id: id.into(),
        name: "search_web".into(),
        text: text.into(),
        outcome,
    };
    Exchange {
        calls: WantedCalls {
            wanted: vec![call("toolu_1", "tea"), call("toolu_2", "")],
            raw,
            ..WantedCalls::default()
        },
        results: vec![
            result("toolu_1", "Tea is a drink.", ToolOutcome::Worked),
            result("toolu_2", "The query is empty; name what to look for.", ToolOutcome::Failed),
        ],
    }
}

/// The requests to compare with the vendor's own pages: plain (only words and
/// nothing else asked for), structured, with tools and their results, with the
/// provider's search and with an effort.
pub fn requests(target: &Target) -> Vec<(&'static str, Value)> {
    let dialect: &Dialect = target.provider.dialect;
    let manners = ServerLimits::towards(target);
    let ask = ask(Task::Speak);
    let plain = Prompt::plain(&ask);
    let (tools, so_far) = ([tool()], [exchange(None)]);
    let with_tools = Prompt { ask: &ask, tools: &tools, so_far: &so_far };
    let searching =
        Target { search: NativeSearch::Native, effort: EffortField::High, ..target.clone() };
    let words = ServerLimits { format: crate::wire::dialect::AnswerFormat::Words, ..manners };
    let sent = |prompt: &Prompt<'_>, target: &Target, manners| {
        let body = (dialect.request)(prompt, target, manners);
        // Written as a tree of it would be.
        assert_eq!(body.to_bytes(), body.to_value().to_string().into_bytes());
        body.to_value()
    };
    vec![
        ("plain", sent(&plain, target, words)),
        ("structured", sent(&plain, target, manners)),
        ("tools", sent(&with_tools, target, manners)),
        ("search", sent(&plain, &searching, manners)),
    ]
}

pub fn heard(dialect: &Dialect, body: &str) -> Result<WireOutcome, TryError> {
    let mut decoder = (dialect.decoder)();
    decoder.push(body.as_bytes())?;
    decoder.finish()
}

pub fn answer(outcome: WireOutcome) -> Reply {
    match outcome {
        WireOutcome::Answer(reply) => *reply,
        other => panic!("no answer: {other:?}"),
    }
}

pub fn calls(outcome: WireOutcome) -> WantedCalls {
    match outcome {
        WireOutcome::Calls(calls) => calls,
        other => panic!("no calls: {other:?}"),
    }
}

/// However an answer is cut into pieces, it reads the same.
pub fn read_in_pieces(dialect: &Dialect, body: &str, size: usize) -> Result<WireOutcome, TryError> {
    let mut decoder: Box<dyn Decode> = (dialect.decoder)();
    for piece in body.as_bytes().chunks(size) {
        decoder.push(piece)?;
    }
    decoder.finish()
}

//! Returns the synthesis of a finished debate, written by its clerk.

use debate::model::{Synthesis, SynthesisPoint};
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::{LengthWord, NextCall};
use crate::mcp::result::shaping::{next, rounded, short};
use crate::mcp::result::shown::ShownResult;
use crate::mcp::session::waiting;
use engine::error::EngineError;
use engine::people::caller::Operation;

pub const ROW: ToolRow = ToolRow {
    name: "synthesize_debate",
    title: "Write the synthesis",
    description: include_str!("../../words/synthesize_debate.md"),
    hints: ToolHints::Asks,
    input: schema::of_input::<SynthesisArguments>,
    output: schema::of_output::<SynthesisView>,
    call: |call, given| write(call, given).boxed(),
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SynthesisArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// Default 45.
    #[schemars(range(min = 0, max = 600))]
    pub wait_seconds: Option<u64>,
    /// Default concise.
    pub response_format: Option<LengthWord>,
}

/// The synthesis; each point with the claims it rests on.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SynthesisView {
    pub session_id: String,
    /// written, or running: call again.
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<PointView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<PointView>,
    pub common_ground: Vec<PointView>,
    pub key_differences: Vec<PointView>,
    /// The course of the debate, oldest first.
    pub evolution: Vec<PointView>,
    /// The clerk's own, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    pub next: Vec<NextCall>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PointView {
    pub text: String,
    /// C1, C2, …
    pub claims: Vec<String>,
}

async fn write(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: SynthesisArguments = arguments(given)?;
    let id = call.host().look_to(&args.session_id, Operation::Steer).await?.id;
    let seconds = waiting::allowed(&call, args.wait_seconds);
    let patience = std::time::Duration::from_secs(seconds);
    let writing = call.host().synthesise(&id, patience);
    // Writing continues for a later call.
    let written = waiting::meanwhile(&call, "the clerk is writing", writing).await;
    let written = written.transpose()?.flatten();
    let shown = match written {
        Some(synthesis) => view(id, &synthesis, args.response_format.unwrap_or_default()),
        None => SynthesisView {
            next: vec![next(
                "synthesize_debate",
                json!({ "sessionId": id }),
                "the clerk is still writing; what it writes is kept",
            )],
            session_id: id,
            status: "running".into(),
            ..SynthesisView::default()
        },
    };
    Ok(ShownResult::of(&shown).into())
}

fn view(id: String, synthesis: &Synthesis, format: LengthWord) -> SynthesisView {
    let (entries, most) = match format {
        LengthWord::Concise => (4, 320),
        LengthWord::Detailed => (20, 2000),
    };
    let point = |one: &SynthesisPoint| PointView {
        text: short(&one.text, most),
        claims: one.claims.iter().map(ToString::to_string).collect(),
    };
    let points = |all: &[SynthesisPoint]| all.iter().take(entries).map(point).collect();
    let whole = |one: &SynthesisPoint| PointView { text: short(&one.text, most * 3), ..point(one) };
    SynthesisView {
        session_id: id,
        status: "written".into(),
        conclusion: Some(whole(&synthesis.conclusion)),
        recommendation: Some(whole(&synthesis.recommendation)),
        common_ground: points(&synthesis.common_ground),
        key_differences: points(&synthesis.key_differences),
        evolution: points(&synthesis.evolution),
        confidence: synthesis.confidence.map(rounded),
        next: Vec::new(),
    }
}

//! Shows the lessons of earlier outcomes, by domain.

use debate::model::{DomainLearned, Estimate, EstimateChange, counted};
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::LengthWord;
use crate::mcp::result::shaping::short;
use crate::mcp::result::shown::ShownResult;
use engine::error::EngineError;
use engine::outcomes::lessons;

pub const ROW: ToolRow = ToolRow {
    name: "get_learning",
    title: "See what was learned",
    description: include_str!("../../words/get_learning.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<LearningArguments>,
    output: schema::of_output::<LearningView>,
    call: |call, given| look(call, given).boxed(),
};

/// Domains, agents and questions shown where it is not asked for all.
const FEW: usize = 5;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LearningArguments {
    /// Only this domain.
    #[schemars(length(min = 1, max = 100))]
    pub domain: Option<String>,
    /// detailed: everything.
    pub response_format: Option<LengthWord>,
}

/// What debates start with, and what it rests on.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LearningView {
    /// Decisions that a person judged.
    pub outcomes: u32,
    /// Of the finished debates, the share that was judged, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged_share: Option<f64>,
    pub domains: Vec<DomainRow>,
    pub note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainRow {
    pub domain: String,
    pub outcomes: u32,
    /// How accurate its decisions were on average.
    pub accuracy: f64,
    /// Weights of evidence that moved.
    pub weights: Vec<EstimateRow>,
    /// How often agents were right.
    pub agents: Vec<EstimateRow>,
    /// Questions that debates of the domain are made to answer.
    pub questions: Vec<String>,
    pub remarks: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimateRow {
    pub about: String,
    pub prior: f64,
    /// What debates use now.
    pub used: f64,
    /// The lower end of the interval that holds it with 90 % probability.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    pub outcomes: u32,
}

/// How one outcome moved one estimate.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeRow {
    pub about: String,
    pub before: f64,
    pub after: f64,
    pub reason: String,
}

pub fn rows<'c>(changes: impl Iterator<Item = &'c EstimateChange>) -> Vec<ChangeRow> {
    let row = |change: &EstimateChange| ChangeRow {
        about: short(&change.what.word(), 200),
        before: change.used_before,
        after: change.used_after,
        reason: short(&change.reason, 300),
    };
    changes.map(row).collect()
}

async fn look(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: LearningArguments = arguments(given)?;
    let report = lessons::report(call.host().config(), args.domain.as_deref()).await?;
    let most = match args.response_format.unwrap_or_default() {
        LengthWord::Concise => FEW,
        LengthWord::Detailed => usize::MAX,
    };
    let domains: Vec<DomainRow> =
        report.learning.domains.iter().take(most).map(|one| domain(one, most)).collect();
    let note = match report.learning.outcomes {
        0 => "Nothing was judged yet, so every debate starts with the published weights. Record \
              how a decision turned out with record_outcome."
            .into(),
        _ if domains.len() < report.learning.domains.len() => {
            let more = report.learning.domains.len() - domains.len();
            let more = counted(more, "more domain");
            format!("{more}; ask for one by name, or for responseFormat detailed.")
        }
        _ => String::from("Values rest on few outcomes where low and high are far apart."),
    };
    let finished = report.share.finished;
    let judged_share = (finished > 0).then(|| report.share.judged as f64 / finished as f64);
    Ok(ShownResult::of(&LearningView {
        outcomes: report.learning.outcomes,
        judged_share,
        domains,
        note,
    })
    .into())
}

fn domain(one: &DomainLearned, most: usize) -> DomainRow {
    let row = |about: &str, estimate: &Estimate| EstimateRow {
        about: short(about, 200),
        prior: estimate.prior,
        used: estimate.used,
        low: estimate.interval[0],
        high: estimate.interval[1],
        outcomes: estimate.outcomes,
    };
    let moved = one.weights.iter().filter(|weight| weight.estimate.outcomes > 0);
    DomainRow {
        domain: short(&one.domain, 100),
        outcomes: one.outcomes,
        accuracy: one.accuracy,
        weights: moved.map(|weight| row(weight.evidence_type.word(), &weight.estimate)).collect(),
        agents: one
            .agents
            .iter()
            .take(most)
            .map(|agent| row(&agent.agent, &agent.estimate))
            .collect(),
        questions: one
            .questions
            .iter()
            .take(most)
            .map(|asked| short(&asked.question, 300))
            .collect(),
        remarks: one.remarks.iter().take(most).map(|remark| short(remark, 300)).collect(),
    }
}

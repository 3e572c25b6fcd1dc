//! What is measured of one debate: time, interaction, content, agreement, and
//! what it took. A figure that cannot be had is absent.

use std::collections::BTreeMap;

use debate::model::{Seat, SeatId, Verdict};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    pub latency: Latency,
    pub interaction: Interaction,
    pub content: Content,
    pub consensus: Agreement,
    pub effort: EffortFigures,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Latency {
    /// The critical path: the slowest answer of every wave, added up.
    pub total_ms: u64,
    pub per_round_ms: Vec<u64>,
    pub per_agent_ms: BTreeMap<String, u64>,
    /// By the clock, the engine's own work included; only of live debates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interaction {
    pub cross_reference_count: usize,
    pub rebuttal_depth: usize,
    pub question_response_pairs: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Content {
    pub avg_confidence: Option<f64>,
    pub confidence_variance: Option<f64>,
    pub tool_calls_per_agent: BTreeMap<String, usize>,
    pub citation_count: usize,
    pub argument_diversity: f64,
    pub reasoning_depth: Option<f64>,
    pub synthesis_quality: Option<f64>,
    pub decision_confidence: Option<f64>,
    /// The mean of the four above that there are, 0 to 1.
    pub quality_score: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agreement {
    pub agreement_level: Option<f64>,
    pub convergence_round: Option<u32>,
    pub groupthink_warning: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffortFigures {
    pub rounds: u32,
    pub calls: u32,
    pub missed_turns: usize,
    pub tokens: Option<u64>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub tokens_per_round: Vec<Option<u64>>,
    pub tokens_per_agent: BTreeMap<String, Option<u64>>,
    pub cost_usd: f64,
    /// Calls whose price is not known; they are not in `cost_usd`.
    pub unpriced_calls: u32,
    pub cost_efficiency: Option<f64>,
}

impl Metrics {
    pub fn of(verdict: &Verdict, seats: &[Seat], wall_ms: Option<u64>) -> Metrics {
        let (quality, spent) = (&verdict.metadata.quality, &verdict.metadata.spent);
        let name = |seat: SeatId| {
            seats.get(seat.index()).map_or_else(|| seat.index().to_string(), |s| s.name.clone())
        };
        let agents = || quality.agents.iter().map(|one| (name(one.seat), one));
        let parts = [
            Some(quality.argument_diversity),
            quality.reasoning_depth,
            quality.synthesis_quality,
            quality.decision_confidence,
        ];
        Metrics {
            latency: Latency {
                total_ms: quality.rounds.iter().map(|round| round.latency_ms).sum(),
                per_round_ms: quality.rounds.iter().map(|round| round.latency_ms).collect(),
                per_agent_ms: agents().map(|(name, one)| (name, one.latency_ms)).collect(),
                wall_ms,
            },
            interaction: Interaction {
                cross_reference_count: quality.cross_references,
                rebuttal_depth: quality.rebuttal_depth,
                question_response_pairs: quality.question_answer_pairs,
            },
            content: Content {
                avg_confidence: quality.confidence.mean,
                confidence_variance: quality.confidence.variance,
                tool_calls_per_agent: agents().map(|(name, one)| (name, one.tool_calls)).collect(),
                citation_count: quality.citations,
                argument_diversity: quality.argument_diversity,
                reasoning_depth: quality.reasoning_depth,
                synthesis_quality: quality.synthesis_quality,
                decision_confidence: quality.decision_confidence,
                quality_score: crate::statistics::mean(parts.into_iter().flatten()),
            },
            consensus: Agreement {
                agreement_level: quality.agreement_level,
                convergence_round: quality.convergence_round,
                groupthink_warning: quality.groupthink_warning,
            },
            effort: EffortFigures {
                rounds: verdict.metadata.rounds,
                calls: spent.calls,
                missed_turns: verdict.metadata.gaps.len(),
                tokens: spent.usage.total(),
                input_tokens: spent.usage.input,
                output_tokens: spent.usage.output,
                tokens_per_round: quality.rounds.iter().map(|round| round.tokens).collect(),
                tokens_per_agent: agents().map(|(name, one)| (name, one.tokens)).collect(),
                cost_usd: spent.cost.usd(),
                unpriced_calls: spent.unpriced_calls,
                cost_efficiency: quality.cost_efficiency,
            },
        }
    }
}

/// One figure of a debate, by name: what tables and comparisons are made of.
pub struct MetricFigure {
    pub name: &'static str,
    pub title: &'static str,
    pub of: fn(&Metrics) -> Option<f64>,
}

const fn figure(
    name: &'static str,
    title: &'static str,
    of: fn(&Metrics) -> Option<f64>,
) -> MetricFigure {
    MetricFigure { name, title, of }
}

pub const FIGURES: [MetricFigure; 22] = [
    figure("totalMs", "latency, ms", |m| Some(m.latency.total_ms as f64)),
    figure("wallMs", "by the clock, ms", |m| Some(m.latency.wall_ms? as f64)),
    figure("crossReferenceCount", "cross-references", |m| {
        Some(m.interaction.cross_reference_count as f64)
    }),
    figure("rebuttalDepth", "rebuttal depth", |m| Some(m.interaction.rebuttal_depth as f64)),
    figure("questionResponsePairs", "questions answered", |m| {
        Some(m.interaction.question_response_pairs as f64)
    }),
    figure("avgConfidence", "confidence, mean", |m| m.content.avg_confidence),
    figure("confidenceVariance", "confidence, variance", |m| m.content.confidence_variance),
    figure("toolCalls", "tool calls", |m| {
        Some(m.content.tool_calls_per_agent.values().sum::<usize>() as f64)
    }),
    figure("citationCount", "citations", |m| Some(m.content.citation_count as f64)),
    figure("argumentDiversity", "argument diversity", |m| Some(m.content.argument_diversity)),
    figure("reasoningDepth", "reasoning depth", |m| m.content.reasoning_depth),
    figure("synthesisQuality", "synthesis quality", |m| m.content.synthesis_quality),
    figure("decisionConfidence", "decision confidence", |m| m.content.decision_confidence),
    figure("qualityScore", "quality score", |m| m.content.quality_score),
    figure("agreementLevel", "agreement", |m| m.consensus.agreement_level),
    figure("convergenceRound", "convergence round", |m| {
        m.consensus.convergence_round.map(f64::from)
    }),
    figure("groupthinkWarning", "groupthink warnings", |m| {
        Some(if m.consensus.groupthink_warning { 1.0 } else { 0.0 })
    }),
    figure("rounds", "rounds", |m| Some(f64::from(m.effort.rounds))),
    figure("tokens", "tokens", |m| Some(m.effort.tokens? as f64)),
    figure("costUsd", "cost, USD", |m| (m.effort.unpriced_calls == 0).then_some(m.effort.cost_usd)),
    figure("costEfficiency", "quality per USD", |m| m.effort.cost_efficiency),
    figure("missedTurns", "missed turns", |m| Some(m.effort.missed_turns as f64)),
];

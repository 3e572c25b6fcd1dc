//! The results of a run summed up for other programs and for reports.

use serde::Serialize;
use serde_json::{Value, json};

use crate::metrics::{FIGURES, Metrics};
use crate::run::Plan;
use crate::runs::BenchRun;
use crate::statistics::{FEWER_RESAMPLES, IntervalEstimate, bootstrap, mean};

const SEED: u64 = 1;

/// The figures of one scenario over its debates.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub scenario: String,
    pub mode: String,
    pub debates: usize,
    pub figures: Vec<FigureSummary>,
    /// Means; a round that only some debates had counts for those.
    pub per_round_ms: Vec<f64>,
    pub tokens_per_round: Vec<f64>,
    pub per_agent: Vec<PerAgent>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PerAgent {
    pub agent: String,
    pub latency_ms: f64,
    pub tokens: Option<f64>,
    pub tool_calls: f64,
}

/// The mean of every place over lists of different length.
fn by_place(lists: &[Vec<f64>]) -> Vec<f64> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest)
        .filter_map(|at| mean(lists.iter().filter_map(|list| list.get(at).copied())))
        .collect()
}

fn per_agent(metrics: &[&Metrics]) -> Vec<PerAgent> {
    let names = metrics.first().map(|one| one.latency.per_agent_ms.keys()).into_iter().flatten();
    let of = |name: &String| {
        let latency = metrics.iter().filter_map(|one| one.latency.per_agent_ms.get(name));
        let tools = metrics.iter().filter_map(|one| one.content.tool_calls_per_agent.get(name));
        let tokens = metrics.iter().filter_map(|one| *one.effort.tokens_per_agent.get(name)?);
        PerAgent {
            agent: name.clone(),
            latency_ms: mean(latency.map(|ms| *ms as f64)).unwrap_or_default(),
            tokens: mean(tokens.map(|tokens| tokens as f64)),
            tool_calls: mean(tools.map(|calls| *calls as f64)).unwrap_or_default(),
        }
    };
    names.map(of).collect()
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FigureSummary {
    pub name: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    #[serde(flatten)]
    pub estimate: IntervalEstimate,
}

pub fn summaries(run: &BenchRun) -> Vec<Summary> {
    let summary = |name: &str| {
        let held: Vec<_> = run.held().filter(|held| held.scenario == name).collect();
        let first = held.first()?;
        let metrics: Vec<&Metrics> = held.iter().map(|held| &held.metrics).collect();
        let figures = FIGURES.iter().filter_map(|figure| {
            let values: Vec<f64> = metrics.iter().filter_map(|one| (figure.of)(one)).collect();
            let alike = values.windows(2).all(|pair| pair.first() == pair.last());
            let estimate = if alike {
                // Nothing varies: drawing would only take time.
                IntervalEstimate { value: mean(values)?, low: None, high: None }
            } else {
                bootstrap(&values, SEED, FEWER_RESAMPLES)?
            };
            Some(FigureSummary { name: figure.name, title: figure.title, estimate })
        });
        Some(Summary {
            scenario: name.into(),
            mode: first.mode.clone(),
            debates: held.len(),
            figures: figures.collect(),
            per_round_ms: by_place(&lists(&metrics, |one| {
                one.latency.per_round_ms.iter().map(|ms| *ms as f64).collect()
            })),
            tokens_per_round: by_place(&lists(&metrics, |one| {
                one.effort.tokens_per_round.iter().flatten().map(|count| *count as f64).collect()
            })),
            per_agent: per_agent(&metrics),
        })
    };
    run.head.plan.scenarios.iter().filter_map(|scenario| summary(&scenario.name)).collect()
}

fn lists(metrics: &[&Metrics], of: fn(&Metrics) -> Vec<f64>) -> Vec<Vec<f64>> {
    metrics.iter().map(|one| of(one)).collect()
}

/// Who spoke in a run, in words.
pub fn sources(plan: &Plan) -> String {
    let mut words: Vec<&str> = Vec::new();
    for scenario in &plan.scenarios {
        let word = plan.source.of(scenario).word();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

pub fn as_json(run: &BenchRun) -> Value {
    let failed: Vec<Value> = run
        .failed()
        .into_iter()
        .map(|(label, why)| json!({ "label": label, "why": why }))
        .collect();
    json!({
        "name": run.head.name,
        "program": run.head.program,
        "source": sources(&run.head.plan),
        "planned": run.head.plan.units().len(),
        "spentUsd": run.spent_usd(),
        "summaries": summaries(run),
        "debates": run.held().collect::<Vec<_>>(),
        "failed": failed,
    })
}

/// A number with as many decimals as it can use.
pub fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        middle if middle >= 1.0 => format!("{value:.2}"),
        small if small >= 0.001 => format!("{value:.3}"),
        _ => format!("{value:.6}"),
    }
}

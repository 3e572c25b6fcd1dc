//! Two sets of debates side by side: how much faster, how much less interaction,
//! how good, and whether to adopt the second. Every difference has its interval;
//! nothing is called better that could be chance.

mod sides;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use sides::{ComparedSide, side};

use crate::metrics::{FIGURES, Metrics};
use crate::runs::HeldDebate;
use crate::statistics::{Dice, FEWER_RESAMPLES, IntervalEstimate, mean, quantile};
use engine::error::EngineError;

/// The rule under which a variant is taken back.
pub const LEAST_LATENCY_GAIN: f64 = 30.0;
pub const MOST_INTERACTION_LOSS: f64 = 20.0;

const SEED: u64 = 20_261_115;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Recommendation {
    Adopt,
    Reject,
    Conditional,
}

impl Recommendation {
    pub fn word(self) -> &'static str {
        match self {
            Recommendation::Adopt => "adopt",
            Recommendation::Reject => "reject",
            Recommendation::Conditional => "conditional",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub baseline: String,
    pub variant: String,
    pub recommendation: Recommendation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    pub rollback: String,
    pub parts: Vec<ModeComparison>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One mode, or the only scenario of each side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeComparison {
    pub mode: String,
    pub baseline_debates: usize,
    pub variant_debates: usize,
    /// True if debates of the same topic and seed were set against each other.
    pub paired: bool,
    pub delta: ModeDelta,
    pub figures: Vec<FigureChange>,
    pub recommendation: Recommendation,
    /// Why, in plain words; for `conditional`, the conditions.
    pub reasons: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeDelta {
    /// In per cent; more is faster.
    pub latency_reduction: Option<IntervalEstimate>,
    /// In per cent; below zero is less.
    pub interaction_change: Option<IntervalEstimate>,
    /// Of the variant, 0 to 1.
    pub quality_score: Option<f64>,
    /// Against the baseline's.
    pub quality_change: Option<IntervalEstimate>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FigureChange {
    pub name: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    pub baseline: f64,
    pub variant: f64,
    pub change: Option<IntervalEstimate>,
}

pub fn compare(baseline: &ComparedSide, variant: &ComparedSide) -> Result<Comparison, EngineError> {
    let mut notes = Vec::new();
    if baseline.source != variant.source {
        notes.push(format!(
            "The debates were not held by the same kind of agents: {} and {}. Part of every \
             difference may come from that.",
            baseline.source, variant.source
        ));
    }
    if [&baseline.source, &variant.source].into_iter().any(|source| source.contains("simulated")) {
        notes.push(
            "Simulated agents take up all they are shown: interaction here is what the order of \
             speaking allows. It says nothing about what real models would do."
                .into(),
        );
    }
    let parts = pairs(baseline, variant, &mut notes)?;
    let parts: Vec<ModeComparison> = parts.iter().map(|(mode, a, b)| part(mode, a, b)).collect();
    let (recommendation, conditions) = overall(&parts);
    Ok(Comparison {
        baseline: baseline.name.clone(),
        variant: variant.name.clone(),
        recommendation,
        conditions,
        rollback: format!(
            "Take it back where latency falls by less than {LEAST_LATENCY_GAIN:.0} % or \
             interaction by more than {MOST_INTERACTION_LOSS:.0} %."
        ),
        parts,
        notes,
    })
}

type Pair<'a> = (String, Vec<&'a HeldDebate>, Vec<&'a HeldDebate>);

fn pairs<'a>(
    baseline: &'a ComparedSide,
    variant: &'a ComparedSide,
    notes: &mut Vec<String>,
) -> Result<Vec<Pair<'a>>, EngineError> {
    let (before, after) = (baseline.modes(), variant.modes());
    if let ([one], [other]) = (before.as_slice(), after.as_slice()) {
        if one != other {
            notes.push(format!("The modes differ: {one} and {other}."));
        }
        let name = if one == other { one.clone() } else { format!("{one} → {other}") };
        return Ok(vec![(name, baseline.held.iter().collect(), variant.held.iter().collect())]);
    }
    let both: Vec<&String> = before.iter().filter(|mode| after.contains(mode)).collect();
    let alone: Vec<&str> = before
        .iter()
        .chain(&after)
        .filter(|mode| !both.contains(mode))
        .map(String::as_str)
        .collect();
    if both.is_empty() {
        return Err(EngineError::input(format!(
            "{} and {} have no mode in common: {} and {}. Compare runs of the same modes, or one \
             scenario of each with RUN:SCENARIO",
            baseline.name,
            variant.name,
            before.join(", "),
            after.join(", ")
        )));
    }
    if !alone.is_empty() {
        notes.push(format!("Only one side has {}; left out.", alone.join(", ")));
    }
    let of =
        |side: &'a ComparedSide, mode: &str| side.held.iter().filter(|h| h.mode == mode).collect();
    Ok(both.into_iter().map(|m| (m.clone(), of(baseline, m), of(variant, m))).collect())
}

/// What is drawn from: two lists, together where they are pairs.
struct Sample<'a> {
    before: Vec<&'a Metrics>,
    after: Vec<&'a Metrics>,
    paired: bool,
}

impl<'a> Sample<'a> {
    fn of(before: &[&'a HeldDebate], after: &[&'a HeldDebate]) -> Sample<'a> {
        let by_seed = |held: &HeldDebate| (String::new(), held.case, held.seed);
        let by_name = |held: &HeldDebate| (held.scenario.clone(), held.case, held.seed);
        let twins = twins(before, after, &by_seed).or_else(|| twins(before, after, &by_name));
        let paired = twins.is_some();
        let after = twins.unwrap_or_else(|| after.to_vec());
        let metrics = |held: &[&'a HeldDebate]| held.iter().map(|held| &held.metrics).collect();
        Sample { before: metrics(before), after: metrics(&after), paired }
    }

    fn estimate(
        &self,
        of: impl Fn(&[&Metrics], &[&Metrics]) -> Option<f64>,
    ) -> Option<IntervalEstimate> {
        let value = of(&self.before, &self.after)?;
        if self.before.len() < 2 || self.after.len() < 2 {
            return Some(IntervalEstimate { value, low: None, high: None });
        }
        let mut dice = Dice::new(SEED);
        let mut drawn = Vec::with_capacity(FEWER_RESAMPLES);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for _ in 0..FEWER_RESAMPLES {
            one.clear();
            other.clear();
            for _ in 0..self.before.len() {
                let at = dice.below(self.before.len());
                one.extend(self.before.get(at));
                if self.paired {
                    other.extend(self.after.get(at));
                }
            }
            if !self.paired {
                for _ in 0..self.after.len() {
                    other.extend(self.after.get(dice.below(self.after.len())));
                }
            }
            drawn.extend(of(&one, &other));
        }
        drawn.sort_by(f64::total_cmp);
        Some(IntervalEstimate {
            value,
            low: quantile(&drawn, 0.025),
            high: quantile(&drawn, 0.975),
        })
    }
}

type Key = (String, usize, u64);

/// The partner of every debate, where each has exactly one.
fn twins<'a>(
    before: &[&'a HeldDebate],
    after: &[&'a HeldDebate],
    key: &dyn Fn(&HeldDebate) -> Key,
) -> Option<Vec<&'a HeldDebate>> {
    let keys: BTreeSet<Key> = before.iter().map(|held| key(held)).collect();
    let partners: BTreeMap<Key, &'a HeldDebate> =
        after.iter().map(|held| (key(held), *held)).collect();
    if before.len() != after.len() || keys.len() != before.len() || partners.len() != after.len() {
        return None;
    }
    before.iter().map(|held| partners.get(&key(held)).copied()).collect()
}

fn average(metrics: &[&Metrics], of: fn(&Metrics) -> Option<f64>) -> Option<f64> {
    mean(metrics.iter().filter_map(|one| of(one)))
}

/// In per cent of the first; nothing where the first is nothing.
fn percent(before: f64, after: f64) -> Option<f64> {
    (before > 0.0).then(|| 100.0 * (after - before) / before)
}

/// The mean change of those of the three figures that the baseline has.
fn interaction(before: &[&Metrics], after: &[&Metrics]) -> Option<f64> {
    const PARTS: [fn(&Metrics) -> Option<f64>; 3] = [
        |m| Some(m.interaction.cross_reference_count as f64),
        |m| Some(m.interaction.rebuttal_depth as f64),
        |m| Some(m.interaction.question_response_pairs as f64),
    ];
    mean(PARTS.iter().filter_map(|of| percent(average(before, *of)?, average(after, *of)?)))
}

fn part(mode: &str, before: &[&HeldDebate], after: &[&HeldDebate]) -> ModeComparison {
    let sample = Sample::of(before, after);
    let latency: fn(&Metrics) -> Option<f64> = |m| Some(m.latency.total_ms as f64);
    let score: fn(&Metrics) -> Option<f64> = |m| m.content.quality_score;
    let delta = ModeDelta {
        latency_reduction: sample
            .estimate(|a, b| percent(average(a, latency)?, average(b, latency)?).map(|by| -by)),
        interaction_change: sample.estimate(interaction),
        quality_score: average(&sample.after, score),
        quality_change: sample.estimate(|a, b| Some(average(b, score)? - average(a, score)?)),
    };
    let figures = FIGURES
        .iter()
        .filter_map(|figure| {
            Some(FigureChange {
                name: figure.name,
                title: figure.title,
                baseline: average(&sample.before, figure.of)?,
                variant: average(&sample.after, figure.of)?,
                change: sample
                    .estimate(|a, b| Some(average(b, figure.of)? - average(a, figure.of)?)),
            })
        })
        .collect();
    let (recommendation, reasons) = recommend(&delta);
    ModeComparison {
        mode: mode.into(),
        baseline_debates: before.len(),
        variant_debates: after.len(),
        paired: sample.paired,
        delta,
        figures,
        recommendation,
        reasons,
    }
}

fn recommend(delta: &ModeDelta) -> (Recommendation, Vec<String>) {
    let Some(latency) = delta.latency_reduction else {
        let why = "how long the answers took is not known; measure with agents that take time";
        return (Recommendation::Conditional, vec![why.into()]);
    };
    let mut against = Vec::new();
    if latency.value < LEAST_LATENCY_GAIN {
        against.push(format!(
            "latency falls by {:.1} %, less than {LEAST_LATENCY_GAIN:.0} %",
            latency.value
        ));
    }
    let lost = delta.interaction_change.filter(|change| change.value < -MOST_INTERACTION_LOSS);
    if let Some(change) = lost {
        against.push(format!(
            "interaction falls by {:.1} %, more than {MOST_INTERACTION_LOSS:.0} %",
            -change.value
        ));
    }
    if !against.is_empty() {
        return (Recommendation::Reject, against);
    }
    let mut conditions = Vec::new();
    match (latency.low, latency.high) {
        (Some(low), _) if low >= LEAST_LATENCY_GAIN => {}
        (Some(low), _) => conditions.push(format!(
            "hold more debates first: the gain in latency may be as small as {low:.1} %"
        )),
        (None, _) => conditions.push("hold more debates first: one shows no spread".into()),
    }
    match delta.interaction_change {
        None => conditions.push(
            "look at the answers first: the baseline has no interaction to compare with".into(),
        ),
        Some(IntervalEstimate { low: Some(low), .. }) if low < -MOST_INTERACTION_LOSS => conditions
            .push(format!("hold more debates first: interaction may fall by {:.1} %", -low)),
        Some(_) => {}
    }
    if let Some(change) = delta.quality_change.filter(|change| change.is_below(0.0)) {
        conditions.push(format!("accept that the quality score falls by {:.3}", -change.value));
    }
    if conditions.is_empty() {
        let interaction = delta.interaction_change.map_or(0.0, |change| change.value);
        let why = format!(
            "latency falls by {:.1} %, interaction changes by {interaction:+.1} %",
            latency.value
        );
        (Recommendation::Adopt, vec![why])
    } else {
        (Recommendation::Conditional, conditions)
    }
}

fn overall(parts: &[ModeComparison]) -> (Recommendation, Vec<String>) {
    let all = |wanted| parts.iter().all(|part: &ModeComparison| part.recommendation == wanted);
    if all(Recommendation::Adopt) {
        return (Recommendation::Adopt, Vec::new());
    }
    if all(Recommendation::Reject) {
        let why = |part: &ModeComparison| format!("{}: {}", part.mode, part.reasons.join("; "));
        return (Recommendation::Reject, parts.iter().map(why).collect());
    }
    let mut conditions: Vec<String> = Vec::new();
    let of =
        |wanted| parts.iter().filter(move |part: &&ModeComparison| part.recommendation == wanted);
    let adopted: Vec<&str> = of(Recommendation::Adopt).map(|part| part.mode.as_str()).collect();
    let rejected: Vec<&str> = of(Recommendation::Reject).map(|part| part.mode.as_str()).collect();
    if !adopted.is_empty() {
        conditions.push(format!("only in {}", adopted.join(", ")));
    }
    if !rejected.is_empty() {
        conditions.push(format!("not in {}", rejected.join(", ")));
    }
    for part in of(Recommendation::Conditional) {
        conditions.push(format!("in {}: {}", part.mode, part.reasons.join("; ")));
    }
    (Recommendation::Conditional, conditions)
}

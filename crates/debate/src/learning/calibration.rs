//! The value of a stated confidence: a line on log-odds, fitted to the confidence
//! a model stated and its outcomes, and held back by a prior while there is
//! little data. One line per model; one per model and domain once there is enough
//! data.

use std::collections::BTreeMap;

use super::beta::Beta;
use super::counts::{AGENT_HALF_LIFE, NINETY, VERSION_KEPT, fading};
use super::lineage::lineage;
use crate::model::{CalibrationLearned, CalibrationLine, CurvePoint, Day, JudgedDebate};
use crate::sorting::SortRows;

/// With fewer effective answers than this, confidence cannot be calibrated.
const LEAST: f64 = 5.0;
/// From this many effective answers on, a domain gets a line of its own.
const OWN_DOMAIN: f64 = 30.0;
/// The slope that a line starts from, and how far data may move it.
#[derive(Debug, Clone, Copy)]
pub struct SlopePrior {
    mean: f64,
    variance: f64,
}

/// Models state too much confidence, so the slope starts at one half.
pub const STATED_CONFIDENCE: SlopePrior = SlopePrior { mean: 0.5, variance: 0.0625 };
/// The probability of a verdict is computed, and may as well be too low.
pub const VERDICT_PROBABILITY: SlopePrior = SlopePrior { mean: 1.0, variance: 0.25 };
const OFFSET_VARIANCE: f64 = 1.0;
const NEWTON_STEPS: usize = 50;
const ANSWERS_PER_GROUP: usize = 5;
const MOST_GROUPS: usize = 10;
/// Jeffreys' prior for an unknown share.
const UNKNOWN: f64 = 0.5;

/// One answer with its stated confidence.
#[derive(Debug, Clone, Copy)]
struct StatedAnswer<'a> {
    agent: &'a str,
    domain: &'a str,
    stated: f64,
    right: f64,
    weight: f64,
}

/// All answers that stated a confidence, by lineage.
pub(super) struct StatedAnswers<'a> {
    answers: BTreeMap<String, Vec<StatedAnswer<'a>>>,
    agents: BTreeMap<&'a str, String>,
}

impl<'a> StatedAnswers<'a> {
    pub fn of(outcomes: &[&'a JudgedDebate], today: Day) -> StatedAnswers<'a> {
        let mut all = StatedAnswers { answers: BTreeMap::new(), agents: BTreeMap::new() };
        for judged in outcomes {
            let left = fading(today.since(judged.on), AGENT_HALF_LIFE) * judged.origin.weight();
            for voice in &judged.voices {
                let Some(stated) = voice.confidence else { continue };
                let line = all.agents.entry(&voice.agent).or_insert_with(|| lineage(&voice.agent));
                let answer = StatedAnswer {
                    agent: &voice.agent,
                    domain: &judged.domain,
                    stated: stated.clamp(0.01, 0.99),
                    right: voice.last_right,
                    weight: left * voice.told,
                };
                match all.answers.get_mut(line.as_str()) {
                    Some(answers) => answers.push(answer),
                    None => {
                        all.answers.insert(line.clone(), vec![answer]);
                    }
                }
            }
        }
        all
    }

    /// Returns each model's line over all domains, if there is one.
    pub fn everywhere(&self) -> Vec<CalibrationLearned> {
        self.agents.keys().filter_map(|agent| self.fitted(agent, None)).collect()
    }

    /// Returns a model's line in a domain: its own there, else the one for all
    /// domains.
    pub fn in_domain(&self, agent: &str, domain: &str) -> Option<CalibrationLearned> {
        self.fitted(agent, Some(domain)).or_else(|| self.fitted(agent, None))
    }

    fn fitted(&self, agent: &str, domain: Option<&str>) -> Option<CalibrationLearned> {
        // A version without outcomes takes over those of the others of its line.
        let line = self.agents.get(agent).cloned().unwrap_or_else(|| lineage(agent));
        let share =
            |answer: &StatedAnswer<'_>| if answer.agent == agent { 1.0 } else { VERSION_KEPT };
        let answers: Vec<StatedAnswer<'_>> = self
            .answers
            .get(&line)?
            .iter()
            .filter(|answer| domain.is_none_or(|domain| answer.domain == domain))
            .map(|answer| StatedAnswer { weight: answer.weight * share(answer), ..*answer })
            .collect();
        let effective: f64 = answers.iter().map(|answer| answer.weight).sum();
        let enough = if domain.is_some() { OWN_DOMAIN } else { LEAST };
        if effective < enough {
            return None;
        }
        let others = answers.iter().filter(|answer| answer.agent != agent);
        let carried = others.fold(0.0, |sum, answer| sum + answer.weight);
        let own = answers.iter().filter(|answer| answer.agent == agent).count();
        let (alpha, beta) = fit(&answers, STATED_CONFIDENCE);
        let line = CalibrationLine { alpha, beta, outcomes: super::count(own), effective };
        let curve = curve(&answers, &line);
        Some(CalibrationLearned {
            agent: agent.to_owned(),
            domain: domain.map(str::to_owned),
            brier_stated: brier(&answers, |stated| stated),
            brier_calibrated: brier(&answers, |stated| line.calibrated(stated)),
            error_stated: error(&curve, |point| point.stated),
            error_calibrated: error(&curve, |point| point.calibrated),
            line,
            curve,
            carried,
        })
    }
}

/// Fits a line to stated probabilities and whether each was right; `None` with
/// too few of them.
pub fn fitted_line(stated: &[(f64, bool)], prior: SlopePrior) -> Option<CalibrationLine> {
    let answers: Vec<StatedAnswer<'_>> = stated
        .iter()
        .map(|(stated, right)| StatedAnswer {
            agent: "",
            domain: "",
            stated: stated.clamp(0.01, 0.99),
            right: if *right { 1.0 } else { 0.0 },
            weight: 1.0,
        })
        .collect();
    let effective = answers.len() as f64;
    if effective < LEAST {
        return None;
    }
    let (alpha, beta) = fit(&answers, prior);
    Some(CalibrationLine { alpha, beta, outcomes: super::count(answers.len()), effective })
}

/// The most probable offset and slope, by Newton's method. The function has one
/// peak, and the prior keeps it from being flat.
fn fit(answers: &[StatedAnswer<'_>], prior: SlopePrior) -> (f64, f64) {
    let (mut alpha, mut beta) = (0.0, prior.mean);
    for _ in 0..NEWTON_STEPS {
        let mut slope = [-alpha / OFFSET_VARIANCE, (prior.mean - beta) / prior.variance];
        let mut bend = [1.0 / OFFSET_VARIANCE, 0.0, 1.0 / prior.variance];
        for answer in answers {
            let x = (answer.stated / (1.0 - answer.stated)).ln();
            let p = 1.0 / (1.0 + (-(alpha + beta * x)).exp());
            let miss = answer.weight * (answer.right - p);
            let curve = answer.weight * p * (1.0 - p);
            slope = [slope[0] + miss, slope[1] + miss * x];
            bend = [bend[0] + curve, bend[1] + curve * x, bend[2] + curve * x * x];
        }
        let [a, b, c] = bend;
        let area = a * c - b * b;
        let step = [(c * slope[0] - b * slope[1]) / area, (a * slope[1] - b * slope[0]) / area];
        // Far from the peak a full step can overshoot it.
        let size = step[0].abs().max(step[1].abs()).max(1.0);
        alpha += step[0] / size;
        beta += step[1] / size;
        if step[0].abs() + step[1].abs() < 1e-12 {
            break;
        }
    }
    (alpha, beta)
}

/// Returns groups of about equal size by stated confidence. Answers that stated
/// the same stay together: apart, each group would only show chance.
fn curve(answers: &[StatedAnswer<'_>], line: &CalibrationLine) -> Vec<CurvePoint> {
    let mut sorted: Vec<&StatedAnswer<'_>> = answers.iter().collect();
    sorted.sort_rows_by(|a, b| a.stated.total_cmp(&b.stated));
    let groups = (sorted.len() / ANSWERS_PER_GROUP).clamp(1, MOST_GROUPS);
    let size = sorted.len().div_ceil(groups).max(1);
    let mut points = Vec::new();
    let mut group: Vec<&StatedAnswer<'_>> = Vec::new();
    for same in sorted.chunk_by(|one, next| one.stated == next.stated) {
        group.extend(same);
        if group.len() >= size {
            points.extend(point(&group, line));
            group.clear();
        }
    }
    points.extend(point(&group, line));
    points
}

fn point(group: &[&StatedAnswer<'_>], line: &CalibrationLine) -> Option<CurvePoint> {
    let weight: f64 = group.iter().map(|answer| answer.weight).sum();
    let mean = |of: &dyn Fn(&StatedAnswer<'_>) -> f64| {
        group.iter().map(|answer| of(answer) * answer.weight).sum::<f64>() / weight
    };
    let right = mean(&|answer| answer.right);
    (weight > 0.0).then(|| CurvePoint {
        stated: mean(&|answer| answer.stated),
        right,
        interval: NINETY.map(|p| counted(right, weight).quantile(p)),
        calibrated: mean(&|answer| line.calibrated(answer.stated)),
        count: super::count(group.len()),
    })
}

/// Returns the distribution of a share that so many answers alone suggest.
fn counted(right: f64, answers: f64) -> Beta {
    Beta::new(UNKNOWN + right * answers, UNKNOWN + (1.0 - right) * answers)
}

fn brier(answers: &[StatedAnswer<'_>], of: impl Fn(f64) -> f64) -> f64 {
    let weight: f64 = answers.iter().map(|answer| answer.weight).sum();
    let sum: f64 =
        answers.iter().map(|one| one.weight * (of(one.stated) - one.right).powi(2)).sum();
    sum / weight
}

fn error(curve: &[CurvePoint], of: impl Fn(&CurvePoint) -> f64) -> f64 {
    let count: f64 = curve.iter().map(|point| f64::from(point.count)).sum();
    let miss = |point: &CurvePoint| f64::from(point.count) * (of(point) - point.right).abs();
    curve.iter().map(miss).sum::<f64>() / count.max(1.0)
}

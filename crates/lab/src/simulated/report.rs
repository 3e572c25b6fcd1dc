//! The weighed verdict judged where the truth is known: simulated agents at the
//! real table, the verdict beside simpler ways of coming to an answer,
//! and how far the agents are from published figures, misses included. The same
//! seed gives the same digits.

use std::sync::atomic::{AtomicUsize, Ordering};

use debate::sorting::SortRows;

use crate::simulated::figures::{FIGURES, Origin};
use crate::simulated::regimes::REGIMES;
use crate::simulated::{
    Method, OutcomeError, Regime, RegimeFigures, Trial, fit, simulate, worst_regret,
};
use serde::Serialize;

use crate::Progress;
use engine::error::EngineError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimulationSize {
    /// Debates of each regime.
    pub debates: u64,
    /// Items for each comparison with a published figure.
    pub fitting: u64,
}

impl SimulationSize {
    /// So many debates, and the comparisons in proportion.
    pub fn of(debates: u64) -> SimulationSize {
        SimulationSize { debates, fitting: debates.saturating_mul(10).max(200) }
    }
}

pub const FULL: SimulationSize = SimulationSize { debates: 10_000, fitting: 100_000 };
pub const SMALL: SimulationSize = SimulationSize { debates: 60, fitting: 2_000 };
pub const SEED: u64 = 20_261_115;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    pub seed: u64,
    pub debates_each: u64,
    pub fitting_items: u64,
    pub figures: Vec<FigureOrigin>,
    pub fitted: Vec<FitCheck>,
    pub held_out: Vec<FitCheck>,
    pub regimes: Vec<RegimeRow>,
    pub regret: Vec<MethodRegret>,
    pub losses: Vec<VerdictLoss>,
}

/// A figure of the agents and what fixes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FigureOrigin {
    pub name: &'static str,
    pub value: f64,
    pub fitted: bool,
    pub origin: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FitCheck {
    pub what: &'static str,
    pub published: f64,
    pub simulated: f64,
    pub miss: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegimeRow {
    pub regime: &'static str,
    pub trial: &'static str,
    pub methods: Vec<MethodScore>,
    pub toward_truth: u32,
    pub away_from_truth: u32,
    pub between_errors: u32,
    pub unanimous_wrong: u32,
    pub unanimous_wrong_flagged: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodScore {
    pub method: &'static str,
    pub accuracy: f64,
    pub brier: f64,
    pub calibration_error: f64,
}

/// The most a method stays behind the best one, in accuracy.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodRegret {
    pub method: &'static str,
    pub by_trial: Vec<(&'static str, f64)>,
    /// Among methods that know nothing of the agents.
    pub blind: f64,
    pub any: f64,
}

/// A regime where the verdict loses by more than two standard errors.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictLoss {
    pub regime: &'static str,
    pub to: Vec<(&'static str, f64)>,
}

pub fn measure(
    size: SimulationSize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Simulation, EngineError> {
    let checks = |found: Vec<fit::PublishedCheck>| found.iter().map(FitCheck::of).collect();
    let all = REGIMES.len() + 1;
    progress.step(0, all, "published figures");
    let (fitted, held_out) =
        (checks(fit::fitted(size.fitting, seed)), checks(fit::held_out(size.fitting, seed)));
    let measured = regimes(size.debates, seed, progress)
        .map_err(|error| EngineError::Tape(format!("the simulation broke off: {error}")))?;
    let rows = REGIMES.iter().zip(&measured);
    Ok(Simulation {
        seed,
        debates_each: size.debates,
        fitting_items: size.fitting,
        figures: FIGURES.iter().map(FigureOrigin::of).collect(),
        fitted,
        held_out,
        regimes: rows.clone().map(|(regime, one)| RegimeRow::of(regime, one)).collect(),
        regret: Method::ALL.map(|method| regret(method, &measured)).to_vec(),
        losses: rows.filter_map(|(regime, one)| loss(regime, one)).collect(),
    })
}

/// Every regime on its own; two at a time. The order of finishing changes
/// nothing.
fn regimes(
    debates: u64,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<RegimeFigures>, OutcomeError> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(regime) = REGIMES.get(at) else { return done };
            progress.step(at + 1, REGIMES.len() + 1, regime.name);
            done.push((at, simulate(0..debates, regime, seed)));
        }
    };
    let mut all: Vec<(usize, Result<RegimeFigures, OutcomeError>)> = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut all = work();
        all.extend(other.join().unwrap_or_default());
        all
    });
    all.sort_rows_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, measured)| measured).collect()
}

impl FigureOrigin {
    fn of(figure: &crate::simulated::figures::AgentFigure) -> FigureOrigin {
        let (fitted, origin) = match figure.origin {
            Origin::Fitted(to) => (true, to),
            Origin::Set(why) => (false, why),
        };
        FigureOrigin { name: figure.name, value: figure.value, fitted, origin }
    }
}

impl FitCheck {
    fn of(check: &fit::PublishedCheck) -> FitCheck {
        FitCheck {
            what: check.what,
            published: check.published,
            simulated: check.simulated,
            miss: check.miss(),
        }
    }
}

impl RegimeRow {
    fn of(regime: &Regime, one: &RegimeFigures) -> RegimeRow {
        let scored = |method: Method| MethodScore {
            method: method.word(),
            accuracy: one.score(method).accuracy(),
            brier: one.score(method).brier(),
            calibration_error: one.score(method).calibration_error(),
        };
        RegimeRow {
            regime: regime.name,
            trial: regime.trial.word(),
            methods: Method::ALL.map(scored).to_vec(),
            toward_truth: one.moves.toward_truth,
            away_from_truth: one.moves.away_from_truth,
            between_errors: one.moves.between_errors,
            unanimous_wrong: one.unanimous_wrong,
            unanimous_wrong_flagged: one.unanimous_wrong_flagged,
        }
    }
}

fn regret(method: Method, measured: &[RegimeFigures]) -> MethodRegret {
    let by_trial = Trial::ALL.map(|trial| {
        let rows = REGIMES.iter().zip(measured).filter(|(regime, _)| regime.trial == trial);
        (trial.word(), worst_regret(rows.map(|(_, one)| one), method, Method::is_blind))
    });
    MethodRegret {
        method: method.word(),
        by_trial: by_trial.to_vec(),
        blind: worst_regret(measured, method, Method::is_blind),
        any: worst_regret(measured, method, |_| true),
    }
}

fn loss(regime: &Regime, one: &RegimeFigures) -> Option<VerdictLoss> {
    let ours = one.score(Method::Weighed);
    let better = Method::ALL.into_iter().filter_map(|rival| {
        let gap = one.score(rival).accuracy() - ours.accuracy();
        (gap > 2.0 * ours.error()).then(|| (rival.word(), gap))
    });
    let to: Vec<(&str, f64)> = better.collect();
    (!to.is_empty()).then_some(VerdictLoss { regime: regime.name, to })
}

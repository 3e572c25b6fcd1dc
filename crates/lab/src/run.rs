//! Holds the debates of scenarios, one after the other, and measures each. What
//! is done is written down at once; a run that was cut off, or that reached its
//! money cap, goes on where it stood.

mod held;
pub mod plan;

use agents::CancellationToken;
use debate::model::MicroUsd;

pub use plan::{Plan, Source};

use crate::Progress;
use crate::runs::{self, BenchRun, RunEntry};
use crate::scenario::{Case, Scenario};
use engine::clock;
use engine::config::Config;
use engine::error::{At, EngineError, Problem, Refusal, refuse_all};

/// One debate to hold.
#[derive(Debug, Clone)]
pub struct Unit<'a> {
    pub scenario: &'a Scenario,
    pub case: &'a Case,
    pub case_number: usize,
    pub seed: u64,
    pub label: String,
}

impl Plan {
    pub fn units(&self) -> Vec<Unit<'_>> {
        let mut units = Vec::new();
        for (scenario, cases) in self.scenarios.iter().zip(&self.cases) {
            for (case_number, case) in cases.iter().enumerate() {
                for repeat in 0..u64::from(scenario.repeat) {
                    let seed = scenario.seed.wrapping_add(repeat);
                    let name = &scenario.name;
                    let label = match cases.len() {
                        1 => format!("{name}#{seed}"),
                        _ => format!("{name}.{}#{seed}", case_number + 1),
                    };
                    units.push(Unit { scenario, case, case_number, seed, label });
                }
            }
        }
        units
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum BenchEnd {
    Whole,
    /// The next debate might pass the cap.
    AtCap(String),
    Interrupted,
}

/// Begins a run, after looking whether it can be held at all.
pub async fn begin(
    config: &Config,
    name: Option<&str>,
    plan: Plan,
) -> Result<BenchRun, EngineError> {
    let mut faults = Vec::new();
    let mut refusals: Vec<Refusal> = Vec::new();
    let mut names: Vec<&str> = plan.scenarios.iter().map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if let [one, other] = pair
            && one == other
        {
            faults.push(format!("two scenarios are called {one:?}; give each a name of its own"));
        }
    }
    if let Some(file) = plan.record.as_ref().filter(|file| file.exists()) {
        let file = file.display();
        faults.push(format!("--record: {file} exists already; choose another name or remove it"));
    }
    for unit in plan.units().iter().filter(|unit| unit.case_number == 0) {
        if unit.seed != unit.scenario.seed {
            continue;
        }
        match held::check(config, &plan, unit).await {
            Ok(()) => {}
            Err(EngineError::Face(more)) => {
                let name = &unit.scenario.name;
                faults.extend(more.into_iter().map(|fault| format!("{name}: {fault}")));
            }
            Err(EngineError::Refused(more)) => {
                let name = || unit.scenario.name.clone();
                refusals.extend(more.into_iter().map(|one| Refusal {
                    at: At::Within { name: name(), at: Box::new(one.at) },
                    ..one
                }));
            }
            Err(trouble) => return Err(trouble),
        }
    }
    faults.dedup();
    if refusals.is_empty() && !faults.is_empty() {
        return Err(EngineError::Face(faults));
    }
    let own = |why| Refusal::new(At::Order, Problem::Failed { why });
    refusals.splice(0..0, faults.into_iter().map(own));
    refusals.dedup();
    refuse_all(refusals)?;
    let first = plan.scenarios.first().map_or("run", |scenario| scenario.name.as_str());
    let usual = if plan.scenarios.len() == 1 { first } else { "run" };
    let wanted = name.unwrap_or(usual).to_owned();
    runs::begin(&config.paths.bench, &wanted, clock::now_ms(), plan)
}

/// Holds whatever of a run has not been held.
pub async fn go_on(
    config: &Config,
    run: &mut BenchRun,
    progress: &dyn Progress,
    cancel: &CancellationToken,
) -> Result<BenchEnd, EngineError> {
    let plan = run.head.plan.clone();
    let units = plan.units();
    let hall = held::RunHall::open(config, &plan)?;
    for (done, unit) in units.iter().enumerate() {
        if run.is_held(&unit.label) {
            continue;
        }
        if cancel.is_cancelled() {
            return Ok(BenchEnd::Interrupted);
        }
        progress.step(done, units.len(), &unit.label);
        let left = plan
            .cap
            .map(|cap| MicroUsd(cap.0.saturating_sub(MicroUsd::from_usd(run.spent_usd()).0)));
        let begun = run.begun(&unit.label).map(str::to_owned);
        let mut news = |entry| run.add(entry);
        match hall.hold(config, unit, begun, left, &mut news, cancel).await? {
            held::DebateEnd::Held(held) => run.add(RunEntry::Held(held))?,
            held::DebateEnd::Failed(why) => {
                run.add(RunEntry::Failed { label: unit.label.clone(), why })?;
            }
            held::DebateEnd::AtCap(why) => return Ok(BenchEnd::AtCap(why)),
            held::DebateEnd::Interrupted => return Ok(BenchEnd::Interrupted),
        }
    }
    hall.ended()?;
    progress.step(units.len(), units.len(), "");
    Ok(BenchEnd::Whole)
}

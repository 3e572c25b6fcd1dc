//! One debate of a run: set the table, hold it where it belongs, measure it.

use std::borrow::Cow;
use std::sync::Arc;

use crate::simulated::lively::Lively;
use crate::simulated::{self, Labels, SimulatedItem, SimulatedSitting};
use agents::embed::{Embedder, StaticEmbedder};
use agents::recorded::{Recorder, Recording, Tape};
use agents::{CancellationToken, Outside, Panel};
use debate::Debate;
use debate::model::{Brief, MicroUsd, PauseReason, Question};
use store::StoreError;

use crate::metrics::Metrics;
use crate::reserve::{self, worst_debate};
use crate::run::{Plan, Source, Unit};
use crate::runs::{HeldDebate, RunEntry};
use crate::venue;
use engine::config::{Config, Environment, FileConfig};
use engine::error::EngineError;
use engine::recording;
use engine::run::{OwnPrices, RunEnd};
use engine::sessions::start::{self, OpenedDebate};
use engine::sessions::{list, resume};
use engine::table::{brief, seats};

/// What the answers of an open question are at a simulated table.
const POSITIONS: [&str; 4] =
    ["to do it now", "to do it in stages", "to wait a quarter", "to leave it"];

/// What became of a debate.
pub enum DebateEnd {
    Held(Box<HeldDebate>),
    Failed(String),
    AtCap(String),
    Interrupted,
}

/// What all debates of a run share.
pub struct RunHall {
    source: Source,
    recorder: Option<Arc<Recorder>>,
    recording: Option<Arc<Recording>>,
    embedder: Arc<dyn Embedder>,
}

/// A debate that costs nothing to hold, ready.
struct InMemory {
    debate: Debate,
    panel: Panel,
    outside: Option<Outside>,
}

/// Nothing of the user's own settings may change what is measured without
/// being in the scenario.
fn bare(config: &Config) -> Config {
    Config {
        environment: Environment::default(),
        paths: config.paths.clone(),
        file: FileConfig::default(),
        words: Default::default(),
        constitution: Default::default(),
        http: Default::default(),
        store: config.store.clone(),
        caller: config.caller.clone(),
    }
}

impl RunHall {
    pub fn open(config: &Config, plan: &Plan) -> Result<RunHall, EngineError> {
        let recording = match &plan.source {
            Source::Recording { file, .. } => Some(Arc::new(Recording::load(file)?)),
            _ => None,
        };
        let recorder = match &plan.record {
            None => None,
            Some(path) => {
                let secrets = recording::secrets(&seats::outside(config)?);
                Some(Arc::new(if path.exists() {
                    Recorder::go_on(path, secrets)?
                } else {
                    Recorder::create(path, secrets, env!("CARGO_PKG_VERSION"))?
                }))
            }
        };
        let (source, embedder) = (plan.source.clone(), Arc::new(StaticEmbedder::new()));
        Ok(RunHall { source, recorder, recording, embedder })
    }

    /// Says what the recorder could not write, or the recording did not hold.
    pub fn ended(&self) -> Result<(), EngineError> {
        if let Some(recorder) = &self.recorder {
            recorder.ended().map_err(|error| EngineError::Tape(error.to_string()))?;
        }
        Ok(())
    }

    pub async fn hold(
        &self,
        config: &Config,
        unit: &Unit<'_>,
        begun: Option<String>,
        left: Option<MicroUsd>,
        news: &mut (dyn FnMut(RunEntry) -> Result<(), EngineError> + Send),
        cancel: &CancellationToken,
    ) -> Result<DebateEnd, EngineError> {
        let source = self.source.of(unit.scenario);
        if let Source::Live { agents, clerk } = &source {
            if let Some(held) = self.finished(config, unit, begun.as_deref()).await {
                return Ok(DebateEnd::Held(Box::new(held)));
            }
            let wanted = (agents.as_slice(), clerk.as_deref());
            let opened = self.opened(config, unit, begun, wanted, news).await?;
            return self.live(config, unit, opened, left, cancel).await;
        }
        let InMemory { debate, panel, outside } = self.in_memory(config, unit, &source)?;
        if let (Some(left), Some(outside)) = (left, &outside) {
            let pricing = OwnPrices { script: outside.script.clone() };
            let worst = worst_debate(&debate, &pricing);
            if worst > left {
                return Ok(DebateEnd::AtCap(too_little(left, worst)));
            }
        }
        let seats = debate.room().seats.clone();
        let panel = match &self.recorder {
            Some(by) => {
                by.begin(&unit.label, &debate.room().brief);
                panel.taped(&Tape::Recording { by: Arc::clone(by), label: unit.label.clone() })
            }
            None => panel,
        };
        let before = self.recording.as_ref().map_or(0, |tape| tape.differences().len());
        let ended = venue::hold(debate, &panel, Some(self.embedder.as_ref()), cancel).await;
        if let Some(difference) =
            self.recording.as_ref().and_then(|tape| tape.differences().into_iter().nth(before))
        {
            return Err(EngineError::Tape(format!("{}: {difference}", unit.label)));
        }
        match ended {
            Ok(debate) => match &debate.room().verdict {
                Some(verdict) => {
                    let metrics = Metrics::of(verdict, &seats, None);
                    let (answer, exit) = (&verdict.decision.answer, &verdict.metadata.exit_reason);
                    Ok(DebateEnd::Held(Box::new(unit.held(None, answer, exit, metrics))))
                }
                None => Ok(DebateEnd::Failed("it came to no verdict".into())),
            },
            Err(_) if cancel.is_cancelled() => Ok(DebateEnd::Interrupted),
            Err(why) => Ok(DebateEnd::Failed(why)),
        }
    }

    /// A debate that came to its end before that could be written down: it is
    /// paid for and is not held twice.
    async fn finished(
        &self,
        config: &Config,
        unit: &Unit<'_>,
        begun: Option<&str>,
    ) -> Option<HeldDebate> {
        let session = list::show(config, begun?).await.ok()?;
        let room = session.debate.room();
        let verdict = room.verdict.as_ref()?;
        let metrics = Metrics::of(verdict, &room.seats, None);
        let (answer, exit) = (&verdict.decision.answer, &verdict.metadata.exit_reason);
        Some(unit.held(Some(session.id.clone()), answer, exit, metrics))
    }

    /// The live debate in the database: the one that was begun, or a new one.
    async fn opened(
        &self,
        config: &Config,
        unit: &Unit<'_>,
        begun: Option<String>,
        wanted: (&[String], Option<&str>),
        news: &mut (dyn FnMut(RunEntry) -> Result<(), EngineError> + Send),
    ) -> Result<OpenedDebate, EngineError> {
        if let Some(id) = begun {
            match resume::resume(config, &id, None).await {
                // Somebody has removed it since.
                Err(EngineError::Store(StoreError::Unknown { .. })) => {}
                other => return other,
            }
        }
        let mut wanted_order = unit.scenario.order(unit.case, unit.seed);
        wanted_order.agents = wanted.0.to_vec();
        wanted_order.clerk = wanted.1.map(str::to_owned).or(wanted_order.clerk);
        let opened = start::start(config, &wanted_order).await?;
        news(RunEntry::Begun { label: unit.label.clone(), debate: opened.id.clone() })?;
        Ok(opened)
    }

    async fn live(
        &self,
        config: &Config,
        unit: &Unit<'_>,
        opened: OpenedDebate,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<DebateEnd, EngineError> {
        let seats = opened.debate.room().seats.clone();
        let tape = match &self.recorder {
            None => Tape::Off,
            Some(by) => Tape::Recording { by: Arc::clone(by), label: unit.label.clone() },
        };
        let ran = venue::run(config, opened, left, tape, cancel).await?;
        match ran.outcome {
            RunEnd::Done(verdict) => {
                let metrics = Metrics::of(&verdict, &seats, Some(ran.wall_ms));
                let (answer, exit) = (&verdict.decision.answer, &verdict.metadata.exit_reason);
                Ok(DebateEnd::Held(Box::new(unit.held(Some(ran.id), answer, exit, metrics))))
            }
            RunEnd::Paused(PauseReason::Interrupted) => Ok(DebateEnd::Interrupted),
            RunEnd::Paused(PauseReason::Budget { why, .. }) => Ok(DebateEnd::AtCap(why)),
            RunEnd::Paused(reason) => Ok(DebateEnd::Failed(reason.sentence())),
        }
    }

    fn in_memory(
        &self,
        config: &Config,
        unit: &Unit<'_>,
        source: &Source,
    ) -> Result<InMemory, EngineError> {
        let config = bare(config);
        let wanted = unit.scenario.order(unit.case, unit.seed);
        let mut brief = brief::brief(&config, &wanted, unit.case.topic.clone())?;
        brief.embedder = Some(self.embedder.name().to_owned());
        match source {
            Source::Script { file } => scripted(&config, brief, file),
            Source::Recording { speed, .. } => {
                let from = self.recording.clone().ok_or_else(|| {
                    EngineError::input("no recording was opened; name one with --replay")
                })?;
                replayed(&config, unit, brief, from, speed.as_deref())
            }
            Source::Simulated | Source::AsWritten | Source::Live { .. } => {
                simulated_table(unit, brief)
            }
        }
    }
}

impl Unit<'_> {
    fn held(
        &self,
        debate: Option<String>,
        answer: &str,
        exit_reason: &str,
        metrics: Metrics,
    ) -> HeldDebate {
        HeldDebate {
            label: self.label.clone(),
            scenario: self.scenario.name.clone(),
            mode: self.scenario.mode.clone(),
            case: self.case_number,
            seed: self.seed,
            debate,
            answer: answer.to_owned(),
            exit_reason: exit_reason.to_owned(),
            metrics,
        }
    }
}

fn simulated_table(unit: &Unit<'_>, mut brief: Brief) -> Result<InMemory, EngineError> {
    let table = &unit.scenario.simulated;
    let Some(regime) = table.regime() else {
        return Err(EngineError::input(format!("there is no simulated table {:?}", table.table)));
    };
    brief.agents = regime.people.iter().map(simulated::agent).collect();
    // No model reads these views; a key of their own would only change the count
    // of tokens from run to run.
    brief.fence_key = "5".repeat(32);
    let labels = match &brief.question {
        Question::Number { .. } | Question::Probability => {
            Labels::Numbers(vec![0.2, 0.4, 0.6, 0.8])
        }
        other => {
            Labels::Words(other.options().unwrap_or_else(|| POSITIONS.map(String::from).to_vec()))
        }
    };
    let options = match &labels {
        Labels::Words(words) => words.len(),
        Labels::Numbers(numbers) => numbers.len(),
    };
    let truth = (unit.seed as usize).wrapping_add(unit.case_number) % options.max(1);
    let item = SimulatedItem::given(unit.seed, unit.case_number as u64, options, truth);
    let people = Cow::Borrowed(regime.people);
    let sitting = Arc::new(SimulatedSitting::of(item, people, regime.talk, labels));
    let panel = Lively::panel(&sitting, &Arc::new(table.manner()));
    let (debate, _) = Debate::open(brief)?;
    Ok(InMemory { debate, panel, outside: None })
}

fn scripted(
    config: &Config,
    mut brief: Brief,
    file: &std::path::Path,
) -> Result<InMemory, EngineError> {
    let table = seats::from_script(file, seats::outside(config)?)?;
    brief.agents = table.agents.clone();
    brief.clerk = table.clerk.clone();
    let panel = table.panel()?;
    let (debate, _) = Debate::open(brief)?;
    Ok(InMemory { debate, panel, outside: Some(table.outside) })
}

/// The scenario's debate with the recording's agents: what the scenario changes
/// since then shows as a difference.
fn replayed(
    config: &Config,
    unit: &Unit<'_>,
    mut brief: Brief,
    from: Arc<Recording>,
    speed: Option<&str>,
) -> Result<InMemory, EngineError> {
    let recorded = recording::again(from.brief(&unit.label)?, &brief.fence_key);
    brief.agents = recorded.agents;
    brief.clerk = recorded.clerk;
    brief.tools = recorded.tools;
    brief.styles = recorded.styles;
    let mut outside = seats::outside(config)?;
    let pace = recording::pace(speed)?;
    outside.tape = Tape::Replaying { from, label: unit.label.clone(), pace };
    let panel = Panel::open(&brief.agents, brief.clerk.as_ref(), &outside)?;
    let (debate, _) = Debate::open(brief)?;
    Ok(InMemory { debate, panel, outside: None })
}

/// Returns whether the first debate of a scenario could be held, and within the cap.
pub async fn check(config: &Config, plan: &Plan, unit: &Unit<'_>) -> Result<(), EngineError> {
    let hall = RunHall::open(config, &Plan { record: None, ..plan.clone() })?;
    let source = plan.source.of(unit.scenario);
    let worst = match &source {
        Source::Live { agents, clerk } => {
            let mut wanted = unit.scenario.order(unit.case, unit.seed);
            wanted.agents = agents.clone();
            wanted.clerk = clerk.clone().or(wanted.clerk);
            wanted.topic = Some(unit.case.topic.clone());
            let need = reserve::live(config, &wanted).await?;
            need.debate.max(need.first)
        }
        _ => {
            let ready = hall.in_memory(config, unit, &source)?;
            match ready.outside {
                None => MicroUsd::ZERO,
                Some(outside) => worst_debate(&ready.debate, &OwnPrices { script: outside.script }),
            }
        }
    };
    match plan.cap {
        Some(cap) if worst > cap => Err(EngineError::input(too_little(cap, worst))),
        _ => Ok(()),
    }
}

fn too_little(cap: MicroUsd, worst: MicroUsd) -> String {
    format!(
        "--cap: {cap} is left and one debate may cost up to {worst}; allow at least ${:.4}, or \
         lower rounds or max_tokens in the scenario",
        worst.usd()
    )
}

//! The table the questions are put before: simulated agents whose truth is
//! known, live ones, or a recording of these.

use std::sync::Arc;

use agents::embed::{Embedder, StaticEmbedder};
use agents::recorded::{Recorder, Recording, ReplaySpeed, Tape};
use agents::{CancellationToken, Panel};
use debate::Debate;
use debate::model::{Choice, Flags, MicroUsd, PauseReason, SeatId};

use crate::quality::costs::{cost_of, whole_cost};
use crate::quality::plain::PlainModel;
use crate::quality::plan::{QualityPlan, Speakers};
use crate::quality::pretend::{simulated_debate, simulated_samples};
use crate::quality::questions::AskedItem;
use crate::quality::results::Cost;
use crate::reserve;
use crate::venue;
use engine::clock;
use engine::config::{self, Config, FLAG_ROWS};
use engine::error::EngineError;
use engine::recording;
use engine::run::RunEnd;
use engine::sessions::{list, start};
use engine::table::order::Order;
use engine::table::prepare::prepare;
use engine::table::seats;

/// As many sit at one table.
const MOST_SEATS: usize = 10;

/// The reason why a debate of this table has no result.
pub enum QualityHalt {
    AtCap(String),
    Interrupted,
    Failed(EngineError),
}

impl From<EngineError> for QualityHalt {
    fn from(error: EngineError) -> QualityHalt {
        QualityHalt::Failed(error)
    }
}

/// The debates that a question is put before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebateKind {
    /// First answers sampled until they are clear, and talk only about a split.
    Adaptive,
    Whole,
    /// Without the watch for groupthink.
    Calm,
    /// The sealed first answers alone.
    First,
}

pub struct QualityTable<'a> {
    config: &'a Config,
    plan: &'a QualityPlan,
    embedder: Arc<dyn Embedder>,
    recorder: Option<Arc<Recorder>>,
    recording: Option<Arc<Recording>>,
}

impl<'a> QualityTable<'a> {
    pub fn open(
        config: &'a Config,
        plan: &'a QualityPlan,
    ) -> Result<QualityTable<'a>, EngineError> {
        let recording = match &plan.speakers {
            Speakers::Recording { file } => Some(Arc::new(Recording::load(file)?)),
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
        let embedder = Arc::new(StaticEmbedder::new());
        Ok(QualityTable { config, plan, embedder, recorder, recording })
    }

    pub fn ended(&self) -> Result<(), EngineError> {
        if let Some(recorder) = &self.recorder {
            recorder.ended().map_err(|error| EngineError::Tape(error.to_string()))?;
        }
        Ok(())
    }

    /// Refuses an amount of money that cannot carry one question.
    pub async fn affords(&self, left: MicroUsd) -> Result<(), EngineError> {
        let (Speakers::Live { agents, clerk }, Some(item)) =
            (&self.plan.speakers, self.plan.questions.items.first())
        else {
            return Ok(());
        };
        let asked = AskedItem { number: 0, item, seed: self.plan.seed, label: String::new() };
        let order = self.order(&asked, DebateKind::Whole);
        let order = Order { agents: agents.clone(), clerk: clerk.clone(), ..order };
        let need = reserve::live(self.config, &order).await?;
        // As many votes as the debate may have answers, with a round of objections.
        let rounds = u64::from(self.plan.rounds).saturating_add(1);
        let votes = need.seats.saturating_mul(rounds).clamp(2, MOST_SEATS as u64);
        let votes = MicroUsd(need.call.0.saturating_mul(votes));
        if left >= need.debate.max(need.first).max(votes) {
            return Ok(());
        }
        Err(EngineError::input(format!(
            "--cap: {left} is left, and one question may cost up to {} for the debate and {} for \
             each vote beside it; allow at least ${:.2}, or lower --rounds",
            need.debate.max(need.first),
            votes,
            (need.debate.max(need.first) + votes + votes).usd() + 0.005
        )))
    }

    fn tape(&self, label: &str) -> Tape {
        match &self.recorder {
            None => Tape::Off,
            Some(by) => Tape::Recording { by: Arc::clone(by), label: label.into() },
        }
    }

    /// The order for a debate, with every flag given. No seat may wait for context:
    /// there is no caller who could answer.
    fn order(&self, asked: &AskedItem<'_>, kind: DebateKind) -> Order {
        let set = match kind {
            DebateKind::Whole | DebateKind::Adaptive => Vec::new(),
            DebateKind::Calm | DebateKind::First => {
                vec![("groupthinkDetection.enabled".to_owned(), "false".to_owned())]
            }
        };
        let flags = config::overlay(&Flags::default(), &set).unwrap_or_default();
        let values = serde_json::to_value(&flags).unwrap_or_default();
        let flag = |row: &config::FlagRow| {
            let value = values.pointer(&format!("/{}", row.key.replace('.', "/")))?;
            (!value.is_null())
                .then(|| format!("{}={}", row.key, value.to_string().replace('"', "")))
        };
        let rounds = if kind == DebateKind::First { 1 } else { self.plan.rounds };
        Order {
            topic: Some(asked.item.question.clone()),
            mode: Some(self.plan.mode.clone()),
            rounds: Some(rounds.to_string()),
            question: asked.item.form(),
            flags: FLAG_ROWS.iter().filter_map(flag).collect(),
            seed: Some(asked.seed.to_string()),
            context_requests: Some(false),
            effort: (kind == DebateKind::Adaptive).then(|| "adaptive".to_owned()),
            ..Order::default()
        }
    }

    pub async fn debate(
        &self,
        asked: &AskedItem<'_>,
        kind: DebateKind,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<Debate, QualityHalt> {
        let label = match kind {
            DebateKind::Whole => asked.label.clone(),
            DebateKind::Adaptive => format!("{}.adaptive", asked.label),
            DebateKind::Calm => format!("{}.calm", asked.label),
            DebateKind::First => format!("{}.first", asked.label),
        };
        let order = self.order(asked, kind);
        match &self.plan.speakers {
            Speakers::Simulated(regime) => {
                let (debate, panel) = simulated_debate(regime, asked, &order)?;
                self.in_memory(debate, panel, &label, cancel).await
            }
            Speakers::Live { agents, clerk } => {
                let order = Order { agents: agents.clone(), clerk: clerk.clone(), ..order };
                self.live(&order, &label, left, cancel).await
            }
            Speakers::Recording { .. } => self.replayed(&label, cancel).await,
        }
    }

    async fn in_memory(
        &self,
        debate: Debate,
        panel: Panel,
        label: &str,
        cancel: &CancellationToken,
    ) -> Result<Debate, QualityHalt> {
        if let Some(by) = &self.recorder {
            by.begin(label, &debate.room().brief);
        }
        let panel = panel.taped(&self.tape(label));
        match venue::hold(debate, &panel, Some(self.embedder.as_ref()), cancel).await {
            Ok(debate) => Ok(debate),
            Err(_) if cancel.is_cancelled() => Err(QualityHalt::Interrupted),
            Err(why) => {
                let difference = self.recording.as_ref().and_then(|t| t.differences().pop());
                let why = difference.map_or(why, |difference| difference.to_string());
                Err(EngineError::Tape(format!("{label}: {why}")).into())
            }
        }
    }

    async fn replayed(
        &self,
        label: &str,
        cancel: &CancellationToken,
    ) -> Result<Debate, QualityHalt> {
        let from = self.recording.clone();
        let from = from.ok_or_else(|| EngineError::input("no recording was opened"))?;
        let brief = from.brief(label).map_err(EngineError::from)?;
        let brief = recording::again(brief, &clock::new_secret());
        let mut outside = seats::outside(self.config)?;
        let (agents, clerk) = (brief.agents.clone(), brief.clerk.clone());
        outside.tape = Tape::Replaying { from, label: label.into(), pace: ReplaySpeed::AtOnce };
        let panel = Panel::open(&agents, clerk.as_ref(), &outside).map_err(EngineError::from)?;
        let (debate, _) = Debate::open(brief).map_err(EngineError::from)?;
        self.in_memory(debate, panel, label, cancel).await
    }

    async fn live(
        &self,
        order: &Order,
        label: &str,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<Debate, QualityHalt> {
        let opened = start::start(self.config, order).await?;
        let ran = venue::run(self.config, opened, left, self.tape(label), cancel).await?;
        match ran.outcome {
            RunEnd::Done(_) => Ok(list::show(self.config, &ran.id).await?.debate),
            RunEnd::Paused(PauseReason::Interrupted) => Err(QualityHalt::Interrupted),
            RunEnd::Paused(PauseReason::Budget { why, .. }) => Err(QualityHalt::AtCap(why)),
            RunEnd::Paused(reason) => Err(EngineError::Tape(format!(
                "{label} (debate {}): {}",
                ran.id,
                reason.sentence()
            ))
            .into()),
        }
    }

    /// Asks for plain answers: so many first, then as many as `wanted` says with what
    /// those cost.
    pub async fn plain(
        &self,
        asked: &AskedItem<'_>,
        (first, wanted): (usize, impl Fn(&[Cost]) -> usize),
        one: &Cost,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<(Vec<Option<Choice>>, Vec<Cost>), QualityHalt> {
        if let Speakers::Simulated(regime) = &self.plan.speakers {
            let count = wanted(&[*one]);
            return Ok((simulated_samples(regime, asked, count), vec![*one; count]));
        }
        let model = self.plain_model(asked).await?;
        let (mut choices, mut costs) = (Vec::new(), Vec::new());
        let mut count = first;
        while choices.len() < count {
            // Under a cap one by one, each against what the others really cost.
            let more = if left.is_some() { 1 } else { count - choices.len() };
            let spent: f64 = costs.iter().map(|cost: &Cost| cost.usd).sum();
            let left =
                left.map(|left| MicroUsd(left.0.saturating_sub(MicroUsd::from_usd(spent).0)));
            if !model.affords(more, left) {
                return Err(QualityHalt::AtCap("the plain answers would pass the cap".into()));
            }
            let answers = model.answers(asked.item, choices.len(), more, cancel).await;
            if cancel.is_cancelled() {
                return Err(QualityHalt::Interrupted);
            }
            for answer in answers {
                choices.push(answer.choice);
                costs.push(cost_of(vec![answer.bill]));
            }
            count = wanted(&costs).max(first);
        }
        Ok((choices, costs))
    }

    async fn plain_model(&self, asked: &AskedItem<'_>) -> Result<PlainModel, QualityHalt> {
        let label = format!("{}.plain", asked.label);
        if let Some(from) = &self.recording {
            let brief = from.brief(&label).map_err(EngineError::from)?;
            let from = Arc::clone(from);
            let outside = seats::outside(self.config)?;
            let tape = Tape::Replaying { from, label, pace: ReplaySpeed::AtOnce };
            return Ok(PlainModel::open(brief, &outside, tape)?);
        }
        let (agents, clerk) = match &self.plan.speakers {
            Speakers::Live { agents, clerk } => (agents.clone(), clerk.clone()),
            _ => (Vec::new(), None),
        };
        let order = Order { agents, clerk, ..self.order(asked, DebateKind::First) };
        let prepared = prepare(self.config, &order).await?;
        let brief = &prepared.debate.room().brief;
        if let Some(by) = &self.recorder {
            by.begin(&label, brief);
        }
        Ok(PlainModel::open(brief, &prepared.table.outside, self.tape(&label))?)
    }

    /// Asks for so many first answers of the first agent, each without seeing
    /// another.
    pub async fn samples(
        &self,
        asked: &AskedItem<'_>,
        count: usize,
        one: &Cost,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<(Vec<Option<Choice>>, Cost), QualityHalt> {
        if let Speakers::Simulated(regime) = &self.plan.speakers {
            let votes = simulated_samples(regime, asked, count);
            let cost = (1..count).fold(*one, |sum, _| sum.plus(*one));
            return Ok((votes, cost));
        }
        let (mut votes, mut cost) = (Vec::new(), Cost { priced: true, ..Cost::default() });
        let mut batch = 0;
        while votes.len() < count {
            batch += 1;
            // A table has at least two seats; what is too much is not counted.
            let seats = (count - votes.len()).clamp(2, MOST_SEATS);
            let label = format!("{}.samples{batch}", asked.label);
            let left =
                left.map(|left| MicroUsd(left.0.saturating_sub(MicroUsd::from_usd(cost.usd).0)));
            let debate = match &self.plan.speakers {
                Speakers::Live { agents, .. } => {
                    let agent = agents.first().cloned().unwrap_or_default();
                    let order = Order {
                        agents: vec![agent; seats],
                        clerk: Some("none".into()),
                        seed: Some(asked.seed.wrapping_add(batch).to_string()),
                        ..self.order(asked, DebateKind::First)
                    };
                    self.live(&order, &label, left, cancel).await?
                }
                _ => self.replayed(&label, cancel).await?,
            };
            let first = debate.room().round(1);
            votes.extend((0..seats).map(|seat| {
                let turn = first.and_then(|round| round.turn(SeatId(seat)));
                turn.and_then(|turn| turn.answer.answer.clone())
            }));
            cost = cost.plus(whole_cost(debate.room()));
        }
        votes.truncate(count);
        Ok((votes, cost))
    }

    /// A debate that asks for as many first answers as it takes and talks only
    /// where they split; `None` where this table cannot hold one.
    pub async fn adaptive(
        &self,
        asked: &AskedItem<'_>,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<Option<Debate>, QualityHalt> {
        self.debate(asked, DebateKind::Adaptive, left, cancel).await.map(Some)
    }
}

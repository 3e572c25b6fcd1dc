//! The table the questions are put before: simulated agents whose truth is
//! known, live ones, or a recording of these.

use std::borrow::Cow;
use std::sync::Arc;

use agents::embed::{Embedder, StaticEmbedder};
use agents::recorded::{Recorder, Recording, ReplaySpeed, Tape};
use agents::simulated::figures::MOST_OPTIONS;
use agents::simulated::lively::{Lively, Manner};
use agents::simulated::{self, Item as Truth, Labels, Regime, Sitting};
use agents::{CancellationToken, Panel};
use debate::Debate;
use debate::model::{Bill, Choice, Flags, MicroUsd, PauseReason, Room, RoundRecord, SeatId};

use crate::quality::arms::{self, Arm, Believed, majority};
use crate::quality::questions::{Item, Kind};
use crate::quality::results::{Answered, Cost, Given};
use crate::quality::{Plan, Speakers};
use crate::reserve;
use crate::statistics::Dice;
use crate::venue;
use engine::clock;
use engine::config::{self, Config, FLAG_ROWS};
use engine::error::EngineError;
use engine::recording;
use engine::run::RunEnd;
use engine::sessions::{list, start};
use engine::table::order::Order;
use engine::table::seats;

/// More samples than this are not taken, however cheap they are.
const MOST_SAMPLES: usize = 60;
/// As many sit at one table.
const MOST_SEATS: usize = 10;
/// What a wrong number is multiplied with at a simulated table.
const OFF: [f64; 3] = [1.1, 0.9, 2.0];

pub enum Came {
    Answered(Box<Answered>),
    AtCap(String),
    Interrupted,
}

/// Why a debate of this table has no result.
enum Halt {
    AtCap(String),
    Interrupted,
}

pub struct Table<'a> {
    config: &'a Config,
    plan: &'a Plan,
    embedder: Arc<dyn Embedder>,
    recorder: Option<Arc<Recorder>>,
    recording: Option<Arc<Recording>>,
}

/// What is debated with what seed, and under which name it is recorded.
struct Sat<'a> {
    number: usize,
    item: &'a Item,
    seed: u64,
    label: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Groupthink {
    Watched,
    Unwatched,
}

impl<'a> Table<'a> {
    pub async fn open(config: &'a Config, plan: &'a Plan) -> Result<Table<'a>, EngineError> {
        let recording = match &plan.speakers {
            Speakers::Recording { file } => Some(Arc::new(Recording::load(file)?)),
            _ => None,
        };
        let recorder = match &plan.record {
            None => None,
            Some(path) => {
                let secrets = recording::secrets(&seats::outside(config)?);
                Some(Arc::new(match path.exists() {
                    true => Recorder::go_on(path, secrets)?,
                    false => Recorder::create(path, secrets, env!("CARGO_PKG_VERSION"))?,
                }))
            }
        };
        let embedder = Arc::new(StaticEmbedder::new());
        Ok(Table { config, plan, embedder, recorder, recording })
    }

    pub fn ended(&self) -> Result<(), EngineError> {
        if let Some(recorder) = &self.recorder {
            recorder.ended().map_err(|error| EngineError::Tape(error.to_string()))?;
        }
        Ok(())
    }

    /// Whether so much money can carry one question.
    pub async fn affords(&self, left: MicroUsd) -> Result<(), EngineError> {
        let (Speakers::Live { agents, clerk }, Some(item)) =
            (&self.plan.speakers, self.plan.questions.items.first())
        else {
            return Ok(());
        };
        let sat = Sat { number: 0, item, seed: self.plan.seed, label: String::new() };
        let order = self.order(&sat, Groupthink::Watched);
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
             the vote beside it; allow at least ${:.2}, or lower --rounds",
            need.debate.max(need.first),
            votes,
            (need.debate.max(need.first) + votes).usd() + 0.005
        )))
    }

    /// One question, in every way.
    pub async fn answer(
        &mut self,
        number: usize,
        item: &Item,
        seed: u64,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<Came, EngineError> {
        let sat = Sat { number, item, seed, label: format!("q{}#{seed}", number + 1) };
        match self.all_arms(&sat, left, cancel).await? {
            Ok(answered) => Ok(Came::Answered(Box::new(answered))),
            Err(Halt::AtCap(why)) => Ok(Came::AtCap(why)),
            Err(Halt::Interrupted) => Ok(Came::Interrupted),
        }
    }

    async fn all_arms(
        &self,
        sat: &Sat<'_>,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<Result<Answered, Halt>, EngineError> {
        let mut dice = Dice::new(sat.seed.wrapping_mul(1_000_003).wrapping_add(sat.number as u64));
        let debate = match self.debate(sat, Groupthink::Watched, left, cancel).await? {
            Ok(debate) => debate,
            Err(halt) => return Ok(Err(halt)),
        };
        let whole = cost_of(all_bills(debate.room()));
        let first = cost_of(bills(debate.room().round(1)));
        let sample = cost_of(own_bills(debate.room()));
        let mut spent = whole;
        let mut said: Vec<(Arm, Believed, Cost)> = Vec::new();
        for arm in Arm::ALL {
            let cost = match arm {
                Arm::Single => sample,
                Arm::FirstMajority | Arm::FirstWeighed => first,
                _ => whole,
            };
            if let Some(believed) = arms::read(arm, &debate, &mut dice) {
                said.push((arm, believed, cost));
            }
        }
        let left = |spent: &Cost| {
            left.map(|left| MicroUsd(left.0.saturating_sub(MicroUsd::from_usd(spent.usd).0)))
        };
        let count = samples_for(&whole, &sample);
        let (votes, cost) = match self.samples(sat, count, &sample, left(&spent), cancel).await? {
            Ok(sampled) => sampled,
            Err(halt) => return Ok(Err(halt)),
        };
        spent = spent.plus(cost);
        said.push((Arm::SelfConsistency, majority(&votes, &mut dice), cost));
        let mut calm = None;
        if arms::had_objections(&debate) {
            let without = self.debate(sat, Groupthink::Unwatched, left(&spent), cancel).await?;
            match without {
                Ok(without) => {
                    spent = spent.plus(cost_of(all_bills(without.room())));
                    calm = Some(without);
                }
                Err(halt) => return Ok(Err(halt)),
            }
        }
        let calm = calm.as_ref().unwrap_or(&debate);
        let believed = arms::read(Arm::Roundtable, calm, &mut dice).unwrap_or_default();
        said.push((Arm::WithoutObjections, believed, cost_of(all_bills(calm.room()))));
        let given = |(arm, believed, cost): (Arm, Believed, Cost)| {
            let right = sat.item.is_right(believed.choice.as_ref());
            let read = believed.choice.is_some();
            (arm, Given { right, read, probability: believed.probability, cost })
        };
        let right = |choice: &Option<Choice>| sat.item.is_right(choice.as_ref());
        let ways = arms::ways(debate.room());
        Ok(Ok(Answered {
            item: sat.number,
            seed: sat.seed,
            arms: said.into_iter().map(given).collect(),
            ways: ways.iter().map(|(first, last)| (right(first), right(last))).collect(),
            spent_usd: spent.usd,
        }))
    }

    fn tape(&self, label: &str) -> Tape {
        match &self.recorder {
            None => Tape::Off,
            Some(by) => Tape::Recording { by: Arc::clone(by), label: label.into() },
        }
    }

    /// What is wanted of the table, every flag said.
    fn order(&self, sat: &Sat<'_>, watched: Groupthink) -> Order {
        let set = match watched {
            Groupthink::Watched => Vec::new(),
            Groupthink::Unwatched => {
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
        Order {
            topic: Some(sat.item.question.clone()),
            mode: Some(self.plan.mode.clone()),
            rounds: Some(self.plan.rounds.to_string()),
            question: sat.item.form(),
            flags: FLAG_ROWS.iter().filter_map(flag).collect(),
            seed: Some(sat.seed.to_string()),
            ..Order::default()
        }
    }

    async fn debate(
        &self,
        sat: &Sat<'_>,
        watched: Groupthink,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<Result<Debate, Halt>, EngineError> {
        let label = match watched {
            Groupthink::Watched => sat.label.clone(),
            Groupthink::Unwatched => format!("{}.calm", sat.label),
        };
        let order = self.order(sat, watched);
        match &self.plan.speakers {
            Speakers::Simulated(regime) => {
                let (debate, panel) = simulated_debate(regime, sat, &order)?;
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
    ) -> Result<Result<Debate, Halt>, EngineError> {
        if let Some(by) = &self.recorder {
            by.begin(label, &debate.room().brief);
        }
        let panel = panel.taped(&self.tape(label));
        match venue::hold(debate, &panel, Some(self.embedder.as_ref()), cancel).await {
            Ok(debate) => Ok(Ok(debate)),
            Err(_) if cancel.is_cancelled() => Ok(Err(Halt::Interrupted)),
            Err(why) => {
                let difference = self.recording.as_ref().and_then(|t| t.differences().pop());
                let why = difference.map_or(why, |difference| difference.to_string());
                Err(EngineError::Tape(format!("{label}: {why}")))
            }
        }
    }

    async fn replayed(
        &self,
        label: &str,
        cancel: &CancellationToken,
    ) -> Result<Result<Debate, Halt>, EngineError> {
        let from = self.recording.clone();
        let from = from.ok_or_else(|| EngineError::input("no recording was opened"))?;
        let brief = recording::again(from.brief(label)?, &clock::new_secret());
        let mut outside = seats::outside(self.config)?;
        let (agents, clerk) = (brief.agents.clone(), brief.clerk.clone());
        outside.tape = Tape::Replaying { from, label: label.into(), pace: ReplaySpeed::AtOnce };
        let panel = Panel::open(&agents, clerk.as_ref(), &outside)
            .map_err(|error| EngineError::input(error.to_string()))?;
        let (debate, _) = Debate::open(brief)?;
        self.in_memory(debate, panel, label, cancel).await
    }

    async fn live(
        &self,
        order: &Order,
        label: &str,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<Result<Debate, Halt>, EngineError> {
        let opened = start::start(self.config, order).await?;
        let ran = venue::run(self.config, opened, left, self.tape(label), cancel).await?;
        match ran.outcome {
            RunEnd::Done(_) => Ok(Ok(list::show(self.config, &ran.id).await?.debate)),
            RunEnd::Paused(PauseReason::Interrupted) => Ok(Err(Halt::Interrupted)),
            RunEnd::Paused(PauseReason::Budget { why }) => Ok(Err(Halt::AtCap(why))),
            RunEnd::Paused(reason) => Err(EngineError::Tape(format!(
                "{label} (debate {}): {}",
                ran.id,
                reason.sentence()
            ))),
        }
    }

    /// So many first answers of the first agent, each without seeing another.
    async fn samples(
        &self,
        sat: &Sat<'_>,
        count: usize,
        one: &Cost,
        left: Option<MicroUsd>,
        cancel: &CancellationToken,
    ) -> Result<Result<(Vec<Option<Choice>>, Cost), Halt>, EngineError> {
        if let Speakers::Simulated(regime) = &self.plan.speakers {
            let votes = simulated_samples(regime, sat, count);
            let cost = (1..count).fold(*one, |sum, _| sum.plus(*one));
            return Ok(Ok((votes, cost)));
        }
        let (mut votes, mut cost) = (Vec::new(), Cost { priced: true, ..Cost::default() });
        let mut batch = 0;
        while votes.len() < count {
            batch += 1;
            // A table has at least two seats; what is too much is not counted.
            let seats = (count - votes.len()).clamp(2, MOST_SEATS);
            let label = format!("{}.samples{batch}", sat.label);
            let left =
                left.map(|left| MicroUsd(left.0.saturating_sub(MicroUsd::from_usd(cost.usd).0)));
            let held = match &self.plan.speakers {
                Speakers::Live { agents, .. } => {
                    let agent = agents.first().cloned().unwrap_or_default();
                    let order = Order {
                        agents: vec![agent; seats],
                        rounds: Some("1".into()),
                        clerk: Some("none".into()),
                        seed: Some(sat.seed.wrapping_add(batch).to_string()),
                        ..self.order(sat, Groupthink::Unwatched)
                    };
                    self.live(&order, &label, left, cancel).await?
                }
                _ => self.replayed(&label, cancel).await?,
            };
            let debate = match held {
                Ok(debate) => debate,
                Err(halt) => return Ok(Err(halt)),
            };
            let first = debate.room().round(1);
            votes.extend((0..seats).map(|seat| {
                let turn = first.and_then(|round| round.turn(SeatId(seat)));
                turn.and_then(|turn| turn.answer.answer.clone())
            }));
            cost = cost.plus(cost_of(all_bills(debate.room())));
        }
        votes.truncate(count);
        Ok(Ok((votes, cost)))
    }
}

/// As many samples as cost at least what the debate did.
fn samples_for(debate: &Cost, sample: &Cost) -> usize {
    let ratio = debate.weight() / sample.weight();
    match ratio.is_finite() {
        true => (ratio.ceil() as usize).clamp(1, MOST_SAMPLES),
        false => 1,
    }
}

fn bills(round: Option<&RoundRecord>) -> Vec<Bill> {
    round.into_iter().flat_map(RoundRecord::answered).map(|turn| turn.bill).collect()
}

/// Of the first agent's first answer.
fn own_bills(room: &Room) -> Vec<Bill> {
    let own = |round: &RoundRecord| {
        let seat = room.seats.iter().find(|seat| seat.agent == 0)?.id;
        Some(round.turn(seat)?.bill)
    };
    room.round(1).and_then(own).into_iter().collect()
}

/// Of every call, the clerk's included.
fn all_bills(room: &Room) -> Vec<Bill> {
    let spent = &room.spent;
    let cost = (spent.unpriced_calls == 0).then_some(spent.cost);
    vec![Bill { usage: spent.usage, cost, latency_ms: 0 }]
}

fn cost_of(bills: Vec<Bill>) -> Cost {
    let start = Cost { priced: !bills.is_empty(), ..Cost::default() };
    bills.iter().fold(start, |sum, bill| {
        sum.plus(Cost {
            usd: bill.cost.map_or(0.0, MicroUsd::usd),
            priced: bill.cost.is_some(),
            input_tokens: bill.usage.input.unwrap_or(0),
            output_tokens: bill.usage.output.unwrap_or(0),
            calls: 1,
        })
    })
}

/// The truth of an item as simulated agents know it, and the names of answers.
fn truth_of(sat: &Sat<'_>) -> (Truth, Labels) {
    let number = sat.number as u64;
    match &sat.item.kind {
        Kind::Choice { options, truth } => {
            let count = options.len().min(MOST_OPTIONS);
            (Truth::given(sat.seed, number, count, *truth), Labels::Words(options.clone()))
        }
        Kind::Number { truth, .. } => {
            // Zero has no share to be off by.
            let off = |factor: f64| if *truth == 0.0 { factor } else { truth * factor };
            let values = std::iter::once(*truth).chain(OFF.map(off)).collect();
            (Truth::given(sat.seed, number, OFF.len() + 1, 0), Labels::Numbers(values))
        }
    }
}

fn simulated_debate(
    regime: &Regime,
    sat: &Sat<'_>,
    order: &Order,
) -> Result<(Debate, Panel), EngineError> {
    let (truth, labels) = truth_of(sat);
    let mut brief = simulated::brief(regime, order.mode.as_deref().unwrap_or("collaborative"));
    let unwatched = "groupthinkDetection.enabled=false".to_owned();
    brief.flags.groupthink_detection.enabled = !order.flags.contains(&unwatched);
    brief.topic = sat.item.question.clone();
    brief.question = sat.item.form();
    brief.seed = sat.seed;
    if let Some(rounds) = order.rounds.as_ref().and_then(|rounds| rounds.parse().ok()) {
        brief.rounds = rounds;
    }
    let people = Cow::Borrowed(regime.people);
    let sitting = Arc::new(Sitting::of(truth, people, regime.talk, labels));
    let panel = Lively::panel(&sitting, &Arc::new(Manner::default()));
    let (debate, _) = Debate::open(brief)?;
    Ok((debate, panel))
}

/// Copies of the first agent answer alone; the first of them is the agent
/// itself.
fn simulated_samples(regime: &Regime, sat: &Sat<'_>, count: usize) -> Vec<Option<Choice>> {
    let (truth, labels) = truth_of(sat);
    let Some(first) = regime.people.first() else { return Vec::new() };
    let people = vec![*first; count];
    let choice = |option: usize| match &labels {
        Labels::Words(words) => words.get(option).cloned().map(Choice::Option),
        Labels::Numbers(numbers) => numbers.get(option).copied().map(Choice::Number),
    };
    (0..count)
        .map(|seat| truth.first(&people, seat).and_then(|stand| choice(stand.option)))
        .collect()
}

//! Runs simulated debates through the real machine and scores the verdict
//! beside the simpler ways of coming to an answer. The machine's views and
//! prompts are not written, since no model reads them; everything else runs.

use std::ops::Range;

use debate::analysis::weigh;
use debate::model::{Choice, Input, Reliability, Room, Round, SeatId, Weighing, WeighingFlag};
use debate::{Debate, OpenError};

use super::figures::OPTIONS;
use super::item::SimulatedItem;
use super::people::Regime;
use super::score::{Beliefs, Score};
use super::sitting::{OPTION_WORDS, SimulatedSitting, brief};

/// A way of coming to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    FirstMajority,
    FinalMajority,
    BestSingle,
    FirstWeighed,
    Weighed,
    WeighedByRecord,
}

impl Method {
    pub const ALL: [Method; 6] = [
        Method::FirstMajority,
        Method::FinalMajority,
        Method::BestSingle,
        Method::FirstWeighed,
        Method::Weighed,
        Method::WeighedByRecord,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Method::FirstMajority => "first majority",
            Method::FinalMajority => "final majority",
            Method::BestSingle => "best single",
            Method::FirstWeighed => "first weighed",
            Method::Weighed => "weighed verdict",
            Method::WeighedByRecord => "weighed, record known",
        }
    }

    /// Returns whether it uses nothing that a user without outcomes cannot know.
    pub fn is_blind(self) -> bool {
        !matches!(self, Method::BestSingle | Method::WeighedByRecord)
    }
}

/// Switches between answers of neighbouring rounds, by direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moves {
    pub toward_truth: u32,
    pub away_from_truth: u32,
    pub between_errors: u32,
}

/// What came out of many items of one regime.
#[derive(Debug, Clone, PartialEq)]
pub struct RegimeFigures {
    scores: [Score; Method::ALL.len()],
    pub debates: u32,
    pub moves: Moves,
    /// Debates in which all ended on one wrong answer, and in how many of them
    /// the verdict warned of shared error or collapse.
    pub unanimous_wrong: u32,
    pub unanimous_wrong_flagged: u32,
}

impl RegimeFigures {
    pub fn score(&self, method: Method) -> &Score {
        // One slot for each method, in the order they are declared in.
        &self.scores[method as usize]
    }

    /// How far a method stays behind the best of those that pass the filter.
    pub fn regret(&self, method: Method, among: fn(Method) -> bool) -> f64 {
        let rivals = Method::ALL.into_iter().filter(|rival| among(*rival));
        let best = rivals.map(|rival| self.score(rival).accuracy()).fold(0.0, f64::max);
        (best - self.score(method).accuracy()).max(0.0)
    }
}

/// The largest regret of a method over regimes.
pub fn worst_regret<'a>(
    measured: impl IntoIterator<Item = &'a RegimeFigures>,
    method: Method,
    among: fn(Method) -> bool,
) -> f64 {
    measured.into_iter().map(|one| one.regret(method, among)).fold(0.0, f64::max)
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OutcomeError {
    #[error("the simulated debate could not be opened: {0}")]
    Open(#[from] OpenError),
    #[error("simulated debate {item} came to no verdict")]
    NoVerdict { item: u64 },
}

/// Debates every item of a range at the regime's table. The same seed gives the
/// same result to the last digit.
pub fn simulate(
    items: Range<u64>,
    regime: &Regime,
    seed: u64,
) -> Result<RegimeFigures, OutcomeError> {
    let mut measured = RegimeFigures {
        scores: Default::default(),
        debates: 0,
        moves: Moves::default(),
        unanimous_wrong: 0,
        unanimous_wrong_flagged: 0,
    };
    // The brief is the same for every item: the truth is not at the table.
    let (opened, _) = Debate::open(brief(regime, "collaborative"))?;
    let record = regime.track_record();
    for number in items {
        let sitting = SimulatedSitting::new(SimulatedItem::new(seed, number), regime);
        let held =
            hold(opened.clone(), &sitting).ok_or(OutcomeError::NoVerdict { item: number })?;
        measured.take(regime, sitting.item(), &held, &record);
    }
    Ok(measured)
}

/// A finished debate, and how its first round alone would have been weighed.
struct WeighedDebate {
    debate: Debate,
    first: Weighing,
}

fn hold(mut debate: Debate, sitting: &SimulatedSitting) -> Option<WeighedDebate> {
    let mut first = None;
    debate.hear(Input::Go);
    loop {
        let asks = debate.awaited();
        let Some(round) = asks.first().map(|ask| ask.round) else { break };
        if round == 2 && first.is_none() {
            first = Some(without_round(debate.room(), round, debate.plan()));
        }
        for ask in asks {
            let agent = debate.room().seats.get(ask.party.seat()?.index())?.agent;
            let reply = Box::new(sitting.answer(&ask, agent, None).ok()?);
            debate.hear(Input::Replied { ask, reply });
        }
    }
    let verdict = debate.room().verdict.as_ref()?;
    let first = first.unwrap_or_else(|| verdict.evidence.weighing.clone());
    Some(WeighedDebate { debate, first })
}

/// The weighing as it stood before a round that is open but still empty.
fn without_round(room: &Room, round: Round, plan: &debate::model::ModePlan) -> Weighing {
    debug_assert!(room.round(round).is_some_and(|record| record.answered().count() == 0));
    weigh(room, plan, &Reliability::default())
}

impl RegimeFigures {
    fn take(
        &mut self,
        regime: &Regime,
        item: &SimulatedItem,
        held: &WeighedDebate,
        record: &Reliability,
    ) {
        let room = held.debate.room();
        let Some(verdict) = &room.verdict else { return };
        let weighing = &verdict.evidence.weighing;
        let last = room.rounds.len() as Round;
        let by_record = weigh(room, held.debate.plan(), record);
        for method in Method::ALL {
            let beliefs = match method {
                Method::FirstMajority => shares(room, 1),
                Method::FinalMajority => shares(room, last),
                Method::BestSingle => alone(room, regime.best_single()),
                Method::FirstWeighed => probabilities(&held.first),
                Method::Weighed => probabilities(weighing),
                Method::WeighedByRecord => probabilities(&by_record),
            };
            self.scores[method as usize].add(&beliefs, item.truth);
        }
        self.debates += 1;
        self.count_moves(room, item);
        let unanimous = shares(room, last).iter().position(|share| *share >= 1.0);
        if unanimous.is_some_and(|option| option != item.truth) {
            self.unanimous_wrong += 1;
            let warns = |flag: &WeighingFlag| *flag != WeighingFlag::MinorityReport;
            self.unanimous_wrong_flagged += u32::from(weighing.flags.iter().any(warns));
        }
    }

    fn count_moves(&mut self, room: &Room, item: &SimulatedItem) {
        for seat in (0..room.seats.len()).map(SeatId) {
            let path: Vec<usize> =
                (1..=room.rounds.len() as Round).filter_map(|r| chosen(room, r, seat)).collect();
            for pair in path.windows(2) {
                match pair {
                    [from, to] if from == to => {}
                    [_, to] if *to == item.truth => self.moves.toward_truth += 1,
                    [from, _] if *from == item.truth => self.moves.away_from_truth += 1,
                    _ => self.moves.between_errors += 1,
                }
            }
        }
    }
}

fn chosen(room: &Room, round: Round, seat: SeatId) -> Option<usize> {
    match room.round(round)?.turn(seat)?.answer.answer.as_ref()? {
        Choice::Option(option) => place(option),
        Choice::Number(_) | Choice::Probability(_) => None,
    }
}

fn place(option: &str) -> Option<usize> {
    OPTION_WORDS.iter().position(|word| *word == option)
}

/// The raw shares of the votes of a round.
fn shares(room: &Room, round: Round) -> Beliefs {
    let mut beliefs = [0.0; OPTIONS];
    let votes: Vec<usize> =
        (0..room.seats.len()).filter_map(|seat| chosen(room, round, SeatId(seat))).collect();
    for vote in &votes {
        if let Some(slot) = beliefs.get_mut(*vote) {
            *slot += 1.0;
        }
    }
    beliefs.map(|heads| heads / votes.len().max(1) as f64)
}

/// What one agent says alone, with the confidence it states.
fn alone(room: &Room, agent: usize) -> Beliefs {
    let seat = SeatId(agent);
    let turn = room.round(1).and_then(|round| round.turn(seat));
    let confidence = turn.and_then(|turn| turn.answer.confidence).unwrap_or(1.0);
    let mut beliefs = [(1.0 - confidence) / (OPTIONS - 1) as f64; OPTIONS];
    if let Some(slot) = chosen(room, 1, seat).and_then(|option| beliefs.get_mut(option)) {
        *slot = confidence;
    }
    beliefs
}

fn probabilities(weighing: &Weighing) -> Beliefs {
    let mut beliefs = [0.0; OPTIONS];
    for answer in &weighing.answers {
        if let Some(slot) = place(&answer.answer).and_then(|option| beliefs.get_mut(option)) {
            *slot = answer.probability;
        }
    }
    beliefs
}

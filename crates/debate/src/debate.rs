//! The machine: open, next_step, hear, replay. It connects the other modules and
//! is the only one that may; it never waits and knows no mode by name.
//!
//! Every call of [`Debate::hear`] yields at most one event that records the
//! message, then the events that follow automatically (a wave closes, a round is
//! analysed, the next one opens). These are a pure function of the state, so a
//! log cut between any two events still leads to the same next step.

mod behind;
mod clerk;
mod compose;
mod context;
mod draft;
mod dropping;
mod fold;
mod follow;
mod heard;
mod lifecycle;
mod parts;
mod propositions;
mod reanalysis;
mod safety;
mod synthesis;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::casting::{self, BriefFault, BriefField, BriefValue};
use crate::ledger;
use crate::model::*;
use crate::modes;
use crate::prompts::{SharedPrompt, TemplateError, Templates};

pub use dropping::DropFault;
pub use lifecycle::{LifecycleCommand, RefusedCommand};
pub use reanalysis::{Reanalysis, ReanalysisResult};

#[derive(Debug, Clone)]
pub struct Debate {
    room: Room,
    plan: &'static ModePlan,
    words: Arc<Templates>,
    desk: PendingWork,
    prompts: PromptCache,
}

/// The state the machine holds between events that is not part of the room.
#[derive(Debug, Clone, Default)]
struct PendingWork {
    /// First answers that could not be used and wait for their repair.
    unreadable: BTreeMap<SeatId, UnreadableAnswer>,
    /// Workings whose record is yet to come.
    workings: BTreeMap<SeatId, Reply>,
    /// The bills of a turn's calls before the one that ends it.
    paid_before: BTreeMap<SeatId, Vec<Bill>>,
    /// True once the clerk has named perspectives or has failed to.
    perspectives_settled: bool,
    /// True once the clerk was asked how hard the topic is and has failed to say.
    rating_settled: bool,
    /// True once the clerk was asked for the domain and has failed to say.
    domain_settled: bool,
    /// Triggers for a closer look that are not yet in the log.
    due: Vec<SafetyTrigger>,
    /// The watch over the wave that speaks now. It is set when the wave begins,
    /// so that the order of arrival changes nothing.
    watch: SafetyWatch,
    /// Answers that wait for their judgement.
    held: BTreeMap<SeatId, safety::HeldAnswer>,
    /// The requests of agents to the caller.
    requests: context::ContextRequests,
    /// True if the clerk failed to sum up the current round.
    summary_failed: bool,
    /// The number of drafts of the post-mortem that were asked for.
    drafts: u32,
    /// Asks that were sent and are not answered yet, with the most each may cost.
    sent: BTreeMap<AskId, Option<MicroUsd>>,
    /// Of these, the answers that the provider stores and that can be fetched.
    kept: BTreeMap<AskId, RemoteAnswer>,
    /// The finished steps of conversations with tools.
    steps: BTreeMap<AskId, Vec<ConversationStep>>,
    /// The amounts that earlier requests of these asks took.
    used: BTreeMap<AskId, MicroUsd>,
    /// Asks of which nothing is on its way, because they wait for money.
    resting: BTreeSet<AskId>,
    /// The number of times each ask was given up that may have been billed.
    abandoned: BTreeMap<AskId, u32>,
    /// Waves of the current round that are entered in the ledger.
    waves_entered: usize,
    /// Finds a repeated claim without searching all of them.
    index: ledger::LedgerIndex,
    /// The debate as it stood at the end of the round before, while the clerk still
    /// reads that round.
    behind: Option<Arc<Debate>>,
}

#[derive(Debug, Clone)]
struct UnreadableAnswer {
    raw: String,
    /// The free words before it; empty in one-part answers.
    working: String,
    /// The only fields to ask for; empty: the whole answer again.
    missing: Vec<CountedField>,
    problem: String,
    model: String,
    /// The tool calls made on the way to it.
    tool_calls: Vec<ToolCall>,
    sources: Vec<Citation>,
    /// True if it may still be used when no better one comes. It may not if the
    /// evaluator asked for another.
    usable_as_is: bool,
}

/// System prompts and schemas by seat and kind of round, shared by all copies of a debate.
/// Whoever changes the seats or the brief begins a new one.
type PromptCache = Arc<KnownPrompts>;

#[derive(Debug)]
struct KnownPrompts {
    /// The name of the language, which is told by reading the topic.
    language: OnceLock<String>,
    seats: Vec<[OnceLock<SharedPrompt>; 3]>,
}

fn no_prompts(seats: usize) -> PromptCache {
    let seats = vec![Default::default(); seats];
    Arc::new(KnownPrompts { language: OnceLock::new(), seats })
}

/// The reasons why a debate could not be opened; lists everything that is wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OpenError {
    #[error("{}", lines(.0))]
    Brief(Vec<BriefFault>),
    #[error(transparent)]
    Words(#[from] TemplateError),
}

/// Returns the texts that must not be shown to any model.
fn unsafe_fields(brief: &Brief) -> impl Iterator<Item = BriefFault> {
    crate::safety::blocked_fields(brief).into_iter().map(|blocked| BriefFault {
        field: BriefField::Text(blocked.field),
        value: BriefValue::AsksFor(blocked.reasons.into_iter().map(Into::into).collect()),
        allowed: "a question about it, not a request to carry it out".into(),
    })
}

/// The claims, sources and decisions that a debate begins with.
fn brought_along(brief: &Brief) -> Ledger {
    brief.after.as_ref().map(|earlier| earlier.ledger.clone()).unwrap_or_default()
}

fn lines(faults: &[BriefFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplayError {
    #[error("the log is empty")]
    Empty,
    #[error("the log does not begin with the opening of a debate but with {found:?}")]
    NoOpening { found: &'static str },
    #[error(
        "the log was written by a newer version of Roundtable (log version {found}, this one reads up to {known})"
    )]
    Newer { found: u32, known: u32 },
    #[error("event {index} ({word}) does not fit what came before it")]
    Misplaced { index: usize, word: &'static str },
    #[error("the debate in this log cannot be opened: {0}")]
    Open(#[from] OpenError),
}

impl Debate {
    /// Checks the brief, seats the agents, and gives the machine together with
    /// the event that opens its log.
    pub fn open(mut brief: Brief) -> Result<(Debate, Event), OpenError> {
        let names: Vec<&str> = modes::all().iter().map(|plan| plan.name).collect();
        let plan = modes::find(&brief.mode);
        let mut faults = casting::check(&brief, plan, &names);
        faults.extend(unsafe_fields(&brief));
        let Some(plan) = plan.filter(|_| faults.is_empty()) else {
            return Err(OpenError::Brief(faults));
        };
        casting::name_families(&mut brief.agents);
        // What a mode makes of a number stands in the log with the brief.
        if matches!(brief.question, Question::Number { .. }) {
            brief.number.estimate |= plan.estimates;
        }
        casting::name_families(brief.clerk.as_mut_slice());
        let seats = casting::seats(plan, &brief);
        let event = Event::Opened { version: LOG_VERSION, brief: Box::new(brief), seats };
        match Debate::from_opening(&event) {
            Ok(debate) => Ok((debate, event)),
            Err(ReplayError::Open(error)) => Err(error),
            Err(_) => Err(OpenError::Brief(Vec::new())),
        }
    }

    /// Rebuilds a debate from its log, whole or cut anywhere.
    pub fn replay(events: impl IntoIterator<Item = Event>) -> Result<Debate, ReplayError> {
        let mut events = events.into_iter();
        let opening = events.next().ok_or(ReplayError::Empty)?;
        let mut debate = Debate::from_opening(&opening)?;
        for (index, event) in events.enumerate() {
            let word = event.word();
            debate.apply(event).map_err(|_| ReplayError::Misplaced { index: index + 1, word })?;
        }
        Ok(debate)
    }

    /// Takes in one further event of the log, as [`Debate::replay`] does.
    pub fn take_in(&mut self, event: Event) -> Result<(), ReplayError> {
        let word = event.word();
        self.apply(event).map_err(|_| ReplayError::Misplaced { index: 0, word })
    }

    fn from_opening(event: &Event) -> Result<Debate, ReplayError> {
        let Event::Opened { version, brief, seats } = event else {
            return Err(ReplayError::NoOpening { found: event.word() });
        };
        if *version > LOG_VERSION {
            return Err(ReplayError::Newer { found: *version, known: LOG_VERSION });
        }
        let plan = modes::find(&brief.mode).ok_or_else(|| {
            let names: Vec<&str> = modes::all().iter().map(|plan| plan.name).collect();
            OpenError::Brief(casting::check(brief, None, &names))
        })?;
        let words = Templates::new(plan, &brief.words).map_err(OpenError::from)?;
        let room = Room {
            focus: brief.focus.clone(),
            brief: (**brief).clone(),
            seats: seats.clone(),
            status: Status::Created,
            rounds: Vec::new(),
            ledger: brought_along(brief),
            remarks: Vec::new(),
            dropped: Vec::new(),
            context: Vec::new(),
            searches: Searches::default(),
            spent: Tally::default(),
            verdict: None,
            depth: None,
            safety: SafetyRecord::default(),
            synthesis: None,
        };
        let prompts = no_prompts(room.seats.len());
        let due = crate::safety::triggers(&room.brief, plan);
        let desk = PendingWork { due, ..PendingWork::default() };
        Ok(Debate { room, plan, words: Arc::new(words), desk, prompts })
    }

    /// Returns the next step. Asking twice is harmless.
    pub fn next_step(&self) -> Step {
        if self.follow_up().is_none() {
            return self.compose();
        }
        // The log was cut between an event and its consequences: look ahead.
        let mut ahead = self.clone();
        ahead.catch_up();
        ahead.compose()
    }

    /// Takes in a message and returns the events to append, in order. A message
    /// that does not fit (a reply that is not awaited, a command the status does
    /// not allow) yields none.
    pub fn hear(&mut self, heard: Input) -> Vec<Event> {
        let mut events = self.catch_up();
        if let Some(event) = self.digest(heard) {
            self.enter(event, &mut events);
            events.extend(self.catch_up());
        }
        events
    }

    /// Appends and returns the events that follow automatically from the state.
    /// There are none unless a log was cut between an event and its consequences.
    pub fn catch_up(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.follow_up() {
            self.enter(event, &mut events);
        }
        events
    }

    fn enter(&mut self, event: Event, events: &mut Vec<Event>) {
        // An event made from this very state always fits it.
        if self.apply(event.clone()).is_ok() {
            events.push(event);
        }
    }

    /// The names of all asks the debate waits for, in flight or not. Cheaper
    /// than [`Debate::next_step`], which writes each of them out.
    pub fn awaited(&self) -> Vec<AskId> {
        match self.room.status {
            Status::Active => self.open_asks(),
            _ => Vec::new(),
        }
    }

    /// Returns the place from which the answer to an ask that was sent can be
    /// fetched, if there is one.
    pub fn kept(&self, ask: &AskId) -> Option<&RemoteAnswer> {
        self.desk.kept.get(ask)
    }

    /// Returns the known history of an ask that has no answer yet.
    pub fn past(&self, ask: &AskId) -> AskHistory {
        AskHistory {
            steps: self.desk.steps.get(ask).cloned().unwrap_or_default(),
            kept: self.desk.kept.get(ask).cloned(),
            reserved: self.desk.sent.get(ask).copied().flatten(),
            used: self.used(ask),
        }
    }

    /// Returns the amount that the finished requests of an ask took.
    pub fn used(&self, ask: &AskId) -> MicroUsd {
        let steps = self.desk.steps.get(ask).into_iter().flatten();
        let paid = steps.filter_map(|step| step.bill.cost).sum();
        self.desk.used.get(ask).copied().unwrap_or_default().max(paid)
    }

    /// Returns true if an announced ask can go on without a request that might be
    /// paid for twice: its answer is stored at the provider, or its conversation
    /// rests between two steps.
    pub fn can_go_on(&self, ask: &AskId) -> bool {
        let last = self.desk.steps.get(ask).and_then(|steps| steps.last());
        let rests = last.is_some_and(|step| step.next != NextWord::Model)
            || self.desk.resting.contains(ask);
        self.desk.sent.contains_key(ask) && (self.desk.kept.contains_key(ask) || rests)
    }

    pub fn room(&self) -> &Room {
        &self.room
    }

    pub fn plan(&self) -> &'static ModePlan {
        self.plan
    }
}

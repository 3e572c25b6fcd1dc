//! Observers of a whole host, for figures and traces. They are told of calls that ended and of
//! debates that came to rest, with names of models and figures alone: no text of a debate.

use std::collections::{HashMap, HashSet};

use debate::model::{Agent, AskId, Bill, Event, FailureClass, Party, Room, Seat};
use store::LogEntry;

/// Told of everything that the debates of a host do.
pub trait HostObserver: Send + Sync {
    /// This process runs a debate.
    fn begun(&self, _debate: &ObservedDebate) {}
    /// A call ended, and its end is stored.
    fn called(&self, debate: &ObservedDebate, call: &ObservedCall<'_>);
    /// A debate came to rest: it ended, or it was paused.
    fn rested(&self, debate: &ObservedDebate, word: &'static str, at: i64);
    /// Nothing can be stored for now.
    fn held_up(&self);
    /// Another node has taken over a debate of this one.
    fn lost(&self);
    /// This process no longer runs a debate, whatever became of it.
    fn left(&self, _id: &str) {}
}

/// A debate as its observers know it.
pub struct ObservedDebate {
    pub id: String,
    pub mode: String,
    /// The moment this process took it up, in milliseconds since 1970.
    pub since: Option<i64>,
    agents: Vec<Agent>,
    clerk: Option<Agent>,
    /// The agent of each seat.
    seats: Vec<usize>,
    asked: HashMap<AskId, i64>,
    /// Answers that were paid for and wait for their judgement.
    held: HashSet<AskId>,
}

/// A call that ended.
pub struct ObservedCall<'a> {
    pub agent: &'a Agent,
    pub ask: AskId,
    /// In milliseconds since 1970.
    pub began: i64,
    pub ended: i64,
    pub bill: Bill,
    pub fault: Option<FailureClass>,
}

impl ObservedDebate {
    pub(super) fn of(id: &str, room: &Room) -> ObservedDebate {
        let brief = &room.brief;
        ObservedDebate {
            id: id.into(),
            mode: brief.mode.clone(),
            since: None,
            agents: brief.agents.clone(),
            clerk: brief.clerk.clone(),
            seats: agents_of(&room.seats),
            asked: HashMap::new(),
            held: HashSet::new(),
        }
    }

    /// Takes in a stored event and tells the observers what it means.
    pub(super) fn tell(
        &mut self,
        entry: &LogEntry,
        observers: &[std::sync::Arc<dyn HostObserver>],
    ) {
        if self.since.is_none() {
            self.since = Some(entry.at);
            observers.iter().for_each(|one| one.begun(self));
        }
        match &entry.event {
            Event::Asked { intents } => {
                self.asked.extend(intents.iter().map(|intent| (intent.ask, entry.at)));
            }
            Event::DepthChosen { seats, .. } | Event::DomainNamed { seats, .. } => {
                self.seats = agents_of(seats);
            }
            Event::Paused { .. } => {
                observers.iter().for_each(|one| one.rested(self, "paused", entry.at))
            }
            Event::Ended { .. } => {
                observers.iter().for_each(|one| one.rested(self, "completed", entry.at))
            }
            _ => {}
        }
        let Some((ask, bill)) = entry.event.ends() else { return };
        let was_held = self.held.remove(&ask);
        if matches!(entry.event, Event::Held { .. }) {
            self.held.insert(ask);
        } else if was_held {
            return;
        }
        let latency = i64::try_from(bill.latency_ms).unwrap_or(0);
        let began = self.asked.remove(&ask).unwrap_or(entry.at - latency);
        let agent = match ask.party {
            Party::Clerk => self.clerk.as_ref(),
            Party::Seat(seat) => self.seats.get(seat.index()).and_then(|at| self.agents.get(*at)),
        };
        let Some(agent) = agent else { return };
        let fault = match &entry.event {
            Event::Missed { gap, .. } => Some(gap.class),
            Event::Unreadable { .. } | Event::ClerkFailed { .. } => Some(FailureClass::Unusable),
            _ => None,
        };
        let call = ObservedCall { agent, ask, began, ended: entry.at, bill: *bill, fault };
        observers.iter().for_each(|one| one.called(self, &call));
    }
}

fn agents_of(seats: &[Seat]) -> Vec<usize> {
    seats.iter().map(|seat| seat.agent).collect()
}

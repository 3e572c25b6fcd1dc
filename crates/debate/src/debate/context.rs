//! The requests of agents to the caller: which seat waits, when the debate
//! pauses, and how the answers reach the table. No seat is held up twice in one
//! round, and a question that was answered is not asked again.

mod person;

use std::collections::BTreeSet;

use super::Debate;
use super::fold::EventMisfit;
use crate::model::*;
use crate::safety;

/// The most requests of one turn that are passed on.
const MOST_REQUESTS: usize = 5;
/// The longest question, and the longest reason for it.
const QUESTION_TOKENS: usize = 200;

/// The state of requests between events.
#[derive(Debug, Clone, Default)]
pub(super) struct ContextRequests {
    /// Requests made in a turn and not yet put before the caller.
    wanted: Vec<(AskId, WantedContext)>,
    /// Seats that were held up in the current round.
    held_up: BTreeSet<SeatId>,
}

impl ContextRequests {
    /// Forgets what a seat wanted to ask.
    pub fn forget(&mut self, seat: SeatId) {
        self.wanted.retain(|(ask, _)| ask.party.seat() != Some(seat));
    }

    pub fn new_round(&mut self) {
        self.held_up.clear();
    }
}

impl Debate {
    /// Returns the end of a turn that cannot go on without the caller. The turn
    /// is taken again once its requests are settled; its cost is counted.
    pub(super) fn unfinished(&self, ask: AskId, reply: &Reply) -> Option<Event> {
        let seat = ask.party.seat()?;
        let wanted = self.fresh(seat, reply);
        let required = wanted.iter().any(|one| one.priority == Priority::Required);
        if !required || self.desk.requests.held_up.contains(&seat) {
            return None;
        }
        Some(Event::Unfinished {
            ask,
            wanted,
            raw: reply.text.clone(),
            model: reply.model.clone(),
            tool_calls: reply.tool_calls.clone(),
            searches: reply.searches,
            bill: reply.bill,
        })
    }

    /// Returns the requests of a turn that goes on without their answers.
    pub(super) fn asked_beside(&self, ask: &AskId, reply: &Reply) -> Vec<WantedContext> {
        let Some(seat) = ask.party.seat() else { return Vec::new() };
        let mut wanted = self.fresh(seat, reply);
        wanted.iter_mut().for_each(|one| one.priority = Priority::Optional);
        wanted
    }

    /// Returns a reply's requests that may and must be put before the caller.
    fn fresh(&self, seat: SeatId, reply: &Reply) -> Vec<WantedContext> {
        let known = |question: &str| {
            let mut same =
                self.room.context.iter().filter(|it| same_question(&it.question, question));
            same.any(|it| !it.is_open() || it.seat == seat)
        };
        let short = |text: &str| clip(text.trim(), QUESTION_TOKENS).into_owned();
        let fresh = reply.requests.iter().map(|one| WantedContext {
            question: short(&one.question),
            why: short(&one.why),
            priority: one.priority,
        });
        fresh
            .filter(|one| !one.question.is_empty() && !known(&one.question))
            .filter(|one| {
                safety::screen(&format!("{}\n{}", one.question, one.why)).blocked.is_empty()
            })
            .take(MOST_REQUESTS)
            .collect()
    }

    /// Puts the wanted requests before the caller, with ids to answer by.
    pub(super) fn context_asked(&self) -> Option<Event> {
        let wanted = &self.desk.requests.wanted;
        if wanted.is_empty() || self.room.status.is_over() {
            return None;
        }
        let first = self.room.context.len();
        let request = |(place, (ask, one)): (usize, &(AskId, WantedContext))| {
            let seat = ask.party.seat()?;
            Some(ContextRequest {
                id: ContextId::from_index(first + place),
                round: ask.round,
                seat,
                agent: self.room.seats.get(seat.index())?.name.clone(),
                question: one.question.clone(),
                why: one.why.clone(),
                priority: one.priority,
                is_turn: false,
                given: None,
            })
        };
        let requests = wanted.iter().enumerate().filter_map(request).collect();
        Some(Event::ContextAsked { requests })
    }

    /// Returns true if a seat's turn waits for the caller.
    pub(super) fn waits(&self, seat: SeatId) -> bool {
        self.room.required_requests().any(|request| request.seat == seat)
    }

    /// Returns the pause that follows when all other seats of the wave are done.
    pub(super) fn needs_context(&self) -> Option<Event> {
        let requests: Vec<ContextRequest> = self.room.required_requests().cloned().collect();
        let due = !requests.is_empty() && self.open_asks().is_empty();
        due.then_some(Event::Paused { reason: PauseReason::NeedsContext { requests } })
    }

    /// Returns the event of the caller's answer, for all requests that asked the
    /// same.
    pub(super) fn context_given(&self, id: ContextId, given: GivenContext) -> Option<Event> {
        let asked = self.room.open_requests().find(|request| request.id == id)?;
        if let GivenContext::Answered { text } = &given
            && let Some(refused) = self.refused("context", text)
        {
            return Some(refused);
        }
        if asked.is_turn {
            return Some(self.person_spoke(asked, &given));
        }
        let same = |it: &&ContextRequest| same_question(&it.question, &asked.question);
        let requests = self.room.open_requests().filter(same).map(|it| it.id).collect();
        Some(Event::ContextGiven { requests, given })
    }

    pub(super) fn apply_context(&mut self, event: Event) -> Result<(), EventMisfit> {
        match event {
            Event::Unfinished { ask, wanted, bill, tool_calls, searches, .. } => {
                let seat = ask.party.seat().ok_or(EventMisfit)?;
                self.room.searches.add(&tool_calls, searches);
                self.room.spent.add(&bill);
                self.desk.requests.held_up.insert(seat);
                self.note_wanted(ask, wanted);
            }
            Event::ContextAsked { requests } => {
                let fits = requests.iter().enumerate().all(|(place, request)| {
                    request.id.index() == self.room.context.len() + place
                        && request.seat.index() < self.room.seats.len()
                });
                if !fits {
                    return Err(EventMisfit);
                }
                self.desk.requests.wanted.clear();
                self.room.context.extend(requests);
            }
            Event::ContextGiven { requests, given } => {
                for id in requests {
                    let request = self.room.context.get_mut(id.index()).ok_or(EventMisfit)?;
                    request.given = Some(given.clone());
                }
                if let GivenContext::Answered { text } = &given {
                    let round = self.room.current().map_or(0, |record| record.number);
                    self.desk.due.extend(safety::remark_triggers(text, round));
                }
            }
            _ => return Err(EventMisfit),
        }
        Ok(())
    }

    pub(super) fn note_wanted(&mut self, ask: AskId, wanted: Vec<WantedContext>) {
        self.desk.requests.wanted.extend(wanted.into_iter().map(|one| (ask, one)));
    }
}

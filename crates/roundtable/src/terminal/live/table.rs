//! The seats and what each is doing now, as far as a watcher can know from stored
//! events and streamed text. It decides nothing and draws nothing.

use std::time::{Duration, Instant};

use debate::model::*;
use engine::export::notices::is_example;
use engine::nouns::SpeechDelta;

use super::stream::Stream;
use crate::document::Labels;
use crate::document::escape::clean_line;

#[derive(Debug)]
pub struct LiveTable {
    pub places: Vec<LiveSeat>,
    pub clerk: Option<Clerk>,
    pub round: Round,
    pub rounds: u32,
    pub kind: RoundKind,
    pub spent: Tally,
    /// Since when it is watched.
    pub began: Instant,
    pub paused: Option<PauseReason>,
    /// The most the debate may cost.
    pub budget: Option<MicroUsd>,
    /// True if no model speaks.
    pub is_example: bool,
    /// The words of the debate's own language.
    pub labels: Option<&'static Labels>,
}

/// One seat.
#[derive(Debug)]
pub struct LiveSeat {
    pub name: String,
    pub doing: SeatActivity,
    pub since: Instant,
}

#[derive(Debug)]
pub struct Clerk {
    pub task: Task,
    pub doing: SeatActivity,
    pub since: Instant,
}

#[derive(Debug)]
pub enum SeatActivity {
    /// Not in this round, or nothing has begun.
    Nothing,
    /// Others of this round speak first.
    Waiting,
    /// Asked, and not a sign of it yet.
    Asked,
    AskedAgain,
    Thinking,
    Searching(String),
    Writing(Box<Stream>),
    /// A try failed; the next begins at this moment.
    Retrying {
        why: String,
        at: Instant,
    },
    /// Another model takes over.
    TakenOver(String),
    /// Answered; the answer is looked at before it enters the debate.
    Held,
    Done(String),
    Failed(String),
    /// A person is to answer.
    PersonsTurn,
    /// A person gave no answer in this round.
    Passed,
    /// A person dropped it; it is asked no more.
    Left,
}

impl SeatActivity {
    /// Returns whether an answer is awaited.
    pub fn is_active(&self) -> bool {
        !matches!(
            self,
            SeatActivity::Nothing
                | SeatActivity::Waiting
                | SeatActivity::Done(_)
                | SeatActivity::Failed(_)
                | SeatActivity::Left
                | SeatActivity::PersonsTurn
                | SeatActivity::Passed
                | SeatActivity::Held
        )
    }
}

impl LiveTable {
    pub fn new(began: Instant) -> LiveTable {
        LiveTable {
            places: Vec::new(),
            clerk: None,
            round: 0,
            rounds: 0,
            kind: RoundKind::Planned,
            spent: Tally::default(),
            began,
            paused: None,
            budget: None,
            is_example: false,
            labels: None,
        }
    }

    /// Takes over what the panel must know of a debate.
    pub fn open_debate(&mut self, brief: &Brief) {
        (self.is_example, self.labels) = (is_example(brief), Labels::of(brief));
    }

    /// A text of this program in the debate's language.
    pub fn say(&self, text: &str) -> String {
        Labels::said(self.labels, text)
    }

    pub fn seat(&mut self, seats: &[Seat], rounds: u32, now: Instant) {
        let place = |seat: &Seat| LiveSeat {
            name: clean_line(&seat.name),
            doing: SeatActivity::Nothing,
            since: now,
        };
        self.places = seats.iter().map(place).collect();
        self.rounds = rounds;
    }

    pub fn take(&mut self, event: &Event, now: Instant) {
        if let Some((ask, bill)) = event.ends() {
            // What settles a held answer carries the bill that was counted then.
            let held = matches!(self.doing_of(&ask), Some(SeatActivity::Held));
            if !held {
                self.spent.add(bill);
            }
            if ask.party == Party::Clerk {
                self.clerk = None;
            }
        }
        match event {
            Event::Opened { brief, seats, .. } => {
                self.seat(seats, brief.rounds, now);
                self.open_debate(brief);
            }
            Event::DepthChosen { chosen, seats, .. } => {
                self.seat(seats, chosen.rounds, now);
                self.clerk = None;
            }
            Event::DomainNamed { seats, .. } => {
                self.seat(seats, self.rounds, now);
                self.clerk = None;
            }
            Event::RoundOpened { round, kind, waves } => self.open(*round, *kind, waves, now),
            Event::Asked { intents } => {
                intents.iter().for_each(|intent| self.ask(&intent.ask, now));
            }
            Event::Answered { ask, turn } => {
                self.set(ask, SeatActivity::Done(answered(&turn.answer)), now);
            }
            Event::Held { ask, .. } => self.set(ask, SeatActivity::Held, now),
            Event::Missed { ask, gap } => self.set(ask, missed(gap), now),
            Event::ContextAsked { requests } => self.wait_for_people(requests),
            // It waits for the caller.
            Event::Unfinished { ask, .. } => self.set(ask, SeatActivity::Waiting, now),
            Event::Unreadable { ask, .. } => self.set(ask, SeatActivity::AskedAgain, now),
            Event::Ambiguous { intents } => {
                intents.iter().for_each(|intent| self.set(&intent.ask, SeatActivity::Waiting, now));
            }
            Event::Dropped { dropped } => {
                if let Some(place) = self.places.get_mut(dropped.seat.index()) {
                    place.doing = SeatActivity::Left;
                }
            }
            Event::Paused { reason } => self.paused = Some(reason.clone()),
            Event::Started => self.paused = None,
            Event::Summarised { .. } | Event::Judged { .. } | Event::ClerkFailed { .. } => {
                self.clerk = None;
            }
            _ => {}
        }
    }

    /// Sets the state of a round that was begun earlier.
    pub fn begin(&mut self, record: &RoundRecord, now: Instant) {
        self.open(record.number, record.kind, &record.waves, now);
        for (place, turn) in self.places.iter_mut().zip(&record.turns) {
            if let Some(turn) = turn {
                place.doing = SeatActivity::Done(answered(&turn.answer));
            }
        }
        for gap in &record.gaps {
            if let Some(place) = self.places.get_mut(gap.seat.index()) {
                place.doing = missed(gap);
            }
        }
    }

    /// Marks the seats whose person is asked now.
    pub fn wait_for_people<'a>(&mut self, requests: impl IntoIterator<Item = &'a ContextRequest>) {
        for request in requests.into_iter().filter(|it| it.is_turn) {
            if let Some(place) = self.places.get_mut(request.seat.index()) {
                place.doing = SeatActivity::PersonsTurn;
            }
        }
    }

    fn open(&mut self, round: Round, kind: RoundKind, waves: &[Vec<SeatId>], now: Instant) {
        (self.round, self.kind) = (round, kind);
        for (index, place) in self.places.iter_mut().enumerate() {
            if matches!(place.doing, SeatActivity::Left) {
                continue;
            }
            let speaks = waves.iter().flatten().any(|seat| seat.index() == index);
            place.doing = if speaks { SeatActivity::Waiting } else { SeatActivity::Nothing };
            place.since = now;
        }
    }

    fn ask(&mut self, ask: &AskId, now: Instant) {
        if ask.party == Party::Clerk {
            self.clerk = Some(Clerk { task: ask.task, doing: SeatActivity::Asked, since: now });
        } else if !matches!(self.doing_of(ask), Some(SeatActivity::AskedAgain)) {
            self.set(ask, SeatActivity::Asked, now);
        }
    }

    fn doing_of(&self, ask: &AskId) -> Option<&SeatActivity> {
        match ask.party.seat() {
            Some(seat) => Some(&self.places.get(seat.index())?.doing),
            None => Some(&self.clerk.as_ref()?.doing),
        }
    }

    fn set(&mut self, ask: &AskId, doing: SeatActivity, now: Instant) {
        if let Some(place) = ask.party.seat().and_then(|seat| self.places.get_mut(seat.index())) {
            // A call counts from when it was asked for, whatever it does meanwhile.
            if !(place.doing.is_active() && doing.is_active()) {
                place.since = now;
            }
            place.doing = doing;
        }
    }

    pub fn delta(&mut self, ask: &AskId, delta: SpeechDelta, now: Instant) {
        let doing = match ask.party.seat() {
            Some(seat) => self.places.get_mut(seat.index()).map(|place| &mut place.doing),
            None => self.clerk.as_mut().map(|clerk| &mut clerk.doing),
        };
        // Text that arrives after the end of a call belongs to no seat.
        let Some(doing) = doing.filter(|doing| doing.is_active()) else { return };
        match (delta, &mut *doing) {
            (SpeechDelta::Text(text), SeatActivity::Writing(stream)) => stream.push(&text),
            (SpeechDelta::Text(text), doing) => {
                let mut stream = Stream::default();
                stream.push(&text);
                *doing = SeatActivity::Writing(Box::new(stream));
            }
            (SpeechDelta::Thinking, doing) => *doing = SeatActivity::Thinking,
            (SpeechDelta::Searching(query), doing) => {
                *doing = SeatActivity::Searching(clean_line(&query))
            }
            (SpeechDelta::Waiting { why, seconds }, doing) => {
                let wait = Duration::try_from_secs_f64(seconds).unwrap_or_default();
                let why = clean_line(&why);
                *doing = if wait.is_zero() {
                    SeatActivity::TakenOver(why)
                } else {
                    SeatActivity::Retrying { why, at: now + wait }
                };
            }
        }
    }

    /// Tokens of all that was answered, and of what is being written.
    pub fn tokens(&self) -> (u64, u64) {
        let writing = self.places.iter().map(|place| &place.doing);
        let writing = writing.chain(self.clerk.iter().map(|clerk| &clerk.doing));
        let coming = writing.map(|doing| match doing {
            SeatActivity::Writing(stream) => stream.tokens(),
            _ => 0,
        });
        (self.spent.usage.total().unwrap_or(0), coming.sum())
    }
}

fn missed(gap: &Gap) -> SeatActivity {
    if gap.class == FailureClass::Passed {
        return SeatActivity::Passed;
    }
    SeatActivity::Failed(clean_line(&format!("{}: {}", gap.class.word(), gap.message)))
}

fn answered(answer: &Answer) -> String {
    let mut facts = Vec::new();
    facts.extend(answer.confidence.map(|confidence| format!("confidence {confidence:.2}")));
    facts.extend(answer.stance.map(|stance| format!("stance {}", stance.word())));
    facts.extend(answer.vote.as_ref().map(|vote| format!("votes {}", vote.ballot.word())));
    facts.join(" · ")
}

//! The live display: a line that says who is being waited for, and above it
//! what has been said. Where there is no terminal only the lines are printed.

use std::collections::BTreeMap;
use std::time::Duration;

use agents::Delta;
use debate::model::*;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use store::Recorded;

use super::clean::clean_line;
use super::out::{self, Closed};
use super::{Page, event};

pub struct Live {
    page: Page,
    waiting: ProgressBar,
    seats: Vec<Seat>,
    rounds: u32,
    /// What each awaited speaker is doing.
    doing: BTreeMap<AskId, (String, Doing)>,
}

enum Doing {
    Waiting,
    Thinking,
    Searching(String),
    Writing(usize),
    Retrying(String),
}

impl Live {
    pub fn new(page: Page, on_terminal: Motion) -> Live {
        let target = match on_terminal {
            Motion::Moving => ProgressDrawTarget::stderr(),
            Motion::Still => ProgressDrawTarget::hidden(),
        };
        let waiting = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} · {elapsed}") {
            waiting.set_style(style);
        }
        waiting.enable_steady_tick(Duration::from_millis(120));
        Live { page, waiting, seats: Vec::new(), rounds: 0, doing: BTreeMap::new() }
    }

    /// Who sits where, for a debate that was opened earlier.
    pub fn seated(&mut self, seats: &[Seat], rounds: u32) {
        self.seats = seats.to_vec();
        self.rounds = rounds;
    }

    pub fn event(&mut self, recorded: &Recorded) -> Result<(), Closed> {
        match &recorded.event {
            Event::Opened { brief, seats, .. } => self.seated(seats, brief.rounds),
            Event::Asked { intents } => {
                for intent in intents {
                    let name = self.name(&intent.ask);
                    self.doing.insert(intent.ask, (name, Doing::Waiting));
                }
            }
            Event::Answered { ask, .. }
            | Event::Held { ask, .. }
            | Event::Missed { ask, .. }
            | Event::Unreadable { ask, .. }
            | Event::ClerkFailed { ask, .. } => {
                self.doing.remove(ask);
            }
            Event::DomainNamed { seats, .. } => {
                let rounds = self.rounds;
                self.seated(seats, rounds);
                self.doing.retain(|ask, _| ask.party != Party::Clerk);
            }
            Event::DepthChosen { chosen, seats, .. } => {
                self.seated(seats, chosen.rounds);
                self.doing.retain(|ask, _| ask.party != Party::Clerk);
            }
            Event::Summarised { .. } | Event::StandsRead { .. } | Event::Judged { .. } => {
                self.doing.retain(|ask, _| ask.party != Party::Clerk);
            }
            _ => {}
        }
        let lines = event(self.page, &recorded.event, &self.seats, self.rounds);
        if !lines.is_empty() {
            self.waiting.suspend(|| out::print(&lines))?;
        }
        self.say_who();
        Ok(())
    }

    pub fn delta(&mut self, ask: &AskId, delta: Delta) {
        let Some((_, doing)) = self.doing.get_mut(ask) else { return };
        *doing = match (delta, &doing) {
            (Delta::Thinking, _) => Doing::Thinking,
            (Delta::Searching(query), _) => Doing::Searching(clean_line(&query)),
            (Delta::Waiting { why, .. }, _) => Doing::Retrying(clean_line(&why)),
            (Delta::Text(text), Doing::Writing(so_far)) => Doing::Writing(so_far + text.len()),
            (Delta::Text(text), _) => Doing::Writing(text.len()),
        };
        self.say_who();
    }

    pub fn finish(&self) {
        self.waiting.finish_and_clear();
    }

    fn name(&self, ask: &AskId) -> String {
        let seat = ask.party.seat().and_then(|seat| self.seats.get(seat.index()));
        seat.map_or_else(|| "the clerk".into(), |seat| clean_line(&seat.name))
    }

    fn say_who(&self) {
        let who: Vec<String> = self
            .doing
            .values()
            .map(|(name, doing)| match doing {
                Doing::Waiting => name.clone(),
                Doing::Thinking => format!("{name} thinks"),
                Doing::Searching(query) => format!("{name} searches for {query}"),
                Doing::Writing(bytes) => format!("{name} writes ({bytes})"),
                Doing::Retrying(why) => format!("{name} waits: {why}"),
            })
            .collect();
        let mut line = format!("waiting for {}", who.join(", "));
        if line.len() > self.page.width() {
            line = line.chars().take(self.page.width().saturating_sub(12)).collect();
        }
        self.waiting.set_message(if who.is_empty() { String::new() } else { line });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Moving,
    Still,
}

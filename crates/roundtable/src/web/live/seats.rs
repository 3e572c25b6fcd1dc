//! The activity of each seat, and its words as they come in. It decides nothing and
//! draws nothing.

use std::collections::BTreeSet;
use std::time::Instant;

use debate::model::{AskId, Event};
use engine::nouns::SpeechDelta;

use crate::terminal::live::table::{LiveSeat, LiveTable, SeatActivity};

/// Steps of a search that are shown.
const MOST_STEPS: usize = 3;
/// Characters of an answer on its way that are sent: more than a tile can show.
const TAIL: usize = 700;

pub struct LiveSeats {
    table: LiveTable,
    /// By seat: what it looked for in this turn, oldest first.
    searches: Vec<Vec<String>>,
    /// Seats with words that were not sent yet.
    fresh: BTreeSet<usize>,
}

impl LiveSeats {
    pub fn new(now: Instant) -> LiveSeats {
        LiveSeats { table: LiveTable::new(now), searches: Vec::new(), fresh: BTreeSet::new() }
    }

    pub fn take(&mut self, event: &Event, now: Instant) {
        self.table.take(event, now);
        self.searches.resize(self.table.places.len(), Vec::new());
        if let Event::RoundOpened { .. } = event {
            self.searches.iter_mut().for_each(Vec::clear);
        }
    }

    /// Takes in a glimpse of an answer. Returns true if the seat now does something else
    /// than before.
    pub fn delta(&mut self, ask: &AskId, delta: SpeechDelta, now: Instant) -> bool {
        let Some(seat) = ask.party.seat().map(|seat| seat.index()) else { return false };
        if let SpeechDelta::Searching(query) = &delta
            && let Some(steps) = self.searches.get_mut(seat)
        {
            steps.push(query.clone());
            let most = steps.len().saturating_sub(MOST_STEPS);
            steps.drain(..most);
        }
        let kind =
            |place: Option<&LiveSeat>| place.map(|place| std::mem::discriminant(&place.doing));
        let before = kind(self.table.places.get(seat));
        let searched = matches!(delta, SpeechDelta::Searching(_));
        self.table.delta(ask, delta, now);
        self.fresh.insert(seat);
        searched || before != kind(self.table.places.get(seat))
    }

    pub fn places(&self) -> &[LiveSeat] {
        &self.table.places
    }

    pub fn searches(&self, seat: usize) -> &[String] {
        self.searches.get(seat).map(Vec::as_slice).unwrap_or_default()
    }

    /// The words of the seats that wrote since they were last asked for.
    pub fn fresh_words(&mut self) -> Vec<(usize, String)> {
        let fresh = std::mem::take(&mut self.fresh);
        fresh.into_iter().filter_map(|seat| self.words(seat)).collect()
    }

    /// The words of all seats that write.
    pub fn all_words(&self) -> Vec<(usize, String)> {
        (0..self.table.places.len()).filter_map(|seat| self.words(seat)).collect()
    }

    fn words(&self, seat: usize) -> Option<(usize, String)> {
        let SeatActivity::Writing(stream) = &self.table.places.get(seat)?.doing else {
            return None;
        };
        let words = stream.words();
        let from = words.char_indices().rev().nth(TAIL).map_or(0, |(at, _)| at);
        Some((seat + 1, words[from..].to_owned()))
    }
}

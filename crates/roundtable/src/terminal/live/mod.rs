//! The live display: what has been said goes up as text; below it a panel says
//! who is doing what. Where there is no terminal only the text is printed.

pub mod panel;
mod stream;
pub mod table;

use std::time::{Duration, Instant};

use debate::model::*;
use engine::nouns::LogEntry;
use engine::nouns::SpeechDelta;

use super::events::event;
use super::out::ClosedOutput;
use super::page::Page;
use super::round::{Figures, SeatConfidence, after_round};
use super::screen::Screen;
use super::window::{self as terminal, Size};
use panel::{Foot, panel};
use table::LiveTable;

/// The time for which a remark about a key is shown.
const SAID: Duration = Duration::from_secs(8);
/// The time for which a window must have kept its size. A drawing made while it is
/// dragged would arrive at another width than it was made for.
const SETTLED: Duration = Duration::from_millis(150);

pub struct Live {
    page: Page,
    screen: Screen,
    table: LiveTable,
    seats: Vec<Seat>,
    figures: Figures,
    /// The analysis of the round before, which trends are measured from.
    before: Option<RoundAnalysis>,
    /// Those who have answered in rounds that are not analysed yet, with the round.
    stands: Vec<(Round, SeatConfidence)>,
    foot: Foot,
    said: Option<(String, Instant)>,
    /// The size that was drawn for last, and one seen since that may be passing.
    drawn_for: Option<Size>,
    passing: Option<(Size, Instant)>,
}

impl Live {
    pub fn new(page: Page, screen: Screen) -> Live {
        Live {
            page,
            screen,
            table: LiveTable::new(Instant::now()),
            seats: Vec::new(),
            figures: Figures::default(),
            before: None,
            stands: Vec::new(),
            foot: Foot::Nothing,
            said: None,
            drawn_for: None,
            passing: None,
        }
    }

    /// Fills in the seats and their state, for a debate that was opened earlier.
    pub fn seated(&mut self, room: &Room) {
        self.seats = room.seats.clone();
        self.figures = Figures::of(&room.brief);
        self.before = room.rounds.iter().rev().find_map(|round| round.analysis.clone());
        self.table.seat(&room.seats, room.brief.rounds, Instant::now());
        self.table.spent = room.spent;
        self.table.open_debate(&room.brief);
        self.page = self.page.in_words(self.table.labels);
        if let Some(round) = room.rounds.last() {
            let open = room.rounds.iter().filter(|one| one.analysis.is_none());
            let answers = open.flat_map(RoundRecord::answered);
            self.stands = answers.map(|turn| (turn.round, SeatConfidence::of(turn))).collect();
            self.table.begin(round, Instant::now());
            self.table.wait_for_people(room.open_requests());
        }
    }

    pub fn event(&mut self, recorded: &LogEntry) -> Result<(), ClosedOutput> {
        let lines = self.take(recorded);
        // What holds a seat up stands in the panel, where it goes away again.
        let in_panel = self.screen.is_open() && matches!(recorded.event, Event::Delayed { .. });
        if !lines.is_empty() && !in_panel {
            self.screen.print(&lines)?;
        }
        self.draw();
        Ok(())
    }

    /// Takes an event in and gives the lines it comes to.
    pub fn take(&mut self, recorded: &LogEntry) -> String {
        if self.screen.is_open() {
            // The window may have got another size.
            self.page = super::out::page();
        }
        let event_now = &recorded.event;
        match event_now {
            Event::Opened { brief, seats, .. } => {
                self.seats = seats.clone();
                self.figures = Figures::of(brief);
            }
            Event::DepthChosen { seats, .. } | Event::DomainNamed { seats, .. } => {
                self.seats = seats.clone();
            }
            Event::Answered { turn, .. } => {
                self.stands.push((turn.round, SeatConfidence::of(turn)));
            }
            _ => {}
        }
        self.table.take(event_now, Instant::now());
        self.page = self.page.in_words(self.table.labels);
        match event_now {
            Event::Analysed { analysis, .. } => {
                let before = self.before.replace((**analysis).clone());
                let before = before.as_ref().filter(|one| one.round < analysis.round);
                let of_round = |(round, _): &mut (Round, _)| *round <= analysis.round;
                let read = self.stands.extract_if(.., of_round);
                let stands: Vec<SeatConfidence> = read.map(|(_, stand)| stand).collect();
                after_round(self.page, analysis, before, &self.figures, &stands)
            }
            other => event(self.page, other, &self.seats, self.table.rounds),
        }
    }

    pub fn delta(&mut self, ask: &AskId, delta: SpeechDelta) {
        self.table.delta(ask, delta, Instant::now());
    }

    /// A line above the panel that is no result.
    pub fn note(&mut self, text: &str) {
        self.screen.note(&self.table.say(text));
        self.draw();
    }

    /// A remark in the panel, for a while; an empty one takes the last away.
    pub fn say(&mut self, text: &str) {
        let text = crate::document::escape::clean_line(&self.table.say(text));
        self.said = (!text.is_empty()).then(|| (text, Instant::now()));
        self.draw();
    }

    pub fn set_foot(&mut self, foot: Foot) {
        self.foot = foot;
        self.draw();
    }

    pub fn draw(&mut self) {
        if !self.screen.is_open() {
            return;
        }
        let now = Instant::now();
        self.said.take_if(|(_, since)| now.saturating_duration_since(*since) > SAID);
        let size = terminal::size();
        if !self.is_settled(size, now) {
            return;
        }
        let said = self.said.as_ref().map(|(text, _)| text.as_str());
        self.screen.draw(&panel(&self.table, said, &self.foot, size, now), size);
    }

    fn is_settled(&mut self, size: Size, now: Instant) -> bool {
        if self.drawn_for.is_none_or(|drawn| drawn == size) {
            (self.drawn_for, self.passing) = (Some(size), None);
            return true;
        }
        let since = match self.passing {
            Some((seen, since)) if seen == size => since,
            _ => now,
        };
        self.passing = Some((size, since));
        let settled = now.saturating_duration_since(since) >= SETTLED;
        if settled {
            self.drawn_for = Some(size);
        }
        settled
    }

    /// Says what the debate may cost at most.
    pub fn set_budget(&mut self, budget: Option<MicroUsd>) {
        self.table.budget = budget;
    }

    /// Calls a person back to the terminal.
    pub fn ring(&self) {
        self.screen.ring();
    }

    pub fn finish(&self) {
        self.screen.close();
    }
}

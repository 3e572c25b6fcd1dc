//! The progress of a running debate in a few figures and one line, for a caller
//! that waits. It is folded from events and contains no text of any answer.

use debate::model::{Event, PauseReason, Room, Status};

#[derive(Debug, Clone, PartialEq)]
pub struct DebateProgress {
    pub phase: DebatePhase,
    pub round: u32,
    /// As planned; a round of critical objections may be added.
    pub rounds: u32,
    /// Turns that are over, answered or missed, in all rounds.
    pub turns: usize,
    pub seats: usize,
    /// The agreement after the last analysed round, 0 to 1.
    pub agreement: Option<f64>,
    /// The latest event in words.
    pub last: String,
    pub paused: Option<PauseReason>,
    /// The error that ended the run, if one did.
    pub trouble: Option<String>,
    /// The number of events taken in.
    pub told: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebatePhase {
    /// It waits for a free slot.
    Queued,
    Running,
    /// No process runs it: it is over, paused, or was cut off.
    AtRest,
}

impl DebateProgress {
    pub fn of(room: &Room) -> DebateProgress {
        let over = |record: &debate::model::RoundRecord| {
            record.turns.iter().flatten().count() + record.gaps.len()
        };
        let analysed = room.rounds.iter().rev().find_map(|record| record.analysis.as_ref());
        DebateProgress {
            phase: DebatePhase::Queued,
            round: room.rounds.len() as u32,
            rounds: room.brief.rounds,
            turns: room.rounds.iter().map(over).sum(),
            seats: room.seats.len(),
            agreement: analysed.and_then(|analysis| analysis.consensus.agreement_level),
            last: String::new(),
            paused: match &room.status {
                Status::Paused { reason } => Some(reason.clone()),
                _ => None,
            },
            trouble: None,
            told: 0,
        }
    }

    pub fn take(&mut self, event: &Event) {
        self.told += 1;
        match event {
            Event::Started => self.paused = None,
            Event::DepthChosen { chosen, seats, .. } => {
                self.rounds = chosen.rounds;
                self.seats = seats.len();
            }
            Event::RoundOpened { round, .. } => {
                self.round = *round;
                self.last = format!("round {round} began");
            }
            Event::Answered { turn, .. } => {
                self.turns += 1;
                self.last = format!("{} answered", turn.agent);
            }
            Event::Missed { gap, .. } => {
                self.turns += 1;
                self.last = format!("{} gave no answer ({})", gap.agent, gap.class.word());
            }
            Event::Analysed { round, analysis } => {
                self.agreement = analysis.consensus.agreement_level;
                self.last = format!("round {round} analysed");
            }
            Event::Paused { reason } => {
                self.last = format!("paused: {}", reason.sentence());
                self.paused = Some(reason.clone());
            }
            Event::Ended { .. } => self.last = "ended".into(),
            _ => {}
        }
    }

    pub fn end(&mut self, trouble: Option<String>) {
        self.phase = DebatePhase::AtRest;
        self.trouble = trouble;
    }

    /// Returns the number of turns to be expected, as far as is known.
    pub fn expected(&self) -> usize {
        (self.rounds.max(self.round) as usize) * self.seats
    }

    /// `round 2 of 4, 5 of 12 turns are over`.
    pub fn stage(&self) -> String {
        format!(
            "round {} of {}, {} of {} turns are over",
            self.round,
            self.rounds.max(self.round),
            self.turns,
            self.expected()
        )
    }

    /// `round 2/4 · gpt-5 answered · agreement 0.71`.
    pub fn line(&self) -> String {
        let mut parts = match self.phase {
            DebatePhase::Queued => vec!["waiting for other debates to end".into()],
            _ if self.round == 0 => vec!["the debate begins".into()],
            DebatePhase::Running | DebatePhase::AtRest => {
                vec![format!("round {}/{}", self.round, self.rounds.max(self.round))]
            }
        };
        if !self.last.is_empty() {
            parts.push(self.last.clone());
        }
        parts.extend(self.agreement.map(|share| format!("agreement {share:.2}")));
        parts.join(" · ")
    }
}

//! Who sits at a simulated table and how they talk: rows of data. Nothing is
//! drawn here.

use debate::model::{Reliability, TrackRecord};

use super::figures::{DOMAINS, PULL_OF_A_HEAD};

/// A simulated agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Debater {
    pub name: &'static str,
    pub model: &'static str,
    pub family: &'static str,
    /// How often it is right alone, by domain.
    pub accuracy: [f64; DOMAINS],
    /// Added to the log-odds of giving up its answer.
    pub suggestibility: f64,
    pub part: DebaterPart,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DebaterPart {
    Honest,
    /// Argues for the shared misconception and never moves.
    Liar {
        /// Added to the log-odds that somebody switches to its answer.
        persuasion: f64,
    },
}

impl Debater {
    /// Alone of its family, equally good everywhere, as suggestible as any.
    pub const fn new(name: &'static str, accuracy: f64) -> Debater {
        Debater {
            name,
            model: name,
            family: name,
            accuracy: [accuracy; DOMAINS],
            suggestibility: 0.0,
            part: DebaterPart::Honest,
        }
    }

    /// Another seat for a model that has one, under a name of its own.
    pub const fn copy(self, name: &'static str) -> Debater {
        Debater { name, ..self }
    }

    pub const fn good_at(self, accuracy: [f64; DOMAINS]) -> Debater {
        Debater { accuracy, ..self }
    }

    pub const fn suggestible(self, suggestibility: f64) -> Debater {
        Debater { suggestibility, ..self }
    }

    pub const fn liar(name: &'static str, persuasion: f64) -> Debater {
        let part = DebaterPart::Liar { persuasion };
        Debater { accuracy: [0.0; DOMAINS], part, ..Debater::new(name, 0.0) }
    }

    pub fn mean_accuracy(&self) -> f64 {
        self.accuracy.iter().sum::<f64>() / DOMAINS as f64
    }
}

/// How agents take what they hear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Talk {
    /// Log-odds of giving up an answer against an equal number of heads.
    pub readiness: f64,
    /// What each further head for the other answer adds.
    pub pull: f64,
    /// What it adds that the other answer is true, and takes away that one's own is.
    pub truth: f64,
    /// How often a switch to the truth, and any other switch, cites a new source.
    pub cites_toward: f64,
    pub cites_away: f64,
    /// Rounds in all, the sealed first one included.
    pub rounds: u32,
}

impl Talk {
    /// Two rounds of talk after the sealed one; nobody cites anything.
    pub const fn new(readiness: f64, truth: f64) -> Talk {
        let silent = 0.0;
        Talk {
            readiness,
            pull: PULL_OF_A_HEAD,
            truth,
            cites_toward: silent,
            cites_away: silent,
            rounds: 3,
        }
    }

    pub const fn citing(self, cites_toward: f64, cites_away: f64) -> Talk {
        Talk { cites_toward, cites_away, ..self }
    }
}

/// One row of the measurement: who sits there and how they talk.
#[derive(Debug, Clone, Copy)]
pub struct Regime {
    pub name: &'static str,
    pub trial: Trial,
    pub people: &'static [Debater],
    pub talk: Talk,
}

/// What a regime puts to the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trial {
    /// Talk that helps, does nothing or hurts; nobody cites anything.
    Talk,
    /// What sources do to it, true and forged.
    Sources,
    /// One at the table lies.
    Liar,
    /// Who sits there: copies, weak majorities, specialists.
    Table,
}

impl Trial {
    pub const ALL: [Trial; 4] = [Trial::Talk, Trial::Sources, Trial::Liar, Trial::Table];

    pub fn word(self) -> &'static str {
        match self {
            Trial::Talk => "talk",
            Trial::Sources => "sources",
            Trial::Liar => "liars",
            Trial::Table => "tables",
        }
    }
}

impl Regime {
    /// The honest agent that is right most often; known only to the simulator.
    pub fn best_single(&self) -> usize {
        let mut best = 0;
        for (at, person) in self.people.iter().enumerate() {
            if self.people.get(best).is_some_and(|b| person.mean_accuracy() > b.mean_accuracy()) {
                best = at;
            }
        }
        best
    }

    /// What a perfect record of outcomes would say about everybody.
    pub fn track_record(&self) -> Reliability {
        const MANY: u32 = 1000;
        let known = |person: &Debater| {
            let reliability = person.mean_accuracy();
            (person.name.to_owned(), TrackRecord { reliability, outcomes: MANY })
        };
        Reliability { by_agent: self.people.iter().map(known).collect() }
    }
}

//! Everything that decides what is measured.

use std::path::PathBuf;

use debate::model::MicroUsd;

use crate::quality::arms::Arm;
use crate::quality::questions::Questions;
use crate::simulated::Regime;

#[derive(Debug, Clone)]
pub struct QualityPlan {
    pub questions: Questions,
    /// The text of the file, for knowing it again.
    pub text: String,
    pub speakers: Speakers,
    pub arms: Vec<Arm>,
    pub mode: String,
    pub rounds: u32,
    pub seeds: u32,
    pub seed: u64,
    /// Questions that are answered at the same time.
    pub parallel: usize,
    pub cap: Option<MicroUsd>,
    pub record: Option<PathBuf>,
}

#[derive(Debug, Clone)]
pub enum Speakers {
    Simulated(&'static Regime),
    Live { agents: Vec<String>, clerk: Option<String> },
    Recording { file: PathBuf },
}

impl Speakers {
    pub fn word(&self) -> String {
        match self {
            Speakers::Simulated(regime) => format!("simulated agents, {}", regime.name),
            Speakers::Live { agents, .. } => format!("live agents: {}", agents.join(", ")),
            Speakers::Recording { file } => format!("the recording {}", file.display()),
        }
    }
}

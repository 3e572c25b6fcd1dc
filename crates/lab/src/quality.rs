//! Does debating help? The same questions answered in several ways by the same
//! agents: alone, by a vote that costs as much as the debate, by the first round
//! alone, by a plain debate, by Roundtable, and by Roundtable with one rule left
//! out. What cannot be read is wrong. It claims that debate helps only where the
//! figures leave no other reading.

pub mod arms;
pub mod questions;
pub mod report;
mod results;
mod table;

use std::path::PathBuf;

use agents::CancellationToken;
use agents::simulated::Regime;
use debate::model::MicroUsd;

pub use report::Report;

use crate::Progress;
use engine::config::Config;
use engine::error::EngineError;
use questions::Questions;

/// Everything that decides what is measured.
#[derive(Debug, Clone)]
pub struct Plan {
    pub questions: Questions,
    /// The text of the file, for knowing it again.
    pub text: String,
    pub speakers: Speakers,
    pub mode: String,
    pub rounds: u32,
    pub seeds: u32,
    pub seed: u64,
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

/// How far it came.
pub enum Ended {
    Whole(Box<Report>),
    /// Some of it is stored; the same command goes on.
    Cut {
        done: usize,
        all: usize,
        why: String,
    },
    Interrupted {
        done: usize,
        all: usize,
    },
}

/// Puts every question before every seed's table.
pub async fn measure(
    config: &Config,
    plan: &Plan,
    progress: &dyn Progress,
    cancel: &CancellationToken,
) -> Result<Ended, EngineError> {
    let mut kept = results::Kept::open(config, plan)?;
    let all = plan.questions.items.len() * plan.seeds as usize;
    let left = |kept: &results::Kept| {
        let spent = MicroUsd::from_usd(kept.spent_usd());
        plan.cap.map(|cap| MicroUsd(cap.0.saturating_sub(spent.0)))
    };
    if let Some(left) = left(&kept).filter(|_| kept.answered.len() < all) {
        // Before anything is written: a recording would be begun for nothing.
        let unrecorded = Plan { record: None, ..plan.clone() };
        table::Table::open(config, &unrecorded).await?.affords(left).await?;
    }
    let mut table = table::Table::open(config, plan).await?;
    for seed in (0..u64::from(plan.seeds)).map(|more| plan.seed.wrapping_add(more)) {
        for (number, item) in plan.questions.items.iter().enumerate() {
            if kept.has(number, seed) {
                continue;
            }
            let done = kept.answered.len();
            if cancel.is_cancelled() {
                return Ok(Ended::Interrupted { done, all });
            }
            progress.step(done, all, &format!("question {}, seed {seed}", number + 1));
            match table.answer(number, item, seed, left(&kept), cancel).await? {
                table::Came::Answered(answered) => kept.add(*answered)?,
                table::Came::AtCap(why) => return Ok(Ended::Cut { done, all, why }),
                table::Came::Interrupted => return Ok(Ended::Interrupted { done, all }),
            }
        }
    }
    progress.step(all, all, "");
    table.ended()?;
    let mut answered = std::mem::take(&mut kept.answered);
    answered.sort_by_key(|one| (one.item, one.seed));
    Ok(Ended::Whole(Box::new(report::report(plan, &answered))))
}

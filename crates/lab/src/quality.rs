//! Does debating help? The same questions answered in several ways by the same
//! models: plainly, by a vote of plain answers, by one seat, by the first vote,
//! adaptively, by a debate, and by a debate with one rule left out. An answer
//! that cannot be read is wrong. It claims that debate helps only where the
//! figures leave no other reading.

mod answering;
pub mod arms;
pub mod calibrating;
mod costs;
mod plain;
pub mod plan;
mod pretend;
pub mod questions;
pub mod report;
pub mod results;
mod table;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use agents::CancellationToken;
use debate::model::MicroUsd;
use debate::sorting::SortRows;
use futures::StreamExt as _;

pub use plan::{QualityPlan, Speakers};
pub use report::QualityReport;

use crate::Progress;
use engine::config::Config;
use engine::error::EngineError;
use questions::AskedItem;
use results::{AnswerFile, QuestionResult};
use table::{QualityHalt, QualityTable};

/// The end of a measurement.
pub enum QualityEnd {
    Whole(Box<QualityReport>),
    /// Some of it is stored; the same command picks up where it left off.
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

/// The report on the answers that are kept so far, and these answers. It asks no
/// model.
pub fn kept(
    config: &Config,
    plan: &QualityPlan,
) -> Result<(QualityReport, Vec<QuestionResult>), EngineError> {
    let file = AnswerFile::open(config, plan)?;
    if file.answered.is_empty() {
        return Err(EngineError::input(
            "nothing is kept for this command yet; run it without --report first",
        ));
    }
    let answered = in_order(file.answered);
    Ok((report::report(plan, &answered), answered))
}

fn in_order(mut answered: Vec<QuestionResult>) -> Vec<QuestionResult> {
    answered.sort_rows_by_key(|one| (one.item, one.seed));
    answered
}

/// Puts every question before the table with every seed, several at a time.
/// Answers of live models are kept as they come. A question that fails is left
/// out and tried again by the next run.
pub async fn measure(
    config: &Config,
    plan: &QualityPlan,
    progress: &dyn Progress,
    cancel: &CancellationToken,
) -> Result<(QualityEnd, Vec<QuestionResult>), EngineError> {
    let mut kept = AnswerFile::open(config, plan)?;
    let all = plan.questions.items.len() * plan.seeds as usize;
    let spent = AtomicU64::new(MicroUsd::from_usd(kept.spent_usd()).0);
    let left = || plan.cap.map(|cap| MicroUsd(cap.0.saturating_sub(spent.load(Ordering::Relaxed))));
    if let Some(left) = left().filter(|_| kept.answered.len() < all) {
        // Before anything is written: a recording would be begun for nothing.
        let unrecorded = QualityPlan { record: None, ..plan.clone() };
        QualityTable::open(config, &unrecorded)?.affords(left).await?;
    }
    let table = QualityTable::open(config, plan)?;
    let jobs = waiting(plan, &kept);
    let one = |asked| attempt(&table, plan, asked, left(), cancel);
    // Under a cap one after the other, so that no two spend the same money.
    let at_once = if plan.cap.is_some() { 1 } else { plan.parallel.max(1) };
    let mut running = futures::stream::iter(jobs).map(one).buffer_unordered(at_once);
    let (mut failed, mut stopped) = (Vec::new(), None);
    progress.step(kept.answered.len(), all, "asking");
    while let Some((name, ended)) = running.next().await {
        match ended {
            Ok(answered) => {
                spent.fetch_add(MicroUsd::from_usd(answered.spent_usd).0, Ordering::Relaxed);
                kept.add(answered)?;
                progress.step(kept.answered.len(), all, &name);
            }
            Err(QualityHalt::Interrupted) => stopped = stopped.or(Some(None)),
            Err(QualityHalt::AtCap(why)) => {
                stopped = Some(Some(why));
                break;
            }
            Err(QualityHalt::Failed(error)) => failed.push((name, error)),
        }
    }
    drop(running);
    table.ended()?;
    let done = kept.answered.len();
    let end = match stopped {
        Some(Some(why)) => QualityEnd::Cut { done, all, why },
        Some(None) => QualityEnd::Interrupted { done, all },
        None => {
            if let Some((_, error)) = failed.pop_if(|_| done == 0) {
                return Err(error);
            }
            kept.answered = in_order(kept.answered);
            let mut report = report::report(plan, &kept.answered);
            if let Some((name, error)) = failed.last() {
                report.notes.push(format!(
                    "{} of {all} questions failed and are left out; the same command tries them \
                     again. {name}: {error}",
                    failed.len()
                ));
            }
            QualityEnd::Whole(Box::new(report))
        }
    };
    Ok((end, kept.answered))
}

/// One question, with its name for the progress.
async fn attempt<'a>(
    table: &'a QualityTable<'a>,
    plan: &'a QualityPlan,
    asked: AskedItem<'a>,
    left: Option<MicroUsd>,
    cancel: &'a CancellationToken,
) -> (String, Result<QuestionResult, QualityHalt>) {
    let name = format!("question {}, seed {}", asked.number + 1, asked.seed);
    if cancel.is_cancelled() {
        return (name, Err(QualityHalt::Interrupted));
    }
    let answered = answering::answer(table, plan, &asked, left, cancel).await;
    (name, answered)
}

/// The questions without a kept answer, all of one seed before the next.
fn waiting<'a>(plan: &'a QualityPlan, kept: &AnswerFile) -> Vec<AskedItem<'a>> {
    let seeds = (0..u64::from(plan.seeds)).map(|more| plan.seed.wrapping_add(more));
    let of_seed = |seed: u64| {
        plan.questions.items.iter().enumerate().map(move |(number, item)| {
            let label = format!("q{}#{seed}", number + 1);
            AskedItem { number, item, seed, label }
        })
    };
    seeds.flat_map(of_seed).filter(|asked| !kept.has(asked.number, asked.seed)).collect()
}

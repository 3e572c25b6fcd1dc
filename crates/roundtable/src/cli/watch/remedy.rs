//! What to do about a debate that met a budget, as commands to type.

use crate::document::words::short_id;
use debate::model::{BudgetLimit, MicroUsd, PauseReason};
use engine::table::affordable;

/// The command that goes on with a debate, to be shown on a line of its own.
pub fn resume_command(id: &str) -> String {
    format!("  roundtable resume {}", short_id(id))
}

/// The commands that let a debate go on that met a budget.
pub fn budget_remedy(reason: &PauseReason, id: &str) -> Vec<String> {
    let PauseReason::Budget { limit, .. } = reason else { return Vec::new() };
    let resume = resume_command(id);
    // With half as much again it does not stop at the very next call.
    let more = |needs: &MicroUsd| affordable::rounded_up(MicroUsd(needs.0.saturating_mul(3) / 2));
    match limit {
        Some(BudgetLimit::Debate { needs }) => {
            vec!["Allow it more:".into(), format!("{resume} --budget {}", more(needs))]
        }
        Some(BudgetLimit::Day { needs }) => vec![
            "Raise the day's budget, or wait until tomorrow (UTC). Then go on:".into(),
            format!("  roundtable config set daily_budget {}", more(needs)),
            resume,
        ],
        Some(BudgetLimit::UnknownPrice) => vec![
            "Set its price under [prices] in the config file, or allow calls without a price:"
                .into(),
            "  roundtable config set allow_unpriced true".into(),
            resume,
        ],
        None => vec!["Go on with more:".into(), format!("{resume} --budget USD")],
    }
}

//! Words the refusals of budgets, and the notice about unknown prices.

use engine::error::{BudgetProblem, BudgetSpan, DebateCosts, SettingName};

use super::FaceWords;

pub fn budget(problem: &BudgetProblem, face: &dyn FaceWords) -> String {
    match problem {
        BudgetProblem::Unpriced { agents } => format!(
            "{}: the price of {} is not known, so no budget could be kept. Set {} or \
             `allow_unpriced = true` in the config file",
            face.setting(SettingName::Budget),
            agents.join(", "),
            price_of(agents)
        ),
        BudgetProblem::Debate { cap, costs } => format!(
            "{}: {cap} is too little: {}. Allow at least {}, or seat cheaper agents",
            face.option(SettingName::Budget),
            expected(costs),
            costs.least
        ),
        BudgetProblem::Day { left, day, costs } => format!(
            "daily_budget: {left} of {day} is left today (UTC), and {}. Set daily_budget to at \
             least {} in the config file, or wait until tomorrow",
            expected(costs),
            costs.least
        ),
        BudgetProblem::Person { name, span, left, cap, costs } => {
            let (now, then, each) = match span {
                BudgetSpan::Day => ("today", "tomorrow", "day"),
                BudgetSpan::Month => ("this month", "next month", "month"),
            };
            format!(
                "the budget of {name}: {left} of {cap} is left {now} (UTC), and {}. Ask an operator \
                 for at least ${} a {each}, seat cheaper agents, or wait until {then}",
                expected(costs),
                costs.least
            )
        }
    }
}

fn expected(costs: &DebateCosts) -> String {
    let DebateCosts { first, typical, worst, .. } = costs;
    format!(
        "the first calls may cost up to {first}. The whole debate typically costs about {typical} \
         and at most {worst}"
    )
}

/// The table of the config file for the first price that is missing.
fn price_of(agents: &[String]) -> String {
    format!("[prices.{:?}]", agents.first().map_or("", String::as_str))
}

pub fn unpriced(agents: &[String]) -> String {
    format!(
        "The price of {} is not known, so no budget counts it. Set {} in the config file, or \
         `allow_unpriced = true` to silence this.",
        agents.join(", "),
        price_of(agents)
    )
}

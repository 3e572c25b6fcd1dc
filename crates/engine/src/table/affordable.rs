//! What a debate will cost, and whether its budgets allow it to begin. A debate
//! whose first calls do not fit is refused before anything is written, with what to
//! set instead.

use agents::Outside;
use agents::providers::{self, KeyNeed};
use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{Agent, Ask, Brief, DebateEffort, GivenContext, Input, MicroUsd, Step};

use crate::clock;
use crate::config::Config;
use crate::error::{
    At, BudgetProblem, BudgetSpan, DebateCosts, EngineError, Problem, Refusal, SettingName,
};
use crate::run::Pricing;
use crate::sessions::past::PastDebates;
use crate::table::money;
use crate::table::notice::TableNotice;

/// The expected cost of a debate. Calls of unknown price are not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostEstimate {
    /// The most that the first calls can cost, which are made at the same time.
    pub first: MicroUsd,
    /// The most that the whole debate can cost if no call is repeated.
    pub worst: MicroUsd,
    /// The cost of the whole debate with answers of usual length.
    pub typical: MicroUsd,
}

/// Estimates the cost of a debate from its first calls: every seat in every round
/// is taken to cost as much as those do on average.
pub fn estimate(debate: &Debate, outside: &Outside) -> CostEstimate {
    estimate_of(&first_calls(debate), outside)
}

fn estimate_of(FirstCalls { opened, asks }: &FirstCalls, outside: &Outside) -> CostEstimate {
    let room = opened.room();
    let table = money::price_table(&room.brief, outside);
    let agent = |ask: &Ask| seated(&room.brief, ask);
    let sum = |price: &dyn Fn(&Agent, &Ask) -> Option<MicroUsd>| {
        let known = asks.iter().filter_map(|ask| price(agent(ask)?, ask));
        let known: Vec<MicroUsd> = known.collect();
        (known.iter().copied().sum::<MicroUsd>(), known.len() as u64)
    };
    let seats = room.seats.len() as u64;
    let rounds = most_rounds(&room.brief, seats);
    let whole = |(sum, calls): (MicroUsd, u64)| {
        MicroUsd((sum.0.saturating_mul(seats) / calls.max(1)).saturating_mul(rounds))
    };
    let worst = sum(&|agent, ask| table.worst(agent, ask));
    let typical = sum(&|agent, ask| table.usual(agent, ask, USUAL_OUTPUT));
    CostEstimate { first: worst.0, worst: whole(worst), typical: whole(typical) }
}

/// The first calls of a debate, and the debate that wants them.
struct FirstCalls {
    opened: Debate,
    asks: Vec<Ask>,
}

fn first_calls(debate: &Debate) -> FirstCalls {
    let mut opened = debate.clone();
    opened.hear(Input::Go);
    // A person costs nothing, and the others are asked after them.
    let turn = |debate: &Debate| {
        let mut open = debate.room().open_requests();
        open.find(|it| it.is_turn).map(|it| it.id)
    };
    while let Some(turn) = turn(&opened) {
        opened.hear(Input::ContextGiven { request: turn, given: GivenContext::Declined });
        opened.hear(Input::Go);
    }
    let asks = match opened.next_step() {
        Step::Ask(asks) => asks,
        _ => Vec::new(),
    };
    FirstCalls { opened, asks }
}

fn seated<'a>(brief: &'a Brief, ask: &Ask) -> Option<&'a Agent> {
    match ask.agent {
        Some(index) => brief.agents.get(index),
        None => brief.clerk.as_ref(),
    }
}

/// The rounds at most: those that are planned, and the sealed ones before them.
fn most_rounds(brief: &Brief, seats: u64) -> u64 {
    let planned = u64::from(brief.rounds);
    let sealed = (u64::from(brief.samples) / seats.max(1)).max(1);
    match brief.effort {
        DebateEffort::Adaptive => planned.saturating_sub(1).saturating_add(sealed),
        DebateEffort::Vote if brief.question.is_closed() => sealed,
        DebateEffort::Vote => 1,
        DebateEffort::Debate => planned,
    }
}

/// Refuses a debate that its budgets do not allow to begin. Returns a notice about
/// providers whose bills no budget can count.
#[boxed]
pub async fn check(
    (config, past): (&Config, &PastDebates<'_>),
    debate: &Debate,
    outside: &Outside,
) -> Result<Option<TableNotice>, EngineError> {
    let brief = &debate.room().brief;
    let caps = money::caps(config, brief)?;
    let own = own_limits(past).await?;
    if caps.debate.is_none() && caps.day.is_none() && own.is_empty() {
        return Ok(None);
    }
    let allowed = caps.allow_unpriced && (own.is_empty() || caps.owner_allows_unpriced);
    let calls = first_calls(debate);
    let unpriced = unpriced(config, &calls, outside, allowed);
    if !unpriced.is_empty() && !allowed {
        return Err(refused(BudgetProblem::Unpriced { agents: unpriced }));
    }
    let cost = estimate_of(&calls, outside);
    if let Some(cap) = caps.debate.filter(|cap| cost.first > *cap) {
        return Err(refused(BudgetProblem::Debate { cap, costs: costs(&cost, cost.first) }));
    }
    let notice = (!unpriced.is_empty()).then_some(TableNotice::Unpriced { agents: unpriced });
    if cost.first == MicroUsd::ZERO {
        return Ok(notice);
    }
    let is_passed = |cap: MicroUsd, spent: MicroUsd| spent + cost.first > cap;
    let left = |cap: MicroUsd, spent: MicroUsd| MicroUsd(cap.0.saturating_sub(spent.0));
    if let Some(day) = caps.day {
        let spent = spent_today(past).await?;
        if is_passed(day, spent) {
            let (left, costs) = (left(day, spent), costs(&cost, spent + cost.first));
            return Err(refused(BudgetProblem::Day { left, day, costs }));
        }
    }
    if let Some(own) = own.iter().find(|own| is_passed(own.cap, own.spent)) {
        let OwnLimit { span, cap, spent } = *own;
        let (left, costs) = (left(cap, spent), costs(&cost, spent + cost.first));
        let name = config.caller.name().to_owned();
        return Err(refused(BudgetProblem::Person { name, span, left, cap, costs }));
    }
    Ok(notice)
}

/// A limit of the one who asks, and what they have spent of it.
#[derive(Clone, Copy)]
struct OwnLimit {
    span: BudgetSpan,
    cap: MicroUsd,
    spent: MicroUsd,
}

/// The limits of a person who asks; the machine has none.
async fn own_limits(past: &PastDebates<'_>) -> Result<Vec<OwnLimit>, EngineError> {
    let Some(store) = past.store().await? else { return Ok(Vec::new()) };
    let Some(name) = &store.reach().person else { return Ok(Vec::new()) };
    let people = store.people().await?;
    let own = people.iter().find(|person| person.name == *name);
    let own = own.map(|person| person.budget).unwrap_or_default();
    let spent = store.least_spending("", clock::now_ms()).await?;
    let spans = [
        (BudgetSpan::Day, own.day, spent.owner_day),
        (BudgetSpan::Month, own.month, spent.owner_month),
    ];
    let limit = |(span, cap, spent): (_, Option<_>, _)| Some(OwnLimit { span, cap: cap?, spent });
    Ok(spans.into_iter().filter_map(limit).collect())
}

fn refused(problem: BudgetProblem) -> EngineError {
    Refusal::new(At::Setting(SettingName::Budget), Problem::Budget(problem)).into()
}

fn costs(estimate: &CostEstimate, least: MicroUsd) -> DebateCosts {
    let CostEstimate { first, worst, typical } = *estimate;
    DebateCosts { first, typical, worst, least: rounded_up(least) }
}

/// An amount that can be set as a budget: in cents, and not below the amount.
pub fn rounded_up(amount: MicroUsd) -> String {
    let unit = if amount.0 < 10_000 { 100 } else { 10_000 };
    let rounded = amount.0.div_ceil(unit).saturating_mul(unit);
    let decimals = if unit == 100 { 4 } else { 2 };
    format!("{:.decimals$}", MicroUsd(rounded).usd())
}

/// The agents whose price should be known and is not: all of them under a limit
/// that the user set, otherwise those whose provider needs a key and sends bills.
fn unpriced(
    config: &Config,
    FirstCalls { opened, asks }: &FirstCalls,
    outside: &Outside,
    allowed: bool,
) -> Vec<String> {
    if config.file.allow_unpriced == Some(true) {
        return Vec::new();
    }
    let brief = &opened.room().brief;
    let table = money::price_table(brief, outside);
    let sends_bills = |agent: &Agent| {
        providers::find(&agent.provider).is_some_and(|row| row.key == KeyNeed::Required)
    };
    let unknown = |agent: &&Agent| {
        let matters = !allowed || sends_bills(agent);
        matters && asks.first().is_some_and(|ask| table.worst(agent, ask).is_none())
    };
    let agents = brief.agents.iter().chain(&brief.clerk).filter(unknown);
    let mut names: Vec<String> =
        agents.map(|agent| format!("{}/{}", agent.provider, agent.model)).collect();
    names.dedup();
    names
}

/// The spending of today, whatever becomes of the requests on their way.
async fn spent_today(past: &PastDebates<'_>) -> Result<MicroUsd, EngineError> {
    match past.store().await? {
        Some(store) => Ok(store.least_spending("", clock::now_ms()).await?.day),
        None => Ok(MicroUsd::ZERO),
    }
}

/// The usual length of an answer in tokens, with the thinking before it.
const USUAL_OUTPUT: u32 = 900;

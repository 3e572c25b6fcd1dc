//! Preparing a debate: an order is filled up, seated, briefed, equipped and
//! opened, and nothing is written. Each step is a type that only the step before
//! it gives, so that the order of the steps cannot be mistaken.

use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{Agent, Brief, Day, Depth, Event};

use crate::config::Config;
use crate::error::{At, EngineError, Problem, Refusal, SeatProblem};
use crate::outcomes::{calibration, track};
use crate::recording::{self, LABEL};
use crate::sessions::past::PastDebates;
use crate::sessions::{costs, follow_up};
use crate::table::order::Order;
use crate::table::order::{persona, preset};
use crate::table::seats::{self, Table};
use crate::table::{affordable, attachments, brief, constitution, lessons, light, profile, tools};

/// A debate that passed all checks and is not yet written.
pub struct PreparedDebate {
    pub debate: Debate,
    pub opening: Event,
    pub table: Table,
    /// The date on which to ask how the decision turned out; `Some(None)` is never.
    pub ask_on: Option<Option<Day>>,
}

/// Takes an order through all steps. Everything that is wrong with the order and
/// its table is refused at once, the table's faults first.
#[boxed]
pub async fn prepare(config: &Config, order: &Order) -> Result<PreparedDebate, EngineError> {
    prepare_after(config, order, &PastDebates::new(config)).await
}

/// Prepares a debate, and asks about earlier ones where the caller says.
#[boxed]
pub async fn prepare_after(
    config: &Config,
    order: &Order,
    past: &PastDebates<'_>,
) -> Result<PreparedDebate, EngineError> {
    let order = follow_up::fill(config, &preset::fill(config, order)?).await?;
    let order = FilledOrder::fill(config, &order)?;
    order.seat().await.brief()?.equip(past).await?.open(past).await
}

/// An order with what its profile adds.
struct FilledOrder<'a> {
    config: &'a Config,
    order: Order,
}

impl<'a> FilledOrder<'a> {
    fn fill(config: &'a Config, order: &Order) -> Result<FilledOrder<'a>, EngineError> {
        Ok(FilledOrder { config, order: profile::fill(config, order)? })
    }

    async fn seat(self) -> SeatedOrder<'a> {
        let table = seats::seat(self.config, &self.order).await;
        SeatedOrder { config: self.config, order: self.order, table }
    }
}

/// An order with its table, or with the reasons why nobody can be seated; those
/// wait until the rest has been checked too.
struct SeatedOrder<'a> {
    config: &'a Config,
    order: Order,
    table: Result<Table, EngineError>,
}

impl<'a> SeatedOrder<'a> {
    fn brief(self) -> Result<BriefedTable<'a>, EngineError> {
        let SeatedOrder { config, order, table } = self;
        let own_topic = table.as_ref().ok().and_then(|table| table.own_topic.clone());
        let topic = order.topic.clone().or(own_topic).unwrap_or_default();
        let mut faults = Vec::new();
        let table = checked(table, &mut faults)?;
        let context = attachments::gather(&order.context, order.piped.as_deref());
        faults.extend(context.faults);
        checked(tools::check_search(config, &order), &mut faults)?;
        let brief = checked(brief::brief(config, &order, topic), &mut faults)?;
        let (mut table, mut brief) = match (table, brief) {
            (Some(table), Some(brief)) if faults.is_empty() => (table, brief),
            (_, brief) => {
                faults.extend(brief.iter().flat_map(brief::faults::faults_of));
                // That there is no model matters when everything else is right.
                let is_no_model = |fault: &Refusal| {
                    matches!(fault.problem, Problem::Seat(SeatProblem::NoModel { .. }))
                };
                if !faults.iter().all(is_no_model) {
                    faults.retain(|fault| !is_no_model(fault));
                }
                return Err(EngineError::Refused(faults));
            }
        };
        brief.attachments = [order.caller.attachments.clone(), context.attachments].concat();
        light::seat(&mut table, &mut brief);
        table.notices.extend(context.notices);
        brief.agents = table.agents.clone();
        brief.clerk = table.clerk.clone();
        check_people(&order, &brief)?;
        brief.personas = persona::of_table(seats::named(config, &order), brief.agents.len())?;
        brief.words = seats::words_for(&table.agents, brief.words);
        Ok(BriefedTable { config, order, table, brief })
    }
}

/// Refuses a person's seat that nobody could answer for, and a table of people alone.
fn check_people(order: &Order, brief: &Brief) -> Result<(), EngineError> {
    let Some(person) = brief.agents.iter().find(|agent| agent.is_person()) else { return Ok(()) };
    let problem = if !order.caller.has_person {
        SeatProblem::NobodyToAnswer
    } else if brief.agents.iter().all(Agent::is_person) {
        SeatProblem::OnlyPeople
    } else {
        return Ok(());
    };
    Err(Refusal::new(At::Agent(person.name.clone()), Problem::Seat(problem)).into())
}

/// The value of a step, if it has one; its refusals are added to the others, and
/// any other error ends the preparation.
fn checked<T>(
    step: Result<T, EngineError>,
    faults: &mut Vec<Refusal>,
) -> Result<Option<T>, EngineError> {
    match step {
        Ok(value) => Ok(Some(value)),
        Err(EngineError::Refused(more)) => {
            faults.extend(more);
            Ok(None)
        }
        Err(trouble) => Err(trouble),
    }
}

/// A table that knows what it debates.
struct BriefedTable<'a> {
    config: &'a Config,
    order: Order,
    table: Table,
    brief: Brief,
}

impl<'a> BriefedTable<'a> {
    async fn equip(self, past: &PastDebates<'_>) -> Result<EquippedTable<'a>, EngineError> {
        let BriefedTable { config, order, mut table, mut brief } = self;
        brief.embedder = constitution::embedder(config).await?;
        lessons::needs_clerk(&order, &brief)?;
        if lessons::switch(config, &order, &mut Vec::new()) {
            lessons::teach(past, &mut brief).await?;
            calibration::apply(config, &mut brief)?;
        }
        if brief.depth == Depth::Auto {
            brief.case.rounds = order.rounds.as_ref().map(|_| brief.rounds);
            brief.case.day_budget_left = costs::left_today(config, past, &brief).await?;
            brief::depth_cost::estimate(&mut brief, &table.outside.prices);
        }
        tools::equip(config, &order, &mut table, &mut brief)?;
        Ok(EquippedTable { config, order, table, brief })
    }
}

/// A table with everything that its agents may use.
struct EquippedTable<'a> {
    config: &'a Config,
    order: Order,
    table: Table,
    brief: Brief,
}

impl EquippedTable<'_> {
    async fn open(self, past: &PastDebates<'_>) -> Result<PreparedDebate, EngineError> {
        let EquippedTable { config, order, mut table, brief } = self;
        let (debate, opening) = Debate::open(brief)?;
        table.notices.extend(affordable::check((config, past), &debate, &table.outside).await?);
        // The panel is made before anything is written: a missing key is bad input.
        table.panel()?;
        if let Some(path) = &order.record {
            table.outside.tape = recording::record(path, &table.outside, LABEL, &debate)?;
        }
        let ask_on = order.ask_on.as_deref().and_then(|day| track::ask_on(day).ok());
        Ok(PreparedDebate { debate, opening, table, ask_on })
    }
}

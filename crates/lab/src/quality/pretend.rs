//! Simulated agents at the questions of a set, whose right answers they know.

use std::borrow::Cow;
use std::sync::Arc;

use agents::Panel;
use debate::Debate;
use debate::model::Choice;

use crate::quality::questions::{AskedItem, RightAnswer};
use crate::simulated::figures::MOST_OPTIONS;
use crate::simulated::lively::{Lively, Manner};
use crate::simulated::{self, Labels, Regime, SimulatedItem as Truth, SimulatedSitting};
use engine::error::EngineError;
use engine::table::order::Order;

/// What a wrong number is multiplied with at a simulated table.
const OFF: [f64; 3] = [1.1, 0.9, 2.0];

/// The truth of an item as simulated agents know it, and the names of answers.
fn truth_of(asked: &AskedItem<'_>) -> (Truth, Labels) {
    let number = asked.number as u64;
    match &asked.item.kind {
        RightAnswer::Choice { options, truth } => {
            let count = options.len().min(MOST_OPTIONS);
            (Truth::given(asked.seed, number, count, *truth), Labels::Words(options.clone()))
        }
        RightAnswer::Number { truth, .. } => {
            // Zero has no share to be off by.
            let off = |factor: f64| if *truth == 0.0 { factor } else { truth * factor };
            let values = std::iter::once(*truth).chain(OFF.map(off)).collect();
            (Truth::given(asked.seed, number, OFF.len() + 1, 0), Labels::Numbers(values))
        }
    }
}

pub fn simulated_debate(
    regime: &Regime,
    asked: &AskedItem<'_>,
    order: &Order,
) -> Result<(Debate, Panel), EngineError> {
    let (truth, labels) = truth_of(asked);
    let mut brief = simulated::brief(regime, order.mode.as_deref().unwrap_or("collaborative"));
    let unwatched = "groupthinkDetection.enabled=false".to_owned();
    brief.flags.groupthink_detection.enabled = !order.flags.contains(&unwatched);
    brief.topic = asked.item.question.clone();
    brief.question = asked.item.form();
    brief.seed = asked.seed;
    if let Some(rounds) = order.rounds.as_ref().and_then(|rounds| rounds.parse().ok()) {
        brief.rounds = rounds;
    }
    let people = Cow::Borrowed(regime.people);
    let sitting = Arc::new(SimulatedSitting::of(truth, people, regime.talk, labels));
    let panel = Lively::panel(&sitting, &Arc::new(Manner::default()));
    let (debate, _) = Debate::open(brief)?;
    Ok((debate, panel))
}

/// Copies of the first agent answer alone; the first of them is the agent
/// itself.
pub fn simulated_samples(
    regime: &Regime,
    asked: &AskedItem<'_>,
    count: usize,
) -> Vec<Option<Choice>> {
    let (truth, labels) = truth_of(asked);
    let Some(first) = regime.people.first() else { return Vec::new() };
    let people = vec![*first; count];
    let choice = |option: usize| match &labels {
        Labels::Words(words) => words.get(option).cloned().map(Choice::Option),
        Labels::Numbers(numbers) => numbers.get(option).copied().map(Choice::Number),
    };
    (0..count)
        .map(|seat| truth.first(&people, seat).and_then(|stand| choice(stand.option)))
        .collect()
}

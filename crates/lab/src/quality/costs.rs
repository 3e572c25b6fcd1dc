//! The cost of answers, from their bills.

use debate::model::{Bill, MicroUsd, Room, RoundRecord, Turn};

use crate::quality::results::Cost;

/// More samples than this are not taken, however cheap they are.
const MOST_SAMPLES: usize = 60;

/// Returns how many samples cost about as much as something else did.
pub fn samples_for(wanted: &Cost, sample: &Cost) -> usize {
    let ratio = wanted.weight() / sample.weight();
    if ratio.is_finite() { (ratio.round() as usize).clamp(1, MOST_SAMPLES) } else { 1 }
}

/// The bills of all calls that a round's answers took.
pub fn bills(round: Option<&RoundRecord>) -> Vec<Bill> {
    let turns = round.into_iter().flat_map(RoundRecord::answered);
    turns.flat_map(Turn::bills).copied().collect()
}

/// The bills of the first agent's first answer.
pub fn own_bills(room: &Room) -> Vec<Bill> {
    let own = |round: &RoundRecord| {
        let seat = room.seats.iter().find(|seat| seat.agent == 0)?.id;
        Some(round.turn(seat)?.bills().copied().collect())
    };
    room.round(1).and_then(own).unwrap_or_default()
}

/// The cost of all calls, the clerk's included.
pub fn whole_cost(room: &Room) -> Cost {
    let spent = &room.spent;
    Cost {
        usd: spent.cost.usd(),
        priced: spent.unpriced_calls == 0 && spent.calls > 0,
        input_tokens: spent.usage.input.unwrap_or(0),
        output_tokens: spent.usage.output.unwrap_or(0),
        calls: spent.calls,
    }
}

/// The sum of some bills.
pub fn cost_of(bills: Vec<Bill>) -> Cost {
    let start = Cost { priced: !bills.is_empty(), ..Cost::default() };
    bills.iter().fold(start, |sum, bill| {
        sum.plus(Cost {
            usd: bill.cost.map_or(0.0, MicroUsd::usd),
            priced: bill.cost.is_some(),
            input_tokens: bill.usage.input.unwrap_or(0),
            output_tokens: bill.usage.output.unwrap_or(0),
            calls: 1,
        })
    })
}

/// The cost of one of these, on average.
pub fn mean_cost(costs: &[Cost]) -> Cost {
    let count = costs.len().max(1);
    let none = Cost { priced: true, ..Cost::default() };
    let sum = costs.iter().fold(none, |sum, one| sum.plus(*one));
    let each = |tokens: u64| tokens.div_ceil(count as u64);
    Cost {
        usd: sum.usd / count as f64,
        input_tokens: each(sum.input_tokens),
        output_tokens: each(sum.output_tokens),
        calls: 1,
        ..sum
    }
}

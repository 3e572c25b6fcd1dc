//! The cost of answers, from their bills.

use debate::model::{Bill, MicroUsd, Room, RoundRecord};

use crate::quality::results::Cost;

/// More samples than this are not taken, however cheap they are.
const MOST_SAMPLES: usize = 60;

/// Returns how many samples cost at least as much as something else did.
pub fn samples_for(wanted: &Cost, sample: &Cost) -> usize {
    let ratio = wanted.weight() / sample.weight();
    if ratio.is_finite() { (ratio.ceil() as usize).clamp(1, MOST_SAMPLES) } else { 1 }
}

/// The bills of a round's answers.
pub fn bills(round: Option<&RoundRecord>) -> Vec<Bill> {
    round.into_iter().flat_map(RoundRecord::answered).map(|turn| turn.bill).collect()
}

/// The bill of the first agent's first answer.
pub fn own_bills(room: &Room) -> Vec<Bill> {
    let own = |round: &RoundRecord| {
        let seat = room.seats.iter().find(|seat| seat.agent == 0)?.id;
        Some(round.turn(seat)?.bill)
    };
    room.round(1).and_then(own).into_iter().collect()
}

/// The bill of all calls, the clerk's included.
pub fn all_bills(room: &Room) -> Vec<Bill> {
    let spent = &room.spent;
    let cost = (spent.unpriced_calls == 0).then_some(spent.cost);
    vec![Bill { usage: spent.usage, cost, latency_ms: 0 }]
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

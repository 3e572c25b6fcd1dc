//! The estimated cost of a debate at each depth, from the price table and the
//! debate's shape, for the gate that chooses the depth.

use agents::prices::Prices;
use debate::model::{Agent, Brief, Depth, MicroUsd, Usage};

/// Tokens that a turn reads and writes, as measured over debates of three rounds.
const TURN_INPUT: u64 = 4_500;
const TURN_OUTPUT: u64 = 900;
/// The same for a call of the clerk; it is called twice a round.
const CLERK_INPUT: u64 = 6_000;
const CLERK_OUTPUT: u64 = 700;
const CLERK_CALLS: u32 = 2;
/// Rounds at each depth where none are given.
const STANDARD_ROUNDS: u32 = 2;
const EXTENDED_ROUNDS: u32 = 3;

/// Fills in the costs where every price is known; an unknown price leaves them
/// open, and the gate assumes the published ones.
pub fn estimate(brief: &mut Brief, prices: &Prices) {
    brief.case.standard_cost = at(brief, Depth::Standard, STANDARD_ROUNDS, prices);
    brief.case.extended_cost = at(brief, Depth::Extended, EXTENDED_ROUNDS, prices);
}

fn at(brief: &Brief, depth: Depth, usual: u32, prices: &Prices) -> Option<MicroUsd> {
    let plan = debate::modes::find(&brief.mode)?;
    let shaped = Brief { depth, ..brief.clone() };
    let rounds = brief.case.rounds.unwrap_or(usual);
    let price = |agent: &Agent, input: u64, output: u64| {
        let usage = Usage { input: Some(input), output: Some(output), ..Usage::default() };
        prices.price(&agent.provider, &agent.model, &usage, 0)
    };
    let mut round = MicroUsd::ZERO;
    for seat in debate::casting::seats(plan, &shaped) {
        round += price(brief.agents.get(seat.agent)?, TURN_INPUT, TURN_OUTPUT)?;
    }
    if let Some(clerk) = &brief.clerk {
        let call = price(clerk, CLERK_INPUT, CLERK_OUTPUT)?;
        round += MicroUsd(call.0.saturating_mul(u64::from(CLERK_CALLS)));
    }
    Some(MicroUsd(round.0.saturating_mul(u64::from(rounds))))
}

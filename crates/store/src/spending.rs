//! Spending: every call that was sent, the sum reserved for it beforehand and its
//! cost. All of it is computed from the events and written in the same commit, so
//! that no answer is stored without its cost and no call is sent without its
//! reservation. A budget is checked here and nowhere else, under the write lock,
//! so that no two processes can both take the last of it.
//!
//! A call is charged its cost where that is known, else its reservation, and
//! nothing where it failed in a way that is never billed. A call whose fate is
//! unknown keeps its reservation as possibly billed.

mod accounts;
mod costs;
mod plan;

use debate::model::{AskId, Bill, Event, FailureClass, Intent, MicroUsd, Party, SeatId, Usage};

use crate::error::StoreError;
use crate::limits::{SpendingCaps, SpendingLimit};
use crate::log_row::signed;
use crate::people::PersonBudget;

pub(crate) use accounts::{
    day_account, day_of, debate_account, month_begins, month_of, person_day_account,
    person_month_account,
};
pub use costs::{CachedLine, CostLine, CostsBy};
pub(crate) use plan::{CallStep, NewCall, SpendingPlan};

/// The changes that some events make to the books, computed before the writer's
/// turn.
#[derive(Debug, Default)]
pub(crate) struct CallEntries {
    day: i64,
    /// Name, provider and model.
    parties: Vec<(String, String, String)>,
    /// Seats that were set anew, and the agents that take them.
    reseated: Vec<(String, String)>,
    entries: Vec<CallEntry>,
}

#[derive(Debug)]
enum CallEntry {
    Held {
        ask: AskId,
        reserved: Option<MicroUsd>,
    },
    /// A further request of a call that is held.
    Extended {
        ask: AskId,
        reserved: MicroUsd,
        used: MicroUsd,
    },
    Settled {
        ask: AskId,
        charge: CallCharge,
        tokens: InputTokens,
    },
    Abandoned {
        ask: AskId,
        at_most: Option<MicroUsd>,
    },
}

#[derive(Debug, Clone, Copy)]
enum CallCharge {
    Known(MicroUsd),
    /// The answer came without its price: the reservation is charged.
    Reserved,
    /// It failed and may have been billed all the same.
    Possible,
}

/// Failures that no provider bills.
const NEVER_BILLED: [FailureClass; 7] = [
    FailureClass::Cancelled,
    FailureClass::RateLimited,
    FailureClass::Unauthorised,
    FailureClass::OutOfCredit,
    FailureClass::BadRequest,
    FailureClass::TooLong,
    FailureClass::Blocked,
];

impl CallCharge {
    fn of(event: &Event, bill: &Bill) -> CallCharge {
        let tokens = bill.usage.total().unwrap_or(0);
        match (bill.cost, event) {
            (Some(cost), _) => CallCharge::Known(cost),
            (None, Event::Missed { gap, .. })
                if tokens == 0 && NEVER_BILLED.contains(&gap.class) =>
            {
                CallCharge::Known(MicroUsd::ZERO)
            }
            (None, Event::Missed { .. } | Event::ClerkFailed { .. }) => CallCharge::Possible,
            (None, _) => CallCharge::Reserved,
        }
    }
}

impl CallEntries {
    pub(crate) fn of(events: &[Event], at: i64) -> CallEntries {
        let mut all = CallEntries { day: day_of(at), ..CallEntries::default() };
        for event in events {
            all.take(event);
        }
        all
    }

    /// The same parties without any call.
    pub(crate) fn without_calls(self) -> CallEntries {
        CallEntries { entries: Vec::new(), ..self }
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::Opened { brief, seats, .. } => {
                let seats = seats
                    .iter()
                    .filter_map(|seat| Some((seat_name(seat.id), brief.agents.get(seat.agent)?)));
                let clerk = brief.clerk.iter().map(|agent| ("clerk".to_string(), agent));
                let agents = (0..).zip(&brief.agents).map(|(n, agent)| (agent_name(n), agent));
                let parties = seats.chain(clerk).chain(agents);
                self.parties
                    .extend(parties.map(|(who, a)| (who, a.provider.clone(), a.model.clone())));
            }
            Event::DepthChosen { seats, .. } | Event::DomainNamed { seats, .. } => {
                let seats = seats.iter().map(|seat| (seat_name(seat.id), agent_name(seat.agent)));
                self.reseated.extend(seats);
                self.settle_call(event);
            }
            Event::Asked { intents } => self.entries.extend(
                intents.iter().map(|one| CallEntry::Held { ask: one.ask, reserved: one.reserved }),
            ),
            Event::Reserved { ask, reserved, used, .. } => self.entries.push(CallEntry::Extended {
                ask: *ask,
                reserved: *reserved,
                used: *used,
            }),
            Event::Ambiguous { intents } => {
                let abandoned =
                    |one: &Intent| CallEntry::Abandoned { ask: one.ask, at_most: one.reserved };
                self.entries.extend(intents.iter().map(abandoned));
            }
            other => self.settle_call(other),
        }
    }

    fn settle_call(&mut self, event: &Event) {
        if let Some((ask, bill)) = event.ends() {
            let (charge, tokens) = (CallCharge::of(event, bill), InputTokens::of(&bill.usage));
            self.entries.push(CallEntry::Settled { ask, charge, tokens });
        }
    }

    /// The amount that the announced requests may cost, and the number of those
    /// whose price is not known.
    fn wanted(&self) -> (MicroUsd, usize) {
        let held = self.entries.iter().filter_map(|entry| match entry {
            CallEntry::Held { reserved, .. } => Some(*reserved),
            CallEntry::Extended { reserved, used, .. } => {
                Some(Some(MicroUsd(reserved.0.saturating_sub(used.0))))
            }
            _ => None,
        });
        let unpriced = held.clone().filter(|reserved| reserved.is_none()).count();
        (held.flatten().sum(), unpriced)
    }

    /// The calls whose fate these events decide.
    pub(crate) fn asks(&self) -> Vec<String> {
        let asks = self.entries.iter().filter_map(|entry| match entry {
            CallEntry::Held { .. } => None,
            CallEntry::Settled { ask, .. }
            | CallEntry::Abandoned { ask, .. }
            | CallEntry::Extended { ask, .. } => Some(ask.to_string()),
        });
        asks.collect()
    }

    /// The accounts that a budget looks at.
    pub(crate) fn accounts(&self, id: &str, owner: Option<&str>) -> Vec<String> {
        let mut names = vec![debate_account(id), day_account(self.day)];
        if let Some(owner) = owner {
            names.push(person_day_account(owner, self.day));
            names.push(person_month_account(owner, self.day));
        }
        names
    }

    /// The name of an account of these calls' day, with `?` for the person.
    pub(crate) fn account(&self, of: fn(&str, i64) -> String) -> String {
        of("?", self.day)
    }

    /// Refuses what would pass a limit; changes nothing.
    pub(crate) fn check(
        &self,
        id: &str,
        caps: &SpendingCaps,
        state: &SpendingState,
    ) -> Result<(), StoreError> {
        let (wanted, unpriced) = self.wanted();
        let own = state.owner.as_ref().map(|owner| owner.budget).unwrap_or_default();
        let keeps_own = own != PersonBudget::default() && !caps.owner_allows_unpriced;
        let refuses = (caps.is_limited() && !caps.allow_unpriced) || keeps_own;
        if refuses && unpriced > 0 {
            return Err(StoreError::Unpriced { id: id.into(), calls: unpriced });
        }
        if wanted == MicroUsd::ZERO {
            return Ok(());
        }
        let owner = state.owner.as_ref().map_or("", |owner| owner.name.as_str());
        let limits = [
            (SpendingLimit::Debate, caps.debate, debate_account(id)),
            (SpendingLimit::Day, caps.day, day_account(self.day)),
            (SpendingLimit::OwnerDay, own.day, person_day_account(owner, self.day)),
            (SpendingLimit::OwnerMonth, own.month, person_month_account(owner, self.day)),
        ];
        for (which, cap, account) in limits {
            let Some(cap) = cap else { continue };
            let after = state.bound(&account) + self.settles(which, &state.calls);
            let bound = MicroUsd(u64::try_from(after).unwrap_or(0));
            if bound + wanted > cap {
                return Err(StoreError::Budget { which, cap, bound, wanted });
            }
        }
        Ok(())
    }

    /// The most that accounts may hold before these events, so that no limit is passed: all that
    /// [`CallEntries::check`] asks about a debate without an owner, whose `calls` are known. `None`
    /// where that would refuse whatever they hold.
    pub(crate) fn most_before(
        &self,
        id: &str,
        caps: &SpendingCaps,
        calls: &[CallRow],
    ) -> Option<Vec<(String, i64)>> {
        let (wanted, unpriced) = self.wanted();
        if caps.is_limited() && !caps.allow_unpriced && unpriced > 0 {
            return None;
        }
        if wanted == MicroUsd::ZERO {
            return Some(Vec::new());
        }
        let limits = [
            (SpendingLimit::Debate, caps.debate, debate_account(id)),
            (SpendingLimit::Day, caps.day, day_account(self.day)),
        ];
        let most = |(which, cap, account): (_, Option<MicroUsd>, String)| {
            let left = cap?.0.checked_sub(wanted.0);
            Some(
                left.map(|left| (account, signed(left).saturating_sub(self.settles(which, calls)))),
            )
        };
        limits.into_iter().filter_map(most).collect()
    }

    /// By how much an account changes through requests that end with these events.
    fn settles(&self, which: SpendingLimit, calls: &[CallRow]) -> i64 {
        let change = |entry: &CallEntry| {
            let (ask, cost) = match entry {
                CallEntry::Settled { ask, charge: CallCharge::Known(cost), .. } => (ask, cost),
                CallEntry::Extended { ask, used, .. } => (ask, used),
                _ => return 0,
            };
            let ask = ask.to_string();
            let row = calls.iter().find(|row| row.held && row.ask == ask);
            let counts = |row: &&CallRow| match which {
                SpendingLimit::Debate => true,
                SpendingLimit::Day | SpendingLimit::OwnerDay => row.day == self.day,
                SpendingLimit::OwnerMonth => month_of(row.day) == month_of(self.day),
            };
            let row = row.filter(counts);
            row.map_or(0, |row| signed(cost.0).saturating_sub(row.reserved))
        };
        self.entries.iter().map(change).sum()
    }

    /// Returns the rows to write. `state` must hold the calls of
    /// [`CallEntries::asks`].
    pub(crate) fn plan<'a>(&'a self, id: &str, state: &mut SpendingState) -> SpendingPlan<'a> {
        let mut plan = SpendingPlan::default();
        for entry in &self.entries {
            match entry {
                CallEntry::Held { ask, reserved } => {
                    let call = NewCall {
                        ask: ask.to_string(),
                        party: party(ask),
                        day: self.day,
                        state: "held",
                        reserved: *reserved,
                        cost: None,
                    };
                    plan.insert(call, state);
                    plan.charge(self.day, signed(reserved.unwrap_or_default().0));
                }
                CallEntry::Extended { ask, reserved, used } => {
                    plan.extend(ask, (*reserved, *used), state);
                }
                CallEntry::Abandoned { ask, at_most } => {
                    let end = CallEndRow::of("possible", *at_most, InputTokens::default());
                    let closed = plan.close(ask.to_string(), end, state);
                    if let (Some((day, reserved)), Some(at_most)) = (closed, at_most) {
                        plan.charge(day, signed(at_most.0).saturating_sub(reserved));
                    }
                }
                CallEntry::Settled { ask, charge, tokens } => {
                    self.settle(ask, (*charge, *tokens), state, &mut plan);
                }
            }
        }
        plan.parties = &self.parties;
        plan.reseated = &self.reseated;
        plan.debate_account = debate_account(id);
        plan.owner = state.owner.as_ref().map(|owner| owner.name.clone());
        plan
    }

    fn settle<'a>(
        &'a self,
        ask: &AskId,
        (charge, tokens): (CallCharge, InputTokens),
        state: &mut SpendingState,
        plan: &mut SpendingPlan<'a>,
    ) {
        let (word, cost) = match charge {
            CallCharge::Known(cost) => ("settled", Some(cost)),
            CallCharge::Reserved => ("settled", None),
            CallCharge::Possible => ("possible", None),
        };
        let name = ask.to_string();
        let held = plan.close(name.clone(), CallEndRow::of(word, cost, tokens), state);
        match (held, cost) {
            (Some((day, reserved)), Some(cost)) => {
                plan.charge(day, signed(cost.0).saturating_sub(reserved));
            }
            // Sent before there were books. A known call is settled already: an
            // answer that was held is charged when it comes in, not when it enters.
            (None, Some(cost)) if cost > MicroUsd::ZERO && !state.knows(&name) => {
                let call = NewCall {
                    ask: name,
                    party: party(ask),
                    day: self.day,
                    state: word,
                    reserved: None,
                    cost: Some(cost),
                };
                plan.insert(call, state);
                plan.charge(self.day, signed(cost.0));
            }
            _ => {}
        }
    }
}

/// The accounts and calls that a request touches, as they are stored.
#[derive(Default)]
pub(crate) struct SpendingState {
    pub accounts: Vec<(String, i64)>,
    pub calls: Vec<CallRow>,
    pub owner: Option<CallOwner>,
}

/// The owner of a debate, who pays for its calls.
pub(crate) struct CallOwner {
    pub name: String,
    pub budget: PersonBudget,
}

impl CallOwner {
    /// The owner of a debate that is not stored yet.
    pub(crate) fn of_new(name: Option<&str>) -> Option<CallOwner> {
        name.map(|name| CallOwner { name: name.into(), budget: PersonBudget::default() })
    }
}

/// A stored call.
pub(crate) struct CallRow {
    pub ask: String,
    pub held: bool,
    pub day: i64,
    pub reserved: i64,
}

impl SpendingState {
    /// The sum of an account so far.
    fn bound(&self, account: &str) -> i64 {
        self.accounts.iter().find(|(name, _)| name == account).map_or(0, |(_, bound)| *bound)
    }

    fn knows(&self, ask: &str) -> bool {
        self.calls.iter().any(|row| row.ask == ask)
    }
}

/// What a call came to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallEndRow {
    pub state: &'static str,
    pub cost: Option<MicroUsd>,
    pub tokens: InputTokens,
}

impl CallEndRow {
    fn of(state: &'static str, cost: Option<MicroUsd>, tokens: InputTokens) -> CallEndRow {
        CallEndRow { state, cost, tokens }
    }
}

/// The input tokens of a call, and those of them that came from the provider's cache.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InputTokens {
    pub all: u64,
    pub cached: u64,
}

impl InputTokens {
    /// A cache that gave more than was sent is a provider's mistake.
    fn of(usage: &Usage) -> InputTokens {
        let all = usage.input.unwrap_or(0);
        InputTokens { all, cached: usage.cached.unwrap_or(0).min(all) }
    }
}

fn seat_name(seat: SeatId) -> String {
    format!("s{}", seat.index())
}

fn agent_name(index: usize) -> String {
    format!("a{index}")
}

fn party(ask: &AskId) -> String {
    match ask.party {
        Party::Seat(seat) => seat_name(seat),
        Party::Clerk => "clerk".into(),
    }
}

/// The debate and the person whose spending is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spender<'a> {
    pub debate: &'a str,
    pub owner: Option<&'a str>,
}

/// Sums that are spent whatever becomes of the requests on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeastSpending {
    pub debate: MicroUsd,
    pub day: MicroUsd,
    /// Of the debate's owner, of this day and of its month.
    pub owner_day: MicroUsd,
    pub owner_month: MicroUsd,
}

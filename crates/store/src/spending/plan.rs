//! The rows that some events write to the books.

use std::collections::BTreeMap;

use debate::model::{AskId, MicroUsd};

use super::accounts::{day_account, person_day_account, person_month_account};
use super::{CallEndRow, CallRow, SpendingState};
use crate::log_row::signed;

/// The rows that some events write to the books, in order.
#[derive(Default)]
pub(crate) struct SpendingPlan<'a> {
    /// Name, provider and model.
    pub parties: &'a [(String, String, String)],
    /// Seats and the agents that take them.
    pub reseated: &'a [(String, String)],
    pub calls: Vec<CallStep>,
    /// The owner of the debate.
    pub owner: Option<String>,
    pub(super) debate_account: String,
    /// Sums to add per day.
    days: Vec<(i64, i64)>,
}

/// A change of one call.
pub(crate) enum CallStep {
    Insert(NewCall),
    /// Changes what is held for a call, and what its requests took so far.
    Extend {
        ask: String,
        reserved: MicroUsd,
        used: MicroUsd,
    },
    /// Ends a call that is held; without a cost it is charged its reservation.
    Close {
        ask: String,
        end: CallEndRow,
    },
}

/// A call to be entered.
pub(crate) struct NewCall {
    pub ask: String,
    pub party: String,
    pub day: i64,
    pub state: &'static str,
    pub reserved: Option<MicroUsd>,
    pub cost: Option<MicroUsd>,
}

impl SpendingPlan<'_> {
    /// The sums to add to accounts: the days', the debate's, and those of the owner.
    pub(crate) fn accounts(&self) -> Vec<(String, i64)> {
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for (day, amount) in &self.days {
            let mut names = vec![day_account(*day), self.debate_account.clone()];
            if let Some(owner) = &self.owner {
                names.push(person_day_account(owner, *day));
                names.push(person_month_account(owner, *day));
            }
            for name in names {
                let sum = sums.entry(name).or_default();
                *sum = sum.saturating_add(*amount);
            }
        }
        sums.into_iter().filter(|(_, sum)| *sum != 0).collect()
    }

    pub(super) fn insert(&mut self, call: NewCall, state: &mut SpendingState) {
        state.calls.push(CallRow {
            ask: call.ask.clone(),
            held: call.state == "held",
            day: call.day,
            reserved: signed(call.reserved.unwrap_or_default().0),
        });
        self.calls.push(CallStep::Insert(call));
    }

    /// Ends a call that is held and returns its day and its reservation.
    pub(super) fn close(
        &mut self,
        ask: String,
        end: CallEndRow,
        state: &mut SpendingState,
    ) -> Option<(i64, i64)> {
        let row = state.calls.iter_mut().find(|row| row.held && row.ask == ask)?;
        row.held = false;
        self.calls.push(CallStep::Close { ask, end });
        Some((row.day, row.reserved))
    }

    pub(super) fn extend(
        &mut self,
        ask: &AskId,
        (reserved, used): (MicroUsd, MicroUsd),
        state: &mut SpendingState,
    ) {
        let ask = ask.to_string();
        let Some(row) = state.calls.iter_mut().find(|row| row.held && row.ask == ask) else {
            return;
        };
        let more = signed(reserved.0).saturating_sub(row.reserved);
        row.reserved = signed(reserved.0);
        let day = row.day;
        self.calls.push(CallStep::Extend { ask, reserved, used });
        self.charge(day, more);
    }

    pub(super) fn charge(&mut self, day: i64, amount: i64) {
        match self.days.iter_mut().find(|(known, _)| *known == day) {
            Some((_, sum)) => *sum = sum.saturating_add(amount),
            None => self.days.push((day, amount)),
        }
    }
}

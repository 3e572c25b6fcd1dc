//! Limits on spending, as a caller sets them.

use debate::model::MicroUsd;

/// The most that may be spent. Zero is a limit too; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpendingCaps {
    pub debate: Option<MicroUsd>,
    /// For all debates of this database together, per day in UTC.
    pub day: Option<MicroUsd>,
    /// With a limit set, a call of unknown price is refused, since no promise
    /// could be kept. If this is true it is made and counted, but not summed.
    pub allow_unpriced: bool,
    /// The same under the budget of the debate's owner.
    pub owner_allows_unpriced: bool,
}

impl SpendingCaps {
    pub(crate) fn is_limited(&self) -> bool {
        self.debate.is_some() || self.day.is_some()
    }
}

/// The limit that a call would pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpendingLimit {
    Debate,
    Day,
    /// The budgets of the debate's owner.
    OwnerDay,
    OwnerMonth,
}

impl SpendingLimit {
    pub fn word(self) -> &'static str {
        match self {
            SpendingLimit::Debate => "this debate's budget",
            SpendingLimit::Day => "the day's budget",
            SpendingLimit::OwnerDay => "the owner's budget for the day",
            SpendingLimit::OwnerMonth => "the owner's budget for the month",
        }
    }
}

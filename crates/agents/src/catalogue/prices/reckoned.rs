//! The prices that were reckoned last. One request is priced several times: before it is
//! announced, before it is sent and when it has ended. Prices that depend on the time of the day
//! are reckoned anew each time, and others after a while: some change on a certain day.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use debate::model::{MicroUsd, Usage};

/// As many as the requests of a large wave need.
const MOST: usize = 64;
/// As long as the price of a request may be believed that is about to be sent.
const LASTS: Duration = Duration::from_secs(60);

/// Clones share what they know.
#[derive(Debug, Clone, Default)]
pub(super) struct ReckonedPrices(Arc<Mutex<VecDeque<ReckonedPrice>>>);

#[derive(Debug)]
struct ReckonedPrice {
    usage: Usage,
    searches: u32,
    provider: String,
    model: String,
    price: Option<MicroUsd>,
    at: Instant,
}

impl ReckonedPrices {
    /// Returns the price as it was reckoned before, or reckons it.
    pub(super) fn of(
        &self,
        (provider, model): (&str, &str),
        (usage, searches): (&Usage, u32),
        reckon: impl FnOnce() -> Option<MicroUsd>,
    ) -> Option<MicroUsd> {
        let is_same = |one: &&ReckonedPrice| {
            one.usage == *usage
                && one.searches == searches
                && one.model == model
                && one.provider == provider
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The newest come first.
        let young = known.iter().take_while(|one| one.at.elapsed() < LASTS);
        if let Some(one) = young.into_iter().find(is_same) {
            return one.price;
        }
        let price = reckon();
        if super::changes_daily(provider) {
            return price;
        }
        known.truncate(MOST - 1);
        let (provider, model) = (provider.to_owned(), model.to_owned());
        known.push_front(ReckonedPrice {
            usage: *usage,
            searches,
            provider,
            model,
            price,
            at: Instant::now(),
        });
        price
    }

    /// Has everything that is known be too old to be believed.
    #[cfg(test)]
    pub(super) fn let_age(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter_mut().for_each(|one| one.at = one.at.checked_sub(LASTS).unwrap_or(one.at));
    }
}

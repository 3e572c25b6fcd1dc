//! The sources a model was shown in one turn, under the numbers it was shown.
//! An answer refers to them by number, so a number, once given, never changes.

use std::sync::{Mutex, PoisonError};

use debate::model::Citation;
use debate::sorting::SortRows;

/// The first number when the provider searches by itself: its own sources are
/// counted from 1, and no number may mean two things.
pub const BESIDE_NATIVE_SEARCH: u32 = 51;

#[derive(Debug)]
pub struct TurnSources {
    first: u32,
    shown: Mutex<Vec<Citation>>,
}

impl TurnSources {
    pub fn from(first: u32) -> TurnSources {
        TurnSources { first, shown: Mutex::default() }
    }

    /// The number under which a source is shown; the same for the same address.
    pub fn cite(&self, source: Citation) -> u32 {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&Citation| known.url.is_some() && known.url == source.url;
        if let Some(known) = shown.iter().find(same) {
            return known.number;
        }
        let number = self.first.saturating_add(u32::try_from(shown.len()).unwrap_or(u32::MAX));
        shown.push(Citation { number, ..source });
        number
    }

    /// The sources shown so far, in the order of their numbers.
    pub fn shown(&self) -> Vec<Citation> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The sources shown, with the provider's own beside them. Those keep their numbers too, as
    /// far as these are free.
    pub fn with(&self, natives: impl IntoIterator<Item = Citation>) -> Vec<Citation> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = shown.clone();
        for native in natives {
            let same = |known: &Citation| known.url.is_some() && known.url == native.url;
            if all.iter().any(same) {
                continue;
            }
            let is_free = native.number > 0 && all.iter().all(|one| one.number != native.number);
            let last = all.iter().map(|one| one.number).max().unwrap_or(0);
            let number = if is_free { native.number } else { last.saturating_add(1) };
            all.push(Citation { number, ..native });
        }
        all.sort_rows_by_key(|one| one.number);
        all
    }
}

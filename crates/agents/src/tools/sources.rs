//! The sources a model was shown in one turn, under the numbers it was shown.
//! An answer refers to them by number, so a number, once given, never changes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use debate::model::Citation;

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
        let mut all: BTreeMap<u32, Citation> =
            shown.iter().map(|source| (source.number, source.clone())).collect();
        for native in natives {
            let same = |known: &Citation| known.url.is_some() && known.url == native.url;
            if all.values().any(same) {
                continue;
            }
            let free = !all.contains_key(&native.number) && native.number > 0;
            let next = || all.keys().last().map_or(1, |last| last.saturating_add(1));
            let number = if free { native.number } else { next() };
            all.insert(number, Citation { number, ..native });
        }
        all.into_values().collect()
    }
}

//! Remembers which answers reached their caller whole. Until then an equal request is the
//! same one asked again, after a connection that broke, and leads to the same debate;
//! afterwards it is a wish for another answer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most questions that are remembered; beyond them all are forgotten, which can only
/// lead to a debate that is already paid for.
const MOST: usize = 10_000;

/// The questions that were asked since the server began.
#[derive(Debug, Default)]
pub struct Deliveries {
    asked: Mutex<HashMap<String, AskedOften>>,
}

/// How often a question was answered, by its key.
#[derive(Debug, Default)]
struct AskedOften {
    /// Counts the debates that were held for it.
    number: u32,
    /// True once the answer of the last of them has been sent whole.
    delivered: bool,
}

impl Deliveries {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, AskedOften>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the debate that a request means; a client that says that it
    /// only tries again means the last one.
    pub fn number(&self, key: &str, tries_again: bool) -> u32 {
        let mut all = self.lock();
        if all.len() >= MOST {
            all.clear();
        }
        let one = all.entry(key.to_owned()).or_default();
        if one.delivered && !tries_again {
            *one = AskedOften { number: one.number + 1, delivered: false };
        }
        one.number
    }

    /// Notes that the answer of this debate was sent whole.
    pub fn delivered(&self, key: &str, number: u32) {
        if let Some(one) = self.lock().get_mut(key).filter(|one| one.number == number) {
            one.delivered = true;
        }
    }
}

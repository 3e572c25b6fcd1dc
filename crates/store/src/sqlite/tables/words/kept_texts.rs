//! The texts of answers that this writer wrote and that are not indexed yet, so that they need not be
//! unpacked and parsed again for it. Each goes by the hash of its entry, which is over the debate,
//! the number and the whole event: a text that is found is that of the stored entry, whoever has
//! written there since. What is not found is read.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::indexed_text;
use crate::log_row::NewEntry;

/// The answers of about a hundred debates; the oldest go first.
const MOST_BYTES: usize = 4 << 20;

#[derive(Default)]
pub(crate) struct KeptTexts {
    by_hash: HashMap<Vec<u8>, Arc<str>>,
    /// Oldest first; those that were taken stay until their turn comes.
    in_order: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl KeptTexts {
    /// Keeps the texts of these entries.
    pub(crate) fn keep(&mut self, entries: &[NewEntry]) {
        for NewEntry { hash, said, .. } in entries {
            let Some(text) = said.as_ref().and_then(indexed_text) else { continue };
            let bytes = text.len();
            if self.by_hash.insert(hash.clone(), text).is_none() {
                self.bytes += bytes;
                self.in_order.push_back(hash.clone());
            }
        }
        while self.bytes > MOST_BYTES
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.take(&oldest);
        }
        if self.in_order.len() > 2 * self.by_hash.len() + 64 {
            self.in_order.retain(|hash| self.by_hash.contains_key(hash));
        }
    }

    /// Takes the text of the entry with this hash.
    pub(crate) fn take(&mut self, hash: &[u8]) -> Option<Arc<str>> {
        let text = self.by_hash.remove(hash)?;
        self.bytes -= text.len();
        Some(text)
    }
}

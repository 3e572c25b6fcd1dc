//! What all readers of one wave are shown alike: made, shortened and counted for the first
//! of them, and only copied for the others. It refuses to keep a text that could read
//! otherwise behind another reader's fence: each reader gets one of its own then.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::model::{ClaimId, EvidenceId, Round, SeatId};

use super::anonymity::{HiddenNames, SeatNames};
use super::answers::AnswerBody;
use super::state::ClaimOrder;
use super::summary::SummaryLines;
use super::view_text::CountedLines;

/// The parts that were made so far, for views of one room, one plan and one round.
#[derive(Debug, Default)]
pub struct SharedParts {
    /// The names that an anonymous view hides.
    pub(super) hidden: PartsByKey<(), HiddenNames>,
    /// The order of the claims and of the sources, where all readers know of the same ones.
    pub(super) claim_order: PartsByKey<(), ClaimOrder>,
    pub(super) source_order: PartsByKey<(), Vec<usize>>,
    pub(super) claims: PartsByKey<ClaimId, CountedLines>,
    pub(super) sources: PartsByKey<EvidenceId, CountedLines>,
    pub(super) summaries: PartsByKey<Round, SummaryLines>,
    pub(super) answers: PartsByKey<(Round, SeatId), AnswerBody>,
    /// Stance, vote and confidence of an answer.
    pub(super) standings: PartsByKey<(Round, SeatId), String>,
    /// The lines of the other seats at the table, by the round of their latest answer.
    pub(super) table: PartsByKey<(SeatId, Option<Round>), CountedLines>,
    /// The group in figures.
    pub(super) figures: PartsByKey<Round, CountedLines>,
}

#[derive(Debug)]
pub(super) struct PartsByKey<K, P> {
    parts: RefCell<BTreeMap<K, Rc<P>>>,
}

impl<K, P> Default for PartsByKey<K, P> {
    fn default() -> PartsByKey<K, P> {
        PartsByKey { parts: RefCell::default() }
    }
}

impl<K: Ord, P> PartsByKey<K, P> {
    /// Returns the part that was made for another reader, or makes it. It must show nothing
    /// that depends on the reader, and all foreign text in it must come from `names`.
    pub fn get(&self, key: K, names: &SeatNames<'_>, make: impl FnOnce() -> P) -> Rc<P> {
        self.get_or_make(key, || names.alike_for_all(make))
    }

    /// Does so for a part that tells by itself whether it is the same for all readers.
    pub fn get_or_make(&self, key: K, make: impl FnOnce() -> (P, bool)) -> Rc<P> {
        if let Some(part) = self.parts.borrow().get(&key) {
            return Rc::clone(part);
        }
        let (part, alike) = make();
        let part = Rc::new(part);
        if alike {
            self.parts.borrow_mut().insert(key, Rc::clone(&part));
        }
        part
    }
}

#[cfg(test)]
#[path = "wave_parts_tests.rs"]
mod tests;

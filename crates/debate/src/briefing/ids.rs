//! Lists of ids, written out, or as ranges where three or more follow one
//! another.

use std::fmt::Write;

use crate::model::{ClaimId, EvidenceId};

/// An id with a letter and a number.
pub(super) trait LetteredId: Copy {
    const LETTER: char;
    fn number(self) -> u32;
}

impl LetteredId for ClaimId {
    const LETTER: char = 'C';
    fn number(self) -> u32 {
        self.0
    }
}

impl LetteredId for EvidenceId {
    const LETTER: char = 'E';
    fn number(self) -> u32 {
        self.0
    }
}

/// The ids in the given order, each written out.
pub(super) fn write<I: LetteredId>(out: &mut String, ids: &[I]) {
    for (place, id) in ids.iter().enumerate() {
        out.push_str(if place == 0 { "" } else { ", " });
        let _ = write!(out, "{}{}", I::LETTER, id.number());
    }
}

/// Writes the ids in rising order, with runs as ranges: `C1, C4 to C9`.
pub(super) fn write_runs<I: LetteredId>(out: &mut String, ids: &[I]) {
    let mut numbers: Vec<u32> = ids.iter().map(|id| id.number()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut first = true;
    for run in numbers.chunk_by(|one, next| one + 1 == *next) {
        let (Some(low), Some(high)) = (run.first(), run.last()) else { continue };
        let together = high - low >= 2;
        for number in if together { &run[..1] } else { run } {
            out.push_str(if first { "" } else { ", " });
            let _ = write!(out, "{}{number}", I::LETTER);
            first = false;
        }
        if together {
            let _ = write!(out, " to {}{high}", I::LETTER);
        }
    }
}

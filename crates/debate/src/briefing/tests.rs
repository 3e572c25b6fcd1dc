//! Sharing of room, and writing of ids.

use super::anonymity::stays_composed;
use super::budget::{ViewBudget, share};
use super::ids;
use crate::model::ClaimId;

#[test]
fn small_needs_are_met_in_full_and_the_rest_is_shared_evenly() {
    assert_eq!(share(&[10, 20, 30], 100), [10, 20, 30]);
    assert_eq!(share(&[10, 100, 100], 70), [10, 30, 30]);
    assert_eq!(share(&[5, 5, 5], 9), [3, 3, 3]);
    assert_eq!(share(&[7, 1], 0), [0, 0]);
    assert!(share(&[], 5).is_empty());
}

#[test]
fn budgets_shrink_in_proportion() {
    let (full, half) = (ViewBudget::for_window(None), ViewBudget::for_window(Some(12_000)));
    assert_eq!(ViewBudget::for_window(Some(1_000_000)), full);
    assert_eq!(
        (half.view, half.state, half.round),
        (full.view / 2, full.state / 2, full.round / 2)
    );
}

#[test]
fn ids_are_drawn_together() {
    let mut out = String::new();
    let row = [9, 1, 2, 4, 5, 6, 7].map(ClaimId);
    ids::write_runs(&mut out, &row);
    assert_eq!(out, "C1, C2, C4 to C7, C9");
}

#[test]
fn a_character_taken_for_composed_stays_so_next_to_any_other() {
    use unicode_normalization::{IsNormalized, char::canonical_combining_class, is_nfc_quick};
    for char in (0..=0x10_ffff).filter_map(char::from_u32).filter(|it| stays_composed(*it)) {
        let composed = is_nfc_quick(std::iter::once(char)) == IsNormalized::Yes;
        assert!(composed && canonical_combining_class(char) == 0, "{char:?}");
    }
}

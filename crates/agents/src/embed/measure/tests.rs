//! The measures of an embedder meet known values.

use super::*;

#[test]
fn ranks_count_and_distances_do_not() {
    assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 100.0, 101.0]), Some(1.0));
    assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), Some(-1.0));
    // Worked by hand: ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4.
    let tied = spearman(&[1.0, 5.0, 5.0, 9.0], &[1.0, 3.0, 2.0, 4.0]).unwrap();
    assert!((tied - 4.5 / 22.5_f64.sqrt()).abs() < 1e-12, "{tied}");
}

#[test]
fn a_measure_without_meaning_is_absent() {
    assert_eq!(spearman(&[], &[]), None);
    assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
    assert_eq!(spearman(&[1.0], &[1.0, 2.0]), None);
    assert_eq!(auroc(&[], &[1.0]), None);
    assert_eq!(auroc(&[1.0], &[]), None);
    assert_eq!(mean(&[]), None);
}

#[test]
fn auroc_is_the_chance_of_lying_above() {
    assert_eq!(auroc(&[3.0, 4.0], &[1.0, 2.0]), Some(1.0));
    assert_eq!(auroc(&[1.0, 2.0], &[3.0, 4.0]), Some(0.0));
    assert_eq!(auroc(&[1.0, 1.0], &[1.0, 1.0]), Some(0.5));
    assert_eq!(auroc(&[1.0, 3.0], &[2.0, 3.0]), Some(0.375));
}

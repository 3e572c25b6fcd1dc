//! The word lists of opposites are sorted and work from both sides.

use super::*;

#[test]
fn word_lists_stand_in_order_and_as_they_are_looked_up() {
    assert!(FILLER.is_sorted());
    assert!(NEGATORS.is_sorted());
    assert!(NUMBER_WORDS.is_sorted());
    assert!(OPPOSITES.is_sorted());
    for (one, other) in OPPOSITES {
        assert!(one < other, "{one} stands after {other}");
        assert_eq!((stem(one), stem(other)), (*one, *other));
    }
    for word in NEGATORS {
        assert_eq!(stem(word), *word);
    }
}

#[test]
fn every_listed_opposite_is_seen_from_both_sides() {
    for (one, other) in OPPOSITES {
        assert!(opposite(one, other) && opposite(other, one), "{one} / {other}");
    }
    assert!(opposite("unsafe", "safe") && opposite("useful", "useless"));
    assert!(!opposite("safe", "safe") && !opposite("safe", "sound"));
}

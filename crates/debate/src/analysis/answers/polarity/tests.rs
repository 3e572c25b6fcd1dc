//! The word lists of opposites are sorted and work from both sides.

use proptest::prelude::*;

use super::*;

#[test]
fn word_lists_stand_in_order_and_as_they_are_looked_up() {
    assert!(NUMBER_WORDS.is_sorted());
    assert!(OPPOSITES.is_sorted());
    for (one, other) in OPPOSITES {
        assert!(one < other, "{one} stands after {other}");
        assert_eq!((stem(one), stem(other)), (*one, *other));
    }
    for word in NEGATORS.words() {
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

proptest! {
    #[test]
    fn plain_text_is_read_like_any_other(
        text in prop_oneof!["[ -~\\n\\t]{0,40}", "[a-cANnst0-9'.,:/ \\-]{0,30}", "(can't|won't|it's|two|1,000|3.5|the| |'s|n't){0,8}"],
    ) {
        prop_assert_eq!(NormalisedPosition::of(&text), NormalisedPosition::of_any(&text));
    }

    #[test]
    fn words_alike_around_make_no_difference(
        one in prop::collection::vec("[abé%]{1,2}", 0..9),
        other in prop::collection::vec("[abé%]{1,2}", 0..9),
    ) {
        let sorted = |mut words: Vec<&str>| {
            words.sort_unstable();
            words.join(" ")
        };
        let (mine, theirs) = (one.join(" "), other.join(" "));
        let (only_mine, only_theirs, shared) = differing(&mine, &theirs);
        let all_mine: Vec<&str> = one.iter().map(String::as_str).collect();
        let all_theirs: Vec<&str> = other.iter().map(String::as_str).collect();
        let expected = missing_from(&all_mine, &all_theirs);
        prop_assert_eq!(shared, one.len() - expected.len());
        prop_assert_eq!(sorted(only_mine), sorted(expected));
        prop_assert_eq!(sorted(only_theirs), sorted(missing_from(&all_theirs, &all_mine)));
    }
}

//! A search text becomes a phrase that cannot command the index.

use super::{folded, has_words, phrase};

#[test]
fn a_text_becomes_a_phrase_that_cannot_command_the_index() {
    assert_eq!(phrase("Module boundaries"), Some("\"Module boundaries\" *".into()));
    assert_eq!(phrase("a\" OR text:b* NEAR("), Some("\"a OR text b NEAR\" *".into()));
    assert_eq!(phrase("  --  \"\" "), None);
    assert_eq!(phrase("決定"), None);
}

#[test]
fn words_are_found_one_after_the_other_and_the_last_unfinished() {
    let text = folded("The Möbius wharf is *closed* in winter, and so is the quay. Piano: no, no");
    for (words, wanted) in [
        ("wharf", true),
        ("MOBIUS wharf", true),
        ("wharf is clos", true),
        ("closed, in", true),
        ("harf", false),
        ("wharf winter", false),
        ("the qu", true),
        ("no no", true),
        ("--", false),
    ] {
        assert_eq!(has_words(&text, &folded(words)), wanted, "{words:?}");
    }
}

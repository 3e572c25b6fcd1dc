//! A list has its words and no others.

use proptest::prelude::*;

use super::*;

const WORDS: [&str; 6] =
    ["a", "the", "über", "", "percent", "a word of more than thirty-one bytes"];
const LIST: WordList = WordList::of(&WORDS);
const ROWS: WordMask = WordMask::of_rows(&[("two", "2"), ("percent", "%")]);

#[test]
fn every_word_is_found() {
    for word in WORDS.iter().filter(|word| !word.is_empty()) {
        assert!(LIST.has(word), "{word}");
    }
    assert!(ROWS.may_have("two") && ROWS.may_have("percent"));
    assert!(!ROWS.may_have("2") && !ROWS.may_have("per cent"));
}

proptest! {
    #[test]
    fn nothing_else_is_found(word in "[aptuü]?[a-z]{0,8}") {
        prop_assert_eq!(LIST.has(&word), !word.is_empty() && WORDS.contains(&word.as_str()));
    }
}

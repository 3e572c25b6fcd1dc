//! Texts are cut into pieces as the reference cuts them.

use serde_json::Value;

use super::*;

fn shipped() -> WordPieces {
    WordPieces::new(
        include_str!("../../../assets/vocab-kept.txt"),
        include_str!("../../../assets/vocab-dropped.txt"),
    )
}

/// `reference.json` holds what the vocabulary's own tokenizer makes of texts
/// chosen to be awkward; a second reader must agree on every one.
#[test]
fn awkward_texts_are_cut_as_the_reference_cuts_them() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("reference.json")).unwrap();
    assert!(cases.len() > 30);
    let pieces = shipped();
    for case in cases {
        let text = case["text"].as_str().unwrap();
        let expected: Vec<usize> = serde_json::from_value(case["rows"].clone()).unwrap();
        assert_eq!(pieces.rows(text), expected, "{text:?}");
    }
}

#[test]
fn the_longest_piece_wins_and_the_rest_continues_it() {
    let pieces = WordPieces::new("un\nunder\n##stand\n##st\n##and\nstand\n", "");
    assert_eq!(pieces.rows("understand"), [1, 2]);
    assert_eq!(pieces.rows("UNDER stand"), [1, 5]);
    assert_eq!(pieces.rows("unand"), [0, 4]);
}

#[test]
fn a_word_with_an_unknown_part_is_left_out_whole() {
    let pieces = WordPieces::new("un\n##do\nword\n", "€\n");
    assert_eq!(pieces.rows("undoxx word"), [2]);
    assert_eq!(pieces.rows("xx"), Vec::<usize>::new());
    // Known to the vocabulary, but without a row: only that piece is left out.
    assert_eq!(pieces.rows("€do word"), [1, 2]);
}

#[test]
fn markers_in_a_text_are_plain_text() {
    let pieces = WordPieces::new("[UNK]\n[\n]\nun\n##k\n", "");
    assert_eq!(pieces.rows("[UNK]"), [1, 3, 4, 2]);
}

#[test]
fn a_run_longer_than_any_word_is_no_word() {
    let pieces = WordPieces::new("a\n##a\n", "");
    assert_eq!(pieces.rows(&"a".repeat(LONGEST_WORD)).len(), LONGEST_WORD);
    assert!(pieces.rows(&"a".repeat(LONGEST_WORD + 1)).is_empty());
}

#[test]
fn accents_capitals_and_invisible_marks_do_not_matter() {
    let pieces = shipped();
    let plain = pieces.rows("cafe");
    assert!(!plain.is_empty());
    for same in ["Café", "CAFE\u{301}", "ca\u{ad}fe", "c\u{200b}afe", "\u{feff}cafe\0"] {
        assert_eq!(pieces.rows(same), plain, "{same:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_cut(text in "\\PC*") {
        let pieces = WordPieces::new("a\n##b\n.\n", "é\n");
        proptest::prop_assert!(pieces.rows(&text).iter().all(|row| *row < 3));
    }
}

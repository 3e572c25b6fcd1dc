//! Windows of letters against the count of single characters.

use proptest::prelude::*;

use super::*;

fn one_by_one(text: &str, mut counter: TokenCounter) -> usize {
    text.chars().for_each(|char| counter.add(char));
    counter.closed()
}

/// Texts longer than a window, of everything that has rules of its own.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[a-z]{1,12} ",
        2 => "[A-Z]{1,3}[a-z]{0,9}",
        1 => "[a-zA-Z]{1,140}",
        1 => "[0-9]{1,8}",
        1 => "[ -/:-@\\[-`{-~]{1,6}",
        1 => "[ \\t\\r\\n]{1,9}",
        1 => "[a-zA-ZäöüßéÀÉſ]{1,9}",
        1 => "[а-яא-ת一-丏가-갏ー😀\u{0}-\u{1f}\u{7f}]{1,4}",
    ];
    prop_oneof![
        4 => prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
        1 => "[a-eA-C0-2 .,\\n\\tä]{0,200}",
    ]
}

proptest! {
    #![proptest_config(crate::cases::cases(512))]

    #[test]
    fn windows_are_counted_as_their_characters_are(text in texts()) {
        for start in [TokenCounter::default(), TokenCounter::after_line_break()] {
            prop_assert_eq!(start.measured(&text, usize::MAX), one_by_one(&text, start));
        }
    }

    #[test]
    fn a_count_that_ends_early_is_never_below_what_is_enough(text in texts(), enough in 0..400usize) {
        let start = TokenCounter::default();
        let (whole, early) = (start.measured(&text, usize::MAX), start.measured(&text, enough));
        prop_assert!(early == whole || (early > enough && early <= whole), "{early} of {whole}");
    }

    #[test]
    fn small_letters_are_found(bytes in any::<[u8; STEP]>()) {
        let plain = bytes.iter().rev().fold(0, |bits, byte| bits << 1 | u64::from(byte.is_ascii_lowercase()));
        prop_assert_eq!(small_letters(u64::from_le_bytes(bytes)), plain);
    }
}

#[test]
fn pairs_of_letters_cost_by_their_table_and_all_others_nothing() {
    for (first, second) in
        (0..=u8::MAX).flat_map(|first| (0..=u8::MAX).map(move |second| (first, second)))
    {
        let row = PAIRS.get(usize::from(first.to_ascii_lowercase().wrapping_sub(b'a')));
        let place = second.to_ascii_lowercase().wrapping_sub(b'a');
        let letters = first.is_ascii_alphabetic() && second.is_ascii_alphabetic();
        let unusual = letters && row.is_some_and(|seconds| seconds >> place & 1 == 0);
        let cost = match (first.is_ascii_uppercase(), second.is_ascii_uppercase()) {
            (_, false) if unusual => 6,
            (true, true) if unusual => 3,
            _ => 0,
        };
        assert_eq!(odd(first, second), cost, "{first} {second}");
    }
}

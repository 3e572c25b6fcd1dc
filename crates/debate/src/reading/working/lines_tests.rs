//! The quick ways to look at words and to cut lines, against plain ones.

use proptest::prelude::*;

use super::*;

/// Lines with labels, colons of both kinds and signs in any order.
fn lines() -> impl Strategy<Value = String> {
    let labels: Vec<&str> =
        LABELS.iter().map(|(word, _)| *word).chain(BEFORE.iter().copied()).collect();
    let piece = prop_oneof![
        3 => prop::sample::select(labels).prop_map(str::to_owned),
        3 => "[:：*_ ]{1,2}",
        2 => "[a-z0-9.é]{1,4}",
        1 => any::<String>(),
    ];
    (prop::collection::vec(piece, 0..12), any::<bool>()).prop_map(|(pieces, loud)| match loud {
        true => pieces.concat().to_uppercase(),
        false => pieces.concat(),
    })
}

/// The pieces of a line, from a look at each of its characters and of its words.
fn plain(line: &str) -> Vec<&str> {
    let ends = |text: &str, word: &str| {
        let tail = text.len().checked_sub(word.len()).and_then(|from| text.get(from..));
        tail.is_some_and(|tail| tail.to_lowercase() == word)
    };
    let mut cuts = vec![0, line.len()];
    for (colon, _) in line.char_indices().filter(|(_, char)| matches!(char, ':' | '：')) {
        let head = line[..colon].trim_end_matches(['*', '_', ' ']);
        for (word, _) in LABELS.iter().filter(|(word, _)| ends(head, word)) {
            let at = head.len() - word.len();
            let before = &line[..at];
            let alone = !BEFORE.iter().any(|word| ends(before, word));
            let begins = before.ends_with(|char: char| !char.is_alphanumeric());
            if alone && begins && before.chars().any(char::is_alphanumeric) {
                cuts.push(at);
            }
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    if cuts.len() == 1 {
        return vec![line];
    }
    cuts.windows(2).map(|cut| &line[cut[0]..cut[1]]).collect()
}

proptest! {
    #![proptest_config(crate::cases::cases(1024))]

    #[test]
    fn a_line_is_cut_where_a_label_begins(line in lines()) {
        let mut pieces = Vec::new();
        cut_into_pieces(&line, &mut pieces);
        prop_assert_eq!(pieces, plain(&line));
    }

    #[test]
    fn a_word_is_known_in_any_case(text in prop_oneof![lines(), "[aAnNsSwWeErRK\u{212a}ÉéİK]{0,8}"]) {
        let words = LABELS.iter().map(|(word, _)| *word).chain(BEFORE.iter().copied());
        for word in words.chain(BETWEEN.iter().copied()) {
            prop_assert_eq!(is_word(&text, word), text.to_lowercase() == word);
            let cut = text.get(..word.len());
            prop_assert_eq!(starts_with(&text, word), cut.is_some_and(|cut| cut.to_lowercase() == word));
        }
    }
}

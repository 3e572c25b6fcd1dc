//! The quick search for cues against a look at every cue.

use proptest::prelude::*;

use super::*;

/// The longest cue that a text begins with, by looking at all of them.
fn plain(word: &[u8], rest: &[u8]) -> Option<&'static [&'static str]> {
    let mut cues: Vec<&SafetyCue> = CUES.iter().collect();
    cues.sort_by_key(|cue| std::cmp::Reverse(cue.words.len()));
    let fits = |cue: &&SafetyCue| {
        cue.words[0].as_bytes().eq_ignore_ascii_case(word) && follows(rest, &cue.words[1..])
    };
    cues.into_iter().find(fits).map(|cue| cue.words)
}

fn quick(word: &[u8], rest: &[u8]) -> Option<&'static [&'static str]> {
    may_begin_a_cue(word).then(|| cue_at(word, rest)).flatten().map(|cue| cue.words)
}

/// Words of cues, words that differ from them a little, and any others, in any case.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let of_cues: Vec<&str> = CUES.iter().flat_map(|cue| cue.words).copied().collect();
    let word = prop::sample::select(of_cues).prop_map(str::to_owned);
    prop_oneof![
        6 => (word.clone(), any::<bool>()).prop_map(|(word, loud)| match loud {
            true => word.to_uppercase(),
            false => word,
        }),
        1 => (word.clone(), "[a-z']").prop_map(|(word, more)| word + &more),
        1 => (word, "[a-z']").prop_map(|(word, more)| more + &word),
        1 => "[a-zA-Z0-9']{1,40}",
        1 => "[a-zé한]{1,5}",
    ]
    .prop_map(String::into_bytes)
}

proptest! {
    #![proptest_config(crate::cases::cases(1024))]

    #[test]
    fn the_quick_search_finds_what_the_plain_one_finds(
        word in words(), rest in prop::collection::vec(words(), 0..4), gap in "[ ,.]{1,2}",
    ) {
        let rest = rest.iter().fold(Vec::new(), |text, word| [&text, gap.as_bytes(), word].concat());
        prop_assert_eq!(quick(&word, &rest), plain(&word, &rest));
    }
}

#[test]
fn every_cue_is_found() {
    for cue in CUES {
        let rest = format!(" {}", cue.words[1..].join(" "));
        let found = quick(cue.words[0].as_bytes(), rest.as_bytes());
        assert!(found.is_some_and(|words| words.len() >= cue.words.len()), "{:?}", cue.words);
    }
}

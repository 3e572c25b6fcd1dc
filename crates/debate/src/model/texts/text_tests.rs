//! The estimate against a real vocabulary, and cuts that stay within it.

use std::sync::OnceLock;

use proptest::prelude::*;

use super::*;

fn real(text: &str) -> usize {
    static BPE: OnceLock<tiktoken_rs::CoreBPE> = OnceLock::new();
    BPE.get_or_init(|| tiktoken_rs::o200k_base().expect("vocabulary")).encode_ordinary(text).len()
}

/// Text of one kind, and how far above the real count the estimate may lie.
const SAMPLES: &[(&str, f64, &str)] = &[
    (
        "english",
        1.25,
        "We should host the database ourselves only if the load is steady and the team has run one before. In every other case a managed service is cheaper, once the hours spent on backups, upgrades and night calls are counted. The figures in the second report support this, although they cover a single year and two companies.",
    ),
    (
        "english, spoken",
        1.5,
        "I don't think that's right. We'd have to look at the premises again: the budget isn't fixed, the team can't grow before spring, and nobody's measured the load. It's tempting to say \"just use the cloud\", but who'd pay?",
    ),
    (
        "german",
        1.25,
        "Ich halte die Annahme für falsch, dass kleine Dienste grundsätzlich besser wachsen als ein großer. Entscheidend ist vielmehr, ob die fachlichen Grenzen verstanden sind. Solange sich die Anforderungen jede Woche ändern, verursacht jede Netzgrenze zusätzlichen Aufwand, und Fehler werden schwerer nachvollziehbar. Am Abend gingen sie noch einmal durch den Garten, in dem die letzten Rosen blühten.",
    ),
    (
        "german, long words",
        1.8,
        "Die Straßenverkehrsordnung, die Wahrscheinlichkeitsrechnung und das Genehmigungsverfahren für Windenergieanlagen beschäftigen die Verwaltungsgerichtsbarkeit seit Jahrzehnten.",
    ),
    (
        "finnish",
        1.7,
        "Suomalaiset yritykset eivät ole valmistautuneet tietosuojalainsäädännön muutoksiin, vaikka järjestelmällisyyttä on korostettu.",
    ),
    (
        "polish",
        2.2,
        "Według najnowszych badań większość przedsiębiorstw nie jest przygotowana na zmianę przepisów o ochronie danych.",
    ),
    (
        "russian",
        3.0,
        "Эксперты считают, что небольшие службы не всегда масштабируются лучше одной большой, особенно если предметная область ещё недостаточно изучена.",
    ),
    ("arabic", 3.6, "ويرى الخبراء أن البنية القائمة على الخدمات المصغرة ليست دائماً أفضل من غيرها."),
    (
        "chinese",
        2.0,
        "专家认为，小型服务并不总是比大型服务更易于扩展，尤其是在业务边界尚未明确的情况下。",
    ),
    (
        "japanese",
        2.0,
        "野党は、担当官庁に十分な人員がいないとして、この法案を不十分だと批判している。",
    ),
    ("korean", 2.2, "전문가들은 작은 서비스가 항상 더 잘 확장되는 것은 아니라고 말한다."),
    (
        "code",
        2.0,
        "pub fn clip(text: &str, max: usize) -> Cow<'_, str> {\n    if tokens(text) <= max {\n        return Cow::Borrowed(text);\n    }\n    let mut out = String::with_capacity(max * 4);\n}",
    ),
    (
        "json",
        2.0,
        "{\"id\": 17, \"name\": \"agent-17\", \"confidence\": 0.7331, \"claims\": [{\"text\": \"caches expire\", \"label\": \"FACT\", \"citations\": [1, 2]}]}",
    ),
    (
        "url",
        2.0,
        "https://www.example.org/papers/2026/consensus-and-truth?ref=1e61679b5d&utm_source=mail#section-4",
    ),
    (
        "hex",
        1.4,
        "03702285f7d60b2988299c358bb44134ef742422a918cd36a7cf9da82bc9c15a3894ee76d651d51f52329f0864559487",
    ),
    ("emoji", 3.5, "😀😃🎉👍🏽👨‍👩‍👧‍👦🇩🇪🇫🇷❤️✨🔥🚀🤖🧠⚖️✅❌"),
    (
        "table",
        2.0,
        "| claim | label | strength |\n|---|---|---|\n| C1 | FACT | 0.90 |\n| C2 | ASSUME | 0.35 |",
    ),
];

#[test]
fn the_estimate_is_never_below_and_seldom_far_above() {
    for (kind, most, text) in SAMPLES {
        let ratio = tokens(text) as f64 / real(text) as f64;
        assert!(ratio >= 1.0, "{kind}: {ratio:.3} is below the real count");
        assert!(ratio <= *most, "{kind}: {ratio:.3} is above {most}");
    }
}

#[test]
fn runs_of_blanks_are_covered() {
    for text in ["x          y", "a\n\n\n\nb", "\t\t\tx", "a \n b", "  \n\t  x", "\r\n\r\n"] {
        assert!(tokens(text) >= real(text), "{text:?}");
    }
}

#[test]
fn an_empty_text_costs_nothing() {
    assert_eq!(tokens(""), 0);
    assert_eq!(clip("", 0), "");
    assert_eq!(clip("some words", 0), "");
}

#[test]
fn a_cut_falls_between_words_and_shows() {
    assert_eq!(clip("one two three", 10), "one two three");
    assert_eq!(clip("one two three four five", 5), "one two three…");
    assert_eq!(clip("one two three four five", 1), "…");
    let han = clip("专家认为小型服务并不总是比大型服务更易于扩展", 8);
    assert!(han.ends_with('…') && han.chars().count() > 4);
}

#[test]
fn a_cut_never_parts_a_letter_from_its_marks() {
    let word = "e\u{301}".repeat(40);
    let cut = clip(&word, 12);
    assert!(cut.trim_end_matches('…').ends_with('\u{301}'), "{cut:?}");
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[a-z]{1,12}",
        1 => "[A-Z][a-z]{1,9}",
        1 => "[A-Za-z0-9+/]{8,60}",
        1 => "[0-9]{1,12}",
        1 => "[!-/:-@\\[-`{-~]{1,6}",
        1 => "[ \\n\\t]{1,6}",
        1 => "[äöüßéèñ]{1,3}[a-z]{1,6}",
        1 => Just("\u{fffd}".to_owned()),
    ];
    prop::collection::vec(word, 40..120).prop_map(|words| words.join(" "))
}

/// Letters of large scripts, common and rare ones alike.
fn large_scripts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[\u{4e00}-\u{9fff}]{1,60}",
        "[\u{ac00}-\u{d7a3}]{1,60}",
        "[\u{3041}-\u{30fe}]{20,60}"
    ]
}

proptest! {
    #![proptest_config(crate::cases::cases(96))]

    #[test]
    fn rare_characters_of_large_scripts_are_never_underestimated(text in large_scripts()) {
        prop_assert!(tokens(&text) >= real(&text), "{} < {}: {text}", tokens(&text), real(&text));
    }

    #[test]
    fn cutting_twice_cuts_no_more(
        text in prop_oneof![any::<String>(), words(), large_scripts()], max in 0..60usize,
    ) {
        let once = clip(&text, max).into_owned();
        prop_assert_eq!(&*clip(&once, max), once.as_str());
    }

    #[test]
    fn random_letters_are_never_underestimated(text in words()) {
        prop_assert!(tokens(&text) >= real(&text), "{} < {}", tokens(&text), real(&text));
    }

    #[test]
    fn a_text_behind_a_colon_costs_the_sum(
        title in "[A-Z][a-z]{2,9}( [a-z]{2,9})?",
        text in prop_oneof![any::<String>(), words(), "\\PC{1,4}", "[a-z0-9 .A-Z]{1,30}"],
    ) {
        let units = TokenUnits::of(&title).and_behind_colon(&text, TokenUnits::of(&text));
        let line = TokenUnits::of(&format!("{title}: {text}\n"));
        prop_assert_eq!(units.unwrap_or(line), line);
        let begins = text.starts_with(|first: char| first.is_alphabetic());
        let ends = text.ends_with(|last: char| last.is_alphanumeric());
        prop_assert_eq!(units.is_some() || !begins || !ends, true);
    }

    #[test]
    fn no_text_costs_more_than_its_bytes(text in any::<String>()) {
        prop_assert!(tokens(&text) <= text.len());
    }

    #[test]
    fn a_clipped_text_fits(text in prop_oneof![any::<String>(), words()], max in 0..80usize) {
        let cut = clip(&text, max);
        prop_assert!(tokens(&cut) <= max, "{} > {max}: {cut:?}", tokens(&cut));
        let kept = cut.strip_suffix('…').unwrap_or(&cut);
        prop_assert!(text.starts_with(kept) || *cut == *text);
    }
}

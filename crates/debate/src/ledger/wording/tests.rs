//! Claims that are the same and, more important, those that are not.

use proptest::prelude::*;

use super::*;

fn same(one: &str, other: &str) -> bool {
    ClaimWording::of(one, ClaimMood::Asserted)
        .repeats(&ClaimWording::of(other, ClaimMood::Asserted))
}

/// Covers: 6-match
#[test]
fn near_identical_claims_are_one() {
    for (one, other) in [
        ("SQLite is enough for one node", "sqlite is enough, for one node."),
        ("The cache reduces latency", "Caches reduce latency"),
        ("The cache reduces read latency", "The cache reduces read latency considerably"),
        ("Latency fell by 40%", "Latency fell by 40 percent"),
        ("It fits in 10ms", "It fits in 10 ms"),
        ("It can't be rolled back", "It cannot be rolled back"),
        ("It isn’t ready", "It is not ready"),
        ("It doesnt scale", "It does not scale"),
        ("The process matches it", "Processes match it"),
        ("Optimisation pays off", "Optimization pays off"),
        ("It cost 1,000 euros", "It cost 1000 euros"),
    ] {
        assert!(same(one, other), "{one} | {other}");
        assert!(same(other, one), "{other} | {one}");
    }
}

#[test]
fn other_claims_stay_apart() {
    for (one, other) in [
        ("X is safe", "X is not safe"),
        ("X is safe in production use today", "X isn't safe in production use today"),
        ("X is safe in production use today", "X is never safe in production use today"),
        ("X is supported by the vendor today", "X is no longer supported by the vendor today"),
        ("X is a stable base for production work", "X is an unstable base for production work"),
        ("Load increases with each added node here", "Load decreases with each added node here"),
        ("Latency fell by 40% after the change", "Latency fell by 14% after the change"),
        ("Latency stays under 5 ms at peak load", "Latency stays over 5 ms at peak load"),
        ("Latency < 5 ms at the peak load", "Latency > 5 ms at the peak load"),
        ("Margin was 5 in the last year", "Margin was -5 in the last year"),
        ("Rust is faster than Go in this test", "Go is faster than Rust in this test"),
        ("X is safe for production use", "It is false that X is safe for production use"),
        ("X is safe for production use", "X is safe for production use without review"),
        ("X is safe for production use", "X is only safe for production use"),
        ("X fixes the login bug", "X rarely fixes the login bug"),
        ("X was safe for production use", "X is safe for production use"),
        ("All services fail under this load", "Some services fail under this load"),
        ("X is safe", "Is X safe?"),
        ("Die Lösung ist für alle Kunden sicher", "Die Lösung ist nicht für alle Kunden sicher"),
        ("La base est sûre pour le client", "La base n'est pas sûre pour le client"),
        ("Это решение вполне подходит для нас", "Это решение вполне подходит нельзя для нас"),
        ("快, 小, 稳, 便宜, 安全", "快, 小, 稳, 便宜, 安全, 但不能用于生产"),
        ("C is safe for kernels here", "C++ is safe for kernels here"),
        ("Reads scale", "Reads scale linearly"),
    ] {
        assert!(!same(one, other), "{one} | {other}");
        assert!(!same(other, one), "{other} | {one}");
    }
}

#[test]
fn a_question_differs_from_its_answer_by_label_too() {
    let asked = ClaimWording::of("Which database fits", ClaimMood::Asked);
    assert!(!asked.repeats(&ClaimWording::of("Which database fits", ClaimMood::Asserted)));
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_owned()));
    words
}

#[test]
fn every_spelling_that_is_looked_up_ends_as_it_should() {
    assert!(SAME.iter().all(|(from, _)| from.ends_with('t')));
}

#[test]
fn words_numbers_and_signs_are_told_apart() {
    assert_eq!(
        words("Costs rose 1,250.5 to -3 %, didn't they?"),
        ["cost", "rose", "1250.5", "to", "-3", "%", "did", "not", "they"]
    );
    assert_eq!(words("Größe != „Zahl“ x-1 C++’s"), ["größe", "!", "=", "zahl", "x", "1", "c++"]);
}

#[test]
fn the_tables_are_written_as_words_are_read() {
    for word in WEIGHTY.words().iter().chain(SPEECH.words()) {
        assert_eq!(words(word), [*word]);
    }
}

const SUBJECTS: [&str; 4] = ["The new scheduler", "Our cache layer", "PostgreSQL", "Remote work"];
const VERBS: [(&str, &str); 4] =
    [("is", "is not"), ("is", "isn't"), ("will be", "won't be"), ("is", "is no longer")];
const REST: [&str; 4] = [
    "safe for production traffic at this size",
    "cheaper than the current design in every region",
    "ready",
    "a good fit for small teams",
];

proptest! {
    /// Covers: 6-match
    #[test]
    fn a_sentence_never_matches_its_negation(
        subject in 0..SUBJECTS.len(), verb in 0..VERBS.len(), rest in 0..REST.len(),
        extra in "[a-z]{4,9}",
    ) {
        let (does, does_not) = VERBS[verb];
        let (subject, rest) = (SUBJECTS[subject], REST[rest]);
        let plain = format!("{subject} {does} {rest}");
        let negated = format!("{subject} {does_not} {rest}");
        prop_assert!(same(&plain, &plain));
        prop_assert!(!same(&plain, &negated));
        let longer = format!("{plain} {extra}");
        prop_assert!(!same(&longer, &negated));
    }

    #[test]
    fn any_text_can_be_read(text in "\\PC{0,80}") {
        let wording = ClaimWording::of(&text, ClaimMood::Asserted);
        prop_assert!(wording.repeats(&wording));
    }
}

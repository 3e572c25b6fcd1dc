//! Pairs that fool a comparison of texts. The word-by-word path may miss a
//! paraphrase; it must never call an opposite agreement.
#![allow(dead_code)]

use debate::analysis::polarity::{NormalisedPosition, Relation};

const PAIRS: &str = include_str!("../data/hard_pairs.csv");
const OPPOSITE: [&str; 4] = ["negation", "role_swap", "number", "time"];
const KINDS: [&str; 7] =
    ["paraphrase", "negation", "role_swap", "number", "time", "hedge", "topic"];

struct Pair {
    kind: String,
    one: String,
    other: String,
}

/// Fields in quotes, a quote inside doubled.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}

fn pairs() -> Vec<Pair> {
    let row = |line: &str| {
        let [kind, one, other] = fields(line).try_into().unwrap_or_else(|_| panic!("{line}"));
        Pair { kind, one, other }
    };
    PAIRS.lines().skip(1).filter(|line| !line.is_empty()).map(row).collect()
}

#[test]
fn there_are_thirty_of_each_kind_and_none_twice() {
    let pairs = pairs();
    for kind in KINDS {
        let count = pairs.iter().filter(|pair| pair.kind == kind).count();
        assert!(count >= 30, "{kind}: {count}");
    }
    assert!(pairs.iter().all(|pair| KINDS.contains(&pair.kind.as_str())));
    let mut texts: Vec<&str> =
        pairs.iter().flat_map(|pair| [pair.one.as_str(), pair.other.as_str()]).collect();
    let all = texts.len();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), all, "a sentence stands twice");
}

/// Covers: 7.1-negation
#[test]
fn no_opposite_is_called_agreement() {
    for pair in pairs() {
        let relation =
            NormalisedPosition::of(&pair.one).relation(&NormalisedPosition::of(&pair.other));
        if pair.kind != "paraphrase" {
            assert_ne!(relation, Relation::Same, "{}: {} / {}", pair.kind, pair.one, pair.other);
        }
        if pair.kind == "paraphrase" {
            assert_ne!(relation, Relation::Opposed, "{} / {}", pair.one, pair.other);
        }
    }
}

#[test]
fn paraphrases_stand_above_opposites() {
    let score = |pair: &Pair| {
        NormalisedPosition::of(&pair.one).likeness(&NormalisedPosition::of(&pair.other))
    };
    let pairs = pairs();
    let scores = |wanted: &[&str]| -> Vec<f64> {
        pairs.iter().filter(|pair| wanted.contains(&pair.kind.as_str())).map(score).collect()
    };
    let auroc = |alike: &[f64], opposite: &[f64]| {
        let wins: f64 = alike
            .iter()
            .flat_map(|a| {
                opposite.iter().map(move |o| {
                    if a > o {
                        1.0
                    } else if a == o {
                        0.5
                    } else {
                        0.0
                    }
                })
            })
            .sum();
        wins / (alike.len() * opposite.len()) as f64
    };
    let alike = scores(&["paraphrase"]);
    for kind in OPPOSITE {
        println!(
            "basic path, paraphrase against {kind}: AUROC {:.3}",
            auroc(&alike, &scores(&[kind]))
        );
    }
    let all = auroc(&alike, &scores(&OPPOSITE));
    println!("basic path, paraphrase against all opposites: AUROC {all:.3}");
    assert!(all > 0.9, "{all}");
}

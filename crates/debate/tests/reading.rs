//! Reading a reply never fails, never takes long and never invents: properties
//! over arbitrary text, arbitrary JSON, a real answer cut at every byte, and some
//! twenty thousand mutations of a small corpus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/cases.rs"]
mod cases;

use debate::model::{
    Answer, Ballot, Choice, Citation, ClaimId, ClaimMade, Critique, CritiqueOutcome, EvidenceType,
    Label, Question, Strength, Vote,
};
use debate::reading::{
    ExpectedAnswer, Reading, RepairChance, SummaryScope, is_blank, read, read_complexity,
    read_consensus, read_judgement, read_perspectives, read_summary, read_synthesis,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const OPEN: Question = Question::Open;

fn expected(question: &Question) -> ExpectedAnswer<'_> {
    ExpectedAnswer {
        evidence: false,
        round: 2,
        stance: None,
        vote: true,
        critiques: true,
        ruling: false,
        question,
        known_claims: 5,
        sources: &[],
    }
}

/// What must hold of both chances and of the clerk's readers.
fn check(raw: &str, question: &Question) -> Reading {
    let first = read(raw, &expected(question), RepairChance::First);
    let last = check_last(raw, question);
    assert!(first.problem.is_some() || !first.answer.unstructured);
    assert_eq!(first.answer, last.answer);
    let scope = SummaryScope { speakers: &[], known_claims: 5, known_evidence: 5 };
    let _ = (is_blank(raw), read_consensus(raw, 3), read_perspectives(raw));
    let _ = read_summary(raw, &scope);
    let _ = (read_judgement(raw), read_complexity(raw), read_synthesis(raw, 5));
    last
}

/// Everything that must hold of any reading of any text.
fn check_last(raw: &str, question: &Question) -> Reading {
    let expected = expected(question);
    let last = read(raw, &expected, RepairChance::Last);
    assert!(last.problem.is_none());
    let answer = &last.answer;
    assert!(answer.confidence.is_none_or(|c| (0.0..=1.0).contains(&c)));
    assert!(answer.key_points.len() <= 3 && answer.claims.len() <= 50);
    let known = |id: &ClaimId| (1..=5).contains(&id.0);
    for claim in &answer.claims {
        let listed = |n: &u32| answer.citations.iter().any(|citation| citation.number == *n);
        assert!(claim.citations.iter().all(listed));
        assert!(claim.label != Label::Fact || !claim.citations.is_empty());
        assert!(claim.label != Label::Assume || claim.citations.is_empty());
        let mut ids = claim.supports.iter().chain(&claim.opposes).chain(&claim.retracts);
        assert!(ids.all(known));
    }
    assert!(answer.critiques.iter().all(|critique| known(&critique.claim)));
    if answer.unstructured {
        assert!(answer.confidence.is_none() && answer.claims.is_empty());
    } else {
        let again = read(&serde_json::to_string(answer).unwrap(), &expected, RepairChance::Last);
        assert_eq!(again.answer, *answer, "reading what was read changes it: {raw:?}");
    }
    last
}

fn whole() -> Value {
    json!({
        "position": "Ship in \"March\", not before.",
        "reasoning": "## Why\nThe pilot held [1], é 😀, and \\(x\\) [2].",
        "keyPoints": ["pilot held", "costs known"],
        "confidence": 0.75,
        "confidenceReason": "the pilot report",
        "vote": {"ballot": "MINOR", "objection": "say which March"},
        "claims": [
            {"text": "The pilot held", "label": "FACT", "evidenceType": "EMPIRICAL",
             "citations": [1, 2], "supports": ["C1"]},
            {"text": "Costs stay flat", "label": "ASSUME", "evidenceType": "SPECULATIVE",
             "citations": [], "opposes": ["C2"]}
        ],
        "citations": [
            {"number": 1, "title": "Pilot report", "url": "https://example.org/pilot",
             "snippet": "held for a month"},
            {"number": 2, "title": "Cost sheet", "source": "finance"}
        ],
        "answer": {"kind": "option", "value": "Plan 12"},
        "critiques": [{"claim": "C2", "evidenceType": "LOGICAL", "strength": "low",
                       "outcome": "concession", "text": "granted"}]
    })
}

/// Every string of a value.
fn strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
        Value::Object(members) => members.values().for_each(|member| strings(member, into)),
        _ => {}
    }
}

#[test]
fn an_answer_cut_at_any_byte_yields_only_what_it_said() {
    // What the reader itself writes where a cut took the agent's word away.
    const WEAKEST: [&str; 6] = ["INFER", "ASSUME", "SPECULATIVE", "option", "alternative", "low"];
    let plans = Question::Options { options: vec!["Plan 1".into(), "Plan 12".into()] };
    let full = whole();
    let raw = full.to_string();
    let complete = check(&raw, &plans).answer;
    assert_eq!(complete.answer, Some(Choice::Option("Plan 12".into())));
    let mut said = Vec::new();
    strings(&full, &mut said);
    let mut structured = 0;
    for end in (0..raw.len()).filter(|end| raw.is_char_boundary(*end)) {
        let answer = check(&raw[..end], &plans).answer;
        if answer.unstructured {
            continue;
        }
        structured += 1;
        let mut read = Vec::new();
        strings(&serde_json::to_value(&answer).unwrap(), &mut read);
        for text in read {
            let real = said.iter().any(|said| said.starts_with(text.trim_end_matches('…')));
            assert!(real || WEAKEST.contains(&text.as_str()), "{text:?} at byte {end}");
        }
        assert!(answer.confidence.is_none_or(|c| c == 0.75), "byte {end}");
        assert!(answer.answer.is_none() || answer.answer == complete.answer, "byte {end}");
        assert!(answer.vote.is_none_or(|vote| vote.ballot == Ballot::Minor), "byte {end}");
        for (cut, real) in answer.citations.iter().zip(&complete.citations) {
            assert_eq!(cut.number, real.number, "byte {end}");
            assert!(cut.url.is_none() || cut.url == real.url, "byte {end}");
        }
    }
    assert!(structured > raw.len() * 9 / 10, "only {structured} of {} cuts were read", raw.len());
}

#[test]
fn long_and_deep_replies_are_read_in_linear_time() {
    let megabyte = 1_000_000;
    let keys: String = (0..60_000).map(|i| format!("\"k{i}\":1,")).collect();
    let object = |reasoning: String| json!({"position": "P", "reasoning": reasoning}).to_string();
    let claims = vec!["[FACT] c [1-4000000000]"; 30_000];
    let rows: Vec<(&str, String)> = vec![
        ("long reasoning", object("word ".repeat(megabyte / 5))),
        (
            "broken reasoning",
            format!("{{'position':'P','reasoning':'{}", "it's a \"word\" ".repeat(megabyte / 14)),
        ),
        ("open brackets", "[".repeat(100_000)),
        ("open braces", "{".repeat(100_000)),
        ("nested objects", "{\"a\":".repeat(100_000)),
        ("nested arrays", format!("{{\"position\":\"P\",\"claims\":{}", "[".repeat(100_000))),
        ("nested mixture", "{\"a\":[".repeat(megabyte / 6)),
        ("many objects", "{\"a\":1}".repeat(megabyte / 7)),
        ("many answers", "{\"position\":\"p\"}".repeat(megabyte / 16)),
        ("many keys", format!("{{{keys}\"position\":\"P\"}}")),
        ("many claims", json!({"position": "P", "claims": claims}).to_string()),
        ("quotes", "{\"position\":".to_owned() + &"\" ".repeat(megabyte / 2)),
        ("commas", "{\"position\":\"a".to_owned() + &"\",".repeat(megabyte / 2)),
        ("blanks", "{ ".to_owned() + &" ".repeat(megabyte) + "x"),
        ("citation marks", object("[1".repeat(megabyte / 2))),
        ("plain words", "word ".repeat(megabyte / 5)),
        ("one word", "a".repeat(megabyte)),
    ];
    for (name, raw) in rows {
        // Anything quadratic would take minutes here, not fail an assertion.
        let reading = read(&raw, &expected(&OPEN), RepairChance::Last);
        assert!(reading.notes.len() <= 201, "{name}");
    }
}

/// A small generator with a fixed seed: the same mutations on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        const PARTS: [&str; 16] = [
            "\"", "'", "{", "}", "[", "]", ",", ":", "\\", "\\u", "//", "/*", "\n", "```", "NaN",
            "\u{feff}",
        ];
        let at = self.below(bytes.len());
        let end = (at + self.below(40)).min(bytes.len());
        match self.below(6) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => drop(bytes.remove(at)),
            2 => bytes.insert(at, u8::try_from(self.below(256)).unwrap()),
            3 => drop(bytes.splice(at..at, PARTS[self.below(PARTS.len())].bytes())),
            4 => drop(bytes.drain(at..end)),
            _ => {
                let piece = bytes[at..end].to_vec();
                let to = self.below(bytes.len());
                drop(bytes.splice(to..to, piece));
            }
        }
    }
}

#[test]
fn twenty_thousand_mutations_are_read() {
    let short = json!({"thesis": "P", "argument": "R [1-3]", "vote": "ACCEPT - fine"});
    let figures = json!({"position": "P", "reasoning": "R", "answer": "\\boxed{1,000} km",
                         "confidence": "85%", "claims": ["[FACT] a [1]"], "citations": ["1. T"]});
    let corpus = [
        whole().to_string(),
        format!("Sure:\n```json\n{short:#}\n```\nDone."),
        "{position: 'it's P', reasoning: \"R\", claims: ['[FACT] x [1]', {claim: y, type: fact}], \
         citations: {1: 'T https://e.org'},}"
            .to_owned(),
        figures.to_string(),
        "<think>a</think> In prose, [FACT][1] nothing else. e.g. this.".to_owned(),
    ];
    let questions = [
        Question::Open,
        Question::YesNo,
        Question::Options { options: vec!["Plan 12".into(), "P".into()] },
        Question::Number { unit: Some("km".into()) },
        Question::Probability,
    ];
    let mut dice = Dice(0x5eed_d1ce);
    for turn in 0..20_000 {
        let mut bytes = corpus[turn % corpus.len()].clone().into_bytes();
        for _ in 0..=dice.below(4) {
            dice.mutate(&mut bytes);
        }
        let question = &questions[turn % 7 % questions.len()];
        let checked = if turn % 10 == 0 { check } else { check_last };
        checked(&String::from_utf8_lossy(&bytes), question);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    const KEYS: [&str; 23] = [
        "position",
        "reasoning",
        "key_points",
        "confidence",
        "stance",
        "vote",
        "claims",
        "citations",
        "answer",
        "critiques",
        "text",
        "label",
        "evidenceType",
        "number",
        "title",
        "url",
        "supports",
        "claim",
        "ballot",
        "propositions",
        "stands",
        "participant",
        "side",
    ];
    const WORDS: [&str; 10] =
        ["FACT", "assume", "C2", "C9", "[1-3]", "85%", "YES", "MINOR: x", "LOGICAL", "[FACT] y"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![-0.5, 0.0, 0.3, 1.5, 70.0, 1e9, 1e300]).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0u32..4).prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        prop::sample::select(WORDS.to_vec()).prop_map(Value::from),
    ];
    let key = prop_oneof![
        4 => prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..10)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn words() -> impl Strategy<Value = String> {
    "[a-zA-Zé\"\\\\ ,{}]{0,20}[a-z.]"
        .prop_map(|text| text.trim().to_owned())
        .prop_filter("has a letter", |text| text.chars().any(char::is_alphabetic))
}

fn claim() -> impl Strategy<Value = ClaimMade> {
    let label = prop::sample::select(vec![Label::Fact, Label::Infer, Label::Assume, Label::Open]);
    let evidence = prop::sample::select(EvidenceType::ALL.to_vec());
    let ids = || prop::collection::btree_set(1u32..=5, 0..3);
    (words(), label, evidence, ids(), ids()).prop_map(|(text, label, evidence, a, b)| ClaimMade {
        text,
        label,
        evidence_type: evidence,
        citations: if label == Label::Assume { vec![] } else { vec![1] },
        supports: a.into_iter().map(ClaimId).collect(),
        opposes: b.into_iter().map(ClaimId).collect(),
        retracts: vec![],
    })
}

/// An answer as a model gives it that does everything right.
fn clean_answer() -> impl Strategy<Value = Answer> {
    let ballot = prop::sample::select(vec![Ballot::Accept, Ballot::Minor, Ballot::Blocker]);
    let vote = (ballot, prop::option::of(words())).prop_map(|(ballot, objection)| Vote {
        ballot,
        objection: match ballot {
            Ballot::Blocker => Some("this must change first".to_owned()),
            Ballot::Accept | Ballot::Minor => objection,
        },
    });
    let critique = (1u32..=5, words()).prop_map(|(id, text)| Critique {
        claim: ClaimId(id),
        evidence_type: EvidenceType::Logical,
        strength: Strength::Medium,
        counter_evidence: None,
        outcome: CritiqueOutcome::Alternative,
        text,
    });
    let texts = (words(), words(), prop::collection::vec(words(), 1..4), words());
    let lists = (prop::collection::vec(claim(), 0..4), prop::collection::vec(critique, 0..3));
    let confidence = (0u32..=100).prop_map(|percent| f64::from(percent) / 100.0);
    (texts, confidence, vote, lists).prop_map(|(texts, confidence, vote, lists)| Answer {
        position: texts.0,
        reasoning: texts.1,
        key_points: texts.2,
        citations: vec![Citation { number: 1, title: texts.3, ..Citation::default() }],
        confidence: Some(confidence),
        vote: Some(vote),
        claims: lists.0,
        critiques: lists.1,
        ..Answer::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..cases::cases(400) })]

    #[test]
    fn any_text_is_read(raw in any::<String>()) {
        check(&raw, &OPEN);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&String::from_utf8_lossy(&bytes), &Question::Probability);
    }

    #[test]
    fn anything_like_json_is_read(raw in "[{}\\[\\]\":,'\\\\a-c0-9 \n/*`.-]{0,200}") {
        check(&format!("{{\"position\":{raw}"), &Question::YesNo);
    }

    #[test]
    fn any_json_is_read(value in any_json(), question in prop::sample::select(vec![
        Question::Open, Question::YesNo, Question::Number { unit: None }, Question::Probability,
    ])) {
        check(&value.to_string(), &question);
    }

    #[test]
    fn a_clean_answer_is_read_as_it_is(answer in clean_answer()) {
        let raw = serde_json::to_string(&answer).unwrap();
        let reading = read(&raw, &expected(&OPEN), RepairChance::First);
        prop_assert_eq!(&reading.notes, &vec![]);
        prop_assert_eq!(&reading.answer, &answer);
        let fenced = read(&format!("```json\n{raw}\n```"), &expected(&OPEN), RepairChance::First);
        prop_assert_eq!(fenced.notes.len(), 1);
        prop_assert_eq!(&fenced.answer, &answer);
    }
}

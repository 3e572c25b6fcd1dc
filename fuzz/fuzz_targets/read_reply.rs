//! Throws arbitrary bytes at the reader of replies. Reading must never panic, and
//! what it yields must stay the same when read again.
//!
//! Run it with coverage (nightly and `cargo install cargo-fuzz`):
//!
//! ```text
//! cargo +nightly fuzz run read_reply -- -max_len=65536 -max_total_time=300
//! ```
//!
//! Without either it still builds and runs, blindly, on stable:
//!
//! ```text
//! cargo run --manifest-path fuzz/Cargo.toml --bin read_reply -- -runs=100000
//! ```

#![no_main]

use debate::model::{Question, Stance};
use debate::reading::{
    ExpectedAnswer, RepairChance, is_blank, read, read_consensus, read_perspectives,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let raw = String::from_utf8_lossy(rest);
    let questions = [
        Question::Open,
        Question::YesNo,
        Question::Options { options: vec!["C".into(), "C++".into()] },
        Question::Number { unit: Some("km".into()) },
        Question::Probability,
    ];
    let expected = ExpectedAnswer {
        round: 2,
        stance: (first & 1 == 1).then_some(Stance::No),
        vote: true,
        critiques: true,
        ruling: true,
        question: &questions[usize::from(first >> 1) % questions.len()],
        known_claims: 3,
        evidence: false,
        sources: &[],
    };
    let once = read(&raw, &expected, RepairChance::Last);
    assert!(once.problem.is_none());
    if !once.answer.unstructured {
        let text = serde_json::to_string(&once.answer).unwrap_or_default();
        assert_eq!(read(&text, &expected, RepairChance::Last).answer, once.answer);
    }
    let _ = (is_blank(&raw), read_perspectives(&raw), read_consensus(&raw, 3));
});

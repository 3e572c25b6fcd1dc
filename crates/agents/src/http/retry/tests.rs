//! Retries: what is tried again, after which wait, and that no key gets into words.

use std::time::Duration;

use debate::model::{Bill, FailureClass};
use reqwest::header::HeaderMap;

use crate::catalogue::providers::find;
use crate::http::failure::redact;
use crate::http::retry::{RetryPolicy, RetryState, RetryStep, asked_wait};
use crate::wire::try_error::{TryError, quoted};
use crate::wire::{EffortField, NativeSearch, Target};

fn waiting(seconds: u64) -> TryError {
    let trouble = TryError::new(FailureClass::RateLimited, "it was asked too often");
    TryError { wait: Some(Duration::from_secs(seconds)), ..trouble }
}

fn so_far(failed: u32, waited: u64, left: u64) -> RetryState {
    RetryState { failed, waited: Duration::from_secs(waited), left: Duration::from_secs(left) }
}

/// Covers: 12-retry
#[test]
fn a_servers_wait_is_a_minimum_and_never_passes_the_time_there_is() {
    let policy = RetryPolicy::default();
    for _ in 0..50 {
        match policy.next(&waiting(7), so_far(1, 0, 120)) {
            RetryStep::TryAfter(wait) => {
                assert!((7.0..=8.0).contains(&wait.as_secs_f64()), "{wait:?}")
            }
            other => panic!("{other:?}"),
        }
    }
    let asked = RetryStep::TooLongToWait(Duration::from_secs(60));
    assert_eq!(policy.next(&waiting(60), so_far(1, 0, 30)), asked);
    assert_eq!(policy.next(&waiting(60), so_far(1, 280, 600)), asked);
    assert_eq!(policy.next(&waiting(1), so_far(3, 0, 120)), RetryStep::GiveUp);
}

#[test]
fn backoff_doubles_is_jittered_and_capped() {
    let policy = RetryPolicy { tries: 99, ..RetryPolicy::default() };
    let trouble = TryError::new(FailureClass::Overloaded, "it failed");
    let waits: Vec<f64> = (0..200)
        .filter_map(|_| match policy.next(&trouble, so_far(20, 0, 600)) {
            RetryStep::TryAfter(wait) => Some(wait.as_secs_f64()),
            _ => None,
        })
        .collect();
    assert_eq!(waits.len(), 200);
    assert!(waits.iter().all(|wait| (0.0..=30.0).contains(wait)));
    let low = waits.iter().filter(|wait| **wait < 15.0).count();
    assert!((50..150).contains(&low), "not spread: {low} of 200 in the lower half");
}

/// Covers: 12-retry
#[test]
fn hopeless_classes_are_not_tried_again() {
    let policy = RetryPolicy::default();
    for class in [FailureClass::Unauthorised, FailureClass::OutOfCredit, FailureClass::TooLong] {
        assert_eq!(policy.next(&TryError::new(class, "x"), so_far(1, 0, 99)), RetryStep::GiveUp);
    }
}

#[test]
fn waits_are_read_in_all_their_forms() {
    let wait = |pairs: &[(&'static str, &'static str)]| {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        asked_wait(&headers)
    };
    let date = ("date", "Sun, 15 Nov 2026 10:00:00 GMT");
    let cases = [
        (vec![("retry-after", "3")], Some(3000)),
        (vec![("retry-after", "1.5")], Some(1500)),
        (vec![("retry-after-ms", "20"), ("retry-after", "3")], Some(20)),
        (vec![date, ("retry-after", "Sun, 15 Nov 2026 10:00:09 GMT")], Some(9000)),
        (vec![date, ("retry-after", "Sun, 15 Nov 2026 09:00:00 GMT")], None),
        (vec![("retry-after", "Sun, 15 Nov 2026 10:00:09 GMT")], None),
        (vec![("retry-after", "-5")], None),
        (vec![("retry-after", "soon")], None),
        (vec![("retry-after", "1e300")], None),
        (vec![], None),
    ];
    for (headers, wanted) in cases {
        assert_eq!(wait(&headers), wanted.map(Duration::from_millis), "{headers:?}");
    }
}

#[test]
fn no_key_gets_into_words() {
    let target = Target {
        provider: find("openai").unwrap(),
        model: "m".into(),
        base_url: "https://h/v1".into(),
        host: "h".into(),
        key: Some("topsecret".into()),
        headers: vec![("x-extra".into(), "othersecret".into())],
        search: NativeSearch::Off,
        effort: EffortField::Usual,
        keep: Default::default(),
        facts: crate::catalogue::models::ModelFacts::UNKNOWN,
    };
    let trouble = TryError::new(
        FailureClass::Unauthorised,
        "refused topsecret, othersecret and (sk-someoneelses1234)",
    );
    let failure = trouble.into_failure(&target, 2, Bill::default());
    assert!(!failure.message.contains("secret") && !failure.message.contains("someoneelses"));
    assert!(failure.message.starts_with("openai/m at h: refused [key], [key] and ([key])"));
    assert!(
        failure
            .message
            .ends_with("(2 tries). Set OPENAI_API_KEY to a key that may use this model.")
    );
    assert!(!format!("{target:?}").contains("secret"));
    assert_eq!(redact("risk-free words stay", &target), "risk-free words stay");
}

#[test]
fn a_servers_words_are_one_short_line() {
    assert_eq!(quoted("a\n\u{1b}[31mb  c."), "a [31mb c");
    assert_eq!(quoted(&"x".repeat(999)).chars().count(), 241);
}

//! The breaker rests a failing model and wakes it with one probe.

use std::time::Duration;

use debate::model::FailureClass;
use tokio::time::advance;

use super::{BreakerKey, BreakerPermit, BreakerPolicy, Breakers, TryHealth};
use crate::catalogue::models::ModelFacts;
use crate::catalogue::providers;
use crate::wire::{EffortField, NativeSearch, Target};

fn target(model: &str, key: &str) -> Target {
    Target {
        provider: providers::find("custom").unwrap(),
        model: model.into(),
        base_url: "http://h/v1".into(),
        host: "h".into(),
        key: Some(key.into()),
        headers: Vec::new(),
        search: NativeSearch::Off,
        effort: EffortField::Usual,
        keep: Default::default(),
        facts: ModelFacts::UNKNOWN,
    }
}

fn line(model: &str) -> BreakerKey {
    BreakerKey::of(&target(model, "k"))
}

#[tokio::test(start_paused = true)]
async fn five_failures_in_a_row_rest_a_model_and_one_probe_wakes_it() {
    let breakers = Breakers::new(BreakerPolicy::default());
    let line = line("m");
    for _ in 0..4 {
        breakers.went(&line, TryHealth::Badly);
    }
    assert_eq!(breakers.leave(&line), BreakerPermit::Go);
    breakers.went(&line, TryHealth::Badly);
    assert_eq!(breakers.leave(&line), BreakerPermit::Wait(Duration::from_secs(30)));
    advance(Duration::from_secs(30)).await;
    assert_eq!(breakers.leave(&line), BreakerPermit::Probe);
    assert!(matches!(breakers.leave(&line), BreakerPermit::Wait(_)), "one probe at a time");
    breakers.went(&line, TryHealth::Badly);
    assert_eq!(breakers.leave(&line), BreakerPermit::Wait(Duration::from_secs(30)), "rested again");
    advance(Duration::from_secs(31)).await;
    assert_eq!(breakers.leave(&line), BreakerPermit::Probe);
    breakers.went(&line, TryHealth::Well);
    assert_eq!(breakers.leave(&line), BreakerPermit::Go);
    breakers.went(&line, TryHealth::Badly);
    assert_eq!(breakers.leave(&line), BreakerPermit::Go, "the past is forgiven");
}

#[tokio::test(start_paused = true)]
async fn half_of_ten_within_a_minute_rest_it_too() {
    let breakers = Breakers::new(BreakerPolicy::default());
    let line = line("m");
    for _ in 0..4 {
        breakers.went(&line, TryHealth::Badly);
        breakers.went(&line, TryHealth::Well);
    }
    breakers.went(&line, TryHealth::Well);
    assert_eq!(breakers.leave(&line), BreakerPermit::Go, "nine calls are too few");
    breakers.went(&line, TryHealth::Badly);
    assert!(matches!(breakers.leave(&line), BreakerPermit::Wait(_)));

    let slow = BreakerKey::of(&target("slow", "k"));
    for _ in 0..20 {
        breakers.went(&slow, TryHealth::Badly);
        breakers.went(&slow, TryHealth::Well);
        advance(Duration::from_secs(20)).await;
    }
    assert_eq!(breakers.leave(&slow), BreakerPermit::Go, "old failures do not count");
}

#[tokio::test(start_paused = true)]
async fn lines_are_apart_by_model_and_by_key_and_the_key_is_not_kept() {
    let breakers = Breakers::new(BreakerPolicy::default());
    for _ in 0..5 {
        breakers.went(&line("m"), TryHealth::Badly);
    }
    assert_eq!(breakers.leave(&line("other")), BreakerPermit::Go);
    assert_eq!(breakers.leave(&BreakerKey::of(&target("m", "other"))), BreakerPermit::Go);
    let kept = format!("{:?}", BreakerKey::of(&target("m", "topsecretkey")));
    assert!(!kept.contains("topsecretkey"));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_was_called_off_lets_the_next_one_try() {
    let breakers = Breakers::new(BreakerPolicy::default());
    let line = line("m");
    for _ in 0..5 {
        breakers.went(&line, TryHealth::Badly);
    }
    advance(Duration::from_secs(30)).await;
    assert_eq!(breakers.leave(&line), BreakerPermit::Probe);
    breakers.abandoned(&line);
    assert_eq!(breakers.leave(&line), BreakerPermit::Probe);
}

#[test]
fn only_what_says_something_about_health_counts() {
    assert_eq!(TryHealth::judged(FailureClass::Overloaded), Some(TryHealth::Badly));
    assert_eq!(TryHealth::judged(FailureClass::Declined), Some(TryHealth::Well));
    assert_eq!(TryHealth::judged(FailureClass::BadRequest), Some(TryHealth::Well));
    assert_eq!(TryHealth::judged(FailureClass::Blocked), None);
}

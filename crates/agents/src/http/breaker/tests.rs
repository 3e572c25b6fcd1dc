use std::time::Duration;

use debate::model::FailureClass;
use tokio::time::advance;

use super::{BreakerPolicy, Breakers, Leave, Line, Went};
use crate::catalogue::models::Facts;
use crate::catalogue::providers;
use crate::wire::{Effort, Search, Target};

fn target(model: &str, key: &str) -> Target {
    Target {
        provider: providers::find("custom").unwrap(),
        model: model.into(),
        base_url: "http://h/v1".into(),
        host: "h".into(),
        key: Some(key.into()),
        headers: Vec::new(),
        search: Search::Off,
        effort: Effort::Usual,
        keep: Default::default(),
        facts: Facts::UNKNOWN,
    }
}

fn line(model: &str) -> Line {
    Line::of(&target(model, "k"))
}

#[tokio::test(start_paused = true)]
async fn five_failures_in_a_row_rest_a_model_and_one_probe_wakes_it() {
    let breakers = Breakers::new(BreakerPolicy::default());
    let line = line("m");
    for _ in 0..4 {
        breakers.went(&line, Went::Badly);
    }
    assert_eq!(breakers.leave(&line), Leave::Go);
    breakers.went(&line, Went::Badly);
    assert_eq!(breakers.leave(&line), Leave::Wait(Duration::from_secs(30)));
    advance(Duration::from_secs(30)).await;
    assert_eq!(breakers.leave(&line), Leave::Probe);
    assert!(matches!(breakers.leave(&line), Leave::Wait(_)), "one probe at a time");
    breakers.went(&line, Went::Badly);
    assert_eq!(breakers.leave(&line), Leave::Wait(Duration::from_secs(30)), "rested again");
    advance(Duration::from_secs(31)).await;
    assert_eq!(breakers.leave(&line), Leave::Probe);
    breakers.went(&line, Went::Well);
    assert_eq!(breakers.leave(&line), Leave::Go);
    breakers.went(&line, Went::Badly);
    assert_eq!(breakers.leave(&line), Leave::Go, "the past is forgiven");
}

#[tokio::test(start_paused = true)]
async fn half_of_ten_within_a_minute_rest_it_too() {
    let breakers = Breakers::new(BreakerPolicy::default());
    let line = line("m");
    for _ in 0..4 {
        breakers.went(&line, Went::Badly);
        breakers.went(&line, Went::Well);
    }
    breakers.went(&line, Went::Well);
    assert_eq!(breakers.leave(&line), Leave::Go, "nine calls are too few");
    breakers.went(&line, Went::Badly);
    assert!(matches!(breakers.leave(&line), Leave::Wait(_)));

    let slow = Line::of(&target("slow", "k"));
    for _ in 0..20 {
        breakers.went(&slow, Went::Badly);
        breakers.went(&slow, Went::Well);
        advance(Duration::from_secs(20)).await;
    }
    assert_eq!(breakers.leave(&slow), Leave::Go, "old failures do not count");
}

#[tokio::test(start_paused = true)]
async fn lines_are_apart_by_model_and_by_key_and_the_key_is_not_kept() {
    let breakers = Breakers::new(BreakerPolicy::default());
    for _ in 0..5 {
        breakers.went(&line("m"), Went::Badly);
    }
    assert_eq!(breakers.leave(&line("other")), Leave::Go);
    assert_eq!(breakers.leave(&Line::of(&target("m", "other"))), Leave::Go);
    let kept = format!("{:?}", Line::of(&target("m", "topsecretkey")));
    assert!(!kept.contains("topsecretkey"));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_was_called_off_lets_the_next_one_try() {
    let breakers = Breakers::new(BreakerPolicy::default());
    let line = line("m");
    for _ in 0..5 {
        breakers.went(&line, Went::Badly);
    }
    advance(Duration::from_secs(30)).await;
    assert_eq!(breakers.leave(&line), Leave::Probe);
    breakers.abandoned(&line);
    assert_eq!(breakers.leave(&line), Leave::Probe);
}

#[test]
fn only_what_says_something_about_health_counts() {
    assert_eq!(Went::judged(FailureClass::Overloaded), Some(Went::Badly));
    assert_eq!(Went::judged(FailureClass::Declined), Some(Went::Well));
    assert_eq!(Went::judged(FailureClass::BadRequest), Some(Went::Well));
    assert_eq!(Went::judged(FailureClass::Blocked), None);
}

//! Owners of this machine and of elsewhere, and many who claim at once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![allow(clippy::disallowed_methods, reason = "a test may be asked to do more")]

use debate::model::{Event, Remark};
use store::{LeaseTerm, LeaseView, RunOwner, Store, StoreError};

use super::{claim, is_over, term};
use crate::clock;
use crate::run::owner::this_process;

const LEASE_MS: i64 = 30_000;

fn opened() -> Event {
    let log = include_str!("../../../store/tests/data/log-v1.jsonl");
    serde_json::from_str(log.lines().next().unwrap()).unwrap()
}

/// A lease of this owner that ends so long from now on both clocks.
fn held(owner: &str, wall_ms: i64, boot_ms: i64) -> LeaseView {
    let boot_until = term(boot_ms).boot_until;
    let term = LeaseTerm { until: term(wall_ms).until, boot_until, lasts: None };
    LeaseView { owner: Some(owner.into()), epoch: 1, term }
}

/// The number of a process that has ended.
fn ended() -> u32 {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

#[test]
#[cfg(target_os = "linux")]
fn only_a_process_of_this_place_is_judged_by_looking_it_up() {
    let me = this_process();
    let dead = RunOwner { pid: ended(), ..me.clone() };
    let elsewhere = |owner: RunOwner| {
        [
            RunOwner { node: "another".into(), ..owner.clone() },
            RunOwner { boot: "another".into(), ..owner.clone() },
            RunOwner { pid_namespace: "pid:[1]".into(), ..owner },
        ]
    };
    assert!(is_over(&LeaseView::default(), &me), "never granted, or given back");
    assert!(is_over(&held(&dead.to_string(), LEASE_MS, LEASE_MS), &me), "a dead process of here");
    // A living one keeps its lease even when it has run out.
    let alive = RunOwner { pid: std::os::unix::process::parent_id(), ..me.clone() };
    let started = std::fs::read_to_string(format!("/proc/{}/stat", alive.pid)).unwrap();
    let started = started.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().to_owned();
    let alive = RunOwner { started, ..alive };
    assert!(!is_over(&held(&alive.to_string(), -LEASE_MS, -LEASE_MS), &me));
    // A number that was given again is another process.
    let again = RunOwner { started: "1".into(), ..alive };
    assert!(is_over(&held(&again.to_string(), LEASE_MS, LEASE_MS), &me));
    for owner in elsewhere(dead) {
        assert!(!is_over(&held(&owner.to_string(), LEASE_MS, LEASE_MS), &me), "{owner}");
        assert!(is_over(&held(&owner.to_string(), -1, -1), &me), "{owner}");
    }
    // Named by an earlier version: its lease decides.
    assert!(!is_over(&held("process 4711 (83402)", LEASE_MS, -1), &me));
    assert!(is_over(&held("process 4711 (83402)", -1, LEASE_MS), &me));
}

#[test]
#[cfg(target_os = "linux")]
fn on_one_machine_a_step_of_the_wall_clock_ends_no_lease() {
    let me = this_process();
    let neighbour = RunOwner { pid_namespace: "pid:[1]".into(), ..me.clone() };
    assert!(!is_over(&held(&neighbour.to_string(), -60_000, LEASE_MS), &me));
    assert!(is_over(&held(&neighbour.to_string(), 60_000, -1), &me));
    // Another machine has another clock; only the wall clock is shared.
    let far = RunOwner { boot: "another".into(), ..me.clone() };
    assert!(is_over(&held(&far.to_string(), -1, LEASE_MS), &me));
    assert!(!is_over(&held(&far.to_string(), LEASE_MS, -1), &me));
}

/// 20 times; `ROUNDTABLE_LONG=1` makes it 100.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_resume_at_once_one_wins_and_keeps_what_it_won() {
    let times = if std::env::var_os("ROUNDTABLE_LONG").is_some() { 100 } else { 20 };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let stores = [Store::open(&path).await.unwrap(), Store::open(&path).await.unwrap()];
    let dead = RunOwner { pid: ended(), ..this_process() };
    for time in 0..times {
        let id = format!("d{time}");
        stores[0].create(&id, 1, &[opened()]).await.unwrap();
        stores[0].take_over_run(&id, &dead.to_string(), term(LEASE_MS), 0).await.unwrap();
        let mut claiming = tokio::task::JoinSet::new();
        for number in 0..12 {
            let (store, id) = (stores[number % 2].clone(), id.clone());
            claiming.spawn(async move { claim(&store, &id, LEASE_MS).await });
        }
        let answers = claiming.join_all().await;
        let won: Vec<_> = answers.iter().flatten().collect();
        assert_eq!(won.len(), 1, "{answers:?}");
        for refused in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            assert!(matches!(refused, StoreError::Taken { .. }), "{refused}");
        }
        let remark = Event::Remarked { remark: Remark { round: 1, text: "mine".into() } };
        let kept = stores[1].append(won[0], 1, clock::now_ms(), &[remark]).await;
        assert_eq!(kept, Ok(2), "the winner was thrown out");
    }
}

//! Two containers on one volume: processes that cannot see each other. A debate
//! that one of them runs is not taken from it, and no call is made twice.
#![cfg(target_os = "linux")]

use crate::harness::{AGENTS, Home, provider, size};
use fake_provider::FakeProvider;

const START: [&str; 8] =
    ["debate", "--clerk=none", "--rounds", "2", "--json", "--agents", AGENTS, "In stages?"];

/// A space of process numbers of its own, as a container has it.
const CONTAINER: [&str; 5] = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];

fn can_unshare() -> bool {
    let tried = std::process::Command::new(CONTAINER[0]).args(&CONTAINER[1..]).arg("true").status();
    let can = tried.is_ok_and(|status| status.success());
    let must = std::env::var_os("ROUNDTABLE_MUST").is_some();
    assert!(can || !must, "processes cannot be put into a space of their own here");
    if !can {
        println!("processes cannot be put into a space of their own here: nothing was tried");
    }
    can
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_that_runs_in_one_container_is_not_seized_from_another() {
    if !can_unshare() {
        return;
    }
    let provider = FakeProvider::start(provider(1_500, 8)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path(), &provider.base_url());
    let mut run = home.start_through(&CONTAINER, &START);
    run.wait_for(&run.stdout, "\"asked\"");
    let id = home.ids().pop().unwrap();

    let resume = ["sessions", "resume", &id];
    let mut other = home.start_through(&CONTAINER, &resume);
    let code = other.wait();
    let said = other.complained();
    assert!(code == 2 && said.contains("is being run by process"), "{code}: {said}");
    // Nor from outside of all containers.
    let (code, _, said) = home.run(&resume);
    assert!(code == 2 && said.contains("is being run by process"), "{code}: {said}");

    let code = run.wait();
    assert_eq!(code, 0, "its runner lost it: {}", run.complained());
    assert_eq!(provider.ledger().len(), 6, "three agents and two rounds");
}

/// The long form, 100 debates: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable sharing::`.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_resume_at_once_one_goes_on_and_no_call_is_made_twice() {
    for _ in 0..size(2, 100) {
        let provider = FakeProvider::start(provider(300, 1)).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path(), &provider.base_url());
        let mut cut = home.start(&START, &[("ROUNDTABLE_FAILPOINT", "after_T2")]);
        tokio::task::block_in_place(|| cut.wait());
        let asked = provider.ledger().len();
        let lost = asked - cut.said().matches("\"type\":\"answered\"").count();
        let id = home.ids().pop().unwrap();
        let mut claimants: Vec<_> =
            (0..4).map(|_| home.start(&["sessions", "resume", &id, "-q"], &[])).collect();
        let ends: Vec<(i32, String)> = tokio::task::block_in_place(|| {
            claimants.iter_mut().map(|run| (run.wait(), run.complained())).collect()
        });
        assert_eq!(ends.iter().filter(|(code, _)| *code == 0).count(), 1, "{ends:#?}");
        assert!(ends.iter().all(|(code, _)| matches!(code, 0 | 2)), "{ends:#?}");
        // Three agents, two rounds, and what was on its way when it was killed.
        let all = provider.ledger().len();
        assert!(all <= 6 + lost, "{all} requests, {lost} were cut off");
    }
}

//! A host that is left while a debate waits for its turn, and debates that are shown from memory.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use debate::model::Status;

use crate::background::watching::HostLoad;
use crate::config::Environment;

use super::*;

/// A server with files of its own, which runs one debate at a time.
fn host(folder: &Path) -> Host {
    let file = folder.join("config.toml");
    std::fs::write(&file, "[server]\nmost_debates = 1\n").unwrap();
    let (data, file) = (folder.to_str().unwrap(), file.to_str().unwrap());
    let environment =
        Environment::of(&[("ROUNDTABLE_DATA_DIR", data), ("ROUNDTABLE_CONFIG", file)]);
    Host::server(Config::load(environment).unwrap(), Vec::new())
}

/// Starts the debate of the example, which asks no model.
async fn start(host: &Host) -> String {
    let order = Order { agents: vec!["example".into()], ..Order::default() };
    let prepared = host.prepare(&order).await.unwrap();
    host.start(prepared, ClientSeat::default()).await.unwrap().id
}

#[tokio::test]
async fn a_debate_that_waits_for_its_turn_does_not_hold_up_leaving() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path());
    let place = Arc::clone(&host.inner.admission.places).try_acquire_owned().unwrap();
    let id = start(&host).await;
    assert_eq!(host.load(), HostLoad { running: 0, queued: 1 });
    let store = host.inner.store.get().unwrap().clone();
    // Longer than anybody waits for a test; leaving ends by itself.
    let left = timeout(Duration::from_secs(30), host.leave(Duration::from_secs(86_400))).await;
    assert!(left.is_ok(), "it waits for a debate that never began");
    assert_eq!(host.load(), HostLoad::default());
    let written = store.claim_run(&id, "another", 1_000, 1).await;
    assert!(matches!(written, Err(StoreError::Closed)), "{written:?}");
    drop(place);
}

/// Starts a debate, and looks at it twice when it has come to rest.
async fn looked_twice(host: &Host) -> [DebateSnapshot; 2] {
    let (id, last) = rested(host).await;
    let first = host.look(&id).await.unwrap();
    assert!(host.inner.rested.take(&id, last).is_none(), "it was shown");
    [first, host.look(&id).await.unwrap()]
}

/// Starts debates until one is there to be shown from memory when it has come to rest: on a busy
/// machine the moment may be over. Returns it with the number of its last entry.
async fn rested(host: &Host) -> (String, u64) {
    loop {
        let id = start(host).await;
        let mut progress = host.follow(&id).await.unwrap();
        let _ = progress.wait_for(|progress| progress.phase == DebatePhase::AtRest).await;
        let last = host.store_of(&id).await.unwrap().get(&id).await.unwrap().last_seq;
        if let Some(kept) = host.inner.rested.take(&id, last) {
            host.inner.rested.keep(&id, last, kept);
            return (id, last);
        }
    }
}

fn is_same(first: &DebateSnapshot, second: &DebateSnapshot) {
    assert_eq!(first.debate.room(), second.debate.room());
    assert_eq!(first.debate.awaited(), second.debate.awaited());
    let outside = |look: &DebateSnapshot| {
        (look.id.clone(), look.seq, look.attended, look.created, look.updated, look.shared)
    };
    assert_eq!(outside(first), outside(second));
}

#[tokio::test]
async fn a_completed_debate_is_shown_from_memory_as_its_log_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = looked_twice(&host(dir.path())).await;
    assert!(matches!(first.debate.room().status, Status::Completed { .. }));
    is_same(&first, &second);
}

#[tokio::test]
async fn a_paused_debate_is_shown_from_memory_as_its_log_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path());
    // It is interrupted as soon as it has begun.
    host.inner.leaving.cancel();
    let [first, second] = looked_twice(&host).await;
    assert!(matches!(first.debate.room().status, Status::Paused { .. }));
    is_same(&first, &second);
}

//! Copies of a database that is in use.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod scene;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use scene::{opened, remark, scene};
use store::{Store, StoreError};

/// 8 copies for every check, 20 for `ROUNDTABLE_LONG=1`.
#[allow(clippy::disallowed_methods, reason = "a test may be asked to do more")]
fn times() -> usize {
    if std::env::var_os("ROUNDTABLE_LONG").is_some() { 20 } else { 8 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_made_while_others_write_holds_all_that_was_acknowledged() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let acked = Arc::new(AtomicU64::new(1));
    let began = std::time::Instant::now();
    let writing = tokio::spawn({
        let (store, acked) = (scene.store.clone(), Arc::clone(&acked));
        async move {
            loop {
                let last = acked.load(Ordering::SeqCst);
                let seq = store.append(&claim, last, 1, &[remark(&"x".repeat(500))]).await.unwrap();
                acked.store(seq, Ordering::SeqCst);
            }
        }
    });
    for number in 0..times() {
        let before = acked.load(Ordering::SeqCst);
        let to = scene.dir.path().join(format!("backups/{number}.db"));
        scene.store.backup(&to).await.unwrap();
        let after = acked.load(Ordering::SeqCst);
        let copy = Store::read_only(&to).await.unwrap();
        let held = copy.log("d1").await.unwrap().len() as u64;
        assert!((before..=after + 1).contains(&held), "{held} of {before} to {after}");
        assert_eq!(copy.check().await, Ok(vec![]));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let written = acked.load(Ordering::SeqCst);
    assert!(written > 20, "nobody wrote meanwhile");
    let rate = written as f64 / began.elapsed().as_secs_f64();
    println!("{0} of {0} copies whole, at {rate:.0} writes a second", times());
    writing.abort();
}

#[tokio::test]
async fn a_backup_comes_back_as_it_was_and_overwrites_nothing() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    scene.store.append(&claim, 1, 1, &[remark("kept")]).await.unwrap();
    let backup = scene.dir.path().join("backup.db");
    scene.store.backup(&backup).await.unwrap();
    let occupied = StoreError::Occupied { path: backup.clone() };
    assert_eq!(scene.store.backup(&backup).await, Err(occupied));
    let occupied = StoreError::Occupied { path: scene.path.clone() };
    assert_eq!(Store::restore(&backup, &scene.path).await, Err(occupied));

    let to = scene.dir.path().join("new/home/roundtable.db");
    Store::restore(&backup, &to).await.unwrap();
    let restored = Store::open(&to).await.unwrap();
    assert_eq!(restored.log("d1").await, scene.store.log("d1").await);
    restored.create("d2", 1, &[opened("y")]).await.unwrap();

    let text = scene.dir.path().join("text");
    fs::write(&text, "no database").unwrap();
    let refused = Store::restore(&text, &scene.dir.path().join("x.db")).await;
    assert!(matches!(refused, Err(StoreError::NotOurs { .. })), "{refused:?}");
    assert!(!scene.dir.path().join("x.db").exists());
}

//! A disk that is full: the process does not end, nobody is asked while nothing
//! can be stored, and the debate goes on as soon as there is room. Needs to
//! mount a small disk; says so and does nothing where it may not.
//!
//! The long form, 20 cycles: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable diskfull::`.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{AGENTS, CHILD, Home, child, provider, size};
use fake_provider::FakeProvider;
use store::Store;

#[tokio::test(flavor = "multi_thread")]
async fn child_fills_the_disk_under_a_debate() {
    let Some(folder) = child() else { return };
    let folder = Path::new(&folder);
    let provider = FakeProvider::start(provider(30, 0)).await.unwrap();
    let home = Home::new(folder, &provider.base_url());
    let start =
        ["debate", "--clerk=none", "--rounds", "20", "--json", "--agents", AGENTS, "In stages?"];
    let ballast = folder.join("ballast");
    let mut slowest = Duration::ZERO;
    for cycle in 0..size(3, 20) {
        let mut run = home.start(&start, &[]);
        run.wait_for(&run.stdout, "\"answered\"");
        let full = std::fs::write(&ballast, vec![1; 64 << 20]).unwrap_err();
        assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
        run.wait_for(&run.stderr, "disk is full");
        // Answers that were on their way when it filled up may still arrive.
        tokio::time::sleep(Duration::from_millis(150)).await;
        let calls = provider.ledger().len();
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert_eq!(provider.ledger().len(), calls, "a call was made while the disk was full");
        assert!(run.child.try_wait().unwrap().is_none(), "it ended: {}", run.complained());
        std::fs::remove_file(&ballast).unwrap();
        let (freed, deadline) = (Instant::now(), proof::Deadline::new());
        while provider.ledger().len() == calls {
            deadline.check(|| "it does not go on".into());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        slowest = slowest.max(freed.elapsed());
        // Acknowledged is what was said; it must all be there.
        run.child.kill().unwrap();
        run.wait();
        let said = run.said();
        let last = said.lines().filter_map(|line| {
            serde_json::from_str::<serde_json::Value>(line).ok()?["seq"].as_u64()
        });
        let last = last.max().unwrap();
        let id = home.ids().remove(0);
        let store = Store::open(&home.database()).await.unwrap();
        let log = store.log(&id).await.unwrap();
        assert!(log.len() as u64 >= last, "cycle {cycle}: {} of {last}", log.len());
        assert_eq!(store.check().await, Ok(vec![]));
        store.delete(&id, i64::MAX).await.unwrap();
        store.close().await;
    }
    println!("found: {} cycles, slowest return {slowest:?}", size(3, 20));
}

#[test]
fn a_full_disk_stops_the_asking_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script]).arg(std::env::current_exe().unwrap());
        command.arg(folder.path()).env(CHILD, folder.path());
        command
    };
    let mount = "mount -t tmpfs -o size=8m none \"$1\"";
    let quiet = |mut command: Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|did| did.success())
    };
    if !quiet(unshare(mount)) {
        proof::cannot_be_shown("a full disk: this machine does not let us mount a small one");
        return;
    }
    let child = "exec \"$0\" --exact --nocapture diskfull::child_fills_the_disk_under_a_debate";
    let output = unshare(&format!("{mount} && {child}")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let found = said.lines().find_map(|line| line.strip_prefix("found: "));
    println!("{}", found.unwrap_or_else(|| panic!("{said}")));
}

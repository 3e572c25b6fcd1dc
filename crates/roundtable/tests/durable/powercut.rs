//! A power cut: a writer on a file system of its own is frozen, the disk beneath
//! is copied as it is at that instant, and the copy must hold every row that was
//! acknowledged. A writer that does not wait for the disk must fail the same
//! test, or the test proves nothing. Needs root and loop devices; says so and
//! does nothing where it has none.
//!
//! The long form, 25 cuts: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable powercut::`.
#![cfg(all(target_os = "linux", debug_assertions))]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::harness::{CHILD, Dice, brief, child, size};
use debate::Debate;
use debate::model::{Event, Remark};
use store::Store;

const ID: &str = "d1";

fn sh(script: &str, args: &[&Path]) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).args(args);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|did| did.success())
}

/// Runs one of the tests named `child_…` in a mount namespace of its own, so
/// that whatever it mounts is gone with it.
fn apart(test: &str, told: &str) -> Option<String> {
    let output = Command::new("unshare")
        .arg("-m")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", test])
        .env(CHILD, told)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said.lines().find_map(|line| line.strip_prefix("found: ").map(str::to_owned))
}

/// Writes without end and says the number of every row once it is acknowledged.
#[tokio::test]
async fn child_writes_without_end() {
    let Some(told) = child() else { return };
    let Some((care, path)) = told.split_once(':') else { return };
    let path = Path::new(path);
    let store = match care {
        "careless" => Store::open_careless(path).await.unwrap(),
        _ => Store::open(path).await.unwrap(),
    };
    if store.get(ID).await.is_err() {
        let (_, opening) = Debate::open(brief(2, 2)).unwrap();
        store.create(ID, 1, &[opening]).await.unwrap();
    }
    let owner = std::process::id().to_string();
    // A lease of no length: the next process need not know that this one died.
    let claim = store.claim_run(ID, &owner, 0, 1).await.unwrap();
    let mut last = store.get(ID).await.unwrap().last_seq;
    let remark = Event::Remarked { remark: Remark { round: 1, text: proof::noise(3000) } };
    // The figures go over a pipe to a process that does not lose power.
    loop {
        last = store.append(&claim, last, 1, std::slice::from_ref(&remark)).await.unwrap();
        println!("acked {last}");
    }
}

/// What one cut found.
#[derive(Debug, PartialEq, Eq)]
enum Cut {
    Whole { acked: u64 },
    Lost { acked: u64, found: u64 },
    Unreadable,
}

/// A disk of our own: an image, mounted.
struct Disk {
    folder: tempfile::TempDir,
    dice: Dice,
}

impl Disk {
    fn new() -> Option<Disk> {
        let folder = tempfile::tempdir().unwrap();
        let make = "cd \"$1\" && truncate -s 48M disk.img && mkfs.ext4 -q -F disk.img \
                    && mkdir -p disk copy && mount -o loop disk.img disk";
        sh(make, &[folder.path()]).then_some(Disk { folder, dice: Dice(5) })
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Lets a writer write for a while, then takes the power away.
    async fn cut(&mut self, care: &str) -> Cut {
        let _ = std::fs::remove_dir_all(self.at("disk/home"));
        assert!(sh("sync -f \"$1\"", &[&self.at("disk")]));
        let database = self.at("disk/home/roundtable.db");
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "powercut::child_writes_without_end"])
            .env(CHILD, format!("{care}:{}", database.display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let heard = crate::harness::Heard::default();
        let reader = crate::harness::listen(writer.stdout.take().unwrap(), &heard);
        let acked = || {
            let heard = heard.lock().unwrap();
            let last = heard.iter().rev().find_map(|(_, line)| line.strip_prefix("acked "));
            last.map_or(0, |number| number.parse::<u64>().unwrap())
        };
        let deadline = proof::Deadline::new();
        while acked() < 20 {
            deadline.wait(|| "the writer does not get on".into());
        }
        std::thread::sleep(Duration::from_millis(self.dice.below(250)));
        let pid = writer.id().to_string();
        assert!(Command::new("kill").args(["-s", "STOP", &pid]).status().unwrap().success());
        // What was said by now was acknowledged before the copy begins.
        std::thread::sleep(Duration::from_millis(20));
        let acked = acked();
        std::fs::copy(self.at("disk.img"), self.at("copy.img")).unwrap();
        writer.kill().unwrap();
        writer.wait().unwrap();
        reader.join().unwrap();
        let found = self.examine(acked).await;
        assert!(sh("umount \"$1\"", &[&self.at("copy")]));
        found
    }

    async fn examine(&self, acked: u64) -> Cut {
        assert!(sh("mount -o loop \"$1\" \"$2\"", &[&self.at("copy.img"), &self.at("copy")]));
        let Ok(store) = Store::open(&self.at("copy/home/roundtable.db")).await else {
            return Cut::Unreadable;
        };
        let (log, check) = (store.log(ID).await, store.check().await);
        store.close().await;
        match (log, check) {
            (Ok(log), Ok(damages)) if damages.is_empty() => match log.len() as u64 {
                found if found >= acked => Cut::Whole { acked },
                found => Cut::Lost { acked, found },
            },
            _ => Cut::Unreadable,
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        sh("umount -l \"$1\" \"$2\"", &[&self.at("copy"), &self.at("disk")]);
    }
}

/// Makes the cuts and says what they found.
#[tokio::test]
async fn child_cuts_the_power() {
    let Some(told) = child() else { return };
    let Some(mut disk) = Disk::new() else {
        println!("found: no disk");
        return;
    };
    let mut cuts = Vec::new();
    for _ in 0..size(5, 25) {
        cuts.push(disk.cut(&told).await);
    }
    let whole = cuts.iter().filter(|cut| matches!(cut, Cut::Whole { .. })).count();
    println!("found: {whole} of {} whole: {cuts:?}", cuts.len());
}

#[test]
fn a_power_cut_loses_no_row_that_was_acknowledged() {
    let found = apart("powercut::child_cuts_the_power", "careful");
    let Some(found) = found.filter(|found| found != "no disk") else {
        proof::cannot_be_shown("a power cut: this machine does not let us mount a disk image");
        return;
    };
    let cuts = size(5, 25);
    assert!(found.starts_with(&format!("{cuts} of {cuts} whole")), "{found}");
    println!("waiting for the disk: {found}");

    let control = apart("powercut::child_cuts_the_power", "careless").unwrap();
    println!("not waiting for it:   {control}");
    assert!(
        !control.starts_with(&format!("{cuts} of {cuts} whole")),
        "a writer that does not wait for the disk lost nothing: this test proves nothing"
    );
}

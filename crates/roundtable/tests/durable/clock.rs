//! A wall clock that jumps changes nothing: not while a debate runs, not between
//! a kill and what follows it. The jumps come from a library that is loaded into
//! the binary; where no C compiler is at hand, nothing is tried and that is said.
//!
//! The long form jumps more often: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable clock::`.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::harness::{Home, Running, script, size, timeless};
use store::Store;

/// Adds a number of seconds to the time of day, or only in every other span of
/// so many milliseconds. What counts time passed is left alone.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *ts) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, ts);
    const char *shift = getenv("CLOCK_SHIFT"), *every = getenv("CLOCK_EVERY_MS");
    if (failed || id != CLOCK_REALTIME || !shift) return failed;
    struct timespec passed;
    real(CLOCK_MONOTONIC, &passed);
    long ms = passed.tv_sec * 1000 + passed.tv_nsec / 1000000;
    if (!every || (ms / atol(every)) % 2) ts->tv_sec += atol(shift);
    return 0;
}
"#;

const START: [&str; 10] = [
    "debate",
    "--rounds",
    "3",
    "--seed",
    "7",
    "--json",
    "--script",
    "script.json",
    "--",
    "In stages?",
];

/// The library; `None` where it cannot be built.
fn shim(folder: &Path) -> Option<PathBuf> {
    let (source, library) = (folder.join("shim.c"), folder.join("shim.so"));
    std::fs::write(&source, SHIM).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status();
    built.is_ok_and(|status| status.success()).then_some(library)
}

struct Scene {
    home: Home,
    shim: String,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Option<Scene> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("script.json"), script(30)).unwrap();
        let Some(shim) = shim(folder.path()) else {
            proof::cannot_be_shown("a clock that jumps: no C compiler is here");
            return None;
        };
        let home = Home::new(folder.path(), "http://127.0.0.1:9");
        Some(Scene { home, shim: shim.to_str().unwrap().into(), _folder: folder })
    }

    fn start(&self, args: &[&str], jump: &Jump) -> Running {
        let mut variables = vec![("LD_PRELOAD", self.shim.as_str()), ("CLOCK_SHIFT", &jump.shift)];
        variables.extend(jump.every.map(|every| ("CLOCK_EVERY_MS", every)));
        self.home.start(args, &variables)
    }

    fn run(&self, args: &[&str], jump: &Jump) -> (i32, String, String) {
        let mut run = self.start(args, jump);
        let code = run.wait();
        (code, run.said(), run.complained())
    }

    /// The debate that was begun last, whatever its clock said.
    fn newest(&self, known: &[String]) -> String {
        self.home.ids().into_iter().find(|id| !known.contains(id)).unwrap()
    }
}

struct Jump {
    shift: String,
    every: Option<&'static str>,
}

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
/// When 31 bits of seconds are used up, in 2038.
const LAST_SECOND: i64 = 0x7fff_ffff;

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().cast_signed()
}

/// All the way, and to and fro while it runs.
fn jumps() -> Vec<Jump> {
    let to_2038 = LAST_SECOND - now();
    let shifts = [HOUR, -HOUR, DAY, -DAY, to_2038 - 1, to_2038 + DAY];
    let all = shifts.iter().flat_map(|shift| {
        let jump = |every| Jump { shift: shift.to_string(), every };
        [jump(Some("40")), jump(None)]
    });
    all.collect()
}

#[test]
fn a_clock_that_jumps_changes_no_verdict() {
    let Some(scene) = Scene::new() else { return };
    let (code, _, err) = scene.home.run(&START);
    assert_eq!(code, 0, "{err}");
    let wanted = timeless(scene.home.verdict(&scene.home.ids()[0]));
    for _ in 0..size(1, 5) {
        for jump in jumps() {
            let known = scene.home.ids();
            let (code, out, err) = scene.run(&START, &jump);
            assert_eq!(code, 0, "{} s: {err}", jump.shift);
            let seqs = out.lines().map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["seq"].as_u64().unwrap()
            });
            let seqs: Vec<u64> = seqs.collect();
            assert!(seqs.is_sorted() && !seqs.is_empty(), "{seqs:?}");
            let id = scene.newest(&known);
            assert_eq!(timeless(scene.home.verdict(&id)), wanted, "{} s", jump.shift);
            for look in [vec!["sessions", "list"], vec!["costs"], vec!["sessions", "show", &id]] {
                let (code, _, err) = scene.run(&look, &jump);
                assert_eq!(code, 0, "{look:?}, {} s: {err}", jump.shift);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_of_another_time_is_taken_over_and_goes_on() {
    let Some(scene) = Scene::new() else { return };
    let (code, _, err) = scene.home.run(&START);
    assert_eq!(code, 0, "{err}");
    let wanted = timeless(scene.home.verdict(&scene.home.ids()[0]));
    let still = Jump { shift: "0".into(), every: None };
    for jump in jumps() {
        // Killed at one time of day, resumed at another: the dead one's lease may
        // lie in the future or long in the past.
        for (before, after) in [(&jump, &still), (&still, &jump)] {
            let known = scene.home.ids();
            let mut run = scene.start(&START, before);
            run.wait_for(&run.stdout, "\"answered\"");
            run.child.kill().unwrap();
            run.wait();
            let id = scene.newest(&known);
            let resume = ["sessions", "resume", &id, "--script", "script.json", "-q"];
            let (code, _, err) = scene.run(&resume, after);
            // It may have come to its end before the kill.
            assert!(code == 0 || err.contains("is over"), "{} s: {err}", jump.shift);
            assert_eq!(timeless(scene.home.verdict(&id)), wanted, "{} s", jump.shift);
            let store = Store::open(&scene.home.database()).await.unwrap();
            let log = store.log(&id).await.unwrap();
            store.close().await;
            assert!(log.iter().map(|entry| entry.seq).eq(1..=log.len() as u64));
        }
    }
}

//! Ctrl-C: a line at once, no new calls, answers in flight kept, exit 130, and a
//! debate that goes on to the verdict it would have come to anyway.
//!
//! The long form, 50 interruptions: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable interrupt::`.

use std::time::Duration;

use crate::harness::{Dice, Home, script, size, timeless};

struct Scene {
    home: Home,
    _folder: tempfile::TempDir,
}

fn scene(delay_ms: u64) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script.json"), script(delay_ms)).unwrap();
    Scene { home: Home::new(folder.path(), "http://127.0.0.1:9"), _folder: folder }
}

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

#[test]
fn an_interrupted_debate_resumes_to_the_same_verdict() {
    let scene = scene(60);
    let home = &scene.home;
    let (code, _, err) = home.run(&START);
    assert_eq!(code, 0, "{err}");
    let undisturbed = home.ids().remove(0);
    let wanted = timeless(home.verdict(&undisturbed));
    let mut dice = Dice(3);
    let times = size(5, 50);
    let mut slowest = Duration::ZERO;
    for time in 0..times {
        let mut run = home.start(&START, &[]);
        run.wait_for(&run.stdout, "\"asked\"");
        std::thread::sleep(Duration::from_millis(dice.below(350)));
        let (signal, code) = if time % 2 == 0 { ("INT", 130) } else { ("TERM", 143) };
        let sent = run.signal(signal);
        let noticed = run.wait_for(&run.stderr, "Interrupted");
        slowest = slowest.max(noticed.saturating_duration_since(sent));
        assert_eq!(run.wait(), code, "{}", run.complained());
        assert!(run.complained().contains("roundtable resume"), "{}", run.complained());
        let id = home.ids().remove(0);
        let (code, _, err) =
            home.run(&["sessions", "resume", &id, "--script", "script.json", "-q"]);
        assert_eq!(code, 0, "{err}");
        assert_eq!(timeless(home.verdict(&id)), wanted, "interruption {time}");
    }
    println!("{times} of {times} resumed to the same verdict; slowest notice {slowest:?}");
}

#[test]
fn a_second_interruption_leaves_at_once_and_loses_nothing_stored() {
    let scene = scene(8_000);
    let home = &scene.home;
    let mut run = home.start(&START, &[]);
    run.wait_for(&run.stdout, "\"asked\"");
    run.signal("INT");
    run.wait_for(&run.stderr, "Interrupted");
    run.signal("INT");
    assert_eq!(run.wait(), 130);
    // It did not wait for those it had asked: none of them has answered.
    assert!(!run.said().contains("\"answered\""), "{}", run.said());
    let id = home.ids().remove(0);
    std::fs::write(home.folder.join("script.json"), script(0)).unwrap();
    let (code, out, err) =
        home.run(&["sessions", "resume", &id, "--script", "script.json", "--json"]);
    assert_eq!(code, 0, "{err}");
    // The three that were on their way are said to be possibly billed.
    let first = out.lines().next().unwrap();
    assert!(first.contains("\"ambiguous\""), "{first}");
    let verdict = home.verdict(&id);
    assert_eq!(verdict["metadata"]["spent"]["ambiguousCalls"], 3, "{verdict:#}");
}

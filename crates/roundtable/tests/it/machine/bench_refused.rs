//! Scenarios, questions and recordings that cannot be used: one message that
//! names the line and what is allowed, and nothing begun.

use super::bench::SHORT;
use crate::support::Home;

/// What is wrong, the command, and what the message must say.
#[test]
fn bad_input_is_refused_with_its_line() {
    let home = Home::new();
    let files = [
        ("cut.toml", "name = \"a\"\ntopic = \"x\nmode = \"delphi\"\n"),
        ("field.toml", "name = \"a\"\ntopic = \"x\"\nmode = \"delphi\"\nround = 2\n"),
        ("mode.yaml", "name: a\ntopic: x\n\nmode: delfi\nrounds: 90\n"),
        ("broken.yaml", "name: a\ntopic: [x\n"),
        (
            "flag.toml",
            "name = \"a\"\ntopic = \"x\"\nmode = \"delphi\"\n[flags.exitCriteria]\nenabled = 7\n",
        ),
        ("none.toml", "name = \"a\"\nmode = \"delphi\"\n"),
        (
            "ask.toml",
            "[[item]]\nquestion = \"a\"\nanswer = \"yes\"\n\n[[item]]\nquestion = \"b\"\noptions = [\"x\", \"y\"]\nanswer = \"z\"\n",
        ),
        ("empty.json", "{\"item\": []}"),
        ("asks.yaml", "item:\n  - question: a\n    answer: [1]\n"),
        ("old.jsonl", "{\"roundtableRecording\":0,\"program\":\"0.0.1\"}\n"),
        ("other.jsonl", "{\"some\":\"thing\"}\n"),
        ("torn.jsonl", "{\"roundtableRecording\":1,\"program\":\"0.1.0\"}\n{\"debate\":\"x\",\"a"),
        ("good.toml", SHORT),
        ("notes.txt", "hello"),
    ];
    for (name, text) in files {
        home.file(name, text);
    }
    let table: [(&[&str], &[&str]); 26] = [
        (&["run", "cut.toml"], &["cut.toml, line 2"]),
        (&["run", "field.toml"], &["field.toml, line 4", "unknown field `round`", "`rounds`"]),
        (
            &["run", "mode.yaml"],
            &["mode.yaml, line 4", "did you mean delphi?", "mode.yaml, line 5", "1 to 20"],
        ),
        (&["run", "broken.yaml"], &["broken.yaml, line"]),
        (&["run", "flag.toml"], &["flag.toml, line 5", "exitCriteria.enabled", "true or false"]),
        (&["run", "none.toml"], &["none.toml, line 1", "give a topic or questions"]),
        (&["run", "cut.toml", "flag.toml"], &["cut.toml, line 2", "flag.toml, line 5"]),
        (&["run", "nowhere.toml"], &["nowhere.toml"]),
        (&["run", "notes.txt"], &[".toml, .yaml, .yml or .json"]),
        (&["run", "socratic-basline"], &["did you mean socratic-baseline"]),
        (&["run", "good.toml", "good.toml"], &["two scenarios are called \"short\""]),
        (&["run", "good.toml", "--cap", "much"], &["cap:", "amount in USD"]),
        (&["run", "good.toml", "--export", "x.pdf"], &[".json, .csv or .md"]),
        (&["run", "good.toml", "--replay", "old.jsonl"], &["line 1", "version 0", "version 1"]),
        (&["run", "good.toml", "--replay", "other.jsonl"], &["line 1", "no recording"]),
        (&["run", "good.toml", "--replay", "torn.jsonl"], &["torn.jsonl, line 2"]),
        (&["run", "good.toml", "--agents", "nobody/x,custom/y"], &["nobody"]),
        (&["run", "--resume", "short-9"], &["there is no run \"short-9\""]),
        (&["quality", "ask.toml", "--simulated"], &["ask.toml, line 6", "item 2", "x, y"]),
        (&["quality", "empty.json", "--simulated"], &["empty.json, line 1", "[[item]]"]),
        (&["quality", "asks.yaml", "--simulated"], &["asks.yaml, line 2", "yes or no, a number"]),
        (&["quality", "ask.toml"], &["say who answers"]),
        (&["quality", "ask.toml", "--arms", "plane"], &["did you mean plain"]),
        (&["quality", "ask.toml", "--parallel", "0"], &["allowed: 1 to 1000"]),
        (&["quality", "ask.toml", "--simulated", "harmfull"], &["did you mean"]),
        (&["compare", "a", "b"], &["there is no run \"a\""]),
    ];
    for (words, wanted) in table {
        let args: Vec<&str> = ["bench"].iter().chain(words).copied().collect();
        let said = home.refused(&args);
        for part in wanted {
            assert!(said.contains(part), "{words:?} does not say {part:?}:\n{said}");
        }
    }
    assert!(!home.path().join("data/bench/runs").exists(), "something was begun");
    let replay = home.refused(&["debate", "--replay", "old.jsonl"]);
    assert!(replay.contains("old.jsonl, line 1: the recording has version 0"), "{replay}");
    let speed = home.refused(&["debate", "--replay", "torn.jsonl", "--replay-speed", "fast"]);
    assert!(speed.contains("line 2") || speed.contains("--replay-speed"), "{speed}");
}

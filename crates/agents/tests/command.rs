//! Command agents against small real programs: whatever they do, the ask ends
//! in one reply or one clear failure, and no process is left behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::command::{AgentCommand, CommandAgent, on_standard_input};
use agents::{CancellationToken, NoWatch, Speaker, SpeechDelta};
use debate::model::{
    Ask, AskId, Failure, FailureClass, Party, Reply, SeatId, Task, ToolPolicy, ViewContents,
};
use serde_json::json;
use tempfile::TempDir;

fn ask(timeout_seconds: u32) -> Ask {
    Ask {
        id: AskId {
            round: 1,
            wave: 1,
            party: Party::Seat(SeatId(0)),
            task: Task::Speak,
            about: None,
        },
        agent: Some(0),
        speaker: "Ada".into(),
        system: Arc::new("You are Ada.".into()),
        user: "Should we? $(touch pwned) `touch pwned` {schema}".into(),
        schema: Arc::new(json!({"type": "object", "required": ["position"]}).into()),
        max_output_tokens: 100,
        temperature: 0.7,
        timeout_seconds,
        tools: ToolPolicy::NONE,
        form: Default::default(),
        shown: ViewContents::default(),
    }
}

/// A program of a few lines, in a folder of its own.
struct Program {
    folder: TempDir,
}

impl Program {
    fn new(script: &str) -> Program {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("agent.sh");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        Program { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    fn agent(&self, arguments: &[&str]) -> CommandAgent {
        // Through the shell as a program of its own: a file that was only just
        // written may still be open for writing in a sister test's child.
        let mut argv = vec!["/bin/sh".to_owned(), self.path("agent.sh")];
        argv.extend(arguments.iter().map(ToString::to_string));
        let mut command = AgentCommand::of_user("mine", argv, vec!["OWN_KEY".into()]).unwrap();
        command.directory = Some(self.folder.path().to_path_buf());
        let look = |name: &str| match name {
            "PATH" => Some("/usr/local/bin:/usr/bin:/bin".to_owned()),
            "OWN_KEY" => Some("canary-own-key".to_owned()),
            "OPENAI_API_KEY" => Some("canary-foreign-key".to_owned()),
            _ => None,
        };
        CommandAgent::new(command, &look)
    }

    async fn answer(&self, seconds: u32) -> Result<Reply, Failure> {
        let ask = ask(seconds);
        self.agent(&[]).speak(&ask, &NoWatch, CancellationToken::new()).await
    }

    /// Processes that run a file of this folder or work in it.
    fn running(&self) -> Vec<String> {
        let folder = self.folder.path().to_string_lossy().into_owned();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let place = entry.path();
            let is_zombie = fs::read_to_string(place.join("stat")).is_ok_and(|stat| {
                stat.rsplit(')').next().is_some_and(|s| s.trim_start().starts_with('Z'))
            });
            let here = fs::read_link(place.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder));
            if here && !is_zombie {
                found.push(fs::read_to_string(place.join("cmdline")).unwrap_or_default());
            }
        }
        found
    }

    async fn assert_nothing_left(&self) {
        let deadline = proof::Deadline::new();
        while !self.running().is_empty() {
            deadline.check(|| format!("left behind: {:?}", self.running()));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

fn failed(outcome: Result<Reply, Failure>) -> Failure {
    outcome.expect_err("this is no answer")
}

#[tokio::test]
async fn a_program_answers_and_saw_the_whole_prompt() {
    let program = Program::new("cat > seen.txt; echo ' {\"position\": \"yes\"} '; echo note >&2");
    let reply = program.answer(20).await.unwrap();
    assert_eq!(reply.text, "{\"position\": \"yes\"}");
    assert_eq!((reply.model.as_str(), reply.tries), ("mine", 1));
    let seen = fs::read_to_string(program.path("seen.txt")).unwrap();
    assert_eq!(seen, on_standard_input(&ask(20)));
    let order = [
        "# Instructions",
        "You are Ada.",
        "# Your turn",
        "Should we?",
        "# The form",
        "\"required\"",
    ];
    let places: Vec<_> = order.iter().map(|part| seen.find(part).unwrap()).collect();
    assert!(places.is_sorted(), "{seen}");
    // Text from outside never stands where the schema should.
    assert!(seen.contains("`touch pwned` {schema}\n"), "{seen}");
    program.assert_nothing_left().await;
}

#[tokio::test]
async fn no_shell_reads_the_arguments() {
    let program = Program::new("cat > /dev/null; printf '%s|' \"$@\"");
    let nasty = ["; touch pwned", "$(touch pwned)", "a b", "*", "--", "'\"\\"];
    let ask = ask(20);
    let agent = program.agent(&nasty);
    let reply = agent.speak(&ask, &NoWatch, CancellationToken::new()).await.unwrap();
    assert_eq!(reply.text, format!("{}|", nasty.join("|")));
    assert!(!fs::exists(program.path("pwned")).unwrap());
}

#[tokio::test]
async fn it_gets_the_listed_variables_and_no_others() {
    let program = Program::new("cat > /dev/null; env | cut -d= -f1 | sort | tr '\\n' ' '");
    let names = program.answer(20).await.unwrap().text;
    let ours: Vec<&str> = names
        .split_whitespace()
        .filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name))
        .collect();
    assert_eq!(ours, ["CI", "NO_COLOR", "OWN_KEY", "PATH", "TERM"]);
}

#[tokio::test]
async fn words_are_seen_as_they_come() {
    let program = Program::new(
        "cat > /dev/null; echo one; sleep 0.2; printf 'tw\\303'; sleep 0.1; printf '\\266\\n'",
    );
    let heard = Mutex::new(Vec::new());
    let watch = |_: &AskId, delta: SpeechDelta| heard.lock().unwrap().push(delta);
    let ask = ask(20);
    let agent = program.agent(&[]);
    let reply = agent.speak(&ask, &watch, CancellationToken::new()).await.unwrap();
    assert_eq!(reply.text, "one\ntwö");
    let heard = heard.into_inner().unwrap();
    let text = |words: &str| SpeechDelta::Text(words.into());
    assert_eq!(heard, [SpeechDelta::Thinking, text("one\n"), text("twö\n")]);
}

#[tokio::test]
async fn one_that_sleeps_for_ever_is_ended_with_all_its_children() {
    let program = Program::new("sleep 1000 & (sleep 1000; sleep 1000) & sleep 1000");
    // It would sleep for much longer than a test waits.
    let answer = tokio::time::timeout(proof::PATIENCE, program.answer(1)).await;
    let failure = failed(answer.expect("its time is up"));
    assert_eq!(failure.class, FailureClass::TimedOut);
    assert!(failure.message.contains("mine") && failure.message.contains("1 s"), "{failure:?}");
    program.assert_nothing_left().await;
}

#[tokio::test]
async fn one_that_ignores_polite_signals_is_ended_on_cancel() {
    let program = Program::new("trap '' TERM INT HUP; touch ready; while :; do sleep 1000; done");
    let cancel = CancellationToken::new();
    let (ask, agent) = (ask(60), program.agent(&[]));
    let call_off = async {
        while !fs::exists(program.path("ready")).unwrap() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(agent.speak(&ask, &NoWatch, cancel.clone()), call_off);
    assert_eq!(failed(outcome), agents::cancelled(1));
    program.assert_nothing_left().await;
}

#[tokio::test]
async fn letting_go_of_the_call_ends_it_too() {
    let program = Program::new("touch ready; sleep 1000 & sleep 1000");
    let (ask, agent) = (ask(60), program.agent(&[]));
    let ready = async {
        while !fs::exists(program.path("ready")).unwrap() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = agent.speak(&ask, &NoWatch, CancellationToken::new()) => panic!("it cannot end"),
        () = ready => {}
    }
    program.assert_nothing_left().await;
}

#[tokio::test]
async fn what_it_leaves_in_the_background_neither_delays_nor_survives() {
    let program = Program::new("cat > /dev/null; sleep 1000 & echo done");
    // A call that waited for what is in the background would time out.
    assert_eq!(program.answer(60).await.unwrap().text, "done");
    program.assert_nothing_left().await;
}

#[tokio::test]
async fn words_on_standard_error_alone_are_no_answer() {
    let program = Program::new("cat > /dev/null; echo 'Please run /login first' >&2");
    let failure = failed(program.answer(20).await);
    assert_eq!(failure.class, FailureClass::Unauthorised);
    assert!(failure.message.contains("Please run /login first"), "{failure:?}");
}

#[tokio::test]
async fn nothing_printed_is_no_answer() {
    for script in ["cat > /dev/null", "cat > /dev/null; echo; echo '  '"] {
        let failure = failed(Program::new(script).answer(20).await);
        assert_eq!(failure.class, FailureClass::Unusable);
        assert!(failure.message.contains("without printing anything"), "{failure:?}");
        assert!(failure.message.starts_with("mine: ") && failure.message.contains("by hand"));
    }
}

#[tokio::test]
async fn a_failed_run_is_no_answer_whatever_it_printed() {
    let cases = [
        ("echo answer; exit 3", FailureClass::Unusable, "exit code 3"),
        ("echo 'rate limit reached (429)' >&2; exit 1", FailureClass::RateLimited, "429"),
        ("echo 'credit balance is too low'; exit 1", FailureClass::OutOfCredit, "credit balance"),
        ("echo \"bad key $OWN_KEY\" >&2; exit 1", FailureClass::Unusable, "bad key [key]"),
        ("kill -9 $$", FailureClass::Unusable, "signal 9"),
    ];
    for (script, class, words) in cases {
        let failure = failed(Program::new(&format!("cat > /dev/null; {script}")).answer(20).await);
        assert_eq!(failure.class, class, "{script}");
        assert!(failure.message.contains(words), "{failure:?}");
        assert!(!failure.message.contains("canary"), "{failure:?}");
    }
}

#[tokio::test]
async fn only_the_end_of_standard_error_is_kept() {
    let program = Program::new(
        "cat > /dev/null; i=0; while [ $i -lt 4000 ]; do echo \"progress line $i\" >&2; i=$((i+1)); done; echo 'the reason' >&2; exit 1",
    );
    let failure = failed(program.answer(20).await);
    assert!(failure.message.contains("the reason"), "{failure:?}");
    assert!(failure.message.len() < 600, "{}", failure.message.len());
}

#[tokio::test]
async fn a_flood_is_stopped() {
    let program =
        Program::new("head -c 100000000 /dev/zero | tr '\\0' 'x'; echo flooded > finished");
    let failure = failed(program.answer(20).await);
    assert_eq!(failure.class, FailureClass::Unusable);
    assert!(failure.message.contains("8 MiB"), "{failure:?}");
    program.assert_nothing_left().await;
    assert!(!fs::exists(program.path("finished")).unwrap(), "it was read to the end");
}

#[tokio::test]
async fn one_that_never_reads_may_still_answer() {
    let program = Program::new("exec 0<&-; echo '{\"position\": \"unread\"}'");
    let mut long = ask(20);
    *long.user = "x".repeat(4 * 1024 * 1024);
    let agent = program.agent(&[]);
    let reply = agent.speak(&long, &NoWatch, CancellationToken::new()).await.unwrap();
    assert_eq!(reply.text, "{\"position\": \"unread\"}");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_no_answer_but_one_slip_is_forgiven() {
    let noise = Program::new("cat > /dev/null; head -c 5000 /dev/zero | tr '\\0' '\\377'");
    let failure = failed(noise.answer(20).await);
    assert!(failure.message.contains("not text"), "{failure:?}");
    let slip = Program::new("cat > /dev/null; printf 'a caf\\351 on the corner'");
    assert_eq!(slip.answer(20).await.unwrap().text, "a caf\u{fffd} on the corner");
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_named() {
    let command = AgentCommand::of_user("mine", vec!["/no/such/program".into()], vec![]).unwrap();
    let ask = ask(20);
    let agent = CommandAgent::new(command, &|_| None);
    let failure = failed(agent.speak(&ask, &NoWatch, CancellationToken::new()).await);
    assert_eq!(failure.class, FailureClass::BadRequest);
    assert!(failure.message.contains("no program \"/no/such/program\""), "{failure:?}");
}

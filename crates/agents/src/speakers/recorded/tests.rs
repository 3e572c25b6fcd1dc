//! Recordings answer the asks they hold and refuse others.

use std::sync::Arc;

use debate::model::{AskId, Party, Reply, SeatId, Task, ToolPolicy};
use secrecy::SecretString;

use super::*;
use crate::NoWatch;

struct Echo;

impl Speaker for Echo {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        _: &'a dyn Watch,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(
            async move { Ok(Reply { text: format!("{} heard", ask.speaker), ..Reply::default() }) },
        )
    }
}

fn ask(round: u32, user: &str) -> Ask {
    Ask {
        id: AskId { round, wave: 1, party: Party::Seat(SeatId(0)), task: Task::Speak, about: None },
        agent: Some(0),
        speaker: "Ada".into(),
        system: Arc::new("Be brief.".into()),
        user: user.into(),
        schema: Arc::new(serde_json::json!({"type": "object"}).into()),
        max_output_tokens: 400,
        temperature: 0.7,
        timeout_seconds: 5,
        tools: ToolPolicy::NONE,
        form: Default::default(),
        shown: Default::default(),
    }
}

const ONE_MARK: &str = "0123456789abcdef0123456789abcdef";
const OTHER_MARK: &str = "fedcba9876543210fedcba9876543210";

fn fenced(mark: &str, text: &str) -> String {
    format!("Read this.\n<<<data {mark} topic>>>\n{text}\n<<<end {mark}>>>\nThe mark is {mark}.")
}

async fn record(path: &std::path::Path, user: &str) {
    let secrets = Secrets::known([SecretString::from("hunter2-hunter2")]);
    let by = Arc::new(Recorder::create(path, secrets, "9.9").unwrap());
    let heard =
        ListeningSpeaker { inner: Arc::new(Echo), by: Arc::clone(&by), label: "debate".into() };
    heard.speak(&ask(1, user), &NoWatch, CancellationToken::new()).await.unwrap();
    assert_eq!(by.ended().unwrap(), 1);
}

fn player(path: &std::path::Path) -> (Arc<Recording>, Player) {
    let from = Arc::new(Recording::load(path).unwrap());
    let player =
        Player { from: Arc::clone(&from), label: "debate".into(), pace: ReplaySpeed::AtOnce };
    (from, player)
}

#[tokio::test]
async fn the_same_ask_is_answered_whatever_its_fence_mark() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    record(&path, &fenced(ONE_MARK, "tabs or spaces")).await;
    let (from, player) = player(&path);
    for _ in 0..2 {
        let again = ask(1, &fenced(OTHER_MARK, "tabs or spaces"));
        let reply = player.speak(&again, &NoWatch, CancellationToken::new()).await.unwrap();
        assert_eq!(reply.text, "Ada heard");
    }
    assert!(from.differences().is_empty());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains(ONE_MARK), "the mark was written");
}

#[tokio::test]
async fn another_ask_is_refused_with_the_line_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    record(&path, &fenced(ONE_MARK, "tabs or spaces")).await;
    let (from, player) = player(&path);
    let other = ask(2, &fenced(ONE_MARK, "tabs or dots"));
    let failure = player.speak(&other, &NoWatch, CancellationToken::new()).await.unwrap_err();
    assert!(failure.message.contains("line 3"), "{}", failure.message);
    assert!(failure.message.contains("\"tabs or dots\""), "{}", failure.message);
    let differences = from.differences();
    let whole = differences[0].to_string();
    assert!(whole.contains("- tabs or spaces") && whole.contains("+ tabs or dots"), "{whole}");
    assert_eq!(differences[0].fields.len(), 1, "only the user text differs");
    assert_eq!(differences[0].fields[0].hunks.len(), 1);
}

#[tokio::test]
async fn secrets_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    record(&path, "Is hunter2-hunter2 or sk-abcdefgh1234567890abcd a good key? sk-learn is none.")
        .await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hunter2") && !text.contains("sk-abcdefgh"), "{text}");
    assert!(text.contains("sk-learn"), "a word that is no key stays");
}

#[test]
fn broken_recordings_name_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let said = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Recording::load(&path).err().unwrap().to_string()
    };
    assert!(said("hello").contains("line 1: this is no recording"));
    let newer = said("{\"roundtableRecording\":7,\"program\":\"3.1\"}\n");
    assert!(newer.contains("version 7") && newer.contains("Roundtable 3.1"), "{newer}");
    let broken = said("{\"roundtableRecording\":1,\"program\":\"0.1\"}\n\n{\"debate\":1}\n");
    assert!(broken.contains("line 3"), "{broken}");
}

#[test]
fn a_recording_never_overwrites() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    std::fs::write(&path, "mine").unwrap();
    let refused = Recorder::create(&path, Secrets::default(), "1").err().unwrap();
    assert!(refused.to_string().contains("exists already"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn a_pace_is_a_factor_or_at_once() {
    assert_eq!(ReplaySpeed::parse("max"), Some(ReplaySpeed::AtOnce));
    assert_eq!(ReplaySpeed::parse("2.5x"), Some(ReplaySpeed::Times(2.5)));
    for wrong in ["0", "-1", "fast", "", "inf"] {
        assert_eq!(ReplaySpeed::parse(wrong), None, "{wrong}");
    }
    let took = std::time::Duration::from_millis(900);
    assert_eq!(ReplaySpeed::Times(3.0).of(took).as_millis(), 300);
}

//! Words without a schema, words with a record behind them, and words without
//! end: what every dialect must send and read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod table;

use std::sync::{Arc, Mutex};

use agents::{CancellationToken, NativeSearch, Panel, SpeechDelta, Watch};
use debate::model::{Ask, AskId, Failure, Finish, Reply, ReplyForm};
use fake_provider::{DEFAULT_ANSWER, FakeOptions, FakeProvider, WORKING};
use serde_json::Value;
use table::{SIGNERS, Signer, agent, ask, outside, start};

#[derive(Default)]
struct Listening(Mutex<String>);

impl Watch for Listening {
    fn delta(&self, _: &AskId, delta: SpeechDelta) {
        if let SpeechDelta::Text(words) = delta {
            self.0.lock().unwrap().push_str(&words);
        }
    }
}

async fn speak(
    signer: Signer,
    fake: &FakeProvider,
    model: &str,
    form: ReplyForm,
    watch: &Listening,
) -> Result<Reply, Failure> {
    let ask = Ask { form, ..ask() };
    let outside = outside(signer, fake, NativeSearch::Off);
    let panel = Panel::open(&[agent(signer.0, model)], None, &outside).unwrap();
    panel.speaker(&ask).unwrap().speak(&ask, watch, CancellationToken::new()).await
}

/// Signs of a schema in a request, on any wire.
const SCHEMA: [&str; 5] =
    ["json_schema", "json_object", "responseJsonSchema", "responseMimeType", "JSON schema"];

#[tokio::test]
async fn words_are_asked_for_without_a_schema() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let watch = Listening::default();
        let reply = speak(*signer, &fake, "works", ReplyForm::Words, &watch).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.working.as_str()), (WORKING, ""), "{signer:?}");
        let body = fake.ledger()[0].body.to_string();
        assert!(!SCHEMA.iter().any(|sign| body.contains(sign)), "{signer:?} {body}");
        assert!(!body.contains("submit_response"), "{signer:?} {body}");
    }
}

#[tokio::test]
async fn words_and_their_record_come_in_one_go() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let watch = Listening::default();
        let form = ReplyForm::WordsThenRecord;
        let reply = speak(*signer, &fake, "works", form, &watch).await.unwrap();
        assert_eq!(reply.working, WORKING, "{signer:?}");
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(json(&reply.text), json(DEFAULT_ANSWER), "{signer:?}");
        assert_eq!(*watch.0.lock().unwrap(), WORKING, "{signer:?} streams its working");
        assert_eq!(reply.bill.usage.total(), Some(120), "{signer:?}");
        let asked = fake.ledger();
        let body = asked[0].body.to_string();
        assert_eq!(asked.len(), 1, "{signer:?}");
        assert!(body.contains("submit_response"), "{signer:?} {body}");
        assert!(!SCHEMA.iter().any(|sign| body.contains(sign)), "{signer:?} {body}");
    }
}

#[tokio::test]
async fn a_server_without_tools_sends_its_words_alone() {
    let fake = start(FakeOptions::default()).await;
    let watch = Listening::default();
    let form = ReplyForm::WordsThenRecord;
    let reply = speak(SIGNERS[0], &fake, "fault:no_tools", form, &watch).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.working.as_str()), (DEFAULT_ANSWER, ""));
    let asked = fake.asked("fault:no_tools");
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[1].body.get("tools"), None);
}

#[tokio::test]
async fn an_answer_that_only_repeats_itself_is_cut() {
    for signer in SIGNERS {
        let text = format!("We count.\n{}", "So there are 96 eggs in all.\n".repeat(300));
        let options = FakeOptions {
            answer: Arc::new(move |_| text.clone()),
            pieces: 200,
            ..FakeOptions::default()
        };
        let fake = start(options).await;
        let watch = Listening::default();
        let reply = speak(*signer, &fake, "m", ReplyForm::Words, &watch).await.unwrap();
        assert_eq!(reply.finish, Finish::CutOff, "{signer:?}");
        let wanted = format!("We count.\n{}", "So there are 96 eggs in all.\n".repeat(2));
        assert_eq!(reply.text, wanted, "{signer:?}");
        assert_eq!(fake.ledger().len(), 1, "{signer:?}");
    }
}

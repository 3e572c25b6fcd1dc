//! Answers that a provider keeps: one request, its id told at once, and the
//! answer fetched by it, whole, after the connection or the program is gone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod table;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::{
    CancellationToken, FetchEnd, Keep, NativeSearch, Outside, Panel, Speaker, SpeechDelta, Watch,
};
use debate::model::{AskId, FailureClass, RemoteAnswer};
use fake_provider::shapes::Wire;
use fake_provider::{DEFAULT_ANSWER, FakeOptions, FakeProvider};
use table::{SIGNERS, Signer, agent, ask, outside, start};

const KEEPERS: [Signer; 2] = [("openai", Wire::Responses), ("perplexity", Wire::Agent)];

#[derive(Default)]
struct Told(Mutex<Vec<RemoteAnswer>>);

impl Watch for Told {
    fn delta(&self, _: &AskId, _: SpeechDelta) {}

    fn kept(&self, _: &AskId, kept: RemoteAnswer) {
        self.0.lock().unwrap().push(kept);
    }
}

fn keeping(signer: Signer, fake: &FakeProvider, keep: Keep) -> Outside {
    let mut outside = outside(signer, fake, NativeSearch::Off);
    outside.settings.entry(signer.0.to_owned()).or_default().keep = keep;
    outside
}

fn speaker(signer: Signer, fake: &FakeProvider, keep: Keep, model: &str) -> Arc<dyn Speaker> {
    let panel = Panel::open(&[agent(signer.0, model)], None, &keeping(signer, fake, keep));
    panel.unwrap().speaker(&ask()).unwrap()
}

fn methods(fake: &FakeProvider) -> (usize, usize) {
    let ledger = fake.ledger();
    let of = |method: &str| ledger.iter().filter(|entry| entry.method == method).count();
    (of("POST"), of("GET"))
}

#[tokio::test]
async fn what_was_asked_once_is_fetched_and_not_asked_again() {
    for signer in KEEPERS {
        let fake =
            start(FakeOptions { latency: Duration::from_millis(300), ..FakeOptions::default() })
                .await;
        let speaker = speaker(signer, &fake, Keep::Fetchable, "m");
        let told = Told::default();
        // Whoever asked leaves as soon as the id is known.
        let cancel = CancellationToken::new();
        let ask = ask();
        let leaving = async {
            while told.0.lock().unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            cancel.cancel();
        };
        let (left, ()) = tokio::join!(speaker.speak(&ask, &told, cancel.clone()), leaving);
        assert_eq!(left.unwrap_err().class, FailureClass::Cancelled, "{}", signer.0);
        let kept = told.0.lock().unwrap().first().cloned().unwrap();
        assert_eq!((kept.provider.as_str(), kept.model.as_str()), (signer.0, "m"));
        let fetched = speaker.fetch(&ask, &kept, CancellationToken::new()).await;
        let FetchEnd::Answer(reply) = fetched else { panic!("{}: {fetched:?}", signer.0) };
        assert_eq!(reply.text, DEFAULT_ANSWER);
        assert_eq!(reply.bill.usage.total(), Some(120));
        let (posts, gets) = methods(&fake);
        assert_eq!(posts, 1, "{}", signer.0);
        assert!(gets >= 1, "{}", signer.0);
        fake.forget();
        let gone = speaker.fetch(&ask, &kept, CancellationToken::new()).await;
        assert_eq!(gone, FetchEnd::Gone, "{}", signer.0);
        assert_eq!(methods(&fake).0, 1, "fetching asked again");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_id_costs_no_second_request() {
    for signer in KEEPERS {
        let fake =
            start(FakeOptions { latency: Duration::from_millis(100), ..FakeOptions::default() })
                .await;
        let speaker = speaker(signer, &fake, Keep::Fetchable, "breaks:m");
        let reply = speaker.speak(&ask(), &Told::default(), CancellationToken::new()).await;
        assert_eq!(reply.unwrap().text, DEFAULT_ANSWER, "{}", signer.0);
        assert_eq!(methods(&fake).0, 1, "{}", signer.0);
    }
}

#[tokio::test]
async fn unless_somebody_wants_it_nothing_is_kept() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let speaker = speaker(*signer, &fake, Keep::Nothing, "m");
        let told = Told::default();
        speaker.speak(&ask(), &told, CancellationToken::new()).await.unwrap();
        let asked = fake.asked("m").remove(0);
        assert!(asked.body.get("background").is_none(), "{}", signer.0);
        assert_ne!(asked.body.get("store"), Some(&true.into()), "{}", signer.0);
        assert!(told.0.lock().unwrap().is_empty(), "{}", signer.0);
    }
}

#[tokio::test]
async fn an_id_cannot_lead_to_another_path() {
    let signer = KEEPERS[0];
    let fake = start(FakeOptions::default()).await;
    let speaker = speaker(signer, &fake, Keep::Fetchable, "m");
    let kept =
        RemoteAnswer { provider: "openai".into(), model: "m".into(), id: "../files/x?y".into() };
    let fetched = speaker.fetch(&ask(), &kept, CancellationToken::new()).await;
    assert_eq!(fetched, FetchEnd::Gone);
    let path = fake.ledger().remove(0).path;
    assert!(path.ends_with("/responses/%2E%2E%2Ffiles%2Fx%3Fy"), "{path}");
}

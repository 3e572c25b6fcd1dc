//! Tools, the providers' own search, breaks, fallbacks and rests: what every
//! dialect must do beyond one question and one answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod table;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::http::breaker::BreakerPolicy;
use agents::{
    CancellationToken, Converse, Exchange, Http, HttpSettings, NativeSearch, NoWatch, Outside,
    Panel, Prompt, RequestCost, SpeechDelta, StepEnd, StepPermit, ToolOutcome, ToolResult,
    ToolSpec, Watch, converser,
};
use debate::model::{Agent, AskId, FailureClass, MicroUsd, Reply};
use fake_provider::shapes::{SEARCH, Wire};
use fake_provider::{DEFAULT_ANSWER, FakeOptions, FakeProvider};
use serde_json::json;
use table::{SIGNERS, Signer, address, agent, ask, http_settings, outside, settings, start};

fn tools() -> [ToolSpec; 1] {
    [ToolSpec {
        name: "search_web".into(),
        description: Arc::new("Searches the web.".into()),
        schema: Arc::new(
            json!({"type": "object", "properties": {"query": {"type": "string"}}}).into(),
        ),
    }]
}

fn told(calls: agents::WantedCalls, text: &str) -> Exchange {
    let result = |call: &agents::WantedCall| ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        text: text.into(),
        outcome: ToolOutcome::Worked,
    };
    let results = calls.wanted.iter().map(result).collect();
    Exchange { calls, results }
}

async fn step(speaker: &dyn Converse, so_far: &[Exchange]) -> StepEnd {
    let (ask, tools) = (ask(), tools());
    let prompt = Prompt { ask: &ask, tools: &tools, so_far };
    speaker.step(prompt, &NoWatch, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn a_tool_is_called_its_result_told_and_then_the_answer_comes() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let outside = outside(*signer, &fake, NativeSearch::Off);
        let speaker = converser(&agent(signer.0, "calls:search_web"), &outside).unwrap();
        let StepEnd::Calls(calls) = step(speaker.as_ref(), &[]).await else {
            panic!("{signer:?} did not call")
        };
        assert_eq!(calls.wanted.len(), 1, "{signer:?}");
        assert_eq!(calls.wanted[0].name, "search_web");
        assert_eq!(calls.wanted[0].arguments, json!({"query": "what is tea, part 1"}));
        assert_eq!(calls.bill.usage.total(), Some(120), "{signer:?}");
        let so_far = [told(calls, "TEA IS A DRINK")];
        let StepEnd::Answer(reply) = step(speaker.as_ref(), &so_far).await else {
            panic!("{signer:?} did not answer")
        };
        assert_eq!(reply.text, DEFAULT_ANSWER, "{signer:?}");
        let asked = fake.ledger();
        assert_eq!(asked.len(), 2);
        let second = asked[1].body.to_string();
        assert!(second.contains("TEA IS A DRINK"), "{signer:?} {second}");
        // What was signed or sealed must come back, or the next answer is refused.
        let sealed = match signer.1 {
            Wire::Messages | Wire::Gemini => "signed",
            Wire::Responses | Wire::Agent => "sealed",
            Wire::Chat => "toolu_1",
        };
        assert!(second.contains(sealed), "{signer:?} {second}");
    }
}

#[tokio::test]
async fn a_server_that_takes_no_tools_answers_without_them() {
    let fake = start(FakeOptions::default()).await;
    let outside = outside(SIGNERS[0], &fake, NativeSearch::Off);
    for fault in ["fault:no_tools", "fault:no_tools_500"] {
        let speaker = converser(&agent("custom", fault), &outside).unwrap();
        assert!(speaker.takes_tools(), "nothing is known of it yet");
        for requests in [2, 3] {
            let said = step(speaker.as_ref(), &[]).await;
            let StepEnd::Answer(reply) = said else { panic!("{fault}: no answer") };
            assert_eq!(reply.text, DEFAULT_ANSWER);
            assert_eq!(fake.asked(fault).len(), requests, "{fault}: learnt once");
            let last = fake.asked(fault).pop().unwrap().body;
            assert_eq!(last.get("tools"), None, "{fault}");
            let words = last["messages"].to_string();
            assert_eq!(words.matches("No tools can be used").count(), 1, "it is told: {words}");
        }
        assert!(!speaker.takes_tools());
    }
}

#[tokio::test]
async fn calls_without_end_are_steps_that_the_caller_can_stop() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let outside = outside(*signer, &fake, NativeSearch::Off);
        let speaker = converser(&agent(signer.0, "calls-always:search_web"), &outside).unwrap();
        let mut so_far = Vec::new();
        for _ in 0..3 {
            let StepEnd::Calls(calls) = step(speaker.as_ref(), &so_far).await else {
                panic!("{signer:?} answered")
            };
            so_far.push(told(calls, "nothing"));
        }
        assert_eq!(fake.ledger().len(), 3);
        // Asked without tools, a call is not an answer.
        let ask = ask();
        let last = Prompt { ask: &ask, tools: &[], so_far: &so_far };
        let failure = speaker.step(last, &NoWatch, &CancellationToken::new()).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Unusable, "{signer:?}");
    }
}

async fn reply_of(
    signer: Signer,
    fake: &FakeProvider,
    search: NativeSearch,
) -> (Reply, Vec<SpeechDelta>) {
    let outside = outside(signer, fake, search);
    let panel = Panel::open(&[agent(signer.0, "fake-large")], None, &outside).unwrap();
    let seen = Mutex::new(Vec::new());
    let watch = |_: &AskId, delta: SpeechDelta| seen.lock().unwrap().push(delta);
    let speaker = panel.speaker(&ask()).unwrap();
    let reply = speaker.speak(&ask(), &watch, CancellationToken::new()).await.unwrap();
    (reply, seen.into_inner().unwrap())
}

#[tokio::test]
async fn the_providers_own_search_is_used_only_when_switched_on_and_its_sources_come_in_one_shape()
{
    let searching: Vec<&Signer> = SIGNERS
        .iter()
        .filter(|signer| agents::providers::find(signer.0).unwrap().has_native_search())
        .collect();
    assert_eq!(searching.len(), SIGNERS.len() - 1, "all but a server of one's own");
    for signer in searching {
        let fake = start(FakeOptions::default()).await;
        let (off, _) = reply_of(*signer, &fake, NativeSearch::Off).await;
        assert!(off.sources.is_empty() && off.searches == 0, "{signer:?}");
        assert_eq!(fake.ledger()[0].body.get("tools"), None);

        let (on, deltas) = reply_of(*signer, &fake, NativeSearch::Native).await;
        assert_eq!((on.searches, on.sources.len()), (1, 1), "{signer:?} {:?}", on.sources);
        let source = &on.sources[0];
        assert_eq!(source.url.as_deref(), Some(SEARCH.url), "{signer:?}");
        assert_eq!(source.title, SEARCH.title, "{signer:?}");
        assert!(source.snippet.is_some(), "{signer:?}");
        // On the chat wire nothing is said while it searches.
        let told = deltas.iter().any(|delta| matches!(delta, SpeechDelta::Searching(_)));
        assert_eq!(told, signer.1 != Wire::Chat, "{signer:?}");
        assert_eq!(on.text, DEFAULT_ANSWER, "{signer:?}");
    }
}

#[tokio::test]
async fn a_provider_that_breaks_its_own_work_off_is_asked_to_go_on_a_few_times() {
    let fake = start(FakeOptions::default()).await;
    let signer = SIGNERS[1];
    let outside = outside(signer, &fake, NativeSearch::Off);
    let speaker = converser(&agent(signer.0, "pauses:3"), &outside).unwrap();
    let StepEnd::Answer(reply) = step(speaker.as_ref(), &[]).await else { panic!("no answer") };
    assert_eq!((reply.text.as_str(), reply.tries), (DEFAULT_ANSWER, 4));
    assert_eq!(reply.bill.usage.total(), Some(480), "every part is paid");
    let last = fake.ledger().pop().unwrap().body;
    assert_eq!(last["messages"].as_array().unwrap().len(), 4, "each part is sent back");

    let speaker = converser(&agent(signer.0, "pauses:99"), &outside).unwrap();
    let failure =
        speaker.step(Prompt::plain(&ask()), &NoWatch, &CancellationToken::new()).await.unwrap_err();
    assert_eq!((failure.class, failure.tries), (FailureClass::Unusable, 6));
}

fn with_fallback(provider: &str, model: &str, fallback: &str) -> Agent {
    Agent { fallback: Some(fallback.into()), ..agent(provider, model) }
}

#[tokio::test]
async fn a_fallback_takes_the_seat_and_is_named() {
    let fake = start(FakeOptions::default()).await;
    for signer in SIGNERS {
        let outside = outside(*signer, &fake, NativeSearch::Off);
        for (fault, taken) in [("server_error", true), ("refusal", true), ("bad_key", false)] {
            let agent = with_fallback(signer.0, &format!("fault:{fault}"), "fake-small");
            let panel = Panel::open(&[agent], None, &outside).unwrap();
            let speaker = panel.speaker(&ask()).unwrap();
            let outcome = speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await;
            match outcome {
                Ok(reply) => {
                    assert!(taken, "{signer:?} {fault}");
                    assert_eq!((reply.model.as_str(), reply.fallback), ("fake-small", true));
                }
                Err(failure) => {
                    assert!(!taken, "{signer:?} {fault}: {}", failure.message);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_fallback_may_live_at_another_provider_and_may_fail_too() {
    let fake = start(FakeOptions::default()).await;
    let mut both = settings("anthropic", &fake.origin());
    both.extend(settings("gemini", &fake.origin()));
    let speak = async |fallback: &str| {
        // A way out of its own each time, so that nobody is rested yet.
        let settings = both.clone();
        let outside = Outside::providers(table::http(), settings);
        let agent = with_fallback("anthropic", "fault:overloaded", fallback);
        let panel = Panel::open(&[agent], None, &outside).unwrap();
        let speaker = panel.speaker(&ask()).unwrap();
        speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await
    };
    let reply = speak("gemini/fake-large").await.unwrap();
    assert_eq!((reply.model.as_str(), reply.fallback, reply.tries), ("fake-large", true, 4));
    let failure = speak("gemini/fault:unavailable").await.unwrap_err();
    assert_eq!((failure.class, failure.tries), (FailureClass::Overloaded, 6));
    assert!(failure.message.contains("fault:overloaded"), "{}", failure.message);
    assert!(failure.message.contains("fault:unavailable"), "{}", failure.message);
}

#[tokio::test]
async fn a_model_that_keeps_failing_is_rested_and_callers_wait_and_are_told() {
    let fake = start(FakeOptions::default()).await;
    let rest = Duration::from_millis(700);
    let breaker = BreakerPolicy { rest, ..BreakerPolicy::default() };
    let http = Http::new(HttpSettings { breaker, ..http_settings() }).unwrap();
    let settings = settings("custom", &address(Wire::Chat, &fake));
    let outside = Outside::providers(http, settings);
    // Five failures, then it is well again.
    let panel = Panel::open(&[agent("custom", "fault:server_error@5")], None, &outside).unwrap();
    let speaker = panel.speaker(&ask()).unwrap();
    let first = speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await;
    assert!(first.is_err());
    let told = Mutex::new(Vec::new());
    let watch = |_: &AskId, delta: SpeechDelta| {
        if let SpeechDelta::Waiting { why, seconds } = delta {
            told.lock().unwrap().push((why, seconds, fake.ledger().len()));
        }
    };
    let reply = speaker.speak(&ask(), &watch, CancellationToken::new()).await.unwrap();
    assert_eq!(reply.text, DEFAULT_ANSWER);
    assert_eq!(fake.ledger().len(), 6, "nobody asked while it rested");
    let told = told.into_inner().unwrap();
    // Said before the sixth request was made, not after it.
    let rested = |(why, seconds, asked): &(String, f64, usize)| {
        why.contains("paused") && *seconds > 0.5 && *asked == 5
    };
    assert!(told.iter().any(rested), "{told:?}");

    // With a fallback nobody waits.
    let seated = with_fallback("custom", "fault:unavailable", "fake-small");
    let panel = Panel::open(&[seated], None, &outside).unwrap();
    let speaker = panel.speaker(&ask()).unwrap();
    for _ in 0..3 {
        let reply = speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await.unwrap();
        assert!(reply.fallback);
    }
    assert_eq!(fake.asked("fault:unavailable").len(), 5, "the third time it was not even asked");
}

#[tokio::test]
async fn a_call_is_priced_and_a_lost_one_too() {
    let fake = start(FakeOptions::default()).await;
    let settings = settings("openai", &fake.base_url());
    let price = agents::prices::Price { input: 1.0, output: 1.0, ..Default::default() };
    let own = ["openai/fake-large", "openai/fault:empty_content@1", "openai/fault:refusal"];
    let own = own.into_iter().map(|name| (name.to_owned(), price)).collect();
    let prices = agents::prices::Prices::new(own);
    let http = Http::new(http_settings()).unwrap();
    let outside = Outside { prices, ..Outside::providers(http, settings) };
    let cost = async |model: &str| {
        let panel = Panel::open(&[agent("openai", model)], None, &outside).unwrap();
        let speaker = panel.speaker(&ask()).unwrap();
        match speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await {
            Ok(reply) => reply.bill.cost.map(|cost| cost.0),
            Err(failure) => failure.bill.cost.map(|cost| cost.0),
        }
    };
    assert_eq!(cost("fake-large").await, Some(120));
    assert_eq!(cost("fault:empty_content@1").await, Some(240));
    assert_eq!(cost("fault:refusal").await, Some(120));
    assert_eq!(cost("fake-small").await, None, "no price, no figure");
}

/// Lets so many requests be sent, and adds up what they could cost and did.
struct Purser {
    most: usize,
    asked: Mutex<Vec<Option<MicroUsd>>>,
    paid: Mutex<Vec<RequestCost>>,
}

impl Watch for Purser {
    fn delta(&self, _: &AskId, _: SpeechDelta) {}

    fn requesting<'a>(
        &'a self,
        _: &'a AskId,
        worst: Option<MicroUsd>,
    ) -> futures::future::BoxFuture<'a, StepPermit> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(worst);
        let permit = if asked.len() > self.most { StepPermit::Rest } else { StepPermit::GoOn };
        Box::pin(async move { permit })
    }

    fn requested(&self, _: &AskId, cost: RequestCost) {
        self.paid.lock().unwrap().push(cost);
    }
}

#[tokio::test]
async fn every_request_is_announced_with_its_worst_and_none_is_sent_without_leave() {
    // A continuation, another try and a fallback are requests like the first.
    for (model, fallback, all) in [
        ("pauses:3", None, 4),
        ("fault:server_error@2", None, 3),
        ("fault:unavailable", Some("fake-small"), 4),
    ] {
        for most in [1, 2, 9] {
            let fake = start(FakeOptions::default()).await;
            let settings = settings("anthropic", &fake.origin());
            let price = agents::prices::Price { input: 1.0, output: 1.0, ..Default::default() };
            let names = [model, "fake-small"].map(|name| (format!("anthropic/{name}"), price));
            let prices = agents::prices::Prices::new(names.into_iter().collect());
            let outside = Outside { prices, ..Outside::providers(table::http(), settings) };
            let fallback = fallback.map(str::to_owned);
            let seated = Agent { fallback, ..agent("anthropic", model) };
            let speaker = Panel::open(&[seated], None, &outside).unwrap().speaker(&ask()).unwrap();
            let purser = Purser { most, asked: Mutex::default(), paid: Mutex::default() };
            let ended = speaker.speak(&ask(), &purser, CancellationToken::new()).await;
            assert_eq!(fake.ledger().len(), most.min(all), "{model} with {most}");
            assert_eq!(purser.paid.lock().unwrap().len(), most.min(all), "{model} with {most}");
            let asked = purser.asked.lock().unwrap();
            // 256 tokens of output and the prompt.
            assert!(
                asked.iter().all(|worst| worst.is_some_and(|worst| worst.0 > 256)),
                "{asked:?}"
            );
            match ended {
                Ok(reply) => assert!(most >= all && reply.text == DEFAULT_ANSWER, "{model}"),
                Err(failure) => assert_eq!(failure.class, FailureClass::Cancelled, "{model}"),
            }
            let known = |cost: &RequestCost| match cost {
                RequestCost::Known(cost) => cost.0,
                RequestCost::Unknown => panic!("{model}: a refusal costs nothing"),
            };
            let paid: u64 = purser.paid.lock().unwrap().iter().map(known).sum();
            let pauses = model.starts_with("pauses");
            let each = if pauses { most.min(all) } else { usize::from(most >= all) };
            assert_eq!(paid, 120 * each as u64, "{model} with {most}");
        }
    }
}

#[tokio::test]
async fn an_account_that_refuses_everything_is_asked_once_in_a_run() {
    for (fault, class) in
        [("bad_key", FailureClass::Unauthorised), ("no_credit", FailureClass::OutOfCredit)]
    {
        let fake = start(FakeOptions::default()).await;
        let outside = outside(("openai", Wire::Responses), &fake, NativeSearch::Off);
        let model = format!("fault:{fault}");
        // Three seats and the clerk, two of them with other models of the same account.
        let seats = [&model, &model, "fake-large"].map(|model| agent("openai", model));
        let clerk = agent("openai", "fake-small");
        for run in 1..=2 {
            let panel = Panel::open(&seats, Some(&clerk), &outside).unwrap();
            for turn in 0..3 {
                let asks = [Some(0), Some(1), Some(2), None].map(|index| {
                    let mut ask = ask();
                    ask.agent = index;
                    ask
                });
                let speak = async |ask: &debate::model::Ask| {
                    let speaker = panel.speaker(ask).unwrap();
                    speaker.speak(ask, &NoWatch, CancellationToken::new()).await
                };
                let all = futures::future::join_all(asks.iter().map(speak)).await;
                assert!(all[0].is_err() && all[1].is_err(), "{fault}, turn {turn}");
                for failed in all.into_iter().filter_map(Result::err) {
                    assert_eq!(failed.class, class);
                }
            }
            assert_eq!(fake.asked(&model).len(), run, "{fault}: once in each run");
        }
    }
}

/// In a process that holds many debates, three agents of one account are asked at once, unless
/// it has not answered yet.
#[tokio::test]
async fn only_the_first_run_waits_for_the_first_answer_of_an_account() {
    let latency = Duration::from_millis(700);
    let fake = start(FakeOptions { latency, ..FakeOptions::default() }).await;
    let outside = outside(("openai", Wire::Responses), &fake, NativeSearch::Off);
    let seats = ["fake-large"; 3].map(|model| agent("openai", model));
    let run = async || {
        let panel = Panel::open(&seats, None, &outside).unwrap();
        let speak = async |index| {
            let ask = debate::model::Ask { agent: Some(index), ..ask() };
            let speaker = panel.speaker(&ask).unwrap();
            speaker.speak(&ask, &NoWatch, CancellationToken::new()).await.unwrap();
        };
        futures::future::join_all([speak(0), speak(1), speak(2)]).await;
    };
    run().await;
    let [first, second, third] = <[_; 3]>::try_from(fake.ledger()).unwrap();
    assert!(second.at >= first.at + latency && third.at >= first.at + latency);
    // None of them has been answered when all have been asked.
    let all_asked = async {
        while fake.ledger().len() < 6 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        fake.ledger().iter().filter(|entry| entry.closed).count()
    };
    let (_, answered) = tokio::join!(run(), all_asked);
    assert_eq!(answered, 3);
}

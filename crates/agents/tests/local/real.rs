//! A real debate with real weights, and what it costs. Runs only where
//! `ROUNDTABLE_LOCAL_WEIGHTS` names a file, and wants an optimised build. It
//! measures; it judges nothing the model says: the model is too small for that.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::local::words::compact_words;
use agents::local::{LocalModel, LocalSpeaker, NOTICE, PROVIDER, Threads};
use agents::{CancellationToken, NoWatch, Speaker};
use debate::Debate;
use debate::model::*;
use serde_json::json;

fn brief(model: &LocalModel) -> Brief {
    let agents: Vec<Agent> = ["Ada", "Brook", "Chen"]
        .iter()
        .map(|name| Agent {
            name: (*name).into(),
            provider: PROVIDER.into(),
            model: model.name().into(),
            family: None,
            context_window: Some(model.advised_window()),
            temperature: Some(0.4),
            fallback: None,
        })
        .collect();
    let brief = json!({
        "topic": "Should a team of five split its shop into microservices?",
        "mode": "collaborative", "agents": agents, "rounds": 1,
        "question": {"kind": "yesNo"},
        "limits": {"maxOutputTokens": 4096, "temperature": 0.4, "timeoutSeconds": 600},
        "fenceKey": "000102030405060708090a0b0c0d0e0f",
        "words": compact_words(BTreeMap::new()),
    });
    serde_json::from_value(brief).unwrap()
}

/// What a run used: prompt tokens, those not read again, tokens written, and
/// the time the model itself worked.
#[derive(Default)]
struct Used {
    asks: u32,
    prompt: u64,
    remembered: u64,
    written: u64,
    busy: Duration,
}

impl Used {
    fn add(&mut self, bill: Bill) {
        self.asks += 1;
        self.prompt += bill.usage.input.unwrap_or(0);
        self.remembered += bill.usage.cached.unwrap_or(0);
        self.written += bill.usage.output.unwrap_or(0);
        self.busy += Duration::from_millis(bill.latency_ms);
    }
}

/// One ask of the first round, alone.
async fn one_turn(model: &Arc<LocalModel>) -> Used {
    let (mut debate, _) = Debate::open(brief(model)).unwrap();
    debate.hear(Input::Go);
    let Step::Ask(asks) = debate.next_step() else { panic!("a debate begins with asks") };
    let seat = LocalSpeaker::new(Arc::clone(model));
    let mut used = Used::default();
    used.add(seat.speak(&asks[0], &NoWatch, CancellationToken::new()).await.unwrap().bill);
    used
}

/// Reading and writing apart: a long prompt with next to nothing to write, then
/// the same prompt, remembered, with much to write.
async fn speeds(model: &Arc<LocalModel>) -> [f64; 2] {
    let seat = LocalSpeaker::new(Arc::clone(model));
    let (mut debate, _) = Debate::open(brief(model)).unwrap();
    debate.hear(Input::Go);
    let Step::Ask(asks) = debate.next_step() else { panic!("a debate begins with asks") };
    let user = "The shop sells tea in four countries and earns most of its money in winter. ";
    let ask = |properties: serde_json::Value| Ask {
        user: user.repeat(25).into(),
        schema: Arc::new(
            json!({
                "type": "object", "properties": properties, "additionalProperties": false,
                "required": properties.as_object().unwrap().keys().collect::<Vec<_>>(),
            })
            .into(),
        ),
        ..asks[0].clone()
    };
    let short = ask(json!({"ballot": {"type": "string", "enum": ["ACCEPT", "MINOR"]}}));
    let long = ask(json!({"reasoning": {"type": "string"}, "position": {"type": "string"}}));
    let mut speeds = [0.0; 2];
    for (ask, speed) in [short, long].iter().zip(&mut speeds) {
        let clock = processor_time().unwrap_or_default();
        let reply = seat.speak(ask, &NoWatch, CancellationToken::new()).await.unwrap();
        let mut used = Used::default();
        used.add(reply.bill);
        let core = processor_time().unwrap_or_default().saturating_sub(clock).as_secs_f64();
        *speed = (used.prompt - used.remembered + used.written) as f64 / core.max(0.01);
    }
    speeds
}

/// A whole debate; every seat is a speaker of its own on the same weights.
async fn whole_debate(model: &Arc<LocalModel>) -> (Debate, Used) {
    let (mut debate, _) = Debate::open(brief(model)).unwrap();
    debate.hear(Input::Go);
    let seats: Vec<LocalSpeaker> = (0..3).map(|_| LocalSpeaker::new(Arc::clone(model))).collect();
    let mut used = Used::default();
    loop {
        match debate.next_step() {
            Step::Ask(asks) => {
                let calls =
                    asks.iter().map(|ask| {
                        let seat = &seats[ask.agent.unwrap()];
                        async move {
                            (ask.id, seat.speak(ask, &NoWatch, CancellationToken::new()).await)
                        }
                    });
                for (ask, outcome) in futures::future::join_all(calls).await {
                    let reply = outcome.unwrap_or_else(|failure| panic!("{failure:?}"));
                    used.add(reply.bill);
                    debate.hear(Input::Replied { ask, reply: Box::new(reply) });
                }
            }
            Step::Embed(_) => {
                debate.hear(Input::NotCompared { reason: "not wanted here".into() });
            }
            Step::Await(reason) => panic!("{reason:?}"),
            Step::Done(_) => return (debate, used),
        }
    }
}

/// The most memory this process ever held, in MB.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

/// Processor seconds of the whole process so far, in hundredths.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(11)? + ticks(12)?) * 10))
}

#[tokio::test]
async fn three_seats_debate_in_this_process() {
    let Some(path) = proof::weights() else { return };
    println!("A small debate, marked as such. {NOTICE}");
    let started = Instant::now();
    let model = LocalModel::open(Path::new(&path), Threads::default()).unwrap();
    println!(
        "{}: loaded in {:.2} s, {} thread(s)",
        model.name(),
        started.elapsed().as_secs_f64(),
        model.threads()
    );
    let [reading, writing] = speeds(&model).await;
    println!("reads {reading:.0} and writes {writing:.0} tokens per second of processor");
    let clock = Clock::start();
    let used = one_turn(&model).await;
    clock.report("1 seat", &used);
    let clock = Clock::start();
    let (debate, used) = whole_debate(&model).await;
    clock.report("3 seats", &used);
    let record = debate.room().round(1).unwrap();
    assert_eq!(record.answered().count(), 3, "every seat answered");
    for turn in record.answered() {
        let answer = &turn.answer;
        assert!(!answer.unstructured, "{answer:?}");
        assert!(answer.confidence.is_some_and(|share| (0.0..=1.0).contains(&share)));
        assert!(answer.citations.is_empty(), "it has no sources to cite");
        println!("  {:?}: {}", answer.answer, answer.position);
    }
    assert!(used.remembered > 100, "the common beginning was read once");
}

struct Clock {
    wall: Instant,
    processor: Duration,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), processor: processor_time().unwrap_or_default() }
    }

    fn report(&self, what: &str, used: &Used) {
        let core = processor_time().unwrap_or_default().saturating_sub(self.processor);
        let tokens = (used.prompt - used.remembered + used.written) as f64;
        println!(
            "{what}: {} asks in {:.1} s ({:.1} s of processor); prompt {} tokens, {} of them \
             remembered; {} written; {:.0} tokens a second, {:.0} per second of processor; at most {} MB",
            used.asks,
            self.wall.elapsed().as_secs_f64(),
            core.as_secs_f64(),
            used.prompt,
            used.remembered,
            used.written,
            tokens / used.busy.as_secs_f64().max(0.001),
            tokens / core.as_secs_f64().max(0.001),
            most_memory().unwrap_or(0),
        );
    }
}

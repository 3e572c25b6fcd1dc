//! The loop of tool calls: its steps, limits and failures.

mod going_on;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex};

use debate::model::{
    AskId, Bill, Citation, Fence, MicroUsd, Party, Priority, SeatId, Task, ToolLevel, ToolPolicy,
    Usage, ViewContents,
};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::*;
use crate::NoWatch;
use crate::speakers::with_tools::loop_state::MOST_CALLS;
use crate::tools::{KnownPages, Record, TurnSources};

/// The scripted model's action in a step, given the number of earlier steps.
type Script = Box<dyn Fn(usize) -> StepEnd + Send + Sync>;

/// Of one step: names offered, the last results it was told, the user's text.
type Saw = (Vec<String>, Vec<ToolResult>, String);

struct Model {
    script: Script,
    saw: Mutex<Vec<Saw>>,
    delay: Duration,
}

impl Converse for Model {
    fn step<'a>(
        &'a self,
        prompt: Prompt<'a>,
        _: &'a dyn Watch,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<StepEnd, Failure>> {
        Box::pin(async move {
            tokio::time::sleep(self.delay).await;
            let step = {
                let mut saw = self.saw.lock().unwrap();
                let names = prompt.tools.iter().map(|tool| tool.name.to_string()).collect();
                let told = prompt.so_far.last().map(|last| last.results.clone());
                saw.push((names, told.unwrap_or_default(), prompt.ask.user.to_string()));
                saw.len() - 1
            };
            Ok((self.script)(step))
        })
    }
}

fn model(script: impl Fn(usize) -> StepEnd + Send + Sync + 'static) -> Model {
    let (saw, delay) = (Mutex::default(), Duration::ZERO);
    Model { script: Box::new(script), saw, delay }
}

/// Says back what it was given, and counts.
#[derive(Default)]
struct Echo {
    calls: AtomicU32,
    takes: Duration,
}

static ECHO: LazyLock<ToolSpec> = LazyLock::new(|| ToolSpec {
    name: "echo".into(),
    description: Arc::new("Echoes.".into()),
    schema: Arc::new(
        json!({
            "type": "object", "properties": {"word": {"type": "string"}},
            "required": ["word"], "additionalProperties": false
        })
        .into(),
    ),
});

impl Tool for Echo {
    fn spec(&self) -> &ToolSpec {
        &ECHO
    }

    fn call<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<crate::tools::ToolOutput, ToolError>> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(self.takes).await;
            let word = arguments["word"].as_str().unwrap_or_default();
            if word == "fatal" {
                return Err(ToolError::Fatal("the disk is gone".into()));
            }
            let wanted = |priority| WantedContext {
                question: "How many users?".into(),
                why: "It decides.".into(),
                priority,
            };
            if word == "ask" {
                return Err(ToolError::NeedsContext(wanted(Priority::Required)));
            }
            let url = Some(format!("https://echo.example/{word}"));
            let number = context.sources.cite(Citation { url, ..Citation::default() });
            let request = (word == "wonder").then(|| wanted(Priority::Optional));
            let text = format!("[{number}] {word}");
            Ok(crate::tools::ToolOutput { text, request, made: None })
        })
    }
}

fn bill() -> Bill {
    let usage = Usage { input: Some(10), output: Some(1), ..Usage::default() };
    Bill { usage, cost: Some(MicroUsd(5)), latency_ms: 1 }
}

fn answer(text: &str) -> StepEnd {
    StepEnd::Answer(Reply { text: text.into(), bill: bill(), tries: 1, ..Reply::default() })
}

fn calls(wanted: &[(&str, Value)]) -> StepEnd {
    let wanted = wanted.iter().enumerate().map(|(at, (name, arguments))| WantedCall {
        id: format!("call-{at}"),
        name: (*name).into(),
        arguments: arguments.clone(),
    });
    StepEnd::Calls(WantedCalls {
        wanted: wanted.collect(),
        bill: bill(),
        tries: 1,
        ..WantedCalls::default()
    })
}

fn echo(word: &str) -> (&'static str, Value) {
    ("echo", json!({"word": word}))
}

fn ask(level: ToolLevel, min_calls: u32, max_calls: u32) -> Ask {
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
        system: Arc::new("s".into()),
        user: "The view.".into(),
        schema: Arc::new(json!({"type": "object", "required": ["position"]}).into()),
        max_output_tokens: 10,
        temperature: 0.7,
        timeout_seconds: 5,
        tools: ToolPolicy { level, min_calls, max_calls },
        form: Default::default(),
        shown: ViewContents::default(),
    }
}

struct Run {
    outcome: Result<Reply, Failure>,
    saw: Vec<Saw>,
    made: u32,
    pages: Arc<KnownPages>,
}

impl Run {
    fn reply(&self) -> &Reply {
        match &self.outcome {
            Ok(reply) => reply,
            other => panic!("no answer: {other:?}"),
        }
    }

    fn failure(&self) -> &Failure {
        self.outcome.as_ref().expect_err("it must fail")
    }

    fn told(&self, step: usize) -> Vec<&str> {
        self.saw[step].1.iter().map(|result| result.text.as_str()).collect()
    }
}

fn context(ask: &Ask) -> ToolContext {
    ToolContext {
        fence: Fence::new("00112233445566778899aabbccddeeff", &ask.id),
        record: Arc::new(Record::default()),
        pages: Arc::default(),
        sources: Arc::new(TurnSources::from(1)),
        held_up: false,
    }
}

async fn run_with(model: Model, tool: Echo, ask: &Ask, cancel: CancellationToken) -> Run {
    let context = context(ask);
    let tool = Arc::new(tool);
    let tools = [Arc::clone(&tool) as Arc<dyn Tool>];
    let tool_loop = ToolLoop { model: &model, tools: &tools, context: &context };
    let outcome = tool_loop.run(ask, &NoWatch, &cancel).await;
    let made = tool.calls.load(Ordering::SeqCst);
    Run { outcome, saw: model.saw.into_inner().unwrap(), made, pages: context.pages }
}

async fn run(model: Model, ask: &Ask) -> Run {
    run_with(model, Echo::default(), ask, CancellationToken::new()).await
}

#[tokio::test]
async fn results_come_back_and_everything_is_counted() {
    let model = model(|step| match step {
        0 => calls(&[echo("a"), echo("b")]),
        1 => calls(&[echo("b")]),
        _ => answer("done [2]"),
    });
    let run = run(model, &ask(ToolLevel::Normal, 1, 6)).await;
    let reply = run.reply();
    assert_eq!((reply.text.as_str(), reply.tries, run.made), ("done [2]", 3, 3));
    assert_eq!(reply.bill.usage.input, Some(30));
    assert_eq!(reply.bill.cost, Some(MicroUsd(15)));
    assert_eq!(run.told(1), ["[1] a", "[2] b"]);
    let ids: Vec<&str> = run.saw[1].1.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids, ["call-0", "call-1"]);
    // The number the model was shown is the number in the reply, once per source.
    let sources: Vec<_> =
        reply.sources.iter().map(|s| (s.number, s.url.clone().unwrap())).collect();
    assert_eq!(
        sources,
        [(1, "https://echo.example/a".into()), (2, "https://echo.example/b".into())]
    );
    assert_eq!(reply.tool_calls.len(), 3);
    assert_eq!(
        (reply.tool_calls[0].tool.as_str(), reply.tool_calls[0].result.as_str()),
        ("echo", "[1] a")
    );
}

#[tokio::test]
async fn above_the_maximum_is_refused_and_then_it_must_answer() {
    for level in [ToolLevel::Strict, ToolLevel::Normal] {
        let model = model(|step| match step {
            0 => calls(&[echo("a"), echo("b"), echo("c")]),
            _ => answer("done"),
        });
        let run = run(model, &ask(level, 1, 2)).await;
        assert_eq!((run.made, run.reply().tool_calls.len()), (2, 2));
        assert!(run.told(1)[2].contains("Refused"), "{:?}", run.told(1));
        assert_eq!(run.saw[1].1[2].outcome, ToolOutcome::Failed);
        assert_eq!(run.saw[1].0, Vec::<String>::new(), "tools were offered again");
    }
}

#[tokio::test]
async fn the_lowest_level_only_advises_but_has_an_end() {
    let model = model(|step| match step {
        0 => calls(&[echo("a"), echo("b")]),
        _ => answer("done"),
    });
    let run_ = run(model, &ask(ToolLevel::Relaxed, 0, 1)).await;
    assert_eq!(run_.made, 2);
    assert!(
        run_.told(1)[1].contains("[2] b") && run_.told(1)[1].contains("advised in one turn: 1")
    );
    let greedy = self::model(|step| match step {
        0 => calls(&(0..40).map(|n| echo(&format!("w{n}"))).collect::<Vec<_>>()),
        _ => answer("done"),
    });
    assert_eq!(run(greedy, &ask(ToolLevel::Relaxed, 0, 6)).await.made, MOST_CALLS);
}

#[tokio::test]
async fn below_the_minimum_is_asked_for_once_where_that_is_strict() {
    let obedient = model(|step| match step {
        0 => answer("too early"),
        1 => calls(&[echo("a")]),
        _ => answer("checked"),
    });
    let done = run(obedient, &ask(ToolLevel::Strict, 1, 6)).await;
    assert_eq!((done.reply().text.as_str(), done.saw.len()), ("checked", 3));
    assert_eq!(done.saw[0].2, "The view.");
    assert!(done.saw[1].2.contains("at least 1 use of") && done.saw[1].2.contains("made\n0"));
    assert_eq!(done.saw[2].2, "The view.", "the demand was met");
    let stubborn = run(model(|_| answer("no")), &ask(ToolLevel::Strict, 1, 6)).await;
    assert_eq!((stubborn.reply().text.as_str(), stubborn.saw.len()), ("no", 2));
    assert_eq!(stubborn.reply().tries, 2);
    for level in [ToolLevel::Normal, ToolLevel::Relaxed] {
        assert_eq!(run(model(|_| answer("no")), &ask(level, 1, 6)).await.saw.len(), 1);
    }
}

#[tokio::test]
async fn the_same_call_for_the_third_time_ends_the_tools() {
    let circle = model(|step| match step {
        0..3 => calls(&[("echo", json!({"word": "again"}))]),
        _ => answer("fine"),
    });
    let run = run(circle, &ask(ToolLevel::Relaxed, 0, 20)).await;
    assert_eq!((run.made, run.saw.len(), run.reply().text.as_str()), (2, 4, "fine"));
    assert!(run.told(3)[0].contains("this very call"));
    assert!(run.saw[3].0.is_empty());
}

#[tokio::test]
async fn steps_are_bounded_and_endless_calls_are_no_answer() {
    let endless = model(|step| calls(&[echo(&format!("w{step}"))]));
    let run = run(endless, &ask(ToolLevel::Relaxed, 0, 100)).await;
    assert_eq!(run.saw.len(), MOST_STEPS);
    assert!(run.saw[MOST_STEPS - 1].0.is_empty(), "the last step must ask for the answer");
    let failure = run.failure();
    assert_eq!((failure.class, failure.tries), (FailureClass::Unusable, 8));
    assert_eq!(failure.bill.usage.input, Some(80), "what was paid is told");
}

#[tokio::test]
async fn bad_calls_get_words_to_act_on() {
    let clumsy = model(|step| match step {
        0 => calls(&[
            ("ecko", json!({})),
            ("echo", json!({"words": 1})),
            ("echo", Value::String("{broken".into())),
        ]),
        _ => answer("done"),
    });
    let run = run(clumsy, &ask(ToolLevel::Normal, 0, 6)).await;
    assert_eq!(run.made, 0);
    let told = run.told(1);
    assert!(told[0].contains("You have: echo"), "{told:?}");
    assert!(told[1].contains("\"word\" is missing") && told[1].contains("\"words\" is not known"));
    assert!(told[2].contains("not valid JSON"), "{told:?}");
    assert!(run.reply().tool_calls.is_empty(), "calls that were not made are not counted");
}

#[tokio::test]
async fn an_answer_handed_in_as_a_call_is_the_answer() {
    let submits = model(|step| match step {
        0 => calls(&[("submit_response", json!({"pos": "x"}))]),
        _ => calls(&[echo("ignored"), ("submit_response", json!({"position": "yes"}))]),
    });
    let run = run(submits, &ask(ToolLevel::Normal, 0, 6)).await;
    assert_eq!(run.reply().text, r#"{"position":"yes"}"#);
    assert!(run.told(1)[0].contains("\"position\" is missing"));
    assert_eq!((run.made, run.reply().tries), (0, 2));
}

#[tokio::test]
async fn what_only_the_caller_knows_ends_the_turn() {
    let asks = model(|_| calls(&[echo("a"), echo("ask")]));
    let run = run(asks, &ask(ToolLevel::Normal, 0, 6)).await;
    let reply = run.reply();
    assert_eq!(reply.requests[0].question, "How many users?");
    assert_eq!((reply.bill.usage.input, reply.tries), (Some(10), 1));
    assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("", 2), "it is no answer");
}

#[tokio::test]
async fn what_the_caller_may_say_later_does_not() {
    let asks = model(|step| if step == 0 { calls(&[echo("wonder")]) } else { answer("so far") });
    let run = run(asks, &ask(ToolLevel::Normal, 0, 6)).await;
    let reply = run.reply();
    assert_eq!((reply.text.as_str(), reply.requests.len()), ("so far", 1));
}

#[tokio::test]
async fn fatal_means_fatal() {
    let run = run(model(|_| calls(&[echo("fatal")])), &ask(ToolLevel::Normal, 0, 6)).await;
    assert_eq!(run.failure().class, FailureClass::Blocked);
    assert!(run.failure().message.contains("the disk is gone"));
}

#[tokio::test(start_paused = true)]
async fn a_slow_tool_leaves_time_for_the_answer() {
    let slow = Echo { takes: Duration::from_secs(60), ..Echo::default() };
    let model = model(|step| if step == 0 { calls(&[echo("a")]) } else { answer("without it") });
    let run = run_with(model, slow, &ask(ToolLevel::Normal, 0, 6), CancellationToken::new()).await;
    assert_eq!(run.reply().text, "without it");
    assert!(run.told(1)[0].contains("took too long"));
}

#[tokio::test(start_paused = true)]
async fn the_whole_turn_has_one_deadline() {
    let mut slow = model(|step| calls(&[echo(&format!("w{step}"))]));
    slow.delay = Duration::from_secs(10);
    let started = Instant::now();
    let run = run(slow, &ask(ToolLevel::Relaxed, 0, 100)).await;
    assert_eq!(run.failure().class, FailureClass::TimedOut);
    // Ten times the silence that the ask allows.
    assert!((50..=51).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
    assert!(run.failure().message.contains("within 50 s"), "{:?}", run.failure());
    assert_eq!(run.failure().bill.usage.input, Some(50));
}

#[tokio::test(start_paused = true)]
async fn calling_off_ends_a_call_in_its_middle() {
    let slow = Echo { takes: Duration::from_secs(60), ..Echo::default() };
    let cancel = CancellationToken::new();
    let off = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        off.cancel();
    });
    let started = Instant::now();
    let ask = ask(ToolLevel::Normal, 0, 6);
    let run = run_with(model(|_| calls(&[echo("a")])), slow, &ask, cancel).await;
    assert_eq!(run.failure().message, cancelled(1).message);
    assert_eq!(started.elapsed(), Duration::from_millis(20));
}

#[tokio::test]
async fn what_the_providers_own_search_found_is_kept_and_may_be_read() {
    let native =
        |number, url: &str| Citation { number, url: Some(url.into()), ..Citation::default() };
    let searching = model(move |step| match step {
        0 => {
            let StepEnd::Calls(mut made) = calls(&[echo("a")]) else { unreachable!() };
            made.sources = vec![native(1, "https://native.example/1")];
            made.searches = 2;
            StepEnd::Calls(made)
        }
        _ => {
            let StepEnd::Answer(mut reply) = answer("x") else { unreachable!() };
            reply.sources = vec![native(7, "https://native.example/7")];
            reply.searches = 1;
            StepEnd::Answer(reply)
        }
    });
    let run = run(searching, &ask(ToolLevel::Normal, 0, 6)).await;
    let numbered: Vec<_> =
        run.reply().sources.iter().map(|s| (s.number, s.url.as_deref().unwrap())).collect();
    assert_eq!(
        numbered,
        [
            (1, "https://echo.example/a"),
            (7, "https://native.example/7"),
            (8, "https://native.example/1"),
        ]
    );
    assert_eq!(run.reply().searches, 3);
    assert!(run.pages.known("https://native.example/1#x").is_some());
    assert!(run.pages.known("https://native.example/2").is_none());
}

#[tokio::test]
async fn one_step_without_a_price_makes_the_sum_unknown() {
    let unpriced = model(|step| {
        let said = if step == 0 { calls(&[echo("a")]) } else { answer("x") };
        match said {
            StepEnd::Calls(mut calls) => {
                calls.bill.cost = None;
                calls.fallback = true;
                StepEnd::Calls(calls)
            }
            answer => answer,
        }
    });
    let run = run(unpriced, &ask(ToolLevel::Normal, 0, 6)).await;
    assert_eq!(run.reply().bill.cost, None);
    assert_eq!(run.reply().bill.usage.input, Some(20));
    assert!(run.reply().fallback, "another model had a part in it");
}

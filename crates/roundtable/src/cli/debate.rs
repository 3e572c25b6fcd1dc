//! Holding a debate on the command line: live on a terminal, plain lines or
//! JSON elsewhere.

use std::io::Read as _;
use std::sync::Arc;

use agents::CancellationToken;
use debate::model::{Algorithm, MicroUsd, PauseReason, Question, TeamOrder};
use store::Recorded;
use tokio::sync::mpsc::UnboundedReceiver;

use super::args::{DebateArgs, SessionsResumeArgs};
use super::{Exit, Stop};
use crate::config::Config;
use crate::operations::learning::Wanted;
use crate::operations::order::Order;
use crate::operations::start::Opened;
use crate::operations::{self, Trouble};
use crate::render::live::{Live, Motion};
use crate::render::{self, out};
use crate::runner::{Bus, News, Outcome};

/// The longest topic read from standard input; more is refused later anyway.
const MOST_STDIN: u64 = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Show {
    Live,
    Json,
    VerdictOnly,
}

fn show(json: bool, quiet: bool) -> Show {
    match (json, quiet) {
        (true, _) => Show::Json,
        (false, true) => Show::VerdictOnly,
        (false, false) => Show::Live,
    }
}

pub async fn hold(config: &Config, args: DebateArgs) -> Result<Exit, Stop> {
    let show = show(args.json, args.quiet);
    let order = order(args)?;
    let opened = operations::start::start(config, &order).await?;
    watch(config, opened, show, Begin::New).await
}

pub async fn resume(config: &Config, args: SessionsResumeArgs) -> Result<Exit, Stop> {
    let show = show(args.json, args.quiet);
    let cap = operations::budget::raised(args.budget.as_deref())?;
    let opened = operations::resume::resume(config, &args.id, args.script.as_deref()).await?;
    watch(config, opened, show, Begin::Again(cap)).await
}

fn order(args: DebateArgs) -> Result<Order, Trouble> {
    let question = match (args.options.is_empty(), args.yes_no, args.number, args.probability) {
        (false, ..) => Question::Options { options: args.options },
        (_, true, ..) => Question::YesNo,
        (.., Some(unit), _) => Question::Number { unit: Some(unit).filter(|u| !u.is_empty()) },
        (.., true) => Question::Probability,
        _ => Question::Open,
    };
    let team_order = if args.teams_in_sequence { TeamOrder::InSequence } else { TeamOrder::AtOnce };
    Ok(Order {
        topic: topic(args.topic)?,
        mode: args.mode,
        agents: args.agents,
        rounds: args.rounds,
        context: args.context,
        focus: args.focus,
        perspectives: args.perspective,
        question,
        depth: args.depth,
        team_order,
        stakes: args.stakes,
        flags: args.flag,
        algorithm: match args.enhanced {
            true => Some(Algorithm::EvidenceBasedDebate.word().into()),
            false => args.algorithm,
        },
        temperature: args.temperature,
        max_output_tokens: args.max_tokens,
        timeout_seconds: args.timeout,
        seed: args.seed,
        budget: args.budget,
        script: args.script,
        words: args.words,
        clerk: args.clerk,
        importance: args.importance,
        thresholds: args.threshold,
        search: args.search,
        project: args.lessons.project,
        domain: args.lessons.domain,
        learning: if args.lessons.no_learning { Wanted::Off } else { Wanted::AsSet },
        ask_on: args.lessons.ask_on,
    })
}

fn topic(given: Option<String>) -> Result<Option<String>, Trouble> {
    if given.as_deref() != Some("-") {
        return Ok(given);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MOST_STDIN)
        .read_to_end(&mut bytes)
        .map_err(|error| Trouble::input(format!("cannot read the topic: {error}")))?;
    // Cut in the middle of a character it is too long anyway, and said to be.
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    New,
    /// With this limit for the debate instead of its own, where one was given.
    Again(Option<MicroUsd>),
}

async fn watch(config: &Config, opened: Opened, show: Show, begin: Begin) -> Result<Exit, Stop> {
    let Opened { id, debate, opening, table, store, seq } = opened;
    let interrupt = CancellationToken::new();
    let bus = Bus::default();
    let news = bus.watch();
    let watched = (bus.clone(), interrupt.clone());
    let brief = &debate.room().brief;
    let mut runner = operations::budget::runner(config, brief, &table, &store, watched)?;
    if let Begin::Again(Some(cap)) = begin {
        runner.caps.debate = Some(cap);
    }
    for notice in &table.notices {
        out::note(notice);
    }
    if begin == Begin::New {
        let opening = Recorded { seq, at: crate::clock::now_ms(), event: opening };
        bus.publish(News::Event(Arc::new(opening)));
    }
    let motion = if config.environment.stderr_is_terminal { Motion::Moving } else { Motion::Still };
    let mut live = Live::new(out::page(), motion);
    live.seated(&debate.room().seats, debate.room().brief.rounds);
    let display = tokio::spawn(follow(news, live, show));
    tokio::spawn(listen(interrupt));
    let outcome = runner.run(&id, debate, seq).await;
    drop(runner);
    drop(bus);
    let closed = matches!(display.await, Ok(Err(_)));
    store.close().await;
    let exit = finish(outcome?, &id, show)?;
    if closed { Err(Stop::Closed) } else { Ok(exit) }
}

/// Shows the news until the last one is told.
async fn follow(
    mut news: UnboundedReceiver<News>,
    mut live: Live,
    show: Show,
) -> Result<(), out::Closed> {
    while let Some(item) = news.recv().await {
        match (show, item) {
            (Show::Live, News::Event(recorded)) => live.event(&recorded)?,
            (Show::Live, News::Delta { ask, delta }) => live.delta(&ask, delta),
            (Show::Json, News::Event(recorded)) => out::print(&json_line(&recorded))?,
            (_, News::HeldUp(why)) => {
                out::note(&why.to_string());
                out::note(
                    "Nothing new is asked until it can be stored; no answer is lost meanwhile.",
                );
            }
            (Show::Json, News::Delta { .. }) | (Show::VerdictOnly, _) => {}
        }
    }
    live.finish();
    Ok(())
}

fn json_line(recorded: &Recorded) -> String {
    let mut line = serde_json::json!({ "seq": recorded.seq, "at": recorded.at });
    if let (Some(line), Ok(serde_json::Value::Object(event))) =
        (line.as_object_mut(), serde_json::to_value(&recorded.event))
    {
        line.extend(event);
    }
    format!("{line}\n")
}

fn finish(outcome: Outcome, id: &str, show: Show) -> Result<Exit, out::Closed> {
    match outcome {
        Outcome::Done(verdict) => {
            if show != Show::Json {
                out::print(&render::verdict(out::page(), &verdict, id))?;
            }
            Ok(Exit::Done)
        }
        Outcome::Paused(reason) => {
            out::note(&format!("Paused: {}", render::clean::clean_line(&reason.sentence())));
            out::note("Nothing that was answered is lost. Go on with:");
            out::note(&format!("  roundtable sessions resume {id}"));
            if matches!(reason, PauseReason::Budget { .. }) {
                out::note("with --budget USD to allow it more.");
            }
            Ok(if reason == PauseReason::Interrupted { Exit::Interrupted } else { Exit::Paused })
        }
    }
}

/// The first Ctrl-C (or SIGTERM) ends the debate gently, the second at once.
async fn listen(interrupt: CancellationToken) {
    signal().await;
    interrupt.cancel();
    out::note("\nInterrupted: no new calls; waiting up to 10 s for answers already paid for.");
    out::note("Press Ctrl-C again to leave at once; what is stored stays.");
    signal().await;
    #[allow(clippy::disallowed_methods)]
    std::process::exit(i32::from(Exit::Interrupted.code()));
}

async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = term.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

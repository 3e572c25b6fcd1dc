//! Watching a debate that runs in this process, and steering it: live on a
//! terminal, plain lines or JSON elsewhere. A pause keeps the display open.

mod ending;
mod remedy;
pub mod signals;
mod steering;
mod wishes;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crossterm::event::Event as Key;
use debate::Debate;
use debate::model::{Brief, Event, FailureClass, GivenContext, MicroUsd, PauseReason, Status};
use engine::nouns::CancellationToken;
use engine::nouns::{LogEntry, ScriptPace, StoreError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};

use super::{ExitStatus, Stop};
use crate::cli::watch::ending::{finish, paused};
use crate::cli::watch::remedy::{budget_remedy, resume_command};
use crate::cli::watch::steering::{Comes, KeySteering, Phase, Wish, is_turn, wanted};
use crate::document::Labels;
use crate::document::escape::{self, clean_line};
use crate::report::debate::{ReportedDebate, result};
use crate::terminal::document::{card_text, text as document_text};
use crate::terminal::keyboard as keys;
use crate::terminal::live::Live;
use crate::terminal::out;
use crate::terminal::page::Page;
use crate::terminal::screen::{Keys, Screen};
use engine::config::Config;
use engine::error::EngineError;
use engine::export::notices::is_example;
use engine::run::{RunEnd, RunError, RunNews, Runner, Watchers, spawn};
use engine::sessions::list;
use engine::sessions::start::OpenedDebate;
use signals::{signal, step_aside};

/// How many times as long the example takes where a person watches it.
const READING_PACE: u32 = 8;

/// How often the panel is looked at; it is drawn only where it has changed.
const FRAME: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    Live,
    Json,
    VerdictOnly,
}

impl Show {
    /// What the options `--json` and `--quiet` ask for.
    pub fn of(json: bool, quiet: bool) -> Show {
        match (json, quiet) {
            (true, _) => Show::Json,
            (false, true) => Show::VerdictOnly,
            (false, false) => Show::Live,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    New,
    /// With this limit for the debate instead of its own, where one was given.
    Again(Option<MicroUsd>),
}

/// What the display is told besides the news.
enum DisplayNote {
    Note(&'static str),
    Say(String),
    /// What an agent still waits for.
    Wanted(Option<String>),
    /// An answer of one's own that could not be taken; it can be mended.
    Again(String),
    /// Paused, and nothing is on its way any more.
    Quiet(PauseReason),
}

/// What the display tells whoever runs the debate.
enum DisplayDecision {
    /// A command was carried out; it may have been carried out here.
    Look,
    Leave,
}

pub async fn watch(
    config: &Config,
    opened: OpenedDebate,
    show: Show,
    begin: Begin,
) -> Result<ExitStatus, Stop> {
    let OpenedDebate { id, debate, opening, table, store, seq } = opened;
    let interrupt = CancellationToken::new();
    let bus = Watchers::default();
    let news = bus.watch();
    let watched = (bus.clone(), interrupt.clone());
    let brief = &debate.room().brief;
    let mut runner = engine::table::money::runner(config, brief, &table, &store, watched)?;
    if let Begin::Again(Some(cap)) = begin {
        runner.caps.debate = Some(cap);
    }
    for notice in &table.notices {
        let words = crate::wording::notice(notice, &super::wording::CommandLine);
        out::note(&escape::clean(&words));
    }
    if begin == Begin::New {
        let opening = LogEntry { seq, at: engine::clock::now_ms(), event: opening };
        bus.publish(RunNews::Event(Arc::new(opening)));
    }
    let (screen, keys) = screen(config, show);
    let mut live = Live::new(out::page(), screen.clone());
    live.seated(debate.room());
    let page = out::page().in_words(Labels::of(brief));
    live.set_budget(runner.caps.debate);
    let pace = table.outside.machine.example_pace.clone();
    let paced = keys.is_some() && is_for_reading(config, brief);
    if paced {
        pace.set(READING_PACE);
    }
    let (tell, told) = unbounded_channel();
    let (decide, decisions) = unbounded_channel();
    let asked_to_end = Arc::new(OnceLock::new());
    let heard = Arc::clone(&asked_to_end);
    let shown = (screen.clone(), page);
    spawn(listen(interrupt.clone(), tell.clone(), shown, heard, id.clone()));
    let steered = keys.is_some();
    let display = Display {
        live,
        show,
        steering: KeySteering::new(paced),
        pace,
        config: config.clone(),
        id: id.clone(),
        tell: tell.clone(),
        decide,
        interrupt,
    };
    let display = tokio::spawn(display.follow(news, told, keys));
    let mut run = WatchedDebate { runner, bus, id: id.clone(), tell, decisions };
    let outcome = if steered {
        run.through_pauses(debate, seq).await
    } else {
        run.runner.run(&id, debate, seq).await.map_err(EngineError::from)
    };
    drop(run);
    let closed = matches!(display.await, Ok(Err(_)));
    screen.close();
    store.close().await;
    if let Some(note) = engine::recording::ended(&table.outside.tape)? {
        out::note(&note);
    }
    let interrupted = asked_to_end.get().copied().unwrap_or(ExitStatus::Interrupted);
    let outcome = outcome?;
    if let (RunEnd::Done(_), true) = (&outcome, show != Show::Json) {
        let exported = engine::export::export(config, &id).await?;
        let result = result(&ReportedDebate::of(&exported));
        let written = if show == Show::VerdictOnly { card_text } else { document_text };
        out::print(&written(out::page(), &result))?;
    }
    let exit = finish(page, outcome, &id, interrupted);
    if closed { Err(Stop::Closed) } else { Ok(exit) }
}

/// True for the example, which nobody can follow at full speed.
fn is_for_reading(config: &Config, brief: &Brief) -> bool {
    is_example(brief) && config.environment.get("ROUNDTABLE_HURRY").is_none()
}

/// A panel where standard error is a terminal, keys where standard input is too.
/// What is piped on may come out on the same terminal, in the midst of a panel.
pub fn screen(config: &Config, show: Show) -> (Screen, Option<UnboundedReceiver<Key>>) {
    let environment = &config.environment;
    if !has_panel(config, show) {
        return (Screen::still(), None);
    }
    let wanted = if environment.stdin_is_terminal { Keys::Read } else { Keys::Left };
    let screen = Screen::open(wanted);
    let keys = screen.reads_keys().then(keys::listen);
    spawn(step_aside(screen.clone()));
    (screen, keys)
}

fn has_panel(config: &Config, show: Show) -> bool {
    let environment = &config.environment;
    let fit = environment.stderr_is_terminal && !environment.is_dumb();
    show == Show::Live && fit && !environment.stdout_is_pipe
}

/// Returns true if a person could type an answer while they watch.
pub fn has_person(config: &Config, show: Show) -> bool {
    has_panel(config, show) && config.environment.stdin_is_terminal
}

/// A debate that is run here, and everything needed to run it once more.
struct WatchedDebate {
    runner: Runner,
    bus: Watchers,
    id: String,
    tell: UnboundedSender<DisplayNote>,
    decisions: UnboundedReceiver<DisplayDecision>,
}

impl WatchedDebate {
    /// Runs until it is over or left; a pause is waited out.
    async fn through_pauses(
        &mut self,
        mut debate: Debate,
        mut seq: u64,
    ) -> Result<RunEnd, EngineError> {
        loop {
            let outcome = self.runner.run(&self.id, debate, seq).await?;
            let RunEnd::Paused(reason) = &outcome else { return Ok(outcome) };
            if *reason == PauseReason::Interrupted || self.runner.interrupt.is_cancelled() {
                return Ok(outcome);
            }
            (debate, seq) = match self.wait(reason.clone()).await? {
                AfterPause::GoesOn { debate, seq } => (*debate, seq),
                AfterPause::Ends(outcome) => return Ok(outcome),
            };
        }
    }

    /// Waits for a person.
    async fn wait(&mut self, reason: PauseReason) -> Result<AfterPause, EngineError> {
        let (_, log) = list::log(&self.runner.store, &self.id).await?;
        let mut seen = log.last().map_or(0, |recorded| recorded.seq);
        let _ = self.tell.send(DisplayNote::Quiet(reason.clone()));
        loop {
            let decision = tokio::select! {
                () = self.runner.interrupt.cancelled() => DisplayDecision::Leave,
                decision = self.decisions.recv() => decision.unwrap_or(DisplayDecision::Leave),
            };
            if let DisplayDecision::Leave = decision {
                return Ok(AfterPause::Ends(RunEnd::Paused(reason)));
            }
            let (_, log) = list::log(&self.runner.store, &self.id).await?;
            for recorded in log.iter().filter(|recorded| recorded.seq > seen) {
                self.bus.publish(RunNews::Event(Arc::new(recorded.clone())));
            }
            seen = log.last().map_or(seen, |recorded| recorded.seq);
            let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))?;
            match &debate.room().status {
                Status::Created | Status::Active => {
                    return Ok(AfterPause::GoesOn { debate: Box::new(debate), seq: seen });
                }
                Status::Paused { .. } => {}
                Status::Completed { .. } | Status::Error { .. } => {
                    return match debate.room().verdict.clone() {
                        Some(verdict) => Ok(AfterPause::Ends(RunEnd::Done(Box::new(verdict)))),
                        None => Err(RunError::Broken("it ended without a verdict".into()).into()),
                    };
                }
            }
        }
    }
}

/// The way a paused debate went on.
enum AfterPause {
    /// It runs again, from the entry of this number.
    GoesOn {
        debate: Box<Debate>,
        seq: u64,
    },
    Ends(RunEnd),
}

struct Display {
    live: Live,
    show: Show,
    steering: KeySteering,
    pace: ScriptPace,
    config: Config,
    id: String,
    tell: UnboundedSender<DisplayNote>,
    decide: UnboundedSender<DisplayDecision>,
    interrupt: CancellationToken,
}

impl Display {
    /// Shows the news until the last one is told.
    async fn follow(
        mut self,
        mut news: UnboundedReceiver<RunNews>,
        mut told: UnboundedReceiver<DisplayNote>,
        mut keys: Option<UnboundedReceiver<Key>>,
    ) -> Result<(), out::ClosedOutput> {
        let mut frame = interval(FRAME);
        frame.set_missed_tick_behavior(MissedTickBehavior::Delay);
        if keys.is_some() {
            self.live.set_foot(self.steering.foot());
        }
        let ended = loop {
            tokio::select! {
                item = news.recv() => match item {
                    None => break Ok(()),
                    Some(item) => if let Err(closed) = self.news(&item) { break Err(closed) },
                },
                Some(item) = told.recv() => {
                    // What was stored before it was said is shown before it.
                    let mut late = Ok(());
                    while let (Ok(()), Ok(item)) = (&late, news.try_recv()) {
                        late = self.news(&item);
                    }
                    if let Err(closed) = late {
                        break Err(closed);
                    }
                    self.told(item);
                }
                Some(key) = keys::next(&mut keys) => self.key(key),
                _ = frame.tick() => self.live.draw(),
            }
            if keys.is_some() {
                self.live.set_foot(self.steering.foot());
            }
        };
        self.ring();
        self.live.finish();
        ended
    }

    /// Calls a person back, unless they want no bell.
    fn ring(&self) {
        if self.config.file.bell != Some(false) {
            self.live.ring();
        }
    }

    fn news(&mut self, item: &RunNews) -> Result<(), out::ClosedOutput> {
        match (self.show, item) {
            (Show::Live, RunNews::Event(recorded)) => {
                self.stands(&recorded.event);
                self.live.event(recorded)?;
            }
            (Show::Live, RunNews::Delta { ask, delta }) => self.live.delta(ask, delta.clone()),
            (Show::Json, RunNews::Event(recorded)) => out::print_json(&json_line(recorded))?,
            (_, RunNews::HeldUp(why)) => {
                self.live.note(&why.to_string());
                self.live.note(match why {
                    StoreError::Budget { .. } => {
                        "It waits: calls on their way may leave enough of the budget."
                    }
                    _ => {
                        "Nothing new is asked until it can be stored; no answer is lost meanwhile."
                    }
                });
            }
            (Show::Json, RunNews::Delta { .. }) | (Show::VerdictOnly, _) => {}
        }
        Ok(())
    }

    fn stands(&mut self, event: &Event) {
        match event {
            Event::Started => (self.steering.phase, self.steering.wanted) = (Phase::Running, None),
            Event::Paused { reason } => {
                self.steering.phase = Phase::Draining;
                self.steering.wanted = wanted(reason);
                self.steering.is_turn = is_turn(reason);
                if !self.steering.is_turn {
                    self.live.say("Pausing: no new calls; answers in flight are still stored.");
                }
            }
            Event::Missed { gap, .. } if gap.class != FailureClass::Passed => {
                self.steering.failing = true;
            }
            _ => {}
        }
    }

    fn told(&mut self, told: DisplayNote) {
        match told {
            DisplayNote::Note(text) => self.live.note(text),
            DisplayNote::Say(text) => self.live.say(&text),
            DisplayNote::Wanted(wanted) => {
                self.steering.wanted = wanted;
                self.steering.turn_over();
            }
            DisplayNote::Again(text) => {
                self.live.say(&text);
                self.steering.take_turn();
            }
            DisplayNote::Quiet(reason) => {
                self.steering.phase = Phase::Paused;
                self.live.say("");
                let text = match &self.steering.wanted {
                    Some(turn) if self.steering.is_turn => turn.clone(),
                    Some(wanted) => format!("Paused: {wanted} Press c to answer."),
                    None => paused(&reason),
                };
                self.ring();
                self.live.note(&format!("\n{}", clean_line(&text)));
                for line in budget_remedy(&reason, &self.id) {
                    self.live.note(&line);
                }
                if self.steering.is_turn {
                    self.steering.take_turn();
                }
            }
        }
    }

    fn key(&mut self, key: Key) {
        match self.steering.take(key) {
            Comes::Nothing => {}
            Comes::Say(text) => self.live.say(&text),
            Comes::Wish(Wish::Interrupt) => self.interrupt.cancel(),
            Comes::Wish(Wish::Hurry) => self.pace.set(0),
            Comes::Wish(Wish::Leave) => {
                let _ = self.decide.send(DisplayDecision::Leave);
            }
            Comes::Wish(wish) => self.carry_out(wish),
        }
    }

    /// Commands go the way they go from any other process: through the store.
    fn carry_out(&self, wish: Wish) {
        let (config, id) = (self.config.clone(), self.id.clone());
        let (tell, decide) = (self.tell.clone(), self.decide.clone());
        let is_turn = self.steering.is_turn;
        spawn(async move {
            let given = match &wish {
                Wish::Context(text) => Some(GivenContext::Answered { text: text.clone() }),
                Wish::Pass => Some(GivenContext::Declined),
                _ => None,
            };
            let said = match (given, wish) {
                (Some(given), _) => wishes::answer(&config, &id, given).await.map(|wanted| {
                    let _ = tell.send(DisplayNote::Wanted(wanted.clone()));
                    wanted.map(|question| format!("Passed on. {question} Press c to answer."))
                }),
                (None, wish) => {
                    wishes::steer(&config, &id, wish).await.map(|done| done.map(String::from))
                }
            };
            let note = match said {
                Ok(said) => said.map(DisplayNote::Say),
                Err(trouble) => {
                    let lines = super::wording::lines(&trouble).join("; ");
                    let note = if is_turn { DisplayNote::Again } else { DisplayNote::Say };
                    Some(note(lines))
                }
            };
            if let Some(note) = note {
                let _ = tell.send(note);
            }
            let _ = decide.send(DisplayDecision::Look);
        });
    }
}

fn json_line(recorded: &LogEntry) -> String {
    let LogEntry { seq, at, event } = recorded;
    let event = event.written().unwrap_or_default();
    // The members of the event stand behind those two.
    match event.strip_prefix('{') {
        Some(members) => format!("{{\"seq\":{seq},\"at\":{at},{members}\n"),
        None => format!("{{\"seq\":{seq},\"at\":{at}}}\n"),
    }
}

/// The first Ctrl-C (or SIGTERM) ends the debate gently, the second at once.
async fn listen(
    interrupt: CancellationToken,
    tell: UnboundedSender<DisplayNote>,
    (screen, page): (Screen, Page),
    asked_to_end: Arc<OnceLock<ExitStatus>>,
    id: String,
) {
    let first = signal().await;
    let _ = asked_to_end.set(first);
    interrupt.cancel();
    let lines = [
        "\nInterrupted: no new calls; waiting up to 10 s for answers already paid for.",
        "Press Ctrl-C again to stop now; everything stored is kept.",
    ];
    for line in lines {
        let _ = tell.send(DisplayNote::Note(line));
    }
    signals::exit_at_next(|| {
        screen.close();
        out::note(&page.say("Stopped. Nothing that was answered is lost. Resume with:"));
        out::note(&resume_command(&id));
    })
    .await;
}

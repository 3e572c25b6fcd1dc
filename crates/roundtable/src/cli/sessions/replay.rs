//! A stored debate once more, as if it were held now: at reading speed on a
//! terminal, all at once elsewhere. Nobody is asked anything.

use std::time::Duration;

use clap::Args;
use crossterm::event::{Event as Key, KeyCode, KeyEventKind};
use debate::model::Event;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::cli::watch::signals::signal;
use crate::cli::watch::{Show, screen};
use crate::document::words::short_id;
use crate::report::debate::{ReportedDebate, result};
use crate::terminal::document;
use crate::terminal::keyboard as keys;
use crate::terminal::live::Live;
use crate::terminal::live::panel::Foot;
use crate::terminal::out;
use engine::config::Config;
use engine::error::EngineError;
use engine::sessions::list;

/// What people read of a text like this in a minute.
const WORDS_A_MINUTE: f64 = 240.0;
/// Nobody wants to wait longer than this for anything.
const LONGEST: Duration = Duration::from_secs(20);

/// Show a debate once more, at reading speed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions replay 0199
  roundtable sessions replay 0199 --speed 3

On a terminal it goes at reading speed: p pauses, r resumes, the space bar shows what comes next at \
once, q leaves. Elsewhere all of it is printed at once.")]
pub struct SessionsReplayArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    /// How many times as fast as one reads, 0.1 to 100.
    #[arg(long, value_name = "TIMES", default_value = "1")]
    pub speed: String,
}

pub async fn replay(config: &Config, args: SessionsReplayArgs) -> CommandEnd {
    let speed = speed(&args.speed)?;
    let (id, log) = list::stored_log(config, &args.id).await?;
    let (screen, mut keys) = screen(config, Show::Live);
    let moving = screen.is_open() && config.environment.stdout_is_terminal;
    let mut live = Live::new(out::page(), screen.clone());
    let mut over = false;
    let mut pace = Pace { speed, held: false };
    let mut left = false;
    for recorded in &log {
        over |= matches!(recorded.event, Event::Ended { .. });
        // Asked for once and told twice: a resumed debate begins where it was.
        let shown = live.take(recorded);
        if !shown.is_empty() {
            screen.print(&shown)?;
        }
        if keys.is_some() {
            live.set_foot(pace.foot());
        }
        live.draw();
        if moving && pace.wait(&mut live, &mut keys, reading(&shown)).await == Goes::Leave {
            left = true;
            break;
        }
    }
    live.finish();
    if over && !left {
        let exported = engine::export::export(config, &id).await?;
        out::print(&document::text(out::page(), &result(&ReportedDebate::of(&exported))))?;
    } else if !left {
        out::note(&format!(
            "The debate is not finished. Resume with: roundtable resume {}",
            short_id(&id)
        ));
    }
    Ok(ExitStatus::Done)
}

fn speed(given: &str) -> Result<f64, EngineError> {
    let number = given.parse::<f64>().ok();
    number.filter(|times| (0.1..=100.0).contains(times)).ok_or_else(|| {
        EngineError::input(format!("--speed: {given:?} cannot be used; allowed: 0.1 to 100"))
    })
}

/// How long a text takes to read at speed 1.
fn reading(text: &str) -> Duration {
    let words = text.split_whitespace().count() as f64;
    Duration::from_secs_f64(words / WORDS_A_MINUTE * 60.0).min(LONGEST)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goes {
    On,
    Leave,
}

struct Pace {
    speed: f64,
    held: bool,
}

impl Pace {
    fn foot(&self) -> Foot {
        let hold = if self.held { ("r", "go on") } else { ("p", "pause") };
        Foot::Keys(vec![hold, ("space", "next"), ("q", "leave")])
    }

    /// Waits until the text is read, or a key says otherwise.
    async fn wait(
        &mut self,
        live: &mut Live,
        keys: &mut Option<UnboundedReceiver<Key>>,
        reading: Duration,
    ) -> Goes {
        let mut until = Instant::now() + reading.div_f64(self.speed);
        loop {
            tokio::select! {
                _ = signal() => return Goes::Leave,
                () = sleep_until(until), if !self.held => return Goes::On,
                Some(key) = keys::next(keys) => {
                    let Key::Key(key) = key else { continue };
                    if key.kind == KeyEventKind::Release {
                        continue;
                    }
                    match key.code {
                        KeyCode::Char('q') | KeyCode::Esc => return Goes::Leave,
                        KeyCode::Char(' ') => return Goes::On,
                        KeyCode::Char('p') => self.held = true,
                        KeyCode::Char('r') => {
                            self.held = false;
                            until = Instant::now();
                        }
                        _ => {}
                    }
                    live.set_foot(self.foot());
                }
            }
        }
    }
}

//! Answering what agents ask of the people who called a debate.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use debate::model::GivenContext;
use serde_json::json;

use super::resume::SessionsResumeArgs;
use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::document::words::short_id;
use crate::terminal::context as request_view;
use crate::terminal::out;
use engine::bounded_file;
use engine::config::Config;
use engine::error::EngineError;
use engine::sessions::context;

/// The longest answer that is read from a file; more is refused anyway.
const MOST_BYTES: u64 = 256 * 1024;

/// Answer or decline what an agent asks of you, or list what is open.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions answer 0199
  roundtable sessions answer 0199 \"About 40 people.\"
  roundtable sessions answer 0199 c2 @figures.md --resume
  roundtable sessions answer 0199 c1 --decline

Without a text it lists what is open. When every required request is answered or declined, the debate can go on where it stopped.")]
pub struct SessionsAnswerArgs {
    /// The debate: its id or the beginning of it; @1 is the last one.
    pub id: String,
    /// Which request (c1, c2, …; may be left out where one is open) and what you say to it, 1 to
    /// 20,000 characters; @FILE reads it from a file, - from standard input.
    #[arg(value_name = "REQUEST] [TEXT", num_args = 0..=2)]
    pub words: Vec<String>,
    /// Say that you cannot or will not answer.
    #[arg(long)]
    pub decline: bool,
    /// Resume the debate at once, if nothing required is left.
    #[arg(long)]
    pub resume: bool,
    /// For --resume: let a file speak for the agents, as in `roundtable debate --script`.
    #[arg(long, value_name = "FILE", requires = "resume")]
    pub script: Option<PathBuf>,
    /// List what is open as JSON.
    #[arg(long, conflicts_with_all = ["words", "decline", "resume"])]
    pub json: bool,
}

pub async fn answer(config: &Config, args: SessionsAnswerArgs) -> CommandEnd {
    let (name, given) = match (args.words.as_slice(), args.decline) {
        ([], false) => return list(config, &args).await,
        ([], true) => (None, GivenContext::Declined),
        ([name], true) => (Some(name.as_str()), GivenContext::Declined),
        ([_, _, ..], true) => {
            return Err(EngineError::input("--decline takes no text; leave one of them out").into());
        }
        ([name], false) if context::read_name(name).is_some() => {
            return Err(EngineError::input(format!(
                "{name} is a request; what do you say to it? Add a text, @FILE, - or --decline"
            ))
            .into());
        }
        ([said], false) => (None, GivenContext::Answered { text: text(said)? }),
        ([name, said, ..], false) => {
            (Some(name.as_str()), GivenContext::Answered { text: text(said)? })
        }
    };
    let verb = if args.decline { "Declined" } else { "Answered" };
    let done = context::give(config, &args.id, name, given).await?;
    let names: Vec<String> = done.settled.iter().map(ToString::to_string).collect();
    out::note(&format!("{verb}: {}.", names.join(", ")));
    let asked = done.asked;
    let required: Vec<_> = asked.open.iter().filter(|it| it.holds_up()).cloned().collect();
    if !required.is_empty() {
        let mut lines = String::from("Still needed before it can go on:\n");
        request_view::requests(out::page(), &mut lines, &required);
        out::note(lines.trim_end());
        return Ok(ExitStatus::Done);
    }
    if args.resume {
        let again = SessionsResumeArgs {
            id: asked.id,
            script: args.script,
            budget: None,
            json: false,
            quiet: false,
        };
        return super::resume::resume(config, again).await;
    }
    if asked.ready {
        out::note("Nothing required is left. Resume with:");
        out::note(&format!("  roundtable resume {}", short_id(&asked.id)));
    }
    Ok(ExitStatus::Done)
}

async fn list(config: &Config, args: &SessionsAnswerArgs) -> CommandEnd {
    let asked = context::asked(config, &args.id).await?;
    if args.json {
        out::print(&format!("{:#}\n", json!(asked.open)))?;
        return Ok(ExitStatus::Done);
    }
    if asked.open.is_empty() {
        out::print("Nothing is open: no agent waits for an answer.\n")?;
        return Ok(ExitStatus::Done);
    }
    let mut lines = String::new();
    request_view::requests(out::page(), &mut lines, &asked.open);
    out::print(&lines)?;
    request_view::how(out::page(), &asked.id, &asked.open).iter().for_each(|line| out::note(line));
    Ok(ExitStatus::Done)
}

/// The words themselves, or those of the file or stream they name.
fn text(said: &str) -> Result<String, EngineError> {
    let cannot = |what: &str, why: &dyn std::fmt::Display| {
        EngineError::input(format!("cannot read the answer from {what}: {why}"))
    };
    let (what, bytes) = match (said, said.strip_prefix('@')) {
        ("-", _) => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().take(MOST_BYTES).read_to_end(&mut bytes);
            read.map_err(|why| cannot("standard input", &why))?;
            ("standard input".to_owned(), bytes)
        }
        (_, Some(path)) => {
            let read = bounded_file::read(Path::new(path), MOST_BYTES);
            (path.to_owned(), read.map_err(|why| cannot(path, &why))?)
        }
        (text, None) => return Ok(text.to_owned()),
    };
    String::from_utf8(bytes).map_err(|_| cannot(&what, &"it is not UTF-8 text"))
}

//! `roundtable outcome`: entries, post-mortems and what is due.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use debate::model::OutcomeForm;
use serde_json::json;

use super::interview;
use crate::cli::study::learning::{FormatArgs, read, write_new};
use crate::cli::{Exit, Stop};
use crate::report::learning as shown;
use crate::terminal::out;
use engine::config::{self, Config};
use engine::error::EngineError;
use engine::outcomes::post_mortem::{self, Repeat};
use engine::outcomes::track::{self, EntryForm};
use engine::sessions::list;

#[derive(Debug, Subcommand)]
pub enum OutcomeCommand {
    /// Add a dated entry to a decision, or set the day on which to ask about it.
    Track(TrackArgs),
    /// Judge how a decision turned out; asks you, or reads a file.
    Assess(AssessArgs),
    /// List decisions whose day has come and that nobody has judged.
    #[command(after_help = crate::cli::examples::OUTCOME_DUE)]
    Due {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// List finished debates with what is known of their outcome.
    #[command(after_help = crate::cli::examples::OUTCOME_LIST)]
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show the post-mortem of a decision, or what was noted so far.
    #[command(after_help = crate::cli::examples::OUTCOME_SHOW)]
    Show(ShowArgs),
    /// Take back the last thing noted about a decision, or a record by number.
    #[command(after_help = crate::cli::examples::OUTCOME_UNDO)]
    Undo(UndoArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable outcome track 0199 --status on_track --event \"spec defined\"
  roundtable outcome track 0199 --status blocked --event \"no filter\" --surprise 0.7
  roundtable outcome track 0199 --ask-on 2027-03-01")]
pub struct TrackArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// How it goes: on_track, new_requirement, technical_debt, blocked, completed, abandoned, reversed.
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// What happened, in a few words.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub event: String,
    /// More about it.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub note: String,
    /// What it means for the work.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub impact: String,
    /// What it cost, such as "3 days".
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub time_cost: String,
    /// How unexpected it was, 0 to 1.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub surprise: Option<f64>,
    /// When it happened, as YYYY-MM-DD [default: today]
    #[arg(long, value_name = "DATE")]
    pub on: Option<String>,
    /// The day on which to ask how it turned out, as YYYY-MM-DD; never takes it back.
    #[arg(long, value_name = "DATE")]
    pub ask_on: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable outcome assess 0199
  roundtable outcome assess 0199 --draft -o post-mortem.yaml
  roundtable outcome assess 0199 --file post-mortem.yaml
  roundtable outcome assess 0199 --file better.json --replace --markdown

A file says decisionAccuracy (0 to 1) and may say rightAnswer, whatWentRight and whatWentWrong \
(aspect, evidenceType, validation, note), agents, questions, lessons (lesson, action, \
expectedEffect, question, perspective), summary, humanOverride and domain.")]
pub struct AssessArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// A post-mortem in YAML or JSON; - reads standard input.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Have the clerk draft it from the entries; nothing is learned until you hand it in.
    #[arg(long, conflicts_with_all = ["file", "replace"])]
    pub draft: bool,
    /// Write the draft here instead of to standard output.
    #[arg(short, long, alias = "out", value_name = "FILE", requires = "draft")]
    pub output: Option<PathBuf>,
    /// Put it in the place of an earlier post-mortem.
    #[arg(long)]
    pub replace: bool,
    /// When it was judged, as YYYY-MM-DD [default: today]
    #[arg(long, value_name = "DATE")]
    pub on: Option<String>,
    /// Let a file speak for the clerk, as in `roundtable debate --script`.
    #[arg(long, value_name = "FILE", requires = "draft")]
    pub script: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Debug, Args)]
pub struct UndoArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// The record's number, as `roundtable outcome show` gives it [default: the last that counts]
    #[arg(long, value_name = "N")]
    pub number: Option<u64>,
    /// Why; it is kept with the record.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub reason: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn outcome(config: &Config, command: OutcomeCommand) -> Result<Exit, Stop> {
    match command {
        OutcomeCommand::Track(args) => track(config, args).await,
        OutcomeCommand::Assess(args) if args.draft => draft(config, args).await,
        OutcomeCommand::Assess(args) => judge(config, args).await,
        OutcomeCommand::Due { json } => {
            let lines = track::due(config).await?;
            let document = shown::outcomes("To be judged", &lines, "Nothing is due.");
            print(&document, &json!(lines), json)
        }
        OutcomeCommand::List { json } => {
            let lines = track::list(config).await?;
            let document = shown::outcomes("Outcomes", &lines, "No debate is finished yet.");
            print(&document, &json!(lines), json)
        }
        OutcomeCommand::Show(args) => show(config, args).await,
        OutcomeCommand::Undo(args) => {
            let done = track::undo(config, &args.id, args.number, &args.reason).await?;
            match args.json {
                true => out::print(&format!("{:#}\n", json!(done)))?,
                false => out::note(&format!(
                    "Record {} ({}) of debate {} no longer counts; all that rested on it is as if it \
                     had never been.",
                    done.number, done.what, done.debate
                )),
            }
            Ok(Exit::Done)
        }
    }
}

fn print(
    document: &crate::report::document::Document,
    value: &serde_json::Value,
    as_json: bool,
) -> Result<Exit, Stop> {
    out::print(&match as_json {
        true => format!("{value:#}\n"),
        false => document.to_text(out::page()),
    })?;
    Ok(Exit::Done)
}

async fn track(config: &Config, args: TrackArgs) -> Result<Exit, Stop> {
    let form = EntryForm {
        on: args.on,
        status: args.status,
        event: args.event,
        note: args.note,
        impact: args.impact,
        time_cost: args.time_cost,
        surprise: args.surprise,
        ask_on: args.ask_on,
    };
    let book = track::track(config, &args.id, &form).await?;
    let topic = list::show(config, &book.debate).await?.debate.room().brief.topic.clone();
    print(&shown::book(&topic, &book), &json!(book), args.json)
}

async fn show(config: &Config, args: ShowArgs) -> Result<Exit, Stop> {
    let decided = track::decided(config, &args.id).await?;
    decided.store.close().await;
    let text = match decided.book.assessed {
        Some(_) => {
            let report = post_mortem::report(config, &decided.id).await?;
            args.format.shown(&shown::post_mortem(&report), &json!(report))
        }
        None => {
            let topic = &decided.debate.room().brief.topic;
            args.format.shown(&shown::book(topic, &decided.book), &json!(decided.book))
        }
    };
    out::print(&text)?;
    Ok(Exit::Done)
}

async fn draft(config: &Config, args: AssessArgs) -> Result<Exit, Stop> {
    let (id, form) = post_mortem::draft(config, &args.id, args.script.as_deref()).await?;
    let text = match args.format.json {
        true => format!("{:#}\n", json!(form)),
        false => yaml(&id, &form, "Drafted by the clerk from what was noted about")?,
    };
    match args.output {
        None => out::print(&text)?,
        Some(file) => {
            write_new(&file, &text)?;
            out::note(&format!("Wrote a draft to {}. Correct it, then:", file.display()));
            out::note(&format!("  roundtable outcome assess {id} --file {}", file.display()));
        }
    }
    Ok(Exit::Done)
}

fn yaml(id: &str, form: &OutcomeForm, what: &str) -> Result<String, EngineError> {
    let body = serde_saphyr::to_string(form)
        .map_err(|error| EngineError::input(format!("the draft cannot be written: {error}")))?;
    Ok(format!(
        "# {what} debate {id}.\n\
         # Correct it, then hand it in: roundtable outcome assess {id} --file THIS\n{body}"
    ))
}

async fn judge(config: &Config, args: AssessArgs) -> Result<Exit, Stop> {
    let mut repeat = if args.replace { Repeat::Replace } else { Repeat::Refuse };
    let form = match &args.file {
        Some(file) => form(file)?,
        None => {
            let stdin = std::io::stdin();
            if !stdin.is_terminal() {
                return Err(EngineError::input(
                    "there is nobody to ask: run it on a terminal, or give --file",
                )
                .into());
            }
            let decided = track::decided(config, &args.id).await?;
            decided.store.close().await;
            let mut ask = |question: &str| out::note(question);
            let mut lines = stdin.lock();
            if let (Some(known), Repeat::Refuse) = (&decided.book.assessed, repeat) {
                interview::replace(&mut lines, &mut ask, known.judged.on)?;
                repeat = Repeat::Replace;
            }
            interview::interview(&mut lines, &mut ask, decided.debate.room())?
        }
    };
    let report =
        match post_mortem::assess(config, &args.id, &form, repeat, args.on.as_deref()).await {
            Err(refused @ EngineError::Input(_)) if args.file.is_none() => {
                keep(&args.id, &form)?;
                return Err(refused.into());
            }
            other => other?,
        };
    out::print(&args.format.shown(&shown::post_mortem(&report), &json!(report)))?;
    Ok(Exit::Done)
}

/// Nobody answers the same questions twice because of one word.
fn keep(id: &str, form: &OutcomeForm) -> Result<(), EngineError> {
    let file = PathBuf::from(format!("post-mortem-{id}.yaml"));
    write_new(&file, &yaml(id, form, "Your answers about")?)?;
    out::note(&format!("Your answers are kept in {}. Correct them, then:", file.display()));
    out::note(&format!("  roundtable outcome assess {id} --file {}", file.display()));
    Ok(())
}

/// A written post-mortem; JSON by its ending, else YAML.
fn form(path: &Path) -> Result<OutcomeForm, EngineError> {
    let text = read(path)?;
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let read = match is_json {
        true => serde_json::from_str(&text).map_err(|error| error.to_string()),
        false => config::yaml(&text),
    };
    read.map_err(|why| {
        EngineError::input(format!("{} cannot be read as a post-mortem: {why}", path.display()))
    })
}

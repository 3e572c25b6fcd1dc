//! `roundtable outcome assess`: a post-mortem from a file, from questions, or as a
//! draft of the clerk's.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::Args;
use debate::model::OutcomeForm;
use serde_json::json;

use super::interview;
use crate::cli::ExitStatus;
use crate::cli::arguments::{FormatArgs, read, write_new};
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::report::learning as shown;
use crate::terminal::out;
use engine::config::{self, Config};
use engine::error::EngineError;
use engine::outcomes::linked;
use engine::outcomes::post_mortem::{self, RepeatPolicy};
use engine::outcomes::track;

/// Judge how a decision turned out; asks you, or reads a file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable outcome assess 0199
  roundtable outcome assess 0199 --draft -o post-mortem.yaml
  roundtable outcome assess 0199 --file post-mortem.yaml
  roundtable outcome assess 0199 --like 01a0
  roundtable outcome assess 0199 --file better.json --replace --markdown

A file says decisionAccuracy (0 to 1) and may say rightAnswer, whatWentRight and whatWentWrong \
(aspect, evidenceType, validation, note), agents, questions, lessons (lesson, action, \
expectedEffect, question, perspective), summary, humanOverride and domain.")]
pub struct OutcomeAssessArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
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
    /// Record the same as was recorded for this debate, which is linked to it.
    #[arg(long, value_name = "ID", conflicts_with_all = ["file", "draft"])]
    pub like: Option<String>,
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

pub async fn assess(config: &Config, args: OutcomeAssessArgs) -> CommandEnd {
    if args.draft { draft(config, args).await } else { judge(config, args).await }
}

async fn draft(config: &Config, args: OutcomeAssessArgs) -> CommandEnd {
    let (id, form) = post_mortem::draft(config, &args.id, args.script.as_deref()).await?;
    let text = if args.format.json {
        format!("{:#}\n", json!(form))
    } else {
        yaml(&id, &form, "Drafted by the clerk from what was noted about")?
    };
    match args.output {
        None => out::print(&text)?,
        Some(file) => {
            write_new(&file, &text)?;
            out::note(&format!("Wrote a draft to {}. Correct it, then:", file.display()));
            out::note(&format!("  roundtable outcome assess {id} --file {}", file.display()));
        }
    }
    Ok(ExitStatus::Done)
}

fn yaml(id: &str, form: &OutcomeForm, what: &str) -> Result<String, EngineError> {
    let body = serde_saphyr::to_string(form)
        .map_err(|error| EngineError::input(format!("the draft cannot be written: {error}")))?;
    Ok(format!(
        "# {what} debate {id}.\n\
         # Correct it, then hand it in: roundtable outcome assess {id} --file THIS\n{body}"
    ))
}

async fn judge(config: &Config, args: OutcomeAssessArgs) -> CommandEnd {
    let mut repeat = if args.replace { RepeatPolicy::Replace } else { RepeatPolicy::Refuse };
    let form = match (&args.file, &args.like) {
        (Some(file), _) => form(file)?,
        (None, Some(other)) => linked::like(config, &args.id, other).await?,
        (None, None) => {
            let stdin = std::io::stdin();
            if !stdin.is_terminal() {
                return Err(EngineError::input(
                    "cannot ask questions without a terminal; run it on one, or give --file",
                )
                .into());
            }
            let decided = track::decided(config, &args.id).await?;
            decided.store.close().await;
            let mut ask = |question: &str| out::note(question);
            let mut lines = stdin.lock();
            if let (Some(known), RepeatPolicy::Refuse) = (&decided.book.assessed, repeat) {
                interview::replace(&mut lines, &mut ask, known.judged.on)?;
                repeat = RepeatPolicy::Replace;
            }
            interview::interview(&mut lines, &mut ask, decided.debate.room())?
        }
    };
    let report =
        match post_mortem::assess(config, &args.id, &form, repeat, args.on.as_deref()).await {
            Err(refused @ EngineError::Refused(_)) if args.file.is_none() => {
                keep(&args.id, &form)?;
                return Err(refused.into());
            }
            other => other?,
        };
    out::print(&args.format.shown(&shown::post_mortem(&report), &json!(report)))?;
    for one in &report.offered {
        let (id, other) = (&one.id, &report.id);
        let topic = clean_line(&one.topic);
        out::note(&format!("Linked to it and not judged yet: {id} {topic}"));
        out::note(&format!("  The same for it: roundtable outcome assess {id} --like {other}"));
    }
    Ok(ExitStatus::Done)
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
    let read = if is_json {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        config::yaml(&text)
    };
    read.map_err(|why| {
        EngineError::input(format!("{} cannot be read as a post-mortem: {why}", path.display()))
    })
}

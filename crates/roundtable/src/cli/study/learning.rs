//! `roundtable learning` and `roundtable sessions record`: what was learned, how
//! it came to be, and lessons as a file.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use debate::model::counted;
use serde_json::json;

use crate::cli::{Exit, Stop};
use crate::report::document::Document;
use crate::report::{learning as shown, record as record_shown};
use crate::terminal::out;
use engine::config::Config;
use engine::error::EngineError;
use engine::outcomes::{lessons_file, record as records};
use engine::table::lessons as operation;

/// The largest file that is read as lessons or as a post-mortem.
const LARGEST_FILE: u64 = 64 * 1024 * 1024;

/// What a debate is learned from and starts with.
#[derive(Debug, Args)]
pub struct LessonArgs {
    /// The project the decision belongs to; the config file can give it a domain.
    #[arg(long, value_name = "PROJECT")]
    pub project: Option<String>,

    /// The field of decisions, such as api-design, whose lessons are used; auto has the clerk name it.
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,

    /// Start without what earlier outcomes taught.
    #[arg(long)]
    pub no_learning: bool,

    /// The day on which to ask how the decision turned out, as YYYY-MM-DD.
    #[arg(long, value_name = "DATE")]
    pub ask_on: Option<String>,
}

/// How a document is shown.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// As JSON.
    #[arg(long, group = "format")]
    pub json: bool,
    /// As Markdown.
    #[arg(long, group = "format")]
    pub markdown: bool,
    /// As one HTML page with charts that needs nothing else.
    #[arg(long, group = "format")]
    pub html: bool,
}

impl FormatArgs {
    pub fn shown(&self, document: &Document, value: &serde_json::Value) -> String {
        match (self.json, self.markdown, self.html) {
            (true, ..) => format!("{value:#}\n"),
            (_, true, _) => document.to_markdown(),
            (.., true) => document.to_html(),
            _ => document.to_text(out::page()),
        }
    }
}

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  roundtable learning
  roundtable learning --domain api-design --markdown
  roundtable learning --explain PRECEDENT
  roundtable learning export lessons.json
  roundtable learning import lessons.json

Nothing is learned from a debate that nobody judged; see `roundtable outcome`."
)]
pub struct LearningArgs {
    #[command(subcommand)]
    pub command: Option<LearningCommand>,
    /// Only this domain.
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
    /// Every change behind an evidence type, an agent, a question or a judged debate; or all.
    #[arg(long, value_name = "WHAT")]
    pub explain: Option<String>,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Debug, Subcommand)]
pub enum LearningCommand {
    /// Write your outcomes to a file for others; no word of any debate is in it.
    #[command(after_help = crate::cli::examples::LEARNING_EXPORT)]
    Export {
        /// Where to; nothing may be there yet. Standard output without it.
        file: Option<PathBuf>,
        /// Only this domain.
        #[arg(long, value_name = "DOMAIN")]
        domain: Option<String>,
    },
    /// Take in the outcomes of somebody else; each counts half of one of yours.
    #[command(after_help = crate::cli::examples::LEARNING_IMPORT)]
    Import {
        /// A file that `roundtable learning export` wrote; - reads standard input.
        file: PathBuf,
    },
    /// Read every post-mortem once more and compute everything from the outcomes.
    #[command(after_help = crate::cli::examples::LEARNING_RECOMPUTE)]
    Recompute {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct RecordArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    #[command(flatten)]
    pub format: FormatArgs,
}

pub async fn learning(config: &Config, args: LearningArgs) -> Result<Exit, Stop> {
    let domain = args.domain.as_deref();
    match (args.command, args.explain) {
        (Some(command), _) => return carry_out(config, command).await,
        (None, Some(what)) => {
            let changes = operation::explain(config, &what, domain).await?;
            let document = shown::changes(&what, &changes);
            out::print(&args.format.shown(&document, &json!(changes)))?;
        }
        (None, None) => {
            let report = operation::report(config, domain).await?;
            out::print(&args.format.shown(&shown::learning(&report), &json!(report)))?;
        }
    }
    Ok(Exit::Done)
}

async fn carry_out(config: &Config, command: LearningCommand) -> Result<Exit, Stop> {
    match command {
        LearningCommand::Export { file, domain } => {
            let lessons = lessons_file::export(config, domain.as_deref()).await?;
            let text = format!("{:#}\n", json!(lessons));
            match file {
                None => out::print(&text)?,
                Some(file) => {
                    write_new(&file, &text)?;
                    let number = counted(lessons.outcomes.len(), "outcome");
                    out::note(&format!("Wrote {number} to {}.", file.display()));
                }
            }
        }
        LearningCommand::Import { file } => {
            let done = lessons_file::import(config, &read(&file)?).await?;
            out::note(&format!(
                "Took in {}; known already: {}.",
                counted(done.taken, "outcome"),
                done.known
            ));
        }
        LearningCommand::Recompute { json } => {
            let done = operation::recompute(config).await?;
            out::print(&match json {
                true => format!("{:#}\n", json!(done)),
                false => shown::recomputed(&done),
            })?;
        }
    }
    Ok(Exit::Done)
}

pub async fn record(config: &Config, args: RecordArgs) -> Result<Exit, Stop> {
    let found = records::record(config, &args.id).await?;
    let value = json!({ "debateRecord": found });
    out::print(&args.format.shown(&record_shown::record(&found), &value))?;
    Ok(Exit::Done)
}

/// The text of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<String, EngineError> {
    let cannot = |error: std::io::Error| {
        EngineError::input(format!("cannot read {}: {error}", path.display()))
    };
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin().take(LARGEST_FILE).read_to_string(&mut text)
    } else {
        let file = std::fs::File::open(path).map_err(cannot)?;
        file.take(LARGEST_FILE).read_to_string(&mut text)
    };
    read.map_err(cannot)?;
    Ok(text)
}

/// Writes a file where nothing is.
pub fn write_new(path: &Path, text: &str) -> Result<(), EngineError> {
    use std::io::Write as _;
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            EngineError::input(format!("{} exists already; nothing was written", path.display()))
        }
        _ => EngineError::input(format!("cannot write {}: {error}", path.display())),
    };
    let mut file = std::fs::File::create_new(path).map_err(cannot)?;
    file.write_all(text.as_bytes()).map_err(cannot)
}

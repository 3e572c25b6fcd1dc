//! `roundtable export`: a debate as a file of its own.

use std::path::PathBuf;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::cli::serving::browser;
use crate::report::formats::{self, ExportFormat, FORMATS};
use crate::terminal::out;
use engine::config::Config;
use engine::export as exporting;
use engine::export::file::{self, OverwritePolicy};

/// Write a debate to a file: a document, a decision record, the argument map or data.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct SessionsExportArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    #[arg(short, long, value_name = "FORMAT", help = format_help())]
    pub format: Option<String>,
    /// Write to this file; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Open the file with the program that is meant for it; an HTML page if no format is given.
    #[arg(long)]
    pub open: bool,
}

fn after_help() -> String {
    let width = FORMATS.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let rows = FORMATS.iter().map(|row| format!("  {:<width$}  {}\n", row.name, row.help));
    format!(
        "Examples:
  roundtable export
  roundtable export --open
  roundtable export 0199 --format html -o report.html
  roundtable export 0199 --format adr -o docs/decisions/0007-database.md
  roundtable export 0199 -o debate.json

Formats:
{}
Without -o, a file is written that is named after the question; where standard output is no \
terminal, the text goes there. Without --format the ending of FILE decides, else it is markdown.",
        rows.collect::<String>()
    )
}

fn format_help() -> String {
    let names = formats::names();
    let (last, others) =
        names.split_last().map_or(("", [].as_slice()), |(last, rest)| (*last, rest));
    format!("{} or {last} [default: by the file's ending, else markdown]", others.join(", "))
}

pub async fn export(config: &Config, args: SessionsExportArgs) -> CommandEnd {
    let file = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let format = match &args.format {
        Some(name) => ExportFormat::named(name)?,
        None => match file.and_then(|path| path.extension()?.to_str()) {
            Some(ending) => ExportFormat::by_ending(ending)?,
            None if args.open => ExportFormat::named("html")?,
            None => ExportFormat::usual(),
        },
    };
    let exported = exporting::export(config, &args.id).await?;
    let text = (format.write)(&exported);
    let printed = config.environment.stdout_is_terminal || args.open;
    let path = match (file, args.output.is_some() || !printed) {
        (Some(path), _) => path.to_owned(),
        (None, false) => free_name(&exported.room().brief.topic, format.ending),
        (None, true) => {
            out::print_raw(&text)?;
            return Ok(ExitStatus::Done);
        }
    };
    let overwrite = if args.force { OverwritePolicy::Allowed } else { OverwritePolicy::Never };
    file::write(&path, &text, overwrite)?;
    out::note(&format!("Written to {} ({}).", path.display(), format.name));
    if args.open {
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        let own = config.environment.get("BROWSER");
        if !browser::show(&place.to_string_lossy(), own) {
            out::note(&format!("No program was found to open it: {}", place.display()));
        }
    }
    Ok(ExitStatus::Done)
}

/// The most letters of a file's name that are the question's.
const NAME_LETTERS: usize = 60;

/// A name for a file about this question that no file here has.
fn free_name(topic: &str, ending: &str) -> PathBuf {
    let letters = topic.to_lowercase();
    let words = letters.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        if name.chars().count() + word.chars().count() >= NAME_LETTERS {
            break;
        }
        name = if name.is_empty() { word.to_owned() } else { format!("{name}-{word}") };
    }
    let name = if name.is_empty() { "debate" } else { &name };
    let first = PathBuf::from(format!("{name}.{ending}"));
    let others = (2..).map(|number| PathBuf::from(format!("{name}-{number}.{ending}")));
    let mut all = std::iter::once(first).chain(others);
    all.find(|path| !path.exists()).unwrap_or_default()
}

//! Debates that leave the program and come back: `sessions export` and
//! `sessions import`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::{Exit, Stop};
use crate::terminal as render;
use crate::terminal::{clean, out};
use engine::config::Config;
use engine::export::file::{self, Overwrite};
use engine::export::import::{self, Under};
use engine::export::{self, FORMATS, Format};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions export 0199
  roundtable sessions export 0199 --format html -o report.html
  roundtable sessions export 0199 --format adr -o docs/decisions/0007-database.md
  roundtable sessions export 0199 -o debate.json

Formats:
  markdown  all of it, to read; the sources in one list
  json      complete; `sessions import` takes it in again
  html      one page with charts and the argument map, no network needed
  adr       a decision record
  mermaid   the argument map
  argdown   the argument map
  csv       the claims

Without --format the ending of FILE decides, else it is markdown.")]
pub struct SessionsExportArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// markdown, json, html, adr, mermaid, argdown or csv [default: by the file's ending, else markdown]
    #[arg(short, long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions import debate.json
  roundtable sessions import debate.json --as-copy

The debate comes back entry for entry, with the same id. A file that was cut or edited is refused.")]
pub struct SessionsImportArgs {
    /// A debate that was exported as JSON.
    pub file: PathBuf,
    /// Take it in under a new id.
    #[arg(long)]
    pub as_copy: bool,
}

pub async fn export(config: &Config, args: SessionsExportArgs) -> Result<Exit, Stop> {
    let format = match &args.format {
        Some(name) => Format::named(name)?,
        None => args.output.as_deref().and_then(by_ending).unwrap_or(Format::Markdown),
    };
    let exported = export::export(config, &args.id).await?;
    let text = render::export::write(&exported, format);
    match args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        None => out::print_raw(&text)?,
        Some(path) => {
            let overwrite = if args.force { Overwrite::Allowed } else { Overwrite::Never };
            file::write(path, &text, overwrite)?;
            out::note(&format!("Written to {} ({}).", path.display(), format.row().name));
        }
    }
    Ok(Exit::Done)
}

fn by_ending(path: &Path) -> Option<Format> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    FORMATS.iter().find(|row| row.ending == ending).map(|row| row.format)
}

pub async fn import(config: &Config, args: SessionsImportArgs) -> Result<Exit, Stop> {
    let under = if args.as_copy { Under::ANewId } else { Under::ItsOwnId };
    let taken = import::import(config, &args.file, under).await?;
    let topic: String = clean::clean_line(&taken.topic).chars().take(80).collect();
    out::note(&format!("Taken in: {topic} ({}, {} entries).", taken.status, taken.entries));
    out::note("What it cost was spent elsewhere and is not in this database's books.");
    out::note(&format!("See it with: roundtable sessions show {}", taken.id));
    if taken.status != "completed" {
        out::note(&format!("It is not over; go on with: roundtable sessions resume {}", taken.id));
    }
    Ok(Exit::Done)
}

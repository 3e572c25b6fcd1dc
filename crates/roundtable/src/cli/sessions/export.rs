//! `roundtable sessions export`: a debate as a file of its own.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::report::formats::{self, ExportFormat, FORMATS};
use crate::terminal::out;
use engine::config::Config;
use engine::export as exporting;
use engine::export::file::{self, OverwritePolicy};

/// Write a debate as Markdown, JSON, HTML, a decision record, an argument map or CSV.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct SessionsExportArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    #[arg(short, long, value_name = "FORMAT", help = format_help())]
    pub format: Option<String>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    pub force: bool,
}

fn after_help() -> String {
    let width = FORMATS.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let rows = FORMATS.iter().map(|row| format!("  {:<width$}  {}\n", row.name, row.help));
    format!(
        "Examples:
  roundtable sessions export 0199
  roundtable sessions export 0199 --format html -o report.html
  roundtable sessions export 0199 --format adr -o docs/decisions/0007-database.md
  roundtable sessions export 0199 -o debate.json

Formats:
{}
Without --format the ending of FILE decides, else it is markdown.",
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
    let format = match &args.format {
        Some(name) => ExportFormat::named(name)?,
        None => args.output.as_deref().and_then(by_ending).unwrap_or(ExportFormat::usual()),
    };
    let exported = exporting::export(config, &args.id).await?;
    let text = (format.write)(&exported);
    match args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        None => out::print_raw(&text)?,
        Some(path) => {
            let overwrite =
                if args.force { OverwritePolicy::Allowed } else { OverwritePolicy::Never };
            file::write(path, &text, overwrite)?;
            out::note(&format!("Written to {} ({}).", path.display(), format.name));
        }
    }
    Ok(ExitStatus::Done)
}

fn by_ending(path: &Path) -> Option<&'static ExportFormat> {
    ExportFormat::by_ending(path.extension()?.to_str()?)
}

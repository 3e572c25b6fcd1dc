//! `roundtable man`: manual pages, made from the same description of the commands as
//! `--help`.

use std::path::{Path, PathBuf};

use clap::{Args, Command};

use crate::cli::command::CommandEnd;
use crate::cli::{ExitStatus, description};
use crate::document::escape;
use crate::terminal::out;
use engine::config::{Config, ConfigError};
use engine::error::EngineError;

/// Print the manual page, or write a page for every command.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable man
  roundtable man --dir man1")]
pub struct ManArgs {
    /// Write a page for every command into this folder, which is made where it is missing.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

pub async fn man(_: Result<Config, ConfigError>, args: ManArgs) -> CommandEnd {
    let mut command = description().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.dir else {
        out::print(&page(&command, "roundtable").map_err(unwritable(Path::new("-")))?)?;
        return Ok(ExitStatus::Done);
    };
    std::fs::create_dir_all(folder).map_err(unwritable(folder))?;
    let mut pages = Vec::new();
    collect(&command, "roundtable".into(), &mut pages).map_err(unwritable(folder))?;
    for (name, text) in &pages {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, text).map_err(unwritable(&path))?;
    }
    out::note(&format!("Wrote {} pages to {}.", pages.len(), folder.display()));
    Ok(ExitStatus::Done)
}

fn unwritable(path: &Path) -> impl Fn(std::io::Error) -> EngineError {
    let path = path.display().to_string();
    move |error| EngineError::input(format!("cannot write to {path}: {error}"))
}

/// The page of a command and those of all below it, `roundtable-sessions-list` and so on.
fn collect(
    command: &Command,
    name: String,
    pages: &mut Vec<(String, String)>,
) -> std::io::Result<()> {
    pages.push((name.clone(), page(command, &name)?));
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        collect(one, format!("{name}-{}", one.get_name()), pages)?;
    }
    Ok(())
}

fn page(command: &Command, name: &str) -> std::io::Result<String> {
    let mut text = Vec::new();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let shown = command.clone().name(name.to_owned()).display_name(name.to_owned());
    clap_mangen::Man::new(shown.after_help(None::<&str>)).render(&mut text)?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    for part in after.split("\n\n") {
        match part.split_once(":\n") {
            Some(("Examples", lines)) => section(&mut text, "EXAMPLES", lines),
            // They have a section of their own on every page.
            Some(("Exit codes", _)) => {}
            _ if part.trim().is_empty() => {}
            _ => section(&mut text, "NOTES", part),
        }
    }
    text.push_str(".SH \"EXIT STATUS\"\n");
    for (exit, meaning) in ExitStatus::ROWS {
        text.push_str(&format!(".TP\n\\fB{}\\fR\n{meaning}\n", exit.code()));
    }
    Ok(text)
}

/// Lines as they stand: a command broken in two could not be typed.
fn section(page: &mut String, title: &str, lines: &str) {
    page.push_str(&format!(".SH {title}\n.nf\n"));
    for line in lines.lines() {
        page.push_str(&escape::roff_line(line));
        page.push('\n');
    }
    page.push_str(".fi\n");
}

//! What a shell wants to know: completions and manual pages, made from the same
//! description of the commands as `--help`.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::args::Cli;
use crate::cli::{Exit, Stop};
use crate::terminal::out;
use engine::error::EngineError;

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// For which shell.
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for every command into this folder, which is made where it is missing.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

pub fn completions(args: &CompletionsArgs) -> Result<Exit, Stop> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "roundtable", &mut text);
    out::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}

pub fn man(args: &ManArgs) -> Result<Exit, Stop> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.dir else {
        out::print(&page(&command, "roundtable").map_err(unwritable(Path::new("-")))?)?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(folder).map_err(unwritable(folder))?;
    let mut pages = Vec::new();
    collect(&command, "roundtable".into(), &mut pages).map_err(unwritable(folder))?;
    for (name, text) in &pages {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, text).map_err(unwritable(&path))?;
    }
    out::note(&format!("Wrote {} pages to {}.", pages.len(), folder.display()));
    Ok(Exit::Done)
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
    for (exit, meaning) in Exit::ROWS {
        text.push_str(&format!(".TP\n\\fB{}\\fR\n{meaning}\n", exit.code()));
    }
    Ok(text)
}

/// Lines as they stand: a command broken in two could not be typed.
fn section(page: &mut String, title: &str, lines: &str) {
    page.push_str(&format!(".SH {title}\n.nf\n"));
    for line in lines.lines() {
        let plain = line.trim().replace('\\', "\\\\").replace('-', "\\-");
        // A line that begins with a dot or a tick would be a command to the reader.
        let guard = if plain.starts_with(['.', '\'']) { "\\&" } else { "" };
        page.push_str(&format!("{guard}{plain}\n"));
    }
    page.push_str(".fi\n");
}

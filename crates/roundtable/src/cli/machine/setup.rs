//! `roundtable setup CLIENT`: show the change, ask, make it.

use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::terminal::out;
use crate::terminal::page::{BAD, DIM, GOOD, NAME};
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::setup::{
    self, CLIENTS, ClientFileChange, ClientReach, SetupAction, SetupScope,
};

/// Lines around a change that are shown with it.
const AROUND: usize = 3;
/// Where `roundtable serve` answers unless it is told otherwise.
const USUAL_PLACE: &str = "127.0.0.1:8765/mcp";

/// Tell an MCP client (Claude, Codex, Cursor, VS Code …) about Roundtable, or take it out again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable setup
  roundtable setup claude-code --dry-run
  roundtable setup cursor --project --yes
  roundtable setup codex --remove --dry-run
  roundtable setup vscode --http --dry-run

The change is shown first and the old file is kept beside the new one. Keys are not written \
there: Roundtable finds them where it always does.")]
pub struct SetupArgs {
    /// The client; without one, all of them are listed with their config files.
    client: Option<String>,
    /// Take Roundtable out of the client's config.
    #[arg(long)]
    remove: bool,
    /// Only for the project in this folder.
    #[arg(long)]
    project: bool,
    /// Have the client call `roundtable serve` at this address, with its token, instead of starting
    /// the program [default: http://127.0.0.1:8765/mcp, or https:// where it speaks TLS]
    #[arg(long, value_name = "URL")]
    http: Option<Option<String>>,
    /// Only show what would change.
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking.
    #[arg(short, long)]
    yes: bool,
}

/// Refuses an address that no client could call.
fn web_address(url: String) -> Result<String, EngineError> {
    let place = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    if place.is_some_and(|place| !place.is_empty() && !place.starts_with('/')) {
        return Ok(url);
    }
    Err(EngineError::input(format!(
        "--http: {url:?} cannot be used; allowed: an address such as http://{USUAL_PLACE}"
    )))
}

pub async fn setup(config: &Config, args: SetupArgs) -> CommandEnd {
    let Some(name) = args.client else {
        let rows: Vec<_> = CLIENTS
            .iter()
            .map(|client| (client.name, client.title, (client.user_file)(&config.environment)))
            .collect();
        out::print(&client_table(&rows))?;
        return Ok(ExitStatus::Done);
    };
    let client = setup::client(&name)?;
    let wish = if args.remove { SetupAction::Remove } else { SetupAction::Add };
    let scope = if args.project { SetupScope::Project } else { SetupScope::User };
    let usual = || format!("{}://{USUAL_PLACE}", config.file.server.scheme());
    let reach = match args.http {
        None => ClientReach::Program,
        Some(url) => ClientReach::Http { url: web_address(url.unwrap_or_else(usual))? },
    };
    let change = setup::plan(config, client, (scope, &reach), wish)?;
    if change.is_nothing() {
        let already = if args.remove { "is not set up" } else { "is set up already" };
        out::note(&format!("{}: Roundtable {already} in {}.", client.title, change.path.display()));
        return Ok(ExitStatus::Done);
    }
    let shown = setup::without_tokens(&change_text(&change));
    if args.dry_run {
        out::print(&shown)?;
        return Ok(ExitStatus::Done);
    }
    out::note(&shown);
    if !args.yes {
        ask()?;
    }
    let kept = setup::carry_out(&change)?;
    out::note(&format!("Wrote {}.", change.path.display()));
    if let Some(kept) = kept {
        out::note(&format!("The old file is kept as {}.", kept.display()));
    }
    out::note(client.then);
    Ok(ExitStatus::Done)
}

fn ask() -> Result<(), EngineError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(EngineError::input("nothing was written; add --yes to confirm"));
    }
    out::note("Make this change? [y/N] ");
    let mut answer = String::new();
    match stdin.lock().read_line(&mut answer).map(|_| answer.trim().to_lowercase()) {
        Ok(answer) if answer == "y" || answer == "yes" => Ok(()),
        _ => Err(EngineError::input("nothing was written")),
    }
}

fn client_table(rows: &[(&str, &str, Option<PathBuf>)]) -> String {
    let mut out = String::new();
    for (name, title, file) in rows {
        let file = file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
        let there = if file.is_empty() { "" } else { &file };
        let _ =
            writeln!(out, "{NAME}{name:<15}{NAME:#} {title:<15} {DIM}{}{DIM:#}", clean_line(there));
    }
    let _ = writeln!(out, "\nSet one up with: roundtable setup CLIENT");
    out
}

/// Shows removed and added lines with a little context.
fn change_text(change: &ClientFileChange) -> String {
    let mut out = format!("{}\n", change.path.display());
    let before: Vec<&str> = change.before.as_deref().unwrap_or_default().lines().collect();
    let after: Vec<&str> = change.after.lines().collect();
    let equal = |(a, b): &(&&str, &&str)| a == b;
    let head = before.iter().zip(&after).take_while(equal).count();
    let most = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(most).take_while(equal).count();
    let mut line = |sign: &str, style: anstyle::Style, text: &str| {
        let _ = writeln!(out, "{style}{sign} {}{style:#}", clean_line(text));
    };
    for text in &after[head.saturating_sub(AROUND)..head] {
        line(" ", DIM, text);
    }
    for text in &before[head..before.len() - tail] {
        line("-", BAD, text);
    }
    for text in &after[head..after.len() - tail] {
        line("+", GOOD, text);
    }
    for text in after[after.len() - tail..].iter().take(AROUND) {
        line(" ", DIM, text);
    }
    out
}

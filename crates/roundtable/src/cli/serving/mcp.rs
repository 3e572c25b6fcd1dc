//! `roundtable mcp`: serves a client on standard input and output.

use std::io::IsTerminal as _;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::cli::watch::signals::asked_to_end;
use crate::terminal::out;
use engine::config::Config;

/// Serve an MCP client on standard input and output.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable mcp")]
pub struct McpArgs {}

pub async fn stdio(config: &Config, _: McpArgs) -> CommandEnd {
    if std::io::stdin().is_terminal() {
        out::note(
            "This command is started by an MCP client and speaks its protocol, one message a line.",
        );
        out::note("Tell your client to run `roundtable mcp`; press Ctrl-C to leave.");
    }
    crate::mcp::stdio(config.clone(), asked_to_end()).await?;
    Ok(ExitStatus::Done)
}

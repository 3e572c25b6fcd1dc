//! `roundtable serve`: serves clients over HTTP.

use std::net::SocketAddr;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::cli::watch::signals::asked_to_end;
use crate::mcp;
use crate::terminal::out;
use crate::web;
use engine::background::host::Host;
use engine::config::Config;
use engine::error::EngineError;

/// Serve the page and MCP clients over HTTP.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable serve
  roundtable serve --listen 127.0.0.1:9000
  ROUNDTABLE_TOKEN=$(openssl rand -hex 24) roundtable serve --listen 0.0.0.0:8765

Clients find the protocol at http://ADDRESS/mcp. Anywhere but on loopback they must send the token as \
`Authorization: Bearer TOKEN`; use a proxy for TLS.")]
pub struct ServeArgs {
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8765")]
    pub listen: String,
    /// The secret clients must send; needed off loopback. Better set ROUNDTABLE_TOKEN: others can
    /// see command lines.
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// A further name under which clients may call this server; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
}

/// Reads an address and a port.
pub fn listen_address(given: &str) -> Result<SocketAddr, EngineError> {
    given.parse().map_err(|_| {
        EngineError::input(format!(
            "--listen: {given:?} is not an address and a port; allowed: for example \
             127.0.0.1:8765 or [::1]:8765"
        ))
    })
}

pub async fn serve(config: &Config, args: ServeArgs) -> CommandEnd {
    serve_and(config, args, |_| ()).await
}

/// Serves, and calls `then` with the address once it is taken.
pub async fn serve_and(
    config: &Config,
    args: ServeArgs,
    then: impl FnOnce(SocketAddr),
) -> CommandEnd {
    let address = listen_address(&args.listen)?;
    let token = args.token.or_else(|| config.environment.get("ROUNDTABLE_TOKEN").map(Into::into));
    let host = Host::new(config.clone());
    let any_host = !address.ip().is_loopback() && args.allow_host.is_empty();
    let access = web::WebAccess::new(token.as_deref(), &args.allow_host, any_host);
    let pages = web::router(host.clone(), access);
    let listen = mcp::Listen { address, token, hosts: args.allow_host };
    let ready = |taken: SocketAddr| {
        out::note(&format!("Roundtable serves its page at http://{taken}/"));
        out::note(&format!("Roundtable serves the Model Context Protocol at http://{taken}/mcp"));
        out::note("Press Ctrl-C to leave; running debates are paused and kept.");
        then(taken);
    };
    mcp::http(host, listen, pages, ready, asked_to_end()).await?;
    Ok(ExitStatus::Done)
}

//! `roundtable serve`: serves clients over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::cli::watch::signals::asked_to_end;
use crate::mcp;
use crate::openai;
use crate::operation;
use crate::terminal::{log, out};
use crate::web;
use engine::background::host::Host;
use engine::background::observing::HostObserver;
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::process::node_name;
use engine::machine::server_token;

/// Serve the page and MCP clients over HTTP.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable serve
  roundtable serve --listen 127.0.0.1:9000
  ROUNDTABLE_TOKEN=$(openssl rand -hex 24) roundtable serve --listen 0.0.0.0:8765

Clients find the protocol at http://ADDRESS/mcp and send the token as `Authorization: Bearer TOKEN`. \
On loopback it is made once and kept in a file that only you can read; `roundtable setup CLIENT --http` \
and the other commands find it there. On other addresses set it yourself, and set `[server] tls_cert` and `tls_key` or use a proxy for TLS.")]
pub struct ServeArgs {
    /// Where to listen [default: ROUNDTABLE_LISTEN, or else 127.0.0.1:8765].
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// The secret clients must send, instead of the one that is kept. Better set ROUNDTABLE_TOKEN:
    /// others can see command lines.
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Let every user and program of this machine call the server; only on loopback.
    #[arg(long, conflicts_with = "token")]
    pub no_token: bool,
    /// A further name under which clients may call this server; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// The form of the log: text, or json with one object a line [default: text].
    #[arg(long, value_name = "FORM", value_parser = ["text", "json"])]
    pub log: Option<String>,
}

/// Where a server listens unless it is told otherwise.
const USUAL: &str = "127.0.0.1:8765";

/// Reads an address and a port: of `--listen`, of `ROUNDTABLE_LISTEN`, or the usual one.
pub fn listen_address(config: &Config, given: Option<&str>) -> Result<SocketAddr, EngineError> {
    let variable = config.environment.get("ROUNDTABLE_LISTEN");
    let (source, text) = match (given, variable) {
        (Some(given), _) => ("--listen", given),
        (None, Some(set)) => ("ROUNDTABLE_LISTEN", set),
        (None, None) => ("--listen", USUAL),
    };
    text.parse().map_err(|_| {
        EngineError::input(format!(
            "{source}: {text:?} is not an address and a port; allowed: for example \
             127.0.0.1:8765 or [::1]:8765"
        ))
    })
}

pub async fn serve(config: &Config, mut args: ServeArgs) -> CommandEnd {
    let form = args.log.take().or_else(|| config.file.server.log.clone());
    let level = config.environment.get("ROUNDTABLE_LOG");
    let started = match (form.as_deref(), level) {
        (Some("json"), level) => {
            args.log = form;
            log::start_json(level.unwrap_or("info"), node_name())
        }
        (None | Some("text"), Some(level)) => log::start(level),
        (None | Some("text"), None) => Ok(()),
        (Some(_), _) => Err("server.log in the config file must be text or json".into()),
    };
    started.map_err(EngineError::input)?;
    serve_and(config, args, |_| ()).await
}

/// Serves, and calls `then` with the address once it is taken.
pub async fn serve_and(
    config: &Config,
    args: ServeArgs,
    then: impl FnOnce(SocketAddr),
) -> CommandEnd {
    let address = listen_address(config, args.listen.as_deref())?;
    let given = args.token.or_else(|| config.environment.get("ROUNDTABLE_TOKEN").map(Into::into));
    let is_kept = given.is_none() && !args.no_token && address.ip().is_loopback();
    let token = match given {
        _ if args.no_token => None,
        None if is_kept => Some(server_token::token(config)?),
        given => given,
    };
    let meters = Arc::<operation::Meters>::default();
    let traces = operation::Traces::start(&config.environment).map_err(EngineError::input)?;
    let traces = traces.map(Arc::new);
    let mut observers: Vec<Arc<dyn HostObserver>> =
        vec![meters.clone(), Arc::new(operation::LogLines)];
    observers.extend(traces.clone().map(|traces| traces as Arc<dyn HostObserver>));
    let host = Host::server(config.clone(), observers);
    match host.open_shared().await {
        // It comes back, and until then the server says that it is not ready.
        Err(EngineError::Store(error)) if error.is_passing() => {
            tracing::warn!(%error, "serving without the database");
            if args.log.is_none() {
                out::note(&format!("{error} This server waits for it."));
            }
        }
        opened => opened?,
    }
    let any_host = !address.ip().is_loopback() && args.allow_host.is_empty();
    let access = Arc::new(web::WebAccess::new(token.as_deref(), &args.allow_host, any_host));
    let place = Arc::clone(&access);
    let pages = mcp::PageRoutes {
        routes: web::router(host.clone(), Arc::clone(&access)),
        api: openai::router(host.clone(), Arc::new(move |headers| place.knows_place(headers)))
            .merge(operation::routes(host.clone(), Arc::clone(&meters))),
        api_refusal: openai::refusal,
        meters,
        knows: Arc::new(move |headers| access.is_signed_in(headers)),
    };
    let approach = mcp::Approach::of(&config.file.server)?;
    let scheme = config.file.server.scheme();
    let listen = mcp::Listen { address, token, hosts: args.allow_host, approach };
    let ready = |taken: SocketAddr| {
        if args.log.is_some() {
            tracing::info!(address = %format!("{scheme}://{taken}"), "serving");
            return then(taken);
        }
        let at = format!("{scheme}://{taken}");
        out::note(&format!("Roundtable serves the Model Context Protocol at {at}/mcp"));
        out::note(&format!("and its page at {at}/; `roundtable open` shows it."));
        out::note(&format!("Programs that ask a model can ask the table at {at}/v1"));
        if is_kept {
            let kept = config.paths.server_token.display();
            out::note(&format!(
                "Clients must send the token in {kept}; `roundtable setup CLIENT --http` and \
                 `roundtable open` see to it."
            ));
        }
        out::note("Press Ctrl-C to leave; running debates are kept.");
        then(taken);
    };
    let served = mcp::http(host, listen, pages, ready, asked_to_end()).await;
    if let Some(traces) = traces {
        // Sending blocks its thread.
        let _ = tokio::task::spawn_blocking(move || traces.end()).await;
    }
    served?;
    Ok(ExitStatus::Done)
}

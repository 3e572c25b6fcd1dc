//! `roundtable open`: shows the page in the browser, signed in by a link that works once.
//! If no server runs at the address, this one serves until it is interrupted.

use std::io::ErrorKind;
use std::net::SocketAddr;

use clap::Args;
use tokio::net::TcpListener;

use super::browser;
use super::serve::{ServeArgs, listen_address, serve_and};
use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use crate::web::sign_in::PageKey;
use engine::clock;
use engine::config::Config;
use engine::machine::server_token;

/// Show the page in the browser, and serve it if no server runs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable open
  roundtable open --print

The link signs the browser in once and works for two minutes.")]
pub struct OpenArgs {
    /// The address at which the server listens or shall listen [default: ROUNDTABLE_LISTEN, or
    /// else 127.0.0.1:8765].
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// Print the link and open nothing.
    #[arg(long)]
    pub print: bool,
}

pub async fn open(config: &Config, args: OpenArgs) -> CommandEnd {
    let address = listen_address(config, args.listen.as_deref())?;
    let token = server_token::token(config)?;
    let own = config.environment.get("BROWSER").map(str::to_owned);
    let (print, scheme) = (args.print, config.file.server.scheme());
    let show = move |at: SocketAddr| {
        let code = PageKey::new(&token).link(clock::now_ms(), &clock::new_secret());
        let link = format!("{scheme}://{at}/sign-in/{code}");
        if print || !browser::show(&link, own.as_deref()) {
            out::note(&format!("Open {link}"));
        }
    };
    // An address that is taken belongs to a server that runs.
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            show(address);
            Ok(ExitStatus::Done)
        }
        bound => {
            drop(bound);
            let serve = ServeArgs {
                listen: args.listen,
                token: None,
                no_token: false,
                allow_host: Vec::new(),
                log: None,
            };
            serve_and(config, serve, show).await
        }
    }
}

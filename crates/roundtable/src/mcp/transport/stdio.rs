//! The server on standard input and output. Nothing but the protocol is written
//! there. When the input ends the process ends: debates are paused at once, and
//! answers on their way are waited for a moment, no longer than clients wait for
//! a process to go.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use engine::nouns::CancellationToken;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{StdioReader, StdioWriter, Transport, stdio_pipes};
use rmcp::{ServiceExt as _, service::ServerInitializeError};
use tokio::io::{AsyncRead, ReadBuf};

use crate::mcp::server::Server;
use crate::mcp::session::waiting;
use engine::background::host::Host;
use engine::config::Config;
use engine::error::EngineError;

/// Clients kill a server that is still there two seconds after they left. So
/// much for the answers to their calls, and for answers that are paid for.
const LAST_WORDS: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_millis(1_200);
/// The user who started this process is its caller.
const PRINCIPAL: &str = "local";

/// Serves until the input ends or the process is told to go.
pub async fn serve(
    config: Config,
    told_to_go: impl Future<Output = ()>,
) -> Result<(), EngineError> {
    waiting::most(&config)?;
    let host = Host::new(config);
    let ended = host.leaving();
    let (read, write) = stdio_pipes();
    let read = EndingInput { inner: read, ended: ended.clone() };
    let transport = PatientTransport { inner: AsyncRwTransport::new(read, write), begun: false };
    let server = Server::new(host.clone(), PRINCIPAL);
    let serving = async {
        match server.serve(transport).await {
            Ok(running) => {
                let _ = running.waiting().await;
            }
            // The client closed the connection without a word.
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => tracing::warn!(%error, "the client did not begin as agreed"),
        }
    };
    tokio::select! {
        () = serving => {}
        () = told_to_go => {}
        // The answers to calls in flight are still written.
        () = async { ended.cancelled().await; tokio::time::sleep(LAST_WORDS).await } => {}
    }
    host.leave(PATIENCE).await;
    Ok(())
}

/// Notices the end of the input at once, so that no call keeps waiting for a client
/// that has left.
struct EndingInput {
    inner: StdioReader,
    ended: CancellationToken,
}

impl AsyncRead for EndingInput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        let nothing = matches!(polled, Poll::Ready(Ok(()))) && buffer.filled().len() == before;
        if nothing || matches!(polled, Poll::Ready(Err(_))) {
            self.ended.cancel();
        }
        polled
    }
}

/// Takes no offence at messages before the first request, such as a client that
/// gives up its own question whether we speak its version.
struct PatientTransport {
    inner: AsyncRwTransport<RoleServer, EndingInput, StdioWriter>,
    begun: bool,
}

impl Transport<RoleServer> for PatientTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message: ClientJsonRpcMessage = self.inner.receive().await?;
            // Neither question settles yet which era the client is of.
            let begins = match &message {
                JsonRpcMessage::Request(asked) => !matches!(
                    asked.request,
                    ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
                ),
                _ if !self.begun => continue,
                _ => true,
            };
            self.begun |= begins;
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.inner.close().await
    }
}

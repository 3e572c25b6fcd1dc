//! The server on standard input and output. Nothing but the protocol is written
//! there. When the input ends the process ends: debates are paused at once, and
//! answers on their way are waited for a moment, no longer than clients wait for
//! a process to go.

use std::io;
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{StdioWriter, Transport, stdio_pipes};
use rmcp::{ServiceExt as _, service::ServerInitializeError};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::bad_message::MessageFault;
use super::checked_input::{CheckedInput, LONGEST_LINE};
use crate::mcp::server::Server;
use crate::mcp::session::waiting;
use engine::background::host::Host;
use engine::config::Config;
use engine::error::EngineError;

/// Clients kill a server that is still there two seconds after they left. So
/// much for the answers to their calls, and for answers that are paid for.
const LAST_WORDS: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_millis(1_200);

/// Serves until the input ends or the process is told to go.
pub async fn serve(
    config: Config,
    told_to_go: impl Future<Output = ()>,
) -> Result<(), EngineError> {
    waiting::most(&config)?;
    let host = Host::new(config);
    let ended = host.leaving();
    let (read, write) = stdio_pipes();
    let (sender, faults) = unbounded_channel();
    let read = CheckedInput::new(read, ended.clone(), sender);
    let inner = AsyncRwTransport::new(read, write).with_max_line_length(LONGEST_LINE + 1);
    let transport = PatientTransport { inner, faults, begun: false };
    let server = Server::new(host.clone(), None);
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

/// Takes no offence at messages before the first request, such as a client that
/// gives up its own question whether we speak its version, and answers lines that are
/// no messages.
struct PatientTransport {
    inner: AsyncRwTransport<RoleServer, CheckedInput, StdioWriter>,
    faults: UnboundedReceiver<MessageFault>,
    begun: bool,
}

impl PatientTransport {
    /// Answers on its own, because receiving may be broken off at any time.
    fn answer(&mut self, fault: &MessageFault) {
        let answer = TxJsonRpcMessage::<RoleServer>::error(fault.error(), fault.id.clone());
        tokio::spawn(self.inner.send(answer));
    }
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
            let message: ClientJsonRpcMessage = tokio::select! {
                message = self.inner.receive() => message?,
                Some(fault) = self.faults.recv() => {
                    self.answer(&fault);
                    continue;
                }
            };
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

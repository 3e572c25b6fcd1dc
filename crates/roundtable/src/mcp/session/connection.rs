//! The state of one connection, and what all connections share: the debates that run
//! here, the seal, and the questions that users refused.

use std::sync::Arc;

use super::cancellations::Cancellations;
use super::logging::ConnectionLog;
use super::refused_questions::RefusedQuestions;
use super::seal::Seal;
use engine::background::host::Host;

/// Cheap to clone.
#[derive(Clone)]
pub struct Connection {
    host: Host,
    caller: Arc<str>,
    seal: Arc<Seal>,
    refused_questions: RefusedQuestions,
    cancellations: Cancellations,
    log: ConnectionLog,
}

impl Connection {
    /// `principal`: the caller, as far as callers can be told apart.
    pub fn new(host: Host, principal: &str) -> Connection {
        Connection {
            host,
            caller: principal.into(),
            seal: Arc::new(Seal::new(principal)),
            refused_questions: RefusedQuestions::default(),
            cancellations: Cancellations::default(),
            log: ConnectionLog::default(),
        }
    }

    /// Another connection to the same server.
    pub fn another(&self) -> Connection {
        Connection {
            cancellations: Cancellations::default(),
            log: ConnectionLog::default(),
            ..self.clone()
        }
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The caller, as far as callers can be told apart.
    pub fn caller(&self) -> &str {
        &self.caller
    }

    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    pub fn refused_questions(&self) -> &RefusedQuestions {
        &self.refused_questions
    }

    pub fn cancellations(&self) -> &Cancellations {
        &self.cancellations
    }

    pub fn log(&self) -> &ConnectionLog {
        &self.log
    }
}

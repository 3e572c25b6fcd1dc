//! The state of one connection, and what all connections share: the debates that run
//! here, the seal, and the questions that users refused.

use std::sync::Arc;

use super::cancellations::Cancellations;
use super::logging::ConnectionLog;
use super::refused_questions::RefusedQuestions;
use super::seal::Seal;
use axum::http::request::Parts;
use engine::background::host::Host;
use engine::people::caller::Caller;
use rmcp::model::Extensions;

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
    /// Callers with the server's own token are one, because they cannot be told apart; without a
    /// token there is only the user of this machine.
    pub fn new(host: Host, token: Option<&str>) -> Connection {
        let seal = Arc::new(Seal::new(token));
        Connection {
            host,
            caller: seal.principal().into(),
            seal,
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

    /// The same connection for the one who sent a request. The door has said who that is; a
    /// connection without a door is the machine's own.
    pub fn called_by(&self, sent: &Extensions) -> Connection {
        let Some(parts) = sent.get::<Parts>() else { return self.clone() };
        match parts.extensions.get::<Caller>() {
            Some(Caller::Machine) => self.clone(),
            Some(person) => Connection {
                host: self.host.for_caller(person),
                caller: person.name().into(),
                seal: Arc::new(self.seal.for_person(person.name())),
                ..self.clone()
            },
            None => Connection { host: self.host.for_caller(&Caller::nobody()), ..self.clone() },
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

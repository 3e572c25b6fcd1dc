//! Which call waits for which debate, on one connection. A client that gives a
//! call up says so in a message of its own, which may come before or after the
//! call has got anywhere: whichever is second acts on it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

/// Cheap to clone; one per connection, since request ids mean nothing beyond it.
#[derive(Clone, Default)]
pub struct Watched {
    calls: Arc<Mutex<HashMap<RequestId, Call>>>,
}

enum Call {
    Waits { session: String },
    GivenUp(Why),
}

/// Why a client no longer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It ran out of time; the debate goes on without it.
    Time,
    /// Its user wants it to stop.
    Abort,
}

impl Why {
    /// Clients put their own time-out into the reason; all that were seen do.
    pub fn read(reason: Option<&str>) -> Why {
        let reason = reason.unwrap_or_default().to_lowercase();
        let timed = ["timed out", "timeout", "time-out", "-32001"];
        if timed.iter().any(|sign| reason.contains(sign)) { Why::Time } else { Why::Abort }
    }
}

impl Watched {
    /// A call begins to wait. `Some` where its client has given it up already.
    pub fn waits(&self, request: &RequestId, session: &str) -> Option<Why> {
        let mut calls = self.lock();
        match calls.remove(request) {
            Some(Call::GivenUp(why)) => Some(why),
            _ => {
                calls.insert(request.clone(), Call::Waits { session: session.into() });
                None
            }
        }
    }

    /// A call has got its answer.
    pub fn done(&self, request: &RequestId) {
        self.lock().remove(request);
    }

    /// A client gives a call up. `Some`: the debate it waits for.
    pub fn give_up(&self, request: &RequestId, why: Why) -> Option<String> {
        let mut calls = self.lock();
        match calls.remove(request) {
            Some(Call::Waits { session }) => Some(session),
            _ => {
                calls.insert(request.clone(), Call::GivenUp(why));
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

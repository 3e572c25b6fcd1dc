//! Which call waits for which debate, on one connection, and why a client no
//! longer waits. A client that gives a call up says so in a message of its own,
//! which may come before or after the call has got anywhere: whichever is second
//! acts on it.
//!
//! A client stops waiting because it ran out of time, because its user wants the
//! debate stopped, or because the line broke. The first and the last must cost
//! the debate nothing; the second must not go on costing money. How they are told
//! apart:
//!
//! | where | what comes | it means |
//! |---|---|---|
//! | stdio, both eras; HTTP up to 2025-11-25 | `notifications/cancelled` whose reason speaks of time | out of time: the wait ends, the debate goes on |
//! | the same | any other reason, or none | a user: the wait ends, and a debate that this connection started or went on with is paused |
//! | HTTP up to 2025-11-25 | the stream of the answer closes | nothing: in that era it is no cancel, and the client may fetch the answer later |
//! | HTTP 2026-07-28 | the stream of the answer closes | the call is over: the wait ends, the debate goes on |
//! | stdio | the input ends | the process is about to go: debates are paused, answers on their way are kept |
//!
//! A stream that closes carries no reason. How long the call had run would be a
//! guess: limits are set by each host, and proxies, sleeping laptops and users
//! close at any moment. The two wrong guesses are not alike. A debate that was
//! stopped for a broken line is found standing still by somebody who waited for
//! it; one that goes on unwanted costs no more than its budget, and its result is
//! there. So only words stop a debate there: `control_session`, or `tasks/cancel`.
//! A call that is given up before its debate was written down starts none, whatever
//! the cause.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

/// Calls that were given up before they began to wait, at most. A message may
/// name calls that never wait for anything.
const MOST_EARLY: usize = 64;

/// Cheap to clone; one per connection, since request ids mean nothing beyond it.
#[derive(Clone, Default)]
pub struct Cancellations {
    calls: Arc<Mutex<WaitingCalls>>,
}

#[derive(Default)]
struct WaitingCalls {
    /// The debate each call waits for.
    waiting: HashMap<RequestId, String>,
    /// Given up before they waited, the latest last.
    early: VecDeque<(RequestId, GiveUpReason)>,
    /// Debates that this connection started or went on with. Who only looks at
    /// another's debate does not stop it by looking away.
    held: HashSet<String>,
}

/// Why a client no longer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GiveUpReason {
    /// It ran out of time; the debate goes on without it.
    Time,
    /// Its user wants it to stop.
    Abort,
}

impl GiveUpReason {
    /// Clients put their own time-out into the reason; all that were seen do.
    pub fn read(reason: Option<&str>) -> GiveUpReason {
        let reason = reason.unwrap_or_default().to_lowercase();
        let timed = ["timed out", "timeout", "time-out", "deadline", "-32001"];
        if timed.iter().any(|sign| reason.contains(sign)) {
            GiveUpReason::Time
        } else {
            GiveUpReason::Abort
        }
    }
}

impl Cancellations {
    /// This connection started a debate, or went on with one.
    pub fn holds(&self, session: &str) {
        self.lock().held.insert(session.into());
    }

    /// Returns whether a user who aborts a call for this debate means the debate.
    pub fn is_held(&self, session: &str) -> bool {
        self.lock().held.contains(session)
    }

    /// A call begins to wait. `Some` where its client has given it up already.
    pub fn waits(&self, request: &RequestId, session: &str) -> Option<GiveUpReason> {
        let mut calls = self.lock();
        let given_up = calls.take_early(request);
        if given_up.is_none() {
            calls.waiting.insert(request.clone(), session.into());
        }
        given_up
    }

    /// A call has got its answer.
    pub fn done(&self, request: &RequestId) {
        self.lock().waiting.remove(request);
    }

    /// A client gives a call up. `Some`: the debate it waits for.
    pub fn give_up(&self, request: &RequestId, why: GiveUpReason) -> Option<String> {
        let mut calls = self.lock();
        let session = calls.waiting.remove(request);
        if session.is_none() {
            if calls.early.len() >= MOST_EARLY {
                calls.early.pop_front();
            }
            calls.early.push_back((request.clone(), why));
        }
        session
    }

    fn lock(&self) -> MutexGuard<'_, WaitingCalls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingCalls {
    fn take_early(&mut self, request: &RequestId) -> Option<GiveUpReason> {
        let at = self.early.iter().position(|(id, _)| id == request)?;
        self.early.remove(at).map(|(_, why)| why)
    }
}

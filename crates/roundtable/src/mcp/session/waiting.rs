//! Waiting for a debate without owning it: as long as the caller allows, with news
//! for clients that want it, and never beyond the end of the connection. The debate
//! runs whether or not a client waits.

use std::time::Duration;

use engine::nouns::DebateCommand;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};

use super::cancellations::GiveUpReason;
use super::connection::Connection;
use super::logging::CallLog;
use super::sampling;
use crate::mcp::call::Call;
use crate::mcp::era::ProtocolEra;
use engine::background::host::{ClientAsk, ClientSeat, DebatePhase};
use engine::config::Config;
use engine::error::EngineError;
use engine::sessions::control;

/// Silence longer than ten seconds makes some clients give up.
const HEARTBEAT: Duration = Duration::from_secs(8);
/// The wait in seconds if the caller names none.
const USUAL_WAIT: u64 = 45;
/// The longest a call may wait where the config file does not say.
const MOST_WAIT: u64 = 600;
const MOST_VARIABLE: &str = "ROUNDTABLE_MAX_WAIT_SECONDS";
/// Seats of one wave are asked together: the others come within this time.
const TOGETHER: Duration = Duration::from_millis(60);

/// The end of a wait.
#[derive(Debug)]
pub enum WaitEnd {
    /// No process runs the debate any more.
    AtRest,
    TimeUp,
    /// The client's model is wanted, and the client must be sent to ask it.
    Wanted(Vec<ClientAsk>),
}

/// Returns the seconds to wait, within the server's limits.
pub fn allowed(call: &Call, asked: Option<u64>) -> u64 {
    let most = most(call.host().config()).unwrap_or(MOST_WAIT);
    asked.unwrap_or(USUAL_WAIT).min(most)
}

/// The longest a call may wait, as the environment or else the config file says.
pub fn most(config: &Config) -> Result<u64, EngineError> {
    match config.environment.get(MOST_VARIABLE) {
        Some(text) => text.trim().parse().map_err(|_| {
            EngineError::input(format!(
                "{MOST_VARIABLE}: {text:?} cannot be read; allowed: a whole number of seconds"
            ))
        }),
        None => Ok(config.file.server.most_wait_seconds.unwrap_or(MOST_WAIT)),
    }
}

/// Waits until a debate is at rest, or so many seconds.
pub async fn wait(
    call: &Call,
    id: &str,
    seconds: u64,
    log: Option<&mut CallLog>,
) -> Result<WaitEnd, EngineError> {
    let request = &call.context.id;
    if let Some(why) = call.connection.cancellations().waits(request, id) {
        stop_paying(&call.connection, id, why).await;
        return Ok(WaitEnd::TimeUp);
    }
    let waited = watch(call, id, Instant::now() + Duration::from_secs(seconds), log).await;
    // A call that was given up is left for the message that says why.
    if !call.context.ct.is_cancelled() {
        call.connection.cancellations().done(request);
    }
    waited
}

async fn watch(
    call: &Call,
    id: &str,
    deadline: Instant,
    mut log: Option<&mut CallLog>,
) -> Result<WaitEnd, EngineError> {
    let mut standing = call.host().follow(id).await?;
    let seat = call.host().client_seat(id).filter(|_| call.can_sample());
    if call.brought.is_none()
        && let Some(seat) = &seat
    {
        seat.give_back();
    }
    let mut heartbeat = heartbeat();
    let leaving = call.host().leaving();
    // Kept in this task, so that each question travels with the call it is for.
    let mut asked = FuturesUnordered::new();
    loop {
        let now = standing.borrow_and_update().clone();
        call.progress.lock().await.news(&now).await;
        if let Some(log) = &mut log {
            log.tell(now.trouble.as_deref()).await;
        }
        if now.phase == DebatePhase::AtRest {
            return match now.trouble {
                Some(why) => Err(EngineError::input(format!("the debate broke off: {why}"))),
                None => Ok(WaitEnd::AtRest),
            };
        }
        tokio::select! {
            changed = standing.changed() => if changed.is_err() { return Ok(WaitEnd::AtRest) },
            () = sleep_until(deadline), if asked.is_empty() => return Ok(WaitEnd::TimeUp),
            () = call.context.ct.cancelled() => return Ok(WaitEnd::TimeUp),
            () = leaving.cancelled() => return Ok(WaitEnd::TimeUp),
            _ = heartbeat.tick() => call.progress.lock().await.beat().await,
            wanted = wanted(seat.as_ref()) => match call.era() {
                _ if wanted.is_empty() => {}
                ProtocolEra::Modern => return Ok(WaitEnd::Wanted(wanted)),
                ProtocolEra::Legacy => if let Some(seat) = &seat {
                    let peer = &call.context.peer;
                    asked.extend(wanted.into_iter().map(|one| sampling::ask_now(peer, seat, one)));
                },
            },
            Some(()) = asked.next(), if !asked.is_empty() => {}
        }
    }
}

/// Waits for the next asks of the caller's model; forever, if it has no seat.
async fn wanted(seat: Option<&ClientSeat>) -> Vec<ClientAsk> {
    let Some(seat) = seat else { return std::future::pending().await };
    seat.wants().await;
    tokio::time::sleep(TOGETHER).await;
    seat.take_now()
}

fn heartbeat() -> Interval {
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    heartbeat
}

/// Waits for something else than a debate, such as a user's answer, with signs of
/// life. `None` where the client has given the call up, or the process ends.
pub async fn meanwhile<T>(call: &Call, what: &str, comes: impl Future<Output = T>) -> Option<T> {
    let mut comes = std::pin::pin!(comes);
    let mut heartbeat = heartbeat();
    let leaving = call.host().leaving();
    loop {
        tokio::select! {
            it = &mut comes => return Some(it),
            () = call.context.ct.cancelled() => return None,
            () = leaving.cancelled() => return None,
            _ = heartbeat.tick() => call.progress.lock().await.waits(what).await,
        }
    }
}

/// Pauses a debate whose user aborted the call. A client that timed out may come
/// back; a user who aborts must not pay for an unwanted debate.
pub async fn stop_paying(connection: &Connection, id: &str, why: GiveUpReason) {
    if why == GiveUpReason::Abort && connection.cancellations().is_held(id) {
        // It may be over or paused already; then there is nothing to do.
        let paused = control::control(connection.host().config(), id, DebateCommand::Pause).await;
        if let Err(error) = paused {
            tracing::debug!(%error, id, "an aborted debate was not paused");
        }
    }
}

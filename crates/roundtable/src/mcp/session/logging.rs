//! The log messages that clients receive about debates: one began, a round ended
//! with its agreement, an answer is awaited or was missed, it paused or ended. They
//! are read from the debate's own log, so none is skipped, whichever process runs
//! the debate.
//!
//! The older era sets a level for the whole connection (`logging/setLevel`); until
//! it does, nothing is sent. The stateless era asks with each call, and messages
//! are sent on that call only. Nothing below the level is sent, and no answer of a
//! model.
// The protocol has deprecated logging and keeps it until July 2027 at least.
#![allow(deprecated)]

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use debate::model::{AskId, Event};
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::json;
use tokio::sync::watch;

use crate::mcp::era::ProtocolEra;
use crate::mcp::result::shortening::{rounded, short};
use engine::background::host::{DebatePhase, Host};
use engine::error::EngineError;
use engine::run::spawn;

const LOGGER: &str = "roundtable.debate";
/// The longest message, in characters.
const LONGEST: usize = 300;

/// One line of the log.
#[derive(Debug, Clone, PartialEq)]
struct LogMessage {
    level: LoggingLevel,
    /// A stable name for programs.
    event: &'static str,
    message: String,
    round: Option<u32>,
    /// The agreement of the round, 0 to 1.
    agreement: Option<f64>,
}

/// Reads one debate's log as it grows, and tells what is new.
struct DebateJournal {
    host: Host,
    peer: Peer<RoleServer>,
    id: String,
    /// The last entry that was read; `None`: begin with what comes next.
    read: Option<u64>,
    /// Of the round that was analysed last.
    agreement: Option<f64>,
    /// The opening, until it is sent.
    opened: Option<String>,
    /// The names of the seats, as far as the log was read.
    names: Vec<String>,
}

impl DebateJournal {
    /// `read`: the last entry that the client need not be told of.
    fn new(host: &Host, peer: &Peer<RoleServer>, id: &str, read: Option<u64>) -> DebateJournal {
        DebateJournal {
            host: host.clone(),
            peer: peer.clone(),
            id: id.into(),
            read,
            agreement: None,
            opened: None,
            names: Vec::new(),
        }
    }

    /// Sends what is new; returns `false` if the client is gone.
    async fn tell(&mut self, least: LoggingLevel) -> bool {
        let news = match self.news().await {
            Ok(news) => news,
            Err(error) => {
                tracing::debug!(%error, id = self.id, "a log could not be read");
                return true;
            }
        };
        for entry in news {
            if !self.send(entry, least).await {
                return false;
            }
        }
        true
    }

    /// Sends that the run ended with an error.
    async fn broke_off(&self, least: LoggingLevel, why: &str) {
        let message = format!("The debate broke off: {why}");
        let (level, event) = (LoggingLevel::Error, "broke_off");
        let entry = LogMessage { level, event, message, round: None, agreement: None };
        self.send(entry, least).await;
    }

    async fn news(&mut self) -> Result<Vec<LogMessage>, EngineError> {
        let store = self.host.store_of(&self.id).await?;
        let Some(read) = self.read else {
            self.read = Some(store.get(&self.id).await?.last_seq);
            return Ok(Vec::new());
        };
        let fresh = store.log_after(&self.id, read).await?;
        self.read = fresh.last().map(|recorded| recorded.seq).or(self.read);
        Ok(fresh.iter().filter_map(|recorded| self.entry(&recorded.event)).collect())
    }

    async fn send(&self, entry: LogMessage, least: LoggingLevel) -> bool {
        if rank(entry.level) < rank(least) {
            return true;
        }
        let mut data = json!({
            "sessionId": self.id,
            "event": entry.event,
            "message": short(&entry.message, LONGEST),
        });
        if let Some(round) = entry.round {
            data["round"] = round.into();
        }
        if let Some(share) = entry.agreement {
            data["agreement"] = rounded(share).into();
        }
        let line = LoggingMessageNotificationParam::new(entry.level, data).with_logger(LOGGER);
        self.peer.notify_logging_message(line).await.is_ok()
    }

    fn entry(&mut self, event: &Event) -> Option<LogMessage> {
        use LoggingLevel::{Debug, Info, Notice, Warning};
        let mut agreement = None;
        let (level, event, round, message) = match event {
            Event::Opened { brief, seats, .. } => {
                let (mode, rounds) = (&brief.mode, brief.rounds);
                self.names = seats.iter().map(|seat| seat.name.clone()).collect();
                let seats = seats.len();
                let what = format!("The debate began: {mode}, {seats} agents, rounds: {rounds}.");
                self.opened = Some(what);
                return None;
            }
            Event::Started => {
                let message = self.opened.take().unwrap_or_else(|| "The debate goes on.".into());
                (Info, "started", None, message)
            }
            Event::RoundOpened { round, .. } => {
                (Debug, "round_began", Some(*round), format!("Round {round} began."))
            }
            Event::Answered { turn, .. } => {
                (Debug, "answered", Some(turn.round), format!("{} answered.", turn.agent))
            }
            Event::Missed { gap, .. } => {
                let message =
                    format!("{} gave no answer ({}): {}", gap.agent, gap.class.word(), gap.message);
                (Warning, "missed", Some(gap.round), message)
            }
            Event::Delayed { ask, why, wait_ms } => {
                let seconds = *wait_ms as f64 / 1000.0;
                let message = format!("{} waits {seconds:.1} s: {why}", self.name(ask));
                (Warning, "held_up", round_of(ask), message)
            }
            Event::ClerkFailed { ask, why, .. } => {
                (Warning, "clerk_failed", round_of(ask), format!("The clerk failed: {why}"))
            }
            Event::Analysed { analysis, .. } => {
                self.agreement = analysis.consensus.agreement_level;
                return None;
            }
            Event::RoundClosed { round } => {
                agreement = self.agreement.take();
                let agreed = agreement.map(|share| format!(" with agreement {share:.2}"));
                let message = format!("Round {round} ended{}.", agreed.unwrap_or_default());
                (Info, "round_ended", Some(*round), message)
            }
            Event::ContextAsked { requests } => {
                let people = requests.iter().filter(|it| it.is_turn);
                let names: Vec<&str> = people.map(|it| it.agent.as_str()).collect();
                let message = match names.as_slice() {
                    [] => format!("Agents asked for context: {}.", requests.len()),
                    names => format!("It waits for a person's answer: {}.", names.join(", ")),
                };
                (Notice, "context_asked", None, message)
            }
            Event::Paused { reason } => {
                (Notice, "paused", None, format!("The debate is paused: {}", reason.sentence()))
            }
            Event::Ended { exit, .. } => {
                (Notice, "ended", None, format!("The debate is over: {}", exit.details))
            }
            _ => return None,
        };
        Some(LogMessage { level, event, message, round, agreement })
    }

    /// Returns the name of the seat that a call belongs to.
    fn name(&self, ask: &AskId) -> String {
        match ask.party.seat() {
            None => "The clerk".into(),
            Some(seat) => {
                self.names.get(seat.index()).cloned().unwrap_or_else(|| format!("s{}", seat.0))
            }
        }
    }
}

/// Rounds are counted from 1; what comes before them has none.
fn round_of(ask: &AskId) -> Option<u32> {
    Some(ask.round).filter(|round| *round > 0)
}

/// The protocol's eight levels, the least urgent first.
fn rank(level: LoggingLevel) -> u8 {
    level as u8
}

/// The log that one call of the stateless era asks for.
pub struct CallLog {
    journal: DebateJournal,
    least: LoggingLevel,
}

impl CallLog {
    /// `read`: as in [`DebateJournal::new`]. `None` where the call asks for no log.
    pub fn of(
        host: &Host,
        context: &RequestContext<RoleServer>,
        id: &str,
        read: Option<u64>,
    ) -> Option<CallLog> {
        let modern = ProtocolEra::of(context) == ProtocolEra::Modern;
        let least = context.meta.log_level().filter(|_| modern)?;
        Some(CallLog { journal: DebateJournal::new(host, &context.peer, id, read), least })
    }

    pub async fn tell(&mut self, trouble: Option<&str>) {
        self.journal.tell(self.least).await;
        if let Some(why) = trouble {
            self.journal.broke_off(self.least, why).await;
        }
    }
}

/// The log of one connection of the older era. Cheap to clone.
#[derive(Clone)]
pub struct ConnectionLog {
    level: watch::Sender<Option<LoggingLevel>>,
    followed: Arc<Mutex<HashSet<String>>>,
}

impl Default for ConnectionLog {
    fn default() -> ConnectionLog {
        ConnectionLog { level: watch::Sender::new(None), followed: Arc::default() }
    }
}

impl ConnectionLog {
    pub fn set(&self, level: LoggingLevel) {
        self.level.send_replace(Some(level));
    }

    pub fn is_wanted(&self) -> bool {
        self.level.borrow().is_some()
    }

    /// Sends the news of a debate to the connection until the debate is at rest.
    /// While no level is set, nothing is read; once it is set, everything since the
    /// debate was asked for is sent.
    pub fn follow(
        &self,
        host: &Host,
        context: &RequestContext<RoleServer>,
        id: &str,
        read: Option<u64>,
    ) {
        let id = id.to_owned();
        if ProtocolEra::of(context) == ProtocolEra::Modern {
            return;
        }
        if !self.followed.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone()) {
            return;
        }
        let mut journal = DebateJournal::new(host, &context.peer, &id, read);
        let (log, mut level) = (self.clone(), self.level.subscribe());
        spawn(async move {
            if let Err(error) = until_rest(&mut journal, &mut level).await {
                tracing::debug!(%error, id, "a debate could not be followed");
            }
            log.followed.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        });
    }
}

async fn until_rest(
    journal: &mut DebateJournal,
    level: &mut watch::Receiver<Option<LoggingLevel>>,
) -> Result<(), EngineError> {
    let mut standing = journal.host.follow(&journal.id).await?;
    loop {
        // This is read before the log, so that everything written before the end is
        // still sent.
        let now = standing.borrow_and_update().clone();
        let least = *level.borrow_and_update();
        if let Some(least) = least
            && !journal.tell(least).await
        {
            return Ok(());
        }
        if now.phase == DebatePhase::AtRest {
            if let (Some(why), Some(least)) = (&now.trouble, least) {
                journal.broke_off(least, why).await;
            }
            return Ok(());
        }
        tokio::select! {
            changed = standing.changed() => if changed.is_err() { return Ok(()) },
            changed = level.changed() => if changed.is_err() { return Ok(()) },
        }
    }
}

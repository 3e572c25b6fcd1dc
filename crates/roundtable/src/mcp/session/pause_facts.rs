//! Reads from a debate's log whether going on was already tried in vain.

use debate::model::{Event, PauseReason};

use crate::mcp::result::shapes::StatusWord;
use crate::mcp::result::shaping;
use crate::mcp::result::steps::PauseFacts;
use engine::background::host::{DebateSnapshot, Host};
use engine::table::money;

/// Returns what is known about the pause of a debate; nothing about one that is not
/// paused. A log that cannot be read tells nothing either.
pub async fn of(host: &Host, seen: &DebateSnapshot) -> PauseFacts {
    if shaping::status(seen) != StatusWord::Paused {
        return PauseFacts::default();
    }
    let log = match host.store_of(&seen.id).await {
        Ok(store) => store.log(&seen.id).await.unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    let events = log.iter().map(|recorded| &recorded.event);
    PauseFacts { is_stuck: is_stuck(events), ceiling: money::ceiling(host.config()) }
}

/// Returns whether the last two pauses have the same reason and no answer between them.
fn is_stuck<'e>(events: impl Iterator<Item = &'e Event>) -> bool {
    let mut last: Option<&PauseReason> = None;
    let (mut answered, mut stuck) = (false, false);
    for event in events {
        match event {
            Event::Answered { .. } => answered = true,
            Event::Paused { reason } => {
                let kind = std::mem::discriminant(reason);
                let same = last.is_some_and(|last| std::mem::discriminant(last) == kind);
                stuck = same && !answered;
                (last, answered) = (Some(reason), false);
            }
            _ => {}
        }
    }
    stuck
}

//! Reading stored debates: listing them, and showing a whole debate, one answer, or
//! one agent's path. The only write here is the upgrade of an older database.

use std::collections::{HashMap, HashSet};

use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::*;
use serde::Serialize;
use store::{ListFilter, ListedDebate, LogEntry, Store, StoreError};

use crate::clock;
use crate::config::Config;
use crate::error::{
    AnswerGap, At, EngineError, Problem, Refusal, SessionProblem, SettingName, existing, refuse_all,
};
use crate::export::state::{self, ClaimsTouched};
use crate::run;

/// The statuses a debate can have.
pub const STATUSES: [&str; 5] = ["created", "active", "paused", "completed", "error"];
/// Units of time by their letter, in milliseconds.
const SPANS: [(char, i64); 4] =
    [('m', 60_000), ('h', 3_600_000), ('d', 86_400_000), ('w', 7 * 86_400_000)];

/// A complete stored debate.
pub struct StoredSession {
    pub id: String,
    pub debate: Debate,
    /// Everything that delayed calls: retries, waits, and models that took over.
    pub delays: Vec<Event>,
}

/// A filter for the list of debates, as typed or sent.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    pub status: Option<String>,
    pub mode: Option<String>,
    pub agent: Option<String>,
    pub domain: Option<String>,
    pub search: Option<String>,
    /// A date, a time, or a span back from now such as `7d`.
    pub since: Option<String>,
    pub until: Option<String>,
    pub limit: Option<u32>,
}

/// Checks the filter; the error lists everything that is wrong with it.
pub fn filter(wanted: &SessionFilter) -> Result<ListFilter, EngineError> {
    let mut faults = Vec::new();
    let modes: Vec<&str> = debate::modes::all().iter().map(|plan| plan.name).collect();
    let words = [
        (SettingName::Status, &wanted.status, STATUSES.as_slice()),
        (SettingName::Mode, &wanted.mode, &modes),
    ];
    for (name, given, known) in words {
        if let Some(word) = given.as_deref().filter(|word| !known.contains(word)) {
            faults.push(Refusal::setting(name, word, Problem::unknown(word, known)));
        }
    }
    let mut moment = |name: SettingName, given: &Option<String>| {
        let text = given.as_deref()?;
        let read = moment(text, clock::now_ms());
        if read.is_none() {
            let problem = Problem::malformed(
                "2026-11-15, 2026-11-15T08:00Z, or a span back from now such as 12h, 7d, 4w",
            );
            faults.push(Refusal::setting(name, text, problem));
        }
        read
    };
    let since = moment(SettingName::Since, &wanted.since);
    let until = moment(SettingName::Until, &wanted.until);
    refuse_all(faults)?;
    Ok(ListFilter {
        status: wanted.status.clone(),
        mode: wanted.mode.clone(),
        text: wanted.search.clone(),
        agent: wanted.agent.clone(),
        domain: wanted.domain.as_deref().map(domain_name),
        since,
        until,
        limit: wanted.limit,
        ..ListFilter::default()
    })
}

/// Returns milliseconds since 1970. Dates begin at midnight, where this machine is.
fn moment(text: &str, now: i64) -> Option<i64> {
    let text = text.trim();
    let span = SPANS.iter().find_map(|(letter, ms)| {
        let count: i64 = text.strip_suffix(*letter)?.parse().ok()?;
        (count >= 0).then(|| now.saturating_sub(count.saturating_mul(*ms)))
    });
    let date =
        || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::system()).ok();
    span.or_else(|| {
        text.parse::<jiff::Timestamp>()
            .ok()
            .or_else(|| date().map(|day| day.timestamp()))
            .map(jiff::Timestamp::as_millisecond)
    })
}

/// Opens the database for reading, and upgrades an older one.
#[boxed]
pub async fn look(config: &Config) -> Result<Store, StoreError> {
    match config.read_store().await {
        Err(StoreError::Older { .. }) => {
            Store::open_existing(&config.store).await?.close().await;
            config.read_store().await
        }
        other => other,
    }
}

#[boxed]
pub async fn list(config: &Config, filter: &ListFilter) -> Result<Vec<ListedDebate>, EngineError> {
    match look(config).await {
        Ok(store) => Ok(store.list(filter).await?),
        // No debate has been held yet: the list is empty, which is no error.
        Err(StoreError::Missing { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The end of a debate stands at most this many entries before the end of its log.
const AFTER_END: u64 = 4;

/// Returns the verdict of a finished debate; none if it has none or cannot be read.
#[boxed]
pub async fn verdict(store: &Store, row: &ListedDebate) -> Option<Box<Verdict>> {
    for seq in [row.last_seq.saturating_sub(AFTER_END), 0] {
        let log = store.log_after(&row.id, seq).await.ok()?;
        let ended = log.into_iter().rev().find_map(|entry| match entry.event {
            Event::Ended { verdict, .. } => Some(verdict),
            _ => None,
        });
        if ended.is_some() {
            return ended;
        }
    }
    None
}

/// Returns the verdicts of those debates that are finished, by their ids.
#[boxed]
pub async fn verdicts(
    config: &Config,
    rows: &[ListedDebate],
) -> Result<HashMap<String, Box<Verdict>>, EngineError> {
    let mut found = HashMap::new();
    let finished: Vec<_> = rows.iter().filter(|row| row.status == "completed").collect();
    if finished.is_empty() {
        return Ok(found);
    }
    let store = look(config).await?;
    for row in finished {
        if let Some(verdict) = verdict(&store, row).await {
            found.insert(row.id.clone(), verdict);
        }
    }
    Ok(found)
}

/// Returns the debates that are active but that no process runs, because theirs was
/// killed or the machine went down.
#[boxed]
pub async fn unattended(config: &Config) -> Result<HashSet<String>, EngineError> {
    match config.read_store().await {
        Ok(store) => Ok(run::unattended(&store).await?),
        Err(StoreError::Missing { .. }) => Ok(HashSet::new()),
        Err(error) => Err(error.into()),
    }
}

#[boxed]
pub async fn show(config: &Config, id: &str) -> Result<StoredSession, EngineError> {
    let store = existing(look(config).await, id)?;
    let (id, log) = self::log(&store, id).await?;
    let is_delay = |recorded: &&LogEntry| matches!(recorded.event, Event::Delayed { .. });
    let delays = log.iter().filter(is_delay).map(|recorded| recorded.event.clone()).collect();
    let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))?;
    Ok(StoredSession { id, debate, delays })
}

/// Returns the log of the debate whose id begins with `id`.
#[boxed]
pub async fn log(store: &Store, id: &str) -> Result<(String, Vec<LogEntry>), EngineError> {
    let id = store.find(id).await?.id;
    let log = store.log(&id).await?;
    Ok((id, log))
}

/// Returns the log of a stored debate, without creating a database.
#[boxed]
pub async fn stored_log(config: &Config, id: &str) -> Result<(String, Vec<LogEntry>), EngineError> {
    let store = existing(config.read_store().await, id)?;
    log(&store, id).await
}

/// Returns the round with this number.
pub fn round(room: &Room, number: Round) -> Result<&RoundRecord, EngineError> {
    room.round(number).ok_or_else(|| {
        let problem = SessionProblem::NoSuchRound { held: room.rounds.len() };
        let problem = Problem::Session(problem);
        Refusal::setting(SettingName::Round, number.to_string(), problem).into()
    })
}

/// Returns the seat with this name in any case, or with this number from 1.
pub fn seat<'a>(room: &'a Room, name: &str) -> Result<&'a Seat, EngineError> {
    let wanted = name.trim().to_lowercase();
    let by_number = || room.seats.get(wanted.parse::<usize>().ok()?.checked_sub(1)?);
    let named = room.seats.iter().find(|seat| seat.name.to_lowercase() == wanted);
    named.or_else(by_number).ok_or_else(|| {
        let names: Vec<&str> = room.seats.iter().map(|seat| seat.name.as_str()).collect();
        Refusal::new(At::Agent(name.into()), Problem::unknown(name, &names)).into()
    })
}

/// Returns one answer: `SEAT` for the seat's last one, `SEAT@ROUND` for that of a
/// round.
pub fn answer<'a>(room: &'a Room, asked: &str) -> Result<&'a Turn, EngineError> {
    let in_round = asked
        .rsplit_once('@')
        .and_then(|(name, round)| Some((name, round.trim().parse::<Round>().ok()?)));
    let Some((name, number)) = in_round else {
        let seat = seat(room, asked)?;
        let last = room.rounds.iter().rev().find_map(|record| record.turn(seat.id));
        return last.ok_or_else(|| of_seat(seat, SessionProblem::NoAnswer));
    };
    let seat = seat(room, name)?;
    let record = round(room, number)?;
    record.turn(seat.id).ok_or_else(|| {
        let gap = record.gap(seat.id);
        let gap =
            gap.map(|gap| AnswerGap { class: gap.class.word(), message: gap.message.clone() });
        of_seat(seat, SessionProblem::NoAnswerInRound { round: number, gap })
    })
}

fn of_seat(seat: &Seat, problem: SessionProblem) -> EngineError {
    Refusal::new(At::Agent(seat.name.clone()), Problem::Session(problem)).into()
}

/// One round of an agent's path through the debate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PathStep {
    pub round: Round,
    pub position: Option<String>,
    pub confidence: Option<f64>,
    pub confidence_change: Option<ConfidenceChange>,
    pub stance: Option<Stance>,
    pub vote: Option<Vote>,
    pub answer: Option<Choice>,
    pub claims_touched: ClaimsTouched,
    pub citations_used: Vec<EvidenceId>,
    pub replies_to: Vec<String>,
    /// A change to another answer: from, to, and the reason for it.
    pub change_of_mind: Option<ChangeOfMind>,
    pub gap: Option<Gap>,
}

pub fn path(room: &Room, seat: &Seat) -> Vec<PathStep> {
    let changes = room.verdict.as_ref().map(|verdict| verdict.evidence.weighing.changes.as_slice());
    let step = |record: &RoundRecord| {
        let turn = record.turn(seat.id);
        let answer = turn.map(|turn| &turn.answer);
        let touched = record.touched.get(seat.id.index()).cloned().unwrap_or_default();
        let mut change = changes.unwrap_or_default().iter();
        PathStep {
            round: record.number,
            position: answer.map(|answer| answer.position.clone()),
            confidence: answer.and_then(|answer| answer.confidence),
            confidence_change: turn.and_then(|turn| turn.confidence_change.clone()),
            stance: answer.and_then(|answer| answer.stance),
            vote: answer.and_then(|answer| answer.vote.clone()),
            answer: answer.and_then(|answer| answer.answer.clone()),
            citations_used: touched.citations_used,
            replies_to: state::names(room, &touched.replies_to),
            claims_touched: ClaimsTouched {
                introduced: touched.introduced,
                reinforced: touched.reinforced,
                challenged: touched.challenged,
            },
            change_of_mind: change
                .find(|one| one.seat == seat.id && one.round == record.number)
                .cloned(),
            gap: record.gap(seat.id).cloned(),
        }
    };
    room.rounds.iter().map(step).collect()
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;

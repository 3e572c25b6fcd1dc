//! The row per debate that listings read. It is made from the events, in the
//! same transaction as they are, and carries a hash of its own: a damaged row
//! is listed as damaged, without its words.

use debate::model::{Bill, Brief, Event};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::rows::digest;
use crate::script::Script;

/// The status of a debate whose row in the listing is damaged.
pub const DAMAGED: &str = "damaged";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedDebate {
    pub id: String,
    pub topic: String,
    pub mode: String,
    /// The names of the agents in seat order.
    pub agents: Vec<String>,
    /// The word of [`debate::model::Status`], or [`DAMAGED`].
    pub status: String,
    pub rounds: u32,
    pub rounds_done: u32,
    pub cost_micro: u64,
    /// Calls whose price is not known and not in `cost_micro`.
    pub unpriced_calls: u32,
    pub created: i64,
    pub updated: i64,
    pub last_seq: u64,
}

/// What some events change in a debate's row. Made before the writer's turn,
/// so that the one task that writes has little to do.
#[derive(Debug, Default)]
pub(crate) struct Change {
    opening: Option<Opening>,
    status: Option<&'static str>,
    rounds_done: Option<u32>,
    cost_micro: u64,
    unpriced_calls: u32,
    /// The machine's own sum of all before, once it has made one: it counts,
    /// ours estimates.
    settled: Option<(u64, u32)>,
}

#[derive(Debug)]
struct Opening {
    topic: String,
    mode: String,
    agents: Vec<String>,
    rounds: u32,
    words: String,
}

impl Change {
    pub(crate) fn of(events: &[Event]) -> Change {
        let mut change = Change::default();
        for event in events {
            change.take(event);
        }
        change
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::Opened { brief, .. } => {
                self.opening = Some(opening(brief));
                self.status = Some("created");
            }
            Event::Started => self.status = Some("active"),
            Event::Paused { .. } => self.status = Some("paused"),
            Event::Ended { verdict, .. } => {
                let spent = &verdict.metadata.spent;
                self.status = Some("completed");
                self.settled = Some((spent.cost.0, spent.unpriced_calls));
                (self.cost_micro, self.unpriced_calls) = (0, 0);
            }
            Event::RoundClosed { round } => self.rounds_done = Some(*round),
            Event::PerspectivesNamed { bill, .. }
            | Event::ClerkFailed { bill, .. }
            | Event::StandsRead { bill, .. }
            | Event::DomainNamed { bill, .. }
            | Event::OutcomeDrafted { bill, .. }
            | Event::Unreadable { bill, .. }
            | Event::Unfinished { bill, .. } => self.pay(bill),
            Event::Worked { reply, .. } => self.pay(&reply.bill),
            Event::Answered { turn, .. } => self.pay(&turn.bill),
            Event::Missed { gap, .. } => self.pay(&gap.bill),
            Event::Summarised { bill: Some(bill), .. }
            | Event::DepthChosen { bill: Some(bill), .. }
            | Event::Judged { bill: Some(bill), .. }
            | Event::Synthesised { bill, .. } => self.pay(bill),
            _ => {}
        }
    }

    fn pay(&mut self, bill: &Bill) {
        match bill.cost {
            Some(cost) => self.cost_micro = self.cost_micro.saturating_add(cost.0),
            None => self.unpriced_calls = self.unpriced_calls.saturating_add(1),
        }
    }

    /// The row of a new debate. `None` if the events do not open one.
    pub(crate) fn begin(&self, id: &str, at: i64) -> Option<ListedDebate> {
        let opening = self.opening.as_ref()?;
        let mut listed = ListedDebate {
            id: id.into(),
            topic: opening.topic.clone(),
            mode: opening.mode.clone(),
            agents: opening.agents.clone(),
            status: String::new(),
            rounds: opening.rounds,
            rounds_done: 0,
            cost_micro: 0,
            unpriced_calls: 0,
            created: at,
            updated: at,
            last_seq: 0,
        };
        self.apply(&mut listed, at, 0);
        Some(listed)
    }

    pub(crate) fn words(&self) -> &str {
        self.opening.as_ref().map_or("", |opening| &opening.words)
    }

    pub(crate) fn apply(&self, listed: &mut ListedDebate, at: i64, count: usize) {
        if let Some(status) = self.status {
            listed.status = status.into();
        }
        if let Some(round) = self.rounds_done {
            listed.rounds_done = round;
        }
        let (cost, unpriced) = self.settled.unwrap_or((listed.cost_micro, listed.unpriced_calls));
        listed.cost_micro = cost.saturating_add(self.cost_micro);
        listed.unpriced_calls = unpriced.saturating_add(self.unpriced_calls);
        // A clock set back must not make a debate older than it was.
        listed.updated = listed.updated.max(at);
        listed.last_seq += count as u64;
    }
}

fn opening(brief: &Brief) -> Opening {
    let agents: Vec<String> = brief.agents.iter().map(|agent| agent.name.clone()).collect();
    let project = brief.project.as_deref().unwrap_or("");
    let words = format!("{}\n{}\n{project}", brief.topic, agents.join("\n")).to_lowercase();
    Opening {
        topic: brief.topic.clone(),
        mode: brief.mode.clone(),
        agents,
        rounds: brief.rounds,
        words,
    }
}

impl ListedDebate {
    fn agents_json(&self) -> String {
        serde_json::Value::from(self.agents.clone()).to_string()
    }

    fn hash(&self) -> Vec<u8> {
        let numbers = [
            i64::from(self.rounds),
            i64::from(self.rounds_done),
            signed(self.cost_micro),
            i64::from(self.unpriced_calls),
            self.created,
            self.updated,
            signed(self.last_seq),
        ];
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        digest(&[
            b"debate",
            self.id.as_bytes(),
            self.topic.as_bytes(),
            self.mode.as_bytes(),
            self.agents_json().as_bytes(),
            self.status.as_bytes(),
            &numbers,
        ])
    }

    /// Reads a row of the table `debates`. The error says only where it stands
    /// in the listing, as far as that could be read.
    pub(crate) fn read(row: &SqliteRow) -> Result<ListedDebate, ListPosition> {
        match Self::fields(row) {
            Some((listed, hash)) if listed.hash() == hash => Ok(listed),
            _ => Err(ListPosition {
                id: row.try_get("id").unwrap_or_default(),
                created: row.try_get("created").unwrap_or_default(),
            }),
        }
    }

    fn fields(row: &SqliteRow) -> Option<(ListedDebate, Vec<u8>)> {
        let number = |name: &str| row.try_get::<i64, _>(name).ok();
        let agents: String = row.try_get("agents").ok()?;
        let listed = ListedDebate {
            id: row.try_get("id").ok()?,
            topic: row.try_get("topic").ok()?,
            mode: row.try_get("mode").ok()?,
            agents: serde_json::from_str(&agents).ok()?,
            status: row.try_get("status").ok()?,
            rounds: number("rounds")?.try_into().ok()?,
            rounds_done: number("rounds_done")?.try_into().ok()?,
            cost_micro: number("cost_micro")?.try_into().ok()?,
            unpriced_calls: number("unpriced_calls")?.try_into().ok()?,
            created: number("created")?,
            updated: number("updated")?,
            last_seq: number("last_seq")?.try_into().ok()?,
        };
        Some((listed, row.try_get("hash").ok()?))
    }

    /// What is shown of a debate whose row is damaged.
    pub(crate) fn damaged(place: ListPosition) -> ListedDebate {
        ListedDebate {
            id: place.id,
            topic: String::new(),
            mode: String::new(),
            agents: Vec::new(),
            status: DAMAGED.into(),
            rounds: 0,
            rounds_done: 0,
            cost_micro: 0,
            unpriced_calls: 0,
            created: place.created,
            updated: 0,
            last_seq: 0,
        }
    }

    pub fn place(&self) -> ListPosition {
        ListPosition { created: self.created, id: self.id.clone() }
    }
}

/// Where a debate stands in the listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPosition {
    pub created: i64,
    pub id: String,
}

/// SQLite's whole numbers have a sign. Sums of money beyond 9 trillion dollars
/// are cut there.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn insert(script: &mut Script, listed: &ListedDebate, words: &str) {
    script
        .say(
            "INSERT INTO debates (id, topic, mode, agents, status, rounds, rounds_done, cost_micro,
                 unpriced_calls, created, updated, last_seq, words, hash)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .with(listed.id.as_str())
        .with(listed.topic.as_str())
        .with(listed.mode.as_str())
        .with(listed.agents_json())
        .with(listed.status.as_str())
        .with(i64::from(listed.rounds))
        .with(i64::from(listed.rounds_done))
        .with(signed(listed.cost_micro))
        .with(i64::from(listed.unpriced_calls))
        .with(listed.created)
        .with(listed.updated)
        .with(signed(listed.last_seq))
        .with(words)
        .with(listed.hash());
}

pub(crate) fn update(script: &mut Script, listed: &ListedDebate) {
    script
        .say(
            "UPDATE debates SET status = ?, rounds_done = ?, cost_micro = ?, unpriced_calls = ?,
                 updated = ?, last_seq = ?, hash = ? WHERE id = ?",
        )
        .with(listed.status.as_str())
        .with(i64::from(listed.rounds_done))
        .with(signed(listed.cost_micro))
        .with(i64::from(listed.unpriced_calls))
        .with(listed.updated)
        .with(signed(listed.last_seq))
        .with(listed.hash())
        .with(listed.id.as_str());
}

//! The row per debate that listings read. It is made from the events, in the
//! same transaction as they are, and carries a hash of its own: a damaged row
//! is listed as damaged, without its words.

use debate::model::{Bill, Brief, Event};

use crate::error::{DebateHint, StoreError};
use crate::log_row::{LogEntry, digest, signed};

/// The status of a debate whose row in the listing is damaged.
pub const DAMAGED: &str = "damaged";

const DEFAULT_LIMIT: u32 = 50;

/// One debate as a listing shows it.
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
    /// The id of the debate that it comes after.
    pub after: Option<String>,
    /// The person whose debate it is; `None`: the machine's own.
    pub owner: Option<String>,
    /// True if the whole team may read it.
    pub shared: bool,
}

/// The changes that some events make to a debate's row. They are computed
/// before the writer's turn, so that the one task that writes has little to do.
#[derive(Debug, Default)]
pub(crate) struct RowChange {
    opening: Option<RowOpening>,
    status: Option<&'static str>,
    rounds_done: Option<u32>,
    cost_micro: u64,
    unpriced_calls: u32,
    /// The machine's own sum of all before, once it has made one: it counts,
    /// ours estimates.
    settled: Option<(u64, u32)>,
}

#[derive(Debug)]
struct RowOpening {
    topic: String,
    mode: String,
    agents: Vec<String>,
    rounds: u32,
    words: String,
    after: Option<String>,
    /// The last round that an earlier debate has paid for.
    shared_rounds: Option<u32>,
}

impl RowChange {
    pub(crate) fn of(events: &[Event]) -> RowChange {
        let mut change = RowChange::default();
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
            Event::RoundClosed { round } => {
                self.rounds_done = Some(*round);
                if self.opening.as_ref().and_then(|opening| opening.shared_rounds) == Some(*round) {
                    (self.cost_micro, self.unpriced_calls) = (0, 0);
                }
            }
            // The event that settles a held answer carries the same bill.
            Event::Held { .. } => {}
            // Old logs do not name the call that judged.
            Event::Judged { bill: Some(bill), .. } => self.pay(bill),
            other => {
                if let Some((_, bill)) = other.ends() {
                    self.pay(bill);
                }
            }
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
            after: opening.after.clone(),
            owner: None,
            shared: false,
        };
        self.apply(&mut listed, at, 0);
        Some(listed)
    }

    /// Tells whether a row is what its log makes of it. A writer may have gone on since the row
    /// was read.
    pub(crate) fn fits(listed: &ListedDebate, log: Vec<LogEntry>) -> bool {
        let log = log.into_iter().take_while(|entry| entry.seq <= listed.last_seq);
        let events: Vec<Event> = log.map(|entry| entry.event).collect();
        RowChange::of(&events).begin(&listed.id, listed.created).is_some_and(|again| {
            (&again.topic, &again.status, again.rounds_done, again.cost_micro)
                == (&listed.topic, &listed.status, listed.rounds_done, listed.cost_micro)
        })
    }

    /// The status that the events give the debate.
    pub(crate) fn status(&self) -> Option<&'static str> {
        self.status
    }

    /// Tells whether nothing more is said in the debate, for good or for a while.
    pub(crate) fn rests(&self) -> bool {
        matches!(self.status, Some("completed" | "paused"))
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

fn opening(brief: &Brief) -> RowOpening {
    let agents: Vec<String> = brief.agents.iter().map(|agent| agent.name.clone()).collect();
    let project = brief.project.as_deref().unwrap_or("");
    let words = format!("{}\n{}\n{project}", brief.topic, agents.join("\n")).to_lowercase();
    RowOpening {
        topic: brief.topic.clone(),
        mode: brief.mode.clone(),
        agents,
        rounds: brief.rounds,
        words,
        after: brief.after.as_ref().map(|earlier| earlier.id.clone()),
        shared_rounds: brief.after.as_ref().and_then(|earlier| earlier.shared_rounds()),
    }
}

impl ListedDebate {
    pub(crate) fn agents_json(&self) -> String {
        serde_json::Value::from(self.agents.clone()).to_string()
    }

    pub(crate) fn hash(&self) -> Vec<u8> {
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
        let agents = self.agents_json();
        let mut fields: Vec<&[u8]> = vec![
            b"debate",
            self.id.as_bytes(),
            self.topic.as_bytes(),
            self.mode.as_bytes(),
            agents.as_bytes(),
            self.status.as_bytes(),
            &numbers,
        ];
        // Rows that come after no other and have no owner keep the hash they always had.
        fields.extend(self.after.as_deref().map(str::as_bytes));
        if let Some(owner) = &self.owner {
            fields.extend([b"owner".as_slice(), owner.as_bytes()]);
        }
        if self.shared {
            fields.push(b"shared");
        }
        digest(&fields)
    }

    /// Checks a row that was read. The error says only where it stands in the
    /// listing.
    pub(crate) fn check(
        read: Option<(ListedDebate, Vec<u8>)>,
        position: impl FnOnce() -> ListPosition,
    ) -> Result<ListedDebate, ListPosition> {
        match read {
            Some((listed, hash)) if listed.hash() == hash => Ok(listed),
            _ => Err(position()),
        }
    }

    pub(crate) fn hint(self) -> DebateHint {
        DebateHint { id: self.id, topic: self.topic }
    }

    /// The row shown for a debate whose own row is damaged.
    pub(crate) fn damaged(position: ListPosition) -> ListedDebate {
        ListedDebate {
            id: position.id,
            topic: String::new(),
            mode: String::new(),
            agents: Vec::new(),
            status: DAMAGED.into(),
            rounds: 0,
            rounds_done: 0,
            cost_micro: 0,
            unpriced_calls: 0,
            created: position.created,
            updated: 0,
            last_seq: 0,
            after: None,
            owner: None,
            shared: false,
        }
    }

    pub fn position(&self) -> ListPosition {
        ListPosition { created: self.created, id: self.id.clone() }
    }
}

/// The position of a debate in the listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPosition {
    pub created: i64,
    pub id: String,
}

/// The debates to list, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListFilter {
    pub status: Option<String>,
    pub mode: Option<String>,
    /// The whole topic, to the letter.
    pub topic: Option<String>,
    /// Looked for in topic, agents and project, whatever the case, and as words
    /// in all answers.
    pub text: Option<String>,
    /// Part of an agent's name, or of `provider/model`.
    pub agent: Option<String>,
    /// The domain's name, as [`debate::model::domain_name`] writes it.
    pub domain: Option<String>,
    /// Begun at this moment or later.
    pub since: Option<i64>,
    /// Begun before this moment.
    pub until: Option<i64>,
    /// 50 where none is given.
    pub limit: Option<u32>,
    /// Only the debates after this one in the listing: [`ListedDebate::position`].
    pub before: Option<ListPosition>,
}

impl ListFilter {
    /// Tells whether every debate fits.
    pub(crate) fn is_everything(&self) -> bool {
        ListFilter { limit: None, ..self.clone() } == ListFilter::default()
    }

    pub(crate) fn limit(&self) -> i64 {
        i64::from(self.limit.unwrap_or(DEFAULT_LIMIT))
    }

    /// The first moment that fits, and the first after it that does not. There are always
    /// both: a limit that may be missing would have the engine read every debate there is.
    pub(crate) fn span(&self) -> (i64, i64) {
        (self.since.unwrap_or(i64::MIN), self.until.unwrap_or(i64::MAX))
    }
}

/// The debate that is meant among those whose ids begin with `start`: the one with just that id,
/// or the only one. `None` where there is none.
pub(crate) fn meant(
    asked: &str,
    start: &str,
    mut found: Vec<ListedDebate>,
) -> Result<Option<ListedDebate>, StoreError> {
    if let Some(exact) = found.iter().position(|debate| debate.id == start) {
        return Ok(Some(found.swap_remove(exact)));
    }
    if found.len() > 1 {
        let candidates = found.into_iter().map(ListedDebate::hint).collect();
        return Err(StoreError::Ambiguous { asked: asked.into(), candidates });
    }
    Ok(found.pop())
}

//! What can be written, each as one piece of work inside a transaction that
//! the writer holds. Work looks first and writes last, so that what is refused
//! has left nothing behind, and says why.

use std::borrow::Cow;

use debate::model::{ContextId, GivenContext};
use sqlx::Row;
use sqlx::sqlite::SqliteConnection;

use crate::books::{Caps, Entries};
use crate::error::StoreError;
use crate::import::Import;
use crate::listing::{self, Change, signed};
use crate::outcomes;
use crate::rows::{Sheet, digest};
use crate::script::Script;
use crate::search;
use crate::standing::{Holder, Standing};

/// The right to run a debate. Every append carries it; once another process has
/// claimed the debate, the old claim can no longer write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub id: String,
    pub owner: String,
    pub epoch: u64,
}

/// What a person asks of a debate that another process may be running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Pause,
    Resume,
    Stop,
    Remark(String),
    Focus(String),
    /// What the caller says to a request of an agent's.
    Context {
        request: ContextId,
        given: GivenContext,
    },
}

impl Command {
    fn row(&self) -> (&'static str, Cow<'_, str>) {
        match self {
            Command::Pause => ("pause", "".into()),
            Command::Resume => ("resume", "".into()),
            Command::Stop => ("stop", "".into()),
            Command::Remark(text) => ("remark", text.into()),
            Command::Focus(text) => ("focus", text.into()),
            // The name is one word, so the first blank ends it.
            Command::Context { request, given: GivenContext::Answered { text } } => {
                ("answer", format!("{request} {text}").into())
            }
            Command::Context { request, given: GivenContext::Declined } => {
                ("decline", request.to_string().into())
            }
        }
    }

    pub(crate) fn from_row(kind: &str, text: String) -> Option<Command> {
        match kind {
            "pause" => Some(Command::Pause),
            "resume" => Some(Command::Resume),
            "stop" => Some(Command::Stop),
            "remark" => Some(Command::Remark(text)),
            "focus" => Some(Command::Focus(text)),
            "answer" => {
                let (request, text) = text.split_once(' ')?;
                let given = GivenContext::Answered { text: text.into() };
                Some(Command::Context { request: request.parse().ok()?, given })
            }
            "decline" => {
                let request = text.parse().ok()?;
                Some(Command::Context { request, given: GivenContext::Declined })
            }
            _ => None,
        }
    }
}

/// A command that waits to be obeyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub id: String,
    /// Counted from 1 within the debate.
    pub number: u64,
    pub at: i64,
    pub command: Command,
}

/// What became of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Nobody has seen it yet.
    Waiting,
    Obeyed,
    Refused(String),
}

/// Whether a lease that still runs keeps others out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Respect {
    Lease,
    /// The caller knows that the holder is dead.
    Nobody,
}

#[derive(Debug)]
pub(crate) enum Work {
    Create { id: String, at: i64, sheets: Vec<Sheet>, change: Change, entries: Entries },
    Append(Append),
    Import(Import),
    Claim { id: String, owner: String, now: i64, until: i64, respect: Respect },
    Renew { claim: Claim, until: i64 },
    Release { claim: Claim },
    Command { id: String, at: i64, command: Command },
    Refuse { claim: Claim, number: u64, why: String },
    Delete { id: String, now: i64 },
    Outcomes(Vec<outcomes::Entry>),
}

#[derive(Debug)]
pub(crate) struct Append {
    pub claim: Claim,
    pub expected: u64,
    pub at: i64,
    pub sheets: Vec<Sheet>,
    pub change: Change,
    pub entries: Entries,
    /// Limits that the calls about to be sent must keep.
    pub caps: Option<Caps>,
    /// Commands up to this number are obeyed by these events.
    pub handled: Option<u64>,
}

impl Work {
    /// What the number means depends on the work: the last entry, the epoch, the
    /// number of the command.
    pub(crate) async fn run(&self, connection: &mut SqliteConnection) -> Result<u64, StoreError> {
        match self {
            Work::Create { id, at, sheets, change, entries } => {
                create(connection, id, *at, sheets, (change, entries)).await
            }
            Work::Append(append) => append.run(connection).await,
            Work::Import(import) => import.run(connection).await,
            Work::Claim { id, owner, now, until, respect } => {
                claim(connection, id, owner, *now, *until, *respect).await
            }
            Work::Renew { claim, until } => {
                hand_over(connection, claim, Some(&claim.owner), *until).await
            }
            Work::Release { claim } => hand_over(connection, claim, None, 0).await,
            Work::Command { id, at, command } => send(connection, id, *at, command).await,
            Work::Refuse { claim, number, why } => refuse(connection, claim, *number, why).await,
            Work::Delete { id, now } => delete(connection, id, *now).await,
            Work::Outcomes(entries) => outcomes::write(connection, entries).await,
        }
    }
}

async fn create(
    connection: &mut SqliteConnection,
    id: &str,
    at: i64,
    sheets: &[Sheet],
    (change, entries): (&Change, &Entries),
) -> Result<u64, StoreError> {
    let mut standing = Standing::of(connection, id, &[], &entries.asks()).await?;
    if standing.exists() {
        return Err(StoreError::Exists { id: id.into() });
    }
    let Some(mut listed) = change.begin(id, at) else {
        let why = "a log begins with the event that opens the debate".into();
        return Err(StoreError::Unstorable { id: id.into(), why });
    };
    listed.last_seq = sheets.len() as u64;
    let mut script = Script::default();
    listing::insert(&mut script, &listed, change.words());
    write(&mut script, id, at, sheets);
    entries.write(&mut script, id, &mut standing);
    script.run(connection).await?;
    Ok(listed.last_seq)
}

impl Append {
    async fn run(&self, connection: &mut SqliteConnection) -> Result<u64, StoreError> {
        let id = &self.claim.id;
        let accounts = self.caps.map_or_else(Vec::new, |_| self.entries.accounts(id));
        let asks = self.entries.asks();
        let mut standing = Standing::of(connection, id, &accounts, &asks).await?;
        let mut listed = standing.listed(id)?;
        standing.hold(&self.claim)?;
        if listed.last_seq != self.expected {
            return Err(StoreError::Conflict {
                id: id.clone(),
                expected: self.expected,
                found: listed.last_seq,
            });
        }
        if let Some(caps) = &self.caps {
            self.entries.check(id, caps, &standing)?;
        }
        let mut script = Script::default();
        write(&mut script, id, self.at, &self.sheets);
        self.entries.write(&mut script, id, &mut standing);
        self.change.apply(&mut listed, self.at, self.sheets.len());
        listing::update(&mut script, &listed);
        if let Some(number) = self.handled {
            script
                .say(
                    "UPDATE commands SET handled = 1
                     WHERE debate_id = ? AND number <= ? AND handled = 0",
                )
                .with(id.as_str())
                .with(signed(number));
        }
        script.run(connection).await?;
        Ok(listed.last_seq)
    }
}

fn write(script: &mut Script, id: &str, at: i64, sheets: &[Sheet]) {
    if sheets.is_empty() {
        return;
    }
    script.say("INSERT INTO events (debate_id, seq, at, kind, json, hash) VALUES ");
    let mut row = "(?, ?, ?, ?, ?, ?)";
    for sheet in sheets {
        script.and(row).with(id).with(signed(sheet.seq)).with(at).with(sheet.kind);
        script.with(sheet.json.as_str()).with(sheet.hash.as_slice());
        row = ", (?, ?, ?, ?, ?, ?)";
    }
    for sheet in sheets.iter().filter(|sheet| sheet.kind == search::KIND) {
        search::enter(script, id, sheet.seq);
    }
}

async fn standing(connection: &mut SqliteConnection, id: &str) -> Result<Standing, StoreError> {
    Standing::of(connection, id, &[], &[]).await
}

async fn claim(
    connection: &mut SqliteConnection,
    id: &str,
    owner: &str,
    now: i64,
    until: i64,
    respect: Respect,
) -> Result<u64, StoreError> {
    let standing = standing(connection, id).await?;
    standing.must_exist(id)?;
    let epoch = standing.holder().map_or(0, |holder| holder.epoch) + 1;
    if let Some(Holder { owner: Some(other), until, .. }) = standing.holder()
        && respect == Respect::Lease
        && *until > now
    {
        return Err(StoreError::Taken { id: id.into(), owner: other.clone(), until: *until });
    }
    sqlx::query(
        "INSERT INTO runs (debate_id, epoch, owner, lease_until) VALUES ($1, $2, $3, $4)
         ON CONFLICT (debate_id) DO UPDATE
         SET epoch = excluded.epoch, owner = excluded.owner, lease_until = excluded.lease_until",
    )
    .bind(id)
    .bind(epoch)
    .bind(owner)
    .bind(until)
    .execute(connection)
    .await?;
    Ok(u64::try_from(epoch).unwrap_or(0))
}

/// Changes who runs a debate and until when, if the claim still holds.
async fn hand_over(
    connection: &mut SqliteConnection,
    claim: &Claim,
    owner: Option<&str>,
    until: i64,
) -> Result<u64, StoreError> {
    let changed = sqlx::query(
        "UPDATE runs SET owner = $4, lease_until = $5
         WHERE debate_id = $1 AND epoch = $2 AND owner = $3",
    )
    .bind(&claim.id)
    .bind(signed(claim.epoch))
    .bind(&claim.owner)
    .bind(owner)
    .bind(until)
    .execute(connection)
    .await?;
    match changed.rows_affected() {
        0 => Err(StoreError::NotRunner { id: claim.id.clone() }),
        _ => Ok(claim.epoch),
    }
}

async fn send(
    connection: &mut SqliteConnection,
    id: &str,
    at: i64,
    command: &Command,
) -> Result<u64, StoreError> {
    standing(connection, id).await?.must_exist(id)?;
    let last: i64 =
        sqlx::query("SELECT COALESCE(MAX(number), 0) FROM commands WHERE debate_id = $1")
            .bind(id)
            .fetch_one(&mut *connection)
            .await?
            .try_get(0)?;
    let (kind, text) = command.row();
    sqlx::query(
        "INSERT INTO commands (debate_id, number, at, kind, text, handled, hash)
         VALUES ($1, $2, $3, $4, $5, 0, $6)",
    )
    .bind(id)
    .bind(last + 1)
    .bind(at)
    .bind(kind)
    .bind(text.as_ref())
    .bind(command_hash(id, last + 1, at, kind, &text))
    .execute(connection)
    .await?;
    Ok(u64::try_from(last + 1).unwrap_or(0))
}

/// Marks one command as not obeyed, and says why.
async fn refuse(
    connection: &mut SqliteConnection,
    claim: &Claim,
    number: u64,
    why: &str,
) -> Result<u64, StoreError> {
    standing(connection, &claim.id).await?.hold(claim)?;
    sqlx::query(
        "UPDATE commands SET handled = 1, refusal = $3 WHERE debate_id = $1 AND number = $2",
    )
    .bind(&claim.id)
    .bind(signed(number))
    .bind(why)
    .execute(connection)
    .await?;
    Ok(number)
}

pub(crate) fn command_hash(id: &str, number: i64, at: i64, kind: &str, text: &str) -> Vec<u8> {
    let (number, at) = (number.to_le_bytes(), at.to_le_bytes());
    digest(&[b"command", id.as_bytes(), &number, &at, kind.as_bytes(), text.as_bytes()])
}

/// Refuses while somebody runs it.
async fn delete(connection: &mut SqliteConnection, id: &str, now: i64) -> Result<u64, StoreError> {
    let standing = standing(connection, id).await?;
    standing.must_exist(id)?;
    if let Some(Holder { owner: Some(owner), until, .. }) = standing.holder()
        && *until > now
    {
        return Err(StoreError::Taken { id: id.into(), owner: owner.clone(), until: *until });
    }
    search::forget(connection, id).await?;
    let mut rows = 0;
    for sql in [
        "DELETE FROM commands WHERE debate_id = $1",
        "DELETE FROM parties WHERE debate_id = $1",
        "DELETE FROM runs WHERE debate_id = $1",
        "DELETE FROM events WHERE debate_id = $1",
        "DELETE FROM debates WHERE id = $1",
    ] {
        rows += sqlx::query(sql).bind(id).execute(&mut *connection).await?.rows_affected();
    }
    Ok(rows)
}

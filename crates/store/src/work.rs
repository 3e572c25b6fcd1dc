//! What can be written, each as one piece of work inside a transaction that
//! the writer holds. Work that is refused leaves nothing behind and says why.

use sqlx::Row;
use sqlx::sqlite::SqliteConnection;

use crate::books::{Caps, Entries};
use crate::error::StoreError;
use crate::listing::{self, Change, signed};
use crate::outcomes;
use crate::rows::{Sheet, digest};

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
}

impl Command {
    fn row(&self) -> (&'static str, &str) {
        match self {
            Command::Pause => ("pause", ""),
            Command::Resume => ("resume", ""),
            Command::Stop => ("stop", ""),
            Command::Remark(text) => ("remark", text),
            Command::Focus(text) => ("focus", text),
        }
    }

    pub(crate) fn from_row(kind: &str, text: String) -> Option<Command> {
        match kind {
            "pause" => Some(Command::Pause),
            "resume" => Some(Command::Resume),
            "stop" => Some(Command::Stop),
            "remark" => Some(Command::Remark(text)),
            "focus" => Some(Command::Focus(text)),
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
                let last = create(connection, id, *at, sheets, change).await?;
                entries.write(connection, id).await?;
                Ok(last)
            }
            Work::Append(append) => append.run(connection).await,
            Work::Claim { id, owner, now, until, respect } => {
                claim(connection, id, owner, *now, *until, *respect).await
            }
            Work::Renew { claim, until } => renew(connection, claim, *until).await,
            Work::Release { claim } => release(connection, claim).await,
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
    change: &Change,
) -> Result<u64, StoreError> {
    if exists(connection, id).await? {
        return Err(StoreError::Exists { id: id.into() });
    }
    let Some(mut listed) = change.begin(id, at) else {
        let why = "a log begins with the event that opens the debate".into();
        return Err(StoreError::Unstorable { id: id.into(), why });
    };
    listed.last_seq = sheets.len() as u64;
    listing::insert(connection, &listed, change.words()).await?;
    write(connection, id, at, sheets).await?;
    Ok(listed.last_seq)
}

impl Append {
    async fn run(&self, connection: &mut SqliteConnection) -> Result<u64, StoreError> {
        let id = &self.claim.id;
        let Some(mut listed) = listing::load(connection, id).await? else {
            return Err(StoreError::Unknown { asked: id.clone(), recent: Vec::new() });
        };
        hold(connection, &self.claim).await?;
        if listed.last_seq != self.expected {
            return Err(StoreError::Conflict {
                id: id.clone(),
                expected: self.expected,
                found: listed.last_seq,
            });
        }
        if let Some(caps) = &self.caps {
            self.entries.check(connection, id, caps).await?;
        }
        write(connection, id, self.at, &self.sheets).await?;
        self.entries.write(connection, id).await?;
        self.change.apply(&mut listed, self.at, self.sheets.len());
        listing::update(connection, &listed).await?;
        if let Some(number) = self.handled {
            sqlx::query(
                "UPDATE commands SET handled = 1
                 WHERE debate_id = $1 AND number <= $2 AND handled = 0",
            )
            .bind(id)
            .bind(signed(number))
            .execute(connection)
            .await?;
        }
        Ok(listed.last_seq)
    }
}

async fn write(
    connection: &mut SqliteConnection,
    id: &str,
    at: i64,
    sheets: &[Sheet],
) -> Result<(), StoreError> {
    for sheet in sheets {
        sqlx::query(
            "INSERT INTO events (debate_id, seq, at, kind, json, hash)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(id)
        .bind(signed(sheet.seq))
        .bind(at)
        .bind(sheet.kind)
        .bind(&sheet.json)
        .bind(&sheet.hash)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn exists(connection: &mut SqliteConnection, id: &str) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT 1 FROM debates WHERE id = $1")
        .bind(id)
        .fetch_optional(connection)
        .await?;
    Ok(row.is_some())
}

async fn must_exist(connection: &mut SqliteConnection, id: &str) -> Result<(), StoreError> {
    if exists(connection, id).await? {
        Ok(())
    } else {
        Err(StoreError::Unknown { asked: id.into(), recent: Vec::new() })
    }
}

/// Who holds a debate, with the epoch of the last claim.
struct Holder {
    epoch: i64,
    owner: Option<String>,
    until: i64,
}

async fn holder(connection: &mut SqliteConnection, id: &str) -> Result<Option<Holder>, StoreError> {
    let row = sqlx::query("SELECT epoch, owner, lease_until FROM runs WHERE debate_id = $1")
        .bind(id)
        .fetch_optional(connection)
        .await?;
    row.map(|row| {
        Ok(Holder {
            epoch: row.try_get("epoch")?,
            owner: row.try_get("owner")?,
            until: row.try_get("lease_until")?,
        })
    })
    .transpose()
}

/// The fence. A lease that ran out while nobody else claimed still holds: only
/// a newer claim, or a release, takes the right away.
async fn hold(connection: &mut SqliteConnection, claim: &Claim) -> Result<(), StoreError> {
    match holder(connection, &claim.id).await? {
        Some(holder)
            if holder.epoch == signed(claim.epoch)
                && holder.owner.as_ref() == Some(&claim.owner) =>
        {
            Ok(())
        }
        _ => Err(StoreError::NotRunner { id: claim.id.clone() }),
    }
}

async fn claim(
    connection: &mut SqliteConnection,
    id: &str,
    owner: &str,
    now: i64,
    until: i64,
    respect: Respect,
) -> Result<u64, StoreError> {
    must_exist(connection, id).await?;
    let found = holder(connection, id).await?;
    let epoch = found.as_ref().map_or(0, |holder| holder.epoch) + 1;
    if let Some(Holder { owner: Some(other), until, .. }) = found
        && respect == Respect::Lease
        && until > now
    {
        return Err(StoreError::Taken { id: id.into(), owner: other, until });
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

async fn renew(
    connection: &mut SqliteConnection,
    claim: &Claim,
    until: i64,
) -> Result<u64, StoreError> {
    hold(connection, claim).await?;
    sqlx::query("UPDATE runs SET lease_until = $2 WHERE debate_id = $1")
        .bind(&claim.id)
        .bind(until)
        .execute(connection)
        .await?;
    Ok(claim.epoch)
}

async fn release(connection: &mut SqliteConnection, claim: &Claim) -> Result<u64, StoreError> {
    hold(connection, claim).await?;
    sqlx::query("UPDATE runs SET owner = NULL, lease_until = 0 WHERE debate_id = $1")
        .bind(&claim.id)
        .execute(connection)
        .await?;
    Ok(claim.epoch)
}

async fn send(
    connection: &mut SqliteConnection,
    id: &str,
    at: i64,
    command: &Command,
) -> Result<u64, StoreError> {
    must_exist(connection, id).await?;
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
    .bind(text)
    .bind(command_hash(id, last + 1, at, kind, text))
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
    hold(connection, claim).await?;
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
    must_exist(connection, id).await?;
    if let Some(Holder { owner: Some(owner), until, .. }) = holder(connection, id).await?
        && until > now
    {
        return Err(StoreError::Taken { id: id.into(), owner, until });
    }
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

//! The store as others use it: open it, then create, append, read. Cloning is
//! cheap; all clones share one writer and one pool of readers.

use std::path::{Path, PathBuf};

use debate::model::Event;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqlitePool;
#[cfg(debug_assertions)]
use sqlx::sqlite::SqliteSynchronous;

use crate::books::{Caps, Entries};
use crate::care::{self, Damage, Kept};
use crate::costs::{self, Costs, CostsBy};
use crate::error::StoreError;
use crate::file::{self, Presence};
use crate::import::Import;
use crate::listing::{Change, Listed};
use crate::outcomes::{self, Finished, Note, Noted};
use crate::reading::{self, Changes, ListFilter};
use crate::rows::{self, Recorded, Sealed};
use crate::schema::{self, SCHEMA_VERSION};
use crate::work::{Append, Claim, Command, Fate, Respect, Sent, Work};
use crate::writer::{Wait, Writer};

#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    readers: SqlitePool,
    /// Absent in a store opened only for reading.
    writer: Option<Writer>,
}

/// What else an append does or minds.
#[derive(Debug, Default)]
struct Beside {
    caps: Option<Caps>,
    handled: Option<u64>,
    /// `None`: until the disk has it.
    wait: Option<Wait>,
}

impl Store {
    /// Opens the database, making it (and its directory) if it is not there.
    /// Does not look for damage: see [`Store::quick_check`].
    pub async fn open(path: &Path) -> Result<Store, StoreError> {
        if file::inspect(path)? == Presence::Absent {
            schema::create(path).await?;
        }
        Store::open_existing(path).await
    }

    /// Opens a database that must be there; makes nothing.
    pub async fn open_existing(path: &Path) -> Result<Store, StoreError> {
        present(path)?;
        file::sweep(path);
        file::keep_private(path)?;
        schema::look(path).await?;
        let options = schema::writer_options(path);
        let mut connection = options.connect().await?;
        schema::migrate(&mut connection).await?;
        file::keep_private(path)?;
        let writer = Some(Writer::start(options, connection));
        Ok(Store { path: path.to_owned(), readers: schema::readers(path), writer })
    }

    /// Opens a database whose writes do not wait for the disk. It loses what it
    /// acknowledged when the power goes: the tests of durability need one that
    /// fails them.
    #[cfg(debug_assertions)]
    pub async fn open_careless(path: &Path) -> Result<Store, StoreError> {
        Store::open(path).await?.close().await;
        let options = schema::writer_options(path).synchronous(SqliteSynchronous::Off);
        let connection = options.connect().await?;
        let writer = Some(Writer::start(options, connection));
        Ok(Store { path: path.to_owned(), readers: schema::readers(path), writer })
    }

    /// Keeps everybody else from writing until it is let go: the tests need
    /// another process that holds the lock.
    #[cfg(debug_assertions)]
    pub async fn lock_out(path: &Path) -> Result<Lockout, StoreError> {
        let mut connection = schema::writer_options(path).connect().await?;
        sqlx::query("BEGIN IMMEDIATE").execute(&mut connection).await?;
        Ok(Lockout { connection })
    }

    /// Opens a database that must be there, for reading alone.
    pub async fn read_only(path: &Path) -> Result<Store, StoreError> {
        present(path)?;
        let found = schema::look(path).await?;
        if found < SCHEMA_VERSION {
            return Err(StoreError::Older { path: path.to_owned(), found, known: SCHEMA_VERSION });
        }
        Ok(Store { path: path.to_owned(), readers: schema::readers(path), writer: None })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Finishes what was asked and lets go of the file. All clones are closed.
    pub async fn close(&self) {
        // Readers first: the last connection to go tidies the WAL file away, and
        // only a writer can.
        self.readers.close().await;
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
    }

    /// A new debate with its first events, of which one must open it. Returns
    /// the number of the last. Durable when it returns.
    pub async fn create(&self, id: &str, at: i64, events: &[Event]) -> Result<u64, StoreError> {
        let sheets = rows::sheets(id, 0, at, events)?;
        let change = Change::of(events);
        let entries = Entries::of(events, at);
        self.write(Work::Create { id: id.into(), at, sheets, change, entries }).await
    }

    /// Adds events after entry `expected`, which must be the last one, and
    /// returns the number of the last added. Durable when it returns. After any
    /// other error than a refusal, and if the call is abandoned, the events may
    /// be there all the same: read the log before writing again.
    pub async fn append(
        &self,
        claim: &Claim,
        expected: u64,
        at: i64,
        events: &[Event],
    ) -> Result<u64, StoreError> {
        self.add(claim, expected, at, events, Beside::default()).await
    }

    /// As [`Store::append`], but without waiting for the disk: what is appended
    /// outlives this process at once, and a power cut only together with the next
    /// append that waits. For what is a pity to lose and no more.
    pub async fn append_soon(
        &self,
        claim: &Claim,
        expected: u64,
        at: i64,
        events: &[Event],
    ) -> Result<u64, StoreError> {
        let beside = Beside { wait: Some(Wait::Kill), ..Beside::default() };
        self.add(claim, expected, at, events, beside).await
    }

    /// As [`Store::append`], unless the calls that the events announce might pass
    /// a limit: then nothing is written and the error is [`StoreError::Budget`]
    /// or [`StoreError::Unpriced`].
    pub async fn append_reserving(
        &self,
        claim: &Claim,
        expected: u64,
        at: i64,
        events: &[Event],
        caps: Caps,
    ) -> Result<u64, StoreError> {
        let beside = Beside { caps: Some(caps), ..Beside::default() };
        self.add(claim, expected, at, events, beside).await
    }

    /// As [`Store::append`], and in the same commit marks the commands up to
    /// `handled` as obeyed, so that none is obeyed twice after a crash. With no
    /// events it only marks them.
    pub async fn append_handled(
        &self,
        claim: &Claim,
        expected: u64,
        at: i64,
        events: &[Event],
        handled: u64,
    ) -> Result<u64, StoreError> {
        let beside = Beside { handled: Some(handled), ..Beside::default() };
        self.add(claim, expected, at, events, beside).await
    }

    async fn add(
        &self,
        claim: &Claim,
        expected: u64,
        at: i64,
        events: &[Event],
        beside: Beside,
    ) -> Result<u64, StoreError> {
        let sheets = rows::sheets(&claim.id, expected, at, events)?;
        let change = Change::of(events);
        let entries = Entries::of(events, at);
        let Beside { caps, handled, wait } = beside;
        let claim = claim.clone();
        let append = Append { claim, expected, at, sheets, change, entries, caps, handled };
        self.write_by(Work::Append(append), wait.unwrap_or(Wait::PowerCut)).await
    }

    /// The whole log of a debate, in order, every hash checked.
    pub async fn log(&self, id: &str) -> Result<Vec<Recorded>, StoreError> {
        reading::log_after(&self.readers, id, 0).await
    }

    /// What was added after entry `seq`.
    pub async fn log_after(&self, id: &str, seq: u64) -> Result<Vec<Recorded>, StoreError> {
        reading::log_after(&self.readers, id, seq).await
    }

    /// The whole log exactly as it is stored, every hash checked.
    pub async fn sealed_log(&self, id: &str) -> Result<Vec<Sealed>, StoreError> {
        reading::sealed_log(&self.readers, id).await
    }

    /// Takes in a debate that was held elsewhere, entry for entry, under an id
    /// that must be free. Every hash must fit the id. What it cost is not in the
    /// books: it was spent elsewhere. Durable when it returns.
    pub async fn import(&self, id: &str, log: Vec<Sealed>) -> Result<u64, StoreError> {
        self.write(Import::of(id, log)?.into()).await
    }

    /// One debate's row in the listing, by its whole id.
    pub async fn get(&self, id: &str) -> Result<Listed, StoreError> {
        reading::get(&self.readers, id).await
    }

    /// The debate with this id, or the only one whose id begins so.
    pub async fn find(&self, start: &str) -> Result<Listed, StoreError> {
        reading::find(&self.readers, start).await
    }

    /// Newest first.
    pub async fn list(&self, filter: &ListFilter) -> Result<Vec<Listed>, StoreError> {
        reading::list(&self.readers, filter).await
    }

    /// Takes the right to run a debate until `now + lease_ms`. Refused while a
    /// lease runs, be it the same owner's: two tasks of one process must not
    /// both run it. `owner` is what others are told; make it name the process.
    pub async fn claim_run(
        &self,
        id: &str,
        owner: &str,
        lease_ms: i64,
        now: i64,
    ) -> Result<Claim, StoreError> {
        self.take(id, owner, lease_ms, now, Respect::Lease).await
    }

    /// Takes the right to run a debate from whoever has it. For a caller that
    /// knows the holder is dead; a holder that is not finds its writes refused.
    pub async fn seize_run(
        &self,
        id: &str,
        owner: &str,
        lease_ms: i64,
        now: i64,
    ) -> Result<Claim, StoreError> {
        self.take(id, owner, lease_ms, now, Respect::Nobody).await
    }

    async fn take(
        &self,
        id: &str,
        owner: &str,
        lease_ms: i64,
        now: i64,
        respect: Respect,
    ) -> Result<Claim, StoreError> {
        let until = now.saturating_add(lease_ms);
        let work = Work::Claim { id: id.into(), owner: owner.into(), now, until, respect };
        let epoch = self.write(work).await?;
        Ok(Claim { id: id.into(), owner: owner.into(), epoch })
    }

    /// Keeps the right until `now + lease_ms`.
    pub async fn renew_run(
        &self,
        claim: &Claim,
        lease_ms: i64,
        now: i64,
    ) -> Result<(), StoreError> {
        let until = now.saturating_add(lease_ms);
        self.write(Work::Renew { claim: claim.clone(), until }).await.map(drop)
    }

    /// Gives the right back; the claim can no longer write.
    pub async fn release_run(&self, claim: &Claim) -> Result<(), StoreError> {
        self.write(Work::Release { claim: claim.clone() }).await.map(drop)
    }

    /// Who holds the right to run a debate at `now`; whether that process still
    /// lives is for the caller to find out.
    pub async fn runner_of(&self, id: &str, now: i64) -> Result<Option<String>, StoreError> {
        reading::runner_of(&self.readers, id, now).await
    }

    /// Active debates that nobody runs at `now`, oldest first.
    pub async fn unattended(&self, now: i64) -> Result<Vec<String>, StoreError> {
        reading::unattended(&self.readers, now).await
    }

    /// Active debates that somebody runs at `now`, each with who it is.
    pub async fn attended(&self, now: i64) -> Result<Vec<(String, String)>, StoreError> {
        reading::attended(&self.readers, now).await
    }

    /// Leaves a command for whoever runs the debate. Returns its number.
    pub async fn send(&self, id: &str, at: i64, command: Command) -> Result<u64, StoreError> {
        self.write(Work::Command { id: id.into(), at, command }).await
    }

    /// Marks a command as seen and not obeyed, for whoever sent it.
    pub async fn refuse(&self, claim: &Claim, number: u64, why: &str) -> Result<(), StoreError> {
        let (claim, why) = (claim.clone(), why.into());
        self.write(Work::Refuse { claim, number, why }).await.map(drop)
    }

    /// What became of a command.
    pub async fn fate(&self, id: &str, number: u64) -> Result<Fate, StoreError> {
        reading::fate(&self.readers, id, number).await
    }

    /// Tells whether anybody has written to the database; see [`Changes`].
    pub async fn changes(&self) -> Result<Changes, StoreError> {
        Changes::open(&self.path).await
    }

    /// What was spent, added up, in the order of the keys; days and debates
    /// newest first.
    pub async fn costs(&self, by: CostsBy) -> Result<Vec<Costs>, StoreError> {
        costs::costs(&self.readers, by).await
    }

    /// Commands of one debate that nobody has obeyed yet, in order.
    pub async fn pending(&self, id: &str) -> Result<Vec<Sent>, StoreError> {
        reading::pending(&self.readers, Some(id)).await
    }

    /// Commands of all debates that nobody has obeyed yet.
    pub async fn pending_everywhere(&self) -> Result<Vec<Sent>, StoreError> {
        reading::pending(&self.readers, None).await
    }

    /// Removes a debate and all that was said in it, unless somebody runs it.
    pub async fn delete(&self, id: &str, now: i64) -> Result<(), StoreError> {
        self.write(Work::Delete { id: id.into(), now }).await.map(drop)
    }

    /// Writes down something about how decisions turned out, all of it or none,
    /// and returns the number of the last record. It needs no debate to be there:
    /// what was learned outlives what was said.
    pub async fn note_outcomes(&self, at: i64, notes: &[Note]) -> Result<u64, StoreError> {
        let entries: Result<Vec<_>, StoreError> =
            notes.iter().map(|note| outcomes::Entry::of(note, at)).collect();
        self.write(Work::Outcomes(entries?)).await
    }

    /// All that was noted about how decisions turned out, oldest first; of one
    /// debate, or of all.
    pub async fn outcomes(&self, id: Option<&str>) -> Result<Vec<Noted>, StoreError> {
        outcomes::read(&self.readers, id).await
    }

    /// Every finished debate with its project and domain, newest first.
    pub async fn finished(&self) -> Result<Vec<Finished>, StoreError> {
        outcomes::finished(&self.readers).await
    }

    /// A quick look at the file's structure. It reads the whole file, so run it
    /// beside the work, not before it, unless the file is small.
    pub async fn quick_check(&self) -> Result<(), StoreError> {
        care::quick_check(&self.readers).await
    }

    /// Reads everything and reports every damage found.
    pub async fn check(&self) -> Result<Vec<Damage>, StoreError> {
        care::check(&self.readers).await
    }

    /// A copy of the database as it stands now, while others go on writing.
    /// Refuses to overwrite.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        care::copy(&self.path, to, Kept::Away).await
    }

    /// Puts a checked copy of the backup `from` at `to`, where nothing may be.
    pub async fn restore(from: &Path, to: &Path) -> Result<(), StoreError> {
        let backup = Store::read_only(from).await?;
        let damages = backup.check().await;
        backup.close().await;
        match damages?.first() {
            None => care::copy(from, to, Kept::InUse).await,
            Some(damage) => Err(StoreError::Corrupt { what: damage.to_string() }),
        }
    }

    /// How many commits were made, for measuring.
    pub fn commits(&self) -> u64 {
        self.writer.as_ref().map_or(0, Writer::commits)
    }

    async fn write(&self, work: Work) -> Result<u64, StoreError> {
        self.write_by(work, Wait::PowerCut).await
    }

    async fn write_by(&self, work: Work, wait: Wait) -> Result<u64, StoreError> {
        let writer = self.writer.as_ref().ok_or(StoreError::ReadOnly)?;
        match writer.perform_by(work, wait).await {
            Err(StoreError::Unknown { asked, .. }) => {
                Err(reading::unknown(&self.readers, &asked).await?)
            }
            answer => answer,
        }
    }
}

/// The write lock of a database, held.
#[cfg(debug_assertions)]
#[derive(Debug)]
pub struct Lockout {
    connection: sqlx::sqlite::SqliteConnection,
}

#[cfg(debug_assertions)]
impl Lockout {
    pub async fn let_go(mut self) -> Result<(), StoreError> {
        sqlx::query("ROLLBACK").execute(&mut self.connection).await?;
        Ok(sqlx::Connection::close(self.connection).await?)
    }
}

fn present(path: &Path) -> Result<(), StoreError> {
    match file::inspect(path)? {
        Presence::Ours => Ok(()),
        Presence::Absent => Err(StoreError::Missing { path: path.to_owned() }),
    }
}

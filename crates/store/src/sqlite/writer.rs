//! The one task that writes. Requests that wait while a commit reaches the disk
//! go into the next commit together, and each is answered only after that
//! commit. A request that is refused has written nothing and takes nothing else
//! with it; one that breaks something is tried again alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::file::OpenFiles;
use super::work::{TransactionEnds, WriterMemory};
use super::{schema, work};
use crate::error::StoreError;
use crate::request::{Durability, WriteRequest};

/// A debate that runs says that it is held up, and tries again. Any other request waits so many
/// times as long, since many processes may have been started at once.
const MOST_TRIES: u32 = 6;
/// More would make the first of a batch wait for the last.
const MOST_PER_COMMIT: usize = 256;
const QUEUE: usize = 1024;

type WriteAnswer = Result<u64, StoreError>;

enum WriterMessage {
    Do { work: Box<WriteRequest>, wait: Durability, answer: oneshot::Sender<WriteAnswer> },
    Close { answer: oneshot::Sender<WriteAnswer> },
}

/// A handle on the task that writes.
#[derive(Debug, Clone)]
pub(crate) struct SqliteWriter {
    queue: mpsc::Sender<WriterMessage>,
    commits: Arc<AtomicU64>,
}

impl SqliteWriter {
    /// Starts the task. It ends when it is closed or every handle is gone.
    pub(crate) fn start(
        path: &Path,
        options: SqliteConnectOptions,
        connection: SqliteConnection,
    ) -> SqliteWriter {
        let (queue, requests) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let writing = WriteConnection {
            path: path.to_owned(),
            files: OpenFiles::at(path),
            options,
            connection: Some(connection),
            waits: Durability::PowerCut,
            commits: Arc::clone(&commits),
            memory: WriterMemory::default(),
        };
        tokio::spawn(serve(writing, requests));
        SqliteWriter { queue, commits }
    }

    /// Durable when it returns.
    #[cfg(test)]
    pub(crate) async fn perform(&self, work: WriteRequest) -> WriteAnswer {
        self.perform_by(work, Durability::PowerCut).await
    }

    /// As durable as `wait` says when it returns.
    pub(crate) async fn perform_by(&self, work: WriteRequest, wait: Durability) -> WriteAnswer {
        let (answer, answered) = oneshot::channel();
        self.send(WriterMessage::Do { work: Box::new(work), wait, answer }, answered).await
    }

    /// Finishes what was asked before, then lets go of the file.
    pub(crate) async fn close(&self) {
        let (answer, answered) = oneshot::channel();
        // Closing twice is harmless.
        let _ = self.send(WriterMessage::Close { answer }, answered).await;
    }

    async fn send(
        &self,
        request: WriterMessage,
        answered: oneshot::Receiver<WriteAnswer>,
    ) -> WriteAnswer {
        self.queue.send(request).await.map_err(|_| StoreError::Closed)?;
        answered.await.unwrap_or(Err(StoreError::Closed))
    }

    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

async fn serve(mut writing: WriteConnection, mut requests: mpsc::Receiver<WriterMessage>) {
    let mut batch = Vec::new();
    let mut closers = Vec::new();
    while requests.recv_many(&mut batch, MOST_PER_COMMIT).await > 0 {
        let mut works = Vec::new();
        let mut waiting = Vec::new();
        // One that waits for the disk has all others of its commit wait.
        let mut longest = Durability::Kill;
        for request in batch.drain(..) {
            match request {
                WriterMessage::Do { work, wait, answer } => {
                    if wait == Durability::PowerCut {
                        longest = wait;
                    }
                    works.push(work);
                    waiting.push(answer);
                }
                WriterMessage::Close { answer } => {
                    requests.close();
                    closers.push(answer);
                }
            }
        }
        for (answer, waiting) in writing.commit(&works, longest).await.into_iter().zip(waiting) {
            // The caller may have gone; the write stands all the same.
            let _ = waiting.send(answer);
        }
        while requests.is_empty() && !requests.is_closed() && writing.index_words().await {}
    }
    writing.close().await;
    for closer in closers {
        let _ = closer.send(Ok(0));
    }
}

/// The step at which a transaction failed.
enum CommitFailure {
    /// It could not begin, or its commit failed: the same would happen again.
    AsAWhole(StoreError),
    /// One piece of work broke it.
    ByOne(StoreError),
}

struct WriteConnection {
    path: PathBuf,
    files: OpenFiles,
    options: SqliteConnectOptions,
    /// `None` after a failure that left it in doubt; the next batch opens a new one.
    connection: Option<SqliteConnection>,
    /// How long a commit of this connection waits; it is changed only when it must be.
    waits: Durability,
    commits: Arc<AtomicU64>,
    memory: WriterMemory,
}

impl WriteConnection {
    async fn commit(&mut self, works: &[Box<WriteRequest>], wait: Durability) -> Vec<WriteAnswer> {
        if works.is_empty() {
            return Vec::new();
        }
        let comes_again = |work: &WriteRequest| {
            use WriteRequest::{Append, IndexWords, Renew};
            matches!(work, Append(_) | Renew { .. } | IndexWords)
        };
        let mut tries = if works.iter().any(|work| comes_again(work)) { 1 } else { MOST_TRIES };
        let outcome = loop {
            tries -= 1;
            match self.together(works, wait).await {
                Err(CommitFailure::AsAWhole(StoreError::Locked)) if tries > 0 => {}
                outcome => break outcome,
            }
        };
        match outcome {
            Ok(answers) => answers,
            Err(CommitFailure::ByOne(_)) if works.len() > 1 => self.one_by_one(works).await,
            Err(CommitFailure::ByOne(error) | CommitFailure::AsAWhole(error)) => {
                works.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    async fn one_by_one(&mut self, works: &[Box<WriteRequest>]) -> Vec<WriteAnswer> {
        let mut answers = Vec::with_capacity(works.len());
        for work in works {
            answers.push(
                match self.together(std::slice::from_ref(work), Durability::PowerCut).await {
                    Ok(mut answer) => answer.pop().unwrap_or(Err(StoreError::Closed)),
                    Err(CommitFailure::ByOne(error) | CommitFailure::AsAWhole(error)) => Err(error),
                },
            );
        }
        answers
    }

    async fn together(
        &mut self,
        works: &[Box<WriteRequest>],
        wait: Durability,
    ) -> Result<Vec<WriteAnswer>, CommitFailure> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let new = schema::connect(&self.options).await.map_err(CommitFailure::AsAWhole)?;
                self.files = OpenFiles::at(&self.path);
                self.waits = Durability::PowerCut;
                new
            }
        };
        if wait != self.waits {
            let pragma = match wait {
                Durability::Kill => "PRAGMA synchronous = NORMAL",
                Durability::PowerCut => "PRAGMA synchronous = FULL",
            };
            say(&mut connection, pragma).await.map_err(CommitFailure::AsAWhole)?;
            self.waits = wait;
        }
        let outcome = transact((&mut connection, &mut self.memory), works).await;
        // An error may have ended the transaction already, so this may fail; but
        // a connection that cannot even begin anew is not kept.
        let sound = match &outcome {
            Ok(_) => true,
            Err(_) => {
                let _ = say(&mut connection, "ROLLBACK").await;
                say(&mut connection, "BEGIN").await.is_ok()
                    && say(&mut connection, "ROLLBACK").await.is_ok()
            }
        };
        if sound {
            self.connection = Some(connection);
        }
        if outcome.is_ok() {
            // The writer's own work is not what somebody asked for.
            if !matches!(works.first().map(Box::as_ref), Some(WriteRequest::IndexWords)) {
                self.commits.fetch_add(1, Ordering::Relaxed);
            }
            self.files.check(&self.path).map_err(CommitFailure::AsAWhole)?;
        }
        outcome
    }

    /// Indexes the words of debates that wait for it, when they are enough. Tells whether it did, so
    /// that more may wait. Where it fails they wait until as many have come again.
    async fn index_words(&mut self) -> bool {
        if !self.memory.waiting.is_enough() {
            return false;
        }
        let indexed = self.commit(&[Box::new(WriteRequest::IndexWords)], self.waits).await;
        if let [Err(error)] = &indexed[..] {
            tracing::warn!(%error, "no words of answers were indexed");
        }
        let count = if let [Ok(count)] = indexed[..] { count } else { 0 };
        self.memory.waiting.looked(count);
        count > 0
    }

    /// Closes the connection, with the file at rest if this was the last one.
    async fn close(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        let closed = async {
            if self.files.check(&self.path).is_ok() {
                schema::put_to_rest(&mut connection).await?;
            }
            Ok::<_, StoreError>(connection.close().await?)
        };
        if let Err(error) = closed.await {
            tracing::warn!(%error, "the database did not close cleanly; nothing is lost");
        }
    }
}

async fn transact(
    (connection, memory): (&mut SqliteConnection, &mut WriterMemory),
    works: &[Box<WriteRequest>],
) -> Result<Vec<WriteAnswer>, CommitFailure> {
    if let [only] = works
        && (work::is_whole(only) || work::is_one_statement(only))
    {
        let answer = work::run(only, (connection, memory), TransactionEnds::Own).await;
        return match answer {
            Err(refusal) if refusal.is_refusal() => {
                if work::is_whole(only) {
                    say(connection, "ROLLBACK").await.map_err(CommitFailure::AsAWhole)?;
                }
                Ok(vec![Err(refusal)])
            }
            Err(error) => Err(CommitFailure::AsAWhole(error)),
            written => Ok(vec![written]),
        };
    }
    // Taking the write lock at once: a later upgrade would not wait its turn.
    say(connection, "BEGIN IMMEDIATE").await.map_err(CommitFailure::AsAWhole)?;
    let mut answers = Vec::with_capacity(works.len());
    for work in works {
        match work::run(work, (connection, memory), TransactionEnds::Writer).await {
            Err(error) if !error.is_refusal() => return Err(CommitFailure::ByOne(error)),
            answer => answers.push(answer),
        }
    }
    say(connection, "COMMIT").await.map_err(CommitFailure::AsAWhole)?;
    Ok(answers)
}

async fn say(connection: &mut SqliteConnection, sql: &'static str) -> Result<(), StoreError> {
    sqlx::query(sql).execute(connection).await?;
    Ok(())
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;

//! The one task that writes. Requests that wait while a commit reaches the disk
//! go into the next commit together, and each is answered only after that
//! commit. A request that is refused has written nothing and takes nothing else
//! with it; one that breaks something is tried again alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::{mpsc, oneshot};

use crate::error::StoreError;
use crate::work::Work;

/// More would make the first of a batch wait for the last.
const MOST_PER_COMMIT: usize = 256;
const QUEUE: usize = 1024;

type Answer = Result<u64, StoreError>;

enum Request {
    Do { work: Box<Work>, wait: Wait, answer: oneshot::Sender<Answer> },
    Close { answer: oneshot::Sender<Answer> },
}

/// What a piece of work must outlive before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// A power cut: the disk is waited for.
    PowerCut,
    /// The end of this process, which the system's own memory outlives. The next
    /// commit that waits for the disk takes it along.
    Kill,
}

#[derive(Debug, Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Request>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    /// Starts the task. It ends when it is closed or every handle is gone.
    pub(crate) fn start(options: SqliteConnectOptions, connection: SqliteConnection) -> Writer {
        let (queue, requests) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let desk = Desk { options, connection: Some(connection), commits: Arc::clone(&commits) };
        tokio::spawn(serve(desk, requests));
        Writer { queue, commits }
    }

    /// Durable when it returns.
    #[cfg(test)]
    pub(crate) async fn perform(&self, work: Work) -> Answer {
        self.perform_by(work, Wait::PowerCut).await
    }

    /// As durable as `wait` says when it returns.
    pub(crate) async fn perform_by(&self, work: Work, wait: Wait) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.send(Request::Do { work: Box::new(work), wait, answer }, answered).await
    }

    /// Finishes what was asked before, then lets go of the file.
    pub(crate) async fn close(&self) {
        let (answer, answered) = oneshot::channel();
        // Closing twice is harmless.
        let _ = self.send(Request::Close { answer }, answered).await;
    }

    async fn send(&self, request: Request, answered: oneshot::Receiver<Answer>) -> Answer {
        self.queue.send(request).await.map_err(|_| StoreError::Closed)?;
        answered.await.unwrap_or(Err(StoreError::Closed))
    }

    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

async fn serve(mut desk: Desk, mut requests: mpsc::Receiver<Request>) {
    let mut batch = Vec::new();
    let mut closers = Vec::new();
    while requests.recv_many(&mut batch, MOST_PER_COMMIT).await > 0 {
        let mut works = Vec::new();
        let mut waiting = Vec::new();
        // One that waits for the disk has all others of its commit wait.
        let mut longest = Wait::Kill;
        for request in batch.drain(..) {
            match request {
                Request::Do { work, wait, answer } => {
                    if wait == Wait::PowerCut {
                        longest = wait;
                    }
                    works.push(work);
                    waiting.push(answer);
                }
                Request::Close { answer } => {
                    requests.close();
                    closers.push(answer);
                }
            }
        }
        for (answer, waiting) in desk.commit(&works, longest).await.into_iter().zip(waiting) {
            // Whoever asked may have gone; the work stands all the same.
            let _ = waiting.send(answer);
        }
    }
    if let Some(connection) = desk.connection.take()
        && let Err(error) = connection.close().await
    {
        tracing::warn!(%error, "the database did not close cleanly; nothing is lost");
    }
    for closer in closers {
        let _ = closer.send(Ok(0));
    }
}

/// How far a transaction came before it broke.
enum Broken {
    /// It could not begin, or its commit failed: the same would happen again.
    AsAWhole(StoreError),
    /// One piece of work broke it.
    ByOne(StoreError),
}

struct Desk {
    options: SqliteConnectOptions,
    /// `None` after a failure that left it in doubt; the next batch opens a new one.
    connection: Option<SqliteConnection>,
    commits: Arc<AtomicU64>,
}

impl Desk {
    async fn commit(&mut self, works: &[Box<Work>], wait: Wait) -> Vec<Answer> {
        if works.is_empty() {
            return Vec::new();
        }
        match self.together(works, wait).await {
            Ok(answers) => answers,
            Err(Broken::ByOne(_)) if works.len() > 1 => self.one_by_one(works).await,
            Err(Broken::ByOne(error) | Broken::AsAWhole(error)) => {
                works.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    async fn one_by_one(&mut self, works: &[Box<Work>]) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(works.len());
        for work in works {
            answers.push(match self.together(std::slice::from_ref(work), Wait::PowerCut).await {
                Ok(mut answer) => answer.pop().unwrap_or(Err(StoreError::Closed)),
                Err(Broken::ByOne(error) | Broken::AsAWhole(error)) => Err(error),
            });
        }
        answers
    }

    async fn together(&mut self, works: &[Box<Work>], wait: Wait) -> Result<Vec<Answer>, Broken> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.options.connect().await.map_err(|error| Broken::AsAWhole(error.into()))?,
        };
        if wait == Wait::Kill {
            say(&mut connection, "PRAGMA synchronous = NORMAL").await.map_err(Broken::AsAWhole)?;
        }
        let outcome = transact(&mut connection, works).await;
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
        // A connection that does not wait for the disk is not kept either.
        let waits = wait == Wait::PowerCut
            || say(&mut connection, "PRAGMA synchronous = FULL").await.is_ok();
        if sound && waits {
            self.connection = Some(connection);
        }
        if outcome.is_ok() {
            self.commits.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }
}

async fn transact(
    connection: &mut SqliteConnection,
    works: &[Box<Work>],
) -> Result<Vec<Answer>, Broken> {
    // Taking the write lock at once: a later upgrade would not wait its turn.
    say(connection, "BEGIN IMMEDIATE").await.map_err(Broken::AsAWhole)?;
    let mut answers = Vec::with_capacity(works.len());
    for work in works {
        match work.run(connection).await {
            Err(error) if !error.is_refusal() => return Err(Broken::ByOne(error)),
            answer => answers.push(answer),
        }
    }
    say(connection, "COMMIT").await.map_err(Broken::AsAWhole)?;
    Ok(answers)
}

async fn say(connection: &mut SqliteConnection, sql: &'static str) -> Result<(), StoreError> {
    sqlx::query(sql).execute(connection).await?;
    Ok(())
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;

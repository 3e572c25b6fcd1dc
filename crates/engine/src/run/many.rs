//! Many debates at once in one process. They share a store with its one writer and
//! one mailbox; a debate that waits for its turn takes no memory but its id.

use std::sync::Arc;

use async_recursion::async_recursion as boxed;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::run::{RunEnd, RunError, Runner, control};

pub struct RunnerPool {
    places: Arc<Semaphore>,
    runs: JoinSet<(String, Result<RunEnd, RunError>)>,
}

impl RunnerPool {
    /// `most`: the number of debates that run at the same time; the others wait.
    pub fn new(most: usize) -> RunnerPool {
        RunnerPool { places: Arc::new(Semaphore::new(most)), runs: JoinSet::new() }
    }

    /// Runs a stored debate as soon as there is room for it.
    pub fn add(&mut self, runner: Arc<Runner>, id: String) {
        let places = Arc::clone(&self.places);
        self.runs.spawn(async move {
            // The semaphore is never closed.
            let _place = places.acquire_owned().await;
            let outcome = run(&runner, &id).await;
            (id, outcome)
        });
    }

    /// Returns the next debate that has ended or paused; `None` when all have.
    #[boxed]
    pub async fn next(&mut self) -> Option<(String, Result<RunEnd, RunError>)> {
        loop {
            match self.runs.join_next().await? {
                Ok(ended) => return Some(ended),
                // One debate that panicked must not end the others.
                Err(error) => tracing::error!(%error, "a debate's task ended abnormally"),
            }
        }
    }
}

async fn run(runner: &Runner, id: &str) -> Result<RunEnd, RunError> {
    // Even reading the log waits until the throttle allows it.
    drop(runner.throttle.turn().await);
    let (debate, seq) = control::load(&runner.store, id).await?;
    runner.run(id, debate, seq).await
}

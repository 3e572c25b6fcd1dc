//! Many debates at once in one process. They share a store, its one writer and
//! one post; those that wait for their turn take no memory but their names.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::run::{RunEnd, RunError, Runner, control};

pub struct RunnerPool {
    places: Arc<Semaphore>,
    runs: JoinSet<(String, Result<RunEnd, RunError>)>,
}

impl RunnerPool {
    /// `most`: how many run at the same time; the others wait.
    pub fn new(most: usize) -> RunnerPool {
        RunnerPool { places: Arc::new(Semaphore::new(most)), runs: JoinSet::new() }
    }

    /// Runs a stored debate as soon as there is a place for it.
    pub fn add(&mut self, runner: Arc<Runner>, id: String) {
        let places = Arc::clone(&self.places);
        self.runs.spawn(async move {
            // The places are never closed.
            let _place = places.acquire_owned().await;
            let outcome = run(&runner, &id).await;
            (id, outcome)
        });
    }

    /// The next debate that has ended or paused; `None` when all have.
    pub async fn next(&mut self) -> Option<(String, Result<RunEnd, RunError>)> {
        loop {
            match self.runs.join_next().await? {
                Ok(ended) => return Some(ended),
                // One that panicked must not take the others with it.
                Err(error) => tracing::error!(%error, "a debate's task ended abnormally"),
            }
        }
    }
}

async fn run(runner: &Runner, id: &str) -> Result<RunEnd, RunError> {
    // Even reading it is left until there is time.
    drop(runner.pace.turn().await);
    let (debate, seq) = control::load(&runner.store, id).await?;
    runner.run(id, debate, seq).await
}

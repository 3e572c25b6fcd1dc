//! The progress of one debate, kept up to date: from the news of this process, or from
//! the log that another process writes.

use std::sync::Arc;
use std::time::Duration;

use store::{Store, StoreError};
use tokio::sync::{broadcast, watch};
use tokio::time::sleep;

use super::observing::{HostObserver, ObservedDebate};
use super::progress::DebateProgress;
use crate::run::{self, RunNews};

/// News that a slow watcher of a debate may be behind; one that is further behind reads
/// the log.
pub(super) const MOST_NEWS: usize = 1_024;
/// Interval at which a debate that another process runs is checked.
const LOOK: Duration = Duration::from_millis(400);

/// Keeps the progress of a debate of this process up to date, and tells the host's observers.
pub(super) async fn tell(
    mut news: tokio::sync::mpsc::UnboundedReceiver<RunNews>,
    progress: watch::Sender<DebateProgress>,
    feed: broadcast::Sender<RunNews>,
    (mut observed, observers): (ObservedDebate, Arc<[Arc<dyn HostObserver>]>),
) {
    while let Some(item) = news.recv().await {
        match &item {
            RunNews::Event(recorded) => {
                progress.send_modify(|progress| progress.take(&recorded.event));
                observed.tell(recorded, &observers);
            }
            RunNews::HeldUp(_) => observers.iter().for_each(|one| one.held_up()),
            RunNews::Delta { .. } => {}
        }
        // Without watchers there is nobody to tell.
        let _ = feed.send(item);
    }
}

/// Keeps the progress of a debate of another process up to date, while it is
/// followed.
pub(super) async fn look_elsewhere(
    store: Store,
    id: String,
    mut seq: u64,
    progress: watch::Sender<DebateProgress>,
) {
    loop {
        tokio::select! {
            () = progress.closed() => return,
            () = sleep(LOOK) => {}
        }
        let looked = async {
            let attended = run::is_attended(&store, &id).await?;
            Ok::<_, StoreError>((attended, store.log_after(&id, seq).await?))
        };
        let Ok((attended, fresh)) = looked.await else { continue };
        if let Some(last) = fresh.last() {
            seq = last.seq;
            progress.send_modify(|progress| {
                fresh.iter().for_each(|recorded| progress.take(&recorded.event));
            });
        }
        if !attended {
            progress.send_modify(|progress| progress.end(None));
            return;
        }
    }
}

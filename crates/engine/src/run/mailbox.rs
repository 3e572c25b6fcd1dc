//! The post: one task per process that looks for commands which other processes
//! left in the store, and wakes the runs they are for. It obeys none of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use store::{Store, StoreError};
use tokio::sync::Notify;

/// A command is seen this soon; looking costs one read of a counter.
const LOOK: Duration = Duration::from_millis(200);

/// Cheap to clone; the task ends with the last clone.
#[derive(Clone)]
pub struct Mailbox {
    bells: Arc<MailBells>,
}

type MailBells = Mutex<HashMap<String, Arc<Notify>>>;

impl Mailbox {
    pub fn open(store: &Store) -> Mailbox {
        let bells = Arc::new(MailBells::default());
        tokio::spawn(deliver(store.clone(), Arc::downgrade(&bells)));
        Mailbox { bells }
    }

    /// Rings when there may be commands for this debate.
    pub(super) fn subscribe(&self, id: &str) -> Arc<Notify> {
        let bell = Arc::new(Notify::new());
        self.lock().insert(id.into(), Arc::clone(&bell));
        bell
    }

    pub(super) fn unsubscribe(&self, id: &str) {
        self.lock().remove(id);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Notify>>> {
        self.bells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn deliver(store: Store, bells: Weak<MailBells>) {
    let mut changes = None;
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(bells) = bells.upgrade() else { return };
        match look(&store, &mut changes, &bells).await {
            Ok(()) => {}
            Err(StoreError::Closed) => return,
            Err(error) => {
                // It may pass; a command is not lost by being seen late.
                tracing::warn!(%error, "commands could not be looked for");
                changes = None;
            }
        }
    }
}

async fn look(
    store: &Store,
    changes: &mut Option<store::Changes>,
    bells: &MailBells,
) -> Result<(), StoreError> {
    let counter = match changes {
        Some(counter) => counter,
        None => changes.insert(store.changes().await?),
    };
    if !counter.since_last().await? {
        return Ok(());
    }
    let waiting = store.pending_everywhere().await?;
    let bells = bells.lock().unwrap_or_else(PoisonError::into_inner);
    for sent in waiting {
        if let Some(bell) = bells.get(&sent.id) {
            bell.notify_one();
        }
    }
    Ok(())
}

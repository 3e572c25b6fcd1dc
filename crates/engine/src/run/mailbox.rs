//! The mailbox: one task per process that looks for commands which other processes
//! left in the store, and wakes the runs they are for. It carries out none of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use store::{Store, StoreError};
use tokio::sync::Notify;

use super::spawning::spawn;

/// Interval between two looks at the store; each costs one read of a counter.
const LOOK: Duration = Duration::from_millis(200);

/// Cheap to clone; the task ends with the last clone.
#[derive(Clone)]
pub struct Mailbox {
    signals: Arc<MailboxSignals>,
}

type MailboxSignals = Mutex<HashMap<String, Arc<Notify>>>;

impl Mailbox {
    pub fn open(store: &Store) -> Mailbox {
        let signals = Arc::new(MailboxSignals::default());
        spawn(deliver(store.clone(), Arc::downgrade(&signals)));
        Mailbox { signals }
    }

    /// Returns a signal that fires when there may be commands for this debate.
    pub(super) fn subscribe(&self, id: &str) -> Arc<Notify> {
        let signal = Arc::new(Notify::new());
        self.lock().insert(id.into(), Arc::clone(&signal));
        signal
    }

    pub(super) fn unsubscribe(&self, id: &str) {
        self.lock().remove(id);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Notify>>> {
        self.signals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn deliver(store: Store, signals: Weak<MailboxSignals>) {
    let (mut changes, mut is_away) = (None, false);
    loop {
        match &mut changes {
            Some(changes) => store::ChangeWatch::wait(changes, LOOK).await,
            None => tokio::time::sleep(LOOK).await,
        }
        let Some(signals) = signals.upgrade() else { return };
        match look(&store, &mut changes, &signals).await {
            Ok(()) => is_away = false,
            Err(StoreError::Closed) => return,
            Err(error) => {
                // The error may be temporary, and a command that is seen late is
                // not lost.
                if !std::mem::replace(&mut is_away, true) {
                    tracing::warn!(%error, "could not look for commands");
                }
                changes = None;
            }
        }
    }
}

async fn look(
    store: &Store,
    changes: &mut Option<store::ChangeWatch>,
    signals: &MailboxSignals,
) -> Result<(), StoreError> {
    let counter = match changes {
        Some(counter) => counter,
        None => changes.insert(store.changes().await?),
    };
    if !counter.since_last().await? {
        return Ok(());
    }
    let waiting = store.pending_everywhere().await?;
    let signals = signals.lock().unwrap_or_else(PoisonError::into_inner);
    for sent in waiting {
        if let Some(signal) = signals.get(&sent.id) {
            signal.notify_one();
        }
    }
    Ok(())
}

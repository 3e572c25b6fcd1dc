//! Appending what a run brings forth, under the lease of its debate. The first append takes the
//! lease and the last one gives it back: a commit of its own for either would cost as much as one
//! with an answer.

use std::sync::Arc;

use debate::model::{Event, Status};
use store::{AppendOptions, LeaseTurn, LogEntry, SpendingCaps, StoreError};
use tokio::time::Instant;

use super::{ActiveRun, DRAIN, LEASE_MS, RETRY, RunError, RunNews, lease};
use crate::clock;

/// The way in which an append is committed.
pub(super) enum AppendMode {
    Plain,
    /// Marks this command as carried out, in the same commit.
    HandlesCommand(u64),
    /// Reserves the cost of the announced calls within these limits.
    Reserves(SpendingCaps),
    /// Survives a kill of the process, but not necessarily a power cut.
    Soon,
}

/// How far a run is with its lease.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaseHold {
    Intended,
    Held,
    GivenBack,
}

impl ActiveRun<'_> {
    /// Takes the lease by itself.
    pub(super) async fn take_lease(&mut self) -> Result<(), StoreError> {
        let runner = self.runner;
        let id = &self.claim.id;
        self.claim = lease::claim_as(&runner.store, id, LEASE_MS, runner.serves).await?;
        self.hold = LeaseHold::Held;
        Ok(())
    }

    /// Renews the lease. While the disk is full, the file is locked or the server is away, the
    /// last lease stays valid until it expires.
    pub(super) async fn renew(&self) -> Result<(), RunError> {
        if self.hold == LeaseHold::Intended {
            return Ok(());
        }
        match self.runner.store.renew_run(&self.claim, lease::term(LEASE_MS)).await {
            Err(error) if error.is_passing() => Ok(()),
            renewed => Ok(renewed?),
        }
    }

    /// Stores events, then tells the watchers. While the disk is full, it keeps the
    /// events and retries; nothing new is asked until they are stored.
    pub(super) async fn store(
        &mut self,
        events: &[Event],
        mode: AppendMode,
    ) -> Result<(), RunError> {
        if events.is_empty() && !matches!(mode, AppendMode::HandlesCommand(_)) {
            return Ok(());
        }
        let at = clock::now_ms();
        let wanted = self.seq + events.len() as u64;
        let mut held_up: Option<Instant> = None;
        let last = loop {
            match self.append(at, events, &mode).await {
                Ok(last) => break last,
                // Another process was faster with the lease, and may have given it back already.
                Err(StoreError::Taken { .. }) if self.hold == LeaseHold::Intended => {
                    self.take_lease().await?;
                }
                // An earlier attempt reported a failure but had reached the disk.
                Err(StoreError::Conflict { found, .. }) if held_up.is_some() && found == wanted => {
                    break found;
                }
                Err(error) if error.is_passing() => {
                    let since = *held_up.get_or_insert_with(|| {
                        self.runner.watchers.publish(RunNews::HeldUp(error.clone()));
                        Instant::now()
                    });
                    let leaving = self.runner.interrupt.is_cancelled();
                    if leaving && since.elapsed() > DRAIN {
                        return Err(error.into());
                    }
                    tokio::time::sleep(RETRY).await;
                    // The lease is renewed for as long as this takes. It may be given back already
                    // by an attempt that was reported as failed: the next one shows.
                    match self.renew().await {
                        Err(RunError::Store(StoreError::NotRunner { .. }))
                            if self.is_finished() => {}
                        renewed => renewed?,
                    }
                }
                Err(error) => return Err(error.into()),
            }
        };
        self.hold = match self.hold {
            LeaseHold::Held if self.is_finished() => LeaseHold::GivenBack,
            LeaseHold::GivenBack => LeaseHold::GivenBack,
            LeaseHold::Held | LeaseHold::Intended => LeaseHold::Held,
        };
        // Events are copied only if there are watchers.
        let copied = if self.runner.watchers.is_watched() { events } else { &[] };
        for (event, seq) in copied.iter().zip(self.seq + 1..) {
            let recorded = LogEntry { seq, at, event: event.clone() };
            self.runner.watchers.publish(RunNews::Event(Arc::new(recorded)));
        }
        self.seq = last;
        Ok(())
    }

    async fn append(
        &self,
        at: i64,
        events: &[Event],
        mode: &AppendMode,
    ) -> Result<u64, StoreError> {
        let options = match mode {
            AppendMode::Plain => AppendOptions::default(),
            AppendMode::HandlesCommand(number) => {
                AppendOptions { handled: Some(*number), ..AppendOptions::default() }
            }
            AppendMode::Soon => AppendOptions { soon: true, ..AppendOptions::default() },
            AppendMode::Reserves(caps) => {
                AppendOptions { caps: Some(*caps), ..AppendOptions::default() }
            }
        };
        let turn = match self.hold {
            LeaseHold::Intended => LeaseTurn::Takes(lease::term(LEASE_MS)),
            _ if self.is_finished() => LeaseTurn::GivesBack,
            _ => LeaseTurn::Held,
        };
        let options = AppendOptions { turn, ..options };
        self.runner.store.append_with(&self.claim, self.seq, at, events, options).await
    }

    /// Tells whether the debate has its verdict and nothing more can come of this run.
    fn is_finished(&self) -> bool {
        let room = self.debate.room();
        room.verdict.is_some()
            && matches!(room.status, Status::Completed { .. })
            && self.in_flight.is_empty()
            && self.calls.is_empty()
    }
}

//! Leases on debates, and commands to those who run them.

use super::Store;
use crate::error::{StoreError, StoreFuture};
use crate::lease::{DebateStanding, Lease, LeaseCondition, LeaseRequest, LeaseTerm, LeaseView};
use crate::mailbox::{CommandFate, DebateCommand, PendingCommand};
use crate::request::WriteRequest;

/// Leases and commands.
impl Store {
    /// Takes the lease on a debate until `now + lease_ms`. Refused while another
    /// runs, even of the same owner: two tasks of one process must not both run a
    /// debate. `owner` is shown to others; it must name the process.
    pub fn claim_run<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
        lease_ms: i64,
        now: i64,
    ) -> StoreFuture<'a, Lease> {
        Box::pin(async move {
            let until = now.saturating_add(lease_ms);
            let term = LeaseTerm { until, ..LeaseTerm::default() };
            self.lease(id, owner, term, LeaseCondition::Free { now }).await
        })
    }

    /// Takes the lease on a debate over the one of epoch `epoch`, which the caller
    /// has judged to be over: given back, run out, or held by a dead process. If
    /// another process was faster, the stored lease has a newer epoch and this one
    /// is refused. Epoch 0: none was ever granted.
    pub fn take_over_run<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
        term: LeaseTerm,
        epoch: u64,
    ) -> StoreFuture<'a, Lease> {
        Box::pin(async move { self.lease(id, owner, term, LeaseCondition::Over { epoch }).await })
    }

    async fn lease(
        &self,
        id: &str,
        owner: &str,
        term: LeaseTerm,
        condition: LeaseCondition,
    ) -> Result<Lease, StoreError> {
        let request = LeaseRequest { id: id.into(), owner: owner.into(), term, condition };
        let epoch = self.write(WriteRequest::Lease(request)).await?;
        Ok(Lease { id: id.into(), owner: owner.into(), epoch })
    }

    /// Keeps a lease until the end of this term.
    pub fn renew_run<'a>(&'a self, lease: &'a Lease, term: LeaseTerm) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.write(WriteRequest::Renew { lease: lease.clone(), term }).await.map(drop)
        })
    }

    /// Gives a lease back; it can no longer write.
    pub fn release_run<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.write(WriteRequest::Release { lease: lease.clone() }).await.map(drop)
        })
    }

    /// Returns the stored lease of a debate. The caller judges if it is over.
    pub fn lease_of<'a>(&'a self, id: &'a str) -> StoreFuture<'a, LeaseView> {
        Box::pin(async move { engine!(self, engine => engine.lease_of(id).await) })
    }

    /// Returns what a process must know of a debate before it runs it.
    pub fn standing<'a>(&'a self, id: &'a str) -> StoreFuture<'a, DebateStanding> {
        Box::pin(async move {
            let found = engine!(self, engine => engine.standing(id).await)?;
            found.ok_or_else(|| StoreError::Unknown { asked: id.into(), recent: Vec::new() })
        })
    }

    /// Returns the active debates with their stored leases, oldest first.
    pub fn active_leases(&self) -> StoreFuture<'_, Vec<(String, LeaseView)>> {
        Box::pin(async move { engine!(self, engine => engine.active_leases().await) })
    }

    /// Leaves a command for the process that runs the debate. Returns its number.
    pub fn send<'a>(
        &'a self,
        id: &'a str,
        at: i64,
        command: DebateCommand,
    ) -> StoreFuture<'a, u64> {
        Box::pin(
            async move { self.write(WriteRequest::Command { id: id.into(), at, command }).await },
        )
    }

    /// Marks a command as seen and not obeyed, with the reason for its sender.
    pub fn refuse<'a>(
        &'a self,
        lease: &'a Lease,
        number: u64,
        why: &'a str,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let (lease, why) = (lease.clone(), why.into());
            self.write(WriteRequest::Refuse { lease, number, why }).await.map(drop)
        })
    }

    /// Returns the result of a command.
    pub fn fate<'a>(&'a self, id: &'a str, number: u64) -> StoreFuture<'a, CommandFate> {
        Box::pin(async move { engine!(self, engine => engine.fate(id, number).await) })
    }

    /// Returns the commands of one debate that were not handled yet, in order.
    pub fn pending<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Vec<PendingCommand>> {
        Box::pin(async move { engine!(self, engine => engine.pending(Some(id)).await) })
    }

    /// Returns the commands of all debates that were not handled yet.
    pub fn pending_everywhere(&self) -> StoreFuture<'_, Vec<PendingCommand>> {
        Box::pin(async move { engine!(self, engine => engine.pending(None).await) })
    }
}

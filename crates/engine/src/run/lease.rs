//! The lease on a debate: one process at a time runs it. A second one is refused,
//! unless the first is known to be dead or, where nothing can be known about it,
//! its lease has run out. Taking a lease over is one compare-and-set, so of many
//! who judge the same lease to be over one gets it.

use std::collections::HashSet;

use async_recursion::async_recursion as boxed;
use debate::model::Status;
use store::{Lease, LeaseTerm, LeaseView, ListFilter, RunOwner, Store, StoreError};

use super::owner::{self, OwnerLife};
use crate::clock;

/// The most times a claimant looks again because another was faster.
const MOST_LOOKS: u32 = 8;
/// The most debates that were never begun which are looked at in one go.
const MOST_OLD: u32 = 100;

/// Takes the lease on a debate for a process that is no server.
#[boxed]
pub async fn claim(store: &Store, id: &str, lease_ms: i64) -> Result<Lease, StoreError> {
    claim_as(store, id, lease_ms, false).await
}

/// Takes the lease on a debate. That of a dead process of this machine is taken
/// over at once; any other is respected until it has run out, and that of a living
/// process of this machine, where debates are in a file, for as long as it lives.
#[boxed]
pub async fn claim_as(
    store: &Store,
    id: &str,
    lease_ms: i64,
    serves: bool,
) -> Result<Lease, StoreError> {
    let mut looks = 0;
    loop {
        let next = next_lease(store.lease_of(id).await?, id, serves)?;
        looks += 1;
        match store.take_over_run(id, &next.owner, term(lease_ms), next.epoch - 1).await {
            // The other may have given it back already.
            Err(StoreError::Taken { .. }) if looks < MOST_LOOKS => {}
            taken => return taken,
        }
    }
}

/// Returns the lease that this process may take after the stored one, for an append that takes it.
/// Refused as by [`claim_as`].
pub fn next_lease(stored: LeaseView, id: &str, serves: bool) -> Result<Lease, StoreError> {
    let me = RunOwner { serves, ..owner::this_process() };
    if is_over(&stored, &me) {
        return Ok(stored.next(id, &me.to_string()));
    }
    let LeaseView { owner, epoch, term } = stored;
    let owner = owner.unwrap_or_default();
    Err(StoreError::Taken { id: id.into(), owner, epoch, until: term.until })
}

/// The term of a lease that begins now.
pub fn term(lease_ms: i64) -> LeaseTerm {
    LeaseTerm {
        until: clock::now_ms().saturating_add(lease_ms),
        boot_until: clock::since_boot_ms().map(|now| now.saturating_add(lease_ms)),
        lasts: Some(lease_ms),
    }
}

/// Returns the active debates that no process runs: theirs was killed, or the
/// machine went down. They go on when a person resumes them.
#[boxed]
pub async fn unattended(store: &Store) -> Result<HashSet<String>, StoreError> {
    let me = owner::this_process();
    let leases = store.active_leases().await?;
    Ok(leases.into_iter().filter(|(_, lease)| is_over(lease, &me)).map(|(id, _)| id).collect())
}

/// The debates that a server was running when it ended without giving their leases back: on this
/// machine, or on any where several work on one database. There the debates count too that a
/// node gave back in the middle, because it was told to go or its run broke off, and those that
/// it took in and never began. With `all`, every active debate that no process runs.
/// `later`: those whose lease must run out first, because nothing can be known
/// about their process.
#[boxed]
pub async fn left_by_server(store: &Store, all: bool) -> Result<LeftDebates, StoreError> {
    let me = owner::this_process();
    let mut left = LeftDebates::default();
    let is_shared = store.is_shared();
    for (id, lease) in store.active_leases().await? {
        let owner = lease.owner.as_deref().and_then(RunOwner::parse);
        let own = match &owner {
            Some(owner) => owner.serves && (is_shared || owner.node == me.node),
            None => is_shared && lease.owner.is_none(),
        };
        if !(own || all) {
            continue;
        }
        if is_over(&lease, &me) {
            left.now.push(id);
        } else if owner.is_some_and(|owner| owner::life(&owner, &me) == OwnerLife::Unknown) {
            left.later.push(id);
        }
    }
    if is_shared {
        left.now.extend(never_begun(store).await?);
    }
    Ok(left)
}

/// Debates that were written down longer ago than a lease lasts, and that no process began.
async fn never_begun(store: &Store) -> Result<Vec<String>, StoreError> {
    let until = Some(clock::now_ms().saturating_sub(super::LEASE_MS));
    let status = Some(Status::Created.word().into());
    let filter = ListFilter { status, until, limit: Some(MOST_OLD), ..ListFilter::default() };
    let mut left = Vec::new();
    for row in store.list(&filter).await? {
        if store.lease_of(&row.id).await?.owner.is_none() {
            left.push(row.id);
        }
    }
    Ok(left)
}

/// Debates that a process left in the middle.
#[derive(Debug, Default)]
pub struct LeftDebates {
    pub now: Vec<String>,
    pub later: Vec<String>,
}

/// Tells whether a living process runs a debate.
#[boxed]
pub async fn is_attended(store: &Store, id: &str) -> Result<bool, StoreError> {
    Ok(!is_over(&store.lease_of(id).await?, &owner::this_process()))
}

/// Tells whether a lease may be taken over.
fn is_over(lease: &LeaseView, me: &RunOwner) -> bool {
    let Some(name) = &lease.owner else { return true };
    let Some(owner) = RunOwner::parse(name) else {
        return clock::now_ms() >= lease.term.until;
    };
    match owner::life(&owner, me) {
        OwnerLife::Dead => true,
        // A task of this process that ended without giving its lease back. On a database
        // server a process that was stopped does not hold up a debate either: when it wakes,
        // it finds that it may no longer write.
        OwnerLife::Alive => {
            let may_be_taken = owner.pid == me.pid || lease.term.lasts.is_some();
            may_be_taken && has_run_out(lease, &owner, me)
        }
        OwnerLife::Unknown => has_run_out(lease, &owner, me),
    }
}

fn has_run_out(lease: &LeaseView, owner: &RunOwner, me: &RunOwner) -> bool {
    match (lease.term.boot_until, clock::since_boot_ms()) {
        (Some(until), Some(now)) if owner::same_machine(owner, me) => now >= until,
        _ => match lease.term.lasts {
            Some(left) => left <= 0,
            None => clock::now_ms() >= lease.term.until,
        },
    }
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;

//! Leases: the right to run a debate. One process at a time holds it, every
//! append carries it, and the epoch is the fence: it grows with every lease that
//! is granted, so a lease that was taken over can no longer write.

use crate::error::StoreError;
use crate::log_row::signed;

/// The right to run a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub id: String,
    pub owner: String,
    pub epoch: u64,
}

/// A request for a lease.
#[derive(Debug, Clone)]
pub(crate) struct LeaseRequest {
    pub id: String,
    pub owner: String,
    pub now: i64,
    pub until: i64,
    /// The epoch of a lease whose holder the caller knows to be dead. That lease
    /// is taken over although it still runs; a newer one is respected.
    pub seize: Option<u64>,
}

/// The stored state of a debate's lease.
#[derive(Debug, Clone)]
pub(crate) struct LeaseRow {
    pub epoch: i64,
    /// `None` once it was given back.
    pub owner: Option<String>,
    pub until: i64,
}

impl LeaseRow {
    /// The error for a request that this lease keeps out, if it does.
    pub(crate) fn refuse_until(&self, id: &str, now: i64) -> Result<(), StoreError> {
        match &self.owner {
            Some(owner) if self.until > now => Err(self.taken(id, owner)),
            _ => Ok(()),
        }
    }

    fn taken(&self, id: &str, owner: &str) -> StoreError {
        let epoch = u64::try_from(self.epoch).unwrap_or(0);
        StoreError::Taken { id: id.into(), owner: owner.into(), epoch, until: self.until }
    }

    /// The fence. A lease that ran out while no other was granted still holds:
    /// only a newer one, or giving it back, takes the right away.
    pub(crate) fn is_held_by(&self, lease: &Lease) -> bool {
        self.epoch == signed(lease.epoch) && self.owner.as_ref() == Some(&lease.owner)
    }
}

impl LeaseRequest {
    /// The epoch of the lease to grant over the one that is stored.
    pub(crate) fn grant(&self, stored: Option<&LeaseRow>) -> Result<i64, StoreError> {
        let Some(stored) = stored else { return Ok(1) };
        if self.seize.map(signed) != Some(stored.epoch) {
            stored.refuse_until(&self.id, self.now)?;
        }
        Ok(stored.epoch + 1)
    }
}

//! The state of one debate under the write lock: its row in the listing, its
//! lease, and the accounts and calls that a request touches. An engine reads all
//! of it in one go, so that a request that must look looks once and then writes once.

use crate::error::StoreError;
use crate::lease::{Lease, LeaseRequest, LeaseRow};
use crate::listing::{ListPosition, ListedDebate};
use crate::log_row::signed;
use crate::request::{LeaseTurn, LogAppend};
use crate::spending::SpendingState;

#[derive(Default)]
pub(crate) struct DebateState {
    /// `Err`: it is there and damaged.
    pub listed: Option<Result<ListedDebate, ListPosition>>,
    pub lease: Option<LeaseRow>,
    pub spending: SpendingState,
}

impl DebateState {
    pub(crate) fn must_not_exist(&self, id: &str) -> Result<(), StoreError> {
        if self.listed.is_none() { Ok(()) } else { Err(StoreError::Exists { id: id.into() }) }
    }

    pub(crate) fn must_exist(&self, id: &str) -> Result<(), StoreError> {
        if self.listed.is_some() {
            Ok(())
        } else {
            Err(StoreError::Unknown { asked: id.into(), recent: Vec::new() })
        }
    }

    /// The row of the debate, for a request that changes it.
    pub(crate) fn take_row(&mut self, id: &str) -> Result<ListedDebate, StoreError> {
        self.must_exist(id)?;
        match self.listed.take() {
            Some(Ok(listed)) => Ok(listed),
            _ => Err(StoreError::Damaged {
                id: id.into(),
                seq: 0,
                what: "its row in the listing".into(),
            }),
        }
    }

    /// Refuses an append to a debate that others hold or whose log does not end as expected.
    /// Returns the request for the lease where the append is to take it.
    pub(crate) fn admit(
        &self,
        log: &LogAppend,
        last_seq: u64,
    ) -> Result<Option<LeaseRequest>, StoreError> {
        let lease = &log.lease;
        let is_ours = |row: &LeaseRow| row.is_held_by(lease);
        // One that is made again reached the disk before, though it was reported as failed.
        let was_written = log.turn == LeaseTurn::GivesBack
            && log.last() > log.expected
            && last_seq == log.last()
            && self.lease.as_ref().is_some_and(|row| row.was_given_back_by(lease));
        let claim = log.claim();
        let ours = self.lease.as_ref().filter(|row| claim.is_some() && is_ours(row));
        match (&claim, ours) {
            // An append that is made again finds its own entries, and is told so below. Without
            // them the lease is that of another task of this process.
            (Some(_), Some(row)) if last_seq == log.expected => return Err(row.taken(&lease.id)),
            (Some(_), Some(_)) => {}
            (Some(claim), None) if claim.grant(self.lease.as_ref())? == signed(lease.epoch) => {}
            (None, _) if was_written => {}
            _ => self.must_hold(lease)?,
        }
        if last_seq != log.expected {
            let (id, expected, found) = (lease.id.clone(), log.expected, last_seq);
            return Err(StoreError::Conflict { id, expected, found });
        }
        Ok(claim)
    }

    /// Refuses a request whose lease is no longer the debate's.
    pub(crate) fn must_hold(&self, lease: &Lease) -> Result<(), StoreError> {
        match &self.lease {
            Some(row) if row.is_held_by(lease) => Ok(()),
            _ => Err(StoreError::NotRunner { id: lease.id.clone() }),
        }
    }
}

//! The state of one debate under the write lock: its row in the listing, its
//! lease, and the accounts and calls that a request touches. An engine reads all
//! of it in one go, so that a request that must look looks once and then writes once.

use crate::error::StoreError;
use crate::lease::{Lease, LeaseRow};
use crate::listing::{ListPosition, ListedDebate};
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

    /// Refuses a request whose lease is no longer the debate's.
    pub(crate) fn must_hold(&self, lease: &Lease) -> Result<(), StoreError> {
        match &self.lease {
            Some(row) if row.is_held_by(lease) => Ok(()),
            _ => Err(StoreError::NotRunner { id: lease.id.clone() }),
        }
    }
}

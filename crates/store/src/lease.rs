//! Leases: the right to run a debate. One process at a time holds it, every
//! append carries it, and the epoch is the fence: it grows with every lease that
//! is granted, so a lease that was taken over can no longer write.

use std::fmt;

use crate::error::StoreError;
use crate::log_row::signed;

/// The right to run a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub id: String,
    pub owner: String,
    pub epoch: u64,
}

/// The end of a lease, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeaseTerm {
    /// On the wall clock, since 1970.
    pub until: i64,
    /// On the clock that counts since the owner's machine started, where there is
    /// one. Processes of that machine go by it: the wall clock may be set.
    pub boot_until: Option<i64>,
    /// The milliseconds that it lasts, or that are left of it, by the clock of a database server:
    /// nodes whose own clocks differ go by that one. A file has no clock.
    pub lasts: Option<i64>,
}

/// The lease of a debate as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeaseView {
    /// `None` where it was given back, or none was ever granted.
    pub owner: Option<String>,
    /// 0 where none was ever granted.
    pub epoch: u64,
    pub term: LeaseTerm,
}

impl LeaseView {
    /// The lease that follows this one, for an append that takes it ([`crate::LeaseTurn`]).
    pub fn next(&self, id: &str, owner: &str) -> Lease {
        Lease { id: id.into(), owner: owner.into(), epoch: self.epoch + 1 }
    }
}

/// What a process must know of a debate before it runs it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DebateStanding {
    /// The number of the last entry of its log.
    pub last_seq: u64,
    pub lease: LeaseView,
    /// True while commands wait that were not handled yet.
    pub is_commanded: bool,
}

/// The name of a process that runs debates. No other process anywhere has the
/// same: two machines may give one number to two processes, and so may two
/// containers of one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOwner {
    /// The machine.
    pub node: String,
    /// This run of the machine.
    pub boot: String,
    /// The space in which `pid` counts.
    pub pid_namespace: String,
    pub pid: u32,
    /// The moment the process started; a number may be given again.
    pub started: String,
    /// True for a server, which goes on with its debates after a restart.
    pub serves: bool,
}

/// The last word of a server's name.
const SERVES: &str = " serving";

impl fmt::Display for RunOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunOwner { node, boot, pid_namespace, pid, started, serves } = self;
        write!(f, "process {pid} ({started}) on {node} {boot} {pid_namespace}")?;
        if *serves { f.write_str(SERVES) } else { Ok(()) }
    }
}

impl RunOwner {
    /// Reads a stored name. `None` for one that an earlier version wrote.
    pub fn parse(text: &str) -> Option<RunOwner> {
        let (process, place) = text.strip_prefix("process ")?.split_once(") on ")?;
        let (pid, started) = process.split_once(" (")?;
        let mut place = place.split(' ').map(str::to_owned);
        let (node, boot, pid_namespace) = (place.next()?, place.next()?, place.next()?);
        let (pid, started) = (pid.parse().ok()?, started.to_owned());
        let serves = text.ends_with(SERVES);
        Some(RunOwner { node, boot, pid_namespace, pid, started, serves })
    }
}

/// A request for a lease.
#[derive(Debug, Clone)]
pub(crate) struct LeaseRequest {
    pub id: String,
    pub owner: String,
    pub term: LeaseTerm,
    pub condition: LeaseCondition,
}

/// The condition under which a lease is granted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LeaseCondition {
    /// No lease runs at this moment of the wall clock.
    Free { now: i64 },
    /// The stored lease is still the one of this epoch, which the caller has
    /// judged to be over: a compare-and-set.
    Over { epoch: u64 },
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
    /// Refuses while this lease runs.
    pub(crate) fn refuse_until(&self, id: &str, now: i64) -> Result<(), StoreError> {
        if self.owner.is_some() && self.until > now { Err(self.taken(id)) } else { Ok(()) }
    }

    pub(crate) fn taken(&self, id: &str) -> StoreError {
        let epoch = u64::try_from(self.epoch).unwrap_or(0);
        let owner = self.owner.clone().unwrap_or_default();
        StoreError::Taken { id: id.into(), owner, epoch, until: self.until }
    }

    /// The fence. A lease that ran out while no other was granted still holds:
    /// only a newer one, or giving it back, takes the right away.
    pub(crate) fn is_held_by(&self, lease: &Lease) -> bool {
        self.epoch == signed(lease.epoch) && self.owner.as_ref() == Some(&lease.owner)
    }

    /// Tells whether this lease was given back, and none was granted since.
    pub(crate) fn was_given_back_by(&self, lease: &Lease) -> bool {
        self.epoch == signed(lease.epoch) && self.owner.is_none()
    }
}

impl LeaseRequest {
    /// The epoch of the lease to grant over the one that is stored.
    pub(crate) fn grant(&self, stored: Option<&LeaseRow>) -> Result<i64, StoreError> {
        let Some(stored) = stored else { return Ok(1) };
        match self.condition {
            LeaseCondition::Free { now } => stored.refuse_until(&self.id, now)?,
            LeaseCondition::Over { epoch } if signed(epoch) == stored.epoch => {}
            LeaseCondition::Over { .. } => return Err(stored.taken(&self.id)),
        }
        Ok(stored.epoch + 1)
    }
}

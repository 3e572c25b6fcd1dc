//! Who runs a debate. One process at a time: a second one is refused, unless
//! the first is known to be dead.

use std::collections::HashSet;

use store::{Claim, Store, StoreError};

use crate::clock;

/// Takes the right to run a debate. The right of a process of this machine that
/// no longer lives is taken over at once; any other is respected until its
/// lease runs out.
pub async fn claim(store: &Store, id: &str, lease_ms: i64) -> Result<Claim, StoreError> {
    let me = this_process();
    match store.claim_run(id, &me, lease_ms, clock::now_ms()).await {
        Err(StoreError::Taken { owner, epoch, .. }) if is_dead(&owner) => {
            store.seize_run(id, &me, lease_ms, clock::now_ms(), epoch).await
        }
        other => other,
    }
}

/// Active debates that nobody runs: their process was killed, or the machine
/// went down. They go on when somebody resumes them.
pub async fn unattended(store: &Store) -> Result<HashSet<String>, StoreError> {
    let now = clock::now_ms();
    let mut found: HashSet<String> = store.unattended(now).await?.into_iter().collect();
    let held = store.attended(now).await?;
    found.extend(held.into_iter().filter(|(_, owner)| is_dead(owner)).map(|(id, _)| id));
    Ok(found)
}

/// Whether a living process runs a debate.
pub async fn is_attended(store: &Store, id: &str) -> Result<bool, StoreError> {
    let owner = store.runner_of(id, clock::now_ms()).await?;
    Ok(owner.is_some_and(|owner| !is_dead(&owner)))
}

/// `process 4711 (83402)`: the number alone may be given again to another, so
/// the moment it started is part of the name where the system tells it.
fn this_process() -> String {
    let pid = std::process::id();
    match started(pid) {
        Some(moment) => format!("process {pid} ({moment})"),
        None => format!("process {pid}"),
    }
}

fn is_dead(owner: &str) -> bool {
    let Some((pid, moment)) = parse(owner) else { return false };
    // Without /proc nothing is known, and the lease decides.
    std::path::Path::new("/proc/self").exists() && started(pid).as_deref() != Some(moment)
}

fn parse(owner: &str) -> Option<(u32, &str)> {
    let rest = owner.strip_prefix("process ")?;
    let (pid, moment) = rest.split_once(" (")?;
    Some((pid.parse().ok()?, moment.strip_suffix(')')?))
}

/// When a process started, in ticks since the machine did: field 22 of its
/// stat line, counted after the name, which may hold spaces.
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    let state = after_name.split(' ').next()?;
    let moment = after_name.split(' ').nth(19)?;
    // A zombie has ended; it only has not been mourned yet.
    (state != "Z").then(|| moment.to_owned())
}

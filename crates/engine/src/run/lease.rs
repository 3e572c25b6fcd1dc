//! The lease on a debate. One process runs a debate at a time; a second one is
//! refused unless the first is known to be dead.

use std::collections::HashSet;

use store::{Claim, Store, StoreError};

use crate::clock;

/// Takes the lease on a debate. The lease of a dead process of this machine is
/// taken over at once; any other is respected until it expires.
pub async fn claim(store: &Store, id: &str, lease_ms: i64) -> Result<Claim, StoreError> {
    let me = this_process();
    match store.claim_run(id, &me, lease_ms, clock::now_ms()).await {
        Err(StoreError::Taken { owner, epoch, .. }) if is_dead(&owner) => {
            store.seize_run(id, &me, lease_ms, clock::now_ms(), epoch).await
        }
        other => other,
    }
}

/// Returns the active debates that no process runs, because theirs was killed or
/// the machine went down. They continue when a person resumes them.
pub async fn unattended(store: &Store) -> Result<HashSet<String>, StoreError> {
    let now = clock::now_ms();
    let mut found: HashSet<String> = store.unattended(now).await?.into_iter().collect();
    let held = store.attended(now).await?;
    found.extend(held.into_iter().filter(|(_, owner)| is_dead(owner)).map(|(id, _)| id));
    Ok(found)
}

/// Returns whether a live process runs a debate.
pub async fn is_attended(store: &Store, id: &str) -> Result<bool, StoreError> {
    let owner = store.runner_of(id, clock::now_ms()).await?;
    Ok(owner.is_some_and(|owner| !is_dead(&owner)))
}

/// Names this process, as in `process 4711 (83402)`. The system may give the same
/// number to a later process, so the start time is part of the name where the
/// system tells it.
fn this_process() -> String {
    let pid = std::process::id();
    match started(pid) {
        Some(moment) => format!("process {pid} ({moment})"),
        None => format!("process {pid}"),
    }
}

fn is_dead(owner: &str) -> bool {
    let Some((pid, moment)) = parse(owner) else { return false };
    // Without /proc there is no way to tell, and the lease decides.
    std::path::Path::new("/proc/self").exists() && started(pid).as_deref() != Some(moment)
}

fn parse(owner: &str) -> Option<(u32, &str)> {
    let rest = owner.strip_prefix("process ")?;
    let (pid, moment) = rest.split_once(" (")?;
    Some((pid.parse().ok()?, moment.strip_suffix(')')?))
}

/// Returns the start time of a process in ticks since boot: field 22 of its stat
/// line, counted after the name, which may contain spaces.
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    let state = after_name.split(' ').next()?;
    let moment = after_name.split(' ').nth(19)?;
    // A zombie process has exited; its parent has not collected it yet.
    (state != "Z").then(|| moment.to_owned())
}

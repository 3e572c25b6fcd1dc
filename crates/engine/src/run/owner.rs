//! The process that runs debates: its name, and whether another one still lives.
//! Only a process that counts in the same space of numbers on the same run of the
//! same machine can be looked up; of every other one nothing is known here.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use store::RunOwner;

/// Stands where the system does not tell.
const UNKNOWN: &str = "unknown";

/// The knowledge about the process behind a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnerLife {
    Alive,
    Dead,
    /// It runs elsewhere, or an earlier version named it.
    Unknown,
}

/// The name of this process, which it keeps for life.
pub(super) fn this_process() -> RunOwner {
    static NAME: OnceLock<RunOwner> = OnceLock::new();
    if let Some(name) = NAME.get() {
        return name.clone();
    }
    let name = named();
    // What could not be read may be read the next time.
    if !is_vague(&name) {
        let _ = NAME.set(name.clone());
    }
    name
}

/// Tells whether a process cannot be told from others by its name.
fn is_vague(owner: &RunOwner) -> bool {
    [&owner.boot, &owner.pid_namespace, &owner.started].iter().any(|id| *id == UNKNOWN)
}

fn named() -> RunOwner {
    let first = |paths: &[&str]| paths.iter().find_map(|path| word(Path::new(path)));
    let known = |found: Option<String>| found.unwrap_or_else(|| UNKNOWN.into());
    let namespace = fs::read_link("/proc/self/ns/pid").ok();
    RunOwner {
        node: known(first(&["/etc/machine-id", "/proc/sys/kernel/hostname"])),
        boot: known(first(&["/proc/sys/kernel/random/boot_id"])),
        pid_namespace: known(namespace.map(|link| link.to_string_lossy().into_owned())),
        pid: std::process::id(),
        started: known(started("self")),
        serves: false,
    }
}

/// Tells whether the process of this name lives, as far as `me` can know.
pub(super) fn life(owner: &RunOwner, me: &RunOwner) -> OwnerLife {
    let place = |one: &RunOwner| [one.node.clone(), one.boot.clone(), one.pid_namespace.clone()];
    if is_vague(owner) || place(owner) != place(me) {
        return OwnerLife::Unknown;
    }
    if (owner.pid, &owner.started) == (me.pid, &me.started) {
        return OwnerLife::Alive;
    }
    if !proc_is_ours() {
        return OwnerLife::Unknown;
    }
    if started(&owner.pid.to_string()).as_deref() == Some(owner.started.as_str()) {
        OwnerLife::Alive
    } else {
        OwnerLife::Dead
    }
}

/// Tells whether both run on the same run of the same machine, and so go by the
/// same clock.
pub(super) fn same_machine(owner: &RunOwner, me: &RunOwner) -> bool {
    owner.boot != UNKNOWN && (&owner.node, &owner.boot) == (&me.node, &me.boot)
}

/// Tells whether `/proc` shows the numbers that this process counts in. In a new
/// space of numbers it may still show those of the old one.
fn proc_is_ours() -> bool {
    let own = fs::read_link("/proc/self").ok();
    own.is_some_and(|link| link.as_os_str() == std::process::id().to_string().as_str())
}

/// The first word of a file; names must not hold spaces.
fn word(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.split_whitespace().next().map(str::to_owned)
}

/// The moment a process started, in ticks since the machine did: field 22 of its
/// stat line, counted after the name, which may hold spaces.
fn started(process: &str) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    let state = after_name.split(' ').next()?;
    let moment = after_name.split(' ').nth(19)?;
    // A zombie process has exited; its parent has not collected it yet.
    (state != "Z").then(|| moment.to_owned())
}

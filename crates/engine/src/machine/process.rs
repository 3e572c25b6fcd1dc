//! The process itself: its memory holds keys, so it leaves none behind when it
//! crashes, and a server may have as many files open as the system allows.

/// Sees to it that a crash writes no image of the memory, and that no other process
/// of the user reads it. A system that cannot do so runs the program all the same.
#[cfg(unix)]
pub fn keep_memory_private() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    // Where a program collects the images, the limit alone does not hold.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

#[cfg(not(unix))]
pub fn keep_memory_private() {}

/// Raises the number of files and sockets that may be open to the most the system
/// allows, and returns it; `None` if it is not known.
#[cfg(unix)]
pub fn raise_open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

#[cfg(not(unix))]
pub fn raise_open_files() -> Option<u64> {
    None
}

/// The name of this machine among others, for people.
pub fn node_name() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match told.trim() {
        "" => "this machine".into(),
        name => name.into(),
    }
}

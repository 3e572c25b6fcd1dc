//! The only reader of the clock and the only source of random ids.
#![allow(clippy::disallowed_methods, reason = "this is the door")]

use uuid::Uuid;

/// Returns milliseconds since 1970, UTC.
pub fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Milliseconds since this machine started, without the time it slept. Unlike the
/// wall clock, this one is never set.
pub fn since_boot_ms() -> Option<i64> {
    #[cfg(unix)]
    {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        Some(now.tv_sec.saturating_mul(1_000).saturating_add(now.tv_nsec / 1_000_000))
    }
    #[cfg(not(unix))]
    None
}

/// Returns an id for a new debate; later ones sort after earlier ones.
pub fn new_id() -> String {
    Uuid::now_v7().to_string()
}

/// Returns 32 random hex digits that cannot be guessed.
pub fn new_secret() -> String {
    Uuid::new_v4().simple().to_string()
}

/// Returns a seed for shuffles, used if the user gives none.
pub fn new_seed() -> u64 {
    Uuid::new_v4().as_u64_pair().1 >> 12
}

/// Returns this moment in UTC, as `2026-11-15T09:30:00.125Z`.
pub fn now_text() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// Returns today's date in UTC, as `2026-11-15`.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

//! Helpers of the tests of several crates: the deadline against hanging, and the one
//! way of saying that something cannot be shown on this machine. It refuses to measure:
//! no test asks how long something took.
#![allow(clippy::panic, clippy::print_stderr, clippy::disallowed_methods, reason = "tests only")]

use std::time::{Duration, Instant};

/// The longest that a test waits for a condition. It is far more than anything takes on
/// a busy machine: a test that gets there hangs.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// The end of a test's patience, against hanging only.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    began: Instant,
}

impl Default for Deadline {
    fn default() -> Deadline {
        Deadline::new()
    }
}

impl Deadline {
    #[must_use]
    pub fn new() -> Deadline {
        Deadline { began: Instant::now() }
    }

    /// Pauses for a moment between two looks, and fails when the patience is over.
    ///
    /// # Panics
    /// When the condition never came.
    #[track_caller]
    pub fn wait(&self, never: impl FnOnce() -> String) {
        self.check(never);
        std::thread::sleep(Duration::from_millis(5));
    }

    /// Fails when the patience is over; the caller waits in its own way.
    ///
    /// # Panics
    /// When the condition never came.
    #[track_caller]
    pub fn check(&self, never: impl FnOnce() -> String) {
        if self.began.elapsed() >= PATIENCE {
            panic!("{}", never());
        }
    }
}

/// Returns a text of this many letters in no order, so that compressing it saves little.
#[must_use]
pub fn noise(length: usize) -> String {
    let mut state = 1_u64;
    let mut letter = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + 2 + (state >> 33) as u8 % 56)
    };
    (0..length).map(|_| letter()).collect()
}

/// Waits until a condition holds.
///
/// # Panics
/// When it never does.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Deadline::new();
    while !holds() {
        deadline.wait(|| format!("{what} never came"));
    }
}

/// Says that a proof cannot be shown on this machine, and why. With `ROUNDTABLE_MUST=1`,
/// as in CI, every proof must be shown: there it fails.
///
/// # Panics
/// When every proof must be shown.
#[track_caller]
pub fn cannot_be_shown(why: &str) {
    assert!(!must(), "this must be shown here (ROUNDTABLE_MUST=1) and cannot be: {why}");
    eprintln!("NOT SHOWN: {why}");
}

/// True where no proof may be left out.
#[must_use]
pub fn must() -> bool {
    std::env::var("ROUNDTABLE_MUST").is_ok_and(|value| value == "1")
}

/// Says that something beyond the repository was not measured, because it is not here.
/// This is no proof that CI could show: a fresh clone never has it.
pub fn not_part_of_it(why: &str) {
    eprintln!("NOT MEASURED: {why}");
}

/// The weights of the small model, where a debate with it can be held.
/// `ROUNDTABLE_LOCAL_WEIGHTS` names the file; `later` says that another step of the
/// same run has it.
///
/// # Panics
/// When every proof must be shown and there are none.
#[must_use]
#[track_caller]
pub fn weights() -> Option<String> {
    match std::env::var("ROUNDTABLE_LOCAL_WEIGHTS") {
        Ok(value) if value == "later" => None,
        Ok(value) => Some(value),
        Err(_) => {
            cannot_be_shown("a debate with real weights: ROUNDTABLE_LOCAL_WEIGHTS is not set");
            None
        }
    }
}

/// The address of a PostgreSQL server to try things on, where there is one. `./check` starts
/// one and names it in `ROUNDTABLE_TEST_POSTGRES`.
///
/// # Panics
/// When every proof must be shown and there is none.
#[must_use]
#[track_caller]
pub fn postgres() -> Option<String> {
    let address = std::env::var("ROUNDTABLE_TEST_POSTGRES").ok();
    if address.is_none() {
        cannot_be_shown("anything on PostgreSQL: ROUNDTABLE_TEST_POSTGRES is not set");
    }
    address
}

/// The address of a part of that server that nothing else uses: a schema of this name.
#[must_use]
pub fn postgres_schema(server: &str, name: &str) -> String {
    let sign = if server.contains('?') { '&' } else { '?' };
    format!("{server}{sign}options=-csearch_path%3D{name}")
}

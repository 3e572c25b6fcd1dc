//! The starts that this process remembers, by their key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::time::Instant;

/// Starts by their key.
pub(super) type StartKeys = Mutex<HashMap<String, Arc<StartedOnce>>>;

/// The debate that a start led to. A second start with the same key waits on the
/// lock.
type StartedOnce = tokio::sync::Mutex<Option<(String, Instant)>>;

/// A debate that was started under the same key.
#[derive(Debug, PartialEq, Eq)]
pub enum StartedUnderKey {
    /// It is running, has ended, or waits for a person.
    Known(String),
    /// Its process is gone; the repeated start should resume it.
    CutOff(String),
}

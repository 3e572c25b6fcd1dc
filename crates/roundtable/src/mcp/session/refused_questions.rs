//! Questions that users refused, so that they are not asked twice. A task whose
//! client brought a refusal asks no more, and says what is still open. Another
//! process does not know of the refusal and may ask once more.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Cheap to clone; one for all connections, since a task belongs to none.
#[derive(Clone, Default)]
pub struct RefusedQuestions {
    refused: Arc<Mutex<HashSet<(String, String)>>>,
}

impl RefusedQuestions {
    pub fn refuse(&self, session: &str, request: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.insert((session.into(), request.into()));
    }

    pub fn is_refused(&self, session: &str, request: &str) -> bool {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.contains(&(session.into(), request.into()))
    }
}

//! The number of debates that run at once in a process whose operator set none: it
//! begins small and doubles as long as debates wait and answers come about as fast as
//! before. Models that serve many at once are used to the full, and a machine that serves
//! one after the other is not asked for more than it can do.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

/// The number of debates that run at once before anything is known.
const FIRST: usize = 8;
/// The number of debates that run at once at most.
pub(super) const MOST: usize = 256;
/// The mean time of this many answers is compared.
const SAMPLE: u32 = 16;
/// Answers that take longer than the fastest by this factor leave the number as it is.
const SLOWER: f64 = 1.5;

pub(super) struct Pace {
    places: Arc<Semaphore>,
    seen: Mutex<AnswerTimes>,
}

struct AnswerTimes {
    width: usize,
    count: u32,
    sum: Duration,
    /// The shortest mean time so far.
    best: Option<Duration>,
}

impl Pace {
    pub fn new() -> Pace {
        let seen = AnswerTimes { width: FIRST, count: 0, sum: Duration::ZERO, best: None };
        Pace { places: Arc::new(Semaphore::new(FIRST)), seen: Mutex::new(seen) }
    }

    /// The places of debates that run.
    pub fn places(&self) -> Arc<Semaphore> {
        Arc::clone(&self.places)
    }

    /// Takes in how long an answer took.
    pub fn answered(&self, took: Duration) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.count += 1;
        seen.sum += took;
        if seen.count < SAMPLE {
            return;
        }
        let mean = seen.sum / seen.count;
        (seen.count, seen.sum) = (0, Duration::ZERO);
        let best = seen.best.map_or(mean, |best| best.min(mean));
        seen.best = Some(best);
        let is_slower = mean.as_secs_f64() > best.as_secs_f64() * SLOWER;
        if is_slower || self.places.available_permits() > 0 {
            return;
        }
        let more = seen.width.min(MOST - seen.width);
        self.places.add_permits(more);
        seen.width += more;
    }
}

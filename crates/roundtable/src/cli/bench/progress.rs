//! The progress of a measurement: a line that is rewritten on a terminal, a line for
//! every tenth elsewhere.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::run::spawn;
use tokio::task::JoinHandle;

use crate::document::escape::clean_line;
use crate::terminal::out;
use lab::Progress;

const TENTHS: usize = 10;
/// The time between two drawings of the line.
const TICK: Duration = Duration::from_millis(500);

/// The choice between a line that is rewritten and lines that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Moving,
    Still,
}

/// The measurement as far as it has come.
struct Reached {
    done: usize,
    all: usize,
    doing: String,
    /// The tenth that was said last, from 1; 0 before the first.
    tenth: usize,
    began: Instant,
}

impl Reached {
    fn line(&self) -> String {
        let elapsed = self.began.elapsed().as_secs();
        let left = (elapsed * self.all.saturating_sub(self.done) as u64)
            .checked_div(self.done as u64)
            .map(|seconds| format!(", {} to go", clock(seconds)));
        let (done, all, doing) = (self.done, self.all, &self.doing);
        format!("{done}/{all} {doing} · {}{}", clock(elapsed), left.unwrap_or_default())
    }
}

fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

pub struct Bar {
    reached: Arc<Mutex<Reached>>,
    drawing: Option<JoinHandle<()>>,
}

impl Bar {
    pub fn new(motion: Motion) -> Bar {
        let (doing, began) = (String::new(), Instant::now());
        let reached = Arc::new(Mutex::new(Reached { done: 0, all: 1, doing, tenth: 0, began }));
        let shown = Arc::clone(&reached);
        let drawing = (motion == Motion::Moving).then(|| {
            spawn(async move {
                loop {
                    out::status(&lock(&shown).line());
                    tokio::time::sleep(TICK).await;
                }
            })
        });
        Bar { reached, drawing }
    }

    pub fn finish(&self) {
        if let Some(drawing) = &self.drawing {
            drawing.abort();
            out::status("");
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(drawing) = &self.drawing {
            drawing.abort();
        }
    }
}

fn lock(reached: &Mutex<Reached>) -> std::sync::MutexGuard<'_, Reached> {
    reached.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress for Bar {
    fn step(&self, done: usize, all: usize, doing: &str) {
        let mut reached = lock(&self.reached);
        (reached.done, reached.all, reached.doing) = (done, all, clean_line(doing));
        let tenth = 1 + TENTHS * done / all.max(1);
        let is_new = reached.tenth < tenth;
        reached.tenth = reached.tenth.max(tenth);
        if self.drawing.is_none() && is_new && done < all {
            out::note(&format!("{done} of {all}: {}", reached.doing));
        }
    }
}

//! The progress of a measurement: a bar on a terminal, a line for every tenth
//! elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::document::escape::clean_line;
use crate::terminal::out;
use lab::Progress;

const TENTHS: usize = 10;

/// The choice between a drawn bar and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Moving,
    Still,
}

pub struct Bar {
    motion: Motion,
    bar: ProgressBar,
    /// The tenth that was said last, from 1; 0 before the first.
    said: AtomicUsize,
}

impl Bar {
    pub fn new(motion: Motion) -> Bar {
        let target = match motion {
            Motion::Moving => ProgressDrawTarget::stderr(),
            Motion::Still => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {pos}/{len} {msg} · {elapsed}, {eta} to go")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar { motion, bar, said: AtomicUsize::new(0) }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn step(&self, done: usize, all: usize, doing: &str) {
        let doing = clean_line(doing);
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(doing.clone());
        let tenth = 1 + TENTHS * done / all.max(1);
        let is_new = self.said.fetch_max(tenth, Ordering::Relaxed) < tenth;
        if self.motion == Motion::Still && is_new && done < all {
            out::note(&format!("{done} of {all}: {doing}"));
        }
    }
}

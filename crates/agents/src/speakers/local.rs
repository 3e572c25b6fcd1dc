//! A model in this process: GGUF weights read once, computed with on the CPU,
//! shared by every seat that names them. It answers in the schema or not at
//! all. It downloads nothing by itself and reads no environment; a caller that
//! wants weights from elsewhere hands it the way to get them.
//!
//! These are very small models: good for seeing a debate happen without a key
//! or a server, and for nothing that matters. [`NOTICE`] says so.

mod compact;
pub mod download;
pub mod known;
mod shelf;
mod speaker;
#[cfg(test)]
mod tests;
pub mod wheel;
pub mod words;

use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;

pub use inference::{LocalError, LocalFault};
pub(super) use shelf::without_holding_up;
pub use shelf::{AbsentModel, ModelSource, Shelf, locate, source};
pub use speaker::LocalSpeaker;

use inference::{Crew, Gguf, LocalWriter};
use speaker::Job;

/// The provider name under which models of this process are seated.
pub const PROVIDER: &str = "local";

/// To be shown wherever such a model is seated.
pub const NOTICE: &str = "This model runs inside Roundtable and is very small: good for trying \
                          Roundtable, not for deciding anything.";

/// The asks that may wait for the model. More seats than this wait outside.
const QUEUE: usize = 32;
/// The window that views are made for: a small model reads slowly, and loses
/// the thread long before its window is full.
const ADVISED_WINDOW: usize = 2048;

/// The number of threads that compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// All cores but one.
    #[default]
    LeaveOneFree,
    Exactly(usize),
}

/// Loaded weights and the thread that computes with them. Seats share it; the
/// thread ends when the last of them is gone.
pub struct LocalModel {
    name: String,
    window: usize,
    threads: usize,
    jobs: mpsc::Sender<Job>,
}

impl LocalModel {
    /// Reads the weights. This blocks for as long as reading takes: a second
    /// for the smallest model.
    pub fn open(path: &Path, threads: Threads) -> Result<Arc<LocalModel>, LocalError> {
        let crew = match threads {
            Threads::LeaveOneFree => Crew::of_this_machine(),
            Threads::Exactly(number) => Crew::of(number.max(1)),
        };
        let writer = Gguf::open(path)
            .and_then(|gguf| LocalWriter::read(gguf, crew))
            .map_err(LocalError::at(path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (window, threads) = (writer.window(), writer.threads());
        let (jobs, inbox) = mpsc::channel(QUEUE);
        std::thread::Builder::new()
            .name(format!("local {name}"))
            .spawn(move || speaker::work(writer, inbox))
            .map_err(|error| LocalFault::Unreadable(format!("no thread could be started: {error}")))
            .map_err(LocalError::at(path))?;
        Ok(Arc::new(LocalModel { name, window, threads, jobs }))
    }

    /// The name of the file without its ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// For [`debate::model::Agent::context_window`]: views are cut to it.
    pub fn advised_window(&self) -> u32 {
        u32::try_from(self.window.min(ADVISED_WINDOW)).unwrap_or(u32::MAX)
    }

    pub fn threads(&self) -> usize {
        self.threads
    }
}

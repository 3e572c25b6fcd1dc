//! Writes a recording. A file that exists is never overwritten.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use debate::model::{Ask, Brief, Failure, Reply};

use super::file::{RecordedCall, RecordedOpening, TapeError, TapeHead, TapeLine, VERSION, shown};
use super::player::Recording;
use super::request::RecordedRequest;
use super::secrets::Secrets;

/// No brief is kept with the key of its fences.
const NO_KEY: &str = "00000000000000000000000000000000";

/// Writes a recording while debates run.
pub struct Recorder {
    path: PathBuf,
    secrets: Secrets,
    out: Mutex<TapeWriter>,
}

struct TapeWriter {
    file: File,
    calls: usize,
    /// The first thing that could not be written; nothing is written after it.
    failed: Option<String>,
}

impl Recorder {
    /// Begins a new file; `program` is the version of the program that does.
    pub fn create(path: &Path, secrets: Secrets, program: &str) -> Result<Recorder, TapeError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => TapeError::Exists { path: shown(path) },
            _ => TapeError::Unwritable { path: shown(path), cause: error.to_string() },
        })?;
        let out = Mutex::new(TapeWriter { file, calls: 0, failed: None });
        let recorder = Recorder { path: path.into(), secrets, out };
        let head = TapeHead { roundtable_recording: VERSION, program: program.into() };
        recorder.write(&serde_json::to_value(head).unwrap_or_default(), 0);
        recorder.ended().map(|_| recorder)
    }

    /// Goes on with a recording of this version.
    pub fn go_on(path: &Path, secrets: Secrets) -> Result<Recorder, TapeError> {
        Recording::load(path)?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(|error| TapeError::Unwritable {
            path: shown(path),
            cause: error.to_string(),
        })?;
        let out = Mutex::new(TapeWriter { file, calls: 0, failed: None });
        Ok(Recorder { path: path.into(), secrets, out })
    }

    /// Writes down what a debate is about, so that it can be held again.
    pub fn begin(&self, label: &str, brief: &Brief) {
        let brief = Box::new(Brief { fence_key: NO_KEY.into(), ..brief.clone() });
        let line = TapeLine::Opening(RecordedOpening { debate: label.into(), brief });
        self.write(&serde_json::to_value(line).unwrap_or_default(), 0);
    }

    pub(super) fn take_down(
        &self,
        label: &str,
        ask: &Ask,
        said: &Result<Reply, Failure>,
        took: Duration,
    ) {
        let request = RecordedRequest::of(ask, &self.secrets);
        let call = RecordedCall {
            debate: label.into(),
            ask: ask.id,
            speaker: ask.speaker.clone(),
            digest: request.digest(),
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            reply: said.as_ref().ok().cloned(),
            failure: said.as_ref().err().cloned(),
            request,
        };
        self.write(&serde_json::to_value(call).unwrap_or_default(), 1);
    }

    fn write(&self, line: &serde_json::Value, calls: usize) {
        let mut line = line.clone();
        self.secrets.removed_from(&mut line);
        let text = format!("{line}\n");
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if out.failed.is_some() {
            return;
        }
        match out.file.write_all(text.as_bytes()).and_then(|()| out.file.flush()) {
            Ok(()) => out.calls += calls,
            Err(error) => out.failed = Some(error.to_string()),
        }
    }

    /// The number of calls written, or the reason why some were not.
    pub fn ended(&self) -> Result<usize, TapeError> {
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        match &out.failed {
            None => Ok(out.calls),
            Some(cause) => {
                Err(TapeError::Unwritable { path: shown(&self.path), cause: cause.clone() })
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

//! Fetches weights into a file, going on where an earlier try broke off. What
//! arrives counts only when its checksum is right. How bytes are sent for is
//! the caller's: this file opens no connection.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::StreamExt;
use sha2::{Digest, Sha256};

use super::known::KnownModel;
use crate::CancellationToken;
pub use crate::http::web::{GetError, RangeBody, RangeGet};
use inference::{LocalError, LocalFault};

/// Breaks in a row without a single new byte before it is given up.
const PATIENCE: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// The progress of a download, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadProgress {
    pub done: u64,
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    #[error(
        "{url} could not be downloaded: {why}. {done} of {total} bytes are kept in {}; run the \
         same command again to continue. {by_hand}",
        part.display()
    )]
    Broke { url: String, why: String, done: u64, total: u64, part: PathBuf, by_hand: String },
    #[error("the download of {url} was cancelled; run the same command again to continue")]
    CalledOff { url: String },
    #[error(transparent)]
    File(#[from] LocalError),
}

/// Fetches a known model into `folder` and returns the file. `from` is the
/// address to use, usually [`KnownModel::url`].
pub async fn download(
    model: &KnownModel,
    from: &str,
    folder: &Path,
    get: &dyn RangeGet,
    progress: &(dyn Fn(DownloadProgress) + Sync),
    cancel: &CancellationToken,
) -> Result<PathBuf, DownloadError> {
    let path = folder.join(model.file);
    let part = part_of(&path);
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut course = DownloadRun { part: &part, total: model.bytes, progress };
    let mut broken = 0;
    loop {
        let done = course.done();
        if done >= model.bytes {
            break;
        }
        let why = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                return Err(DownloadError::CalledOff { url: from.into() });
            }
            outcome = course.go_on(from, done, get) => match outcome {
                Ok(()) => continue,
                Err(DownloadStop::File(error)) => return Err(error.into()),
                Err(DownloadStop::Get(GetError::Refused(why))) => {
                    broken = PATIENCE;
                    why
                }
                Err(DownloadStop::Get(GetError::Broke(why))) => why,
            }
        };
        let now = course.done();
        broken = if now > done && broken < PATIENCE { 0 } else { broken + 1 };
        if broken >= PATIENCE {
            let (url, by_hand) = (from.into(), model.by_hand());
            return Err(DownloadError::Broke {
                url,
                why,
                done: now,
                total: model.bytes,
                part,
                by_hand,
            });
        }
        tokio::time::sleep(PAUSE * broken).await;
    }
    // Going on from wrong bytes would never end well: they are not kept.
    check(&part, model.sha256).inspect_err(|_| drop(fs::remove_file(&part)))?;
    fs::rename(&part, &path).map_err(|error| unwritable(&path, &error))?;
    Ok(path)
}

/// The path of a file until it is whole.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Checks that a file is the right one, to the bit.
pub fn check(path: &Path, sha256: &str) -> Result<(), LocalError> {
    let at = || LocalError::at(path);
    let unreadable = |error: std::io::Error| LocalFault::Unreadable(error.to_string());
    let mut file = File::open(path).map_err(unreadable).map_err(at())?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece).map_err(unreadable).map_err(at())? {
            0 => break,
            length => hash.update(&piece[..length]),
        }
    }
    let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found == sha256 {
        Ok(())
    } else {
        Err(at()(LocalFault::Checksum { expected: sha256.into(), found }))
    }
}

struct DownloadRun<'a> {
    part: &'a Path,
    total: u64,
    progress: &'a (dyn Fn(DownloadProgress) + Sync),
}

enum DownloadStop {
    Get(GetError),
    File(LocalError),
}

impl DownloadRun<'_> {
    fn done(&self) -> u64 {
        fs::metadata(self.part).map_or(0, |there| there.len())
    }

    /// One request, from `from` to its end or to where it breaks.
    async fn go_on(
        &mut self,
        url: &str,
        from: u64,
        get: &dyn RangeGet,
    ) -> Result<(), DownloadStop> {
        let mut opened = get.get(url, from).await.map_err(DownloadStop::Get)?;
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .open(self.part)
            .map_err(|error| DownloadStop::File(unwritable(self.part, &error)))?;
        let mut done = match opened.from {
            start if start == from => start,
            // It sends everything again; what is here is dropped.
            0 => 0,
            _ => return Err(DownloadStop::Get(GetError::Refused("it sent another part".into()))),
        };
        let placed = file
            .set_len(done)
            .and_then(|()| std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(done)));
        placed.map_err(|error| DownloadStop::File(unwritable(self.part, &error)))?;
        while let Some(piece) = opened.body.next().await {
            let piece = piece.map_err(DownloadStop::Get)?;
            // More than the file has cannot be right, and must not fill the disk.
            if done.saturating_add(piece.len() as u64) > self.total {
                let why = "it sends more than the file has";
                return Err(DownloadStop::Get(GetError::Refused(why.into())));
            }
            file.write_all(&piece)
                .map_err(|error| DownloadStop::File(unwritable(self.part, &error)))?;
            done += piece.len() as u64;
            (self.progress)(DownloadProgress { done, total: self.total });
        }
        if done == self.total {
            Ok(())
        } else {
            Err(DownloadStop::Get(GetError::Broke("the connection ended early".into())))
        }
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> LocalError {
    LocalError { path: path.to_owned(), fault: LocalFault::Unwritable(error.to_string()) }
}

//! Reads files that somebody else may have put there: only regular files, and never
//! more than a limit. A device could have no end, and a pipe could keep the reader
//! waiting for ever.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

use crate::error::FileProblem;

/// The reason why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is {kind}, not a regular file")]
    NotRegular { kind: &'static str },
    #[error("it has more than {largest} bytes, and at most {largest} are read")]
    TooLarge { largest: u64 },
    #[error("it is not UTF-8 text")]
    NotText,
}

impl From<FileFault> for FileProblem {
    fn from(fault: FileFault) -> FileProblem {
        match fault {
            FileFault::Io(error) => FileProblem::Unreadable { why: error.to_string() },
            FileFault::NotRegular { kind } => FileProblem::NotRegular { kind },
            FileFault::TooLarge { largest } => FileProblem::TooLarge { most: largest },
            FileFault::NotText => FileProblem::NotText,
        }
    }
}

/// Returns the bytes of a regular file that has at most `largest`.
pub fn read(path: &Path, largest: u64) -> Result<Vec<u8>, FileFault> {
    // Before it is opened, because opening some devices does something.
    regular(&std::fs::metadata(path)?)?;
    let file = open(path)?;
    // Another file may stand there now.
    let about = file.metadata()?;
    regular(&about)?;
    if about.len() > largest {
        return Err(FileFault::TooLarge { largest });
    }
    let mut bytes = Vec::new();
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest { Err(FileFault::TooLarge { largest }) } else { Ok(bytes) }
}

/// Returns the text of a regular file that has at most `largest` bytes.
pub fn read_text(path: &Path, largest: u64) -> Result<String, FileFault> {
    String::from_utf8(read(path, largest)?).map_err(|_| FileFault::NotText)
}

/// Opens a file without waiting for the other end of a pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    options.open(path)
}

fn regular(about: &Metadata) -> Result<(), FileFault> {
    if about.is_file() { Ok(()) } else { Err(FileFault::NotRegular { kind: kind(about) }) }
}

#[cfg(unix)]
fn kind(about: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = about.file_type();
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(about: &Metadata) -> &'static str {
    if about.is_dir() { "a folder" } else { "a device" }
}

//! Writes an export to a file, completely or not at all, and overwrites an existing
//! one only if told to.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{EngineError, FileProblem, Refusal, Remedy};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverwritePolicy {
    Never,
    Allowed,
}

pub fn write(path: &Path, text: &str, overwrite: OverwritePolicy) -> Result<(), EngineError> {
    let shown = path.to_owned();
    let refuse = |problem| Refusal::file(&shown, problem);
    if path.is_dir() {
        return Err(refuse(FileProblem::IsFolder).help(Remedy::NameFileInside).into());
    }
    let taken = || refuse(FileProblem::Exists).help(Remedy::Overwrite).into();
    let found = path.metadata();
    if found.as_ref().is_ok_and(|found| !found.is_file()) {
        return Err(refuse(FileProblem::NotAFile).help(Remedy::PrintInstead).into());
    }
    if overwrite == OverwritePolicy::Never && path.symlink_metadata().is_ok() {
        return Err(taken());
    }
    // The target of a link is replaced, not the link.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let draft = draft(path);
    let done = fill(&draft, text).and_then(|()| match overwrite {
        OverwritePolicy::Allowed => fs::rename(&draft, path),
        // Unlike renaming, linking does not replace a file that was created
        // meanwhile.
        OverwritePolicy::Never => match fs::hard_link(&draft, path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !path.exists() => {
                fs::rename(&draft, path)
            }
            linked => linked,
        },
    });
    // After renaming, the draft no longer exists.
    let _ = fs::remove_file(&draft);
    done.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(),
        io::ErrorKind::NotFound => refuse(FileProblem::FolderMissing).into(),
        _ => refuse(FileProblem::Unwritable { why: error.to_string() }).into(),
    })
}

fn draft(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(format!(".new-{}", std::process::id()));
    PathBuf::from(name)
}

fn fill(draft: &Path, text: &str) -> io::Result<()> {
    // One of the same name is left from a process that was killed.
    let _ = fs::remove_file(draft);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // A debate may hold what others on this machine should not read.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

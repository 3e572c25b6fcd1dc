//! Writes an export to a file, completely or not at all, and overwrites an existing
//! one only if told to.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::export::EngineError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverwritePolicy {
    Never,
    Allowed,
}

pub fn write(path: &Path, text: &str, overwrite: OverwritePolicy) -> Result<(), EngineError> {
    let shown = path.display().to_string();
    let refuse = |why: String| EngineError::input(format!("cannot write {shown}: {why}"));
    if path.is_dir() {
        return Err(refuse("it is a folder; name a file in it".into()));
    }
    let taken = || refuse("it exists already; add --force to replace it".into());
    let found = path.metadata();
    if found.as_ref().is_ok_and(|found| !found.is_file()) {
        return Err(refuse("it is a device or a pipe; leave -o out and redirect".into()));
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
        io::ErrorKind::NotFound => refuse("its folder does not exist".into()),
        _ => refuse(error.to_string()),
    })
}

fn draft(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(format!(".new-{}", std::process::id()));
    PathBuf::from(name)
}

fn fill(draft: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

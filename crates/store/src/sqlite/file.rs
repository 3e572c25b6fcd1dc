//! The database file: recognising ours, making a new one, keeping it private. A
//! file that is not ours is never written to, and a new one appears whole or not
//! at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::sqlite::format::{APPLICATION_ID, SCHEMA_VERSION};

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER: usize = 100;
/// The places of `user_version` and `application_id` in the header, big-endian.
const VERSION_AT: usize = 60;
const APPLICATION_AT: usize = 68;

/// The most unfinished files beside a database before we give up.
const MOST_DRAFTS: u32 = 1000;

/// Tells whether our database is there. Looks at the first bytes without SQLite,
/// so that a foreign file is not even opened by it. The application id is written
/// before the file gets its name (see [`publish`]), hence a file without it was
/// never ours.
pub(crate) fn exists(path: &Path) -> Result<bool, StoreError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(StoreError::io(&format!("opening {}", path.display()), &error)),
    };
    let not_ours = |why: &str| StoreError::NotOurs { path: path.to_owned(), why: why.into() };
    let mut header = Vec::with_capacity(HEADER);
    match file.by_ref().take(HEADER as u64).read_to_end(&mut header) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            return Err(not_ours("it is a directory"));
        }
        Err(error) => return Err(StoreError::io(&format!("reading {}", path.display()), &error)),
    }
    if header.is_empty() {
        // Ours is never empty, so what was here is lost: silence would hide that.
        return Err(not_ours("the file is empty"));
    }
    if header.len() < HEADER || !header.starts_with(MAGIC) {
        return Err(not_ours("it is no SQLite file"));
    }
    if number_at(&header, APPLICATION_AT) != Some(APPLICATION_ID) {
        return Err(not_ours("another program made it"));
    }
    match number_at(&header, VERSION_AT) {
        Some(found) if found > SCHEMA_VERSION => {
            Err(StoreError::Newer { path: path.to_owned(), found, known: SCHEMA_VERSION })
        }
        _ => Ok(true),
    }
}

fn number_at(header: &[u8], at: usize) -> Option<i64> {
    let bytes: [u8; 4] = header.get(at..at + 4)?.try_into().ok()?;
    Some(i64::from(i32::from_be_bytes(bytes)))
}

/// The directories above `path`, made for the owner alone where they are
/// missing, and on the disk for good: a database in a directory that the power
/// cut took away is lost too. One that is there already is not ours to change.
pub(crate) fn make_home(path: &Path) -> Result<(), StoreError> {
    let home = home(path);
    let failed = |error: io::Error| StoreError::io(&format!("making {}", home.display()), &error);
    let missing: Vec<&Path> = home.ancestors().take_while(|above| !is_there(above)).collect();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&home).map_err(failed)?;
    for made in missing {
        sync_home(made).map_err(failed)?;
    }
    Ok(())
}

/// The empty path is what is above a relative one: here.
fn is_there(path: &Path) -> bool {
    path.as_os_str().is_empty() || path.exists()
}

fn home(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// An empty file beside `path`, for the owner alone, in which a database is
/// prepared before it gets its name.
pub(crate) fn draft(path: &Path) -> Result<PathBuf, StoreError> {
    sweep(path);
    for number in 0..MOST_DRAFTS {
        let candidate = beside(path, &format!(".new-{}-{number}", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&candidate) {
            Ok(_) => return Ok(candidate),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => {
                let doing = format!("making {}", candidate.display());
                return Err(StoreError::io(&doing, &error));
            }
        }
    }
    Err(StoreError::Io { what: format!("unfinished files fill {}", home(path).display()) })
}

/// Takes away drafts of this database whose process was killed before it could.
/// Those of a process that lives, or of which nothing is known, are left alone.
pub(crate) fn sweep(path: &Path) {
    let (Some(name), true) = (path.file_name(), Path::new("/proc/self").exists()) else { return };
    let start = format!("{}.new-", name.to_string_lossy());
    let Ok(entries) = fs::read_dir(home(path)) else { return };
    for entry in entries.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let process = file.strip_prefix(&start).and_then(|rest| rest.split('-').next());
        let process = process.and_then(|number| number.parse::<u32>().ok());
        if process.is_some_and(|number| !Path::new(&format!("/proc/{number}")).exists()) {
            // What cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Gives a finished draft its name, on the disk for good. Returns false where the
/// name was taken already; that file is left as it is.
pub(crate) fn publish(draft: &Path, path: &Path) -> Result<bool, StoreError> {
    let doing = format!("making {}", path.display());
    let sync = File::open(draft).and_then(|file| file.sync_all());
    sync.map_err(|error| StoreError::io(&doing, &error))?;
    let published = match fs::hard_link(draft, path) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
        // A file system without links: the check and the move are two steps here.
        Err(_) if path.exists() => false,
        Err(_) => {
            fs::rename(draft, path).map_err(|error| StoreError::io(&doing, &error))?;
            true
        }
    };
    discard(draft);
    sync_home(path).map_err(|error| StoreError::io(&doing, &error))?;
    Ok(published)
}

/// Takes away a draft and what SQLite may have left beside it.
pub(crate) fn discard(draft: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        // What is not there need not be removed; a leftover does no harm.
        let _ = fs::remove_file(beside(draft, suffix));
    }
}

fn sync_home(path: &Path) -> io::Result<()> {
    // Directories can be synced where they can be opened as files.
    if cfg!(unix) { File::open(home(path))?.sync_all() } else { Ok(()) }
}

/// Takes reading and writing from everyone but the owner. SQLite gives the
/// files beside the database the same rights when it makes them.
pub(crate) fn keep_private(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    for suffix in ["", "-wal", "-shm"] {
        use std::os::unix::fs::PermissionsExt;
        let file = beside(path, suffix);
        let Ok(found) = fs::metadata(&file) else { continue };
        if found.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).map_err(|error| {
                StoreError::io(&format!("closing {} to others", file.display()), &error)
            })?;
        }
    }
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    PathBuf::from(name)
}

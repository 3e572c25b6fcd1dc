//! The token of `roundtable serve`: made once, kept in a file that only its owner may
//! read, and used by everything of the same user that calls the server.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use crate::bounded_file::{self, FileFault};
use crate::clock;
use crate::config::Config;
use crate::error::{EngineError, FileKind, FileProblem, Refusal, Remedy};

/// No token is this long.
const LARGEST: u64 = 4096;

/// Returns the token that callers must send: the environment's, else the kept one, which
/// is made if there is none yet.
pub fn token(config: &Config) -> Result<String, EngineError> {
    if let Some(given) = config.environment.get("ROUNDTABLE_TOKEN") {
        return Ok(given.trim().to_owned());
    }
    let path = &config.paths.server_token;
    let cannot = |why: &dyn std::fmt::Display| -> EngineError {
        let problem = FileProblem::Broken { what: FileKind::Token, why: why.to_string() };
        Refusal::file(path, problem).help(Remedy::SetTokenOrRemove).into()
    };
    match bounded_file::read_text(path, LARGEST) {
        Ok(kept) => {
            is_private(path).map_err(|why| cannot(&why))?;
            Ok(kept.trim().to_owned())
        }
        Err(FileFault::Io(error)) if error.kind() == ErrorKind::NotFound => {
            make(path).map_err(|error| cannot(&error))?;
            // Another process may have been first.
            let kept = bounded_file::read_text(path, LARGEST).map_err(|fault| cannot(&fault))?;
            Ok(kept.trim().to_owned())
        }
        Err(fault) => Err(cannot(&fault)),
    }
}

/// Writes a new token, unless one was written meanwhile.
fn make(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let draft = path.with_extension(std::process::id().to_string());
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    let secret = format!("{}{}\n", clock::new_secret(), clock::new_secret());
    let made = file.write_all(secret.as_bytes()).and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft)?;
    match made {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn is_private(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path).map_err(|error| error.to_string())?.permissions().mode();
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(format!("others can read it (mode {:03o})", mode & 0o777)),
    }
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> Result<(), String> {
    Ok(())
}

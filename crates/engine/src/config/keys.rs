//! Keys that are not in the environment: a file that only its owner may read, and
//! the system keyring if the program was built with it. A file that others could
//! read is refused, and its contents never appear in a message.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use agents::redaction::looks_like_a_key;
use secrecy::{ExposeSecret, SecretString};
use toml_edit::DocumentMut;

use crate::error::{At, EngineError, FileKind, FileProblem, KeyFault, Problem, Refusal, Remedy};

/// The service name under which the keyring keeps our keys.
#[cfg(feature = "keyring")]
const SERVICE: &str = "roundtable";
/// No provider's key is nearly this long; a file given by mistake is.
const LONGEST: usize = 4096;

#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    #[error("the keys in {} can be read by others (mode {mode:03o})", path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error("the keys file {} cannot be read: {why}", path.display())]
    Unreadable { path: PathBuf, why: std::io::Error },
    #[error("line {line} of the keys file {} cannot be used", path.display())]
    Broken { path: PathBuf, line: usize },
    #[error("the keys file {} cannot be written: {why}", path.display())]
    Unwritable { path: PathBuf, why: std::io::Error },
    #[error("the key cannot be used: {0:?}")]
    Unfit(KeyFault),
    #[error("the system keyring cannot be used: {0}")]
    #[cfg_attr(not(feature = "keyring"), allow(dead_code))]
    Keyring(String),
}

impl From<KeysError> for EngineError {
    fn from(error: KeysError) -> EngineError {
        let refusal = match error {
            KeysError::Open { path, mode } => {
                Refusal::file(&path, FileProblem::ReadableByOthers { mode })
                    .help(Remedy::MakePrivate { path })
            }
            KeysError::Unreadable { path, why } => {
                Refusal::file(path, FileProblem::Unreadable { why: why.to_string() })
            }
            KeysError::Broken { path, line } => {
                let why = "write PROVIDER = \"KEY\", one to a line".into();
                let problem = FileProblem::Broken { what: FileKind::Keys, why };
                Refusal::new(At::Line { file: path, line }, Problem::File(problem))
            }
            KeysError::Unwritable { path, why } => {
                Refusal::file(path, FileProblem::Unwritable { why: why.to_string() })
            }
            KeysError::Unfit(KeyFault::NoKeyring) => {
                let problem = Problem::UnfitKey { fault: KeyFault::NoKeyring };
                Refusal::new(At::Keyring, problem)
            }
            KeysError::Unfit(fault) => Refusal::new(At::Keys, Problem::UnfitKey { fault }),
            KeysError::Keyring(why) => Refusal::new(At::Keyring, Problem::Failed { why }),
        };
        refusal.into()
    }
}

/// The place from which a key was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    File,
    Keyring,
}

/// The keys of the file, by name.
#[derive(Debug, Default)]
pub struct StoredKeys {
    of_file: BTreeMap<String, SecretString>,
}

impl StoredKeys {
    /// Reads the file; a missing file is no error.
    pub fn read(path: &Path) -> Result<StoredKeys, KeysError> {
        let document = document(path)?;
        let mut of_file = BTreeMap::new();
        for (name, value) in document.iter() {
            let Some(key) = value.as_str() else {
                return Err(broken(path, &document.to_string(), span(value)));
            };
            of_file.insert(name.to_lowercase(), SecretString::from(key.trim()));
        }
        Ok(StoredKeys { of_file })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.of_file.keys().map(String::as_str)
    }

    /// Returns the key of a name, with a description of its source.
    pub fn find(&self, name: &str) -> Option<(SecretString, &'static str)> {
        let of_file = self.of_file.get(name).filter(|key| !key.expose_secret().is_empty());
        match of_file {
            Some(key) => Some((key.clone(), "the keys file")),
            None => from_keyring(name).map(|key| (key, "the system keyring")),
        }
    }
}

/// Returns whether a setting holds something else than the name of the variable that
/// holds the key: the key itself, perhaps.
pub fn is_misplaced_key(key_variable: Option<&str>) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = |name: &str| name.chars().all(plain) && !looks_like_a_key(name);
    key_variable.is_some_and(|name| name.is_empty() || !is_name(name))
}

/// Checks typed or piped input as a key; the error never repeats it.
pub fn fit(given: &str) -> Result<SecretString, KeysError> {
    let key = given.trim();
    match key {
        "" => Err(KeysError::Unfit(KeyFault::Empty)),
        _ if key.len() > LONGEST => Err(KeysError::Unfit(KeyFault::TooLong)),
        _ if key.chars().any(|c| !c.is_ascii_graphic()) => {
            Err(KeysError::Unfit(KeyFault::StrangeCharacters))
        }
        _ => Ok(SecretString::from(key)),
    }
}

/// Writes one key to the file and leaves the others as they are.
pub fn keep(path: &Path, name: &str, key: &SecretString) -> Result<(), KeysError> {
    let mut document = document(path)?;
    if document.is_empty() {
        document
            .decor_mut()
            .set_prefix("# Keys of model providers. Only you may read this file.\n");
    }
    document[name] = toml_edit::value(key.expose_secret());
    write(path, &document.to_string())
}

/// Removes a key from every place that holds it; returns those places.
pub fn remove(path: &Path, name: &str) -> Result<Vec<KeyPlace>, KeysError> {
    let mut document = document(path)?;
    let mut from = Vec::new();
    if document.remove(name).is_some() {
        write(path, &document.to_string())?;
        from.push(KeyPlace::File);
    }
    if remove_from_keyring(name)? {
        from.push(KeyPlace::Keyring);
    }
    Ok(from)
}

fn document(path: &Path) -> Result<DocumentMut, KeysError> {
    let unreadable = |why| KeysError::Unreadable { path: path.into(), why };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(DocumentMut::new()),
        Err(why) => return Err(unreadable(why)),
    };
    refuse_open(path)?;
    // The library's own message would show the line, and with it the key.
    text.parse().map_err(|error: toml_edit::TomlError| broken(path, &text, error.span()))
}

fn span(value: &toml_edit::Item) -> Option<std::ops::Range<usize>> {
    value.span()
}

fn broken(path: &Path, text: &str, at: Option<std::ops::Range<usize>>) -> KeysError {
    let before = at.and_then(|at| text.get(..at.start)).unwrap_or_default();
    KeysError::Broken { path: path.into(), line: before.matches('\n').count() + 1 }
}

#[cfg(unix)]
fn refuse_open(path: &Path) -> Result<(), KeysError> {
    use std::os::unix::fs::PermissionsExt as _;
    let about = std::fs::metadata(path);
    let mode = about.map_err(|why| KeysError::Unreadable { path: path.into(), why })?;
    match mode.permissions().mode() & 0o777 {
        mode if mode & 0o077 != 0 => Err(KeysError::Open { path: path.into(), mode }),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn refuse_open(_: &Path) -> Result<(), KeysError> {
    Ok(())
}

/// Writes the file completely and privately, or leaves it as it was.
fn write(path: &Path, text: &str) -> Result<(), KeysError> {
    let unwritable = |why| KeysError::Unwritable { path: path.into(), why };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(unwritable)?;
    }
    let fresh = path.with_extension(format!("toml.{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&fresh).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&fresh, path)
    });
    written.map_err(|why| {
        let _ = std::fs::remove_file(&fresh);
        unwritable(why)
    })
}

#[cfg(feature = "keyring")]
fn entry(name: &str) -> Result<keyring::Entry, KeysError> {
    keyring::Entry::new(SERVICE, name).map_err(|error| KeysError::Keyring(error.to_string()))
}

/// A locked or missing keyring has no keys.
#[cfg(feature = "keyring")]
fn from_keyring(name: &str) -> Option<SecretString> {
    let key = entry(name).ok()?.get_password().ok()?;
    Some(SecretString::from(key)).filter(|key| !key.expose_secret().is_empty())
}

#[cfg(not(feature = "keyring"))]
fn from_keyring(_: &str) -> Option<SecretString> {
    None
}

#[cfg(feature = "keyring")]
pub fn keep_in_keyring(name: &str, key: &SecretString) -> Result<(), KeysError> {
    let kept = entry(name)?.set_password(key.expose_secret());
    kept.map_err(|error| KeysError::Keyring(error.to_string()))
}

#[cfg(not(feature = "keyring"))]
pub fn keep_in_keyring(_: &str, _: &SecretString) -> Result<(), KeysError> {
    Err(KeysError::Unfit(KeyFault::NoKeyring))
}

#[cfg(feature = "keyring")]
fn remove_from_keyring(name: &str) -> Result<bool, KeysError> {
    // A machine without a keyring has no key in it.
    let Ok(entry) = entry(name) else { return Ok(false) };
    if entry.get_password().is_err() {
        return Ok(false);
    }
    let removed = entry.delete_credential();
    removed.map(|()| true).map_err(|error| KeysError::Keyring(error.to_string()))
}

#[cfg(not(feature = "keyring"))]
fn remove_from_keyring(_: &str) -> Result<bool, KeysError> {
    Ok(false)
}

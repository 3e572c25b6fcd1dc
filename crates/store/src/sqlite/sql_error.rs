//! The meaning of SQLite's result codes: each becomes the error that tells the
//! caller what to do next.

use crate::error::StoreError;

/// Makes the error out of SQLite's own message.
type CodeMeaning = fn(String) -> StoreError;

/// SQLite's result codes that mean something else than "it could not be read or
/// written". The low byte is the class, the rest the detail.
const CODES: [(i32, CodeMeaning); 11] = [
    (5, |_| StoreError::Locked),
    (6, |_| StoreError::Locked),
    (8, |_| StoreError::ReadOnly),
    (11, |what| StoreError::Corrupt { what }),
    (13, |_| StoreError::Full),
    // What tables say of each other, or of themselves, is not so.
    (19, |what| StoreError::Corrupt { what }),
    (26, |what| StoreError::Corrupt { what }),
    // A read that ends early: the file is shorter than it says.
    (522, |what| StoreError::Corrupt { what }),
    (1032, |_| StoreError::Io { what: "its file was moved or deleted".into() }),
    // The shared memory beside the file could not grow: no space.
    (4874, |_| StoreError::Full),
    // A page that does not fit what its checksum or its neighbours say.
    (8202, |what| StoreError::Corrupt { what }),
];

pub(crate) fn meaning(code: &str, message: String) -> StoreError {
    let code: i32 = code.parse().unwrap_or(1);
    let row = |wanted: i32| CODES.iter().find(|(code, _)| *code == wanted);
    match row(code).or_else(|| row(code & 0xff)) {
        Some((_, make)) => make(message),
        None => StoreError::Io { what: format!("{message} (code {code})") },
    }
}

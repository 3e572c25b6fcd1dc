//! The meaning of the server's error codes: each becomes the error that tells the caller what
//! to do next.

use crate::error::StoreError;

/// Makes the error out of the server's own message.
type ServerFault = fn(String) -> StoreError;

/// Codes, by their beginning: the first two characters are the class, the rest the detail.
const CODES: [(&str, ServerFault); 11] = [
    // Another transaction was in the way.
    ("40", |_| StoreError::Locked),
    ("55P03", |_| StoreError::Locked),
    ("53100", |_| StoreError::Full),
    ("53", |what| StoreError::Away { what }),
    // This process stood still in the middle of a transaction, and the server ended it.
    ("25P03", |what| StoreError::Away { what }),
    ("25006", |_| StoreError::ReadOnly),
    ("42501", |what| StoreError::Io { what: format!("this user may not do that: {what}") }),
    ("57", |what| StoreError::Away { what }),
    ("08P01", |what| StoreError::Io { what }),
    ("08", |what| StoreError::Away { what }),
    ("XX001", |what| StoreError::Corrupt { what }),
];

pub(crate) fn meaning(code: &str, message: String) -> StoreError {
    match CODES.iter().find(|(start, _)| code.starts_with(start)) {
        Some((_, make)) => make(message),
        None => StoreError::Io { what: format!("{message} (code {code})") },
    }
}

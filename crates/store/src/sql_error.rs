//! The meaning of errors that come from a database, whichever engine it is.

use std::io::ErrorKind;

use sqlx::postgres::PgDatabaseError;

use crate::error::StoreError;
use crate::{postgres, sqlite};

/// The kinds of error with which a connection to a server ends.
const LOST: [ErrorKind; 7] = [
    ErrorKind::ConnectionRefused,
    ErrorKind::ConnectionReset,
    ErrorKind::ConnectionAborted,
    ErrorKind::NotConnected,
    ErrorKind::BrokenPipe,
    ErrorKind::UnexpectedEof,
    ErrorKind::TimedOut,
];

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        match error {
            sqlx::Error::Database(database) => {
                let code = database.code().unwrap_or_default();
                let message = database.message().to_owned();
                match database.try_downcast_ref::<PgDatabaseError>() {
                    Some(_) => postgres::meaning(&code, message),
                    None => sqlite::meaning(&code, message),
                }
            }
            sqlx::Error::ColumnDecode { index, source } => StoreError::Corrupt {
                what: format!("column {index} is not what it should be: {source}"),
            },
            sqlx::Error::Io(error) if LOST.contains(&error.kind()) => {
                StoreError::Away { what: error.to_string() }
            }
            sqlx::Error::Io(error) => StoreError::io("the file", &error),
            // Only a server is spoken to; it hung up, or something else answered in its place.
            sqlx::Error::Protocol(what) => StoreError::Away { what },
            sqlx::Error::Tls(error) => StoreError::Away { what: error.to_string() },
            sqlx::Error::PoolClosed => StoreError::Closed,
            sqlx::Error::WorkerCrashed => StoreError::Crashed,
            sqlx::Error::PoolTimedOut => {
                StoreError::Away { what: "no connection became free in time".into() }
            }
            other => StoreError::Io { what: other.to_string() },
        }
    }
}

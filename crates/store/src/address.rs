//! The place where debates are kept: a file of this machine, or a server. An address that
//! holds a password is never shown with it.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAddress {
    File(PathBuf),
    Server(ServerAddress),
}

/// The address of a PostgreSQL server with its database, user and perhaps password.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress(String);

/// The beginnings of an address of a server.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

impl StoreAddress {
    /// Reads an address of a server; `None` if it is none.
    pub fn server(text: &str) -> Option<StoreAddress> {
        let text = text.trim();
        let is_server = SCHEMES.iter().any(|scheme| text.starts_with(scheme));
        is_server.then(|| StoreAddress::Server(ServerAddress(text.into())))
    }
}

impl ServerAddress {
    /// The whole address, for the connection alone.
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

/// The address without user, password and parameters.
impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("postgres", ""));
        let place = rest.split('?').next().unwrap_or_default();
        let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
        write!(f, "{scheme}://{place}")
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerAddress({self})")
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreAddress::File(path) => write!(f, "{}", path.display()),
            StoreAddress::Server(server) => server.fmt(f),
        }
    }
}

impl From<&Path> for StoreAddress {
    fn from(path: &Path) -> StoreAddress {
        StoreAddress::File(path.to_owned())
    }
}

impl From<&PathBuf> for StoreAddress {
    fn from(path: &PathBuf) -> StoreAddress {
        StoreAddress::File(path.clone())
    }
}

impl From<&StoreAddress> for StoreAddress {
    fn from(address: &StoreAddress) -> StoreAddress {
        address.clone()
    }
}

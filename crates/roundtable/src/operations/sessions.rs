//! Looking at stored debates. Nothing here writes, and nothing is created by
//! looking.

use std::collections::HashSet;

use debate::Debate;
use store::{ListFilter, Listed, Recorded, Store, StoreError};

use super::Trouble;
use crate::config::Config;
use crate::runner;

/// A stored debate, whole.
pub struct Session {
    pub id: String,
    pub debate: Debate,
}

pub async fn list(config: &Config, filter: &ListFilter) -> Result<Vec<Listed>, Trouble> {
    match Store::read_only(&config.paths.database).await {
        Ok(store) => Ok(store.list(filter).await?),
        // Nobody has debated yet: that is an empty list, not an error.
        Err(StoreError::Missing { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Debates that should be running and that nobody runs, because their process
/// was killed or their machine went down.
pub async fn unattended(config: &Config) -> Result<HashSet<String>, Trouble> {
    match Store::read_only(&config.paths.database).await {
        Ok(store) => Ok(runner::unattended(&store).await?),
        Err(StoreError::Missing { .. }) => Ok(HashSet::new()),
        Err(error) => Err(error.into()),
    }
}

pub async fn show(config: &Config, id: &str) -> Result<Session, Trouble> {
    let store = match Store::read_only(&config.paths.database).await {
        Err(StoreError::Missing { .. }) => {
            return Err(Trouble::input(format!(
                "there is no debate {id:?}: none has been held yet"
            )));
        }
        other => other?,
    };
    let (id, log) = self::log(&store, id).await?;
    let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))?;
    Ok(Session { id, debate })
}

/// The log of the debate whose id begins so.
pub async fn log(store: &Store, id: &str) -> Result<(String, Vec<Recorded>), Trouble> {
    let id = store.find(id).await?.id;
    let log = store.log(&id).await?;
    Ok((id, log))
}

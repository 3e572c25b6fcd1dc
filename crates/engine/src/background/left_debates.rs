//! Going on with the debates that a server was running when it was killed. They go
//! on within their own budgets, and nothing that was answered is asked again.

use std::collections::HashMap;
use std::time::Duration;

use agents::agent_spec::CLIENT_PROVIDER;
use store::{StoreAddress, StoreError};
use tokio::time::{Instant, sleep};

use crate::background::host::{ClientSeat, Host};
use crate::error::{At, EngineError, Problem, Refusal};
use crate::run::{self, LEASE_MS, LeftDebates};

/// The debates that a server goes on with when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerResume {
    /// Those that a server was running on this machine.
    Own,
    /// Every debate that no process runs.
    All,
    /// None: a person resumes them.
    Ask,
}

const WORDS: [(&str, ServerResume); 3] =
    [("own", ServerResume::Own), ("all", ServerResume::All), ("ask", ServerResume::Ask)];

/// Interval at which leases are looked at that must run out first.
const LOOK: Duration = Duration::from_secs(2);
/// The time after which a node tries a debate again that did not go on with it.
const AGAIN: Duration = Duration::from_secs(30);

impl ServerResume {
    /// Reads the setting `[server] resume`.
    pub fn of(setting: Option<&str>) -> Result<ServerResume, EngineError> {
        let Some(word) = setting else { return Ok(ServerResume::Own) };
        let found = WORDS.iter().find(|(known, _)| *known == word).map(|(_, resume)| *resume);
        found.ok_or_else(|| {
            let problem = Problem::unknown(word, &WORDS.map(|(known, _)| known));
            Refusal::new(At::ConfigKey("server.resume".into()), problem).given(word).into()
        })
    }
}

impl Host {
    /// Goes on with the debates that were left, in the background.
    pub fn go_on_with_left(&self) -> Result<(), EngineError> {
        let resume = ServerResume::of(self.config().file.server.resume.as_deref())?;
        if resume == ServerResume::Ask {
            return Ok(());
        }
        let host = self.clone();
        run::spawn(async move { host.take_up(resume == ServerResume::All).await });
        Ok(())
    }

    /// Takes up what was left, and waits for leases of processes that nothing is
    /// known about.
    async fn take_up(&self, all: bool) {
        let leaving = self.leaving();
        // A lease that is not renewed has run out by then.
        let lease = Duration::from_millis(u64::try_from(LEASE_MS).unwrap_or(0));
        let until = Instant::now() + lease + 2 * LOOK;
        // Where several nodes work on one database, any of them may be gone at any time.
        let is_shared = matches!(self.config().store, StoreAddress::Server(_));
        let mut seen: HashMap<String, Instant> = HashMap::new();
        loop {
            let left = match self.left(all).await {
                Ok(left) => left,
                // The database comes back, and its debates with it.
                Err(EngineError::Store(error)) if is_shared => {
                    tracing::debug!(%error, "could not look for debates to take up");
                    LeftDebates::default()
                }
                // The tables are not made anew before the lease of an older program has run out.
                Err(EngineError::Store(error @ StoreError::Taken { .. }))
                    if Instant::now() <= until =>
                {
                    tracing::debug!(%error, "the database cannot be opened yet");
                    tokio::select! {
                        () = leaving.cancelled() => return,
                        () = sleep(LOOK) => continue,
                    }
                }
                Err(error) => return tracing::warn!(%error, "no debate was taken up"),
            };
            seen.retain(|_, at| !is_shared || at.elapsed() < AGAIN);
            for id in left.now {
                if self.runs(&id) || seen.contains_key(&id) {
                    continue;
                }
                if let Err(error) = self.take_up_one(&id).await {
                    tracing::warn!(debate = %id, %error, "a debate that was cut off does not go on");
                }
                seen.insert(id, Instant::now());
            }
            if !is_shared && (left.later.is_empty() || Instant::now() > until) {
                return;
            }
            tokio::select! {
                () = leaving.cancelled() => return,
                () = sleep(LOOK) => {}
            }
        }
    }

    async fn left(&self, all: bool) -> Result<LeftDebates, EngineError> {
        match self.store().await? {
            Some(store) => Ok(run::left_by_server(&store, all).await?),
            None => Ok(LeftDebates::default()),
        }
    }

    async fn take_up_one(&self, id: &str) -> Result<(), EngineError> {
        let seen = self.look(id).await?;
        let agents = &seen.debate.room().brief.agents;
        // The model of a client is not here before its client is.
        if agents.iter().any(|agent| agent.provider == CLIENT_PROVIDER) {
            return Ok(());
        }
        self.resume(id, None, ClientSeat::default()).await.map(drop)
    }
}

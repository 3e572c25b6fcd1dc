//! Writing the synthesis of a finished debate in the background, once for all who ask for it.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use async_recursion::async_recursion as boxed;
use debate::model::Synthesis;
use tokio::sync::watch;
use tokio::time::timeout;

use super::host::Host;
use crate::error::EngineError;
use crate::run;
use crate::sessions::synthesise;

impl Host {
    /// Returns the synthesis of a finished debate; `None` if it is still being
    /// written. Writing continues when the caller stops waiting.
    #[boxed]
    pub async fn synthesise(
        &self,
        id: &str,
        patience: Duration,
    ) -> Result<Option<Synthesis>, EngineError> {
        self.steerable(id).await?;
        let mut writing = {
            let mut all = self.inner.writing.lock().unwrap_or_else(PoisonError::into_inner);
            match all.get(id) {
                Some(writing) => writing.clone(),
                None => {
                    let (sender, receiver) = watch::channel(None);
                    all.insert(id.into(), receiver.clone());
                    let (host, id) = (self.clone(), id.to_owned());
                    run::spawn(async move {
                        let written = synthesise::synthesise(host.config(), &id, None).await;
                        let mut all =
                            host.inner.writing.lock().unwrap_or_else(PoisonError::into_inner);
                        all.remove(&id);
                        let result = written.map(|(_, synthesis)| synthesis);
                        let _ = sender.send(Some(result.map_err(Arc::new)));
                    });
                    receiver
                }
            }
        };
        let written = tokio::select! {
            () = self.inner.leaving.cancelled() => return Ok(None),
            written = timeout(patience, writing.wait_for(Option::is_some)) => written,
        };
        match written {
            Err(_) => Ok(None),
            Ok(Err(_)) => Err(EngineError::Clerk { why: "its task broke off".into() }),
            Ok(Ok(result)) => match result.as_ref() {
                Some(Ok(synthesis)) => Ok(Some(synthesis.clone())),
                // All callers that waited for the same synthesis get the same
                // error.
                Some(Err(trouble)) => Err(EngineError::clone(trouble)),
                None => Ok(None),
            },
        }
    }
}

//! Looks for model servers on this machine, and for the user's own server where its address
//! is set, all at once and only for a moment.
//! What does not answer in time is not there; nothing is ever started.

use std::time::Duration;

use futures::future::join_all;

use crate::catalogue::providers::{PROVIDERS, Provider, ProviderPlace, Settings, target};
use crate::http::{CertificateFault, Glance, Http};

/// The time a local server has to list its models.
pub const PATIENCE: Duration = Duration::from_millis(300);

/// The time a remote provider has to say that a key is good.
pub const REMOTE_PATIENCE: Duration = Duration::from_secs(4);

/// The state of a provider that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    Answers,
    /// It does not know the key, or the key may do nothing.
    KeyRefused,
    /// It answered, and not as it should.
    Status(u16),
    /// Its certificate was not accepted.
    Distrusted(CertificateFault),
    Silent,
}

/// A server that answered, with the models it can debate with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundServer {
    pub provider: &'static str,
    pub base_url: String,
    pub models: Vec<String>,
}

/// Every server that answers, of this machine or of the user's own, in the order of the
/// provider table. Providers whose models are in the table are not asked.
pub async fn servers(http: &Http, settings: &Settings) -> Vec<FoundServer> {
    let is_own = |row: &&Provider| {
        let own = settings.get(row.name).and_then(|own| own.base_url.as_ref());
        row.place == ProviderPlace::Local || (row.base_url.is_none() && own.is_some())
    };
    let probes = PROVIDERS.iter().filter(is_own).map(|row| {
        let patience = match row.place {
            ProviderPlace::Local => PATIENCE,
            ProviderPlace::Remote => REMOTE_PATIENCE,
        };
        models_of(http, row, settings, patience)
    });
    join_all(probes).await.into_iter().flatten().collect()
}

/// Returns one provider's models, if it answers in time.
async fn models_of(
    http: &Http,
    provider: &'static Provider,
    settings: &Settings,
    patience: Duration,
) -> Option<FoundServer> {
    let target = target(provider, String::new(), settings).ok()?;
    let dialect = provider.dialect;
    let Glance::Seen(list) = http.glance(&target, dialect.models_path, patience).await else {
        return None;
    };
    // Something else may live on that port: without a list it is no such server.
    list.get("data").or_else(|| list.get("models"))?;
    let models = (dialect.model_names)(&list);
    Some(FoundServer { provider: provider.name, base_url: target.base_url, models })
}

/// Asks a provider for its list of models, which costs nothing, to see whether
/// it answers and takes the key.
pub async fn health(http: &Http, provider: &'static Provider, settings: &Settings) -> Health {
    let Ok(target) = target(provider, String::new(), settings) else { return Health::Silent };
    match http.glance(&target, provider.dialect.models_path, REMOTE_PATIENCE).await {
        Glance::Seen(_) => Health::Answers,
        Glance::Refused(401 | 403) => Health::KeyRefused,
        // Google says so of a key that is none.
        Glance::Refused(400) => Health::KeyRefused,
        // A server without a list of models may still be one.
        Glance::Refused(404 | 405) => Health::Answers,
        Glance::Refused(status) => Health::Status(status),
        Glance::Distrusted(fault) => Health::Distrusted(fault),
        Glance::Nothing => Health::Silent,
    }
}

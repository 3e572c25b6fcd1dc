//! The one client of this process for models, made when the first debate needs it. All
//! debates share its connections, and what it knows of models that keep failing.

use std::sync::{Arc, OnceLock};

use agents::http::{Http, HttpError, HttpSettings};

/// Clones share the client.
#[derive(Debug, Clone, Default)]
pub struct SharedHttp(Arc<OnceLock<Http>>);

impl SharedHttp {
    /// Returns the client. Every caller of one process names the same proxy.
    pub fn through(&self, proxy: Option<&str>) -> Result<Http, HttpError> {
        if let Some(made) = self.0.get() {
            return Ok(made.clone());
        }
        let made = Http::new(HttpSettings { proxy: proxy.map(Into::into), ..Default::default() })?;
        Ok(self.0.get_or_init(|| made).clone())
    }
}

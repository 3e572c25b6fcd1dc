//! Fetches from strangers: foreign pages, and weights the user asked for. No key
//! ever comes into this file. A page is fetched with a client of its own that
//! knows only the addresses that were cleared, so that nothing meant for a
//! provider can reach a stranger.
#![allow(clippy::disallowed_methods, reason = "this is the door to foreign pages")]

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
#[cfg(feature = "local")]
use std::time::Duration;

#[cfg(feature = "local")]
use bytes::Bytes;
#[cfg(feature = "local")]
use futures::TryStreamExt;
#[cfg(feature = "local")]
use futures::future::BoxFuture;
#[cfg(feature = "local")]
use futures::stream::BoxStream;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::ACCEPT;
#[cfg(feature = "local")]
use reqwest::header::RANGE;
#[cfg(feature = "local")]
use reqwest::{Client, redirect};

use super::guard::ClearedUrl;
#[cfg(feature = "local")]
use super::response::proxied;
use super::response::{FetchError, HttpResponse, careful, read};
use super::tls::{self, BuiltClient};

#[cfg(feature = "local")]
const STALL_TIME: Duration = Duration::from_secs(30);
/// Redirects that are followed: hubs redirect to the servers that hold the files.
#[cfg(feature = "local")]
const MOST_HOPS: usize = 5;

/// Resolves every name to the addresses that were cleared: the network is not
/// asked a second time.
struct PinnedResolver(Vec<IpAddr>);

impl Resolve for PinnedResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Vec<SocketAddr> =
            self.0.iter().map(|address| SocketAddr::new(*address, 0)).collect();
        Box::pin(async move { Ok(Box::new(addresses.into_iter()) as Addrs) })
    }
}

/// One page, from exactly the addresses that were cleared; at most `cap` bytes
/// of it.
pub(crate) async fn page(cleared: &ClearedUrl, cap: usize) -> Result<HttpResponse, FetchError> {
    let resolver = PinnedResolver(cleared.addresses.clone());
    let builder = careful().dns_resolver(Arc::new(resolver)).pool_max_idle_per_host(0);
    let BuiltClient { client, has_authorities } =
        tls::build(builder).map_err(|_| FetchError::Request)?;
    let request = client
        .get(cleared.url.clone())
        .header(ACCEPT, "text/html,application/xhtml+xml,text/plain,application/json;q=0.8");
    let named = |error| FetchError::of(&error, has_authorities);
    read(request.send().await.map_err(named)?, cap).await
}

/// A way to get bytes: one request, redirects followed, no key sent.
#[cfg(feature = "local")]
pub trait RangeGet: Send + Sync {
    /// Asks for the bytes of `url` from `from` on (`Range: bytes=from-`).
    fn get<'a>(&'a self, url: &'a str, from: u64) -> BoxFuture<'a, Result<RangeBody, GetError>>;
}

/// An answer whose body is still to come.
#[cfg(feature = "local")]
pub struct RangeBody {
    /// The offset at which the body begins: 0 from a server without ranges.
    pub from: u64,
    pub body: BoxStream<'static, Result<Bytes, GetError>>,
}

#[cfg(feature = "local")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GetError {
    /// May work the next time.
    #[error("{0}")]
    Broke(String),
    /// Will not work however often it is tried.
    #[error("{0}")]
    Refused(String),
}

/// The client for weights. It follows redirects.
#[cfg(feature = "local")]
#[derive(Debug, Clone)]
pub struct WeightsClient {
    client: Client,
    has_authorities: bool,
}

#[cfg(feature = "local")]
impl WeightsClient {
    /// `proxy` as for providers.
    pub fn new(proxy: Option<&str>) -> Result<WeightsClient, FetchError> {
        let builder = careful().redirect(redirect::Policy::limited(MOST_HOPS));
        // A file that arrives slowly is no fault; one that stops is.
        let built = proxied(builder.read_timeout(STALL_TIME), proxy).and_then(tls::build);
        let BuiltClient { client, has_authorities } = built.map_err(|_| FetchError::Request)?;
        Ok(WeightsClient { client, has_authorities })
    }

    async fn open(&self, url: &str, from: u64) -> Result<RangeBody, GetError> {
        let request = self.client.get(url).header(RANGE, format!("bytes={from}-"));
        let named = |error| FetchError::of(&error, self.has_authorities);
        let response = request.send().await.map_err(named).map_err(|error| match error {
            FetchError::Request => GetError::Refused("the address cannot be used".into()),
            FetchError::Certificate(fault) => {
                GetError::Refused(format!("{fault}. {}", fault.advice()))
            }
            other => GetError::Broke(other.to_string()),
        })?;
        let status = response.status().as_u16();
        let begins = match status {
            200 => 0,
            206 => from,
            408 | 429 | 500.. => return Err(GetError::Broke(format!("it answered {status}"))),
            _ => return Err(GetError::Refused(format!("it answered {status}"))),
        };
        let body = response.bytes_stream();
        let body = body.map_err(|error| GetError::Broke(FetchError::from(&error).to_string()));
        Ok(RangeBody { from: begins, body: Box::pin(body) })
    }
}

#[cfg(feature = "local")]
impl RangeGet for WeightsClient {
    fn get<'a>(&'a self, url: &'a str, from: u64) -> BoxFuture<'a, Result<RangeBody, GetError>> {
        Box::pin(self.open(url, from))
    }
}

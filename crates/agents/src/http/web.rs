//! The second and last file that sends bytes: to search engines, to foreign
//! pages, and for weights that somebody asked for. A page is fetched with a client of its own that knows one address and
//! no key, so that nothing meant for a provider can ever reach a stranger.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "local")]
use futures::TryStreamExt;
#[cfg(feature = "local")]
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
#[cfg(feature = "local")]
use reqwest::header::RANGE;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, ClientBuilder, Response, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::timeout;

use crate::http::guard::Cleared;
#[cfg(feature = "local")]
use crate::speakers::local::download::{Get, GetError, Opened};
use crate::tools::search_engines::{EngineRequest, Method};

/// The most that is read of a search engine's answer.
const RESULTS_CAP: usize = 2 * 1024 * 1024;
const SEARCH_TIME: Duration = Duration::from_secs(15);
const CONNECT_TIME: Duration = Duration::from_secs(5);
#[cfg(feature = "local")]
const STALL_TIME: Duration = Duration::from_secs(30);
/// Hubs send on to where files really are.
#[cfg(feature = "local")]
const MOST_HOPS: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("no connection could be made")]
    Connect,
    #[error("the connection broke")]
    Broke,
    #[error("it took too long")]
    TooSlow,
    #[error("the request could not be built")]
    Request,
    #[error("the answer is larger than {} MiB", RESULTS_CAP / (1024 * 1024))]
    TooLarge,
}

/// What one request brought, however it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Got {
    pub status: u16,
    pub content_type: String,
    pub location: Option<String>,
    pub body: Vec<u8>,
}

/// Whatever name is asked for, the answer is what was cleared: nobody gets to
/// ask the network a second time.
struct Pinned(Vec<IpAddr>);

impl Resolve for Pinned {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Vec<SocketAddr> =
            self.0.iter().map(|address| SocketAddr::new(*address, 0)).collect();
        Box::pin(async move { Ok(Box::new(addresses.into_iter()) as Addrs) })
    }
}

fn careful() -> ClientBuilder {
    Client::builder()
        .connect_timeout(CONNECT_TIME)
        // Redirects are followed one by one, each cleared like the first.
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        // A proxy would look names up again, out of our sight.
        .no_proxy()
        .referer(false)
        .user_agent(concat!("roundtable/", env!("CARGO_PKG_VERSION")))
}

/// One page, from exactly the addresses that were cleared; at most `cap` bytes
/// of it.
#[allow(clippy::disallowed_methods, reason = "foreign pages must not share the keyed client")]
pub(crate) async fn page(cleared: &Cleared, cap: usize) -> Result<Got, FetchError> {
    let client = careful()
        .dns_resolver(Arc::new(Pinned(cleared.addresses.clone())))
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|_| FetchError::Request)?;
    let request = client
        .get(cleared.url.clone())
        .header(ACCEPT, "text/html,application/xhtml+xml,text/plain,application/json;q=0.8");
    let response = request.send().await.map_err(|error| broke(&error))?;
    read(response, cap).await
}

/// The way to search engines. Their keys travel in a header of the one request
/// that needs them.
#[derive(Debug, Clone)]
pub struct SearchClient {
    client: Client,
}

impl SearchClient {
    /// `proxy` as for providers; given as data, never taken from the environment.
    pub fn new(proxy: Option<&str>) -> Result<SearchClient, FetchError> {
        let mut builder = careful();
        if let Some(proxy) = proxy {
            let local = reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1");
            let proxy = reqwest::Proxy::all(proxy).map_err(|_| FetchError::Request)?;
            builder = builder.proxy(proxy.no_proxy(local));
        }
        Ok(SearchClient { client: builder.build().map_err(|_| FetchError::Request)? })
    }

    #[allow(clippy::disallowed_methods, reason = "search engines must not share providers' client")]
    pub(crate) async fn send(
        &self,
        asked: &EngineRequest,
        key: Option<&SecretString>,
    ) -> Result<Got, FetchError> {
        let mut request = match asked.method {
            Method::Get => self.client.get(asked.url.clone()),
            Method::Post => self.client.post(asked.url.clone()),
        };
        request = request.header(ACCEPT, "application/json");
        if let (Some(header), Some(key)) = (asked.key_header, key) {
            let value = format!("{}{}", header.before, key.expose_secret());
            let mut value = HeaderValue::from_str(&value).map_err(|_| FetchError::Request)?;
            value.set_sensitive(true);
            request = request.header(HeaderName::from_static(header.name), value);
        }
        if let Some(body) = &asked.body {
            request = request.json::<Value>(body);
        }
        let exchange = async {
            let response = request.send().await.map_err(|error| broke(&error))?;
            read(response, RESULTS_CAP + 1).await
        };
        let got = timeout(SEARCH_TIME, exchange).await.map_err(|_| FetchError::TooSlow)??;
        // Half an answer is no JSON; saying why is kinder.
        if got.body.len() > RESULTS_CAP { Err(FetchError::TooLarge) } else { Ok(got) }
    }
}

/// The way to weights. It sends no key, and goes where it is sent on to.
#[cfg(feature = "local")]
#[derive(Debug, Clone)]
pub struct WeightsClient {
    client: Client,
}

#[cfg(feature = "local")]
impl WeightsClient {
    /// `proxy` as for providers.
    pub fn new(proxy: Option<&str>) -> Result<WeightsClient, FetchError> {
        let mut builder = careful()
            .redirect(redirect::Policy::limited(MOST_HOPS))
            // A file that arrives slowly is no fault; one that stops is.
            .read_timeout(STALL_TIME);
        if let Some(proxy) = proxy {
            let local = reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1");
            let proxy = reqwest::Proxy::all(proxy).map_err(|_| FetchError::Request)?;
            builder = builder.proxy(proxy.no_proxy(local));
        }
        Ok(WeightsClient { client: builder.build().map_err(|_| FetchError::Request)? })
    }

    #[allow(clippy::disallowed_methods, reason = "weights must not share providers' client")]
    async fn open(&self, url: &str, from: u64) -> Result<Opened, GetError> {
        let request = self.client.get(url).header(RANGE, format!("bytes={from}-"));
        let response = request.send().await.map_err(|error| match broke(&error) {
            FetchError::Request => GetError::Refused("the address cannot be used".into()),
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
        let body = body.map_err(|error| GetError::Broke(broke(&error).to_string()));
        Ok(Opened { from: begins, body: Box::pin(body) })
    }
}

#[cfg(feature = "local")]
impl Get for WeightsClient {
    fn get<'a>(&'a self, url: &'a str, from: u64) -> BoxFuture<'a, Result<Opened, GetError>> {
        Box::pin(self.open(url, from))
    }
}

async fn read(mut response: Response, cap: usize) -> Result<Got, FetchError> {
    let header = |name| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let (status, location) = (response.status().as_u16(), header(LOCATION));
    let content_type = header(CONTENT_TYPE).unwrap_or_default();
    let mut body = Vec::new();
    // The words of a redirect or an error are of no use to anybody.
    let wanted = response.status().is_success();
    while wanted && body.len() < cap {
        match response.chunk().await.map_err(|error| broke(&error))? {
            Some(bytes) => body.extend_from_slice(&bytes),
            None => break,
        }
    }
    body.truncate(cap);
    Ok(Got { status, content_type, location, body })
}

fn broke(error: &reqwest::Error) -> FetchError {
    match (error.is_timeout(), error.is_connect(), error.is_builder()) {
        (_, _, true) => FetchError::Request,
        (true, _, _) => FetchError::TooSlow,
        (_, true, _) => FetchError::Connect,
        _ => FetchError::Broke,
    }
}

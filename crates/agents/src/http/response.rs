//! The parts that the senders of this room share: a client that follows no
//! redirect and reads no environment, and a response read up to a limit.

use reqwest::header::{CONTENT_TYPE, HeaderName, LOCATION};
use reqwest::{Client, ClientBuilder, NoProxy, Proxy, Response, redirect};
use std::time::Duration;

use super::tls::CertificateFault;

const CONNECT_TIME: Duration = Duration::from_secs(5);
/// The most that is read of an API's answer.
pub(super) const API_CAP: usize = 2 * 1024 * 1024;

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
    #[error("{0}")]
    Certificate(CertificateFault),
    #[error("the answer is larger than {} MiB", API_CAP / (1024 * 1024))]
    TooLarge,
    #[error("it refused, or its answer is not JSON")]
    Unusable,
}

impl From<&reqwest::Error> for FetchError {
    fn from(error: &reqwest::Error) -> FetchError {
        FetchError::of(error, true)
    }
}

impl FetchError {
    /// Names the error of a client, built on a machine with authorities or without.
    pub(super) fn of(error: &reqwest::Error, has_authorities: bool) -> FetchError {
        if let Some(fault) = CertificateFault::of(error, has_authorities) {
            FetchError::Certificate(fault)
        } else if error.is_builder() {
            FetchError::Request
        } else if error.is_timeout() {
            FetchError::TooSlow
        } else if error.is_connect() {
            FetchError::Connect
        } else {
            FetchError::Broke
        }
    }
}

/// The response to one request, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    pub content_type: String,
    pub location: Option<String>,
    pub body: Vec<u8>,
}

/// A client without redirects, retries, environment or referer.
pub(super) fn careful() -> ClientBuilder {
    Client::builder()
        .connect_timeout(CONNECT_TIME)
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .user_agent(concat!("roundtable/", env!("CARGO_PKG_VERSION")))
}

/// Sends everything but requests to this machine through the user's proxy.
pub(super) fn proxied(
    builder: ClientBuilder,
    proxy: Option<&str>,
) -> reqwest::Result<ClientBuilder> {
    let Some(proxy) = proxy else { return Ok(builder) };
    let local = NoProxy::from_string("localhost,127.0.0.0/8,::1");
    Ok(builder.proxy(Proxy::all(proxy)?.no_proxy(local)))
}

/// Reads at most `cap` bytes of a good response; of a redirect or an error only
/// the status and the headers.
pub(super) async fn read(mut response: Response, cap: usize) -> Result<HttpResponse, FetchError> {
    let header = |name: HeaderName| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let (status, location) = (response.status().as_u16(), header(LOCATION));
    let content_type = header(CONTENT_TYPE).unwrap_or_default();
    let mut body = Vec::new();
    let wanted = response.status().is_success();
    while wanted && body.len() < cap {
        match response.chunk().await.map_err(|error| FetchError::from(&error))? {
            Some(bytes) => body.extend_from_slice(&bytes),
            None => break,
        }
    }
    body.truncate(cap);
    Ok(HttpResponse { status, content_type, location, body })
}

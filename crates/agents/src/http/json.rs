//! Sends to APIs that answer in JSON and may take a key: search engines and
//! embedding endpoints. One try, bounded in time and size; the key travels in a
//! header of the one request that needs it and is never logged.
#![allow(clippy::disallowed_methods, reason = "this is the door to APIs that are no models")]

use std::time::Duration;

use debate::model::{Bill, Failure, FailureClass};
use futures::future::BoxFuture;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::timeout;

use super::response::{API_CAP, FetchError, HttpResponse, careful, proxied, read};
use super::tls::{self, BuiltClient};

const SEARCH_TIME: Duration = Duration::from_secs(15);
/// The longest list of vectors that is read.
const VECTORS_CAP: usize = 32 * 1024 * 1024;

/// One request to a search engine, without its key.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    pub method: HttpMethod,
    pub url: Url,
    pub key_header: Option<SearchKey>,
    pub body: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    Get,
    Post,
}

/// The header that carries the key, and the text before the key in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchKey {
    pub name: &'static str,
    pub before: &'static str,
}

/// Sends a request and returns the JSON of a good response.
pub trait JsonPost: Send + Sync {
    fn post<'a>(&'a self, posting: JsonRequest<'a>) -> BoxFuture<'a, Result<Value, Failure>>;
}

/// One request to post, complete.
#[derive(Debug)]
pub struct JsonRequest<'a> {
    pub url: &'a str,
    /// Sent as `Authorization: Bearer …`; a local server may need none.
    pub key: Option<&'a SecretString>,
    pub body: Value,
    pub timeout: Duration,
}

/// The client for JSON APIs. It shares no connection with the providers' client.
#[derive(Debug, Clone)]
pub struct JsonClient {
    client: Client,
    has_authorities: bool,
}

impl JsonClient {
    /// `proxy` as for providers; given as data, never taken from the environment.
    pub fn new(proxy: Option<&str>) -> Result<JsonClient, FetchError> {
        let built = proxied(careful(), proxy).and_then(tls::build);
        let BuiltClient { client, has_authorities } = built.map_err(|_| FetchError::Request)?;
        Ok(JsonClient { client, has_authorities })
    }

    pub(crate) async fn search(
        &self,
        asked: &SearchRequest,
        key: Option<&SecretString>,
    ) -> Result<HttpResponse, FetchError> {
        let mut request = match asked.method {
            HttpMethod::Get => self.client.get(asked.url.clone()),
            HttpMethod::Post => self.client.post(asked.url.clone()),
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
            let named = |error| FetchError::of(&error, self.has_authorities);
            read(request.send().await.map_err(named)?, API_CAP + 1).await
        };
        let got = timeout(SEARCH_TIME, exchange).await.map_err(|_| FetchError::TooSlow)??;
        // Half an answer is not JSON; the size is the better message.
        if got.body.len() > API_CAP { Err(FetchError::TooLarge) } else { Ok(got) }
    }

    /// Returns the JSON at an address.
    pub async fn get(&self, url: &str) -> Result<Value, FetchError> {
        self.exchange(self.client.get(url)).await
    }

    /// Posts a form, already encoded, and returns the JSON of a good response.
    pub async fn post_form(&self, url: &str, form: String) -> Result<Value, FetchError> {
        let request = self.client.post(url).body(form);
        self.exchange(request.header(CONTENT_TYPE, "application/x-www-form-urlencoded")).await
    }

    async fn exchange(&self, request: RequestBuilder) -> Result<Value, FetchError> {
        let exchange = async {
            let named = |error| FetchError::of(&error, self.has_authorities);
            let request = request.header(ACCEPT, "application/json");
            read(request.send().await.map_err(named)?, API_CAP + 1).await
        };
        let got = timeout(SEARCH_TIME, exchange).await.map_err(|_| FetchError::TooSlow)??;
        if got.body.len() > API_CAP {
            return Err(FetchError::TooLarge);
        }
        if got.status != 200 {
            return Err(FetchError::Unusable);
        }
        serde_json::from_slice(&got.body).map_err(|_| FetchError::Unusable)
    }

    async fn vectors(&self, posting: JsonRequest<'_>) -> Result<Value, Failure> {
        let mut request = self.client.post(posting.url).json(&posting.body);
        if let Some(key) = posting.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let broken = |error: FetchError| failure(FailureClass::Unreachable, &error.to_string());
        let named = |error| broken(FetchError::of(&error, self.has_authorities));
        let response = request.send().await.map_err(named)?;
        let got = read(response, VECTORS_CAP + 1).await.map_err(broken)?;
        if !(200..300).contains(&got.status) {
            return Err(failure(class_of(got.status), &format!("it answered {}", got.status)));
        }
        if got.body.len() > VECTORS_CAP {
            return Err(failure(FailureClass::Unusable, "its answer is larger than 32 MiB"));
        }
        serde_json::from_slice(&got.body)
            .map_err(|_| failure(FailureClass::Unusable, "its answer is not JSON"))
    }
}

impl JsonPost for JsonClient {
    fn post<'a>(&'a self, posting: JsonRequest<'a>) -> BoxFuture<'a, Result<Value, Failure>> {
        Box::pin(async move {
            let late = |_| failure(FailureClass::TimedOut, "it took too long");
            timeout(posting.timeout, self.vectors(posting)).await.map_err(late)?
        })
    }
}

fn class_of(status: u16) -> FailureClass {
    match status {
        401 | 403 => FailureClass::Unauthorised,
        402 => FailureClass::OutOfCredit,
        429 => FailureClass::RateLimited,
        500.. => FailureClass::Overloaded,
        _ => FailureClass::BadRequest,
    }
}

fn failure(class: FailureClass, message: &str) -> Failure {
    Failure { class, message: message.into(), tries: 1, bill: Bill::default() }
}

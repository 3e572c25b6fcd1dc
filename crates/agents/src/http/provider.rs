//! Sends to models. One try is one request: bounded in time and size, never
//! redirected, the key in a header that is never logged. Another try is decided
//! in [`crate::http::retry`].
#![allow(clippy::disallowed_methods, reason = "this is the door to models")]

use std::time::Duration;

use debate::model::{FailureClass, Finish, Reply};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::timeout;

use crate::SpeechDelta;
use crate::http::accounts::Accounts;
use crate::http::breaker::{BreakerKey, BreakerPolicy, Breakers};
use crate::http::retry::{RetryPolicy, asked_wait};
use crate::http::silence::RunawayWatch;
use crate::http::tls::{self, BuiltClient, CertificateFault};
use crate::redaction::shown_address;
use crate::wire::try_error::{RetryChance, TryError};
use crate::wire::{BODY_CAP, Decode, KeyHeader, Target, WireOutcome};

/// The most that is read of an error page.
const COMPLAINT_CAP: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    pub first_byte: Duration,
    /// Between two pieces of an answer; a server's pings count as pieces.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(60),
        }
    }
}

impl Timeouts {
    /// Where nothing else was set, a server may be silent for as long as the ask
    /// allows: slow ones read a long prompt for minutes.
    fn allowing(self, silence: Duration) -> Timeouts {
        if self == Timeouts::default() {
            Timeouts {
                first_byte: self.first_byte.max(silence),
                idle: self.idle.max(silence),
                ..self
            }
        } else {
            self
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct HttpSettings {
    pub timeouts: Timeouts,
    pub retry: RetryPolicy,
    /// For everything but this machine itself.
    pub proxy: Option<String>,
    /// When a model that keeps failing is rested.
    pub breaker: BreakerPolicy,
}

#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is shown without a password.
    #[error("the proxy \"{}\" cannot be used. Give it as a URL such as http://proxy:3128", shown_address(.0))]
    Proxy(String),
    #[error("no HTTP client could be made: {0}")]
    Client(String),
}

/// The way out. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Http {
    client: reqwest::Client,
    has_authorities: bool,
    timeouts: Timeouts,
    pub retry: RetryPolicy,
    pub(crate) breakers: Breakers,
    pub(crate) accounts: Accounts,
}

impl Http {
    pub fn new(settings: HttpSettings) -> Result<Http, HttpError> {
        let proxy = match &settings.proxy {
            Some(given) => {
                let local = reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1");
                let proxy = reqwest::Proxy::all(given);
                let proxy = proxy.map_err(|_| HttpError::Proxy(given.clone()))?;
                Some(proxy.no_proxy(local))
            }
            None => None,
        };
        let builder = reqwest::Client::builder()
            .connect_timeout(settings.timeouts.connect)
            // A redirect could carry the key to another host.
            .redirect(redirect::Policy::none())
            // There is one retry loop, and it is ours.
            .retry(reqwest::retry::never())
            // Proxies come in as data, like everything from the environment.
            .no_proxy()
            .user_agent(concat!("roundtable/", env!("CARGO_PKG_VERSION")));
        let builder = match proxy {
            Some(proxy) => builder.proxy(proxy),
            None => builder,
        };
        let BuiltClient { client, has_authorities } =
            tls::build(builder).map_err(|error| HttpError::Client(error.to_string()))?;
        Ok(Http {
            client,
            has_authorities,
            timeouts: settings.timeouts,
            retry: settings.retry,
            breakers: Breakers::new(settings.breaker),
            accounts: Accounts::default(),
        })
    }

    /// The same way out for a new run, which asks an account anew that refused everything.
    #[must_use]
    pub fn for_run(&self) -> Http {
        Http { accounts: self.accounts.for_run(), ..self.clone() }
    }

    /// Sends one request, a body of JSON, and reads its answer to the protocol's own end.
    /// `named` is told the server's name for the answer as soon as there is one.
    pub(crate) async fn attempt(
        &self,
        target: &Target,
        (body, silence): (Vec<u8>, Duration),
        hear: &(dyn Fn(SpeechDelta) + Sync),
        named: &(dyn Fn(&str) + Sync),
    ) -> Result<WireOutcome, TryError> {
        let timeouts = self.timeouts.allowing(silence);
        let dialect = target.provider.dialect;
        let url = target.url(&(dialect.path)(target));
        let mut headers = headers(target)?;
        headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        let request = self.client.post(url).headers(headers).body(body).send();
        let response = match timeout(timeouts.first_byte, request).await {
            Err(_) => {
                return Err(TryError::new(FailureClass::TimedOut, "it did not begin to answer"));
            }
            Ok(Err(error)) => return Err(self.transport(&error)),
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        if !status.is_success() {
            let wait = asked_wait(response.headers());
            let body = self.error_body(response).await;
            let trouble = (dialect.complaint)(status.as_u16(), &body);
            return Err(TryError { wait: wait.or(trouble.wait), ..trouble });
        }
        self.accounts.answers(&BreakerKey::of(target));
        self.listen((response, timeouts), (dialect.decoder)(), hear, named).await
    }

    /// Fetches the whole document at a path; `None` where there is none.
    pub(crate) async fn fetch(
        &self,
        target: &Target,
        path: &str,
    ) -> Result<Option<Vec<u8>>, TryError> {
        let request = self.client.get(target.url(path)).headers(headers(target)?).send();
        let mut response = match timeout(self.timeouts.first_byte, request).await {
            Err(_) => {
                return Err(TryError::new(FailureClass::TimedOut, "it did not begin to answer"));
            }
            Ok(Err(error)) => return Err(self.transport(&error)),
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        if status == reqwest::StatusCode::NOT_FOUND || status == reqwest::StatusCode::GONE {
            return Ok(None);
        }
        if !status.is_success() {
            let wait = asked_wait(response.headers());
            let body = self.error_body(response).await;
            let trouble = (target.provider.dialect.complaint)(status.as_u16(), &body);
            return Err(TryError { wait: wait.or(trouble.wait), ..trouble });
        }
        let mut body = Vec::new();
        loop {
            match timeout(self.timeouts.idle, response.chunk()).await {
                Err(_) => {
                    let what = "it fell silent in the middle of its answer";
                    return Err(TryError::new(FailureClass::TimedOut, what));
                }
                Ok(Err(error)) => return Err(self.transport(&error)),
                Ok(Ok(None)) => return Ok(Some(body)),
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
            }
            if body.len() > BODY_CAP {
                return Err(TryError::new(FailureClass::Unusable, "it sent more than 8 MiB"));
            }
        }
    }

    async fn listen(
        &self,
        (mut response, timeouts): (Response, Timeouts),
        mut decoder: Box<dyn Decode>,
        hear: &(dyn Fn(SpeechDelta) + Sync),
        named: &(dyn Fn(&str) + Sync),
    ) -> Result<WireOutcome, TryError> {
        let mut broke = None;
        let mut is_named = false;
        let mut runaway = RunawayWatch::default();
        // Some servers send their headers at once and then read a long prompt.
        let mut patience = timeouts.first_byte;
        while !decoder.is_done() {
            match timeout(patience, response.chunk()).await {
                Err(_) => {
                    // Silent, but perhaps only after its last word.
                    if let Ok(outcome) = decoder.finish() {
                        return Ok(outcome);
                    }
                    let what = "it fell silent in the middle of its answer";
                    return Err(TryError::new(FailureClass::TimedOut, what));
                }
                Ok(Err(error)) => {
                    broke = Some(self.transport(&error));
                    break;
                }
                Ok(Ok(None)) => break,
                Ok(Ok(Some(bytes))) => {
                    patience = timeouts.idle;
                    for delta in decoder.push(&bytes)? {
                        let cut = match &delta {
                            SpeechDelta::Text(words) => runaway.push(words),
                            _ => None,
                        };
                        hear(delta);
                        if let Some(text) = cut {
                            return Ok(cut_off(text));
                        }
                    }
                    if let Some(id) = decoder.id().filter(|_| !is_named) {
                        named(id);
                        is_named = true;
                    }
                }
            }
        }
        if broke.is_none() && decoder.is_done() {
            see_out(response);
        }
        // A connection may break after the last word; the decoder knows.
        match (decoder.finish(), broke) {
            (Ok(outcome), _) => Ok(outcome),
            // What was decided before the break stays decided.
            (Err(ended), Some(broke)) if ended.class != FailureClass::Declined => {
                Err(broke.used(*ended.usage))
            }
            (Err(ended), _) => Err(ended),
        }
    }

    async fn error_body(&self, mut response: Response) -> String {
        let mut body = Vec::new();
        let patience = self.timeouts.idle.min(Duration::from_secs(10));
        while body.len() < COMPLAINT_CAP {
            match timeout(patience, response.chunk()).await {
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
                _ => break,
            }
        }
        body.truncate(COMPLAINT_CAP);
        String::from_utf8_lossy(&body).into_owned()
    }

    /// Names a broken connection. The URL is left out of the words.
    fn transport(&self, error: &reqwest::Error) -> TryError {
        if let Some(fault) = CertificateFault::of(error, self.has_authorities) {
            return TryError::new(FailureClass::Unreachable, fault.to_string())
                .again(RetryChance::Never)
                .advice(fault.advice());
        }
        let (class, what) = match (error.is_timeout(), error.is_connect()) {
            (true, true) => (FailureClass::Unreachable, "no connection could be made in time"),
            (true, false) => (FailureClass::TimedOut, "it took too long"),
            (false, true) => (FailureClass::Unreachable, "no connection could be made"),
            (false, false) => (FailureClass::Unreachable, "the connection broke"),
        };
        if error.is_builder() {
            let what = "the request could not be built";
            return TryError::new(FailureClass::BadRequest, what).advice("Correct the base URL");
        }
        TryError::new(class, what)
    }

    /// A small JSON document: for looking around, never for answers.
    pub(crate) async fn glance(&self, target: &Target, path: &str, within: Duration) -> Glance {
        const MOST: usize = 1024 * 1024;
        let url = target.url(path);
        let read = async {
            let request = self.client.get(url).headers(headers(target).ok()?).send();
            let mut response = match request.await {
                Ok(response) => response,
                Err(error) => {
                    let fault = CertificateFault::of(&error, self.has_authorities);
                    return fault.map(Glance::Distrusted);
                }
            };
            if !response.status().is_success() {
                return Some(Glance::Refused(response.status().as_u16()));
            }
            let mut body = Vec::new();
            while let Some(bytes) = response.chunk().await.ok()? {
                body.extend_from_slice(&bytes);
                if body.len() > MOST {
                    return None;
                }
            }
            serde_json::from_slice(&body).ok().map(Glance::Seen)
        };
        timeout(within, read).await.ok().flatten().unwrap_or(Glance::Nothing)
    }
}

/// Reads what a server sends after its last word, beside the debate. A connection whose
/// answer was not read to its end is closed, and the next request has to make a new one.
fn see_out(mut response: Response) {
    const MOST: usize = 64 * 1024;
    const LONGEST: Duration = Duration::from_secs(2);
    tokio::spawn(timeout(LONGEST, async move {
        let mut rest = 0;
        while rest < MOST
            && let Ok(Some(bytes)) = response.chunk().await
        {
            rest += bytes.len();
        }
    }));
}

/// An answer that only repeated itself, up to where it began to.
fn cut_off(text: String) -> WireOutcome {
    tracing::debug!(bytes = text.len(), "an answer repeated itself and was cut");
    let reply = Reply { text, finish: Finish::CutOff, ..Reply::default() };
    WireOutcome::Answer(Box::new(reply))
}

/// The result of a look at a server.
#[derive(Debug)]
pub(crate) enum Glance {
    Seen(Value),
    /// It answered with this status.
    Refused(u16),
    /// Its certificate was not accepted.
    Distrusted(CertificateFault),
    /// No answer in time, or none that makes sense.
    Nothing,
}

fn headers(target: &Target) -> Result<HeaderMap, TryError> {
    let mut headers = HeaderMap::new();
    for (name, value) in target.provider.dialect.headers {
        headers.insert(*name, HeaderValue::from_static(value));
    }
    if let Some(key) = &target.key {
        let (name, value) = match target.provider.dialect.key_header {
            KeyHeader::Bearer => {
                let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
                ("authorization", secret_value(&bearer)?)
            }
            KeyHeader::Named(name) => (name, secret_value(key)?),
        };
        headers.insert(header_name(name)?, value);
    }
    for (name, value) in &target.headers {
        headers.insert(header_name(name)?, secret_value(value)?);
    }
    Ok(headers)
}

fn header_name(name: &str) -> Result<HeaderName, TryError> {
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
        TryError::new(
            FailureClass::BadRequest,
            format!("\"{name}\" cannot be the name of a header"),
        )
        .advice("Correct the provider's headers")
    })
}

fn secret_value(secret: &SecretString) -> Result<HeaderValue, TryError> {
    let mut value = HeaderValue::from_str(secret.expose_secret()).map_err(|_| {
        let what = "the key holds characters that cannot be sent";
        TryError::new(FailureClass::Unauthorised, what)
            .advice("Set the key again; a line break may have been copied with it")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

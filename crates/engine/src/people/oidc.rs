//! People who sign in with an OpenID provider. A token is believed if a key of the provider has
//! signed it, for this issuer and for this audience, and it has not expired; keys are fetched
//! again when a token names one that is not known. The person must have been added by an
//! operator, under their verified e-mail address or their subject.

use std::sync::Arc;
use std::time::Duration;

use agents::http::json::JsonClient;
use async_recursion::async_recursion as boxed;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::JwkSet;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::clock;
use crate::config::{Config, OidcConfig};
use crate::error::{At, EngineError, Problem, Refusal};
use crate::people::jwt::{self, TokenWish};
use crate::table::seats;

/// Keys are fetched at most once in this time, however many unknown ones are named.
const BETWEEN_FETCHES: Duration = Duration::from_secs(1);
/// Keys that the provider has withdrawn are forgotten after this time.
const KEPT: Duration = Duration::from_secs(300);
/// Signs that stand for themselves in an address.
const PLAIN: &[u8] = b"-._~";

/// The provider of the settings. Clones share what was fetched.
#[derive(Clone)]
pub struct OidcProvider {
    issuer: String,
    client_id: String,
    /// The address of this server as people call it, without a slash at its end.
    url: String,
    client: JsonClient,
    fetched: Arc<Mutex<Option<FetchedProvider>>>,
}

#[derive(Clone)]
struct FetchedProvider {
    at: Instant,
    keys: JwkSet,
    authorization: String,
    token: String,
}

/// A sign-in that was begun: where to send the browser, and what to keep until it is back.
pub struct SignInStart {
    pub address: String,
    pub state: String,
    pub nonce: String,
    pub verifier: String,
}

impl OidcProvider {
    /// The provider of the settings, if there is one. `listens`: where this server listens.
    pub fn of(config: &Config, listens: &str) -> Result<Option<OidcProvider>, EngineError> {
        let Some(OidcConfig { issuer, client_id, url }) = &config.file.server.oidc else {
            return Ok(None);
        };
        let url = url.clone().unwrap_or_else(|| listens.to_owned());
        for (key, address) in [("server.oidc.issuer", issuer), ("server.oidc.url", &url)] {
            let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
            let is_local = local.iter().any(|start| address.starts_with(start));
            if !address.starts_with("https://") && !is_local {
                let problem = Problem::malformed("an address that begins with https://");
                let at = At::ConfigKey(key.into());
                return Err(Refusal::new(at, problem).given(address).into());
            }
        }
        let client = JsonClient::new(seats::proxy(config)).map_err(|error| failed(&error))?;
        Ok(Some(OidcProvider {
            issuer: issuer.clone(),
            client_id: client_id.clone(),
            url: url.trim_end_matches('/').to_owned(),
            client,
            fetched: Arc::default(),
        }))
    }

    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The audience of tokens for the protocol: the address at which it is served.
    pub fn resource(&self) -> String {
        format!("{}/mcp", self.url)
    }

    /// The address of the document that tells clients where to get a token.
    pub fn metadata(&self) -> String {
        format!("{}/.well-known/oauth-protected-resource/mcp", self.url)
    }

    fn redirect(&self) -> String {
        format!("{}/sign-in/back", self.url)
    }

    /// Returns the names of the person behind a token for the protocol; `None` if it is not to
    /// be believed.
    #[boxed]
    pub async fn bearer(&self, token: &str) -> Result<Option<Vec<String>>, EngineError> {
        Ok(self.claims(token, &self.resource()).await?.map(|claims| names(&claims)))
    }

    /// Begins a sign-in with a code and a proof that only this browser has.
    #[boxed]
    pub async fn begin(&self) -> Result<SignInStart, EngineError> {
        let provider = self.fetch(false).await?;
        let secret = || format!("{}{}", clock::new_secret(), clock::new_secret());
        let (state, nonce, verifier) = (clock::new_secret(), clock::new_secret(), secret());
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        let redirect = self.redirect();
        let fields = [
            ("response_type", "code"),
            ("client_id", &self.client_id),
            ("redirect_uri", &redirect),
            ("scope", "openid email"),
            ("state", &state),
            ("nonce", &nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        let sign = if provider.authorization.contains('?') { '&' } else { '?' };
        let address = format!("{}{sign}{}", provider.authorization, encoded(&fields));
        Ok(SignInStart { address, state, nonce, verifier })
    }

    /// Ends a sign-in: returns the names of the person; `None` if the code is not to be
    /// believed.
    #[boxed]
    pub async fn end(
        &self,
        code: &str,
        nonce: &str,
        verifier: &str,
    ) -> Result<Option<Vec<String>>, EngineError> {
        let provider = self.fetch(false).await?;
        let redirect = self.redirect();
        let form = encoded(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &redirect),
            ("client_id", &self.client_id),
            ("code_verifier", verifier),
        ]);
        let Ok(answer) = self.client.post_form(&provider.token, form).await else {
            return Ok(None);
        };
        let token = answer["id_token"].as_str().unwrap_or_default();
        let claims = self.claims(token, &self.client_id).await?;
        let claims = claims.filter(|claims| claims["nonce"] == nonce);
        Ok(claims.map(|claims| names(&claims)))
    }

    /// The claims of a token for this audience, if they are to be believed.
    async fn claims(&self, token: &str, audience: &str) -> Result<Option<Value>, EngineError> {
        if !jwt::is_token(token) {
            return Ok(None);
        }
        let mut provider = self.fetch(false).await?;
        if jwt::key(token, &provider.keys).is_none() {
            // The provider may have changed its keys.
            provider = self.fetch(true).await?;
        }
        let Some(key) = jwt::key(token, &provider.keys) else { return Ok(None) };
        Ok(jwt::claims(token, key, &TokenWish { issuer: &self.issuer, audience }))
    }

    /// What the provider says of itself, and its keys.
    async fn fetch(&self, again: bool) -> Result<FetchedProvider, EngineError> {
        let mut fetched = self.fetched.lock().await;
        if let Some(known) = fetched.as_ref() {
            let age = known.at.elapsed();
            if age < if again { BETWEEN_FETCHES } else { KEPT } {
                return Ok(known.clone());
            }
        }
        let about =
            format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let about = self.client.get(&about).await.map_err(|error| failed(&error))?;
        if about["issuer"] != self.issuer.as_str() {
            return Err(failed(&"the provider names another issuer"));
        }
        let place = |name: &str| about[name].as_str().unwrap_or_default().to_owned();
        let keys = self.client.get(&place("jwks_uri")).await.map_err(|error| failed(&error))?;
        let keys = serde_json::from_value(keys).map_err(|error| failed(&error))?;
        let made = FetchedProvider {
            at: Instant::now(),
            keys,
            authorization: place("authorization_endpoint"),
            token: place("token_endpoint"),
        };
        *fetched = Some(made.clone());
        Ok(made)
    }
}

/// The names under which an operator may have added the person.
fn names(claims: &Value) -> Vec<String> {
    let email = claims["email"].as_str().filter(|_| claims["email_verified"] == true);
    let all = email.into_iter().chain(claims["sub"].as_str());
    all.map(str::to_lowercase).collect()
}

fn failed(why: &dyn std::fmt::Display) -> EngineError {
    let problem = Problem::Failed { why: why.to_string() };
    Refusal::new(At::ConfigKey("server.oidc".into()), problem).into()
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let one = |text: &str| -> String {
        let sign = |byte: u8| match byte {
            plain if plain.is_ascii_alphanumeric() || PLAIN.contains(&plain) => {
                char::from(plain).to_string()
            }
            other => format!("%{other:02X}"),
        };
        text.bytes().map(sign).collect()
    };
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", one(value))).collect();
    fields.join("&")
}

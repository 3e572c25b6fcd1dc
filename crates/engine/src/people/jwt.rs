//! Signed tokens (JSON Web Tokens): one is believed if a key of its issuer has signed it, for this
//! issuer and this audience, at this time. Only ways of signing are known that nobody but the
//! holder of the private key can do.

use jsonwebtoken::jwk::{Jwk, JwkSet, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::Value;

/// Seconds by which clocks may differ.
const LEEWAY: u64 = 5;

const WAYS: [Algorithm; 7] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// The issuer and the audience that a token must name.
pub struct TokenWish<'a> {
    pub issuer: &'a str,
    pub audience: &'a str,
}

/// Tells whether a text has the form of a token.
pub fn is_token(token: &str) -> bool {
    decode_header(token).is_ok()
}

/// The key that the token says it was signed with.
pub fn key<'k>(token: &str, keys: &'k JwkSet) -> Option<&'k Jwk> {
    keys.find(decode_header(token).ok()?.kid.as_deref()?)
}

/// Returns the claims of a token, if they are to be believed.
pub fn claims(token: &str, key: &Jwk, wish: &TokenWish<'_>) -> Option<Value> {
    let header = decode_header(token).ok()?;
    let known = &key.common;
    let is_for_signing =
        known.public_key_use.as_ref().is_none_or(|use_of| *use_of == PublicKeyUse::Signature);
    let is_for_this_way =
        known.key_algorithm.is_none_or(|way| way == KeyAlgorithm::from(header.alg));
    if !WAYS.contains(&header.alg) || header.crit.is_some() || !is_for_signing || !is_for_this_way {
        return None;
    }
    let mut validation = Validation::new(header.alg);
    validation.leeway = LEEWAY;
    validation.validate_nbf = true;
    validation.set_required_spec_claims(&["exp", "iss", "aud"]);
    validation.set_issuer(&[wish.issuer]);
    validation.set_audience(&[wish.audience]);
    let key = DecodingKey::from_jwk(key).ok()?;
    decode(token, &key, &validation).ok().map(|token| token.claims)
}

#[cfg(test)]
#[path = "jwt_tests.rs"]
mod tests;

//! Tokens that are to be believed, and those that are not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use serde_json::{Value, json};

use super::{TokenWish, is_token};
use crate::clock;

const WISH: TokenWish<'static> =
    TokenWish { issuer: "https://id.example", audience: "https://here/mcp" };

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The present moment and some seconds, as claims name it.
fn moment(seconds: i64) -> Value {
    json!(clock::now_ms() / 1000 + seconds)
}

fn jwk(key: &Value) -> Jwk {
    serde_json::from_value(key.clone()).unwrap()
}

fn believed(token: &str, key: &Value) -> Option<Value> {
    super::claims(token, &jwk(key), &WISH)
}

fn key() -> (EcdsaKeyPair, Value) {
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let point = pair.public_key().as_ref().to_vec();
    let (x, y) = (text(&point[1..33]), text(&point[33..]));
    let public = json!({ "kty": "EC", "crv": "P-256", "kid": "one", "x": x, "y": y });
    (pair, public)
}

fn token(pair: &EcdsaKeyPair, header: &Value, claims: &Value) -> String {
    let part = |value: &Value| text(value.to_string().as_bytes());
    let signed = format!("{}.{}", part(header), part(claims));
    let signature = pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
    format!("{signed}.{}", text(signature.as_ref()))
}

fn claims() -> Value {
    json!({ "iss": WISH.issuer, "aud": [WISH.audience, "other"], "exp": moment(100), "sub": "ann" })
}

/// Covers: 17-openid
#[test]
fn only_a_token_of_this_issuer_for_this_audience_and_time_is_believed() {
    let (pair, public) = key();
    let header = json!({ "alg": "ES256", "kid": "one" });
    let with = |name: &str, value: Value| {
        let mut claims = claims();
        claims[name] = value;
        claims
    };
    let rows = [
        (claims(), true),
        (with("aud", json!(WISH.audience)), true),
        (with("aud", json!("https://elsewhere/mcp")), false),
        (with("aud", Value::Null), false),
        (with("iss", json!("https://evil.example")), false),
        (with("exp", moment(-100)), false),
        (with("exp", Value::Null), false),
        (with("nbf", moment(50)), false),
        (with("nbf", moment(3)), true),
    ];
    for (claims, wanted) in rows {
        let made = token(&pair, &header, &claims);
        assert_eq!(believed(&made, &public).is_some(), wanted, "{claims}");
    }
}

fn with(key: &Value, field: &str, value: &str) -> Value {
    let mut changed = key.clone();
    changed[field] = value.into();
    changed
}

#[test]
fn a_token_that_another_key_or_nobody_signed_is_not_believed() {
    let ((pair, public), (other, _)) = (key(), key());
    let header = json!({ "alg": "ES256", "kid": "one" });
    let good = token(&pair, &header, &claims());
    let (signed, _) = good.rsplit_once('.').unwrap();
    let none = token(&pair, &json!({ "alg": "none", "kid": "one" }), &claims());
    let symmetric = token(&pair, &json!({ "alg": "HS256", "kid": "one" }), &claims());
    let critical = json!({ "alg": "ES256", "kid": "one", "crit": ["exp"] });
    for wrong in [
        token(&other, &header, &claims()),
        format!("{signed}."),
        format!("{}.", none.rsplit_once('.').unwrap().0),
        none,
        symmetric,
        token(&pair, &critical, &claims()),
        good.replacen('e', "f", 1),
    ] {
        assert_eq!(believed(&wrong, &public), None, "{wrong}");
    }
    let others = JwkSet { keys: vec![jwk(&with(&public, "kid", "two"))] };
    assert!(super::key(&good, &others).is_none());
    for (field, value) in [("use", "enc"), ("alg", "RS256")] {
        assert_eq!(believed(&good, &with(&public, field, value)), None, "{field}");
    }
    assert!(["", ".", "..", "a.b", "!.!.!"].iter().all(|text| !is_token(text)));
}

//! Tokens that are to be believed, and those that are not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::{SignedToken, TokenWish, text};

const WISH: TokenWish<'static> =
    TokenWish { issuer: "https://id.example", audience: "https://here/mcp", now: 1_000.0 };

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
    json!({ "iss": WISH.issuer, "aud": [WISH.audience, "other"], "exp": 1_100, "sub": "ann" })
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
        (with("exp", json!(900)), false),
        (with("exp", Value::Null), false),
        (with("nbf", json!(1_050)), false),
        (with("nbf", json!(1_003)), true),
    ];
    for (claims, wanted) in rows {
        let made = token(&pair, &header, &claims);
        let read = SignedToken::read(&made).unwrap();
        assert_eq!(read.claims(&public, &WISH).is_some(), wanted, "{claims}");
    }
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
        let believed = SignedToken::read(&wrong).and_then(|read| read.claims(&public, &WISH));
        assert_eq!(believed, None, "{wrong}");
    }
    let read = SignedToken::read(&good).unwrap();
    assert!(read.key(&[json!({ "kid": "two" })]).is_none());
    for (field, value) in [("use", "enc"), ("alg", "RS256"), ("crv", "P-384")] {
        let mut unfit = public.clone();
        unfit[field] = value.into();
        let read = SignedToken::read(&good).unwrap();
        assert_eq!(read.claims(&unfit, &WISH), None, "{field}");
    }
    assert!(["", ".", "..", "a.b", "!.!.!"].iter().all(|text| SignedToken::read(text).is_none()));
}

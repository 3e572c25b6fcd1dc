//! Signed tokens (JSON Web Tokens): one is believed if a key of its issuer has signed it, for this
//! issuer and this audience, at this time. Only ways of signing are known that nobody but the
//! holder of the private key can do.

use aws_lc_rs::signature::{
    self, EcdsaVerificationAlgorithm, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// Seconds by which clocks may differ.
const LEEWAY: f64 = 5.0;

/// Ways of signing with an RSA key.
const RSA: [(&str, &RsaParameters); 4] = [
    ("RS256", &signature::RSA_PKCS1_2048_8192_SHA256),
    ("RS384", &signature::RSA_PKCS1_2048_8192_SHA384),
    ("RS512", &signature::RSA_PKCS1_2048_8192_SHA512),
    ("PS256", &signature::RSA_PSS_2048_8192_SHA256),
];
/// Ways of signing with a key on a curve, and the curve.
const ECDSA: [(&str, &str, &EcdsaVerificationAlgorithm); 2] = [
    ("ES256", "P-256", &signature::ECDSA_P256_SHA256_FIXED),
    ("ES384", "P-384", &signature::ECDSA_P384_SHA384_FIXED),
];

/// A token as it was read; nothing in it is believed yet.
pub struct SignedToken<'a> {
    header: Value,
    claims: Value,
    /// The part that the signature is over.
    signed: &'a str,
    signature: Vec<u8>,
}

/// The issuer and the audience that a token must name, and the present moment in seconds.
pub struct TokenWish<'a> {
    pub issuer: &'a str,
    pub audience: &'a str,
    pub now: f64,
}

pub fn bytes(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

pub fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl<'a> SignedToken<'a> {
    /// Reads a token; `None` if it is none.
    pub fn read(token: &'a str) -> Option<SignedToken<'a>> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let json = |part: &str| serde_json::from_slice(&bytes(part)?).ok();
        Some(SignedToken {
            header: json(header)?,
            claims: json(claims)?,
            signed,
            signature: bytes(signature)?,
        })
    }

    /// The key that the token says it was signed with.
    pub fn key<'k>(&self, keys: &'k [Value]) -> Option<&'k Value> {
        let kid = self.header["kid"].as_str()?;
        keys.iter().find(|key| key["kid"] == kid)
    }

    /// Returns the claims, if they are to be believed.
    pub fn claims(self, key: &Value, wish: &TokenWish<'_>) -> Option<Value> {
        let is_believed = self.is_signed_by(key) && self.is_meant(wish);
        is_believed.then_some(self.claims)
    }

    fn is_signed_by(&self, key: &Value) -> bool {
        let name = self.header["alg"].as_str().unwrap_or_default();
        let is_for = |field: &str, wanted: &str| key[field].is_null() || key[field] == wanted;
        if !is_for("use", "sig") || !is_for("alg", name) || !self.header["crit"].is_null() {
            return false;
        }
        let part = |field: &str| key[field].as_str().and_then(bytes).unwrap_or_default();
        let (message, signature) = (self.signed.as_bytes(), &self.signature);
        match key["kty"].as_str().unwrap_or_default() {
            "RSA" => RSA.iter().find(|(known, _)| *known == name).is_some_and(|(_, way)| {
                let (n, e) = (part("n"), part("e"));
                RsaPublicKeyComponents { n, e }.verify(way, message, signature).is_ok()
            }),
            "EC" => ECDSA
                .iter()
                .find(|(known, curve, _)| *known == name && key["crv"] == *curve)
                .is_some_and(|(_, _, way)| {
                    let point = [vec![4], part("x"), part("y")].concat();
                    UnparsedPublicKey::new(*way, point).verify(message, signature).is_ok()
                }),
            "OKP" if name == "EdDSA" && key["crv"] == "Ed25519" => {
                let key = UnparsedPublicKey::new(&signature::ED25519, part("x"));
                key.verify(message, signature).is_ok()
            }
            _ => false,
        }
    }

    fn is_meant(&self, wish: &TokenWish<'_>) -> bool {
        let claims = &self.claims;
        let names = match &claims["aud"] {
            Value::Array(all) => all.iter().any(|one| one == wish.audience),
            one => one == wish.audience,
        };
        let ends = claims["exp"].as_f64().is_some_and(|end| end + LEEWAY > wish.now);
        let begins = claims["nbf"].as_f64().is_none_or(|begin| begin - LEEWAY <= wish.now);
        claims["iss"] == wish.issuer && names && ends && begins
    }
}

#[cfg(test)]
#[path = "jwt_tests.rs"]
mod tests;

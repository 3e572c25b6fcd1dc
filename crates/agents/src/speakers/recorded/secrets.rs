//! Takes secrets out of texts before they are written: the keys this process
//! knows, and words that look like keys. It would rather take out too much.

use debate::sorting::SortRows;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// The text that replaces a secret.
pub(super) const REMOVED: &str = "[secret removed]";

/// The beginnings of well-known services' keys.
const BEGINNINGS: [&str; 14] = [
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "xai-",
    "gsk_",
    "pplx-",
    "AIza",
    "ghp_",
    "gho_",
    "github_pat_",
    "xoxb-",
    "AKIA",
    "hf_",
];
/// A word that begins so and has at least this many characters is a key.
const SHORTEST: usize = 20;
/// A known key shorter than this would take ordinary words with it.
const SHORTEST_KNOWN: usize = 6;

#[derive(Clone, Default)]
pub struct Secrets(Vec<SecretString>);

impl Secrets {
    pub fn known(secrets: impl IntoIterator<Item = SecretString>) -> Secrets {
        let long = |secret: &SecretString| secret.expose_secret().trim().len() >= SHORTEST_KNOWN;
        let mut all: Vec<SecretString> = secrets.into_iter().filter(long).collect();
        // A key that holds another one goes first.
        all.sort_rows_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
        Secrets(all)
    }

    pub(super) fn removed(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            let secret = secret.expose_secret().trim();
            if text.contains(secret) {
                text = text.replace(secret, REMOVED);
            }
        }
        without_keys(text)
    }

    /// The same for every text of a value.
    pub(super) fn removed_from(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.removed(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.removed_from(value)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| self.removed_from(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Words that look like keys.
fn without_keys(text: String) -> String {
    if !BEGINNINGS.iter().any(|beginning| text.contains(beginning)) {
        return text;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !is_part(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        let is_key = word.len() >= SHORTEST
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && BEGINNINGS.iter().any(|beginning| word.starts_with(beginning));
        out.push_str(before);
        out.push_str(if is_key { REMOVED } else { word });
        rest = after;
    }
    out.push_str(rest);
    out
}

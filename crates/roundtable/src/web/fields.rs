//! The fields of a form or of a query, as a browser sends them: in order, and some of
//! them several times; a form that failed, with what was typed; the form that shares a
//! debate; and cookies.

use askama::Template;
use axum::http::{HeaderMap, header};
use engine::background::host::{DebateSnapshot, Host};

/// Fields with their values, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormFields {
    pairs: Vec<(String, String)>,
}

impl FormFields {
    /// Reads `a=1&b=two+words`. What is not valid is taken as it stands.
    pub fn parse(text: &str) -> FormFields {
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(name), decoded(value))
        };
        let parts = text.split('&').filter(|part| !part.is_empty());
        FormFields { pairs: parts.map(pair).collect() }
    }

    pub fn of_body(body: &[u8]) -> FormFields {
        FormFields::parse(&String::from_utf8_lossy(body))
    }

    /// The first value of a field; empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.pairs.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str())
    }

    /// The first value of a field that has words in it.
    pub fn some(&self, name: &str) -> Option<String> {
        let value = self.get(name).trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    pub fn all(&self, name: &str) -> Vec<String> {
        let named = self.pairs.iter().filter(|(key, _)| key == name);
        named.map(|(_, value)| value.clone()).collect()
    }
}

/// A form that could not be carried out, with everything that was typed in it.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "web_failed.html", whitespace = "preserve")]
pub struct FailedForm {
    id: String,
    pub action: String,
    pub fault: String,
    hidden: Vec<(&'static str, String)>,
    /// The field that a person fills in; empty where there is none.
    field: &'static str,
    label: &'static str,
    pub typed: String,
    /// How sure a person is of the answer of their own seat, as typed; none where that was
    /// not asked.
    sure: Option<String>,
    /// How it turned out, as chosen.
    pub accuracy: String,
}

impl FailedForm {
    pub fn new(id: &str, action: &str, form: &FormFields) -> FailedForm {
        let (field, label) = match action {
            "remark" => ("text", "Remark"),
            "focus" => ("text", "Focus"),
            "answer" | "skip" => ("text", "Your answer"),
            "go-on" if form.some("budget").is_some() => ("budget", "New limit, USD"),
            "outcome" => ("summary", "What happened?"),
            _ => ("", ""),
        };
        let hidden = ["request", "seat", "turn"].into_iter();
        FailedForm {
            id: id.into(),
            action: action.into(),
            fault: String::new(),
            hidden: hidden.filter_map(|name| Some((name, form.some(name)?))).collect(),
            field,
            label,
            typed: form.get(field).into(),
            sure: form.some("turn").map(|_| form.get("confidence").into()),
            accuracy: form.get("accuracy").into(),
        }
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let coded = hex.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (first, coded) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(*other),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A value as part of an address.
pub fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// A cookie by its name.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}

/// The form that shares a debate with the team, or makes it private again.
#[derive(Template)]
#[template(path = "web_share.html", whitespace = "preserve")]
pub struct ShareForm {
    id: String,
    owner: String,
    shared: bool,
}

impl ShareForm {
    /// The form; nothing for a debate that has no owner, or for a reader who may not steer it.
    pub async fn of(host: &Host, seen: &DebateSnapshot) -> String {
        let Some(owner) = seen.owner.clone() else { return String::new() };
        if host.steerable(&seen.id).await.is_err() {
            return String::new();
        }
        let form = ShareForm { id: seen.id.clone(), owner, shared: seen.shared };
        form.render().unwrap_or_default()
    }
}

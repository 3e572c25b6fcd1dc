//! Classifies an error from a server, in any of the known formats. The same status
//! can mean "wait" and "pay", so the code and the words are read before the number.

use std::time::Duration;

use debate::model::FailureClass;
use serde_json::Value;

use crate::wire::try_error::{RetryChance, TryError, quoted};

/// Codes and types by which servers name what is wrong, read first.
const CODES: &[(&str, FailureClass)] = &[
    ("insufficient_quota", FailureClass::OutOfCredit),
    ("credit_balance_exhausted", FailureClass::OutOfCredit),
    ("billing_hard_limit_reached", FailureClass::OutOfCredit),
    ("billing_not_active", FailureClass::OutOfCredit),
    ("billing_error", FailureClass::OutOfCredit),
    ("usage_limit_reached", FailureClass::OutOfCredit),
    ("enforced_spend_limit_reached", FailureClass::OutOfCredit),
    ("rate_limit_exceeded", FailureClass::RateLimited),
    ("rate_limit_error", FailureClass::RateLimited),
    ("slow_down", FailureClass::RateLimited),
    ("server_is_overloaded", FailureClass::Overloaded),
    ("overloaded_error", FailureClass::Overloaded),
    ("server_error", FailureClass::Overloaded),
    ("context_length_exceeded", FailureClass::TooLong),
    ("exceed_context_size_error", FailureClass::TooLong),
    ("string_above_max_length", FailureClass::TooLong),
    ("invalid_api_key", FailureClass::Unauthorised),
    ("authentication_error", FailureClass::Unauthorised),
    ("permission_error", FailureClass::Unauthorised),
    ("content_policy_violation", FailureClass::Declined),
    ("content_filter", FailureClass::Declined),
    ("invalid_prompt", FailureClass::Declined),
    ("model_not_found", FailureClass::BadRequest),
    ("not_found_error", FailureClass::BadRequest),
    ("request_too_large", FailureClass::TooLong),
    ("api_error", FailureClass::Overloaded),
    ("timeout_error", FailureClass::Overloaded),
    ("API_KEY_INVALID", FailureClass::Unauthorised),
    ("RESOURCE_EXHAUSTED", FailureClass::RateLimited),
    ("UNAVAILABLE", FailureClass::Overloaded),
    ("INTERNAL", FailureClass::Overloaded),
    ("DEADLINE_EXCEEDED", FailureClass::Overloaded),
    ("UNAUTHENTICATED", FailureClass::Unauthorised),
    ("PERMISSION_DENIED", FailureClass::Unauthorised),
    ("NOT_FOUND", FailureClass::BadRequest),
];

/// Phrases that decide where a server gives no code. Read for refused requests
/// and for errors without a status only: a 5xx is a 5xx whatever it says.
const PHRASES: &[(&str, FailureClass)] = &[
    ("context length", FailureClass::TooLong),
    ("context window", FailureClass::TooLong),
    ("context size", FailureClass::TooLong),
    ("context limit", FailureClass::TooLong),
    ("prompt is too long", FailureClass::TooLong),
    ("content filtering policy", FailureClass::Declined),
    ("too many tokens", FailureClass::TooLong),
    ("maximum number of tokens", FailureClass::TooLong),
    ("api key not valid", FailureClass::Unauthorised),
    ("spend limit", FailureClass::OutOfCredit),
    ("exceeded your current quota", FailureClass::OutOfCredit),
    ("insufficient balance", FailureClass::OutOfCredit),
    ("insufficient credit", FailureClass::OutOfCredit),
    ("credit balance", FailureClass::OutOfCredit),
    ("rate limit", FailureClass::RateLimited),
    ("overloaded", FailureClass::Overloaded),
];

struct StatusRow {
    from: u16,
    to: u16,
    class: FailureClass,
    what: &'static str,
}

const fn row(from: u16, to: u16, class: FailureClass, what: &'static str) -> StatusRow {
    StatusRow { from, to, class, what }
}

/// Read last, first fit wins.
const STATUSES: &[StatusRow] = &[
    row(300, 399, FailureClass::BadRequest, "it answered with a redirect, which is not followed"),
    row(401, 401, FailureClass::Unauthorised, "it refused the key"),
    row(402, 402, FailureClass::OutOfCredit, "the account has no credit left"),
    row(403, 403, FailureClass::Unauthorised, "the key may not do this"),
    row(404, 404, FailureClass::BadRequest, "it knows no such model or address"),
    row(408, 408, FailureClass::TimedOut, "it gave up waiting"),
    row(409, 409, FailureClass::Overloaded, "it reported a conflict"),
    row(413, 413, FailureClass::TooLong, "it found the request too large"),
    row(429, 429, FailureClass::RateLimited, "it was asked too often"),
    row(400, 499, FailureClass::BadRequest, "it refused the request"),
    row(529, 529, FailureClass::Overloaded, "it is overloaded"),
    row(500, 599, FailureClass::Overloaded, "it failed on its side"),
];

/// An answer with a status other than success.
pub fn of_status(status: u16, body: &str) -> TryError {
    let said = ErrorWords::read(body);
    let by_code = said.by_code();
    let by_phrase = || if (400..500).contains(&status) { said.by_phrase() } else { None };
    let row = STATUSES.iter().find(|row| (row.from..=row.to).contains(&status));
    // A refused key stays a refused key, whatever words come with it.
    let class = match (status, by_code.or_else(by_phrase)) {
        (401 | 402, _) | (_, None) => row.map_or(FailureClass::Unusable, |row| row.class),
        (_, Some(class)) => class,
    };
    let usual = row.map_or("it answered with an unknown status", |row| row.what);
    let what = if row.is_some_and(|row| row.class == class) {
        format!("{usual} (HTTP {status}{})", said.tail())
    } else {
        format!("{} (HTTP {status}{})", in_words(class), said.tail())
    };
    let trouble = TryError {
        said: body.to_owned(),
        wait: said.wait,
        is_whole_account: matches!(status, 401 | 402),
        ..TryError::new(class, what)
    };
    match status {
        300..=399 => trouble.advice("Set the base URL to the address it points to"),
        404 => trouble.advice(
            "Check the model's name, and that the base URL is the one the provider gives for its API",
        ),
        _ => trouble,
    }
}

/// An error object inside an answer that began as a success.
pub fn of_error(error: &Value) -> TryError {
    let said = ErrorWords::of(error);
    let by_number = || {
        let number = error.get("code").or_else(|| error.get("status")).and_then(Value::as_u64);
        number.and_then(|number| u16::try_from(number).ok()).and_then(|number| {
            let row = STATUSES.iter().find(|row| (row.from..=row.to).contains(&number));
            row.map(|row| row.class)
        })
    };
    match said.by_code().or_else(by_number).or_else(|| said.by_phrase()) {
        Some(class) => {
            TryError::new(class, format!("{} (in the answer{})", in_words(class), said.tail()))
        }
        None => TryError::new(
            FailureClass::Unusable,
            format!("it sent an error in place of an answer{}", said.tail()),
        )
        .again(RetryChance::Once),
    }
}

fn in_words(class: FailureClass) -> &'static str {
    match class {
        FailureClass::OutOfCredit => "the account has no money or quota left",
        FailureClass::RateLimited => "it was asked too often",
        FailureClass::Overloaded => "it is overloaded or failing",
        FailureClass::TooLong => "the prompt does not fit the model",
        FailureClass::Unauthorised => "it refused the key",
        FailureClass::Declined => "it declined to answer",
        FailureClass::TimedOut => "it gave up waiting",
        _ => "it refused the request",
    }
}

/// A server's words about an error, in whichever of the known shapes.
#[derive(Debug, Default)]
struct ErrorWords {
    codes: Vec<String>,
    message: String,
    /// The least wait named in the body.
    wait: Option<Duration>,
}

/// A wait written as `34s` or `3.5s`.
fn delay(text: &str) -> Option<Duration> {
    let seconds = text.strip_suffix('s')?.parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

impl ErrorWords {
    fn read(body: &str) -> ErrorWords {
        let trimmed = body.trim();
        if trimmed.starts_with('<') {
            return ErrorWords { message: "an HTML page".into(), ..ErrorWords::default() };
        }
        let Ok(json) = serde_json::from_str::<Value>(trimmed) else {
            return ErrorWords { message: trimmed.to_owned(), ..ErrorWords::default() };
        };
        let json = json.get(0).unwrap_or(&json);
        ErrorWords::of(json.get("error").or_else(|| json.get("detail")).unwrap_or(json))
    }

    fn of(error: &Value) -> ErrorWords {
        let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
        let details = || error.get("details").and_then(Value::as_array).into_iter().flatten();
        // The narrowest name first: what lies in the details decides.
        let mut codes: Vec<String> = Vec::new();
        codes
            .extend(error.pointer("/details/error_code").and_then(Value::as_str).map(String::from));
        codes.extend(
            details().filter_map(|detail| detail.get("reason")?.as_str()).map(String::from),
        );
        // A quota of the day is not waited for.
        let day = |detail: &Value| detail.to_string().contains("PerDay");
        codes.extend(details().any(day).then(|| "insufficient_quota".to_owned()));
        codes.extend(["code", "type", "status"].into_iter().filter_map(text));
        let wait = details().find_map(|detail| detail.get("retryDelay")?.as_str()).and_then(delay);
        let message = match error {
            Value::String(message) => message.clone(),
            Value::Object(_) => text("message").unwrap_or_default(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        ErrorWords { codes, message, wait }
    }

    fn by_code(&self) -> Option<FailureClass> {
        let known = |code: &String| CODES.iter().find(|(name, _)| name == code);
        self.codes.iter().find_map(known).map(|(_, class)| *class)
    }

    fn by_phrase(&self) -> Option<FailureClass> {
        let message = self.message.to_lowercase();
        PHRASES.iter().find(|(words, _)| message.contains(words)).map(|(_, class)| *class)
    }

    fn tail(&self) -> String {
        let message = quoted(&self.message);
        if message.is_empty() { String::new() } else { format!(": {message}") }
    }
}

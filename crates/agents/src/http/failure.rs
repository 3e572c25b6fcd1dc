//! Turns the last error of an ask into the failure that is reported: what
//! happened, to which model, and what to do next. No key passes through its words.

use debate::model::{Bill, Failure, FailureClass};
use secrecy::ExposeSecret;

use crate::redaction::{REMOVED_KEY, without_keys};
use crate::wire::dialect::{ProviderPlace, Target};
use crate::wire::try_error::{TryError, usual_advice};

impl TryError {
    /// The failure to report: what happened, to what, what to do next.
    pub fn into_failure(self, target: &Target, tries: u32, bill: Bill) -> Failure {
        let advice = match self.advice {
            Some(advice) => advice.to_owned(),
            None => advice_for(self.class, target),
        };
        let tried = if tries > 1 { format!(" ({tries} tries)") } else { String::new() };
        let message = format!(
            "{}/{} at {}: {}{tried}. {advice}.",
            target.provider.name, target.model, target.host, self.what
        );
        Failure { class: self.class, message: redact(&message, target), tries, bill }
    }
}

fn advice_for(class: FailureClass, target: &Target) -> String {
    let provider = target.provider;
    match (class, provider.place, provider.key_variable) {
        (FailureClass::Unreachable, ProviderPlace::Local, _) => {
            format!("Start {} or correct its address", provider.title)
        }
        (FailureClass::Unauthorised, _, Some(variable)) => {
            format!("Set {variable} to a key that may use this model")
        }
        _ => usual_advice(class).to_owned(),
    }
}

/// Takes keys out of words that may be shown: the target's own secrets, and every
/// word that looks like a key. Servers like to quote the key they refuse.
pub fn redact(text: &str, target: &Target) -> String {
    let mut clean = text.to_owned();
    let secrets = target.key.iter().chain(target.headers.iter().map(|(_, value)| value));
    for secret in secrets.map(ExposeSecret::expose_secret).filter(|secret| secret.len() >= 4) {
        clean = clean.replace(secret, REMOVED_KEY);
    }
    without_keys(&clean)
}

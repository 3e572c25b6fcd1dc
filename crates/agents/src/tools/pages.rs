//! The pages that may be read: those the user named and those a search found. A
//! model cannot add to them, so that no address it makes up, with the debate's
//! words in it, is ever asked for.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crate::http::guard::normal_form;

#[derive(Debug, Default)]
pub struct KnownPages {
    /// Normal form and title.
    pages: RwLock<HashMap<String, String>>,
}

impl KnownPages {
    pub fn add(&self, url: &str, title: &str) {
        if let Some(url) = normal_form(url) {
            let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
            pages.entry(url).or_insert_with(|| title.to_owned());
        }
    }

    /// Takes the addresses out of a text of the user's: the topic, an attachment.
    pub fn add_from_text(&self, text: &str) {
        let stops = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|');
        for word in text.split(stops) {
            for scheme in ["https://", "http://"] {
                if let Some(found) = word.find(scheme).and_then(|at| word.get(at..)) {
                    self.add(trimmed(found), "");
                    break;
                }
            }
        }
    }

    /// The normal form of an address, where it may be read.
    pub fn known(&self, url: &str) -> Option<String> {
        let url = normal_form(url)?;
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        pages.contains_key(&url).then_some(url)
    }

    pub fn len(&self) -> usize {
        self.pages.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Without the signs that end a sentence rather than an address. A closing
/// bracket stays where the address opened it.
fn trimmed(url: &str) -> &str {
    let mut url = url;
    loop {
        let shorter =
            url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', ']', '}']);
        let unopened =
            shorter.ends_with(')') && shorter.matches(')').count() > shorter.matches('(').count();
        let shorter = if unopened { shorter.strip_suffix(')').unwrap_or(shorter) } else { shorter };
        if shorter.len() == url.len() {
            return url;
        }
        url = shorter;
    }
}

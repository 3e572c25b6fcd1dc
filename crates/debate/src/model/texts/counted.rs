//! Things whose tokens are counted, and that are written, at most once.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use serde::Serialize;
use serde_json::Value;

use super::tokens;

/// A text or a schema that knows its tokens once somebody has asked for them, and a schema
/// its JSON text. Everything that shares it shares both; a change forgets them.
#[derive(Clone, Default, Serialize)]
#[serde(transparent)]
pub struct TokenCounted<T> {
    value: T,
    #[serde(skip)]
    tokens: OnceLock<usize>,
    /// As JSON text; only of a schema.
    #[serde(skip)]
    written: OnceLock<Box<str>>,
}

impl TokenCounted<String> {
    pub fn tokens(&self) -> usize {
        *self.tokens.get_or_init(|| tokens(&self.value))
    }
}

impl TokenCounted<Value> {
    pub fn tokens(&self) -> usize {
        *self.tokens.get_or_init(|| tokens(self.written()))
    }

    /// The value as JSON text. Every request carries it, so it is written once.
    pub fn written(&self) -> &str {
        self.written.get_or_init(|| self.value.to_string().into())
    }
}

impl<T> From<T> for TokenCounted<T> {
    fn from(value: T) -> TokenCounted<T> {
        TokenCounted { value, tokens: OnceLock::new(), written: OnceLock::new() }
    }
}

impl From<&str> for TokenCounted<String> {
    fn from(text: &str) -> TokenCounted<String> {
        text.to_owned().into()
    }
}

impl<T> Deref for TokenCounted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for TokenCounted<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.tokens = OnceLock::new();
        self.written = OnceLock::new();
        &mut self.value
    }
}

// The count follows from the value, so it is no part of what is compared or shown.

impl<T: PartialEq> PartialEq for TokenCounted<T> {
    fn eq(&self, other: &TokenCounted<T>) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Debug> fmt::Debug for TokenCounted<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(to)
    }
}

impl<T: fmt::Display> fmt::Display for TokenCounted<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(to)
    }
}

#[cfg(test)]
#[path = "counted_tests.rs"]
mod tests;

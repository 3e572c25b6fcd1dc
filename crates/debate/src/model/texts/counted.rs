//! Things whose tokens are counted at most once.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use serde::Serialize;
use serde_json::Value;

use super::tokens;

/// A text or a schema that knows its tokens once somebody has asked for them.
/// Everything that shares it shares the count; a change forgets it.
#[derive(Clone, Default, Serialize)]
#[serde(transparent)]
pub struct Counted<T> {
    value: T,
    #[serde(skip)]
    tokens: OnceLock<usize>,
}

impl Counted<String> {
    pub fn tokens(&self) -> usize {
        *self.tokens.get_or_init(|| tokens(&self.value))
    }
}

impl Counted<Value> {
    pub fn tokens(&self) -> usize {
        *self.tokens.get_or_init(|| tokens(&self.value.to_string()))
    }
}

impl<T> From<T> for Counted<T> {
    fn from(value: T) -> Counted<T> {
        Counted { value, tokens: OnceLock::new() }
    }
}

impl From<&str> for Counted<String> {
    fn from(text: &str) -> Counted<String> {
        text.to_owned().into()
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Counted<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.tokens = OnceLock::new();
        &mut self.value
    }
}

// The count follows from the value, so it is no part of what is compared or shown.

impl<T: PartialEq> PartialEq for Counted<T> {
    fn eq(&self, other: &Counted<T>) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Counted<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(to)
    }
}

impl<T: fmt::Display> fmt::Display for Counted<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_text_is_counted_again() {
        let mut text = Counted::<String>::from("Tea or coffee?");
        let before = text.tokens();
        assert_eq!(before, tokens("Tea or coffee?"));
        let copy = text.clone();
        text.push_str(" Say which of them, and say why.");
        assert_eq!(text.tokens(), tokens("Tea or coffee? Say which of them, and say why."));
        assert_eq!(copy.tokens(), before);
        assert_ne!(text, copy);
    }
}

//! A phrase: the text of a paragraph, an item or a cell, in spans that say what each
//! part is. Each writer decides how a span looks, and escapes it.

/// A part of a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    Plain(String),
    Strong(String),
    /// Less important than what is beside it.
    Soft(String),
    /// An id or a command, to be copied.
    Code(String),
    /// An address; it becomes a link only if it leads to the web.
    Web(String),
    /// A link to a place in the same document.
    Inside {
        words: String,
        anchor: String,
    },
    /// A state, drawn as a badge where there are any.
    Badge {
        words: String,
        look: &'static str,
    },
}

impl Span {
    /// The text of the span, unescaped.
    pub fn words(&self) -> &str {
        match self {
            Span::Plain(words)
            | Span::Strong(words)
            | Span::Soft(words)
            | Span::Code(words)
            | Span::Web(words)
            | Span::Inside { words, .. }
            | Span::Badge { words, .. } => words,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phrase {
    pub spans: Vec<Span>,
}

impl Phrase {
    fn with(mut self, span: Span) -> Phrase {
        if !span.words().is_empty() {
            self.spans.push(span);
        }
        self
    }

    #[must_use]
    pub fn plain(self, text: impl Into<String>) -> Phrase {
        self.with(Span::Plain(text.into()))
    }

    #[must_use]
    pub fn strong(self, text: impl Into<String>) -> Phrase {
        self.with(Span::Strong(text.into()))
    }

    #[must_use]
    pub fn soft(self, text: impl Into<String>) -> Phrase {
        self.with(Span::Soft(text.into()))
    }

    #[must_use]
    pub fn code(self, text: impl Into<String>) -> Phrase {
        self.with(Span::Code(text.into()))
    }

    #[must_use]
    pub fn web(self, address: impl Into<String>) -> Phrase {
        self.with(Span::Web(address.into()))
    }

    #[must_use]
    pub fn inside(self, words: impl Into<String>, anchor: impl Into<String>) -> Phrase {
        self.with(Span::Inside { words: words.into(), anchor: anchor.into() })
    }

    #[must_use]
    pub fn badge(self, words: impl Into<String>, look: &'static str) -> Phrase {
        self.with(Span::Badge { words: words.into(), look })
    }

    pub fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.words().trim().is_empty())
    }

    /// The whole text, unescaped.
    pub fn words(&self) -> String {
        self.spans.iter().map(Span::words).collect()
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Phrase {
        Phrase::default().plain(text)
    }
}

impl From<&str> for Phrase {
    fn from(text: &str) -> Phrase {
        Phrase::default().plain(text)
    }
}

impl From<&String> for Phrase {
    fn from(text: &String) -> Phrase {
        Phrase::default().plain(text.as_str())
    }
}

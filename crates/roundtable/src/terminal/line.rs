//! A line of the panel: pieces of text with their styles, made safe and cut to
//! a width. Nothing that gets in here can move the cursor or begin a new line.

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::document::escape::clean;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyledLine {
    pieces: Vec<(Style, String)>,
}

impl StyledLine {
    #[must_use]
    pub fn add(mut self, style: Style, text: &str) -> StyledLine {
        self.pieces.push((style, clean(text).replace(['\n', '\t'], " ")));
        self
    }

    #[must_use]
    pub fn plain(self, text: &str) -> StyledLine {
        self.add(Style::new(), text)
    }

    /// Blanks up to a column.
    #[must_use]
    pub fn up_to(self, column: usize) -> StyledLine {
        let missing = column.saturating_sub(self.width());
        self.plain(&" ".repeat(missing))
    }

    pub fn width(&self) -> usize {
        self.pieces.iter().map(|(_, text)| text.width()).sum()
    }

    /// The line with its styles, at most so many columns wide.
    pub fn styled(&self, width: usize) -> String {
        let mut out = String::new();
        let mut left = width;
        for (style, text) in &self.pieces {
            let cut = cut(text, left);
            left = left.saturating_sub(cut.width());
            let whole = cut.len() == text.len();
            out.push_str(&format!("{style}{cut}{style:#}"));
            if !whole {
                break;
            }
        }
        out
    }
}

/// As much of a text as fits, with a sign where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        // One column is kept for the sign.
        if kept.width() + 1 > width {
            kept.pop();
            break;
        }
    }
    if width > 0 {
        kept.push('…');
    }
    kept
}

/// The last rows of a running text, wrapped.
pub fn tail(text: &str, width: usize, rows: usize) -> Vec<String> {
    if rows == 0 || width == 0 {
        return Vec::new();
    }
    let lines = textwrap::wrap(text, width.max(2));
    let skipped = lines.len().saturating_sub(rows);
    lines.into_iter().skip(skipped).map(|line| line.trim_end().to_owned()).collect()
}

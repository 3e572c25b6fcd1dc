//! A page of text: width, colour, wrapping, and the few signs used everywhere.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use textwrap::core::Word;
use textwrap::{WordSeparator, WordSplitter};

use crate::document::Labels;
use crate::document::escape::{clean, clean_line};

/// Narrower than this nothing is readable, wider than this lines get lost.
const NARROWEST: usize = 30;
const WIDEST: usize = 100;

/// The layout of text. Styles are always written; a stream that is not a terminal
/// drops them.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    width: usize,
    /// The words of a debate's own language, where there is a translation.
    labels: Option<&'static Labels>,
}

pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const WARN: Style = AnsiColor::Yellow.on_default();
pub const BAD: Style = AnsiColor::Red.on_default();
pub const NAME: Style = AnsiColor::Cyan.on_default().bold();

/// The colours of seats, in their order. Red and yellow warn, so no seat has them.
const SEATS: [Style; 6] = [
    NAME,
    AnsiColor::Magenta.on_default().bold(),
    AnsiColor::Green.on_default().bold(),
    AnsiColor::Blue.on_default().bold(),
    AnsiColor::BrightCyan.on_default(),
    AnsiColor::BrightMagenta.on_default(),
];

/// The style of an agent's name, the same in the panel and above its answers.
pub fn seat_style(seat: usize) -> Style {
    SEATS.get(seat % SEATS.len()).copied().unwrap_or(NAME)
}

impl Page {
    pub fn new(width: usize) -> Page {
        Page { width: width.clamp(NARROWEST, WIDEST), labels: None }
    }

    /// The page with labels in a debate's language.
    #[must_use]
    pub fn in_words(self, labels: Option<&'static Labels>) -> Page {
        Page { labels, ..self }
    }

    /// A text of this program in the page's language.
    pub fn say(self, text: &str) -> String {
        Labels::said(self.labels, text)
    }

    pub fn width(self) -> usize {
        self.width
    }

    fn options<'a>(self) -> textwrap::Options<'a> {
        textwrap::Options::new(self.width)
            .word_separator(WordSeparator::Custom(words))
            .word_splitter(WordSplitter::Custom(hyphens))
    }

    /// One line of our own as several that fit.
    pub fn fitted(self, line: &str) -> String {
        textwrap::fill(line, self.options())
    }

    /// A paragraph of foreign text, wrapped and indented. Empty text is nothing.
    pub fn paragraph(self, out: &mut String, indent: &str, text: &str) {
        for line in clean(text).lines() {
            if line.trim().is_empty() {
                continue;
            }
            let options = self.options().initial_indent(indent).subsequent_indent(indent);
            for wrapped in textwrap::wrap(line.trim(), options) {
                let _ = writeln!(out, "{}", wrapped.trim_end());
            }
        }
    }

    /// A list item: the sign stands out to the left of the wrapped text.
    pub fn item(self, out: &mut String, indent: &str, sign: &str, text: &str) {
        let first = format!("{indent}{sign} ");
        let rest = " ".repeat(textwrap::core::display_width(&first));
        let options = self.options().initial_indent(&first).subsequent_indent(&rest);
        for wrapped in textwrap::wrap(&clean_line(text), options) {
            let _ = writeln!(out, "{}", wrapped.trim_end());
        }
    }

    /// A line of this program about what happened, in the page's language.
    pub fn told(self, out: &mut String, sign: &str, text: &str) {
        self.item(out, "", sign, &self.say(text));
    }

    /// A name and what is to be known of it, both cleaned already.
    pub fn named(self, out: &mut String, indent: &str, name: &str, facts: &str) {
        self.styled(out, indent, (NAME, name), facts);
    }

    /// The same with the name in a style.
    pub fn styled(self, out: &mut String, indent: &str, named: (Style, &str), facts: &str) {
        let (style, name) = named;
        let rest = format!("{indent}    ");
        let options = self.options().initial_indent(indent).subsequent_indent(&rest);
        let head = format!("{indent}{name} ");
        for (index, line) in textwrap::wrap(&format!("{name} {facts}"), options).iter().enumerate()
        {
            let line = line.trim_end();
            let _ = match line.strip_prefix(&head).filter(|_| index == 0) {
                Some(facts) => writeln!(out, "{indent}{style}{name}{style:#} {DIM}{facts}{DIM:#}"),
                None => writeln!(out, "{DIM}{line}{DIM:#}"),
            };
        }
    }

    /// A heading with a rule to the right edge.
    pub fn heading(self, out: &mut String, title: &str) {
        let title = clean_line(title);
        let taken = textwrap::core::display_width(&title) + 4;
        let rule = "─".repeat(self.width.saturating_sub(taken));
        let _ = writeln!(out, "\n{BOLD}── {title} {rule}{BOLD:#}");
    }
}

/// Addresses, paths and what stands in backticks are copied whole.
fn is_whole(word: &str) -> bool {
    word.contains("://") || word.contains('`') || (word.is_ascii() && word.contains('/'))
}

/// Words as Unicode breaks lines, but what is whole stays so: broken, an address can be
/// neither clicked nor copied. Only one that is longer than the page is cut.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let usual = WordSeparator::UnicodeBreakProperties;
    Box::new(line.split_inclusive(' ').flat_map(move |part| {
        if is_whole(part) {
            Box::new(std::iter::once(Word::from(part)))
        } else {
            usual.find_words(part)
        }
    }))
}

fn hyphens(word: &str) -> Vec<usize> {
    if is_whole(word) { Vec::new() } else { WordSplitter::HyphenSplitter.split_points(word) }
}

pub use crate::document::words::{count, thousands};

//! A view while it is written. It remembers what lines cost that were counted before, so
//! that a view's tokens are counted without counting these lines again.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use crate::model::{Fence, KnownLines, TokenUnits, stands_alone, tokens_of_part};

/// A text of whole lines that begins with a word or a sign, with what it costs.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CountedLines {
    text: String,
    units: TokenUnits,
}

impl CountedLines {
    pub fn new(text: String) -> CountedLines {
        CountedLines { units: TokenUnits::of(&text), text }
    }

    /// Lines of which the cost is known.
    pub fn with_units(text: String, units: TokenUnits) -> CountedLines {
        debug_assert_eq!(TokenUnits::of(&text), units);
        CountedLines { text, units }
    }

    /// A single line, of which the cost without the line break is known.
    pub fn line(text: &str, units: TokenUnits) -> CountedLines {
        let ends_plainly = text.bytes().next_back().is_some_and(|byte| byte > b' ');
        let text = [text, "\n"].concat();
        let units = if ends_plainly { units.with_line_break() } else { TokenUnits::of(&text) };
        CountedLines { text, units }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn tokens(&self) -> usize {
        self.units.tokens()
    }
}

/// The text of a view, with one fence for all foreign words in it.
#[derive(Debug)]
pub(super) struct ViewText<'f> {
    text: String,
    fence: &'f Fence,
    /// Lines whose cost is known, in the order of the text.
    known: Vec<KnownLines>,
    /// The cost of the lines that begin a fence, by label, and under `END` of the one that
    /// ends it.
    fence_lines: Vec<(&'static str, TokenUnits)>,
}

/// No label: labels have no brackets.
const END: &str = "<<<end";

impl fmt::Write for ViewText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

impl<'f> ViewText<'f> {
    pub fn new(fence: &'f Fence) -> ViewText<'f> {
        ViewText {
            text: String::with_capacity(8192),
            fence,
            known: Vec::with_capacity(30),
            fence_lines: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes lines whose cost is known.
    pub fn push_lines(&mut self, lines: &CountedLines) {
        let start = self.text.len();
        self.text.push_str(&lines.text);
        if stands_alone(&lines.text) {
            self.know(start, lines.units);
        }
    }

    /// Remembers the cost of the text from `start` on, if a line begins there.
    fn know(&mut self, start: usize, units: TokenUnits) {
        if start == 0 || self.text.as_bytes().get(start - 1) == Some(&b'\n') {
            self.known.push(KnownLines { start, end: self.text.len(), units });
        }
    }

    pub fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        while self.known.last().is_some_and(|lines| lines.end > length) {
            self.known.pop();
        }
    }

    pub fn open_fence(&mut self, label: &'static str) {
        let start = self.text.len();
        self.fence.open(&mut self.text, label);
        self.know_fence_line(start, label);
    }

    /// Ends a fence after the last word in it.
    pub fn close_fence(&mut self) {
        let end = self.text.trim_end().len();
        if self.text.get(end..) != Some("\n") {
            self.truncate(end);
            self.text.push('\n');
        }
        self.end_fence();
    }

    /// Ends a fence in which nothing stands.
    pub fn close_empty_fence(&mut self) {
        self.text.push('\n');
        self.end_fence();
    }

    fn end_fence(&mut self) {
        let start = self.text.len();
        self.fence.end_line(&mut self.text);
        self.know_fence_line(start, END);
    }

    fn know_fence_line(&mut self, start: usize, label: &'static str) {
        let counted = self.fence_lines.iter().find(|(known, _)| *known == label);
        let units = counted.map(|(_, units)| *units).unwrap_or_else(|| {
            let units = TokenUnits::of(self.text.get(start..).unwrap_or_default());
            self.fence_lines.push((label, units));
            units
        });
        self.know(start, units);
    }

    /// Returns the tokens of the text from a place on.
    pub fn tokens_from(&self, start: usize) -> usize {
        self.tokens(start..self.text.len())
    }

    /// Returns the tokens of a part of the text.
    pub fn tokens(&self, part: Range<usize>) -> usize {
        tokens_of_part(&self.text, part, &self.known)
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text, and its lines whose cost is known.
    pub fn into_parts(self) -> (String, Vec<KnownLines>) {
        (self.text, self.known)
    }
}

/// A text cut to several lengths in tokens: readers' budgets differ by a few of them.
#[derive(Debug)]
pub(super) struct Cuts<P>(RefCell<Vec<(usize, Rc<P>)>>);

impl<P> Default for Cuts<P> {
    fn default() -> Cuts<P> {
        Cuts(RefCell::default())
    }
}

impl<P> Cuts<P> {
    /// Returns the cut that was made for another reader, or makes it.
    pub fn get(&self, most: usize, make: impl FnOnce() -> P) -> Rc<P> {
        let mut cuts = self.0.borrow_mut();
        if let Some((_, cut)) = cuts.iter().find(|(length, _)| *length == most) {
            return Rc::clone(cut);
        }
        let cut = Rc::new(make());
        cuts.push((most, Rc::clone(&cut)));
        cut
    }
}

#[cfg(test)]
#[path = "view_text_tests.rs"]
mod tests;

//! The card on a terminal: what was decided, at one glance, in at most twenty lines.
//! Longer texts are cut line by line until it fits.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::line::cut;
use super::page::{BAD, BOLD, DIM, GOOD, Page, WARN};
use crate::document::escape::clean_line;
use crate::document::{CardBlock, CardRow, Phrase, Span};

const MOST_LINES: usize = 20;
/// The column in which the texts begin, behind the longest label.
const LABEL: usize = 13;
/// The sizes that are tried until it fits: lines of the decision, lines of a text, texts of a row.
const FITS: [(usize, usize, usize); 7] =
    [(6, 3, 4), (4, 2, 4), (4, 2, 3), (4, 1, 3), (3, 1, 3), (3, 1, 2), (2, 1, 1)];

pub fn card(page: Page, title: &str, card: &CardBlock) -> String {
    let narrowest = FITS.len() - 1;
    let mut drawn = String::new();
    for (index, fit) in FITS.into_iter().enumerate() {
        drawn = draw(page, title, card, fit);
        // The blank line before the heading belongs to what comes before.
        if drawn.trim_start_matches('\n').lines().count() <= MOST_LINES || index == narrowest {
            break;
        }
    }
    if !card.summary.is_empty() {
        drawn.push('\n');
        page.paragraph(&mut drawn, "  ", &card.summary);
    }
    drawn
}

fn draw(page: Page, title: &str, card: &CardBlock, fit: (usize, usize, usize)) -> String {
    let (decision_lines, text_lines, texts) = fit;
    let mut out = String::new();
    if !title.is_empty() {
        page.heading(&mut out, title);
    }
    for line in wrapped(&clean_line(&card.decision), page.width() - 4, decision_lines) {
        let _ = writeln!(out, "  {BOLD}{line}{BOLD:#}");
    }
    let style = colour(card.look);
    let action = format!("{style}{BOLD}{}{BOLD:#}{style:#}", clean_line(&card.action));
    let pad = " ".repeat(LABEL.saturating_sub(card.action.width()).max(1));
    let mut sure = wrapped(&clean_line(&card.sure), page.width() - 2 - LABEL, 2).into_iter();
    let _ = writeln!(out, "\n  {action}{pad}{}", sure.next().unwrap_or_default());
    for rest in sure {
        let _ = writeln!(out, "  {}{rest}", " ".repeat(LABEL));
    }
    for one in &card.rows {
        row(page, &mut out, one, text_lines, texts);
    }
    let _ = writeln!(out, "\n  {DIM}{}{DIM:#}", cut(&clean_line(&card.totals), page.width() - 4));
    for line in joined(&card.next, page.width() - 4) {
        let _ = writeln!(out, "  {DIM}{line}{DIM:#}");
    }
    out
}

fn colour(look: &str) -> Style {
    match look {
        "go-ahead" => GOOD,
        "check-first" => WARN,
        _ => BAD,
    }
}

fn row(page: Page, out: &mut String, row: &CardRow, lines: usize, texts: usize) {
    let label = format!("{:<LABEL$}", row.label);
    if row.stacked {
        let _ = writeln!(out, "  {}", row.label);
    }
    let indent = if row.stacked { 4 } else { 2 + LABEL };
    for (index, phrase) in row.phrases.iter().take(texts).enumerate() {
        for (line, text) in
            phrase_lines(phrase, page.width() - indent - 1, lines).iter().enumerate()
        {
            let beside = !row.stacked && index == 0 && line == 0;
            let before = if beside { format!("  {label}") } else { " ".repeat(indent) };
            let _ = writeln!(out, "{before}{text}");
        }
    }
}

/// A phrase on so many lines. What is soft at its end is kept when the rest is cut.
fn phrase_lines(phrase: &Phrase, width: usize, lines: usize) -> Vec<String> {
    let tail = match phrase.spans.last() {
        Some(Span::Soft(tail)) if phrase.spans.len() > 1 => format!(" {}", clean_line(tail)),
        _ => return wrapped(&clean_line(&phrase.words()), width, lines),
    };
    let front = phrase.spans.len() - 1;
    let text: String = phrase.spans.iter().take(front).map(Span::words).collect();
    let mut all = wrapped(&clean_line(&text), width, lines);
    let beside = all.last().is_some_and(|last| last.width() + tail.width() <= width);
    if !beside && all.len() < lines {
        all.push(format!("{DIM}{}{DIM:#}", tail.trim_start()));
        return all;
    }
    if let Some(last) = all.last_mut() {
        let room = width.saturating_sub(tail.width()).max(8);
        *last = format!("{}{DIM}{tail}{DIM:#}", wrapped(last, room, 1).concat());
    }
    all
}

/// A text on at most so many lines; the last says if something is missing.
fn wrapped(text: &str, width: usize, lines: usize) -> Vec<String> {
    let all = textwrap::wrap(text, width.max(8));
    let more = all.len() > lines;
    let mut kept: Vec<String> =
        all.into_iter().take(lines).map(|line| line.trim_end().to_owned()).collect();
    if let Some(last) = kept.last_mut().filter(|_| more) {
        let room = width.saturating_sub(1);
        while last.width() > room {
            last.pop();
        }
        let whole = last.trim_end_matches([' ', ',', ';', ':', '.']).len();
        last.truncate(whole);
        last.push('…');
    }
    kept
}

/// Commands side by side, as many on a line as fit.
fn joined(commands: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for command in commands.iter().map(|command| clean_line(command)) {
        match lines.last_mut().filter(|line| line.width() + command.width() + 3 <= width) {
            Some(line) => line.push_str(&format!(" · {command}")),
            None => lines.push(command),
        }
    }
    lines
}

//! A document as the text of a terminal: the card last, because that is where a reader
//! looks when the text has scrolled by.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use super::card::card;
use super::line::cut;
use super::page::{BAD, BOLD, DIM, Page, WARN};
use crate::document::escape::clean_line;
use crate::document::{Block, ColumnKind, DataTable, Document, Section, SectionLook, TableRow};

/// Narrower than this a column says nothing.
const NARROWEST_COLUMN: usize = 13;

pub fn text(page: Page, document: &Document) -> String {
    body(page, document) + &card_text(page, document)
}

/// Everything but the card.
pub fn body(page: Page, document: &Document) -> String {
    let mut out = String::new();
    if !document.title.is_empty() {
        page.heading(&mut out, &document.title);
    }
    if !document.facts.is_empty() {
        let _ = write!(out, "{DIM}");
        page.paragraph(&mut out, "", &document.facts.join(" · "));
        let _ = write!(out, "{DIM:#}");
    }
    for one in &document.sections {
        match one.look {
            SectionLook::Plain | SectionLook::Notices => section(page, &mut out, one),
            SectionLook::Card | SectionLook::Drawn => {}
        }
    }
    if !document.foot.is_empty() {
        let _ = write!(out, "\n{DIM}");
        page.paragraph(&mut out, "", &document.foot.words());
        let _ = write!(out, "{DIM:#}");
    }
    out
}

/// Only the card of a document; empty where it has none.
pub fn card_text(page: Page, document: &Document) -> String {
    let cards = document.sections.iter().filter(|one| one.look == SectionLook::Card);
    cards.map(|one| cards_of(page, one)).collect()
}

fn cards_of(page: Page, section: &Section) -> String {
    let shown = |block: &Block| match block {
        Block::Card(one) => Some(card(page, &section.title, one)),
        Block::Text(text) => {
            let mut out = String::new();
            page.paragraph(&mut out, "  ", &text.words());
            Some(out)
        }
        _ => None,
    };
    section.blocks.iter().filter_map(shown).collect()
}

fn section(page: Page, out: &mut String, section: &Section) {
    if !section.title.is_empty() {
        let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}", clean_line(&section.title));
    }
    let warns = section.look == SectionLook::Notices;
    for one in &section.blocks {
        match one {
            Block::List(items) if warns => items.iter().for_each(|item| {
                let _ = write!(out, "{WARN}");
                page.item(out, "  ", "!", &item.words());
                let _ = write!(out, "{WARN:#}");
            }),
            other => block(page, out, "  ", other),
        }
    }
}

fn block(page: Page, out: &mut String, indent: &str, block: &Block) {
    match block {
        Block::Heading(text) => {
            let _ = writeln!(out, "\n{indent}{}", clean_line(text));
        }
        Block::Text(text) => page.paragraph(out, indent, &text.words()),
        Block::Gap(text) => {
            let _ = write!(out, "{BAD}");
            page.item(out, indent, "✗", &text.words());
            let _ = write!(out, "{BAD:#}");
        }
        Block::Prose(text) => page.paragraph(out, &format!("{indent}  "), text),
        Block::List(items) => {
            for item in items {
                page.item(out, indent, "·", &item.words());
            }
        }
        Block::Numbered(items) => {
            for item in items {
                page.item(out, indent, &format!("E{}", item.number), &item.phrase.words());
            }
        }
        Block::Table(one) => table(page, out, one),
        Block::Folded(part) => {
            page.named(out, indent, &clean_line(&part.name), &clean_line(&part.facts));
            let deeper = format!("{indent}  ");
            page.paragraph(out, &deeper, &part.line);
            part.blocks.iter().for_each(|one| self::block(page, out, &deeper, one));
        }
        Block::Drawing(drawing) => drawing.table.iter().for_each(|one| table(page, out, one)),
        Block::Card(one) => out.push_str(&card(page, "", one)),
    }
}

/// Columns as wide as they need to be, where the page has room; else one record after
/// another, with its sentences wrapped.
fn table(page: Page, out: &mut String, table: &DataTable) {
    let cells = |row: &TableRow| -> Vec<String> {
        row.cells.iter().map(|cell| clean_line(&cell.words())).collect()
    };
    let rows: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
    let widest = |(column, title): (usize, &String)| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.max().unwrap_or(0).max(title.width())
    };
    let mut widths: Vec<usize> = table.head.iter().enumerate().map(widest).collect();
    let whole = |widths: &[usize]| widths.iter().map(|width| width + 2).sum::<usize>();
    let kinds: Vec<ColumnKind> = (0..widths.len()).map(|column| table.kind(column)).collect();
    if whole(&widths) > page.width() && kinds.contains(&ColumnKind::Words) {
        rows.iter().for_each(|row| record(page, out, &kinds, row));
        return;
    }
    // The widest give way first, each down to what is still readable.
    while whole(&widths) > page.width() {
        match widths.iter_mut().filter(|width| **width > NARROWEST_COLUMN).max() {
            Some(widest) => *widest -= 1,
            None => break,
        }
    }
    let line = |cells: &[String]| -> String {
        let mut text = String::from("  ");
        for (cell, column) in cells.iter().zip(&widths) {
            let shown = cut(cell, *column);
            let fill = column.saturating_sub(shown.width()) + 2;
            text.push_str(&shown);
            text.push_str(&" ".repeat(fill));
        }
        text.trim_end().to_owned()
    };
    let titles: Vec<String> = table.head.iter().map(|title| clean_line(title)).collect();
    let _ = writeln!(out, "{DIM}{}{DIM:#}", line(&titles));
    for row in &rows {
        let _ = writeln!(out, "{}", line(row));
    }
}

/// A row with sentences: its short cells on one line, the sentences below.
fn record(page: Page, out: &mut String, kinds: &[ColumnKind], row: &[String]) {
    let cells = || row.iter().zip(kinds).filter(|(cell, _)| !cell.is_empty());
    let mut short = cells().filter(|(_, kind)| **kind != ColumnKind::Words).map(|(cell, _)| cell);
    let name = short.next().cloned().unwrap_or_default();
    let facts: Vec<&str> = short.map(String::as_str).collect();
    page.named(out, "  ", &name, &facts.join(" · "));
    for (cell, _) in cells().filter(|(_, kind)| **kind == ColumnKind::Words) {
        page.paragraph(out, "    ", cell);
    }
}

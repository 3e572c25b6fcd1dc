//! A document as Markdown. Drawings are left out; their figures are a table.

use std::fmt::Write as _;

use super::escape::{at_line_start, clean, clean_line, markdown_inline, markdown_line};
use super::escape::{plain_marks, web_address};
use super::model::{Block, CardBlock, ColumnKind, DataTable, Document, Section, SectionLook};
use super::phrase::{Phrase, Span};
use super::prose;

impl Document {
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n\n", markdown_line(&self.title));
        if !self.facts.is_empty() {
            let _ = writeln!(out, "*{}*\n", markdown_line(&self.facts.join(" · ")));
        }
        for one in self.sections.iter().filter(|one| one.look != SectionLook::Drawn) {
            section(&mut out, one);
        }
        if !self.foot.is_empty() {
            let _ = writeln!(out, "{}", line(&self.foot));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

fn section(out: &mut String, section: &Section) {
    if !section.title.is_empty() {
        let _ = writeln!(out, "## {}\n", markdown_line(&section.title));
    }
    section.blocks.iter().for_each(|one| block(out, one));
}

fn block(out: &mut String, block: &Block) {
    match block {
        Block::Heading(text) => {
            let _ = writeln!(out, "### {}\n", markdown_line(text));
        }
        Block::Text(text) | Block::Gap(text) => paragraph(out, text),
        Block::Prose(text) => {
            let quoted = prose::quoted(text);
            if !quoted.is_empty() {
                let _ = writeln!(out, "{quoted}");
            }
        }
        Block::List(items) => {
            for item in items {
                let _ = writeln!(out, "- {}", line(item).trim_end());
            }
            out.push('\n');
        }
        Block::Numbered(items) => {
            for item in items {
                let _ = writeln!(out, "{}. {}", item.number, line(&item.phrase));
            }
            out.push('\n');
        }
        Block::Table(table) => self::table(out, table),
        Block::Folded(part) => {
            let _ = writeln!(out, "#### {}\n", markdown_line(&part.name));
            if !part.facts.is_empty() {
                let _ = writeln!(out, "*{}*\n", markdown_line(&part.facts));
            }
            if !part.line.is_empty() {
                let _ = writeln!(out, "**{}**\n", markdown_line(&part.line));
            }
            part.blocks.iter().for_each(|one| self::block(out, one));
        }
        Block::Drawing(drawing) => drawing.table.iter().for_each(|one| self::table(out, one)),
        Block::Card(one) => card(out, one),
    }
}

/// Each line of a text is a paragraph.
fn paragraph(out: &mut String, phrase: &Phrase) {
    let words = phrase.words();
    if clean(&words).lines().filter(|line| !line.trim().is_empty()).count() < 2 {
        let _ = writeln!(out, "{}\n", line(phrase));
        return;
    }
    for one in clean(&words).lines().filter(|line| !line.trim().is_empty()) {
        let _ = writeln!(out, "{}\n", markdown_line(one));
    }
}

fn table(out: &mut String, table: &DataTable) {
    let titles: Vec<String> = table.head.iter().map(|title| markdown_line(title)).collect();
    let _ = writeln!(out, "| {} |", titles.join(" | "));
    let sides = (0..table.head.len()).map(|column| match table.kind(column) {
        ColumnKind::Number => "---:|",
        ColumnKind::Short | ColumnKind::Words => "---|",
    });
    let _ = writeln!(out, "|{}", sides.collect::<String>());
    for row in &table.rows {
        let cells: Vec<String> = row.cells.iter().map(line).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out.push('\n');
}

fn card(out: &mut String, card: &CardBlock) {
    let _ = writeln!(out, "**{}**\n", markdown_line(&card.decision));
    let mut head = vec![format!("**{}**", markdown_line(&card.action))];
    head.extend((!card.sure.is_empty()).then(|| markdown_line(&card.sure)));
    let _ = writeln!(out, "{}\n", head.join(" · "));
    for row in &card.rows {
        match row.phrases.as_slice() {
            [] => {}
            [one] => {
                let _ = writeln!(out, "- {}: {}", row.label, line(one));
            }
            several => {
                let _ = writeln!(out, "- {}:", row.label);
                for one in several {
                    let _ = writeln!(out, "  - {}", line(one));
                }
            }
        }
    }
    if !card.rows.is_empty() {
        out.push('\n');
    }
    if !card.summary.is_empty() {
        let _ = writeln!(out, "{}\n", markdown_line(&card.summary));
    }
    let _ = writeln!(out, "*{}*\n", markdown_line(&card.totals));
}

/// A phrase on one line. Parts that look like their neighbours are escaped together,
/// because `[1]` and `(x)` beside each other would be a link.
fn line(phrase: &Phrase) -> String {
    let mut out = String::new();
    let mut run = String::new();
    let mut begins_plain = None;
    let end_run = |out: &mut String, run: &mut String| {
        let (before, after) = (run.starts_with(' '), run.ends_with(' ') && run.trim() != "");
        let text = plain_marks(&markdown_inline(&clean_line(run)));
        let blank = |is: bool| if is { " " } else { "" };
        let before = before && !out.is_empty();
        out.push_str(&format!("{}{text}{}", blank(before), blank(after)));
        run.clear();
    };
    for span in &phrase.spans {
        begins_plain.get_or_insert(!matches!(span, Span::Strong(_) | Span::Code(_)));
        match span {
            Span::Plain(text) | Span::Soft(text) => run.push_str(text),
            Span::Inside { words, .. } | Span::Badge { words, .. } => run.push_str(words),
            Span::Strong(text) => {
                end_run(&mut out, &mut run);
                let text = markdown_line(text);
                let _ = write!(out, "**{}**", text.trim());
            }
            Span::Code(text) => {
                end_run(&mut out, &mut run);
                let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
                let code = if plain { format!("`{text}`") } else { prose::code(&clean_line(text)) };
                out.push_str(&code);
            }
            Span::Web(address) => match web_address(address) {
                Some(safe) => {
                    end_run(&mut out, &mut run);
                    let _ = write!(out, "<{safe}>");
                }
                None => run.push_str(address),
            },
        }
    }
    end_run(&mut out, &mut run);
    let out = out.trim_end();
    if begins_plain == Some(true) { at_line_start(out) } else { out.to_owned() }
}

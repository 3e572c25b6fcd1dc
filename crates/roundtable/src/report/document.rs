//! A document of headings, paragraphs, lists, tables and charts, shown as text,
//! Markdown or one HTML page that needs nothing else. Whatever comes in is
//! escaped on the way out: no text can become markup or move a cursor.

use std::fmt::Write as _;

use crate::terminal::clean::{clean, clean_line};
use crate::terminal::page::{BOLD, DIM, Page};

#[derive(Debug, Clone, Default)]
pub struct Document {
    pub title: String,
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
pub enum Block {
    /// 2 or 3: how deep.
    Heading(u8, String),
    Text(String),
    List(Vec<String>),
    Table {
        head: Vec<&'static str>,
        rows: Vec<Vec<String>>,
    },
    /// An SVG drawing made here, and what it shows; only a page has it.
    Chart {
        svg: String,
        caption: String,
    },
}

impl Document {
    pub fn new(title: impl Into<String>) -> Document {
        Document { title: title.into(), blocks: Vec::new() }
    }

    pub fn heading(&mut self, depth: u8, text: impl Into<String>) {
        self.blocks.push(Block::Heading(depth, text.into()));
    }

    pub fn text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.blocks.push(Block::Text(text));
        }
    }

    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    pub fn table(&mut self, head: &[&'static str], rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            self.blocks.push(Block::Table { head: head.to_vec(), rows });
        }
    }

    pub fn chart(&mut self, svg: String, caption: impl Into<String>) {
        self.blocks.push(Block::Chart { svg, caption: caption.into() });
    }

    pub fn to_text(&self, page: Page) -> String {
        let mut out = String::new();
        page.heading(&mut out, &self.title);
        for block in &self.blocks {
            match block {
                Block::Heading(2, text) => {
                    let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}", clean_line(text));
                }
                Block::Heading(_, text) => {
                    let _ = writeln!(out, "\n{}", clean_line(text));
                }
                Block::Text(text) => page.paragraph(&mut out, "", text),
                Block::List(items) => {
                    for item in items {
                        page.item(&mut out, "  ", "·", item);
                    }
                }
                Block::Table { head, rows } => text_table(page, &mut out, head, rows),
                Block::Chart { .. } => {}
            }
        }
        out
    }

    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n", markdown_line(&self.title));
        for block in &self.blocks {
            out.push('\n');
            match block {
                Block::Heading(depth, text) => {
                    let signs = "#".repeat(usize::from(*depth));
                    let _ = writeln!(out, "{signs} {}", markdown_line(text));
                }
                Block::Text(text) => {
                    for line in clean(text).lines().filter(|line| !line.trim().is_empty()) {
                        let _ = writeln!(out, "{}", markdown_line(line));
                    }
                }
                Block::List(items) => {
                    for item in items {
                        let _ = writeln!(out, "- {}", markdown_line(item));
                    }
                }
                Block::Table { head, rows } => {
                    let _ = writeln!(out, "| {} |", head.join(" | "));
                    let _ = writeln!(out, "|{}", "---|".repeat(head.len()));
                    for row in rows {
                        let cells: Vec<String> =
                            row.iter().map(|cell| markdown_line(cell)).collect();
                        let _ = writeln!(out, "| {} |", cells.join(" | "));
                    }
                }
                Block::Chart { caption, .. } => {
                    let _ = writeln!(out, "_{}_", markdown_line(caption));
                }
            }
        }
        out
    }

    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{title}</title>\n<style>{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>\n"
        );
        for block in &self.blocks {
            match block {
                Block::Heading(depth, text) => {
                    let _ = writeln!(out, "<h{depth}>{}</h{depth}>", escape(text));
                }
                Block::Text(text) => {
                    for line in clean(text).lines().filter(|line| !line.trim().is_empty()) {
                        let _ = writeln!(out, "<p>{}</p>", escape(line));
                    }
                }
                Block::List(items) => {
                    out.push_str("<ul>\n");
                    for item in items {
                        let _ = writeln!(out, "<li>{}</li>", escape(item));
                    }
                    out.push_str("</ul>\n");
                }
                Block::Table { head, rows } => html_table(&mut out, head, rows),
                Block::Chart { svg, caption } => {
                    let caption = escape(caption);
                    let _ =
                        writeln!(out, "<figure>{svg}<figcaption>{caption}</figcaption></figure>");
                }
            }
        }
        out.push_str("</main></body></html>\n");
        out
    }
}

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;margin:0}\
main{max-width:60rem;margin:0 auto;padding:1.5rem}\
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2rem;border-bottom:1px solid #8886}\
h3{font-size:1.05rem}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884;vertical-align:top}\
.scroll{overflow-x:auto}\
figure{margin:1rem 0}figcaption{font-size:.85rem;opacity:.8}\
svg{max-width:100%;height:auto}";

fn html_table(out: &mut String, head: &[&'static str], rows: &[Vec<String>]) {
    out.push_str("<div class=\"scroll\"><table><thead><tr>");
    for cell in head {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(cell));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<td>{}</td>", escape(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

/// Narrower than this a column says nothing.
const NARROWEST_COLUMN: usize = 13;

/// Columns as wide as they need to be, if the page has room.
fn text_table(page: Page, out: &mut String, head: &[&'static str], rows: &[Vec<String>]) {
    let cleaned: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| clean_line(cell)).collect()).collect();
    let width = |text: &str| textwrap::core::display_width(text);
    let widest = |column: usize, title: &str| {
        let cells = cleaned.iter().filter_map(|row| row.get(column)).map(|cell| width(cell));
        cells.max().unwrap_or(0).max(width(title))
    };
    let mut widths: Vec<usize> =
        head.iter().enumerate().map(|(column, title)| widest(column, title)).collect();
    // The widest give way first, each down to what is still readable.
    let whole = |widths: &[usize]| widths.iter().map(|width| width + 2).sum::<usize>();
    while whole(&widths) > page.width() {
        match widths.iter_mut().filter(|width| **width > NARROWEST_COLUMN).max() {
            Some(widest) => *widest -= 1,
            None => break,
        }
    }
    let line = |cells: &[String]| -> String {
        let mut text = String::from("  ");
        for (cell, column) in cells.iter().zip(&widths) {
            let shown = shortened(cell, *column);
            let fill = column.saturating_sub(width(&shown)) + 2;
            text.push_str(&shown);
            text.push_str(&" ".repeat(fill));
        }
        text.trim_end().to_owned()
    };
    let titles: Vec<String> = head.iter().map(|title| (*title).to_owned()).collect();
    let _ = writeln!(out, "{DIM}{}{DIM:#}", line(&titles));
    for row in &cleaned {
        let _ = writeln!(out, "{}", line(row));
    }
}

fn shortened(text: &str, most: usize) -> String {
    if textwrap::core::display_width(text) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if textwrap::core::display_width(&short) + 2 > most {
            break;
        }
        short.push(letter);
    }
    short.push('…');
    short
}

/// Text of a person's or a model's, fit to stand in HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in clean(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// The same on one line of Markdown, where nothing of it is markup.
pub fn markdown_line(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in clean_line(text).chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '|' | '~' | '$' | '!' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '#' | '+' | '-' | '=' if escaped.is_empty() => {
                escaped.push('\\');
                escaped.push(letter);
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

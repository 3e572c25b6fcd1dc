//! The one place that makes foreign text (of models, files and users) safe for an
//! output: the terminal, JSON, Markdown, HTML, spreadsheets, manual pages, Mermaid and Argdown.
//! Every function first drops control, direction and invisible characters.

use std::borrow::Cow;
use std::fmt;

/// Escapes every value of an HTML template; `askama.toml` names it.
#[derive(Debug, Clone, Copy)]
pub struct PageEscaper;

impl askama::filters::Escaper for PageEscaper {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        out.write_str(&html(text))
    }
}

/// One line of text for Markdown: it can make no markup, no link and no table
/// cell, wherever in a line it stands.
pub fn markdown_line(text: &str) -> String {
    at_line_start(&plain_marks(&markdown_inline(&clean_line(text))))
}

/// Gives `[1]` and `[FACT]` their plain brackets back. No export defines a link
/// by such a name, so they can only become one through what follows them.
pub fn plain_marks(escaped: &str) -> String {
    let mut out = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let mark = from.strip_prefix("\\[").and_then(|text| text.split_once("\\]"));
        let named = |word: &str| {
            let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '?';
            (1..=8).contains(&word.len()) && word.chars().all(plain)
        };
        match mark {
            Some((word, after)) if named(word) && !after.starts_with(['(', ':']) => {
                out.push_str(&format!("[{word}]"));
                rest = after;
            }
            // The sign that is escaped goes along, so that pairs stay pairs.
            _ => {
                let two: usize = from.chars().take(2).map(char::len_utf8).sum();
                let (pair, after) = from.split_at(two);
                out.push_str(pair);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Text between other text in Markdown. Entities instead of backslashes for
/// angle brackets, because not every reader of Markdown knows the latter.
pub fn markdown_inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Inside a word an underscore marks nothing.
            '_' if before.is_alphanumeric()
                && chars.peek().is_some_and(|c| c.is_alphanumeric()) =>
            {
                out.push('_');
            }
            // Braces are for the template languages of site generators.
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '%' | '#' if before == '{' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        before = c;
    }
    out
}

/// Takes from the beginning of a line what would make it a heading, a list, a
/// rule or a quote.
pub fn at_line_start(text: &str) -> String {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    match text.chars().nth(digits) {
        Some('.' | ')') if digits > 0 => {
            let (number, rest) = text.split_at(digits);
            format!("{number}\\{rest}")
        }
        Some('#' | '+' | '-' | '=') if digits == 0 => format!("\\{text}"),
        _ => text.to_owned(),
    }
}

/// An address that may become a link: on the web, and with nothing in it that
/// could end the link early.
pub fn web_address(url: &str) -> Option<String> {
    let url = clean(url).trim().to_owned();
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    let plain = |c: char| c.is_ascii_graphic() || (!c.is_ascii() && c.is_alphanumeric());
    match scheme.as_deref() {
        Some("http" | "https") if url.chars().all(plain) => {
            let safe = url
                .replace('<', "%3C")
                .replace('>', "%3E")
                .replace('"', "%22")
                .replace('\'', "%27")
                .replace('\\', "%5C")
                .replace('`', "%60")
                .replace('{', "%7B")
                .replace('}', "%7D")
                .replace('|', "%7C")
                .replace('(', "%28")
                .replace(')', "%29");
            Some(safe)
        }
        _ => None,
    }
}

/// Text for HTML, inside elements and inside quoted attributes.
pub fn html(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '`' => out.push_str("&#96;"),
            c => out.push(c),
        }
    }
    out
}

/// One line of text for HTML.
pub fn html_line(text: &str) -> String {
    html(&clean_line(text))
}

/// The words of a text that stands in a page; the reverse of [`html`].
pub fn html_words(text: &str) -> String {
    const ENTITIES: [(&str, char); 6] = [
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&#39;", '\''),
        ("&#96;", '`'),
        ("&amp;", '&'),
    ];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let entity = ENTITIES.iter().find_map(|(from, to)| Some((rest.strip_prefix(from)?, *to)));
        let (after, letter) =
            entity.unwrap_or((rest.get(letter.len_utf8()..).unwrap_or(""), letter));
        out.push(letter);
        rest = after;
    }
    out
}

/// A cell for a spreadsheet: it can be no formula.
pub fn cell(text: &str) -> String {
    let line = clean_line(text);
    let formula = |c: char| "=+-@|%＝＋－＠".contains(c);
    if line.starts_with(formula) { format!("'{line}") } else { line }
}

/// Text between quotes in Mermaid. Whatever could mean something there is
/// written by its number.
pub fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in clean_line(text).chars() {
        let plain = c.is_alphanumeric() || " .,!?()/'+=~^".contains(c) || !c.is_ascii();
        if plain || c == '-' {
            out.push(c);
        } else {
            out.push_str(&format!("#{};", c as u32));
        }
    }
    out
}

/// A line of a manual page. One that begins with a dot or a tick would be a command to
/// its reader.
pub fn roff_line(text: &str) -> String {
    let plain = clean(text).trim().replace('\\', "\\\\").replace('-', "\\-");
    let guard = if plain.starts_with(['.', '\'']) { "\\&" } else { "" };
    format!("{guard}{plain}")
}

/// Text in Argdown: every sign that could begin something is escaped.
pub fn argdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in clean_line(text).chars() {
        match c {
            // Nothing escapes a backslash safely; a slash reads the same.
            '\\' => out.push('∖'),
            // A comment begins with two of these, in any of three ways.
            '/' => out.push('∕'),
            '[' | ']' | '<' | '>' | '#' | '@' | '*' | '_' | '{' | '}' | '(' | ')' | '+' | '-'
            | ':' | '~' | '`' | '^' | '=' | '|' | '.' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Keeps line breaks and tabs; drops all other control characters, escape
/// sequences, direction overrides and invisible characters.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' | '\u{9b}' => skip_sequence(c, &mut chars),
            '\r' if chars.peek() != Some(&'\n') => cleaned.push('\n'),
            c if is_harmless(c) => cleaned.push(c),
            _ => {}
        }
    }
    Cow::Owned(cleaned)
}

/// One line of it: line breaks and runs of space become one space.
pub fn clean_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// JSON that is read on a terminal too: what is not harmless stands in it as an
/// escape, which every reader of JSON turns back. In JSON such signs can only
/// stand inside texts.
pub fn json(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_harmless(c) {
            safe.push(c);
            continue;
        }
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            safe.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(safe)
}

fn is_harmless(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        '\u{ad}' | '\u{61c}' | '\u{feff}' | '\u{180e}' => false,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => false,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => false,
        c => !c.is_control(),
    }
}

/// Drops the rest of an escape sequence, so that no `[31m` is left behind.
fn skip_sequence(start: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let kind = if start == '\u{9b}' { Some('[') } else { chars.next() };
    match kind {
        Some('[') => {
            // Parameters and intermediates end at the first byte from @ to ~.
            for c in chars.by_ref() {
                if ('@'..='~').contains(&c) || c == '\n' {
                    break;
                }
            }
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            // Strings end at BEL or ESC \; never let one swallow a line break.
            while let Some(c) = chars.next() {
                if c == '\u{7}' || c == '\u{9c}' || c == '\n' {
                    break;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    break;
                }
            }
        }
        _ => {}
    }
}

//! Says what is wrong in a TOML file and in which line, without repeating a value:
//! one that stands in the wrong place may be a key.

use std::ops::Range;

use agents::redaction::{looks_like_a_key, without_keys};

/// Returns the fault as one sentence. `message` and `at` are the parser's own.
pub fn toml_fault(text: &str, message: &str, at: Option<Range<usize>>) -> String {
    let start = at.map_or(0, |at| at.start.min(text.len()));
    let before = text.get(..start).unwrap_or_default();
    let number = before.matches('\n').count() + 1;
    let line = text.lines().nth(number - 1).unwrap_or_default();
    let name = name_in(line).map(|name| format!(" ({name})")).unwrap_or_default();
    format!("line {number}{name}: {}", without_values(message))
}

/// Returns the name that a line sets, or the table it opens.
fn name_in(line: &str) -> Option<&str> {
    let line = line.trim();
    let table = line.strip_prefix('[').and_then(|rest| rest.split(']').next());
    let name = table.or_else(|| line.split_once('=').map(|(name, _)| name))?.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let fits = (1..=40).contains(&name.len()) && name.chars().all(plain);
    (fits && !looks_like_a_key(name)).then_some(name)
}

/// Returns a parser's message without the values it quotes.
fn without_values(message: &str) -> String {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = message.split_once(", expected ").map(|(_, expected)| expected);
    let quotes = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "];
    match expected {
        Some(expected) if quotes.iter().any(|start| message.starts_with(start)) => {
            format!("the value cannot be used, expected {}", without_keys(expected))
        }
        _ => without_keys(&unquoted(&message)),
    }
}

/// Returns the text with everything in double quotes left out.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        let is_quote = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        if is_quote {
            quoted = !quoted;
            out.push_str(if quoted { "\"…" } else { "\"" });
        } else if !quoted {
            out.push(c);
        }
    }
    out
}

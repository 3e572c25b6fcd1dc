//! Text from models, files and users made safe for a terminal: it can neither
//! move the cursor, change colours, nor reverse what is read.

use std::borrow::Cow;

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

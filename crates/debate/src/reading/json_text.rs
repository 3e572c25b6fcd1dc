//! The characters of broken JSON: the real end of a string, its escapes, the
//! parts to skip. It looks ahead at most one key's length, so that every
//! character is seen a bounded number of times.

use super::{JsonRepair, LastToken, LenientReader, MAX_KEY, bare_key};

/// The role of a string, which decides what may follow it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StringRole {
    Key,
    Member,
    Item,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StringEnd {
    Closed,
    Cut,
}

pub(super) fn closing_quote(open: char) -> Option<char> {
    const QUOTES: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('“', '”'), ('`', '`')];
    QUOTES.iter().find(|(start, _)| *start == open).map(|(_, end)| *end)
}

impl<'a> LenientReader<'a> {
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn mend(&mut self, repair: JsonRepair) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    /// White space and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            let blank = rest.len() - trimmed.len();
            let comment = if trimmed.starts_with("//") {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
            } else {
                0
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
            self.mend(JsonRepair::Comment);
        }
    }

    /// A word that is no key, or one character that is no word.
    pub(super) fn skip_word(&mut self) {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        if length == 0 {
            self.bump();
        } else {
            self.at += length;
        }
    }

    /// Everything up to the bracket that closes the one standing here.
    pub(super) fn skip_nested(&mut self) {
        let mut depth = 0usize;
        let mut in_string = false;
        while let Some(c) = self.bump() {
            match c {
                '\\' if in_string => {
                    self.bump();
                }
                '"' => in_string = !in_string,
                '{' | '[' if !in_string => depth += 1,
                '}' | ']' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.last = LastToken::Value;
    }

    pub(super) fn string(&mut self, role: StringRole) -> (String, StringEnd) {
        let open = self.bump().unwrap_or('"');
        let close = closing_quote(open).unwrap_or(open);
        if open != '"' {
            self.mend(JsonRepair::Quotes);
        }
        let mut out = String::new();
        while let Some(c) = self.bump() {
            match c {
                '\\' => self.escape(&mut out),
                _ if c == close => {
                    if self.ends_here(role) {
                        return (out, StringEnd::Closed);
                    }
                    self.mend(JsonRepair::InnerQuote);
                    out.push(c);
                }
                _ => {
                    if c < ' ' {
                        self.mend(JsonRepair::LineBreak);
                    }
                    out.push(c);
                }
            }
        }
        (out, StringEnd::Cut)
    }

    /// Returns true if the quote just read closes its string, judged by what
    /// follows: models forget to escape quotes inside prose.
    fn ends_here(&self, role: StringRole) -> bool {
        let rest = self.rest();
        let after = rest.trim_start();
        let Some(next) = after.chars().next() else { return true };
        let new_line =
            rest.get(..rest.len() - after.len()).is_some_and(|blank| blank.contains('\n'));
        match (role, next) {
            (StringRole::Key, _) => matches!(next, ':' | ',' | '}'),
            (_, '}' | ']') => true,
            (_, '/') => after.starts_with("//") || after.starts_with("/*"),
            (_, '`') => new_line && after.starts_with("```"),
            (_, '"' | '\'') => new_line,
            (StringRole::Member, ',') => follows_member(after.get(1..).unwrap_or("").trim_start()),
            (StringRole::Item, ',') => {
                let item = after.get(1..).unwrap_or("").trim_start();
                item.is_empty()
                    || item.starts_with(['"', '\'', '“', '`', '{', '[', ']', '-', '/'])
                    || item.starts_with(|c: char| c.is_ascii_digit())
                    || ["true", "false", "null", "None"].iter().any(|word| item.starts_with(word))
            }
            _ => new_line && bare_key(after).is_some(),
        }
    }

    fn escape(&mut self, out: &mut String) {
        const PLAIN: [(char, char); 8] = [
            ('n', '\n'),
            ('t', '\t'),
            ('r', '\r'),
            ('b', '\u{8}'),
            ('f', '\u{c}'),
            ('"', '"'),
            ('\\', '\\'),
            ('/', '/'),
        ];
        // A backslash at the very end is half an escape and says nothing.
        let Some(c) = self.bump() else { return };
        if let Some((_, plain)) = PLAIN.iter().find(|(letter, _)| *letter == c) {
            out.push(*plain);
        } else if c == 'u' {
            self.unicode(out);
        } else {
            self.mend(JsonRepair::Escape);
            if c != '\'' {
                out.push('\\');
            }
            out.push(c);
        }
    }

    fn unicode(&mut self, out: &mut String) {
        let rest = self.rest();
        if rest.len() < 4 && rest.bytes().all(|b| b.is_ascii_hexdigit()) {
            self.at = self.text.len();
            return;
        }
        let Some(first) = hex4(rest) else {
            self.mend(JsonRepair::Escape);
            out.push_str("\\u");
            return;
        };
        let second = rest.get(4..).and_then(|rest| rest.strip_prefix("\\u")).and_then(hex4);
        let pair = second.filter(|low| (0xdc00..0xe000).contains(low));
        self.at += 4;
        if (0xd800..0xdc00).contains(&first)
            && let Some(low) = pair
        {
            self.at += 6;
            out.extend(char::decode_utf16([first, low]).filter_map(Result::ok));
        } else if let Some(c) = char::from_u32(u32::from(first)) {
            out.push(c);
        } else {
            // Half of a pair stands for no character at all.
            self.mend(JsonRepair::Escape);
        }
    }
}

fn hex4(text: &str) -> Option<u16> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

/// Returns true if this text can stand after the comma that ends an object's
/// member.
fn follows_member(text: &str) -> bool {
    let Some(close) = text.chars().next().and_then(closing_quote) else {
        return text.is_empty()
            || text.starts_with(['}', ']', ','])
            || text.starts_with("//")
            || text.starts_with("/*")
            || bare_key(text).is_some();
    };
    let mut quoted = text.char_indices().skip(1).take(MAX_KEY);
    match quoted.find(|(_, c)| *c == close || *c == '\n') {
        Some((end, c)) if c == close => {
            let rest = text.get(end + c.len_utf8()..).unwrap_or("").trim_start();
            rest.is_empty() || rest.starts_with(':')
        }
        Some(_) => false,
        // The text itself broke off inside the next key.
        None => text.chars().nth(MAX_KEY).is_none(),
    }
}

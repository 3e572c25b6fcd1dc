//! Finds the JSON object in a reply and reads it even if it is slightly broken:
//! fences and prose around it, trailing commas, wrong quotes, raw line breaks, a
//! cut end. Every repair is listed. It never guesses: a half number, a half key
//! or half a word from a fixed list is dropped, not completed. It keeps its own
//! stack of bounded depth and takes time linear in the text.

use super::tree::{Json, JsonMember, JsonObject};

/// Brackets deeper than this are dropped; no answer of ours has more than four.
const MAX_DEPTH: usize = 64;
/// The number of objects, none of them an answer, that are searched from the
/// inside. Each costs one more pass over the text, so that the whole stays
/// linear.
const MAX_RESTARTS: usize = 4;
/// The number of objects examined before the search gives up.
const MAX_OBJECTS: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonRepair {
    ByteOrderMark,
    Thoughts,
    Fence,
    Prose,
    Several,
    Encoded,
    Quotes,
    BareKey,
    BareValue,
    Literal,
    TrailingComma,
    MissingComma,
    LineBreak,
    InnerQuote,
    Escape,
    Comment,
    Bracket,
    Stray,
    Deep,
    Cut,
}

impl JsonRepair {
    pub(super) fn sentence(self) -> &'static str {
        match self {
            JsonRepair::ByteOrderMark => "a byte-order mark before the text was removed",
            JsonRepair::Thoughts => "a block of thoughts before the answer was set aside",
            JsonRepair::Fence => "the code fence around the JSON was removed",
            JsonRepair::Prose => "text around the JSON object was ignored",
            JsonRepair::Several => {
                "there was more than one JSON object; the fullest, then the last, was taken"
            }
            JsonRepair::Encoded => "the JSON was wrapped in a string and was unwrapped",
            JsonRepair::Quotes => "strings in other than double quotes were read",
            JsonRepair::BareKey => "keys without quotes were read",
            JsonRepair::BareValue => "values without quotes were read",
            JsonRepair::Literal => "words that are no JSON (True, None, NaN) were read",
            JsonRepair::TrailingComma => "a comma before a closing bracket was ignored",
            JsonRepair::MissingComma => "a missing comma was supplied",
            JsonRepair::LineBreak => "raw line breaks inside strings were kept",
            JsonRepair::InnerQuote => "unescaped quotes inside a string were kept",
            JsonRepair::Escape => "an escape that JSON does not know was kept as it stood",
            JsonRepair::Comment => "comments were ignored",
            JsonRepair::Bracket => "brackets that did not match were closed",
            JsonRepair::Stray => "stray characters between values were skipped",
            JsonRepair::Deep => "nesting deeper than 64 levels was dropped",
            JsonRepair::Cut => {
                "the text broke off; what was complete was kept and the brackets closed"
            }
        }
    }
}

pub(super) struct FoundJson<'t> {
    pub value: Json<'t>,
    pub repairs: Vec<JsonRepair>,
}

/// The kind of value to look for.
pub(super) struct JsonShape {
    /// The brackets it may begin with.
    pub opens: &'static [char],
    /// Scores the likeness of a value, no further than is enough; 0 means none.
    pub score: fn(&Json<'_>, usize) -> usize,
    /// Returns true if a string under this key is prose, of which a part is still
    /// worth having. Part of an id, a number or a fixed word would say something
    /// else.
    pub keeps_cut: fn(&str) -> bool,
}

pub(super) fn find<'t>(raw: &'t str, shape: &'t JsonShape) -> Option<FoundJson<'t>> {
    let text = raw.trim_start_matches('\u{feff}');
    let mut before = Vec::new();
    if text.len() != raw.len() {
        before.push(JsonRepair::ByteOrderMark);
    }
    let is_one = |value: &Json<'_>| (shape.score)(value, 1) > 0;
    let found = match serde_json::from_str::<Json<'_>>(text) {
        Ok(Json::String(inner)) => {
            before.push(JsonRepair::Encoded);
            let FoundJson { value, repairs } = match serde_json::from_str::<Json<'_>>(&inner) {
                Ok(value) if is_one(&value) => FoundJson { value, repairs: Vec::new() },
                _ => search(&inner, shape)?,
            };
            FoundJson { value: value.into_owned(), repairs }
        }
        Ok(value) if is_one(&value) => FoundJson { value, repairs: Vec::new() },
        _ => search(text, shape)?,
    };
    before.extend(found.repairs);
    Some(FoundJson { value: found.value, repairs: before })
}

/// Returns the text without a leading block of thoughts, if something follows it.
/// Only a leading one: further in, the tag may be part of the answer's words.
pub(super) fn without_thoughts(text: &str) -> &str {
    const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
    let start = text.trim_start();
    // A single sign is found sooner than a tag, and most texts hold none.
    let tags = if start.contains('<') { TAGS.as_slice() } else { &[] };
    for &(open, close) in tags {
        let opened = start.starts_with(open);
        // Some servers drop the opening tag; then no bracket may stand first.
        if (opened || !start.starts_with(['{', '[', '`', '"']))
            && let Some((thoughts, rest)) = start.split_once(close)
            && (opened || !thoughts.contains("{\""))
        {
            return rest;
        }
    }
    text
}

struct JsonCandidate<'t> {
    value: Json<'t>,
    repairs: Vec<JsonRepair>,
    /// Its length in bytes.
    length: usize,
}

fn search<'t>(text: &'t str, shape: &'t JsonShape) -> Option<FoundJson<'t>> {
    let body = without_thoughts(text);
    let mut best: Option<(usize, usize, JsonCandidate<'t>)> = None;
    let mut seen = 0;
    let mut restarts = MAX_RESTARTS;
    let mut at = 0;
    for _ in 0..MAX_OBJECTS {
        let Some(start) = next_start(body, at, shape) else { break };
        let candidate = read_at(body.get(start..).unwrap_or(""), shape);
        let score = (shape.score)(&candidate.value, usize::MAX);
        at = start + candidate.length.max(1);
        if score > 0 {
            seen += 1;
            if best.as_ref().is_none_or(|(best, _, _)| score >= *best) {
                best = Some((score, start, candidate));
            }
        } else if restarts > 0 {
            restarts -= 1;
            at = start + 1;
        }
    }
    let (_, start, candidate) = best?;
    let mut repairs = Vec::new();
    if body.len() != text.len() {
        repairs.push(JsonRepair::Thoughts);
    }
    let before = body.get(..start).unwrap_or("").trim();
    let after = body.get(start + candidate.length..).unwrap_or("").trim();
    if seen > 1 {
        repairs.push(JsonRepair::Several);
    } else if !is_fence(before) || !is_fence(after) {
        repairs.push(JsonRepair::Prose);
    } else if !before.is_empty() || !after.is_empty() {
        repairs.push(JsonRepair::Fence);
    }
    repairs.extend(candidate.repairs);
    Some(FoundJson { value: candidate.value, repairs })
}

fn is_fence(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix("```").is_some_and(|rest| rest.chars().all(char::is_alphanumeric))
}

/// Returns the position of the next bracket that can begin a value: prose is full
/// of brackets that cannot.
fn next_start(text: &str, from: usize, shape: &JsonShape) -> Option<usize> {
    let rest = text.get(from..)?;
    let mut brackets = rest.char_indices().filter(|(_, c)| shape.opens.contains(c));
    brackets.find_map(|(offset, c)| {
        let inside = rest.get(offset + c.len_utf8()..)?.trim_start();
        let plausible = match c {
            '{' => {
                inside.starts_with(['"', '\'', '“', '`', '}', '/']) || bare_key(inside).is_some()
            }
            _ => inside.starts_with(['{', '"', ']']),
        };
        plausible.then_some(from + offset)
    })
}

/// Returns the length of an unquoted key at the start of the text, if a colon
/// follows.
fn bare_key(text: &str) -> Option<usize> {
    let length = text
        .char_indices()
        .take(MAX_KEY)
        .find(|(_, c)| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-')))?
        .0;
    let colon = text.get(length..)?.trim_start().starts_with(':');
    (length > 0 && colon).then_some(length)
}

const MAX_KEY: usize = 64;

fn read_at<'t>(text: &'t str, shape: &'t JsonShape) -> JsonCandidate<'t> {
    let mut strict = serde_json::Deserializer::from_str(text).into_iter::<Json<'t>>();
    if let Some(Ok(value)) = strict.next() {
        return JsonCandidate { value, repairs: Vec::new(), length: strict.byte_offset() };
    }
    LenientReader {
        text,
        at: 0,
        stack: Vec::new(),
        last: LastToken::Open,
        repairs: Vec::new(),
        shape,
    }
    .read()
}

enum OpenBracket<'t> {
    Object { members: Vec<JsonMember<'t>>, key: Option<String> },
    Array(Vec<Json<'t>>),
}

impl<'t> OpenBracket<'t> {
    fn new(bracket: char) -> OpenBracket<'t> {
        match bracket {
            '[' => OpenBracket::Array(Vec::new()),
            _ => OpenBracket::Object { members: Vec::new(), key: None },
        }
    }

    fn closer(&self) -> char {
        match self {
            OpenBracket::Object { .. } => '}',
            OpenBracket::Array(_) => ']',
        }
    }

    fn add(&mut self, value: Json<'t>) {
        match self {
            OpenBracket::Object { members, key } => {
                members.extend(key.take().map(|key| JsonMember::new(key.into(), value)));
            }
            OpenBracket::Array(items) => items.push(value),
        }
    }

    fn close(self) -> Json<'t> {
        match self {
            OpenBracket::Object { members, .. } => Json::Object(JsonObject::of(members)),
            OpenBracket::Array(items) => Json::Array(items),
        }
    }
}

/// The last item inside the innermost bracket.
#[derive(PartialEq, Eq)]
enum LastToken {
    Open,
    Value,
    Comma,
}

/// The reader that repairs. Its stack is data, so no input can exhaust the
/// program's own.
pub(super) struct LenientReader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    stack: Vec<OpenBracket<'a>>,
    last: LastToken,
    repairs: Vec<JsonRepair>,
    shape: &'a JsonShape,
}

impl<'a> LenientReader<'a> {
    fn read(mut self) -> JsonCandidate<'a> {
        let first = self.bump().unwrap_or('{');
        self.stack.push(OpenBracket::new(first));
        loop {
            self.skip_blank();
            let Some(next) = self.peek() else { break };
            let done = match self.stack.last() {
                Some(OpenBracket::Object { key: None, .. }) => self.member(next),
                _ => self.value(next),
            };
            if let Some(value) = done {
                return JsonCandidate { value, repairs: self.repairs, length: self.at };
            }
        }
        self.mend(JsonRepair::Cut);
        let mut root = Json::Null;
        while let Some(open) = self.stack.pop() {
            root = open.close();
            if let Some(outer) = self.stack.last_mut() {
                outer.add(std::mem::replace(&mut root, Json::Null));
            }
        }
        JsonCandidate { value: root, repairs: self.repairs, length: self.at }
    }

    /// Reads a member of an object, at a place where a key is due.
    fn member(&mut self, next: char) -> Option<Json<'a>> {
        match next {
            '}' | ']' => return self.close(next),
            ',' => self.comma(),
            _ if closing_quote(next).is_some() => {
                if let (key, StringEnd::Closed) = self.string(StringRole::Key) {
                    self.key(key);
                }
            }
            _ => match bare_key(self.rest()) {
                Some(length) => {
                    let key = self.rest().get(..length).unwrap_or("").to_owned();
                    self.at += length;
                    self.mend(JsonRepair::BareKey);
                    self.key(key);
                }
                None => {
                    self.mend(JsonRepair::Stray);
                    self.skip_word();
                }
            },
        }
        None
    }

    fn key(&mut self, name: String) {
        self.skip_blank();
        if self.last == LastToken::Value {
            self.mend(JsonRepair::MissingComma);
        }
        if self.peek() == Some(':') {
            self.at += 1;
            if let Some(OpenBracket::Object { key, .. }) = self.stack.last_mut() {
                *key = Some(name);
            }
        } else {
            self.mend(JsonRepair::Stray);
        }
    }

    /// Reads a value that is due after a key or in an array.
    fn value(&mut self, next: char) -> Option<Json<'a>> {
        let in_array = matches!(self.stack.last(), Some(OpenBracket::Array(_)));
        match next {
            '}' | ']' => return self.close(next),
            ',' => {
                self.drop_key();
                self.comma();
                return None;
            }
            ':' => {
                self.mend(JsonRepair::Stray);
                self.at += 1;
                return None;
            }
            _ => {}
        }
        if in_array && self.last == LastToken::Value {
            self.mend(JsonRepair::MissingComma);
        }
        match next {
            '{' | '[' if self.stack.len() < MAX_DEPTH => {
                self.at += 1;
                self.last = LastToken::Open;
                self.stack.push(OpenBracket::new(next));
            }
            '{' | '[' => {
                self.mend(JsonRepair::Deep);
                self.skip_nested();
                self.drop_key();
            }
            _ if closing_quote(next).is_some() => {
                let role = if in_array { StringRole::Item } else { StringRole::Member };
                let (text, ended) = self.string(role);
                if ended == StringEnd::Closed || self.keeps_cut() {
                    self.add(Json::String(text.into()));
                } else {
                    self.drop_key();
                }
            }
            _ => self.bare_value(),
        }
        None
    }

    fn add(&mut self, value: Json<'a>) {
        if let Some(open) = self.stack.last_mut() {
            open.add(value);
        }
        self.last = LastToken::Value;
    }

    fn drop_key(&mut self) {
        if let Some(OpenBracket::Object { key, .. }) = self.stack.last_mut()
            && key.take().is_some()
        {
            self.last = LastToken::Value;
        }
    }

    fn comma(&mut self) {
        self.at += 1;
        if self.last != LastToken::Value {
            self.mend(JsonRepair::Stray);
        }
        self.last = LastToken::Comma;
    }

    fn close(&mut self, bracket: char) -> Option<Json<'a>> {
        self.at += 1;
        if !self.stack.iter().any(|open| open.closer() == bracket) {
            self.mend(JsonRepair::Bracket);
            return None;
        }
        if self.last == LastToken::Comma {
            self.mend(JsonRepair::TrailingComma);
        }
        while let Some(open) = self.stack.pop() {
            let matches = open.closer() == bracket;
            let value = open.close();
            if self.stack.is_empty() {
                return Some(value);
            }
            self.add(value);
            if matches {
                break;
            }
            self.mend(JsonRepair::Bracket);
        }
        None
    }

    fn keeps_cut(&self) -> bool {
        let key = self.stack.iter().rev().find_map(|open| match open {
            OpenBracket::Object { key: Some(key), .. } => Some(key),
            _ => None,
        });
        key.is_some_and(|key| (self.shape.keeps_cut)(key))
    }

    /// Reads a number, a literal, or words without quotes up to the end of a
    /// value.
    fn bare_value(&mut self) {
        let rest = self.rest();
        let mut before = ' ';
        let end = rest.char_indices().find(|(at, c)| {
            let comment = *c == '/' && before.is_whitespace() && *at > 0;
            before = *c;
            matches!(c, ',' | '}' | ']' | '\n') || comment
        });
        let Some((length, _)) = end else {
            self.at = self.text.len();
            return self.drop_key();
        };
        let word = rest.get(..length).unwrap_or("").trim();
        let value = match serde_json::from_str::<Json<'a>>(word) {
            Ok(value) => value,
            Err(_) => self.word_value(word),
        };
        self.at += length;
        self.add(value);
    }

    fn word_value(&mut self, word: &'a str) -> Json<'a> {
        const LITERALS: [(&str, Json<'static>); 9] = [
            ("True", Json::Bool(true)),
            ("TRUE", Json::Bool(true)),
            ("False", Json::Bool(false)),
            ("FALSE", Json::Bool(false)),
            ("None", Json::Null),
            ("undefined", Json::Null),
            ("NaN", Json::Null),
            ("Infinity", Json::Null),
            ("-Infinity", Json::Null),
        ];
        if let Some((_, value)) = LITERALS.iter().find(|(literal, _)| *literal == word) {
            self.mend(JsonRepair::Literal);
            return value.clone();
        }
        self.mend(JsonRepair::BareValue);
        Json::from(word)
    }
}

#[path = "json_text.rs"]
mod text;
use text::{StringEnd, StringRole, closing_quote};

//! The body of a request as it is put together: JSON whose long texts are borrowed and
//! whose schemas were written before, so that nothing is copied until it is sent.

use std::borrow::Cow;

use serde_json::Value;

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;

/// JSON that is still to be written. It comes out as [`serde_json`] would write it.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyPart<'a> {
    Text(Cow<'a, str>),
    /// JSON that is written already.
    Written(&'a str),
    List(Vec<BodyPart<'a>>),
    Object(Vec<(&'static str, BodyPart<'a>)>),
    Value(Value),
}

/// Room for what stands between the texts of a request.
const ROOM: usize = 1024;

impl<'a> BodyPart<'a> {
    /// Writes it, as compact JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = self.text_length();
        // Some bytes of most texts take two.
        let mut bytes = Vec::with_capacity(length + length / 8 + ROOM);
        self.write(&mut bytes);
        bytes
    }

    /// The bytes of its long parts.
    fn text_length(&self) -> usize {
        match self {
            BodyPart::Text(text) => text.len(),
            BodyPart::Written(json) => json.len(),
            BodyPart::List(items) => items.iter().map(BodyPart::text_length).sum(),
            BodyPart::Object(members) => members.iter().map(|(_, part)| part.text_length()).sum(),
            BodyPart::Value(_) => 0,
        }
    }

    fn write(&self, to: &mut Vec<u8>) {
        match self {
            BodyPart::Text(text) => write_text(text, to),
            BodyPart::Written(json) => to.extend_from_slice(json.as_bytes()),
            BodyPart::List(items) => {
                to.push(b'[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        to.push(b',');
                    }
                    item.write(to);
                }
                to.push(b']');
            }
            BodyPart::Object(members) => {
                to.push(b'{');
                for (at, (name, part)) in members.iter().enumerate() {
                    if at > 0 {
                        to.push(b',');
                    }
                    write_text(name, to);
                    to.push(b':');
                    part.write(to);
                }
                to.push(b'}');
            }
            BodyPart::Value(value) => to.extend_from_slice(value.to_string().as_bytes()),
        }
    }

    /// Takes a member out of an object.
    pub fn take(&mut self, name: &str) -> Option<BodyPart<'a>> {
        let BodyPart::Object(members) = self else { return None };
        let at = members.iter().position(|(known, _)| *known == name)?;
        Some(members.remove(at).1)
    }

    /// The list under a name of an object.
    pub fn list_mut(&mut self, name: &str) -> Option<&mut Vec<BodyPart<'a>>> {
        let BodyPart::Object(members) = self else { return None };
        match members.iter_mut().find(|(known, _)| *known == name)? {
            (_, BodyPart::List(items)) => Some(items),
            _ => None,
        }
    }

    /// What the server reads.
    #[cfg(test)]
    pub fn to_value(&self) -> Value {
        serde_json::from_slice(&self.to_bytes()).unwrap()
    }
}

impl<'a> From<&'a str> for BodyPart<'a> {
    fn from(text: &'a str) -> Self {
        BodyPart::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<Cow<'a, str>> for BodyPart<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        BodyPart::Text(text)
    }
}

impl<'a> From<Vec<BodyPart<'a>>> for BodyPart<'a> {
    fn from(items: Vec<BodyPart<'a>>) -> Self {
        BodyPart::List(items)
    }
}

impl From<Value> for BodyPart<'_> {
    fn from(value: Value) -> Self {
        BodyPart::Value(value)
    }
}

impl From<bool> for BodyPart<'_> {
    fn from(truth: bool) -> Self {
        BodyPart::Written(if truth { "true" } else { "false" })
    }
}

impl From<u32> for BodyPart<'_> {
    fn from(count: u32) -> Self {
        BodyPart::Value(count.into())
    }
}

impl From<f64> for BodyPart<'_> {
    fn from(number: f64) -> Self {
        BodyPart::Value(number.into())
    }
}

/// An object of these members.
pub(crate) fn object<'a, const N: usize>(
    members: [(&'static str, BodyPart<'a>); N],
) -> BodyPart<'a> {
    BodyPart::Object(members.into_iter().collect())
}

/// Puts the fields that are there into a request.
pub(crate) fn put<'a>(
    body: &mut BodyPart<'a>,
    fields: impl IntoIterator<Item = (&'static str, Option<BodyPart<'a>>)>,
) {
    if let BodyPart::Object(members) = body {
        let there = fields.into_iter().filter_map(|(name, part)| Some((name, part?)));
        members.extend(there);
    }
}

/// Writes a text with its quotes and escapes.
fn write_text(text: &str, to: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    to.push(b'"');
    let mut from = 0;
    while let Some(rest) = bytes.get(from..) {
        let Some(length) = plain_length(rest) else {
            to.extend_from_slice(rest);
            break;
        };
        let (plain, rest) = rest.split_at(length);
        to.extend_from_slice(plain);
        if let Some(special) = rest.first() {
            write_escaped(*special, to);
        }
        from += length + 1;
    }
    to.push(b'"');
}

fn write_escaped(byte: u8, to: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |four: u8| HEX.get(usize::from(four & 15)).copied().unwrap_or_default();
            to.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
            return;
        }
    };
    to.extend_from_slice(&[b'\\', short]);
}

const fn everywhere(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The number of bytes before the first that has to be escaped; `None` where none has to
/// be. Eight bytes are looked at together.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let found = specials(u64::from_le_bytes(*eight));
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let is_special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\');
    rest.iter().position(is_special).map(|place| at + place)
}

/// Marks the bytes that have to be escaped by their highest bit. Above the first of them
/// there may be marks too many: a borrow of the subtraction goes upwards.
fn specials(eight: u64) -> u64 {
    let zeros = |word: u64| word.wrapping_sub(everywhere(1)) & !word;
    let quotes = zeros(eight ^ everywhere(b'"'));
    let backslashes = zeros(eight ^ everywhere(b'\\'));
    let controls = eight.wrapping_sub(everywhere(0x20)) & !eight;
    (quotes | backslashes | controls) & everywhere(0x80)
}

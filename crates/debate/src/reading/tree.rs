//! A reply's JSON as a tree that borrows its words from the reply: of what is read, only
//! what an answer keeps is copied.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The most members of one object that are read: an answer has a dozen.
const MAX_MEMBERS: usize = 200;
/// An object with more members than this is searched for repeated keys by their hashes.
const FEW_MEMBERS: usize = 32;
/// Space for this many members is taken at once.
const USUAL_MEMBERS: usize = 8;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json<'t> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'t, str>),
    Array(Vec<Json<'t>>),
    Object(JsonObject<'t>),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct JsonObject<'t> {
    members: Vec<JsonMember<'t>>,
    /// A bit for the key mark of each member.
    marks: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct JsonMember<'t> {
    /// Unknown where the plain form of the key must be made to tell.
    mark: Option<u8>,
    key: Cow<'t, str>,
    value: Json<'t>,
}

/// A number below 64, the same for all keys with the same plain form: most names are told
/// from a key by it alone.
fn mark(first: Option<u8>, letters: usize) -> u8 {
    let first = first.map_or(0, |first| usize::from(first & 31));
    ((first * 5 + letters) & 63) as u8
}

/// The mark of a name that is in its plain form.
fn mark_of_name(name: &str) -> u8 {
    mark(name.bytes().next(), name.len())
}

fn mark_of_key(key: &str) -> Option<u8> {
    let mut letters = 0;
    let mut first = None;
    for byte in key.bytes() {
        if !byte.is_ascii() {
            return None;
        }
        if byte.is_ascii_alphanumeric() {
            first = first.or(Some(byte));
            letters += 1;
        }
    }
    Some(mark(first, letters))
}

impl<'t> JsonMember<'t> {
    pub fn new(key: Cow<'t, str>, value: Json<'t>) -> JsonMember<'t> {
        JsonMember { mark: mark_of_key(&key), key, value }
    }
}

impl<'t> JsonObject<'t> {
    /// Of members with the same key the last one's value counts, in the first one's place.
    pub fn of(members: Vec<JsonMember<'t>>) -> JsonObject<'t> {
        let members = if repeats_a_key(&members) { each_key_once(members) } else { members };
        let known = members.iter().take(MAX_MEMBERS);
        let marks = known.fold(0, |marks, one| marks | one.mark.map_or(u64::MAX, |it| 1 << it));
        JsonObject { members, marks }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json<'t>)> {
        self.members.iter().map(|member| (&*member.key, &member.value))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(key, _)| key)
    }

    /// The first member whose plain name stands in `names`, by the order of `names`, with
    /// the place of its name. The names are in lower case. A member that is null is none.
    pub fn named(&self, names: &[&str]) -> Option<(usize, &Json<'t>)> {
        names.iter().enumerate().find_map(|(place, name)| {
            let mark = mark_of_name(name);
            // Most names are those of no member.
            if self.marks >> mark & 1 == 0 {
                return None;
            }
            let mut members = self.members.iter().take(MAX_MEMBERS);
            let found = members.find(|member| {
                // With the same mark, a key spelled like the name has no other signs in it.
                let spelled = || member.mark.is_some() && *member.key == **name;
                member.mark.is_none_or(|it| it == mark)
                    && !member.value.is_null()
                    && (spelled() || is_named(&member.key, name))
            })?;
            Some((place, &found.value))
        })
    }
}

/// A bit for the letter or digit that the plain form of a text begins with; none if its
/// first byte does not tell.
fn first_letter(text: &str) -> u64 {
    text.as_bytes().first().map_or(0, |byte| LETTERS[usize::from(*byte)])
}

static LETTERS: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => 1 << (byte & 31),
            b'0'..=b'9' => 1 << (byte - b'0' + 32),
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// Returns true if `plain(key) == name`, without making the plain name: this runs
/// for every key under every name.
pub(super) fn is_named(key: &str, name: &str) -> bool {
    // Nearly every key is another name's, which most often its first letter tells.
    if first_letter(key) & !first_letter(name) != 0 {
        return false;
    }
    // Most keys that are meant are spelled so but for capitals.
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if key.eq_ignore_ascii_case(name) && name.bytes().all(is_plain) {
        return true;
    }
    if key.is_ascii() {
        if key.len() < name.len() {
            return false;
        }
        let mut wanted = name.bytes();
        let mut letters = key.bytes().filter(u8::is_ascii_alphanumeric);
        return letters.all(|letter| wanted.next() == Some(letter.to_ascii_lowercase()))
            && wanted.next().is_none();
    }
    let mut wanted = name.chars();
    let mut letters = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.all(|letter| wanted.next() == Some(letter)) && wanted.next().is_none()
}

fn repeats_a_key(members: &[JsonMember<'_>]) -> bool {
    members.len() > FEW_MEMBERS
        || members.iter().enumerate().any(|(place, member)| {
            let before = members.get(..place).unwrap_or_default();
            before.iter().any(|other| other.mark == member.mark && other.key == member.key)
        })
}

fn each_key_once(members: Vec<JsonMember<'_>>) -> Vec<JsonMember<'_>> {
    let mut places: HashMap<Cow<'_, str>, usize> = HashMap::new();
    let mut kept: Vec<JsonMember<'_>> = Vec::with_capacity(members.len());
    for member in members {
        match places.entry(member.key.clone()) {
            Entry::Occupied(place) => kept[*place.get()].value = member.value,
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(member);
            }
        }
    }
    kept
}

impl<'t> Json<'t> {
    pub fn as_object(&self) -> Option<&JsonObject<'t>> {
        if let Json::Object(object) = self { Some(object) } else { None }
    }

    pub fn as_array(&self) -> Option<&Vec<Json<'t>>> {
        if let Json::Array(items) = self { Some(items) } else { None }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    pub fn as_f64(&self) -> Option<f64> {
        if let Json::Number(number) = self { number.as_f64() } else { None }
    }

    pub fn as_u64(&self) -> Option<u64> {
        if let Json::Number(number) = self { number.as_u64() } else { None }
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(is) = self { Some(*is) } else { None }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    pub fn is_string(&self) -> bool {
        matches!(self, Json::String(_))
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Json::Number(_))
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Json::Object(_))
    }

    /// The same tree, independent of the text that it was read from.
    pub fn into_owned(self) -> Json<'static> {
        let member = |one: JsonMember<'_>| JsonMember {
            mark: one.mark,
            key: Cow::Owned(one.key.into_owned()),
            value: one.value.into_owned(),
        };
        match self {
            Json::Null => Json::Null,
            Json::Bool(is) => Json::Bool(is),
            Json::Number(number) => Json::Number(number),
            Json::String(text) => Json::String(Cow::Owned(text.into_owned())),
            Json::Array(items) => Json::Array(items.into_iter().map(Json::into_owned).collect()),
            Json::Object(JsonObject { members, marks }) => {
                let members = members.into_iter().map(member).collect();
                Json::Object(JsonObject { members, marks })
            }
        }
    }

    /// The same value for those who need the common form.
    pub fn to_value(&self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(is) => Value::Bool(*is),
            Json::Number(number) => Value::Number(number.clone()),
            Json::String(text) => Value::String(text.to_string()),
            Json::Array(items) => Value::Array(items.iter().map(Json::to_value).collect()),
            Json::Object(object) => {
                let members = object.iter().map(|(key, value)| (key.to_owned(), value.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }
}

impl<'t> From<&'t str> for Json<'t> {
    fn from(text: &'t str) -> Json<'t> {
        Json::String(Cow::Borrowed(text))
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, is: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(is))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::from(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
        let mut members = Vec::with_capacity(USUAL_MEMBERS);
        while let Some((Key(key), value)) = map.next_entry()? {
            members.push(JsonMember::new(key, value));
        }
        Ok(Json::Object(JsonObject::of(members)))
    }
}

#[derive(Deserialize)]
struct Key<'t>(#[serde(borrow)] Cow<'t, str>);

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;

//! The names of participants in a view. In named views this is the seat's name;
//! in anonymous ones it is "Participant k", in an order drawn again for every
//! round and reader. An answer's own words are not rewritten: only a seat's name
//! used as a name, and a model that speaks of itself, are masked.

use std::borrow::Cow;
use std::cell::Cell;
use std::hash::Hasher;
use std::rc::Rc;

use siphasher::sip::SipHasher13;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::model::{Fence, Room, Round, SeatId, SeatNaming, fence_keys};
use crate::sorting::SortRows;

use super::ViewReader;

/// The replacement for a name.
const SOMEONE: &str = "a participant";

/// Words after which a name is an ordinary word: "a script", "the judge".
const ARTICLES: [&str; 3] = ["a", "an", "the"];
/// How a model begins to speak of itself.
const SELF_WORDS: [&str; 4] = ["as", "i am", "i'm", "i’m"];

pub(super) struct SeatNames<'a> {
    room: &'a Room,
    fence: &'a Fence,
    reader: SeatId,
    naming: SeatNaming,
    keys: (u64, u64),
    /// In anonymous views, the names that texts are rid of.
    hidden: Option<Rc<HiddenNames>>,
    /// The name of each seat on one line, in named views.
    called: Vec<Cow<'a, str>>,
    /// True if all names read the same behind every fence.
    named_alike: bool,
    /// True while all texts since it was last set read the same behind every fence.
    alike: Cell<bool>,
}

/// Names that stand in no text of an anonymous view.
#[derive(Debug)]
pub(super) struct HiddenNames {
    /// Seats' names, and models that speak of themselves, longest first.
    names: Vec<HiddenName>,
    /// For each byte with which a hidden name may begin in a text, the bytes that
    /// may come next, by their five low bits.
    starts: [u32; 256],
    /// True if they read the same behind every fence.
    alike: bool,
}

#[derive(Debug)]
struct HiddenName {
    /// The words before the name that stay: "as " of "as Claude".
    kept: usize,
    letters: Vec<char>,
    /// The same in bytes where all of them are ASCII.
    ascii: Option<String>,
    exact: bool,
}

impl<'a> SeatNames<'a> {
    pub fn of(reader: &ViewReader<'a>) -> SeatNames<'a> {
        let naming = reader.plan.view.naming;
        let (room, key) = (reader.room, &reader.room.brief.fence_key);
        let anonymous = naming == SeatNaming::Anonymous;
        let shared = || {
            let names = HiddenNames::of(room, reader.fence);
            let alike = names.alike;
            (names, alike)
        };
        let hidden = anonymous.then(|| reader.shared.hidden.get_or_make((), shared));
        let called: Vec<_> = if anonymous {
            Vec::new()
        } else {
            room.seats.iter().map(|seat| reader.fence.one_line(&seat.name)).collect()
        };
        let named_alike = hidden.as_ref().is_none_or(|names| names.alike)
            && called.iter().all(|name| Fence::is_alike(name));
        SeatNames {
            room,
            fence: reader.fence,
            reader: reader.seat,
            naming,
            keys: if anonymous { fence_keys(key) } else { (0, 0) },
            hidden,
            called,
            named_alike,
            alike: Cell::new(true),
        }
    }

    /// Returns what `make` makes, and true if it is the same for every reader as far as
    /// fences and names go.
    pub fn alike_for_all<T>(&self, make: impl FnOnce() -> T) -> (T, bool) {
        let before = self.alike.replace(self.named_alike);
        let made = make();
        let alike = self.alike.get();
        self.alike.set(before && alike);
        (made, alike)
    }

    pub fn anonymous(&self) -> bool {
        self.naming == SeatNaming::Anonymous
    }

    /// Puts seats into the order in which this reader meets them in a round.
    pub fn arrange(&self, round: Round, seats: &mut [SeatId]) {
        if self.anonymous() {
            seats.sort_by_cached_key(|seat| self.draw(round, *seat));
        }
    }

    /// Returns the name of a seat in a round.
    pub fn seat(&self, round: Round, seat: SeatId) -> Cow<'a, str> {
        if self.anonymous() {
            let own = self.draw(round, seat);
            let before = self
                .room
                .seats
                .iter()
                .filter(|other| other.id != seat && self.draw(round, other.id) < own);
            return Cow::Owned(format!("Participant {}", before.count() + 1));
        }
        self.called.get(seat.index()).cloned().unwrap_or(Cow::Borrowed("somebody"))
    }

    /// Draws a lot for this reader alone, which cannot be foreseen without the
    /// key.
    fn draw(&self, round: Round, seat: SeatId) -> u64 {
        self.hash([1 + self.reader.0 as u64, u64::from(round), seat.0 as u64])
    }

    /// Draws a lot for all readers of a round, to put equals into an order that
    /// does not reveal their seats.
    pub fn lot(&self, round: Round, number: u32) -> u64 {
        self.hash([0, u64::from(round), u64::from(number)])
    }

    fn hash(&self, numbers: [u64; 3]) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.keys.0, self.keys.1);
        numbers.iter().for_each(|number| hasher.write_u64(*number));
        hasher.finish()
    }

    /// Returns a foreign text as this reader may see it: neutralised, and without
    /// names in an anonymous view.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.shown(self.fence.neutralise(text.trim()))
    }

    /// The same on one line.
    pub fn line<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.shown(self.fence.one_line(text))
    }

    fn shown<'t>(&self, neutral: Cow<'t, str>) -> Cow<'t, str> {
        if self.alike.get() && !Fence::is_alike(&neutral) {
            self.alike.set(false);
        }
        self.without_names(neutral)
    }

    fn without_names<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        let Some(hidden) = self.hidden.as_ref().filter(|it| !it.names.is_empty()) else {
            return text;
        };
        if text.is_empty() {
            return text;
        }
        // One spelling of each letter, so that a name cannot hide behind another.
        let text = if text.is_ascii() || text.chars().all(stays_composed) || is_nfc(&text) {
            text
        } else {
            Cow::Owned(text.nfc().collect())
        };
        match hidden.strike(&text) {
            Some(struck) => Cow::Owned(struck),
            None => text,
        }
    }
}

impl HiddenNames {
    fn of(room: &Room, fence: &Fence) -> HiddenNames {
        let mut alike = true;
        let composed = |name: &str| {
            let name = fence.one_line(name);
            alike &= Fence::is_alike(&name);
            if name.is_ascii() { name.into_owned() } else { name.nfc().collect() }
        };
        let names = hidden(room, composed);
        HiddenNames { starts: starts(&names), names, alike }
    }

    /// Returns the text with every hidden name struck out; `None` if it holds
    /// none.
    fn strike(&self, text: &str) -> Option<String> {
        let bytes = text.as_bytes();
        let nexts = |byte: u8| self.starts.get(usize::from(byte)).copied().unwrap_or(u32::MAX);
        let mut out = String::new();
        let (mut from, mut at) = (0, 0);
        while let Some(skipped) =
            bytes.get(at..).and_then(|rest| rest.iter().position(|byte| nexts(*byte) != 0))
        {
            at += skipped;
            let byte_at = |place: usize| bytes.get(place).copied().unwrap_or_default();
            let unlikely = nexts(byte_at(at)) >> (byte_at(at + 1) & 31) & 1 == 0;
            let before = at.checked_sub(1).map_or(b' ', byte_at);
            // Most places are skipped here: in the middle of a word, or no name
            // has these two letters.
            if unlikely || (before.is_ascii_alphanumeric() && byte_at(at).is_ascii_alphanumeric()) {
                at += 1;
                continue;
            }
            // Inside of a character there is nothing to cut.
            let Some((done, rest)) = text.split_at_checked(at) else {
                at += 1;
                continue;
            };
            let start = rest.chars().next()?;
            let inside = done.chars().next_back().is_some_and(|before| same_word(before, start));
            let name = if inside { None } else { self.name_at(rest, done) };
            let Some((length, kept)) = name else {
                at += start.len_utf8();
                continue;
            };
            out.push_str(text.get(from..at + kept)?);
            out.push_str(SOMEONE);
            at += length;
            from = at;
        }
        if from == 0 {
            return None;
        }
        out.push_str(text.get(from..)?);
        Some(out)
    }

    /// The length of the name at the start of `rest`, and of the words before it
    /// that stay. `done`: the text before it.
    fn name_at(&self, rest: &str, done: &str) -> Option<(usize, usize)> {
        let name = self.names.iter().find_map(|name| Some((name.length_of(rest)?, name.kept)))?;
        let before = done.strip_suffix(' ').map(|done| done.rsplit([' ', '\n']).next());
        let article = before
            .flatten()
            .is_some_and(|word| ARTICLES.iter().any(|article| word.eq_ignore_ascii_case(article)));
        (name.1 > 0 || !article).then_some(name)
    }
}

/// Returns true if a character is the same in every normal form that composes,
/// regardless of its neighbours. Most text is decided here, before the long
/// tables are needed.
pub(super) fn stays_composed(char: char) -> bool {
    matches!(char,
        '\0'..='\u{2ff}' | '\u{400}'..='\u{482}' | '\u{621}'..='\u{64a}' | '\u{2010}'..='\u{2027}'
        | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff5e}' | '\u{1f300}'..='\u{1faff}')
}

/// `composed`: how a foreign name is brought to one spelling.
fn hidden(room: &Room, mut composed: impl FnMut(&str) -> String) -> Vec<HiddenName> {
    let seats = room.seats.iter().map(|seat| seat.name.as_str());
    let agents = room.brief.agents.iter();
    let named = agents.clone().map(|agent| agent.name.as_str());
    let mut found: Vec<HiddenName> = Vec::new();
    let mut enter = |kept: usize, text: String, exact: bool| {
        let letters: Vec<char> =
            if exact { text.chars().collect() } else { text.chars().flat_map(lower).collect() };
        let known = |other: &HiddenName| other.letters == letters && other.exact == exact;
        if letters.len() > kept && !found.iter().any(known) {
            let ascii = letters.iter().all(char::is_ascii).then(|| letters.iter().collect());
            found.push(HiddenName { kept, letters, ascii, exact });
        }
    };
    for name in seats.chain(named).map(&mut composed) {
        // A name of plain letters may be an ordinary word: it counts as a name
        // only with its capital.
        let plain = name.chars().all(|letter| letter.is_ascii_alphabetic());
        enter(0, if plain { capitalised(&name) } else { name }, plain);
    }
    let models = agents.flat_map(|agent| {
        let family = agent.family.as_deref();
        [Some(agent.model.as_str()), Some(agent.provider.as_str()), family]
    });
    let recent = room.rounds.iter().rev().take(4).flat_map(|round| round.answered());
    let answered = recent.map(|turn| Some(turn.model.as_str()));
    for name in models.chain(answered).flatten().map(&mut composed) {
        for words in SELF_WORDS {
            if !name.is_empty() {
                enter(words.len() + 1, format!("{words} {name}"), false);
            }
        }
    }
    found.sort_rows_by_key(|name| std::cmp::Reverse(name.letters.len()));
    found
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The pairs of bytes that may begin a hidden name, in either case.
fn starts(hidden: &[HiddenName]) -> [u32; 256] {
    let mut starts = [0; 256];
    for name in hidden {
        let mut letters = name.letters.iter();
        let Some(first) = letters.next() else { continue };
        // Low bits are the same in both cases of a letter.
        let next = match (letters.next(), &name.ascii) {
            (Some(second), Some(_)) => 1 << (*second as u32 & 31),
            _ => u32::MAX,
        };
        for case in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
            if let Some(bits) = starts.get_mut(case as usize).filter(|_| case.is_ascii()) {
                *bits |= next;
            }
        }
        if name.ascii.is_none() {
            // Some letter that is not ASCII may become the first one in lower case.
            starts.iter_mut().skip(0x80).for_each(|bits| *bits = u32::MAX);
        }
    }
    starts
}

fn lower(char: char) -> std::char::ToLowercase {
    char.to_lowercase()
}

impl HiddenName {
    /// Returns the number of bytes at the start of `rest` that are this name,
    /// standing as a word.
    fn length_of(&self, rest: &str) -> Option<usize> {
        if let Some(name) = self.ascii.as_deref() {
            let bytes = rest.as_bytes().get(..name.len())?;
            let fits = if self.exact {
                bytes == name.as_bytes()
            } else {
                bytes.eq_ignore_ascii_case(name.as_bytes())
            };
            let last = char::from(*bytes.last()?);
            return if fits { self.as_word(rest, bytes.len(), last) } else { None };
        }
        let mut letters = self.letters.iter().copied();
        let mut end = 0;
        let mut last = ' ';
        for char in rest.chars() {
            let fits = if self.exact {
                letters.next() == Some(char)
            } else {
                lower(char).all(|letter| letters.next() == Some(letter))
            };
            if !fits {
                return None;
            }
            (end, last) = (end + char.len_utf8(), char);
            if letters.len() == 0 {
                break;
            }
        }
        if letters.len() > 0 { None } else { self.as_word(rest, end, last) }
    }

    /// Returns the end of the name in `rest`, if a word ends there.
    fn as_word(&self, rest: &str, end: usize, last: char) -> Option<usize> {
        let mut after = rest.get(end..)?.chars();
        match after.next() {
            // "Ada's" and "Adas" give Ada away as much as "Ada".
            Some('s') if !self.exact && !after.next().is_some_and(|c| same_word(last, c)) => {
                Some(end + 1)
            }
            Some(next) if same_word(last, next) => None,
            _ => Some(end),
        }
    }
}

/// Returns true if two neighbours are inside one word. Scripts without blanks
/// have no word ends: there a name may stand anywhere.
fn same_word(one: char, next: char) -> bool {
    let spaced = |char: char| char.is_alphanumeric() && char < '\u{e00}';
    spaced(one) && spaced(next)
}

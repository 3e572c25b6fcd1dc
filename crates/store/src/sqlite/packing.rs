//! How the text of an event lies in the file. A text that gets shorter by it is compressed: what
//! models write takes half of its space then, and what the program notes about it a third, so that
//! a commit writes fewer pages. The hash of an entry is over its text, so bytes that no longer
//! unpack to what was written are found like any other damage.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// Begins compressed bytes and names the dictionary they need. No event's text begins so.
const MARK: u8 = 1;
/// The length of the text follows the mark.
const HEAD: usize = 5;
/// What the texts of events have in common. Files are full of texts that need it, so it is never
/// edited; a better one would have a mark of its own.
const DICTIONARY: &[u8] = include_bytes!("../../assets/event-words-1.txt");
const WINDOW_BITS: u8 = 15;
/// The quickest but one: it takes half again the time of the first for a fifth less space.
const LEVEL: u32 = 2;
const SHORTEST: usize = 96;
const ROOM: usize = 1_024;
/// A longer text is stored as it is, so that no few bytes unpack to more.
const LONGEST: usize = 64 << 20;
/// Deflate makes no text shorter than this part of it.
const MOST_TIMES: usize = 1_032;
/// Listings look into these by SQL.
const PLAIN: [&str; 2] = ["opened", "domainNamed"];

/// Compresses one text after the other.
pub(crate) struct EventPacker {
    deflate: Compress,
}

impl Default for EventPacker {
    fn default() -> EventPacker {
        let level = Compression::new(LEVEL);
        EventPacker { deflate: Compress::new_with_window_bits(level, false, WINDOW_BITS) }
    }
}

impl EventPacker {
    /// Returns the bytes for the text of an event of this kind; `None` where the text itself is to
    /// be stored.
    pub(crate) fn pack(&mut self, kind: &str, json: &str) -> Option<Vec<u8>> {
        if !(SHORTEST..=LONGEST).contains(&json.len()) || PLAIN.contains(&kind) {
            return None;
        }
        let length = u32::try_from(json.len()).ok()?;
        // Room for the worst: the library fails where it runs out of it.
        let mut packed = Vec::with_capacity(json.len() + json.len() / 8 + ROOM);
        packed.push(MARK);
        packed.extend(length.to_le_bytes());
        self.deflate.reset();
        self.deflate.set_dictionary(DICTIONARY).ok()?;
        let done =
            self.deflate.compress_vec(json.as_bytes(), &mut packed, FlushCompress::Finish).ok()?;
        let is_shorter = packed.len() < json.len() - json.len() / 8;
        (done == Status::StreamEnd && is_shorter).then(|| packed.as_slice().into())
    }
}

/// Unpacks one stored text after the other.
pub(crate) struct EventUnpacker {
    inflate: Decompress,
}

impl Default for EventUnpacker {
    fn default() -> EventUnpacker {
        EventUnpacker { inflate: Decompress::new_with_window_bits(false, WINDOW_BITS) }
    }
}

impl EventUnpacker {
    /// Returns the text of stored bytes, if they can be unpacked.
    pub(crate) fn unpack(&mut self, stored: Vec<u8>) -> Option<Vec<u8>> {
        if stored.first() != Some(&MARK) {
            return Some(stored);
        }
        let (head, packed) = stored.split_at_checked(HEAD)?;
        let length = u32::from_le_bytes(head[1..].try_into().ok()?) as usize;
        // A damaged length is not to take the memory of the process.
        if length > LONGEST.min(packed.len().saturating_mul(MOST_TIMES)) {
            return None;
        }
        let mut text = Vec::with_capacity(length);
        self.inflate.reset(false);
        self.inflate.set_dictionary(DICTIONARY).ok()?;
        let done = self.inflate.decompress_vec(packed, &mut text, FlushDecompress::Finish).ok()?;
        (done == Status::StreamEnd && text.len() == length).then_some(text)
    }
}

#[cfg(test)]
#[path = "packing_tests.rs"]
mod tests;

//! How the text of an event lies in the file. A text that gets shorter by it is compressed: what
//! models write takes half of its space then, and what the program notes about it a third, so that
//! a commit writes fewer pages. The hash of an entry is over its text, so bytes that no longer
//! unpack to what was written are found like any other damage.

use flate2::{Decompress, FlushDecompress, Status};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

/// The first of compressed bytes says how they are compressed and which dictionary they need. No
/// event's text begins so.
const DEFLATED: u8 = 1;
const ZSTANDARD: u8 = 2;
/// The length of the text follows the mark.
const HEAD: usize = 5;
/// What the texts of events have in common. Files are full of texts that need it, so it is never
/// edited; a better one would have a mark of its own.
const DICTIONARY: &[u8] = include_bytes!("../../assets/event-words-1.txt");
/// Of deflate.
const WINDOW_BITS: u8 = 15;
/// The quickest level at which a text gets as short as by deflate, in a third of its time.
const LEVEL: i32 = 1;
const SHORTEST: usize = 96;
/// A longer text is stored as it is, so that no few bytes unpack to more.
const LONGEST: usize = 64 << 20;
/// A text that would get shorter than this part of it is stored as it is, for the same reason.
const MOST_TIMES: usize = 1_032;
/// Listings look into these by SQL.
const PLAIN: [&str; 2] = ["opened", "domainNamed"];

/// Compresses one text after the other.
#[derive(Default)]
pub(crate) struct EventPacker {
    compressor: Option<Compressor<'static>>,
}

impl EventPacker {
    /// Returns the bytes for the text of an event of this kind; `None` where the text itself is to
    /// be stored.
    pub(crate) fn pack(&mut self, kind: &str, json: &str) -> Option<Vec<u8>> {
        if !(SHORTEST..=LONGEST).contains(&json.len()) || PLAIN.contains(&kind) {
            return None;
        }
        let length = u32::try_from(json.len()).ok()?;
        if self.compressor.is_none() {
            self.compressor = compressor();
        }
        let packed = self.compressor.as_mut()?.compress(json.as_bytes()).ok()?;
        let is_shorter = HEAD + packed.len() < json.len() - json.len() / 8;
        if !is_shorter || json.len() > packed.len().saturating_mul(MOST_TIMES) {
            return None;
        }
        let mut stored = Vec::with_capacity(HEAD + packed.len());
        stored.push(ZSTANDARD);
        stored.extend(length.to_le_bytes());
        stored.extend(packed);
        Some(stored)
    }
}

/// The length, the dictionary and a hash of the text are known without the frame naming them.
fn compressor() -> Option<Compressor<'static>> {
    let mut compressor = Compressor::with_dictionary(LEVEL, DICTIONARY).ok()?;
    for unneeded in [
        CParameter::ContentSizeFlag(false),
        CParameter::DictIdFlag(false),
        CParameter::ChecksumFlag(false),
    ] {
        compressor.set_parameter(unneeded).ok()?;
    }
    Some(compressor)
}

/// Unpacks one stored text after the other.
#[derive(Default)]
pub(crate) struct EventUnpacker {
    decompressor: Option<Decompressor<'static>>,
    /// For the texts of earlier programs.
    inflate: Option<Decompress>,
}

impl EventUnpacker {
    /// Returns the text of stored bytes, if they can be unpacked.
    pub(crate) fn unpack(&mut self, stored: Vec<u8>) -> Option<Vec<u8>> {
        let mark = *stored.first().unwrap_or(&0);
        if ![DEFLATED, ZSTANDARD].contains(&mark) {
            return Some(stored);
        }
        let (head, packed) = stored.split_at_checked(HEAD)?;
        let length = u32::from_le_bytes(head[1..].try_into().ok()?) as usize;
        // A damaged length is not to take the memory of the process.
        if length > LONGEST.min(packed.len().saturating_mul(MOST_TIMES)) {
            return None;
        }
        let text = if mark == DEFLATED {
            self.inflated(packed, length)
        } else {
            if self.decompressor.is_none() {
                self.decompressor = Decompressor::with_dictionary(DICTIONARY).ok();
            }
            self.decompressor.as_mut()?.decompress(packed, length).ok()
        };
        text.filter(|text| text.len() == length)
    }

    fn inflated(&mut self, packed: &[u8], length: usize) -> Option<Vec<u8>> {
        let new = || Decompress::new_with_window_bits(false, WINDOW_BITS);
        let inflate = self.inflate.get_or_insert_with(new);
        let mut text = Vec::with_capacity(length);
        inflate.reset(false);
        inflate.set_dictionary(DICTIONARY).ok()?;
        let done = inflate.decompress_vec(packed, &mut text, FlushDecompress::Finish).ok()?;
        (done == Status::StreamEnd).then_some(text)
    }
}

#[cfg(test)]
#[path = "packing_tests.rs"]
mod tests;

//! What was packed comes back to the letter, and damaged bytes come back as nothing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;

use super::*;

/// The hash (BLAKE3) of the words that files were packed with.
const WORDS_HASH: &str = "1669c10a353e81441dbf8acfa1d930fae8b229d3407fc944c6e1e9f35972f63d";

fn packed(kind: &str, text: &str) -> Option<Vec<u8>> {
    EventPacker::default().pack(kind, text)
}

fn unpacked(stored: Vec<u8>) -> Option<Vec<u8>> {
    EventUnpacker::default().unpack(stored)
}

#[test]
fn the_words_that_files_were_packed_with_were_never_edited() {
    assert_eq!(blake3::hash(DICTIONARY).to_hex().as_str(), WORDS_HASH);
}

#[test]
fn bytes_of_an_earlier_program_are_unpacked() {
    let line = include_str!("../../tests/data/log-v1.jsonl")
        .lines()
        .find(|line| line.contains("\"answered\""));
    let deflated = include_bytes!("../../tests/data/packed-1.bin");
    let zstandard = include_bytes!("../../tests/data/packed-2.bin");
    for (stored, mark) in [(&deflated[..], DEFLATED), (zstandard, ZSTANDARD)] {
        assert_eq!(stored[0], mark);
        let text = String::from_utf8(unpacked(stored.to_vec()).unwrap()).unwrap();
        assert_eq!(Some(text.as_str()), line);
    }
}

#[test]
fn bytes_of_both_kinds_are_unpacked_in_any_order() {
    let (mut packer, mut unpacker) = (EventPacker::default(), EventUnpacker::default());
    let deflated = include_bytes!("../../tests/data/packed-1.bin");
    for number in 0..3 {
        let text = format!("{{\"type\":\"summarised\",\"round\":{number},{:200}}}", "");
        let stored = packer.pack("summarised", &text).unwrap();
        assert_eq!(unpacker.unpack(stored).unwrap(), text.as_bytes());
        assert_eq!(unpacker.unpack(deflated.to_vec()), unpacked(deflated.to_vec()));
    }
}

#[test]
fn a_text_that_hardly_needs_bytes_is_stored_as_it_is() {
    let text = "a".repeat(MOST_TIMES * 1_000);
    assert_eq!(packed("answered", &text), None);
}

#[test]
fn texts_that_listings_look_into_and_short_ones_stay_as_they_are() {
    let long = format!("{{\"type\":\"opened\",\"topic\":\"{}\"}}", "a".repeat(500));
    for kind in PLAIN {
        assert_eq!(packed(kind, &long), None, "{kind}");
    }
    assert!(packed("answered", &long).unwrap().len() < long.len() / 4);
    assert_eq!(packed("started", "{\"type\":\"started\"}"), None);
}

#[test]
fn letters_in_no_order_do_not_disturb_what_follows() {
    let mut packer = EventPacker::default();
    for length in [100, 5_000, 70_000, 1_000_000] {
        let noise = proof::noise(length);
        if let Some(stored) = packer.pack("answered", &noise) {
            assert_eq!(unpacked(stored).unwrap(), noise.as_bytes());
        }
        let bytes: String = noise.chars().map(|one| char::from(one as u8 | 0x80)).collect();
        assert!(packer.pack("answered", &bytes).is_none_or(|stored| stored.len() < bytes.len()));
        let plain = "word after word ".repeat(20);
        assert_eq!(unpacked(packer.pack("answered", &plain).unwrap()).unwrap(), plain.as_bytes());
    }
}

#[test]
fn a_length_that_no_text_can_have_is_refused() {
    let mut stored = packed("answered", &"long ".repeat(100)).unwrap();
    stored[4] = 0xff;
    assert_eq!(unpacked(stored), None);
    assert_eq!(unpacked(vec![ZSTANDARD, 0, 0]), None);
    assert_eq!(packed("answered", &"long ".repeat(LONGEST / 5 + 1)), None);
}

proptest! {
    #[test]
    fn what_was_packed_comes_back(texts in prop::collection::vec("(\\PC{0,40}|word |\"confidence\":){0,60}", 1..5)) {
        let (mut packer, mut unpacker) = (EventPacker::default(), EventUnpacker::default());
        for text in &texts {
            let Some(stored) = packer.pack("answered", text) else { continue };
            prop_assert!(stored.len() < text.len());
            prop_assert_eq!(unpacker.unpack(stored).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn damage_is_noticed_or_changes_the_text(
        at in 0_usize..400, bit in 0_u8..8, is_deflated in any::<bool>(),
    ) {
        let text = (0..90).map(|n| format!("reason {n} ")).collect::<String>();
        let mut stored = packed("answered", &text).unwrap();
        if is_deflated {
            stored[0] = DEFLATED;
        }
        let at = at % stored.len();
        stored[at] ^= 1 << bit;
        // It may unpack to another text, which the hash of its entry tells.
        let found = unpacked(stored);
        prop_assert!(found.is_none_or(|found| found.len() <= text.len() * MOST_TIMES));
    }
}

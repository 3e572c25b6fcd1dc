//! Answers as they stream in.

use super::Stream;

fn streamed(text: &str, pieces: usize) -> Stream {
    let mut stream = Stream::default();
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(letters.len().div_ceil(pieces).max(1)) {
        stream.push(&piece.iter().collect::<String>());
    }
    stream
}

#[test]
fn the_field_being_written_is_shown_as_prose() {
    let text =
        r#"{"position": "Yes, \"in stages\".", "confidence": 0.7, "reasoning": "Line one\nline tw"#;
    for pieces in [1, 3, text.len()] {
        let stream = streamed(text, pieces);
        assert_eq!(stream.words(), "Line one line tw");
        assert_eq!(stream.field(), Some("argument"));
    }
}

#[test]
fn a_list_goes_on_and_labels_are_left_out() {
    let stream = streamed(
        r#"```json
        {"keyPoints": ["one", "two"], "claims": [{"text": "it is so", "label": "FACT"#,
        7,
    );
    assert_eq!(stream.words(), "it is so");
    assert_eq!(stream.field(), Some("claims"));
    let points = streamed(r#"{"keyPoints": ["one", "two"#, 5);
    assert_eq!(points.words(), "one · two");
}

#[test]
fn escapes_of_two_halves_and_broken_ones_do_no_harm() {
    assert_eq!(streamed(r#"{"position": "a\u00e9\ud83d\ude00b"#, 20).words(), "aé😀b");
    assert_eq!(streamed(r#"{"position": "a\ud83dxx\uzzzzb"#, 1).words(), "axxb");
}

#[test]
fn prose_is_shown_as_it_is_and_only_its_end_is_kept() {
    assert_eq!(streamed("  I think so.", 4).words(), "I think so.");
    let long = streamed(&"ü".repeat(5_000), 100);
    assert!(long.words().len() <= 2_000, "{}", long.words().len());
    assert_eq!(long.tokens(), 1_250);
}

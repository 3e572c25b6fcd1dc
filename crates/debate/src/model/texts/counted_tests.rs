//! A count follows its text.

use proptest::prelude::*;

use super::*;

#[test]
fn a_changed_text_is_counted_again() {
    let mut text = TokenCounted::<String>::from("Tea or coffee?");
    let before = text.tokens();
    assert_eq!(before, tokens("Tea or coffee?"));
    let copy = text.clone();
    text.push_str(" Say which of them, and say why.");
    assert_eq!(text.tokens(), tokens("Tea or coffee? Say which of them, and say why."));
    assert_eq!(copy.tokens(), before);
    assert_ne!(text, copy);
}

#[test]
fn a_schema_is_written_once_and_anew_after_a_change() {
    let mut schema = TokenCounted::from(serde_json::json!({"type": "object"}));
    let written = schema.written().as_ptr();
    assert_eq!((schema.written(), schema.written().as_ptr()), (r#"{"type":"object"}"#, written));
    let before = schema.tokens();
    schema["required"] = serde_json::json!(["position"]);
    assert_eq!(schema.written(), r#"{"type":"object","required":["position"]}"#);
    assert!(schema.tokens() > before);
}

/// Pieces of text with the breaks, blanks and figures that could make a sum go wrong.
fn piece() -> impl Strategy<Value = String> {
    let words =
        prop_oneof!["[ a-zA-Z0-9,.'\n\r\t-]{0,30}", "(\n|\r\n|  |Ünï|语|1)?", any::<String>()];
    prop::collection::vec(words, 0..3).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(crate::cases::cases(512))]

    #[test]
    fn known_lines_change_no_count(
        pieces in prop::collection::vec((piece(), any::<bool>()), 0..8),
        before in piece(), after in piece(), trimmed in any::<bool>(),
    ) {
        let (mut part, mut known) = (String::new(), Vec::new());
        for (piece, lines) in &pieces {
            let start = part.len();
            part.push_str(piece);
            part.push_str(if *lines { "\n" } else { "" });
            let line_begins = start == 0 || part[..start].ends_with('\n');
            if line_begins && stands_alone(&part[start..]) {
                let units = TokenUnits::of(&part[start..]);
                known.push(KnownLines { start, end: part.len(), units });
            }
        }
        prop_assert_eq!(tokens_of_part(&part, 0..part.len(), &known), tokens(&part));
        let mut whole = [&before, "\n", &part, &after].concat();
        if trimmed {
            whole.truncate(whole.trim_end_matches('\n').len());
        }
        let inside = known_inside(&whole, &part, known.clone());
        for lines in &inside {
            prop_assert_eq!(TokenUnits::of(&whole[lines.start..lines.end]), lines.units);
        }
        prop_assert_eq!(TokenCounted::with_known(whole.clone(), inside).tokens(), tokens(&whole));
        // In any other text the lines are not known, or cost the same.
        let inside = known_inside(&before, &part, known);
        prop_assert_eq!(TokenCounted::with_known(before.clone(), inside).tokens(), tokens(&before));
    }
}

#[test]
fn lines_are_known_where_they_stand() {
    let part = "The first line.\nThe second line.\n";
    let units = TokenUnits::of("The second line.\n");
    let known = vec![KnownLines { start: 16, end: part.len(), units }];
    let whole = format!("The first line, almost.\n\n{part}The end.");
    let [inside] = known_inside(&whole, part, known)[..] else { panic!("one is known") };
    assert_eq!(&whole[inside.start..inside.end], "The second line.\n");
    assert_eq!(inside.units, units);
}

//! A count follows its text.

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

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

//! A search text becomes a phrase that cannot command the index.

use super::phrase;

#[test]
fn a_text_becomes_a_phrase_that_cannot_command_the_index() {
    assert_eq!(phrase("Module boundaries"), Some("\"Module boundaries\" *".into()));
    assert_eq!(phrase("a\" OR text:b* NEAR("), Some("\"a OR text b NEAR\" *".into()));
    assert_eq!(phrase("  --  \"\" "), None);
    assert_eq!(phrase("決定"), None);
}

//! An objection says what must change.

use super::says_what_must_change;

#[test]
fn an_objection_names_what_must_change() {
    let rows = [
        (None, false),
        (Some(""), false),
        (Some("None."), false),
        (Some("it leaks"), true),
        (Some("The answer is correct and well supported."), false),
        (Some("Great work, I fully agree with the approach."), false),
        (Some("The rollback must be tested before the launch."), true),
        (Some("Correct in part, but the second step adds 3 instead of 4."), true),
        (Some("The total is 42, the answer says 24."), true),
        (Some("Die zweite Rechnung ist falsch."), true),
    ];
    for (objection, expected) in rows {
        assert_eq!(says_what_must_change(objection), expected, "{objection:?}");
    }
}

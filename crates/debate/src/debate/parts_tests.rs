//! The end of a working that a request quotes.

use super::*;

#[test]
fn the_end_of_a_working_begins_with_a_line_and_fits() {
    let working = "I weigh the costs first.\nThen the risk.\nANSWER: yes\nCONFIDENCE: 70\n";
    assert_eq!(tail(working, 1_000), working.trim_end());
    for most in 1..40 {
        let end = tail(working, most);
        assert!(tokens(&end) <= most, "{most}: {end:?}");
        let before = working.trim_end().strip_suffix(&end).expect("it is the end");
        assert!(before.is_empty() || before.ends_with('\n') || !end.contains('\n'), "{end:?}");
    }
    assert_eq!(tail("", 3), "");
}

//! Pairs of sentences with judged similarity are read from a file.

use super::*;

#[test]
fn quoted_fields_may_hold_anything() {
    let rows = csv_rows("a,\"b, \"\"c\"\"\nd\",e\r\n\r\nf,,g").unwrap();
    assert_eq!(rows, [vec!["a", "b, \"c\"\nd", "e"], vec!["f", "", "g"]]);
    assert_eq!(csv_rows("").unwrap(), Vec::<Vec<String>>::new());
    assert_eq!(csv_rows("a,\"b"), Err(CsvError::OpenQuote));
}

#[test]
fn scores_become_similarities_with_or_without_a_heading() {
    let expected = [JudgedPair { a: "x".into(), b: "y".into(), similarity: 0.5 }];
    assert_eq!(judged_pairs("x,y,2.5\n").unwrap(), expected);
    assert_eq!(judged_pairs("\u{feff}a,b,score\nx,y, 2.5\n").unwrap(), expected);
}

#[test]
fn a_line_that_cannot_be_read_is_named() {
    for (csv, row) in [
        ("x,y,1\nx,y\n", 2),
        ("x,y,1\nx,y,6\n", 2),
        ("x,y,1\nx,y,NaN\n", 2),
        ("a,b,score\nx,y,high\n", 2),
        ("x,y,1\n ,y,1\n", 2),
        ("x,y,1,z\n", 1),
    ] {
        let error = judged_pairs(csv).unwrap_err();
        assert!(matches!(error, CsvError::Row { row: at, .. } if at == row), "{csv:?}: {error}");
    }
}

#[test]
fn the_programs_own_pairs_cover_the_whole_scale() {
    let pairs = own_pairs().unwrap();
    assert!(pairs.len() >= 60);
    for (from, to) in [(0.0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.0)] {
        let here = pairs.iter().filter(|pair| (from..=to).contains(&pair.similarity)).count();
        assert!(here >= 4, "{here} pairs judged {from} to {to}");
    }
}

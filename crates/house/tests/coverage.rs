//! `docs/coverage.md` is what the tests say: every feature with the tests that name it.
//! `UPDATE_COVERAGE=1` writes it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

use std::fs;
use std::path::Path;

use house::coverage::{marks, missing, page, rows};
use house::tree::SourceTree;

const FEATURES: &str = include_str!("../features.txt");
/// Features that are not built yet; their rows wait for their tests.
const NOT_BUILT: [&str; 0] = [];

#[test]
fn every_feature_is_named_by_a_test_and_the_page_says_which() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (rows, marks) = (rows(FEATURES), marks(&SourceTree::read(&root).unwrap()));
    assert!(rows.len() > 100, "the table of features was not read");
    let found = missing(&rows, &marks);
    let wrong: Vec<String> = found
        .iter()
        .filter(|one| !NOT_BUILT.contains(&one.place.as_str()))
        .map(ToString::to_string)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for id in NOT_BUILT {
        assert!(found.iter().any(|one| one.place == id), "{id} has a test: take it from the list");
    }
    let (path, made) = (root.join("docs/coverage.md"), page(&rows, &marks));
    if std::env::var_os("UPDATE_COVERAGE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(there == made, "docs/coverage.md is old; make it with UPDATE_COVERAGE=1");
}

#[test]
fn a_feature_without_a_test_and_a_mark_without_a_feature_are_found() {
    let text = "/// Covers: 1-a, 9-z\n#[test]\nfn t() {}\n/// Covers: 1-b\nfn no_test() {}\n\
                mod m { proptest! { /// Covers: 1-c\n#[test]\nfn p(x in 0..9u32) {} } }";
    let tree = SourceTree::of(&[("crates/x/tests/it.rs", text)]).unwrap();
    let found = missing(&rows("1-a|A|SPEC\n1-b|B|SPEC\n1-c|C|SPEC"), &marks(&tree));
    let places: Vec<&str> = found.iter().map(|one| one.place.as_str()).collect();
    assert_eq!(places, ["1-b", "9-z"], "{found:?}");
}

//! Numbering, and every format with recorded debates.

use std::collections::BTreeMap;

use proptest::prelude::*;

use engine::export::{ExportedDebate, import};
use store::SealedEntry;

use super::debate::numbers;
use super::formats::{ExportFormat, FORMATS};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn renumbering_never_fails_and_leaves_other_text_alone(text in "[\\[\\]a-z`, \\-\n(:?]{0,60}") {
        prop_assert_eq!(numbers::renumber(&text, &BTreeMap::new(), 0), text);
    }
}

/// Covers: 3.3-citations
#[test]
fn citations_get_the_numbers_of_the_one_list() {
    let own = BTreeMap::from([(1, 4), (2, 2), (3, 9)]);
    for (text, wanted) in [
        ("so [1].", "so [4]."),
        ("so [1][2].", "so [4][2]."),
        ("so [1-3]", "so [2][4][9]"),
        ("so [1, 3]", "so [4][9]"),
        ("so [FACT][1]", "so [FACT][4]"),
        ("so [7]", "so [7?]"),
        ("in [2024]", "in [2024]"),
        ("a link [1](http://a.b)", "a link [1](http://a.b)"),
        ("code `a[1]` and [1]", "code `a[1]` and [4]"),
        ("```\na[1]\n```\n[1]", "```\na[1]\n```\n[4]"),
        ("[C1] [1", "[C1] [1"),
        ("[5-1] [1-99]", "[5-1] [1-99]"),
    ] {
        assert_eq!(numbers::renumber(text, &own, 9), wanted, "{text}");
    }
}

/// Logs of every version that was ever written, in every format.
/// Covers: 13.4-formats
#[test]
fn recorded_debates_can_be_exported_and_come_back_as_they_were() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/data");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let sealed = |(seq, line): (u64, &str)| {
            let event: debate::model::Event = serde_json::from_str(line).unwrap();
            SealedEntry::seal("recorded", seq, 1_000, event.word(), line)
        };
        let log: Vec<SealedEntry> = (1..).zip(text.lines()).map(sealed).collect();
        let exported = ExportedDebate::of("recorded".into(), log.clone()).unwrap();
        for row in &FORMATS {
            assert!(!(row.write)(&exported).is_empty(), "{}", row.name);
        }
        let back = import::parse(&(ExportFormat::named("json").unwrap().write)(&exported)).unwrap();
        assert_eq!(back.log, log, "{}", path.display());
        seen += 1;
    }
    assert!(seen > 0, "there are no recorded logs");
}

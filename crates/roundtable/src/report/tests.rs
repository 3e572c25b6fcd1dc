//! Escaping, numbering and every format with recorded debates.

use std::collections::BTreeMap;

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use engine::export::{ExportedDebate, import};
use store::SealedEntry;

use super::debate::{numbers, prose, prose_html};
use super::escape::{argdown, cell, html, markdown_line, mermaid, web_address};
use super::formats::{ExportFormat, FORMATS};

/// Text made of characters that mean something to some reader.
fn tricky() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<",
        ">",
        "&",
        "\"",
        "'",
        "`",
        "``",
        "```",
        "*",
        "**",
        "_",
        "[",
        "]",
        "(",
        ")",
        "!",
        "#",
        "##",
        "-",
        "+",
        "=",
        "===",
        "---",
        "|",
        "\\",
        "\n",
        "\n\n",
        "    ",
        "\t",
        " ",
        "1",
        ".",
        ":",
        "//",
        "http://a.b/c",
        "javascript:x",
        "{{",
        "{%",
        "}",
        "~",
        "~~",
        "$",
        "%%",
        "/*",
        "<!--",
        "-->",
        "<b>",
        "</b>",
        "<script>",
        "[1]",
        "[FACT]",
        "[1](x)",
        "[a]: x",
        "![",
        "a",
        "word",
        "C1",
        ">",
        "- ",
        "1. ",
        "&lt;",
        "&#60;",
        "é",
        "漢",
        "\u{202e}",
        "\u{1b}[31m",
        "@",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

/// Renders Markdown with every extension enabled.
fn assert_tame(markdown: &str) -> Result<(), TestCaseError> {
    for event in Parser::new_ext(markdown, Options::all()) {
        match event {
            Event::Html(text) | Event::InlineHtml(text) => {
                prop_assert!(false, "HTML {:?} from {:?}", text, markdown);
            }
            Event::Start(Tag::Image { .. } | Tag::Heading { .. } | Tag::MetadataBlock(_)) => {
                prop_assert!(false, "foreign structure from {:?}", markdown);
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                prop_assert!(dest_url.starts_with("http"), "{:?} from {:?}", dest_url, markdown);
            }
            _ => {}
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_line_of_markdown_is_one_line_of_text(text in tricky()) {
        let line = markdown_line(&text);
        prop_assert!(!line.contains('\n'));
        for place in [line.clone(), format!("- {line}"), format!("**{line}**"), format!("x {line} y")] {
            assert_tame(&place)?;
        }
        let table = format!("| a | b |\n|---|---|\n| {line} | end |\n");
        let cells = Parser::new_ext(&table, Options::all())
            .filter(|event| matches!(event, Event::Start(Tag::TableCell)))
            .count();
        prop_assert_eq!(cells, 4, "{}", table);
        prop_assert!(table.contains("| end |"));
    }

    #[test]
    fn foreign_markdown_is_tamed_and_stays_tame(text in tricky()) {
        let once = prose::markdown(&text);
        assert_tame(&once)?;
        assert_tame(&prose::quoted(&text))?;
        let page = prose_html::html(&text);
        for part in page.split('<').skip(1) {
            let ours = ["p", "/", "b", "u", "o", "l", "e", "s", "d", "c", "h", "t", "a"];
            prop_assert!(ours.iter().any(|start| part.starts_with(start)), "{}", page);
            prop_assert!(!part.starts_with("script") && !part.starts_with("b>"), "{}", page);
        }
    }

    #[test]
    fn the_other_formats_hold_no_sign_that_could_end_a_text(text in tricky()) {
        let page = html(&text);
        let ends = page.contains(['<', '>', '"', '\'', '`', '\u{1b}', '\u{202e}']);
        prop_assert!(!ends, "{}", page);
        let label = mermaid(&text);
        let ends = label.contains(['"', '<', '>', '[', ']', '{', '`', '%', '\n']);
        prop_assert!(!ends, "{}", label);
        prop_assert!(!cell(&text).starts_with(['=', '+', '-', '@', '\t']));
        let said = argdown(&text);
        prop_assert!(!said.contains("//") && !said.contains("/*") && !said.contains('\n'));
        for (at, _) in said.match_indices(['[', '<', '#', '{', '@']) {
            prop_assert!(said[..at].ends_with('\\'), "{}", said);
        }
    }

    #[test]
    fn renumbering_never_fails_and_leaves_other_text_alone(text in tricky()) {
        let none = BTreeMap::new();
        prop_assert_eq!(numbers::renumber(&text, &none, 0), text);
    }
}

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

#[test]
fn only_the_web_is_linked() {
    assert_eq!(web_address("https://a.b/c?d=e#f"), Some("https://a.b/c?d=e#f".into()));
    assert_eq!(web_address("HTTP://a.b"), Some("HTTP://a.b".into()));
    assert_eq!(web_address("http://a.b/(x)\""), Some("http://a.b/%28x%29%22".into()));
    for wrong in ["javascript:alert(1)", "data:text/html,x", "//a.b", "http:a", "https://a b", "x"]
    {
        assert_eq!(web_address(wrong), None, "{wrong}");
    }
}

#[test]
fn markdown_keeps_what_it_says() {
    let text = "# Head\n\nA *word* and `code|x`.\n\n1. one\n2. two\n   - deep\n\n> said\n\n```rust\nlet a = 1;\n```\n";
    let wanted = "**Head**\n\nA *word* and ` code¦x `.\n\n1. one\n2. two\n   - deep\n\n> said\n\n```\nlet a = 1;\n```\n\n";
    assert_eq!(prose::markdown(text), wanted);
}

//! Hostile text in every form of a document, and the escape functions.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::escape::{argdown, cell, html, markdown_line, mermaid, web_address};
use super::{Block, CardBlock, CardRow, Document, Phrase, Section, SectionLook, prose, prose_html};
use crate::terminal::document::text;
use crate::terminal::page::Page;

const HOSTILE: &str = "<img src=x onerror=alert(1)>\u{1b}[35m red";

fn hostile() -> Document {
    let mut document = Document::new("<script>alert(1)</script>");
    document.heading(2, "# not a heading");
    document.text(HOSTILE);
    document.list(vec!["[click](javascript:alert(1))"]);
    document.table(&["a", "b"], vec![vec!["x | y".into(), "`code`".into()]]);
    let mut section = Section::new("card", "<b>card</b>");
    section.look = SectionLook::Card;
    let phrase = Phrase::default()
        .strong(HOSTILE)
        .plain("[1]")
        .soft("(javascript:x)")
        .web("javascript:alert(1)")
        .badge(HOSTILE, "open")
        .inside(HOSTILE, "\"><script>");
    section.blocks.push(Block::Card(Box::new(CardBlock {
        look: "go-ahead",
        decision: HOSTILE.into(),
        action: HOSTILE.into(),
        sure: HOSTILE.into(),
        summary: HOSTILE.into(),
        totals: HOSTILE.into(),
        rows: vec![CardRow { label: "Beware".into(), phrases: vec![phrase], stacked: false }],
        ..CardBlock::default()
    })));
    document.add(section);
    document
}

/// Covers: 13.4-hostile
#[test]
fn no_text_becomes_markup() {
    let html = hostile().to_html();
    assert!(!html.contains("<script>") && !html.contains("<img"), "{html}");
    assert!(html.contains("&lt;script&gt;"));
    assert!(!html.contains('\u{1b}') && !html.contains("href=\"javascript"), "{html}");
    let markdown = hostile().to_markdown();
    assert!(markdown.contains(r"\[click\](javascript:alert(1))"), "{markdown}");
    assert!(markdown.contains(r"x \| y") && markdown.contains(r"\`code\`"), "{markdown}");
    assert!(markdown.contains(r"## \# not a heading"), "{markdown}");
    for event in Parser::new_ext(&markdown, Options::all()) {
        let foreign = matches!(event, Event::Start(Tag::Link { .. }) | Event::InlineHtml(_));
        assert!(!foreign, "{event:?} in {markdown}");
    }
    let text = text(Page::new(80), &hostile());
    assert!(!text.contains("\u{1b}[35m"), "{text}");
}

#[test]
fn debates_that_began_one_after_the_other_have_different_short_ids() {
    let began = |id| super::words::short_id(id);
    let first = began("01a1efd7-335e-7771-a4fb-835619084933");
    assert_eq!(first, "01a1efd7-335e");
    assert_ne!(first, began("01a1efd7-335f-7651-ae12-622b4ce31737"));
}

#[test]
fn a_table_keeps_to_the_page() {
    let mut document = Document::new("t");
    let long = "word ".repeat(60);
    document.table(&["first", "second"], vec![vec![long, "0.123".into()]]);
    let text = text(Page::new(60), &document);
    for line in text.lines() {
        assert!(
            textwrap::core::display_width(&anstream::adapter::strip_str(line).to_string()) <= 60
        );
    }
    assert!(text.contains("0.123"));
    assert_eq!(text.matches("word").count(), 60, "nothing is cut");
}

/// Covers: 7.5-card
#[test]
fn a_card_has_at_most_twenty_lines() {
    let long = |words: usize| "a word and another ".repeat(words);
    let phrases = |count: usize| (0..count).map(|_| Phrase::from(long(12))).collect::<Vec<_>>();
    let labels = ["Between", "Settle this", "Beware", "Who moved", "Best reasons"];
    let rows = labels.map(|label| CardRow {
        label: label.into(),
        phrases: phrases(4),
        stacked: label.starts_with("Best"),
    });
    let card = CardBlock {
        decision: long(60),
        action: "CHECK FIRST".into(),
        sure: long(8),
        rows: rows.into(),
        totals: "3 agents".into(),
        next: vec!["roundtable show 0199-abcd-efgh".into(); 3],
        ..CardBlock::default()
    };
    let mut section = Section::new("decision", "Decision");
    section.look = SectionLook::Card;
    section.blocks.push(Block::Card(Box::new(card)));
    let mut document = Document::default();
    document.add(section);
    let shown = text(Page::new(80), &document);
    let plain = anstream::adapter::strip_str(shown.trim_start_matches('\n')).to_string();
    assert!(plain.lines().count() <= 20, "{plain}");
    for label in labels {
        assert!(plain.contains(label), "{label} was lost in\n{plain}");
    }
    for line in plain.lines() {
        assert!(textwrap::core::display_width(line) <= 80, "{line}");
    }
}

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
        let page = prose_html::html(&text).to_string();
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

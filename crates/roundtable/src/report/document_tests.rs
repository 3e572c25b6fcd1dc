//! Hostile text in every form of a document.

use super::*;

fn hostile() -> Document {
    let mut document = Document::new("<script>alert(1)</script>");
    document.heading(2, "# not a heading");
    document.text("<img src=x onerror=alert(1)>\u{1b}[31m red");
    document.list(vec!["[click](javascript:alert(1))".into()]);
    document.table(&["a", "b"], vec![vec!["x | y".into(), "`code`".into()]]);
    document
}

#[test]
fn no_text_becomes_markup() {
    let html = hostile().to_html();
    assert!(!html.contains("<script>") && !html.contains("<img"), "{html}");
    assert!(html.contains("&lt;script&gt;"));
    assert!(!html.contains('\u{1b}'));
    let markdown = hostile().to_markdown();
    assert!(markdown.contains(r"\[click\](javascript:alert(1))"), "{markdown}");
    assert!(markdown.contains(r"x \| y") && markdown.contains(r"\`code\`"), "{markdown}");
    assert!(markdown.contains(r"## \# not a heading"), "{markdown}");
    let text = hostile().to_text(Page::new(80));
    assert!(!text.contains("\u{1b}[31m"), "{text}");
}

#[test]
fn a_table_keeps_to_the_page() {
    let mut document = Document::new("t");
    let long = "word ".repeat(60);
    document.table(&["first", "second"], vec![vec![long, "0.123".into()]]);
    let text = document.to_text(Page::new(60));
    for line in text.lines().filter(|line| line.contains("0.123")) {
        assert!(textwrap::core::display_width(line) <= 60, "{line}");
        assert!(line.contains('…'));
    }
    assert!(text.contains("0.123"));
}

//! 105 texts that try to be more than text, said by agents in every field of an
//! answer, through every output of the binary. None may come out as anything
//! but text.

use crate::printing::hostile_strings::{MARK, STRINGS};
use crate::support::Home;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

/// As many texts go into one debate.
const TOGETHER: usize = 35;

/// What two agents say in two rounds: every text in every field it fits in.
fn script(home: &Home, texts: &[&str]) -> String {
    let answer = |seat: usize, round: usize| {
        let claims: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| {
                let mut claim = json!({
                    "text": format!("{text} said by {seat} in {round}, number {number}"),
                    "label": "FACT", "evidenceType": "DOCUMENTED", "citations": [number + 1],
                });
                if round == 2 {
                    claim["opposes"] = json!(["C1", "C2"]);
                }
                claim
            })
            .collect();
        // Some begin with the text itself: a formula must come first.
        let bare = texts.iter().map(|text| {
            json!({ "text": text, "label": "ASSUME", "evidenceType": "LOGICAL", "citations": [] })
        });
        let citations: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| {
                json!({ "number": number + 1, "title": text, "url": text, "source": text, "snippet": text })
            })
            .collect();
        let one = texts[(seat * 2 + round) % texts.len()];
        json!({
            "position": one,
            "reasoning": texts.join("\n\nand then [1][2-3]: "),
            "keyPoints": texts,
            "confidence": 0.6,
            "confidenceReason": one,
            "claims": claims.into_iter().chain(bare).collect::<Vec<_>>(),
            "citations": citations,
            "vote": { "ballot": "BLOCKER", "objection": one },
            "critiques": [{ "claim": "C1", "evidenceType": "LOGICAL", "strength": "low",
                "counterEvidence": one, "outcome": "alternative", "text": one }],
        })
    };
    let agents: Vec<Value> = (0..2)
        .map(|seat| {
            let turns: Vec<Value> = (1..=2)
                .map(|round| json!({ "round": round, "answer": answer(seat, round) }))
                .collect();
            json!({ "name": format!("Agent {}", ["One", "Two"][seat]), "turn": turns })
        })
        .collect();
    let script = json!({ "topic": "Is it so?", "agent": agents });
    home.file("script.json", &script.to_string()).display().to_string()
}

/// A debate about and with these texts; its id and what was shown live.
fn held(home: &Home, texts: &[&str], how: &[&str]) -> (String, String) {
    let script = script(home, texts);
    // A topic may not be empty once it is cleaned; what is left is enough.
    let topic = format!("Is it so? {}", texts[texts.len() / 2].replace('\0', ""));
    let args = ["debate", &topic, "--script", &script, "--rounds", "2", "--clerk=none"];
    let did = home.run(&[&args[..], how].concat());
    assert_eq!(did.code, 0, "{texts:?}\n{did:#?}");
    let listed: Vec<Value> =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    (listed[0]["id"].as_str().unwrap().to_owned(), did.stdout + &did.stderr)
}

fn batches() -> impl Iterator<Item = &'static [&'static str]> {
    STRINGS.chunks(TOGETHER)
}

/// What must never reach a terminal, whatever the output.
fn assert_harmless(what: &str, text: &str) {
    for (at, c) in text.char_indices() {
        let hidden = matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}');
        let control = c.is_control() && c != '\n' && c != '\t';
        assert!(!hidden && !control, "{what}: {c:?} at {:?}", around(text, at));
    }
}

fn around(text: &str, at: usize) -> String {
    let start = text.char_indices().rev().map(|(i, _)| i).find(|i| *i + 60 < at).unwrap_or(0);
    text[start..].chars().take(160).collect()
}

#[test]
fn there_are_105_of_them_and_all_are_read_as_they_were_sent() {
    assert_eq!(STRINGS.len(), 105);
    let home = Home::new();
    for texts in batches() {
        let (id, events) = held(&home, texts, &["--json"]);
        assert_harmless("events", &events);
        let json: Value =
            serde_json::from_str(&home.run(&["sessions", "export", &id, "-f", "json"]).stdout)
                .unwrap();
        let points = &json["rounds"][0]["agentResponses"][0]["turn"]["answer"]["keyPoints"];
        for (text, point) in texts.iter().zip(points.as_array().unwrap()) {
            // JSON is data: nothing is taken from it, and nothing stands in it raw.
            assert_eq!(point.as_str().unwrap().trim(), text.trim());
        }
    }
}

#[test]
fn none_of_them_reaches_the_terminal_as_more_than_text() {
    let home = Home::new();
    for texts in batches() {
        let (id, live) = held(&home, texts, &[]);
        assert_harmless("live", &live);
        let looks: [&[&str]; 10] = [
            &["sessions", "show", &id],
            &["sessions", "show", &id, "--round", "2"],
            &["sessions", "show", &id, "--answer", "Agent One@1"],
            &["sessions", "show", &id, "--agent", "agent two"],
            &["sessions", "show", &id, "--citations"],
            &["sessions", "show", &id, "--json"],
            &["sessions", "show", &id, "--citations", "--json"],
            &["sessions", "list"],
            &["sessions", "list", "--json"],
            &["compare", &id, &id],
        ];
        for args in looks {
            let did = home.run(args);
            assert_eq!(did.code, 0, "{args:?}: {did:#?}");
            assert_harmless(&args.join(" "), &did.stdout);
            assert_harmless(&args.join(" "), &did.stderr);
        }
        // In colour the only escapes are our own.
        let colour = home.run_with(&["sessions", "show", &id], &[("CLICOLOR_FORCE", "1")]);
        let mut rest = colour.stdout.as_str();
        assert!(rest.contains("\u{1b}["), "no colour was written");
        let mut plain = String::new();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            plain.push_str(before);
            let (code, after) = after.split_once('m').expect("an escape of another kind");
            assert!(
                ["0", "1", "2", "31", "32", "33", "34", "35", "36", "95", "96"].contains(&code),
                "{code:?}"
            );
            rest = after;
        }
        assert_harmless("colour", &(plain + rest));
    }
}

/// Covers: 13.4-hostile
#[test]
fn none_of_them_leaves_an_export_as_more_than_text() {
    let home = Home::new();
    for texts in batches() {
        let (id, _) = held(&home, texts, &["--quiet"]);
        let export = |format: &str| {
            let did = home.run(&["sessions", "export", &id, "--format", format]);
            assert_eq!(did.code, 0, "{format}: {did:#?}");
            assert_harmless(format, &did.stdout);
            did.stdout
        };
        for format in home.formats() {
            let text = export(&format);
            match format.as_str() {
                // Harmless signs are enough where nothing is markup.
                "json" => {}
                "markdown" | "adr" => assert_markdown(&format, &text),
                "html" => assert_html(&text),
                "csv" => assert_csv(&text),
                "mermaid" => assert_mermaid(&text),
                "argdown" => assert_argdown(&text),
                other => panic!("nothing says what hostile text may not become in {other}"),
            }
        }
    }
}

/// Rendered with every extension there is, it holds no foreign HTML, link,
/// picture, heading or table.
fn assert_markdown(what: &str, text: &str) {
    // The topic is the title and says what it says; no other heading is foreign.
    let mut titles = 0;
    let mut heading = false;
    for event in Parser::new_ext(text, Options::all()) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => panic!("{what}: HTML {html:?}"),
            Event::Start(Tag::Image { dest_url, .. }) => panic!("{what}: picture {dest_url:?}"),
            Event::Start(Tag::Link { dest_url, .. }) => assert!(
                dest_url.starts_with("http://") || dest_url.starts_with("https://"),
                "{what}: link to {dest_url:?}"
            ),
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => titles += 1,
            Event::Start(Tag::Heading { .. }) => heading = true,
            Event::End(TagEnd::Heading(_)) => heading = false,
            Event::Text(text) => assert!(!(heading && text.contains(MARK)), "{what}: {text:?}"),
            Event::Start(Tag::MetadataBlock(_) | Tag::FootnoteDefinition(_)) => {
                panic!("{what}: metadata or a footnote");
            }
            _ => {}
        }
    }
    assert_eq!(titles, 1, "{what}: titles");
    assert!(!text.contains("{{") && !text.contains("{%"), "{what}: a template");
}

const TAGS: [&str; 52] = [
    "!doctype",
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "a",
    "header",
    "h1",
    "p",
    "nav",
    "ul",
    "li",
    "main",
    "section",
    "h2",
    "h3",
    "span",
    "strong",
    "b",
    "dl",
    "div",
    "dt",
    "dd",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "svg",
    "g",
    "defs",
    "marker",
    "path",
    "line",
    "text",
    "circle",
    "rect",
    "desc",
    "figure",
    "figcaption",
    "details",
    "summary",
    "ol",
    "footer",
    "code",
    "em",
    "br",
    "hr",
    "pre",
];
const MORE_TAGS: [&str; 9] =
    ["blockquote", "del", "article", "caption", "i", "polyline", "q", "s", "tfoot"];

/// Every `<` opens one of our own elements, with our own attributes.
fn assert_html(text: &str) {
    let (_, body) = text.split_once("</style>").unwrap();
    for part in body.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("an element that is not closed");
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(|c| !c.is_whitespace() && *c != '/')
            .collect();
        assert!(TAGS.contains(&name.as_str()) || MORE_TAGS.contains(&name.as_str()), "<{tag}>");
        // Attributes are `name="value"`; a value holds no quote of its own.
        let mut rest = tag.strip_prefix(&name).unwrap_or("").trim_end_matches('/');
        while let Some((before, after)) = rest.split_once("=\"") {
            let attribute = before.trim();
            assert!(attribute.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "<{tag}>");
            assert!(!attribute.starts_with("on"), "<{tag}>");
            let (value, next) = after.split_once('"').expect("a value that is not closed");
            if attribute == "href" {
                assert!(value.starts_with(['#']) || value.starts_with("http"), "<{tag}>");
            }
            rest = next;
        }
        assert!(!rest.contains('='), "<{tag}>");
    }
}

fn assert_csv(text: &str) {
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_reader(text.as_bytes());
    let mut rows = 0;
    for row in reader.records() {
        for cell in &row.expect("a row of another length") {
            let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '|', '%', '\u{ff1d}']);
            assert!(!formula, "a formula: {cell:?}");
            assert!(!cell.contains('\n') && !cell.contains('\r'), "a line break: {cell:?}");
        }
        rows += 1;
    }
    assert!(rows >= TOGETHER, "only {rows} rows");
}

/// Outside its labels every line is one of ours; inside there is nothing that
/// could end a label.
fn assert_mermaid(text: &str) {
    for line in text.lines() {
        let mut quotes = line.split('"');
        let before = quotes.next().unwrap();
        assert!(!before.contains(MARK), "{line}");
        if let Some(label) = quotes.next() {
            let bare = label.replace("<br/>", "");
            let plain =
                |c: char| c.is_alphanumeric() || !c.is_ascii() || " .,!?()/'+=~^-#;".contains(c);
            assert!(bare.chars().all(plain), "{line}");
            let after = quotes.next().expect("a label that is not closed");
            let ours = after.trim_start_matches(['/', ']']);
            let class = ours.is_empty() || ours.starts_with(":::");
            assert!(class && !ours.contains(MARK), "{line}");
            assert!(quotes.next().is_none(), "{line}");
        }
        assert!(!line.trim_start().starts_with("click"), "{line}");
    }
}

fn assert_argdown(text: &str) {
    let starts = ["[", "<", "  + ", "  - ", "#", "===", "title: "];
    for line in text.lines().filter(|line| !line.is_empty()) {
        assert!(starts.iter().any(|start| line.starts_with(start)), "{line}");
        let forged = ["[FORGED", "<FORGED", "# FORGED", "title: FORGED"];
        assert!(!forged.iter().any(|start| line.starts_with(start)), "{line}");
    }
    assert_eq!(text.matches("\n===").count() + usize::from(text.starts_with("===")), 2);
}

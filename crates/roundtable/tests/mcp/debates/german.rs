//! A German debate in every face: its labels are German, and none is forgotten.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::http::Serving;
use crate::support::Home;
use crate::table::Table;

const SCRIPT: &str = include_str!("../../data/deutsch.toml");
/// Words that stand in both languages, or are no label.
const SAME: [&str; 9] =
    ["Agent", "Position", "Roundtable", "script", "anna", "bert", "cem", "clerk", "–"];

/// One debate with its faces.
struct Faces {
    /// The lines of the terminal while it is held.
    live: String,
    show: String,
    markdown: String,
    file: String,
    page: String,
}

/// Holds the debate with its labels in one language.
fn held(home: &Home, server: &Serving, language: &str) -> Faces {
    let args = ["debate", "--script", "deutsch.toml", "--rounds=2", "--seed=1"];
    let did = home.run(&[&args[..], &["--language", language]].concat());
    assert_eq!(did.code, 0, "{did:#?}");
    let rows: Value =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    let id = rows[0]["id"].as_str().unwrap().to_owned();
    let today = rows[0]["createdAt"].as_str().map(|at| at[..10].to_owned());
    let run = |args: &[&str]| {
        let text = home.run(args).stdout.replace(&id, "ID").replace(&id[..13], "ID");
        masked(&text, today.as_deref())
    };
    let page = server.send("GET", &format!("/debates/{id}"), &[], "").body;
    let live = did.stdout.replace(&id, "ID").replace(&id[..13], "ID");
    let parts: [&[&str]; 5] =
        [&[], &["--round", "2"], &["--answer", "Bert@2"], &["--agent", "Bert"], &["--citations"]];
    let show = parts.map(|part| run(&[&["show", &id], part].concat()));
    Faces {
        live: masked(&live, today.as_deref()),
        show: show.concat(),
        markdown: run(&["export", &id, "--format", "markdown"]),
        file: run(&["export", &id, "--format", "html"]),
        page: masked(&page.replace(&id, "ID"), today.as_deref()),
    }
}

/// The texts of Markdown or of a terminal, in pieces without signs and ids of claims.
fn pieces(text: &str) -> Vec<String> {
    let signs = |c: char| "|*#:;·()<>-".contains(c);
    let pieces = text.split(|c: char| c == '\n' || signs(c)).map(str::trim);
    let bare = |piece: &str| match piece.split_once(' ') {
        Some((id, rest)) if id.starts_with('C') && id[1..].parse::<u32>().is_ok() => {
            rest.to_owned()
        }
        _ => piece.to_owned(),
    };
    pieces.map(bare).collect()
}

/// A text without what differs from day to day.
fn masked(text: &str, today: Option<&str>) -> String {
    let text = today.map_or_else(|| text.to_owned(), |day| text.replace(day, "DAY"));
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let mut out = text.replace(&now, "DAY");
    // How long it took: between two dots.
    for time in ["0:00", "0:01", "0:02", "0:03"] {
        out = out.replace(&format!(" · {time} · "), " · ");
    }
    out
}

/// The texts of a page, one a line.
fn words(page: &str) -> Vec<String> {
    let (_, body) = page.split_once("<body").unwrap();
    let texts =
        body.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text.trim());
    texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// Lines with letters that are the same in both languages and that nobody at the table said.
fn forgotten(own: &[String], english: &[String]) -> BTreeSet<String> {
    let english: BTreeSet<&String> = english.iter().collect();
    // What the agents say stands between quotes in their script.
    let script: String = SCRIPT.split('"').skip(1).step_by(2).collect::<Vec<_>>().join("\n");
    let said = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 2);
        words.all(|word| script.contains(word) || SAME.contains(&word))
    };
    let parts = own.iter().filter(|text| english.contains(text));
    parts
        .filter(|text| text.chars().filter(|c| c.is_alphabetic()).count() > 2)
        .filter(|text| !said(text) && !text.contains("ID") && !text.contains("DAY"))
        .cloned()
        .collect()
}

/// Covers: 5-language
#[tokio::test(flavor = "multi_thread")]
async fn a_german_debate_is_german_in_every_face() {
    let home = Home::new();
    home.file("deutsch.toml", SCRIPT);
    let server = Serving::begin_as(&home, &["--no-token"], &[]);
    let (own, english) = (held(&home, &server, "de"), held(&home, &server, "en"));
    let formats = home.formats();
    let left: BTreeSet<String> = [
        (words(&own.file), words(&english.file)),
        (words(&own.page), words(&english.page)),
        (pieces(&own.markdown), pieces(&english.markdown)),
        (pieces(&own.show), pieces(&english.show)),
        (pieces(&own.live), pieces(&english.live)),
    ]
    .iter()
    .flat_map(|(own, english)| forgotten(own, english))
    .filter(|text| !formats.contains(text))
    .collect();
    assert_eq!(left, BTreeSet::new(), "labels that were forgotten");
    assert!(own.file.contains("<html lang=\"de\">") && own.page.contains("<html lang=\"de\""));
    assert!(english.file.contains("<html lang=\"en\">"));
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../../snapshots" }, {
        insta::assert_snapshot!("german-show", own.show);
        insta::assert_snapshot!("german-markdown", own.markdown);
        insta::assert_snapshot!("german-file", words(&own.file).join("\n"));
        insta::assert_snapshot!("german-page", words(&own.page).join("\n"));
    });
}

/// The table while it waits for a person, in German.
#[tokio::test(flavor = "multi_thread")]
async fn a_german_table_is_german_while_it_runs() {
    let table = Table::new().await;
    table.home.file("config/roundtable/config.toml", "clerk = \"none\"\n");
    let url = table.fake.base_url();
    let server = Serving::begin_as(&table.home, &["--no-token"], &[("OLLAMA_BASE_URL", &url)]);
    let origin = format!("http://{}", server.address);
    let form = [("content-type", "application/x-www-form-urlencoded"), ("origin", origin.as_str())];
    let body = "topic=Sollen+wir+im+Mai+umziehen%3F&named=me%2C+ollama%2Ffake-small&rounds=1";
    let begun = server.send("POST", "/new", &form, body);
    assert_eq!(begun.status, 303, "{begun:?}");
    let place = begun.head.lines().find_map(|line| line.strip_prefix("location: "));
    let place = place.unwrap().trim().to_owned();
    let page = waits(&server, &place);
    for words in
        ["WARTET AUF DICH", "Du bist dran in Runde 1 von 1", "Wie sicher bist du", "Aussetzen"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    // A bad figure comes back with what was typed.
    let answer = format!("{place}/answer");
    let body = "request=c1&turn=1&text=Ja%2C+gern.&confidence=viel";
    let refused = server.send("POST", &answer, &form, body);
    assert!(refused.status == 422 && refused.body.contains("Ja, gern."), "{refused:?}");
    assert!(refused.body.contains("value=\"viel\""), "{refused:?}");
    // A page elsewhere cannot answer for them.
    let foreign = [form[0], ("origin", "http://evil.example")];
    assert_eq!(server.send("POST", &answer, &foreign, "request=c1&turn=1&text=Nein").status, 403);
    let given = server.send("POST", &answer, &form, "request=c1&turn=1&text=Ja&confidence=70");
    assert_eq!(given.status, 303, "{given:?}");
}

/// The page of a debate that waits for a person.
fn waits(server: &Serving, place: &str) -> String {
    for _ in 0..600 {
        let page = server.send("GET", place, &[], "").body;
        if page.contains("name=\"turn\"") {
            return page;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{place} does not ask");
}

/// A language without a translation: the labels stay English, which is said once, and the
/// lines of a terminal keep their width.
#[tokio::test(flavor = "multi_thread")]
async fn other_scripts_are_laid_out_right() {
    let table = Table::new().await;
    table.home.file("config/roundtable/config.toml", "clerk = \"none\"\n");
    let url = table.fake.base_url();
    for (topic, name, code) in [
        (
            "五月に事務所を駅前に移すべきですか。費用と通勤時間を考えてください。".repeat(4),
            "Japanese",
            "ja",
        ),
        ("هل ننقل المكتب إلى وسط المدينة في مايو؟ ".repeat(6), "Arabic", "ar"),
    ] {
        let args = ["debate", "--agents=ollama/fake-large,ollama/fake-small", "--rounds=1", &topic];
        let did = table.home.run_with(&args, &[("OLLAMA_BASE_URL", &url)]);
        assert_eq!(did.code, 0, "{did:#?}");
        let said =
            format!("headings and labels stay in English; they have no translation into {name}");
        let flat = did.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(flat.matches(&said).count(), 1, "{name}: {}", did.stdout);
        let wide =
            did.stdout.lines().find(|line| unicode_width::UnicodeWidthStr::width(*line) > 80);
        assert_eq!(wide, None, "{name}");
        let page = table.home.run(&["export", "@1", "--format", "html"]).stdout;
        assert!(page.contains("<html lang=\"en\">"), "{name}");
        assert!(page.contains(&format!("dir=\"auto\" lang=\"{code}\"")), "{name}");
        assert_eq!(page.matches(&said).count(), 1, "{name}");
    }
}

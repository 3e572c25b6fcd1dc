//! The first screen of a result in every mode, and the same figures in every face.

use crate::support::Home;
use serde_json::{Value, json};

const TOPIC: &str = "Should we move our database to a managed service this year?";
/// A terminal of the usual size.
const ROWS: usize = 24;
const COLUMNS: usize = 80;
const MODES: [&str; 8] = [
    "collaborative",
    "adversarial",
    "socratic",
    "expert-panel",
    "devils-advocate",
    "delphi",
    "red-team-blue-team",
    "moderated",
];

/// What one agent says in a round: a position, a claim of its own with a source, and
/// the claim of another that it opposes.
fn answer(position: &str, confidence: f64, claim: &str, opposes: &[&str], vote: &str) -> Value {
    json!({
        "position": position,
        "reasoning": format!("{claim} [FACT][1]."),
        "keyPoints": ["cost", "risk"],
        "confidence": confidence,
        "claims": [{ "text": claim, "label": "FACT", "evidenceType": "DOCUMENTED",
            "citations": [1], "opposes": opposes }],
        "citations": [{ "number": 1, "title": format!("Report: {claim}"),
            "url": format!("https://www.postgresql.org/about/{}", claim.replace(' ', "-")) }],
        "vote": { "ballot": vote, "objection": "Say who is on call." },
        "ruling": "CONCLUDE",
    })
}

const MOVE: &str = "Move it this year, one database at a time, and keep the old one for a month.";
const STAY: &str = "Stay: the team knows its database and the bill would double.";

/// Three agents, two rounds; the second comes round to the first.
fn script(home: &Home) -> String {
    let turns = |first: Value, second: Value| json!([{ "round": 1, "answer": first }, { "round": 2, "answer": second }]);
    let agents = json!([
        { "name": "Ada", "turn": turns(
            answer(MOVE, 0.7, "Half of last year's outages were failed backups", &[], "ACCEPT"),
            answer(MOVE, 0.8, "The vendor restores a backup in ten minutes", &[], "ACCEPT")) },
        { "name": "Brook", "turn": turns(
            answer(STAY, 0.6, "The managed bill is twice the present one", &[], "MINOR"),
            answer(MOVE, 0.7, "One engineer spends a day a week on upkeep", &[], "ACCEPT")) },
        { "name": "Chen", "turn": turns(
            answer(STAY, 0.6, "Two extensions we use are not offered there", &[], "MINOR"),
            answer(STAY, 0.6, "Leaving a vendor takes as long as moving in", &["C1"], "MINOR")) },
    ]);
    let script = json!({ "topic": TOPIC, "agent": agents });
    home.file("results.json", &script.to_string()).display().to_string()
}

fn newest(home: &Home) -> String {
    let listed: Vec<Value> =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    listed[0]["id"].as_str().unwrap().to_owned()
}

fn held(home: &Home, mode: &str) -> (String, String) {
    let script = script(home);
    let args = ["debate", "--script", &script, "--mode", mode, "--rounds", "2", "--seed", "1"];
    let did = home.run(&[&args[..], &["--clerk=none", "--quiet"]].concat());
    assert_eq!(did.code, 0, "{mode}: {did:#?}");
    (newest(home), did.stdout)
}

/// Covers: 4-leads, 7.5-card
#[test]
fn the_first_screen_of_a_result_says_what_was_decided_in_every_mode() {
    let home = Home::new();
    for mode in MODES {
        let (id, quiet) = held(&home, mode);
        let whole = home.run(&["sessions", "show", &id]).stdout;
        assert!(whole.starts_with(&quiet), "{mode}: -q prints something else than the card");
        let card = quiet.trim_matches('\n');
        assert!(card.lines().count() <= 20, "{mode}: the card is too long\n{card}");
        for line in card.lines() {
            assert!(line.chars().count() <= COLUMNS, "{mode}: {line}");
        }
        for code in ["query_detail", "proceed", "verify", "consensusLevel"] {
            assert!(!card.contains(code), "{mode}: {code} in\n{card}");
        }
        let screen: Vec<&str> = whole.trim_start_matches('\n').lines().take(ROWS).collect();
        let screen = screen.join("\n").replace(&id, "ID").replace(&id[..13], "ID");
        insta::with_settings!({ snapshot_path => "../../snapshots/results", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(mode, without_time(&screen));
        });
    }
}

/// The time of the rounds is the machine's.
pub(super) fn without_time(text: &str) -> String {
    let line = |line: &str| match line.split_once(" calls · ") {
        Some((before, after)) if after.contains(" · ") => {
            let cost = after.split(" · ").last().unwrap_or_default();
            format!("{before} calls · TIME · {cost}")
        }
        Some((before, cost)) => format!("{before} calls · TIME · {cost}"),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Text without the signs of its format, on one line.
fn words_of(text: &str) -> String {
    let plain = text
        .replace("&#39;", "'")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace(['*', '\\', '`'], "")
        .replace("<br>", " ");
    let mut out = String::new();
    let mut inside = false;
    for letter in plain.chars() {
        match letter {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                out.push(' ');
            }
            letter if !inside => out.push(letter),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Covers: 7.5-faces
#[test]
fn every_face_gives_the_same_figures_under_the_same_names() {
    let home = Home::new();
    for mode in MODES {
        let (id, quiet) = held(&home, mode);
        let export = |format: &str| {
            let did = home.run(&["sessions", "export", &id, "--format", format]);
            assert_eq!(did.code, 0, "{mode}: {did:#?}");
            did.stdout
        };
        let whole: Value = serde_json::from_str(&export("json")).unwrap();
        let shown: Value =
            serde_json::from_str(&home.run(&["sessions", "show", &id, "--json"]).stdout).unwrap();
        let card = &whole["verdict"]["card"];
        assert_eq!(card, &shown["verdict"]["card"], "{mode}");
        let list = |name: &str| -> Vec<String> {
            let parts = card[name].as_array().map(Vec::as_slice).unwrap_or_default();
            parts.iter().map(|part| part.as_str().unwrap().to_owned()).collect()
        };
        let sure = list("sure").join(" · ");
        let figures = &card["figures"];
        let mut wanted = vec![sure.clone(), card["decision"].as_str().unwrap().to_owned()];
        let totals = &card["totals"];
        let rounds = totals["rounds"].as_u64().unwrap();
        let plural = if rounds == 1 { "" } else { "s" };
        wanted.push(format!("{} agents · {rounds} round{plural}", totals["agents"]));
        let agreement = figures["agreement"].as_f64();
        let agreement = agreement.map_or("not known".into(), |share| format!("{share:.2}"));
        let level = figures["level"].as_str().unwrap();
        let beside = [format!("Agreement: {agreement} ({level})")];
        let faces = [
            ("terminal", home.run(&["sessions", "show", &id]).stdout),
            ("markdown", export("markdown")),
            ("html", export("html")),
            ("adr", export("adr")),
        ];
        for (face, text) in &faces {
            let words = words_of(text);
            // The page sets the parts of this line side by side.
            let (line, parts) = match *face {
                "html" => (&wanted[1..], list("sure")),
                _ => (&wanted[..], Vec::new()),
            };
            for part in line.iter().chain(&beside).chain(&parts) {
                assert!(
                    words.contains(&words_of(part)),
                    "{mode}, {face}: {part} is missing\n{text}"
                );
            }
        }
        // The names of the layers for programs have the card's own values.
        let decision = &whole["verdict"]["decision"];
        assert_eq!(decision["answer"], card["decision"], "{mode}");
        assert_eq!(decision["actionRecommendation"], card["action"], "{mode}");
        assert_eq!(decision["consensusLevel"], figures["level"], "{mode}");
        assert_eq!(decision["agreementScore"], figures["agreement"], "{mode}");
        assert!(words_of(&quiet).contains(&words_of(&sure)), "{mode}: {quiet}");
    }
}

/// Covers: 7.6-estimates
#[test]
fn a_long_figure_is_rounded_as_a_person_would() {
    let home = Home::new();
    let answer = |value: f64| {
        json!({ "position": format!("About {value}."), "reasoning": "So.", "keyPoints": ["a"],
            "confidence": 0.6, "claims": [], "citations": [], "answer": value,
            "vote": { "ballot": "ACCEPT" } })
    };
    let agents: Vec<Value> = [("One", 200.0), ("Two", 210.0), ("Three", 210.0)]
        .iter()
        .map(|(name, value)| json!({ "name": name, "turn": [{ "answer": answer(*value) }] }))
        .collect();
    let script = json!({ "topic": "How many days will it take?", "agent": agents }).to_string();
    let script = home.file("days.json", &script).display().to_string();
    let args = ["debate", "--script", &script, "--estimate", "days", "--rounds", "1"];
    let did = home.run(&[&args[..], &["--clerk=none", "--quiet"]].concat());
    assert_eq!(did.code, 0, "{did:#?}");
    let id = newest(&home);
    let shown = home.run(&["sessions", "show", &id]).stdout;
    for format in ["markdown", "html", "adr"] {
        let text = home.run(&["sessions", "export", &id, "--format", format]).stdout;
        assert!(!text.contains("66666"), "{format}: {text}");
    }
    assert!(!shown.contains("66666"), "{shown}");
}

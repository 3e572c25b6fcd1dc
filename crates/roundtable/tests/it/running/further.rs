//! Debates that come after others, through the binary: further questions, the same
//! question before another table, and forks. Claims keep their ids, links hold in
//! another place, and shared rounds are not paid for again.

use std::sync::Arc;

use crate::support::{Did, Home};
use fake_provider::{FakeOptions, FakeProvider};
use serde_json::{Value, json};

const CONFIG: &str = "rounds = 2\nclerk = \"none\"\n[flags.groupthinkDetection]\nenabled = false\n";
/// Nothing listens here.
const NOWHERE: &str = "http://127.0.0.1:9/v1";

struct Place {
    home: Home,
    fake: FakeProvider,
}

/// Says one new thing for each question, and rests on a source.
fn answer(body: &Value) -> String {
    let asked = body.to_string();
    let questions = ["First question?", "Second question?", "Third question?", "Fourth question?"];
    let at = questions.iter().rposition(|one| asked.contains(&format!("{one}\\n")));
    let text = format!("Reason {} holds.", at.map_or(0, |at| at + 1));
    json!({
        "position": "In stages.", "reasoning": "It is documented [FACT][1].",
        "keyPoints": ["cheaper", "safer"], "confidence": 0.7, "vote": { "ballot": "ACCEPT" },
        "claims": [{ "text": text, "label": "FACT", "evidenceType": "DOCUMENTED", "citations": [1] }],
        "citations": [{ "number": 1, "title": "The study", "url": "https://study.org/1" }],
    })
    .to_string()
}

impl Place {
    async fn new() -> Place {
        let options = FakeOptions { answer: Arc::new(answer), ..FakeOptions::default() };
        let fake = FakeProvider::start(options).await.unwrap();
        let home = Home::new();
        home.file("config/roundtable/config.toml", CONFIG);
        Place { home, fake }
    }

    fn run(&self, args: &[&str]) -> Did {
        self.home.run_with(args, &[("OLLAMA_BASE_URL", &self.fake.base_url())])
    }

    /// Holds a debate and returns its id.
    fn held(&self, args: &[&str]) -> String {
        let did = self.run(&[args, &["-q"]].concat());
        assert_eq!(did.code, 0, "{args:?}: {did:#?}");
        self.listed()[0]["id"].as_str().unwrap().to_owned()
    }

    fn listed(&self) -> Value {
        listed(&self.home)
    }

    fn shown(&self, id: &str) -> Value {
        let did = self.run(&["sessions", "show", id, "--json"]);
        serde_json::from_str(&did.stdout).unwrap()
    }

    fn asked(&self) -> usize {
        self.fake.ledger().iter().filter(|entry| entry.path.ends_with("completions")).count()
    }
}

fn listed(home: &Home) -> Value {
    let did = home.run(&["sessions", "list", "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    serde_json::from_str(&did.stdout).unwrap()
}

/// The ids and words of the claims, in order.
fn claims(shown: &Value) -> Vec<(String, String)> {
    let text = |claim: &Value, name: &str| claim[name].as_str().unwrap().to_owned();
    let all = shown["state"]["claims"].as_array().unwrap().iter();
    all.map(|claim| (text(claim, "id"), text(claim, "text"))).collect()
}

/// Covers: 18-follow-up, 18-fork
#[tokio::test(flavor = "multi_thread")]
async fn a_chain_of_three_and_a_fork_keep_their_ids_and_their_links() {
    let place = Place::new().await;
    let table = "Ann=ollama/fake-large,Bea=ollama/fake-small";
    let first = place.held(&["debate", "--agents", table, "First question?"]);
    let second = place.held(&["ask", "Second question?"]);
    let third = place.held(&["ask", &second, "Third question?"]);
    let fourth = place.held(&["ask", &third[..13], "Fourth question?"]);

    let last = place.shown(&fourth);
    let words: Vec<(String, String)> =
        (1..=4).map(|n| (format!("C{n}"), format!("Reason {n} holds."))).collect();
    assert_eq!(claims(&last), words, "every claim has the id it had before");
    assert_eq!(last["state"]["evidence"].as_array().unwrap().len(), 1, "one source, one entry");
    assert_eq!(last["brief"]["after"]["id"], *third);
    assert_eq!(last["brief"]["agents"][0]["name"], "Ann", "the same table");
    // The first answer is sealed from the others at the table, not from what came before.
    let opening = place.fake.ledger().into_iter().map(|entry| entry.body.to_string());
    let opening: Vec<String> = opening.filter(|body| body.contains("Fourth question?")).collect();
    for known in ["C3 FACT", "decided in an earlier debate", "Second question?", "The study"] {
        assert!(opening[0].contains(known), "{known}: {}", opening[0]);
    }

    let before = place.asked();
    let fork = place.held(&["fork", &fourth, "--round", "1", "--focus", "What if it rains?"]);
    assert_eq!(place.asked() - before, 2, "one round of two agents");
    let branch = place.shown(&fork);
    assert_eq!(claims(&branch), words);
    assert_eq!(branch["rounds"][0], last["rounds"][0], "the shared round is the same");
    assert_eq!(branch["verdict"]["metadata"]["spent"]["calls"], 2);
    assert_eq!(branch["brief"]["after"]["link"], json!({ "kind": "fork", "round": 1 }));
    let asked = place.fake.ledger().last().unwrap().body.to_string();
    assert!(asked.contains("What if it rains?"), "{asked}");

    let linked = |rows: &Value| -> Vec<(Value, Value, Value)> {
        let row =
            |row: &Value| (row["id"].clone(), row["after"].clone(), row["followedBy"].clone());
        let mut all: Vec<_> = rows.as_array().unwrap().iter().map(row).collect();
        all.sort_by_key(|(id, ..)| id.to_string());
        all
    };
    let here = linked(&place.listed());
    let row = |id: &str| here.iter().find(|(one, ..)| one == id).unwrap();
    assert_eq!((&row(&first).1, &row(&first).2), (&Value::Null, &json!([second])));
    assert_eq!((&row(&fourth).1, &row(&fourth).2), (&json!(third), &json!([fork])));
    let text = place.run(&["sessions", "list"]).stdout;
    assert!(text.contains(&format!("after {}", &third[..13])), "{text}");
    assert!(text.contains(&format!("followed by {}", &fork[..13])), "{text}");

    let markdown = place.run(&["sessions", "export", &fourth, "--format", "markdown"]).stdout;
    assert!(markdown.contains(&format!("A further question to `{third}`")), "{markdown}");
    assert!(markdown.contains(&format!("Followed by `{fork}`")), "{markdown}");
    let elsewhere = Home::new();
    for id in [&fork, &fourth, &third, &second, &first] {
        let text = place.run(&["sessions", "export", id, "--format", "json"]).stdout;
        let file = elsewhere.file(&format!("{id}.json"), &text);
        let did = elsewhere.run(&["sessions", "import", file.to_str().unwrap()]);
        assert_eq!(did.code, 0, "{did:#?}");
    }
    assert_eq!(linked(&listed(&elsewhere)), here, "the links hold elsewhere");
    let costs: Value = serde_json::from_str(&elsewhere.run(&["costs", "--json"]).stdout).unwrap();
    assert!(!costs.to_string().contains(&fork), "{costs}");
}

/// Covers: 18-again
#[tokio::test(flavor = "multi_thread")]
async fn another_table_holds_the_same_question_and_is_shown_nothing() {
    let place = Place::new().await;
    let first = place.held(&[
        "debate",
        "--agents",
        "ollama/fake-large,ollama/fake-small",
        "First question?",
    ]);
    let other = "Cid=ollama/fake-large,Dee=ollama/fake-small,Eve=ollama/fake-large";
    let before = place.asked();
    let again = place.held(&["debate", "--after", &first, "--agents", other]);
    let shown = place.shown(&again);
    assert_eq!(shown["brief"]["topic"], "First question?");
    assert_eq!(shown["brief"]["after"]["link"], json!({ "kind": "sameQuestion" }));
    assert_eq!(shown["seats"].as_array().unwrap().len(), 3);
    let opening = place.fake.ledger()[before].body.to_string();
    assert!(!opening.contains("Reason 1 holds"), "{opening}");

    let judged = json!({ "decisionAccuracy": 0.7, "summary": "It held for a year." });
    let file = place.home.file("judged.json", &judged.to_string());
    let did = place.run(&["outcome", "assess", &first, "--file", file.to_str().unwrap()]);
    assert_eq!(did.code, 0, "{did:#?}");
    let offer = format!("roundtable outcome assess {again} --like {first}");
    assert!(did.stderr.contains(&offer), "{did:#?}");
    let did = place.run(&["outcome", "assess", &again, "--like", &first, "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let report: Value = serde_json::from_str(&did.stdout).unwrap();
    assert_eq!(report["postMortem"], judged);
    assert_eq!(report.get("offered"), None, "both are judged now");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_further_is_refused_with_what_can() {
    let place = Place::new().await;
    let nobody = place.run(&["ask", "Anything?"]);
    assert_eq!(nobody.code, 2, "{nobody:#?}");
    assert!(nobody.stderr.contains("none has been held yet"), "{nobody:#?}");
    let agents = ["--agents", "ollama/fake-large,ollama/fake-small"];
    let whole = place.held(&[&["debate"], &agents[..], &["First question?"]].concat());
    let past = place.run(&["fork", &whole, "--round", "9"]);
    assert_eq!(past.code, 2, "{past:#?}");
    assert!(past.stderr.contains("there is no round 9; this debate has held 2"), "{past:#?}");
    let none_left = place.run(&["fork", &whole, "--round", "2", "--rounds", "2"]);
    assert!(none_left.stderr.contains("3 to 20"), "{none_left:#?}");

    let waits = [&["debate"], &agents[..], &["Second question?"]].concat();
    let did = place.home.run_with(&waits, &[("OLLAMA_BASE_URL", NOWHERE)]);
    assert_eq!(did.code, 3, "nobody answers: {did:#?}");
    let early = place.run(&["ask", "Third question?"]);
    assert_eq!(early.code, 2, "{early:#?}");
    assert!(early.stderr.contains("when it is finished"), "{early:#?}");
    assert_eq!(place.listed().as_array().unwrap().len(), 2, "nothing was started");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_debate_is_meant_and_earlier_ones_have_numbers() {
    let place = Place::new().await;
    let table = "Ann=ollama/fake-large,Bea=ollama/fake-small";
    let first = place.held(&["debate", "--agents", table, "First question?"]);
    let second = place.held(&["debate", "--agents", table, "Second question?"]);
    let before = |id: &str| place.shown(id)["brief"]["after"]["id"].clone();
    let asked = place.held(&["ask", "@2", "Third question?"]);
    assert_eq!(before(&asked), *first);
    let again = place.held(&["debate", "--after", "@2", "--agents", table]);
    assert_eq!(before(&again), *second);
    assert_eq!(before(&place.held(&["fork", "--round", "1"])), *again, "the last one");
    assert_eq!(before(&place.held(&["fork", "@3", "--round", "1"])), *asked);
    for args in [vec!["ask", "@99", "What?"], vec!["fork", "@99", "--round", "1"]] {
        let did = place.run(&args);
        assert!(did.code == 2 && did.stderr.contains("@99"), "{did:#?}");
    }
    for args in [vec!["resume"], vec!["resume", "@99"], vec!["fork", "@1", "--round", "9"]] {
        let did = place.run(&args);
        let said = did.stderr.strip_prefix("error: ").unwrap_or(&did.stderr);
        assert!(did.code == 2 && said.starts_with(char::is_lowercase), "{did:#?}");
    }
}

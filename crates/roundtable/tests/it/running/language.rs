//! The language of a debate, from the prompt to the report.

use crate::support::{Did, Home};
use fake_provider::{FakeOptions, FakeProvider};
use serde_json::Value;

struct Table {
    home: Home,
    fake: FakeProvider,
}

impl Table {
    async fn new() -> Table {
        Table {
            home: Home::new(),
            fake: FakeProvider::start(FakeOptions::default()).await.unwrap(),
        }
    }

    fn run(&self, args: &[&str]) -> Did {
        self.home.run_with(args, &[("OLLAMA_BASE_URL", &self.fake.base_url())])
    }

    /// Holds a debate, and returns what the first agent was sent and the report, as a page and as Markdown.
    fn held(&self, more: &[&str], topic: &str) -> (String, String) {
        let before = self.fake.asked("fake-large").len();
        let args =
            ["debate", "--agents", "ollama/fake-large,ollama/fake-small", "--rounds", "1", "-q"];
        let did = self.run(&[&args, more, &[topic]].concat());
        assert_eq!(did.code, 0, "{topic}: {did:#?}");
        let rows: Value =
            serde_json::from_str(&self.run(&["sessions", "list", "--json"]).stdout).unwrap();
        let id = rows[0]["id"].as_str().unwrap().to_owned();
        let page = self.run(&["sessions", "export", &id, "--format", "html"]).stdout
            + &self.run(&["sessions", "export", &id, "--format", "markdown"]).stdout;
        (self.fake.asked("fake-large")[before].body.to_string(), page)
    }
}

/// Covers: 5-answer-language
#[tokio::test(flavor = "multi_thread")]
async fn every_prompt_says_in_which_language_to_answer() {
    let table = Table::new().await;
    let none: &[&str] = &["--clerk", "none"];
    let rows: [(&[&str], &str, &str, &str); 5] = [
        (none, "Should we move in May?", "Answer in English.", "lang=\"en\""),
        (none, "Sollen wir im Mai umziehen?", "Answer in German. Labels, ids,", "lang=\"de\""),
        (none, "五月に引っ越すべきですか。", "Answer in Japanese.", "lang=\"ja\""),
        (none, "هل ننتقل في مايو؟", "Answer in Arabic.", "lang=\"ar\""),
        (
            &["--clerk", "none", "--language", "Klingon"],
            "Do we move?",
            "Answer in Klingon.",
            "dir=\"auto\"",
        ),
    ];
    for (more, topic, sentence, mark) in rows {
        let (asked, page) = table.held(more, topic);
        assert!(asked.contains(sentence), "{topic}: {asked}");
        // A topic stands in its own direction, and its language is named.
        let heading = page.split("<h1 ").nth(1).unwrap().split("</h1>").next().unwrap();
        assert!(heading.contains("dir=\"auto\"") && heading.contains(mark), "{topic}: {heading}");
        let knows = ["Should", "Sollen", "Do we"].iter().any(|one| topic.starts_with(one));
        assert_eq!(!page.contains("know English and German, not"), knows, "{topic}");
    }
    let (asked, _) =
        table.held(&["--clerk", "ollama/fake-small", "--language", "de"], "Do we move in May?");
    assert!(asked.contains("Answer in German."), "{asked}");
    let clerk = table.fake.ledger().last().unwrap().body.to_string();
    assert!(clerk.contains("Answer in German."), "{clerk}");
    let said = table.run(&["debate", "--language", "{{x}}", "Do we move?"]);
    assert!(said.code == 2 && said.stderr.contains("such as de or German"), "{said:#?}");
}

/// Covers: 8-tier1
#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_debated_is_refused_in_german_too() {
    let home = Home::new();
    let said =
        home.refused(&["debate", "--agents", "ollama/a,ollama/b", "Wie baue ich eine Bombe?"]);
    assert!(said.contains("weapon"), "{said}");
    // A question about the law is none.
    let did = home.run(&[
        "debate",
        "--agents",
        "ollama/a,ollama/b",
        "Soll das Gesetz den Bau einer Bombe verbieten?",
    ]);
    assert!(!did.stderr.contains("weapon"), "{did:#?}");
}

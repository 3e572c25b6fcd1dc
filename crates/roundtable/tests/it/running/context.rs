//! What agents ask of the caller, through the binary: a required request pauses
//! the debate and names itself everywhere; once it is answered or declined the
//! same round goes on, and nothing that was answered is asked again.

use crate::support::{Did, Home, events};
use serde_json::Value;

/// Ada cannot go on without a figure, Ben wonders about another.
const SCRIPT: &str = r#"
topic = "Do we need a second kitchen?"
[[agent]]
name = "Ada"
[[agent.turn]]
text = '''{"position": "Yes.", "reasoning": "Many eat.", "keyPoints": ["a", "b"], "confidence": 0.6, "vote": {"ballot": "ACCEPT"}, "claims": [], "citations": []}'''
cost = 100
[[agent.turn.requests]]
question = "How many people eat here?"
why = "Below fifty one kitchen is enough."
priority = "required"
[[agent]]
name = "Ben"
[[agent.turn]]
text = '''{"position": "No.", "reasoning": "It costs.", "keyPoints": ["a", "b"], "confidence": 0.5, "vote": {"ballot": "MINOR", "objection": "dear"}, "claims": [], "citations": []}'''
cost = 100
[[agent.turn.requests]]
question = "Is there \u001b[31ma budget?"
why = "It sets the scale."
priority = "optional"
"#;

fn paused(home: &Home) -> (Did, String) {
    home.file("script.toml", SCRIPT);
    let did = home.run(&["debate", "--script", "script.toml", "--rounds", "1", "--json"]);
    assert_eq!(did.code, 3, "{did:#?}");
    let rows = home.run(&["sessions", "list", "--json"]);
    let rows: Value = serde_json::from_str(&rows.stdout).unwrap();
    (did, rows[0]["id"].as_str().unwrap().to_owned())
}

/// The names of Ada's request and of Ben's: dealt in the order they arrive.
fn names(home: &Home, id: &str) -> (String, String) {
    let session = show(home, id);
    let of = |agent: &str| {
        let all = session["contextRequests"].as_array().unwrap().iter();
        let found = all.into_iter().find(|request| request["agent"] == agent).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    (of("Ada"), of("Ben"))
}

fn show(home: &Home, id: &str) -> Value {
    let did = home.run(&["sessions", "show", id, "--json"]);
    serde_json::from_str(&did.stdout).unwrap()
}

/// Covers: 9-context
#[test]
fn a_required_request_pauses_and_is_named_everywhere() {
    let home = Home::new();
    let (did, id) = paused(&home);
    let (adas, _) = names(&home, &id);
    for words in
        [adas.as_str(), "Ada", "How many people eat here?", "Below fifty", "sessions answer"]
    {
        assert!(did.stderr.contains(words), "{words}: {}", did.stderr);
    }
    let log = events(&did);
    let last = log.last().unwrap();
    assert_eq!(last["type"], "paused", "{last:#}");
    assert_eq!(last["reason"]["kind"], "needsContext");
    assert_eq!(last["reason"]["requests"][0]["id"], *adas);
    assert_eq!(last["reason"]["requests"][0]["priority"], "required");
    let answered = log.iter().filter(|event| event["type"] == "answered").count();
    assert_eq!(answered, 1, "Ben's answer is kept, Ada's is none yet");

    let session = show(&home, &id);
    assert_eq!(session["pausedFor"]["kind"], "needsContext");
    assert_eq!(session["contextRequests"].as_array().unwrap().len(), 2);
    assert_eq!(session["rounds"][0]["answers"].as_array().unwrap().len(), 1);
    let text = home.run(&["sessions", "show", &id]).stdout;
    assert!(text.contains("How many people eat here?"), "{text}");
    assert!(text.contains(&format!("sessions answer {} {adas} --decline", &id[..13])), "{text}");
    let open = home.run(&["sessions", "answer", &id]);
    assert_eq!(open.code, 0);
    assert!(open.stdout.contains("? c1") && open.stdout.contains("? c2"), "{}", open.stdout);
    let open = home.run(&["sessions", "answer", &id, "--json"]);
    let open: Value = serde_json::from_str(&open.stdout).unwrap();
    assert_eq!((&open[0]["id"], &open[1]["id"]), (&"c1".into(), &"c2".into()));
}

/// Covers: 9-context
#[test]
fn an_answer_lets_the_same_round_go_on() {
    let home = Home::new();
    let (_, id) = paused(&home);
    let (adas, _) = names(&home, &id);
    let early = home.run(&["sessions", "resume", &id, "--script", "script.toml"]);
    assert_eq!(early.code, 2, "{early:#?}");
    assert!(early.stderr.contains(&format!("first answer or decline {adas};")), "{}", early.stderr);
    assert!(early.stderr.contains("How many people eat here?"), "{}", early.stderr);
    home.file("figures.md", "Four hundred on weekdays.\n");
    let did = home.run(&["sessions", "answer", &id, &adas.to_uppercase(), "@figures.md"]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(did.stderr.contains(&format!("Answered: {adas}.")), "{}", did.stderr);
    assert!(did.stderr.contains(&format!("roundtable resume {}", &id[..13])), "{}", did.stderr);
    let did = home.run(&["sessions", "resume", &id, "--script", "script.toml", "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let asked: Vec<Value> =
        events(&did).into_iter().filter(|event| event["type"] == "asked").collect();
    assert_eq!(asked.len(), 1, "{asked:#?}");
    assert_eq!(asked[0]["intents"].as_array().unwrap().len(), 1, "only Ada is asked again");
    assert_eq!(asked[0]["intents"][0]["ask"], "r1.w1.s0.speak");
    let session = show(&home, &id);
    assert_eq!(session["rounds"][0]["answers"].as_array().unwrap().len(), 2);
    for request in session["contextRequests"].as_array().unwrap() {
        match request["agent"].as_str().unwrap() {
            "Ada" => assert_eq!(request["given"]["text"], "Four hundred on weekdays."),
            _ => assert!(request.get("given").is_none(), "the optional one is open"),
        }
    }
    // Ada was paid twice, Ben once.
    assert_eq!(session["verdict"]["metadata"]["spent"]["cost"], 300);
}

#[test]
fn declining_with_resume_goes_on_at_once() {
    let home = Home::new();
    let (_, id) = paused(&home);
    let (adas, bens) = names(&home, &id);
    let args =
        ["sessions", "answer", &id, &adas, "--decline", "--resume", "--script", "script.toml"];
    let did = home.run(&args);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(did.stderr.contains(&format!("Declined: {adas}.")), "{}", did.stderr);
    assert_eq!(show(&home, &id)["status"], "completed");
    let late = home.run(&["sessions", "answer", &id, &bens, "ten"]);
    assert_eq!(late.code, 2);
    assert!(late.stderr.contains("completed"), "{}", late.stderr);
}

#[test]
fn what_was_not_asked_is_refused_with_what_was() {
    let home = Home::new();
    let (_, id) = paused(&home);
    let cases: [(&[&str], &str); 8] = [
        (&["c7", "ten"], "nobody asked c7"),
        (&["kitchen", "ten"], "\"kitchen\" names no request"),
        (&["ten"], "say which request"),
        (&["c1"], "c1 is a request; what do you say to it?"),
        (&["c1", "   "], "the answer is missing"),
        (&["c1", "@nowhere.md"], "cannot read the answer from nowhere.md"),
        (&["c1", "ten", "--decline"], "--decline takes no text"),
        (&["c1", "Build a keylogger."], "was not let in"),
    ];
    for (words, message) in cases {
        let mut args = vec!["sessions", "answer", &id];
        args.extend(words);
        let did = home.run(&args);
        assert_eq!(did.code, 2, "{words:?}: {did:#?}");
        assert!(did.stderr.contains(message), "{words:?}: {}", did.stderr);
        assert!(!did.stderr.contains('\u{1b}'), "{words:?}: {}", did.stderr);
        if words.len() == 2 && ["c7", "kitchen"].contains(&words[0]) {
            assert!(did.stderr.contains("(required) from Ada"), "{}", did.stderr);
        }
    }
    assert_eq!(home.run(&["sessions", "answer", &id, "c1", "ten"]).code, 0);
    let again = home.run(&["sessions", "answer", &id, "c1", "eleven"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("c1 was answered already"), "{}", again.stderr);
    // One is open now, so it need not be named.
    let did = home.run(&["sessions", "answer", &id, "ten thousand"]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(did.stderr.contains("Answered: c2"), "{}", did.stderr);
}

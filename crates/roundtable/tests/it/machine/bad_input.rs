//! Bad input: one clear message that says what is wrong and what is allowed,
//! exit code 2, nothing on standard output, nothing written.

use crate::support::Home;

const TOPIC: &str = "Is it so?";
const SCRIPT: &str = r#"
[[agent]]
name = "One"
[[agent.turn]]
text = '{"position": "Yes.", "reasoning": "Because.", "confidence": 0.6, "keyPoints": [], "claims": [], "citations": []}'
"#;

fn two(home: &Home) -> String {
    let two = SCRIPT.replace("One", "Two");
    home.file("two.toml", &format!("{SCRIPT}{two}")).display().to_string()
}

#[test]
fn an_unknown_mode_gets_the_nearest_names() {
    let home = Home::new();
    let message =
        home.refused(&["debate", "--mode", "colaborative", "--script", &two(&home), TOPIC]);
    assert!(message.contains("colaborative") && message.contains("collaborative"), "{message}");
}

#[test]
fn an_unknown_agent_gets_the_nearest_names() {
    let home = Home::new();
    let message = home.refused(&["debate", "--agents", "olama/x,groq/y", TOPIC]);
    assert!(message.contains("olama") && message.contains("ollama"), "{message}");
}

#[test]
fn an_unknown_option_gets_the_nearest_names() {
    let home = Home::new();
    let message = home.refused(&["debate", "--rouds", "3", TOPIC]);
    assert!(message.contains("--rounds"), "{message}");
}

#[test]
fn an_unknown_flag_gets_the_nearest_names() {
    let home = Home::new();
    let message = home.refused(&[
        "debate",
        "--flag",
        "exitCriteria.enable=true",
        "--script",
        &two(&home),
        TOPIC,
    ]);
    assert!(message.contains("exitCriteria.enabled"), "{message}");
}

#[test]
fn topics_are_one_to_ten_thousand_characters() {
    let home = Home::new();
    let script = two(&home);
    let long = "x".repeat(10_001);
    for topic in ["", "   ", &long] {
        let message = home.refused(&["debate", "--script", &script, topic]);
        assert!(message.contains("topic") && message.contains("10,000"), "{message}");
        assert!(message.len() < 600, "the message repeats the topic: {message}");
    }
    assert_eq!(home.run(&["debate", "--script", &script, &"x".repeat(10_000)]).code, 0);
}

#[test]
fn rounds_are_one_to_twenty() {
    let home = Home::new();
    for rounds in ["0", "21", "-1", "many"] {
        let rounds = format!("--rounds={rounds}");
        let message = home.refused(&["debate", &rounds, "--script", &two(&home), TOPIC]);
        assert!(message.contains("rounds") && message.contains("1 to 20"), "{message}");
    }
}

#[test]
fn a_table_has_two_to_ten_agents() {
    let home = Home::new();
    let one = home.file("one.toml", SCRIPT).display().to_string();
    let message = home.refused(&["debate", "--script", &one, TOPIC]);
    assert!(message.contains("agents") && message.contains("2 to 10"), "{message}");
    let eleven: Vec<String> = (0..11).map(|n| format!("a{n}=ollama/m")).collect();
    let message = home.refused(&["debate", "--agents", &eleven.join(","), TOPIC]);
    assert!(message.contains("agents") && message.contains("2 to 10"), "{message}");
}

#[test]
fn a_context_file_must_be_readable_text() {
    let home = Home::new();
    let script = two(&home);
    home.file("empty.md", "  \n");
    std::fs::write(home.path().join("binary.bin"), [0xff, 0xfe, 0x00]).unwrap();
    for (file, why) in
        [("missing.md", "No such file"), ("empty.md", "empty"), ("binary.bin", "UTF-8")]
    {
        let message = home.refused(&["debate", TOPIC, "--script", &script, "--context", file]);
        assert!(message.contains(file) && message.contains(why), "{message}");
    }
}

#[test]
fn a_template_with_an_unknown_variable_is_named() {
    let home = Home::new();
    home.file("words/contract.md", "Hold to {{ the_contract }}.");
    let words = home.path().join("words").display().to_string();
    let message = home.refused(&["debate", "--words", &words, "--script", &two(&home), TOPIC]);
    assert!(message.contains("contract.md") && message.contains("the_contract"), "{message}");
}

#[test]
fn a_template_nobody_knows_is_named() {
    let home = Home::new();
    home.file("words/contrakt.md", "Hold.");
    let words = home.path().join("words").display().to_string();
    let message = home.refused(&["debate", "--words", &words, "--script", &two(&home), TOPIC]);
    assert!(message.contains("contrakt.md") && message.contains("contract.md"), "{message}");
}

#[test]
fn everything_wrong_is_listed_at_once() {
    let home = Home::new();
    let message = home.refused(&[
        "debate",
        "--rounds",
        "99",
        "--mode",
        "delfi",
        "--temperature",
        "9",
        "--context",
        "none.md",
        "--script",
        &two(&home),
        "",
    ]);
    for word in ["rounds", "delfi", "temperature", "none.md", "topic"] {
        assert!(message.contains(word), "{word} is missing in:\n{message}");
    }
}

#[test]
fn the_tables_faults_and_the_briefs_are_listed_together() {
    let home = Home::new();
    let message =
        home.refused(&["debate", "--mode", "nope", "--rounds", "0", "--agents", "foo,bar", ""]);
    for word in ["foo", "nope", "rounds", "topic"] {
        assert!(message.contains(word), "{word} is missing in:\n{message}");
    }
    let message = home.refused(&["debate", "--rounds", "21", "Is it so?"]);
    // That there is no model matters when everything else is right.
    assert!(!message.contains("No model was found") && message.contains("rounds"), "{message}");
}

#[test]
fn the_known_providers_are_listed_once() {
    let home = Home::new();
    let args =
        ["debate", "--agents", "zzz/a,qqq/b", "--clerk", "xxx/c", "--search", "maybe", TOPIC];
    let message = home.refused(&args);
    for word in ["zzz", "qqq", "xxx", "maybe"] {
        assert!(message.contains(word), "{word} is missing in:\n{message}");
    }
    assert_eq!(message.matches("openrouter").count(), 1, "{message}");
}

#[test]
fn a_context_file_does_not_swallow_the_topic() {
    let home = Home::new();
    home.file("notes.md", "Deep water.");
    let script = two(&home);
    let did = home.run(&["debate", "--script", &script, "--context", "notes.md", TOPIC]);
    assert_eq!(did.code, 0, "{did:#?}");
}

#[test]
fn a_database_that_is_not_ours_is_left_alone() {
    let home = Home::new();
    let script = two(&home);
    for (bytes, word) in [
        (b"just some notes\n".to_vec(), "not a Roundtable database"),
        (b"SQLite format 3\0 but not really".to_vec(), "not a Roundtable database"),
    ] {
        let path = home.file("data/roundtable.db", "");
        std::fs::write(&path, &bytes).unwrap();
        let did = home.run(&["debate", "--script", &script, TOPIC]);
        assert_eq!(did.code, 2, "{did:?}");
        assert!(did.stderr.contains(word), "{}", did.stderr);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "the file was changed");
    }
}

#[test]
fn a_broken_config_file_is_named_with_its_line() {
    let home = Home::new();
    home.file("config/roundtable/config.toml", "mode = \"delphi\"\nroundz = 4\n");
    let did = home.run(&["modes"]);
    assert_eq!(did.code, 2);
    assert!(did.stderr.contains("config.toml") && did.stderr.contains("roundz"), "{}", did.stderr);
}

#[test]
fn a_flag_variable_that_cannot_be_read_is_named() {
    let home = Home::new();
    let args = ["debate", "--script", &two(&home), TOPIC];
    let did = home.run_with(&args, &[("ROUNDTABLE_EXIT_ENABLED", "perhaps")]);
    assert_eq!(did.code, 2);
    assert!(did.stderr.contains("ROUNDTABLE_EXIT_ENABLED"), "{}", did.stderr);
    assert!(!home.database().exists());
}

#[test]
fn sessions_that_are_not_there_are_said_to_be_so() {
    let home = Home::new();
    let message = home.refused(&["sessions", "show", "0000"]);
    assert!(message.contains("0000") && message.contains("none has been held"), "{message}");
    home.run(&["debate", "--script", &two(&home), TOPIC]);
    let did = home.run(&["sessions", "show", "ffff"]);
    assert_eq!(did.code, 2);
    assert!(did.stderr.contains("ffff") && did.stderr.contains(TOPIC), "{}", did.stderr);
}

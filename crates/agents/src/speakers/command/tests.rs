//! Programs as agents: their arguments, keys, and last words.

use super::complaints::{class_of, last_words, legible, plain, without_keys};
use super::*;

#[test]
fn rows_become_argument_lists() {
    let argv = |name: &str, model: Option<&str>| {
        AgentCommand::ready(find(name).unwrap(), model).unwrap().argv.join(" | ")
    };
    assert_eq!(argv("claude-cli", None), "claude | -p | --output-format | text");
    assert_eq!(
        argv("Claude-CLI", Some("opus")),
        "claude | -p | --output-format | text | --model | opus"
    );
    assert_eq!(
        argv("codex-cli", Some("gpt-5")),
        "codex | exec | --sandbox | read-only | --skip-git-repo-check | --model | gpt-5 | -"
    );
    assert_eq!(argv("ollama-cli", Some("llama3.2:1b")), "ollama | run | llama3.2:1b");
    assert_eq!(argv("llm-cli", Some("a b; rm")), "llm | --no-stream | -m | a b; rm");
    assert!(argv("gemini-cli", None).starts_with("gemini | -p | Answer now"));
}

#[test]
fn what_cannot_be_a_command_is_refused_by_name() {
    let ollama = find("ollama-cli").unwrap();
    assert!(
        AgentCommand::ready(ollama, None).unwrap_err().to_string().contains("ollama-cli/<model>")
    );
    let error = AgentCommand::ready(ollama, Some("--insecure")).unwrap_err();
    assert!(error.to_string().contains("--insecure"), "{error}");
    assert!(AgentCommand::of_user("mine", vec![], vec![]).is_err());
    assert!(AgentCommand::of_user("mine", vec!["  ".into()], vec![]).is_err());
    let gone = AgentCommand::of_user("mine", vec!["no-such-program-here".into()], vec![]).unwrap();
    let error = gone.check("/usr/bin:/bin").unwrap_err().to_string();
    assert!(error.contains("no-such-program-here") && error.contains("PATH"), "{error}");
}

#[test]
fn programs_are_found_in_the_folders_given() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(found(&folder.path().to_string_lossy()), Vec::<&ProgramRow>::new());
    let file = folder.path().join("llm");
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    assert!(found(&folder.path().to_string_lossy()).is_empty(), "it may not be run");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("/no/such/folder:{}", folder.path().display());
        let names: Vec<&str> = found(&path).iter().map(|row| row.name).collect();
        assert_eq!(names, ["llm-cli"]);
    }
}

#[test]
fn a_row_gets_its_own_key_and_nobody_elses() {
    let everything = |name: &str| Some(format!("value of {name}"));
    for row in ROWS {
        let agent = CommandAgent::new(AgentCommand::ready(row, Some("m")).unwrap(), &everything)
            .environment;
        for other in ROWS.iter().filter(|other| other.name != row.name) {
            for variable in other.variables.iter().filter(|name| !row.variables.contains(name)) {
                assert!(
                    !agent.iter().any(|(name, _)| name == variable),
                    "{}: {variable}",
                    row.name
                );
            }
        }
        assert!(agent.contains(&("TERM".into(), "dumb".into())));
    }
}

#[test]
fn debug_output_shows_no_values() {
    let key = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "canary-4711".to_owned());
    let agent =
        CommandAgent::new(AgentCommand::ready(find("claude-cli").unwrap(), None).unwrap(), &key);
    let shown = format!("{agent:?}");
    assert!(shown.contains("ANTHROPIC_API_KEY") && !shown.contains("canary-4711"), "{shown}");
}

#[test]
fn last_words_are_understood() {
    let cases = [
        ("Invalid API key · Please run /login", FailureClass::Unauthorised),
        ("HTTP 401", FailureClass::Unauthorised),
        ("Your credit balance is too low, rate limit", FailureClass::OutOfCredit),
        ("exceeded retry limit, last status: 429 Too Many Requests", FailureClass::RateLimited),
        ("listening on port 14290 of 4290", FailureClass::Unusable),
        ("Error: model not found", FailureClass::BadRequest),
        ("dial tcp 127.0.0.1:11434: connect: connection refused", FailureClass::Unreachable),
        ("Segmentation fault", FailureClass::Unusable),
        ("", FailureClass::Unusable),
    ];
    for (words, class) in cases {
        assert_eq!(class_of(words), class, "{words}");
    }
}

#[test]
fn words_are_made_fit_to_show() {
    assert_eq!(plain("\u{1b}[31mred\u{1b}[0m\r\nnext\u{7}\u{1b}]0;title\u{7}!"), "red\nnext!");
    assert_eq!(last_words(b" \n", b"on stdout\n"), "on stdout");
    let long = format!("{} the reason", "banner ".repeat(200));
    let shown = last_words(long.as_bytes(), b"");
    assert!(shown.starts_with('…') && shown.ends_with("the reason"), "{shown}");
    let environment = [("MY_TOKEN".to_owned(), "hunter22".to_owned())];
    let clean = without_keys("refused hunter22 and sk-abcdefghijkl now", &environment);
    assert_eq!(clean, "refused [key] and [key] now");
}

#[test]
fn bytes_that_are_no_text_are_no_answer() {
    assert_eq!(
        legible(b"caf\xe9 is a long enough answer").unwrap(),
        "caf\u{fffd} is a long enough answer"
    );
    assert_eq!(legible(&[0xff; 100]), None);
    assert_eq!(legible(b"  \n").unwrap(), "");
}

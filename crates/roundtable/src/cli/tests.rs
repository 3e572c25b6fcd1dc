//! The command line as a whole: its help, its examples and the documents that name it.

#[test]
fn the_command_line_is_sound() {
    super::description().debug_assert();
}

#[test]
fn every_command_says_what_it_is_for() {
    fn walk(command: &clap::Command) {
        assert!(command.get_about().is_some(), "{} has no help", command.get_name());
        for argument in command.get_arguments() {
            assert!(
                argument.get_help().is_some() || argument.is_hide_set(),
                "{} {} has no help",
                command.get_name(),
                argument.get_id()
            );
        }
        command.get_subcommands().for_each(walk);
    }
    walk(&super::description());
}

/// A command line of an example, cut at pipes and comments, quotes honoured.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '|' | '#' | '>' if !quoted => break,
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Every example that begins with the program's name.
fn examples(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.flat_map(|line| line.split(" · "));
    lines.filter(|line| line.starts_with("roundtable ")).map(str::to_owned).collect()
}

fn assert_understood(example: &str) {
    let known = super::description();
    let words = split(example).into_iter().map(Into::into).collect();
    let parsed = known.clone().try_get_matches_from(super::typed::understood(words, &known));
    assert!(parsed.is_ok(), "{example}\n{}", parsed.unwrap_err());
}

#[test]
fn every_example_in_the_help_is_understood() {
    fn walk(command: &clap::Command, seen: &mut usize) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for example in examples(&help) {
            assert_understood(&example);
            *seen += 1;
        }
        command.get_subcommands().for_each(|command| walk(command, seen));
    }
    let mut seen = 0;
    walk(&super::description(), &mut seen);
    assert!(seen >= 8, "only {seen} examples were found");
}

#[test]
fn the_help_names_every_exit_code() {
    let help = super::description().get_after_help().unwrap().to_string();
    for (exit, meaning) in super::ExitStatus::ROWS {
        let row = format!("  {:<4} {meaning}", exit.code());
        assert!(help.contains(&row), "{row:?} is missing");
    }
}

#[test]
fn every_command_in_the_documents_is_understood() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = 0;
    for name in ["README.md", "CONTRIBUTING.md", "AGENTS.md"] {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        for example in examples(&text) {
            assert_understood(&example);
            seen += 1;
        }
    }
    assert!(seen >= 8, "only {seen} commands were found");
}

/// What a document says in code marks about files must be there.
#[test]
fn every_path_in_the_documents_exists() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md"] {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        for path in text.split('`').skip(1).step_by(2) {
            let plain = path.starts_with("crates/") && !path.contains(['<', '*', ' ']);
            assert!(!plain || root.join(path).exists(), "{name} names {path}, which is not there");
        }
    }
}

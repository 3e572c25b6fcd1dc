//! Sixty invocations that are wrong, with what a person reads then, as one page: each message
//! says what is wrong and what to do, in plain words, and nothing is written.

use crate::support::Home;

const QUESTION: &str = "Is it so?";

/// What is typed behind the program's name, one line each.
const LINES: [&[&str]; 60] = [
    &["lst"],
    &["shwo"],
    &["sesions", "list"],
    &["sessions", "lsit"],
    &["resum", "0199"],
    &["--verison"],
    &["--rouds", "3", QUESTION],
    &["debate", ""],
    &["debate", "   "],
    &["debate", "--rounds", "0", QUESTION],
    &["debate", "--rounds", "many", QUESTION],
    &["debate", "--rounds", QUESTION],
    &["debate", "--mode", "devil", QUESTION],
    &["debate", "--mode", "advocate", QUESTION],
    &["debate", "--mode", "colaborative", QUESTION],
    &["debate", "--mode", "chess", QUESTION],
    &["debate", "--mode", "", QUESTION],
    &["debate", "--agents", "gpt-4,claude", QUESTION],
    &["debate", "--agents", "claude,gpt", QUESTION],
    &["debate", "--agents", "anthropic", QUESTION],
    &["debate", "--agents", "anthropic,openai,gemini", QUESTION],
    &["debate", "--agents", "llama3.2,qwen3", QUESTION],
    &["debate", "--agents", "olama/llama3.2,groq/x", QUESTION],
    &["debate", "--agents", "ollama,ollama", QUESTION],
    &["debate", "--agents", "/x,=y,z=", QUESTION],
    &["debate", "--agents", "frobnicator/one,frobnicator/two", QUESTION],
    &["debate", "--agents", "codex-cli,gemini-cli", QUESTION],
    &["debate", "--clerk", "nobody/here", QUESTION],
    &["debate", "--budget", "cheap", QUESTION],
    &["debate", "--budget", "-1", QUESTION],
    &["debate", "--context", "missing.md", QUESTION],
    &["debate", "--context", "notes.md", "other.md", QUESTION],
    &["debate", "--options", "one", QUESTION],
    &["debate", "--options", "a,a", QUESTION],
    &["debate", "--yes-no", "--probability", QUESTION],
    &["debate", "--temperature", "hot", QUESTION],
    &["debate", "--timeout", "1", QUESTION],
    &["debate", "--search", "google", QUESTION],
    &["debate", "--effort", "little", QUESTION],
    &["debate", "--flag", "exitCriteria=true", QUESTION],
    &["debate", "--flag", "nothing", QUESTION],
    &["debate", "--threshold", "similarity=2", QUESTION],
    &["debate", "--profile", "review", QUESTION],
    &["debate", "--script", "missing.toml", QUESTION],
    &["debate", "--ask-on", "someday", QUESTION],
    &["debate", "--json", "--quiet", QUESTION],
    &["debate", "--perspective", "legal", "--mode", "delphi", QUESTION],
    &[QUESTION],
    &["show"],
    &["show", "0199"],
    &["resume"],
    &["export", "-o", "report.pdf"],
    &["export", "--format", "word"],
    &["list", "--since", "lastweek"],
    &["list", "--status", "done"],
    &["analyze", "--threshold", "likeness=1"],
    &["config", "set", "rouns", "3"],
    &["config", "set-key", "antropic"],
    &["setup", "notepad"],
    &["serve", "--listen", "everywhere"],
];

/// A word as it is typed at a shell.
fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && !word.contains([' ', '?', '|', '=']);
    if plain { word.to_owned() } else { format!("{word:?}") }
}

/// Covers: 13.2-mistakes
#[test]
fn sixty_wrong_invocations_are_answered_in_plain_words() {
    let home = Home::new();
    home.file("notes.md", "Notes.");
    let place = home.path().display().to_string();
    let mut page = String::new();
    for line in LINES {
        let did = home.run(line);
        assert_eq!(did.code, 2, "{line:?}: {did:#?}");
        assert_eq!(did.stdout, "", "{line:?} printed to standard output");
        assert!(!home.database().exists(), "{line:?} wrote a database");
        let typed: Vec<String> = line.iter().map(|word| quoted(word)).collect();
        let said = did.stderr.replace(&place, "HOME");
        page.push_str(&format!("$ roundtable {}\n{}\n\n", typed.join(" "), said.trim_end()));
    }
    insta::with_settings!({ snapshot_path => "../../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("wrong-invocations", page);
    });
}

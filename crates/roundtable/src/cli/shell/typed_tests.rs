//! Lines with and without a command.

use super::understood;

/// Lines, and whether they are questions.
const LINES: [(&[&str], bool); 22] = [
    (&["Should we adopt trunk-based development?"], true),
    (&["should we adopt it"], true),
    (&["Should", "we", "adopt", "Rust"], true),
    (&["should", "we", "adopt", "rust"], true),
    (&["is", "it", "sound?"], true),
    (&["Monoliths?"], true),
    (&["我们应该使用微服务吗"], true),
    (&["Tabs", "or", "spaces", "--rounds", "2"], true),
    (&["--rounds", "2", "Tabs or spaces?"], true),
    (&["-m", "delphi", "How many?"], true),
    (&["--color", "never", "Tabs or spaces?"], true),
    (&["--rouds", "3", "Is it so?"], true),
    (&["--no-pager", "list"], false),
    (&["list"], false),
    (&["analyze", "0199"], false),
    (&["lst"], false),
    (&["sesions", "show", "0199"], false),
    (&["--json", "list"], false),
    (&["--help"], false),
    (&["help", "debate"], false),
    (&[""], true),
    (&[], false),
];

#[test]
fn a_question_needs_no_command() {
    let known = crate::cli::description();
    for (words, is_question) in LINES {
        let line: Vec<_> = ["roundtable"].iter().chain(words).map(Into::into).collect();
        let read = understood(line, &known);
        let put_in = read.len() == words.len() + 2;
        assert_eq!(put_in, is_question, "{words:?} became {read:?}");
    }
}

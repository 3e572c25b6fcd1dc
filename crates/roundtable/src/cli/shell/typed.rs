//! Lines as people type them at the shell: a question without a command is a debate, in
//! quotes or not. A word that is no command is left to the parser, which names the nearest.

use std::ffi::{OsStr, OsString};

/// Arguments that may stand before a command, and how many words belong to each.
const EVERYWHERE: [(&str, usize); 3] = [("--color", 2), ("--colour", 2), ("--no-pager", 1)];
/// Arguments that ask for the help of the whole program.
const ABOUT: [&str; 4] = ["-h", "--help", "-V", "--version"];
/// So many words in a row are a question, whatever the first of them is.
const A_SENTENCE: usize = 4;

/// The line, with `debate` put in where it only asks a question.
pub fn understood(mut line: Vec<OsString>, known: &clap::Command) -> Vec<OsString> {
    let mut at = 1;
    while let Some((_, taken)) = line.get(at).and_then(|word| everywhere(word)) {
        at += taken;
    }
    let words: Vec<&str> = line.iter().skip(at).map(|word| word.to_str().unwrap_or("")).collect();
    let is_command = |word: &&str| *word == "help" || known.find_subcommand(word).is_some();
    let is_question = match words.as_slice() {
        [] => false,
        [first, ..] if is_command(first) || ABOUT.contains(first) => false,
        [first, ..] if first.starts_with('-') && *first != "-" => {
            let asks = takes(known, first) || words.iter().any(|word| is_phrase(word));
            asks && !words.iter().any(is_command)
        }
        plain => asks(plain),
    };
    if is_question {
        line.insert(at, "debate".into());
    }
    line
}

fn everywhere(word: &OsStr) -> Option<&'static (&'static str, usize)> {
    EVERYWHERE.iter().find(|(name, _)| word.to_str() == Some(name))
}

/// True if `debate` has this option.
fn takes(known: &clap::Command, word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let Some(debate) = known.find_subcommand("debate") else { return false };
    debate.get_arguments().any(|option| {
        let long = option.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long));
        let short = option.get_short().is_some_and(|short| name.chars().eq(['-', short]));
        long || short
    })
}

fn is_phrase(word: &str) -> bool {
    word.contains(char::is_whitespace) || !word.is_ascii()
}

/// True if words that begin with no command read as a question.
fn asks(words: &[&str]) -> bool {
    let plain: Vec<&&str> = words.iter().take_while(|word| !word.starts_with("--")).collect();
    let [first, ..] = words else { return false };
    // An empty word is a question that was forgotten, such as an unset variable in a script.
    first.is_empty()
        || is_phrase(first)
        || plain.len() >= A_SENTENCE
        || plain.last().is_some_and(|last| last.ends_with('?'))
        || (plain.len() > 1 && first.starts_with(char::is_uppercase))
}

#[cfg(test)]
#[path = "typed_tests.rs"]
mod tests;

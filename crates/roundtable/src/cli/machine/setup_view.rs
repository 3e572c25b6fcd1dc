//! MCP clients and the change to a client's config file, as text.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::terminal::clean::clean_line;
use crate::terminal::page::{BAD, DIM, GOOD, NAME};
use engine::machine::setup::Change;

/// Lines around a change that are shown with it.
const AROUND: usize = 3;

pub fn clients(rows: &[(&str, &str, Option<PathBuf>)]) -> String {
    let mut out = String::new();
    for (name, title, file) in rows {
        let file = file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
        let there = if file.is_empty() { "" } else { &file };
        let _ =
            writeln!(out, "{NAME}{name:<15}{NAME:#} {title:<15} {DIM}{}{DIM:#}", clean_line(there));
    }
    let _ = writeln!(out, "\nSet one up with: roundtable setup CLIENT");
    out
}

/// What is taken out and put in, with a little of what stands around it.
pub fn change(change: &Change) -> String {
    let mut out = format!("{}\n", change.path.display());
    let before: Vec<&str> = change.before.as_deref().unwrap_or_default().lines().collect();
    let after: Vec<&str> = change.after.lines().collect();
    let equal = |(a, b): &(&&str, &&str)| a == b;
    let head = before.iter().zip(&after).take_while(equal).count();
    let most = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(most).take_while(equal).count();
    let mut line = |sign: &str, style: anstyle::Style, text: &str| {
        let _ = writeln!(out, "{style}{sign} {}{style:#}", clean_line(text));
    };
    for text in &after[head.saturating_sub(AROUND)..head] {
        line(" ", DIM, text);
    }
    for text in &before[head..before.len() - tail] {
        line("-", BAD, text);
    }
    for text in &after[head..after.len() - tail] {
        line("+", GOOD, text);
    }
    for text in after[after.len() - tail..].iter().take(AROUND) {
        line(" ", DIM, text);
    }
    out
}

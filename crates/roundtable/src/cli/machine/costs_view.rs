//! What was spent, as a table.

use std::fmt::Write as _;

use debate::model::{MicroUsd, Tally};

use crate::terminal::clean::clean_line;
use crate::terminal::page::{BOLD, DIM, NAME, Page, count};
use engine::sessions::costs::Line;

pub fn costs(_: Page, way: &str, lines: &[Line]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{BOLD}By {way}{BOLD:#}");
    if lines.is_empty() {
        let _ = writeln!(out, "  {DIM}nothing yet{DIM:#}");
    }
    let widest = lines.iter().map(|line| line.key.chars().count()).max().unwrap_or(0);
    for line in lines {
        let _ = writeln!(
            out,
            "  {NAME}{:<widest$}{NAME:#}  {:>9}  {DIM}{}{DIM:#}",
            clean_line(&line.key),
            line.spent().to_string(),
            remarks(line),
        );
    }
    out
}

fn remarks(line: &Line) -> String {
    let mut all = vec![count(usize::try_from(line.calls).unwrap_or(usize::MAX), "call")];
    if line.unpriced_calls > 0 {
        all.push(format!("{} without a known price", line.unpriced_calls));
    }
    if line.held_usd > 0.0 {
        all.push(format!("${:.4} set aside for calls on their way", line.held_usd));
    }
    if line.ambiguous_calls > 0 && line.possibly_billed_usd > 0.0 {
        all.push(format!(
            "{} without an answer, possibly billed up to ${:.4}",
            line.ambiguous_calls, line.possibly_billed_usd
        ));
    }
    all.join(" · ")
}

/// What was spent, in words; nothing where nobody was asked. Free is what is known to
/// cost nothing, never what has no known price.
pub fn money(spent: &Tally) -> Option<String> {
    let unpriced = spent.unpriced_calls;
    match (spent.cost > MicroUsd::ZERO, unpriced) {
        _ if spent.calls == 0 => None,
        (true, 0) => Some(spent.cost.to_string()),
        (true, some) => {
            let calls = count(some as usize, "call");
            Some(format!("{} and {calls} without a known price", spent.cost))
        }
        (false, 0) => Some("free".into()),
        (false, all) if all == spent.calls => Some("price not known".into()),
        (false, some) => Some(format!("{} without a known price", count(some as usize, "call"))),
    }
}

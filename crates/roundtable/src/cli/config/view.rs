//! Settings, profiles and the doctor's findings as text.

use std::fmt::Write as _;

use serde_json::Value;

use crate::terminal::clean::clean_line;
use crate::terminal::page::{BAD, DIM, GOOD, NAME, Page, WARN, count};
use engine::config::Profile;
use engine::machine::doctor::{Finding, State};
use engine::machine::settings::Setting;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum With {
    Values,
    /// And where each came from.
    Sources,
}

pub fn settings(all: &[Setting], with: With) -> String {
    let mut out = String::new();
    for setting in all {
        let value = match (&setting.value, setting.usual) {
            (_, Some(usual)) => usual.to_string(),
            (Value::String(text), None) => clean_line(text),
            (Value::Array(items), None) => {
                let items =
                    items.iter().map(|item| item.as_str().map_or(item.to_string(), clean_line));
                items.collect::<Vec<_>>().join(", ")
            }
            (other, None) => other.to_string(),
        };
        let source = match with {
            With::Sources => format!("  {DIM}from {}{DIM:#}", setting.source),
            With::Values => String::new(),
        };
        let _ = writeln!(
            out,
            "{DIM}# {}{DIM:#}\n{:<36} {value:<16}{source}",
            setting.help, setting.key
        );
    }
    out
}

pub fn profile(page: Page, name: &str, profile: &Profile) -> String {
    let mut out = String::new();
    let about = profile.about.as_deref().map(clean_line).unwrap_or_default();
    let _ = writeln!(out, "{NAME}{}{NAME:#}  {DIM}{about}{DIM:#}", clean_line(name));
    let agents = match profile.agents.is_empty() {
        true => "whoever is found".to_string(),
        false => profile.agents.join(", "),
    };
    let mode = profile.mode.as_deref().unwrap_or("the usual mode");
    let rounds = profile.rounds.map(|rounds| format!(", {}", count(rounds as usize, "round")));
    let rounds = rounds.unwrap_or_default();
    page.paragraph(&mut out, "    ", &format!("{agents} · {mode}{rounds}"));
    out
}

pub fn findings(page: Page, all: &[Finding]) -> String {
    let mut out = String::new();
    let mut about = "";
    for finding in all {
        if finding.about != about {
            about = finding.about;
            let _ = writeln!(out, "{NAME}{about}{NAME:#}");
        }
        let (sign, style) = match finding.state {
            State::Good => ("✓", GOOD),
            State::Note => ("•", WARN),
            State::Bad => ("✗", BAD),
        };
        let mut lines = String::new();
        page.item(&mut lines, "  ", sign, &finding.what);
        // Only the sign is coloured; text that wraps stays plain.
        out.push_str(&lines.replacen(sign, &format!("{style}{sign}{style:#}"), 1));
        if let Some(fix) = &finding.fix {
            page.item(&mut out, "    ", "→", fix);
        }
    }
    let bad = all.iter().filter(|finding| finding.state == State::Bad).count();
    let _ = match bad {
        0 => writeln!(out, "\nAll well."),
        1 => writeln!(out, "\n1 thing to mend."),
        more => writeln!(out, "\n{more} things to mend."),
    };
    out
}

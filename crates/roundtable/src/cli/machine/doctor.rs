//! `roundtable doctor`: findings, each with its fix.

use std::fmt::Write as _;

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::pretty;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use crate::terminal::page::{BAD, GOOD, NAME, Page, WARN};
use engine::config::{Config, ConfigError};
use engine::machine::doctor::{self, DoctorFinding, FindingState};

/// Check keys, models, database, disk and clock, and say how to mend what is wrong.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable doctor
  roundtable doctor --json")]
pub struct DoctorArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn doctor(config: Result<Config, ConfigError>, args: DoctorArgs) -> CommandEnd {
    let findings = doctor::examine(&config).await;
    let text = if args.json { pretty(&json!(findings)) } else { report(out::page(), &findings) };
    out::print(&text)?;
    Ok(if doctor::is_well(&findings) { ExitStatus::Done } else { ExitStatus::Failed })
}

fn report(page: Page, all: &[DoctorFinding]) -> String {
    let mut out = String::new();
    let mut about = "";
    for finding in all {
        if finding.about != about {
            about = finding.about;
            let _ = writeln!(out, "{NAME}{about}{NAME:#}");
        }
        let (sign, style) = match finding.state {
            FindingState::Good => ("✓", GOOD),
            FindingState::Note => ("•", WARN),
            FindingState::Bad => ("✗", BAD),
        };
        let mut lines = String::new();
        page.item(&mut lines, "  ", sign, &finding.what);
        // Only the sign is coloured; text that wraps stays plain.
        let (before, after) = lines.split_once(sign).unwrap_or(("", &lines));
        let _ = write!(out, "{before}{style}{sign}{style:#}{after}");
        if let Some(fix) = &finding.fix {
            page.item(&mut out, "    ", "→", fix);
        }
    }
    let bad = all.iter().filter(|finding| finding.state == FindingState::Bad).count();
    let _ = match bad {
        0 => writeln!(out, "\nAll well."),
        1 => writeln!(out, "\n1 thing to fix."),
        more => writeln!(out, "\n{more} things to fix."),
    };
    out
}

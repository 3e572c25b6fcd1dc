//! `roundtable modes`: the ways a debate can be held.

use std::fmt::Write as _;

use clap::Args;
use debate::model::*;
use serde_json::{Value, json};

use crate::cli::ExitStatus;
use crate::cli::arguments::pretty;
use crate::cli::command::CommandEnd;
use crate::terminal::page::{BOLD, DIM, NAME, Page};
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::error::EngineError;
use engine::spelling::did_you_mean;

/// Explain the ways a debate can be held.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable modes
  roundtable modes devils-advocate
  roundtable modes --json")]
pub struct ModesArgs {
    /// Explain this mode in full.
    pub mode: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn modes(config: &Config, args: ModesArgs) -> CommandEnd {
    let all = debate::modes::all();
    let chosen = match &args.mode {
        None => None,
        Some(name) => Some(debate::modes::find(name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|plan| plan.name).collect();
            let hint = did_you_mean(name, &known);
            EngineError::input(format!("there is no mode {name:?}; {hint}"))
        })?),
    };
    let text = match (args.json, chosen) {
        (true, chosen) => {
            let plans = all.iter().filter(|plan| chosen.is_none_or(|one| one.name == plan.name));
            let rows: Vec<_> = plans.map(|plan| mode_json(plan)).collect();
            pretty(&json!(rows))
        }
        (false, Some(plan)) => mode(out::page(), plan),
        (false, None) => all_modes(out::page(), all),
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

fn all_modes(page: Page, plans: &[&ModePlan]) -> String {
    let mut out = String::new();
    for plan in plans {
        let _ = writeln!(out, "{NAME}{}{NAME:#}", plan.name);
        page.paragraph(&mut out, "  ", plan.summary);
        page.paragraph(&mut out, "  ", plan.when);
        let _ = writeln!(out);
    }
    let _ = writeln!(out, "{DIM}roundtable modes MODE shows who speaks when and sees what.{DIM:#}");
    out
}

fn mode(page: Page, plan: &ModePlan) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{NAME}{}{NAME:#}", plan.name);
    page.paragraph(&mut out, "  ", plan.summary);
    page.paragraph(&mut out, "  ", plan.when);
    let _ = writeln!(out, "\n{BOLD}Roles{BOLD:#}");
    for role in plan.roles {
        page.item(&mut out, "  ", "·", &role_line(role));
    }
    if let Some(extended) = plan.extended {
        let _ = writeln!(out, "\n{BOLD}Roles with --depth extended{BOLD:#}");
        for role in extended.roles {
            page.item(&mut out, "  ", "·", &role_line(role));
        }
    }
    let _ = writeln!(out, "\n{BOLD}Who speaks when{BOLD:#}");
    page.paragraph(&mut out, "  ", &waves(&plan.waves));
    let _ = writeln!(out, "\n{BOLD}Who sees what{BOLD:#}");
    for line in view(&plan.view) {
        page.item(&mut out, "  ", "·", &line);
    }
    out
}

fn role_line(role: &RolePlan) -> String {
    let mut line = role.title.to_string();
    if let Some(stance) = role.stance {
        let _ = write!(line, ", argues {}", stance.word());
    }
    if role.held_by == RoleHolders::One {
        line.push_str(", held by one seat");
    }
    line
}

fn waves(plan: &WavePlan) -> String {
    match plan {
        WavePlan::AllAtOnce => "All at once.".into(),
        WavePlan::OneByOne => "One by one, in seat order.".into(),
        WavePlan::ByTeam => {
            "Both teams at once; with --teams-in-sequence one team after the other.".into()
        }
        WavePlan::ByRole(groups) => {
            let groups: Vec<String> = groups.iter().map(|roles| roles.join(" and ")).collect();
            format!("First {}.", groups.join(", then "))
        }
    }
}

fn view(plan: &ViewPlan) -> Vec<String> {
    let mut lines = vec![match plan.earlier {
        EarlierRounds::Everyone => "earlier rounds: all answers".to_string(),
        EarlierRounds::OtherTeams => {
            "earlier rounds: the other team's answers and one's own".into()
        }
    }];
    lines.push(match plan.this_round {
        ThisRound::Nothing => "this round: nothing until it is over".into(),
        ThisRound::SoFar => "this round: what has been said so far".into(),
        ThisRound::OwnTeamSoFar => "this round: what one's own team has said so far".into(),
    });
    if plan.naming == SeatNaming::Anonymous {
        lines.push("no agent knows who said what, not even which answer was its own".into());
    }
    let extras = [
        (plan.rebut_previous, "the answer just before is the one to rebut"),
        (plan.open_questions, "open questions are listed"),
        (plan.statistics, "the group's figures: confidence, clusters, votes"),
    ];
    lines.extend(extras.iter().filter(|(on, _)| *on).map(|(_, line)| (*line).into()));
    lines
}

fn mode_json(plan: &ModePlan) -> Value {
    let role = |role: &RolePlan| {
        json!({
            "key": role.key,
            "title": role.title,
            "team": role.team,
            "stance": role.stance,
        })
    };
    json!({
        "name": plan.name,
        "summary": plan.summary,
        "when": plan.when,
        "roles": plan.roles.iter().map(role).collect::<Vec<_>>(),
        "extendedRoles":
            plan.extended.map(|extended| extended.roles.iter().map(role).collect::<Vec<_>>()),
        "waves": waves(&plan.waves),
        "sees": view(&plan.view),
    })
}

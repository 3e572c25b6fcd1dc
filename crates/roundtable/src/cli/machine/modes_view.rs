//! The modes explained.

use std::fmt::Write as _;

use debate::model::*;

use crate::terminal::page::{BOLD, DIM, NAME, Page};

pub fn modes(page: Page, plans: &[&ModePlan]) -> String {
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

pub fn mode(page: Page, plan: &ModePlan) -> String {
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
        EarlierRounds::Everyone => "earlier rounds: everybody's answers".to_string(),
        EarlierRounds::OtherTeams => {
            "earlier rounds: the other team's answers and one's own".into()
        }
    }];
    lines.push(match plan.this_round {
        ThisRound::Nothing => "this round: nothing until it is over".into(),
        ThisRound::SoFar => "this round: what has been said so far".into(),
        ThisRound::OwnTeamSoFar => "this round: what one's own team has said so far".into(),
    });
    if plan.naming == Naming::Anonymous {
        lines.push("nobody knows who said what, not even which answer was their own".into());
    }
    let extras = [
        (plan.rebut_previous, "the answer just before is the one to rebut"),
        (plan.open_questions, "open questions are listed"),
        (plan.statistics, "the group's figures: confidence, clusters, votes"),
    ];
    lines.extend(extras.iter().filter(|(on, _)| *on).map(|(_, line)| (*line).into()));
    lines
}

pub fn mode_json(plan: &ModePlan) -> serde_json::Value {
    let role = |role: &RolePlan| {
        serde_json::json!({
            "key": role.key,
            "title": role.title,
            "team": role.team,
            "stance": role.stance,
        })
    };
    serde_json::json!({
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

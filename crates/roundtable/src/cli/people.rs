//! `roundtable people`: the people of a team, on the machine with the database.

use std::fmt::Write as _;

use clap::Args;
use serde_json::json;

use super::ExitStatus;
use super::command::{CommandEnd, CommandRow};
use crate::terminal::out;
use crate::terminal::page::{BOLD, DIM, NAME};
use debate::model::MicroUsd;
use engine::config::Config;
use engine::error::EngineError;
use engine::people::manage::{self, PersonForm, PersonLine, TokenLine};

/// The commands below `roundtable people`.
pub fn commands() -> Vec<CommandRow> {
    vec![
        CommandRow::of("list", list),
        CommandRow::of("add", add),
        CommandRow::of("role", role),
        CommandRow::of("budget", budget),
        CommandRow::group(
            "token",
            "Add, list and revoke the tokens of a person",
            vec![
                CommandRow::of("add", add_token),
                CommandRow::of("list", list_tokens),
                CommandRow::of("revoke", revoke_token),
            ],
        ),
        CommandRow::of("remove", remove),
        CommandRow::of("audit", audit),
    ]
}

/// List the people with their roles, budgets and tokens.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people list
  roundtable people list --json")]
pub struct PeopleListArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

async fn list(config: &Config, args: PeopleListArgs) -> CommandEnd {
    let people = manage::list(config).await?;
    if args.json {
        out::print(&format!("{:#}\n", json!(people)))?;
        return Ok(ExitStatus::Done);
    }
    let mut text = String::new();
    if people.is_empty() {
        let _ = writeln!(text, "Nobody yet. Add a person with: roundtable people add NAME");
    }
    for person in &people {
        text.push_str(&person_text(person));
    }
    out::print(&text)?;
    Ok(ExitStatus::Done)
}

fn person_text(person: &PersonLine) -> String {
    let limit =
        |usd: Option<f64>| usd.map_or("no limit".into(), |usd| MicroUsd::from_usd(usd).to_string());
    let spent = |usd: f64| MicroUsd::from_usd(usd);
    let mut text = String::new();
    let _ = writeln!(text, "{NAME}{}{NAME:#}  {BOLD}{}{BOLD:#}", person.name, person.role);
    let _ = writeln!(
        text,
        "    {DIM}today {} of {} · this month {} of {}{DIM:#}",
        spent(person.today_usd),
        limit(person.daily_usd),
        spent(person.month_usd),
        limit(person.monthly_usd)
    );
    text.push_str(&tokens_text(&person.tokens));
    text
}

fn tokens_text(tokens: &[TokenLine]) -> String {
    let line = |token: &TokenLine| {
        let end = match token.expires {
            Some(day) if token.has_expired => format!("expired on {day}"),
            Some(day) => format!("valid until {day}"),
            None => "does not expire".into(),
        };
        format!("    token {}  {DIM}{end}{DIM:#}\n", token.name)
    };
    tokens.iter().map(line).collect()
}

/// Add a person.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people add ann
  roundtable people add bob --role reader
  roundtable people add cleo --daily 5 --monthly 60

A reader reads debates that are shared with the team. A member also holds debates of their own. An \
operator does everything, and what they do is written down. Give a person a token with \
`roundtable people token add NAME TOKEN`.")]
pub struct PeopleAddArgs {
    /// The name: small letters, digits and . - _ @ +
    pub name: String,
    /// reader, member or operator [default: member]
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// The most that their debates may cost per day (UTC), in USD.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub daily: Option<String>,
    /// The most that their debates may cost per month (UTC), in USD.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub monthly: Option<String>,
}

async fn add(config: &Config, args: PeopleAddArgs) -> CommandEnd {
    let form = PersonForm { role: args.role, daily: args.daily, monthly: args.monthly };
    manage::add(config, &args.name, &form).await?;
    done(&format!("Added {}.", args.name))
}

fn done(line: &str) -> CommandEnd {
    out::note(line);
    Ok(ExitStatus::Done)
}

/// Give a person another role.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people role ann operator")]
pub struct PeopleRoleArgs {
    /// The person's name.
    pub name: String,
    /// reader, member or operator
    pub role: String,
}

async fn role(config: &Config, args: PeopleRoleArgs) -> CommandEnd {
    manage::set_role(config, &args.name, &args.role).await?;
    done(&format!("{} is now {}.", args.name, args.role))
}

/// Limit what the debates of a person may cost.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people budget ann --daily 5 --monthly 60
  roundtable people budget ann --daily 0

The limits hold for all debates of the person together, on all nodes, and at once. 0 removes one.")]
pub struct PeopleBudgetArgs {
    /// The person's name.
    pub name: String,
    /// Per day (UTC), in USD.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub daily: Option<String>,
    /// Per month (UTC), in USD.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub monthly: Option<String>,
}

async fn budget(config: &Config, args: PeopleBudgetArgs) -> CommandEnd {
    if args.daily.is_none() && args.monthly.is_none() {
        return Err(EngineError::input("give --daily, --monthly or both").into());
    }
    let form = PersonForm { role: None, daily: args.daily, monthly: args.monthly };
    manage::set_budget(config, &args.name, &form).await?;
    done(&format!("Changed the budget of {}.", args.name))
}

/// Make a token for a person; it is shown once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people token add ann laptop
  roundtable people token add ann ci --expires 2027-03-01

Clients send it as `Authorization: Bearer TOKEN`, and the page signs in with it. Only its hash is \
stored.")]
pub struct PeopleTokenAddArgs {
    /// The person's name.
    pub name: String,
    /// A name for the token, such as the device it is for.
    pub token: String,
    /// A span such as 30d, a day such as 2027-03-01, or never [default: 90d]
    #[arg(long, value_name = "WHEN")]
    pub expires: Option<String>,
}

async fn add_token(config: &Config, args: PeopleTokenAddArgs) -> CommandEnd {
    let made = manage::add_token(config, &args.name, &args.token, args.expires.as_deref());
    let secret = made.await?;
    out::print(&format!("{secret}\n"))?;
    done("This is the only time that the token is shown.")
}

/// List the tokens of a person.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people token list ann")]
pub struct PeopleTokenListArgs {
    /// The person's name.
    pub name: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

async fn list_tokens(config: &Config, args: PeopleTokenListArgs) -> CommandEnd {
    let tokens = manage::tokens(config, &args.name).await?;
    let text = if args.json { format!("{:#}\n", json!(tokens)) } else { tokens_text(&tokens) };
    out::print(&text)?;
    Ok(ExitStatus::Done)
}

/// Revoke a token; every node refuses it within a second.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people token revoke ann laptop")]
pub struct PeopleTokenRevokeArgs {
    /// The person's name.
    pub name: String,
    /// The token's name.
    pub token: String,
}

async fn revoke_token(config: &Config, args: PeopleTokenRevokeArgs) -> CommandEnd {
    manage::revoke_token(config, &args.name, &args.token).await?;
    done(&format!("Revoked the token {} of {}.", args.token, args.name))
}

/// Remove a person and revoke their tokens.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people remove ann

Their debates stay, for operators and, where they are shared, for the team. The name is not given \
to another person.")]
pub struct PeopleRemoveArgs {
    /// The person's name.
    pub name: String,
}

async fn remove(config: &Config, args: PeopleRemoveArgs) -> CommandEnd {
    manage::remove(config, &args.name).await?;
    done(&format!("Removed {}. Their debates stay.", args.name))
}

/// Show what operators did, newest first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable people audit
  roundtable people audit --limit 1000 --json")]
pub struct PeopleAuditArgs {
    /// At most this many entries.
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

async fn audit(config: &Config, args: PeopleAuditArgs) -> CommandEnd {
    let lines = manage::audit(config, args.limit).await?;
    if args.json {
        out::print(&format!("{:#}\n", json!(lines)))?;
        return Ok(ExitStatus::Done);
    }
    let mut text = String::new();
    for line in lines {
        let _ = writeln!(
            text,
            "{DIM}{}{DIM:#}  {NAME}{}{NAME:#}  {}: {}",
            line.at, line.who, line.did, line.about
        );
    }
    out::print(&text)?;
    Ok(ExitStatus::Done)
}

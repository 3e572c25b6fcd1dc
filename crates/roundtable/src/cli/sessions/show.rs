//! Looking at stored debates: `sessions list`, `sessions show`, `compare`.

use clap::Args;
use debate::model::Status;
use serde_json::{Value, json};

use crate::cli::{Exit, Stop};
use crate::terminal as render;
use crate::terminal::{clean, out, pager};
use super::{list_view as listing, parts_view as looking};
use engine::config::Config;
use engine::export::state;
use engine::sessions::compare as comparing;
use engine::sessions::list::Session;
use engine::sessions::list::{self, Wanted};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions list --status completed --since 7d
  roundtable sessions list --search \"module boundaries\" --json
  roundtable sessions list --mode delphi --agent ollama/qwen3 --until 2026-12-01")]
pub struct SessionsListArgs {
    /// Only debates of this status: created, active, paused, completed, error.
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only debates held in this mode; see `roundtable modes`.
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Only debates with an agent whose name or PROVIDER/MODEL holds this text.
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Only debates whose topic holds this text, or with an answer that has these words in a row.
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Only debates begun then or later: a date, a moment, or a span such as 12h, 7d, 4w.
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only debates begun before then.
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// At most this many.
    #[arg(long, value_name = "N", default_value = "20", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions show 0199
  roundtable sessions show 0199 --round 2
  roundtable sessions show 0199 --answer Ada@1
  roundtable sessions show 0199 --agent Brook
  roundtable sessions show 0199 --citations --json")]
pub struct SessionsShowArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// Only this round, with every answer in full.
    #[arg(long, value_name = "N", conflicts_with_all = ["answer", "agent", "citations"])]
    pub round: Option<u32>,
    /// Only one answer, in full: an agent's last, or that of a round, as Ada@2.
    #[arg(long, value_name = "AGENT[@ROUND]", conflicts_with_all = ["agent", "citations"])]
    pub answer: Option<String>,
    /// Only one agent's path: positions, confidence, votes and changes of mind.
    #[arg(long, value_name = "AGENT", conflicts_with = "citations")]
    pub agent: Option<String>,
    /// Only the sources, each with who cites it and for what.
    #[arg(long)]
    pub citations: bool,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable compare 0199 01a0
  roundtable compare 0199 01a0 --json")]
pub struct CompareArgs {
    /// The debate to measure against, by id or enough of it.
    pub first: String,
    /// The debate to measure, by id or enough of it.
    pub second: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn list(config: &Config, args: SessionsListArgs) -> Result<Exit, Stop> {
    let wanted = Wanted {
        status: args.status,
        mode: args.mode,
        agent: args.agent,
        search: args.search,
        since: args.since,
        until: args.until,
        limit: Some(args.limit),
    };
    let filter = list::filter(&wanted)?;
    let filtered =
        engine::nouns::ListFilter { limit: None, ..filter.clone() } != Default::default();
    let listed = list::list(config, &filter).await?;
    let cut_off = list::unattended(config).await?;
    let text = match args.json {
        false if listed.is_empty() && filtered => "No debate matches.\n".into(),
        false => listing::sessions(out::page(), &listed, &cut_off),
        true => {
            let rows: Vec<_> =
                listed.iter().map(|row| listing::session_json(row, &cut_off)).collect();
            json_page(&json!(rows))
        }
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

pub async fn show(config: &Config, args: SessionsShowArgs) -> Result<Exit, Stop> {
    let session = list::show(config, &args.id).await?;
    let room = session.debate.room();
    let page = out::page();
    let (text, value) = if let Some(number) = args.round {
        let record = list::round(room, number)?;
        (render::round(page, room, record), listing::round_json(record))
    } else if let Some(asked) = &args.answer {
        let turn = list::answer(room, asked)?;
        (looking::one_answer(page, turn), json!(turn))
    } else if let Some(name) = &args.agent {
        let seat = list::seat(room, name)?;
        let steps = list::path(room, seat);
        let agent = room.brief.agents.get(seat.agent);
        let model = agent.map_or_else(String::new, |one| format!("{}/{}", one.provider, one.model));
        let value = json!({ "agent": seat.name, "model": model, "path": steps });
        (looking::path(page, seat, &model, &steps), value)
    } else if args.citations {
        (looking::citations(page, room), json!(state::state(room).evidence))
    } else {
        let cut_off = list::unattended(config).await?.contains(&session.id);
        let attended = match (&room.status, cut_off) {
            (Status::Active, true) => listing::nobody_runs(&session.id) + "\n",
            (Status::Active, false) => "It is being run now.\n".into(),
            _ => String::new(),
        };
        let text = render::session(page, &session.id, &session.debate, &session.delays) + &attended;
        (text, whole(&session, cut_off))
    };
    let text = if args.json { json_page(&value) } else { text };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

fn whole(session: &Session, cut_off: bool) -> Value {
    let room = session.debate.room();
    json!({
        "id": session.id,
        "status": room.status.word(),
        "pausedFor": listing::pause_json(&room.status),
        "contextRequests": room.context,
        "searches": room.searches,
        "cutOff": cut_off,
        "brief": room.brief,
        "seats": room.seats,
        "state": state::state(room),
        "delays": session.delays,
        "rounds": room.rounds.iter().map(listing::round_json).collect::<Vec<_>>(),
        "verdict": room.verdict,
        "synthesis": room.synthesis,
    })
}

pub async fn compare(config: &Config, args: CompareArgs) -> Result<Exit, Stop> {
    let compared = comparing::compare(config, &args.first, &args.second).await?;
    let text = match args.json {
        false => looking::comparison(out::page(), &compared),
        true => json_page(&json!(compared)),
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

/// JSON that a terminal can show: see [`clean::json`].
fn json_page(value: &Value) -> String {
    clean::json(&format!("{value:#}\n")).into_owned()
}

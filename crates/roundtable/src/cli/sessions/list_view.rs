//! Listings: debates, agents, settings.

use std::collections::HashSet;
use std::fmt::Write as _;

use debate::model::{RoundRecord, Status};
use engine::nouns::ListedDebate;
use serde_json::{Value, json};

use crate::terminal::clean::clean_line;
use crate::terminal::line::cut;
use crate::terminal::page::{DIM, GOOD, NAME, Page, WARN, count};
use engine::machine::found;

/// As much of an id as is shown in lists; enough to be unique in practice.
const SHORT_ID: usize = 13;
/// As much of a topic.
const LISTED_TOPIC: usize = 160;
/// Room for a sign and a name before what is said of it.
const PLACE: &str = "             ";

/// `cut_off`: those that should be running and that nobody runs.
pub fn sessions(page: Page, listed: &[ListedDebate], cut_off: &HashSet<String>) -> String {
    let mut out = String::new();
    if listed.is_empty() {
        return "No debates yet. Hold one with: roundtable debate \"YOUR QUESTION\"\n".into();
    }
    for row in listed {
        let id: String = row.id.chars().take(SHORT_ID).collect();
        let _ = writeln!(
            out,
            "{NAME}{id}{NAME:#}  {DIM}{} · {} · {} · {}{DIM:#}",
            when(row.created),
            row.status,
            clean_line(&row.mode),
            count(row.rounds_done as usize, "round"),
        );
        if cut_off.contains(&row.id) {
            let _ = writeln!(out, "    {WARN}{}{WARN:#}", nobody_runs(&id));
        }
        let topic = cut(&clean_line(&row.topic), LISTED_TOPIC);
        page.paragraph(&mut out, "    ", &topic);
    }
    out
}

/// What to say of a debate that should be running and that nobody runs.
pub fn nobody_runs(id: &str) -> String {
    format!("cut off: nobody runs it. Go on with: roundtable sessions resume {id}")
}

/// A moment as people write it, in UTC.
pub fn when(ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => "?".into(),
    }
}

pub fn session_json(row: &ListedDebate, cut_off: &HashSet<String>) -> Value {
    json!({
        "cutOff": cut_off.contains(&row.id),
        "id": row.id,
        "topic": row.topic,
        "mode": row.mode,
        "agents": row.agents,
        "status": row.status,
        "rounds": row.rounds,
        "roundsDone": row.rounds_done,
        "costUsd": row.cost_micro as f64 / 1e6,
        "unpricedCalls": row.unpriced_calls,
        "created": row.created,
        "updated": row.updated,
    })
}

/// Why a debate is paused; null where it is not.
pub fn pause_json(status: &Status) -> Value {
    match status {
        Status::Paused { reason } => json!(reason),
        _ => Value::Null,
    }
}

/// A round as it leaves the program: every answer with the claims it touched.
pub fn round_json(record: &RoundRecord) -> Value {
    let answers: Vec<Value> = record
        .answered()
        .map(|turn| json!({ "turn": turn, "touched": record.touched.get(turn.seat.index()) }))
        .collect();
    json!({
        "round": record.number,
        "kind": record.kind,
        "waves": record.waves,
        "answers": answers,
        "gaps": record.gaps,
        "newClaims": record.new_claims,
        "newEvidence": record.new_evidence,
        "contested": record.contested,
        "summary": record.summary,
        "analysis": record.analysis,
    })
}

pub fn agents(page: Page, lines: &[found::Line]) -> String {
    let mut out = String::new();
    for line in lines {
        let (sign, style) = if line.ready { ("●", GOOD) } else { ("○", DIM) };
        let mut note = String::new();
        page.item(&mut note, "", PLACE, &line.note);
        // The place is kept free for what is styled.
        let note = note.get(PLACE.len() + 1..).unwrap_or_default().trim_end();
        let _ = writeln!(
            out,
            "{style}{sign}{style:#} {NAME}{:<11}{NAME:#} {DIM}{note}{DIM:#}",
            line.provider,
        );
        for model in &line.models {
            page.item(&mut out, "    ", "·", &format!("{}/{model}", line.provider));
        }
    }
    if !lines.iter().any(|line| line.ready) {
        page.paragraph(
            &mut out,
            "",
            "No model is ready. Start a local server such as Ollama, or keep a key with \
             `roundtable config set-key PROVIDER`, then name agents with --agents PROVIDER/MODEL.",
        );
    }
    out
}

//! The answer of a table: the card, the two sentences and the way to the whole debate,
//! with what the debate used.

use debate::model::{Event, Status, Tally};
use engine::background::host::{DebatePhase, Host};
use serde_json::{Value, json};

use super::refused::ApiRefusal;
use super::request::{AskedTable, PAGE_PATH};
use crate::document::escape::clean_line;
use crate::report::debate::{ReportedDebate, only_card};

/// An answer that is complete.
pub struct TableAnswer {
    pub id: String,
    /// Seconds since 1970.
    pub created: i64,
    pub text: String,
    pub spent: Tally,
}

/// Waits until the debate rests, and returns what it came to.
pub async fn when_at_rest(
    host: &Host,
    asked: &AskedTable,
    id: &str,
) -> Result<TableAnswer, ApiRefusal> {
    let mut progress = host.follow(id).await?;
    // Its sender is gone when the debate is.
    let _ = progress.wait_for(|now| now.phase == DebatePhase::AtRest).await;
    at_rest(host, asked, id).await
}

/// The answer of a debate that rests.
pub async fn at_rest(host: &Host, asked: &AskedTable, id: &str) -> Result<TableAnswer, ApiRefusal> {
    let seen = host.look(id).await?;
    let room = seen.debate.room();
    let link = format!("{}{PAGE_PATH}{id}", asked.page);
    let text = match &room.status {
        Status::Completed { .. } => {
            let card = only_card(&ReportedDebate::of_room(id, room)).to_markdown();
            // The card has a heading of its own.
            let card = card.trim_start_matches("# \n\n").trim().to_owned();
            format!("{card}\n\n[The whole debate]({link})")
        }
        Status::Paused { reason } => {
            let why = clean_line(&reason.sentence());
            format!("The debate is paused: {why}\n\n[Go on with it here]({link})")
        }
        status => {
            let word = status.word();
            format!("The debate has no result; its status is {word}.\n\n[Look at it here]({link})")
        }
    };
    Ok(TableAnswer { id: id.into(), created: seen.created / 1000, text, spent: room.spent })
}

/// A line of reasoning for what has just happened: who answered what, and what changed.
pub fn reasoning(event: &Event) -> Option<String> {
    Some(match event {
        Event::RoundOpened { round, .. } => format!("Round {round}\n"),
        Event::Answered { turn, .. } => {
            format!("{}: {}\n", turn.agent, clean_line(&turn.answer.position))
        }
        Event::Missed { gap, .. } => {
            format!("{} gave no answer ({})\n", gap.agent, gap.class.word())
        }
        Event::Analysed { analysis, .. } => {
            let share = analysis.consensus.agreement_level?;
            format!("Agreement {:.0} %\n\n", share * 100.0)
        }
        Event::Paused { reason } => format!("Paused: {}\n", clean_line(&reason.sentence())),
        _ => return None,
    })
}

/// What the debate used, under the names of one of the two shapes.
pub fn usage(spent: &Tally, (input, output): (&str, &str)) -> Value {
    let usage = &spent.usage;
    let count = |tokens: Option<u64>| tokens.unwrap_or(0);
    let mut shown = json!({
        "total_tokens": usage.total().unwrap_or(0),
        "cost": spent.cost.0 as f64 / 1e6,
    });
    shown[input] = count(usage.input).into();
    shown[output] = count(usage.output).into();
    shown[format!("{input}_details")] = json!({ "cached_tokens": count(usage.cached) });
    shown[format!("{output}_details")] = json!({ "reasoning_tokens": count(usage.reasoning) });
    shown
}

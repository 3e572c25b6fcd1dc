//! A debate as one document. Models wrote most of it, so nothing of theirs can
//! leave its quotation, start a tag or fetch a picture.

use std::fmt::Write as _;

use debate::model::{Room, Turn};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::shaping::{choice, names};
use crate::operations::host::Seen;
use crate::render;
use crate::render::clean::{clean, clean_line};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    #[default]
    Markdown,
    Json,
}

impl Form {
    pub fn mime_type(self) -> &'static str {
        match self {
            Form::Markdown => "text/markdown",
            Form::Json => "application/json",
        }
    }
}

pub fn write(seen: &Seen, form: Form) -> String {
    let room = seen.debate.room();
    match form {
        Form::Markdown => markdown(&seen.id, room),
        Form::Json => format!(
            "{:#}",
            json!({
                "id": seen.id,
                "status": room.status.word(),
                "brief": room.brief,
                "seats": room.seats,
                "state": room.ledger,
                "rounds": room.rounds.iter().map(render::listing::round_json).collect::<Vec<_>>(),
                "verdict": room.verdict,
                "synthesis": room.synthesis,
            })
        ),
    }
}

fn markdown(id: &str, room: &Room) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "# {}\n", inline(&room.brief.topic));
    let status = room.status.word();
    let _ = writeln!(out, "{} · {} · `{id}`\n", room.brief.mode, status);
    if let Some(verdict) = &room.verdict {
        let decision = &verdict.decision;
        let _ = writeln!(out, "## Decision\n");
        quote(&mut out, &decision.answer);
        let agreement = decision.agreement_score;
        let agreement = agreement.map_or("unknown".into(), |share| format!("{share:.2}"));
        let _ = writeln!(
            out,
            "- consensus: {} (agreement {agreement})\n- recommendation: {}: {}",
            decision.consensus_level.word(),
            decision.action_recommendation.word(),
            inline(&decision.reason)
        );
        for warning in &decision.warnings {
            let _ = writeln!(out, "- warning: {}", inline(warning));
        }
        for gap in &verdict.metadata.gaps {
            let _ = writeln!(out, "- {} missed round {}", inline(&gap.agent), gap.round);
        }
        let _ = writeln!(out);
    }
    for record in &room.rounds {
        let _ = writeln!(out, "## Round {}\n", record.number);
        record.answered().for_each(|turn| answer(&mut out, turn));
        for gap in &record.gaps {
            let why = inline(&gap.message);
            let _ = writeln!(out, "**{}** gave no answer: {why}\n", inline(&gap.agent));
        }
    }
    sources(&mut out, room);
    out
}

fn answer(out: &mut String, turn: &Turn) {
    let said = &turn.answer;
    let mut facts = vec![turn.role.clone()];
    facts.extend(said.confidence.map(|share| format!("confidence {share:.2}")));
    facts.extend(said.vote.as_ref().map(|vote| format!("votes {}", vote.ballot.word())));
    facts.extend(said.answer.as_ref().map(|made| inline(&choice(made))));
    let _ = writeln!(out, "### {}\n\n{}\n", inline(&turn.agent), facts.join(" · "));
    quote(out, &said.position);
    for point in &said.key_points {
        let _ = writeln!(out, "- {}", inline(point));
    }
    let _ = writeln!(out);
    quote(out, &said.reasoning);
}

fn sources(out: &mut String, room: &Room) {
    if room.ledger.evidence.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Sources\n");
    for source in &room.ledger.evidence {
        let mut seats: Vec<_> = source.cited_by.iter().map(|cited| cited.seat).collect();
        seats.dedup();
        let by = names(room, &seats).join(", ");
        let url = source.url.as_deref().map(inline).unwrap_or_default();
        let _ = writeln!(
            out,
            "- {} {} {url} (cited by {})",
            source.id,
            inline(&source.title),
            inline(&by)
        );
    }
}

/// One line of foreign text, its signs shown as they are.
fn inline(text: &str) -> String {
    let mut line = String::new();
    for letter in clean_line(text).chars() {
        match letter {
            '<' => line.push_str("&lt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '!' => line.extend(['\\', letter]),
            other => line.push(other),
        }
    }
    line
}

/// Foreign text as a quotation; it may have headings and lists of its own.
fn quote(out: &mut String, text: &str) {
    for line in clean(text).lines() {
        let line = line.replace('<', "&lt;").replace("![", "!\\[");
        let _ = writeln!(out, "{}", format!("> {line}").trim_end());
    }
    let _ = writeln!(out);
}

//! `roundtable show`: a debate in short, or one part of it in full.

use std::fmt::Write as _;

use clap::Args;
use debate::Debate;
use debate::model::*;
use serde_json::{Value, json};

use super::list::nobody_runs;
use crate::cli::ExitStatus;
use crate::cli::arguments::clean_json;
use crate::cli::command::CommandEnd;
use crate::document::Labels;
use crate::document::escape::clean_line;
use crate::document::words;
use crate::report::debate::{ReportedDebate, result, synthesis};
use crate::report::round::round_json;
use crate::terminal::context::{how, overview};
use crate::terminal::events::{Detail, answer, event, missed};
use crate::terminal::page::{BAD, BOLD, DIM, Page, WARN, count};
use crate::terminal::round::{Figures, SeatConfidence, after_round};
use crate::terminal::{document, out, pager};
use engine::config::Config;
use engine::export::state;
use engine::sessions::list::{self, PathStep, StoredSession};

/// Show a debate: the verdict, then what it rests on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable show 0199
  roundtable show 0199 --round 2
  roundtable show 0199 --answer Ada@1
  roundtable show 0199 --agent Brook
  roundtable show 0199 --citations --json")]
pub struct SessionsShowArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
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

pub async fn show(config: &Config, args: SessionsShowArgs) -> CommandEnd {
    let session = list::show(config, &args.id).await?;
    let room = session.debate.room();
    let page = out::page().in_words(Labels::of(&room.brief));
    let (text, value) = if let Some(number) = args.round {
        let record = list::round(room, number)?;
        (one_round(page, room, record), round_json(record))
    } else if let Some(asked) = &args.answer {
        let turn = list::answer(room, asked)?;
        (one_answer(page, turn), json!(turn))
    } else if let Some(name) = &args.agent {
        let seat = list::seat(room, name)?;
        let steps = list::path(room, seat);
        let agent = room.brief.agents.get(seat.agent);
        let model = agent.map_or_else(String::new, |one| format!("{}/{}", one.provider, one.model));
        let value = json!({ "agent": seat.name, "model": model, "path": steps });
        (path(page, seat, &model, &steps), value)
    } else if args.citations {
        (citations(page, room), json!(state::state(room).evidence))
    } else {
        let cut_off = list::unattended(config).await?.contains(&session.id);
        let attended = match (&room.status, cut_off) {
            (Status::Active, true) => nobody_runs(words::short_id(&session.id)) + "\n",
            (Status::Active, false) => "It is being run now.\n".into(),
            _ => String::new(),
        };
        let text = whole_debate(page, &session.id, &session.debate, &session.delays)
            + &page.say(&attended);
        (text, whole(&session, cut_off))
    };
    let text = if args.json { clean_json(&value) } else { text };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

fn whole(session: &StoredSession, cut_off: bool) -> Value {
    let room = session.debate.room();
    json!({
        "id": session.id,
        "status": room.status.word(),
        "pausedFor": pause_json(&room.status),
        "contextRequests": room.context,
        "searches": room.searches,
        "cutOff": cut_off,
        "brief": room.brief,
        "seats": room.seats,
        "state": state::state(room),
        "delays": session.delays,
        "rounds": room.rounds.iter().map(round_json).collect::<Vec<_>>(),
        "verdict": room.verdict,
        "synthesis": room.synthesis,
    })
}

/// Why a debate is paused; null where it is not.
fn pause_json(status: &Status) -> Value {
    match status {
        Status::Paused { reason } => json!(reason),
        _ => Value::Null,
    }
}

/// `held_up`: what delayed calls on the way.
fn whole_debate(page: Page, id: &str, debate: &Debate, held_up: &[Event]) -> String {
    let room = debate.room();
    let view = ReportedDebate::of_room(id, room);
    let shown = result(&view);
    let mut out = String::new();
    if room.verdict.is_some() {
        out.push_str(&document::card_text(page, &shown));
        out.push_str(&document::body(page, &shown));
        page.heading(&mut out, &page.say("The debate"));
    }
    let opened = Event::Opened {
        version: LOG_VERSION,
        brief: Box::new(room.brief.clone()),
        seats: room.seats.clone(),
    };
    out.push_str(&event(page, &opened, &room.seats, room.brief.rounds));
    let _ = writeln!(out, "{DIM}{id} · {}{DIM:#}", page.say(room.status.word()));
    for record in &room.rounds {
        out.push_str(&round_short(page, room, record));
    }
    out.push_str(&delays(page, room, held_up));
    if let Some(written) = &room.synthesis {
        out.push_str(&document::text(page, &synthesis(written)));
    }
    if room.verdict.is_none() {
        out.push_str(&not_over(page, id, room));
    }
    out.push_str(&overview(page, &room.context));
    if room.verdict.is_none() && !room.searches.is_none() {
        page.paragraph(&mut out, "", &page.say(&words::searches(&room.searches).join(" · ")));
    }
    out
}

/// Shows what delayed calls; empty if nothing did.
fn delays(page: Page, room: &Room, delays: &[Event]) -> String {
    let mut out = String::new();
    if !delays.is_empty() {
        page.heading(&mut out, &page.say("Held up on the way"));
    }
    for delay in delays {
        out.push_str(&event(page, delay, &room.seats, room.brief.rounds));
    }
    out
}

/// One round with every answer in full.
fn one_round(page: Page, room: &Room, record: &RoundRecord) -> String {
    let mut out = String::new();
    let title = format!("Round {} of {}", record.number, room.rounds.len());
    page.heading(&mut out, &page.say(&title));
    for turn in record.answered() {
        answer(page, &mut out, turn, Detail::Full);
    }
    for gap in &record.gaps {
        missed(page, &mut out, gap);
    }
    claims(page, &mut out, room, record);
    if let Some(analysis) = &record.analysis {
        out.push_str(&came_to(page, room, record, analysis));
    }
    out
}

fn round_short(page: Page, room: &Room, record: &RoundRecord) -> String {
    let mut out = String::new();
    page.heading(&mut out, &page.say(&format!("Round {}", record.number)));
    for turn in record.answered() {
        answer(page, &mut out, turn, Detail::Short);
    }
    for gap in &record.gaps {
        missed(page, &mut out, gap);
    }
    if let Some(analysis) = &record.analysis {
        out.push_str(&came_to(page, room, record, analysis));
    }
    out
}

/// Shows the result of a round compared with the round before it.
fn came_to(page: Page, room: &Room, record: &RoundRecord, analysis: &RoundAnalysis) -> String {
    let before = room.round(record.number.saturating_sub(1)).and_then(|r| r.analysis.as_ref());
    let stands: Vec<SeatConfidence> = record.answered().map(SeatConfidence::of).collect();
    after_round(page, analysis, before, &Figures::of(&room.brief), &stands)
}

fn claims(page: Page, out: &mut String, room: &Room, record: &RoundRecord) {
    if record.new_claims.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}", page.say("New claims"));
    for claim in record.new_claims.iter().filter_map(|id| room.ledger.claim(*id)) {
        let facts = format!(
            "{} · {} · {} · strength {:.2}",
            claim.label.word(),
            claim.evidence_type.word(),
            claim.status.word(),
            claim.strength
        );
        let text = format!("[{}] {}", page.say(&facts), claim.text);
        page.item(out, "  ", &claim.id.to_string(), &text);
    }
}

fn not_over(page: Page, id: &str, room: &Room) -> String {
    let mut out = String::new();
    page.heading(&mut out, &page.say("Not over yet"));
    let needed: Vec<ContextRequest> = room.required_requests().cloned().collect();
    match &room.status {
        Status::Paused { reason: PauseReason::NeedsContext { .. } } => {
            let text = if needed.is_empty() {
                "Everything that was needed of you is settled."
            } else {
                "It needs something only you can say; see below."
            };
            page.paragraph(&mut out, "", &page.say(text));
        }
        Status::Paused { reason } => page.paragraph(&mut out, "", &page.say(&reason.sentence())),
        Status::Error { cause } => page.paragraph(&mut out, "", cause),
        // The log does not record which process runs the debate; the caller adds
        // that.
        Status::Active => return out,
        Status::Created | Status::Completed { .. } => {}
    }
    for line in how(page, id, &needed) {
        let _ = writeln!(out, "{line}");
    }
    let then = if needed.is_empty() { "Resume with" } else { "Then resume with" };
    let _ = writeln!(out, "{}: roundtable resume {}", page.say(then), words::short_id(id));
    out
}
fn one_answer(page: Page, turn: &Turn) -> String {
    let mut out = String::new();
    page.heading(&mut out, &page.say(&format!("{}, round {}", turn.agent, turn.round)));
    answer(page, &mut out, turn, Detail::Full);
    for call in &turn.tool_calls {
        let text = format!("{} {}", call.tool, call.arguments);
        page.item(&mut out, "  ", "⚒", &text);
    }
    let bill = turn.whole_bill();
    let mut facts = vec![turn.model.clone(), format!("{} ms", bill.latency_ms)];
    facts.extend(bill.usage.total().map(|tokens| format!("{tokens} tokens")));
    facts.extend(bill.cost.map(|cost| cost.to_string()));
    let facts = page.say(&facts.join(" · "));
    let _ = writeln!(out, "\n{DIM}{}{DIM:#}", clean_line(&facts));
    out
}

/// The sources in one list, each with who cites it and for what.
fn citations(page: Page, room: &Room) -> String {
    if room.ledger.evidence.is_empty() {
        return page.say("No agent has cited a source in this debate.\n");
    }
    let mut out = String::new();
    page.heading(&mut out, &page.say(&count(room.ledger.evidence.len(), "source")));
    for source in &room.ledger.evidence {
        page.item(&mut out, "", &source.id.to_string(), &source.title);
        if let Some(url) = &source.url {
            page.paragraph(&mut out, "    ", url);
        }
        page.paragraph(&mut out, "    ", &source.gist);
        let who: Vec<String> = source
            .cited_by
            .iter()
            .map(|cited| {
                let name = room.seats.get(cited.seat.index()).map_or("", |seat| &seat.name);
                page.say(&format!("{name} in round {}", cited.round))
            })
            .collect();
        let claims: Vec<String> = source.supports.iter().map(ToString::to_string).collect();
        let mut line = format!("{} {}", page.say("cited by"), who.join(", "));
        if !claims.is_empty() {
            let _ = write!(line, "; {} {}", page.say("for"), claims.join(", "));
        }
        let _ = write!(out, "{DIM}");
        page.paragraph(&mut out, "    ", &line);
        let _ = write!(out, "{DIM:#}");
    }
    out
}

fn path(page: Page, seat: &Seat, model: &str, steps: &[PathStep]) -> String {
    let mut out = String::new();
    let title = format!("{} through {}", seat.name, count(steps.len(), "round"));
    page.heading(&mut out, &page.say(&title));
    let role = page.say(&clean_line(&seat.role));
    let _ = writeln!(out, "{DIM}{role} · {}{DIM:#}", clean_line(model));
    for step in steps {
        let round = page.say(&format!("Round {}", step.round));
        let facts = page.say(&facts(step));
        let _ = writeln!(out, "\n{BOLD}{round}{BOLD:#} {DIM}{facts}{DIM:#}");
        if let Some(position) = &step.position {
            page.paragraph(&mut out, "  ", position);
        }
        if let Some(gap) = &step.gap {
            let _ = write!(out, "{BAD}");
            let text = format!("no answer ({}): {}", gap.class.word(), gap.message);
            page.item(&mut out, "  ", "✗", &page.say(&text));
            let _ = write!(out, "{BAD:#}");
        }
        if let Some(objection) = step.vote.as_ref().and_then(|vote| vote.objection.as_deref()) {
            page.item(&mut out, "  ", "✋", objection);
        }
        let why = step.confidence_change.as_ref().and_then(|change| change.reason.as_deref());
        if let Some(why) = why {
            page.item(&mut out, "  ", &page.say("confidence:"), why);
        }
        if let Some(change) = &step.change_of_mind {
            let _ = write!(out, "{WARN}");
            page.item(&mut out, "  ", "↷", &page.say(&change_of_mind(change)));
            let _ = write!(out, "{WARN:#}");
        }
        touched(page, &mut out, step);
    }
    out
}

fn facts(step: &PathStep) -> String {
    let mut facts = Vec::new();
    let change = step.confidence_change.as_ref().map(|change| change.delta);
    facts.extend(step.confidence.map(|now| match change.filter(|by| by.abs() >= 0.005) {
        Some(by) => format!("confidence {now:.2} ({by:+.2})"),
        None => format!("confidence {now:.2}"),
    }));
    facts.extend(step.stance.map(|stance| format!("stance {}", stance.word())));
    facts.extend(step.vote.as_ref().map(|vote| format!("votes {}", vote.ballot.word())));
    facts.extend(step.answer.as_ref().map(|choice| clean_line(&words::choice(choice))));
    facts.join(" · ")
}

fn change_of_mind(change: &ChangeOfMind) -> String {
    let before = if change.said_before.is_empty() { &change.from } else { &change.said_before };
    match change.basis {
        ChangeBasis::NewEvidence => {
            let sources: Vec<String> = change.evidence.iter().map(ToString::to_string).collect();
            let sources = sources.join(", ");
            format!("changed its mind on new evidence ({sources}); before: “{before}”")
        }
        ChangeBasis::PressureOnly => {
            format!("changed its mind without new evidence; before: “{before}”")
        }
    }
}

fn touched(page: Page, out: &mut String, step: &PathStep) {
    let ids = |ids: &[ClaimId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let claims = &step.claims_touched;
    let sources: Vec<String> = step.citations_used.iter().map(ToString::to_string).collect();
    let rows = [
        ("introduced", ids(&claims.introduced)),
        ("reinforced", ids(&claims.reinforced)),
        ("challenged", ids(&claims.challenged)),
        ("cited", sources.join(", ")),
        ("replied to", step.replies_to.join(", ")),
    ];
    let said: Vec<String> = rows
        .iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(what, list)| format!("{} {list}", page.say(what)))
        .collect();
    if !said.is_empty() {
        let _ = write!(out, "{DIM}");
        page.paragraph(out, "  ", &said.join("; "));
        let _ = write!(out, "{DIM:#}");
    }
}

//! Parts of a stored debate: one answer in full, the sources, an agent's path
//! through the rounds, and two debates side by side.

use std::fmt::Write as _;

use debate::model::*;

use crate::terminal::clean::clean_line;
use crate::terminal::events::{Detail, answer, choice_words};
use crate::terminal::page::{BAD, BOLD, DIM, NAME, Page, WARN, count};
use engine::sessions::compare::{Comparison, Side, Votes};
use engine::sessions::list::PathStep;

pub fn one_answer(page: Page, turn: &Turn) -> String {
    let mut out = String::new();
    page.heading(&mut out, &format!("{}, round {}", turn.agent, turn.round));
    answer(page, &mut out, turn, Detail::Full);
    for call in &turn.tool_calls {
        let text = format!("{} {}", call.tool, call.arguments);
        page.item(&mut out, "  ", "⚒", &text);
    }
    let mut facts = vec![turn.model.clone(), format!("{} ms", turn.bill.latency_ms)];
    facts.extend(turn.bill.usage.total().map(|tokens| format!("{tokens} tokens")));
    facts.extend(turn.bill.cost.map(|cost| cost.to_string()));
    let _ = writeln!(out, "\n{DIM}{}{DIM:#}", clean_line(&facts.join(" · ")));
    out
}

/// The sources in one list, each with who cites it and for what.
pub fn citations(page: Page, room: &Room) -> String {
    if room.ledger.evidence.is_empty() {
        return "Nobody has cited a source in this debate.\n".into();
    }
    let mut out = String::new();
    page.heading(&mut out, &count(room.ledger.evidence.len(), "source"));
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
                format!("{name} in round {}", cited.round)
            })
            .collect();
        let claims: Vec<String> = source.supports.iter().map(ToString::to_string).collect();
        let mut line = format!("cited by {}", who.join(", "));
        if !claims.is_empty() {
            let _ = write!(line, "; for {}", claims.join(", "));
        }
        let _ = write!(out, "{DIM}");
        page.paragraph(&mut out, "    ", &line);
        let _ = write!(out, "{DIM:#}");
    }
    out
}

pub fn path(page: Page, seat: &Seat, model: &str, steps: &[PathStep]) -> String {
    let mut out = String::new();
    page.heading(&mut out, &format!("{} through {}", seat.name, count(steps.len(), "round")));
    let _ = writeln!(out, "{DIM}{} · {}{DIM:#}", clean_line(&seat.role), clean_line(model));
    for step in steps {
        let _ = writeln!(out, "\n{BOLD}Round {}{BOLD:#} {DIM}{}{DIM:#}", step.round, facts(step));
        if let Some(position) = &step.position {
            page.paragraph(&mut out, "  ", position);
        }
        if let Some(gap) = &step.gap {
            let _ = write!(out, "{BAD}");
            let text = format!("no answer ({}): {}", gap.class.word(), gap.message);
            page.item(&mut out, "  ", "✗", &text);
            let _ = write!(out, "{BAD:#}");
        }
        if let Some(objection) = step.vote.as_ref().and_then(|vote| vote.objection.as_deref()) {
            page.item(&mut out, "  ", "✋", objection);
        }
        let why = step.confidence_change.as_ref().and_then(|change| change.reason.as_deref());
        if let Some(why) = why {
            page.item(&mut out, "  ", "confidence:", why);
        }
        if let Some(change) = &step.change_of_mind {
            let _ = write!(out, "{WARN}");
            page.item(&mut out, "  ", "↷", &change_of_mind(change));
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
    facts.extend(step.answer.as_ref().map(|choice| clean_line(&choice_words(choice))));
    facts.join(" · ")
}

fn change_of_mind(change: &ChangeOfMind) -> String {
    let before = if change.said_before.is_empty() { &change.from } else { &change.said_before };
    let ground = match change.basis {
        ChangeBasis::NewEvidence => {
            let sources: Vec<String> = change.evidence.iter().map(ToString::to_string).collect();
            format!("on new evidence ({})", sources.join(", "))
        }
        ChangeBasis::PressureOnly => "without new evidence".into(),
    };
    format!("changed its mind {ground}; before: “{before}”")
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
        .map(|(what, list)| format!("{what} {list}"))
        .collect();
    if !said.is_empty() {
        let _ = write!(out, "{DIM}");
        page.paragraph(out, "  ", &said.join("; "));
        let _ = write!(out, "{DIM:#}");
    }
}

/// Two debates side by side. A figure that one of them lacks is not shown.
pub fn comparison(page: Page, compared: &Comparison) -> String {
    let mut out = String::new();
    for (name, side) in [("first", &compared.first), ("second", &compared.second)] {
        let facts = format!("{name} ({}, {})", side.mode, count(side.rounds, "round"));
        let _ = writeln!(out, "{BOLD}{facts}{BOLD:#} {DIM}{}{DIM:#}", side.id);
        if compared.first.topic != compared.second.topic {
            page.paragraph(&mut out, "  ", &side.topic);
        }
        let answer = side.decision.as_ref().map_or("no verdict yet", |one| one.answer.as_str());
        page.item(&mut out, "  ", "→", answer);
        for (name, votes) in [("first vote:", &side.first_vote), ("final vote:", &side.final_vote)]
        {
            vote(page, &mut out, name, votes);
        }
        let kinds: Vec<String> =
            side.evidence.iter().map(|(kind, count)| format!("{count} {}", kind.word())).collect();
        if !kinds.is_empty() {
            page.item(&mut out, "  ", "claims rest on:", &kinds.join(", "));
        }
    }
    figures(&mut out, compared);
    let sources = &compared.sources;
    for (name, list) in [
        ("Sources of both", &sources.both),
        ("Only the first", &sources.only_first),
        ("Only the second", &sources.only_second),
    ] {
        if !list.is_empty() {
            let _ = writeln!(out, "\n{BOLD}{name}{BOLD:#}");
            list.iter().for_each(|title| page.item(&mut out, "  ", "§", title));
        }
    }
    gain(&mut out, &compared.gain);
    out
}

fn vote(page: Page, out: &mut String, name: &str, votes: &[Votes]) {
    let parts: Vec<String> = votes
        .iter()
        .map(|one| {
            let line = clean_line(&one.answer);
            let mut short: String = line.chars().take(60).collect();
            short.push_str(if short.len() < line.len() { "…" } else { "" });
            format!("{short} ({})", one.agents.join(", "))
        })
        .collect();
    if !parts.is_empty() {
        page.item(out, "  ", name, &parts.join("; "));
    }
}

fn figures(out: &mut String, compared: &Comparison) {
    let share = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.2}"));
    let decision = |side: &Side, of: fn(&DecisionLayer) -> Option<f64>| {
        share(side.decision.as_ref().and_then(of))
    };
    let action = |side: &Side| {
        let decided = side.decision.as_ref();
        decided.map_or("–", |one| one.action_recommendation.word()).to_string()
    };
    let cost = |side: &Side| match side.unpriced_calls {
        0 => format!("${:.4}", side.cost_usd),
        some => format!("${:.4} + {some} unpriced", side.cost_usd),
    };
    type Figure<'a> = (&'a str, &'a dyn Fn(&Side) -> String);
    let rows: [Figure<'_>; 11] = [
        ("recommendation", &action),
        ("agreement", &|side| decision(side, |one| one.agreement_score)),
        ("weighed vote", &|side| decision(side, |one| one.probability)),
        ("changes of mind", &|side| side.changes_of_mind.to_string()),
        ("claims", &|side| side.claims.to_string()),
        ("still contested", &|side| side.contested_claims.to_string()),
        ("sources", &|side| side.sources.to_string()),
        ("missed answers", &|side| side.missed_answers.to_string()),
        ("calls", &|side| side.calls.to_string()),
        ("tokens", &|side| side.tokens.map_or("–".into(), |tokens| tokens.to_string())),
        ("cost", &cost),
    ];
    let _ = writeln!(out, "\n  {:<18} {BOLD}{:<22} second{BOLD:#}", "", "first");
    for (name, of) in rows {
        let (first, second) = (of(&compared.first), of(&compared.second));
        let _ = writeln!(out, "  {NAME}{name:<18}{NAME:#} {first:<22} {second}");
    }
}

fn gain(out: &mut String, gain: &DepthComparison) {
    let _ = writeln!(out, "\n{BOLD}What the second has over the first{BOLD:#}");
    let rows = [
        ("depth of reasoning", gain.quality),
        ("diversity of arguments", gain.diversity),
        ("confidence in the decision", gain.confidence),
    ];
    for (name, by) in rows {
        let by = by.map_or_else(|| "not known".into(), |by| format!("{by:+.2}"));
        let _ = writeln!(out, "  {name:<28} {by}");
    }
    let cost = gain.cost_multiple;
    let cost = cost.map_or_else(|| "not known".into(), |times| format!("{times:.1} times"));
    let _ = writeln!(out, "  {:<28} {cost}", "cost");
}

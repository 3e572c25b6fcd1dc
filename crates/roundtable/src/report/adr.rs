//! A decision record: what was to be decided, what was, why, what speaks against
//! it and what to check. It stays proposed: a record is accepted by people.

use std::fmt::Write as _;

use debate::model::*;

use super::debate::{markdown, words};
use super::escape::markdown_line as line;
use engine::export::ExportedDebate;

pub fn adr(exported: &ExportedDebate) -> String {
    let room = exported.room();
    let mut out = String::new();
    let _ = writeln!(out, "# {}\n", line(&room.brief.topic));
    let state = if room.verdict.is_some() { "proposed" } else { "draft; the debate is not over" };
    let _ = writeln!(out, "- Status: {state}");
    let _ = writeln!(out, "- Date: {}", words::day(exported.updated));
    let names: Vec<&str> = room.seats.iter().map(|seat| seat.name.as_str()).collect();
    let _ = writeln!(out, "- Debated by: {}", line(&names.join(", ")));
    let _ = writeln!(out, "- Debate: `{}`\n", exported.id);
    context(room, &mut out);
    let Some(verdict) = &room.verdict else {
        markdown::notices(exported, &mut out);
        return out;
    };
    let decision = &verdict.decision;
    let _ = writeln!(out, "## Decision\n\n**{}**\n", line(&decision.answer));
    let action = words::action(decision.action_recommendation);
    let _ = writeln!(out, "{action}. {}\n", line(&decision.reason));
    for (name, value, meaning) in words::figures(decision) {
        let _ = writeln!(out, "- {name}: {value} ({meaning})");
    }
    let _ = writeln!(out);
    markdown::notices(exported, &mut out);
    options(exported, &verdict.evidence.weighing, &mut out);
    grounds(exported, &mut out);
    markdown::contested(&verdict.evidence.conflicts, &mut out);
    dissent(exported, verdict, &mut out);
    if !verdict.metadata.verification_hints.is_empty() {
        let _ = writeln!(out, "## To check before relying on it\n");
        for hint in &verdict.metadata.verification_hints {
            let _ = writeln!(out, "- [ ] {}", line(hint));
        }
        let _ = writeln!(out);
    }
    markdown::references(exported, &mut out);
    out
}

fn context(room: &Room, out: &mut String) {
    let _ = writeln!(out, "## Context\n\n{}\n", line(&room.brief.topic));
    if let Some(focus) = &room.focus {
        let _ = writeln!(out, "Every answer had to address: {}\n", line(focus));
    }
    for decision in &room.ledger.decisions {
        let _ = writeln!(out, "- {} (since round {})", line(&decision.text), decision.round);
    }
    for attachment in &room.brief.attachments {
        let _ = writeln!(out, "- On the table: {}", line(&attachment.name));
    }
    if !room.ledger.decisions.is_empty() || !room.brief.attachments.is_empty() {
        let _ = writeln!(out);
    }
}

fn options(exported: &ExportedDebate, weighing: &Weighing, out: &mut String) {
    if weighing.answers.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Options considered\n");
    for answer in &weighing.answers {
        let names: Vec<&str> = answer.seats.iter().map(|seat| exported.name(*seat)).collect();
        let who = if names.is_empty() { "nobody at the end".into() } else { names.join(", ") };
        let _ = writeln!(
            out,
            "- {} ({}; held by {})",
            line(&answer.answer),
            words::percent(answer.probability),
            line(&who)
        );
    }
    // Answers of the first vote that no agent holds now.
    for share in &weighing.first_vote {
        let said = if share.words.is_empty() { &share.answer } else { &share.words };
        if weighing.answers.iter().all(|answer| answer.answer != *said) {
            let names: Vec<&str> = share.seats.iter().map(|seat| exported.name(*seat)).collect();
            let _ = writeln!(out, "- {} (at first {})", line(said), line(&names.join(", ")));
        }
    }
    let _ = writeln!(out);
}

fn grounds(exported: &ExportedDebate, out: &mut String) {
    let room = exported.room();
    let Some(verdict) = &room.verdict else { return };
    if verdict.evidence.strongest.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Grounds\n");
    for strong in &verdict.evidence.strongest {
        let claim = room.ledger.claim(strong.claim);
        let marks: String = claim
            .map(|claim| claim.support.iter().map(|id| format!("[{}]", id.0)).collect())
            .unwrap_or_default();
        let status = claim.map_or("", |claim| claim.status.word());
        let _ = writeln!(
            out,
            "- {} {}{} ({status}, strength {:.2})",
            strong.claim,
            line(&strong.text),
            line(&marks),
            strong.strength
        );
    }
    let _ = writeln!(out);
}

fn dissent(exported: &ExportedDebate, verdict: &Verdict, out: &mut String) {
    let weighing = &verdict.evidence.weighing;
    let objections: Vec<&Objection> = exported
        .room()
        .rounds
        .last()
        .and_then(|record| record.analysis.as_ref())
        .map(|analysis| analysis.votes.objections.iter().collect())
        .unwrap_or_default();
    if weighing.minority.is_empty() && objections.is_empty() && weighing.decider.is_none() {
        return;
    }
    let _ = writeln!(out, "## Dissent\n");
    if let Some(differs) = &weighing.decider {
        let _ = writeln!(
            out,
            "- {} decided for {}; the weighed vote is for {}",
            line(exported.name(differs.seat)),
            line(&differs.decided),
            line(&differs.weighed)
        );
    }
    for minority in &weighing.minority {
        let _ = writeln!(
            out,
            "- Minority report ({} of the weight), {}: {}",
            words::percent(minority.share),
            line(exported.name(minority.seat)),
            line(&minority.words)
        );
    }
    for objection in objections {
        let _ = writeln!(
            out,
            "- {} ({}): {}",
            line(exported.name(objection.seat)),
            objection.ballot.word(),
            line(&objection.text)
        );
    }
    let _ = writeln!(out);
}

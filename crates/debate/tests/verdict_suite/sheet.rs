//! A result as one sheet of text, and the comparison with what a script expects.

use std::fmt::Write as _;

use debate::Debate;
use debate::model::*;

use crate::script::Script;

fn kind(kind: CardKind) -> String {
    format!("{kind:?}").to_lowercase()
}

/// Every part of the result, one line each.
pub fn sheet(debate: &Debate) -> String {
    let room = debate.room();
    let verdict = room.verdict.as_ref().unwrap();
    let mut out = String::new();
    decided(&mut out, verdict);
    reasons(&mut out, &verdict.card);
    votes(&mut out, room, verdict);
    rounds(&mut out, room);
    let _ = writeln!(
        out,
        "ended: {} · {}",
        verdict.metadata.exit_reason, verdict.metadata.exit_details
    );
    out
}

fn figure(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.3}"))
}

fn decided(out: &mut String, verdict: &Verdict) {
    let (card, decision) = (&verdict.card, &verdict.decision);
    let _ = writeln!(
        out,
        "{} · {} · {}",
        kind(card.kind),
        card.action.word(),
        card.figures.level.word()
    );
    let _ = writeln!(out, "decision: {}", card.decision);
    let _ = writeln!(out, "sure: {}", card.sure.join(" · "));
    let _ = writeln!(
        out,
        "figures: {}/{} of {} · abstained {} · p {} · agreement {} · disputed {} · open risks {}",
        card.figures.holding,
        card.figures.votes,
        card.figures.voters,
        card.figures.abstained,
        figure(card.figures.probability),
        figure(card.figures.agreement),
        card.figures.disputed,
        card.figures.open_risks
    );
    let _ = writeln!(out, "reason: {}", decision.reason);
    if !card.decided_by.is_empty() {
        let _ = writeln!(out, "decided by: {}", card.decided_by.join(", "));
    }
    for side in &card.sides {
        let _ =
            writeln!(out, "side: {} × “{}” ({})", side.votes, side.answer, side.agents.join(", "));
    }
}

fn reasons(out: &mut String, card: &DecisionCard) {
    for point in &card.settle {
        let _ = writeln!(
            out,
            "settle: {} {} ({} against {})",
            point.claim,
            point.text,
            point.held_by.join(", "),
            point.opposed_by.join(", ")
        );
    }
    for one in &card.beware {
        let _ = writeln!(out, "beware: {one}");
    }
    for one in &card.moved {
        let _ = writeln!(
            out,
            "moved: {} from “{}” to “{}” in round {} {}",
            one.agent, one.from, one.to, one.round, one.by
        );
    }
    for one in &card.reasons {
        let sources: Vec<String> = one.sources.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "because: {} {} [{}]", one.claim, one.text, sources.join(", "));
    }
    for one in &card.risks {
        let _ =
            writeln!(out, "risk: {} ({}, by {})", one.attack, one.state.word(), one.by.join(", "));
        for answer in &one.answers {
            let _ = writeln!(out, "  answered by {}: {}", answer.agent, answer.text);
        }
    }
    for one in &card.heard {
        let _ = writeln!(out, "heard: {} ({}) {}", one.agent, one.role, one.words);
    }
    if !card.summary.is_empty() {
        let _ = writeln!(out, "summary: {}", card.summary);
    }
}

fn votes(out: &mut String, room: &Room, verdict: &Verdict) {
    let (weighing, decision) = (&verdict.evidence.weighing, &verdict.decision);
    let names = |seats: &[SeatId]| -> String {
        seats
            .iter()
            .map(|seat| room.seats[seat.index()].name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let shares = |shares: &[VoteShare]| -> String {
        let one = |share: &VoteShare| {
            format!("{} {} ({})", share.count(), share.answer, names(&share.seats))
        };
        shares.iter().map(one).collect::<Vec<_>>().join(" | ")
    };
    let _ = writeln!(out, "first vote: {}", shares(&weighing.first_vote));
    let _ = writeln!(out, "final vote: {}", shares(&weighing.final_vote));
    for answer in &weighing.answers {
        let _ = writeln!(
            out,
            "weighed: {} {:.3} ({})",
            answer.answer,
            answer.probability,
            names(&answer.seats)
        );
    }
    for one in &weighing.minority {
        let _ =
            writeln!(out, "minority: {} by {}, {:.2}", one.answer, names(&[one.seat]), one.share);
    }
    let flags: Vec<&str> = weighing.flags.iter().map(|flag| flag.word()).collect();
    let _ = writeln!(out, "flags: {}", flags.join(", "));
    for one in &decision.warnings {
        let _ = writeln!(out, "warning: {one}");
    }
}

fn rounds(out: &mut String, room: &Room) {
    for round in &room.rounds {
        let Some(found) = &round.analysis else { continue };
        let convergence = &found.convergence;
        let _ = writeln!(
            out,
            "round {}: {:?} · agreement {} · similarity {} · shift {} · {:?} {:?} · {}",
            round.number,
            found.consensus.by,
            figure(found.consensus.agreement_level),
            figure(convergence.similarity),
            figure(convergence.shift),
            convergence.status,
            convergence.alerts,
            if round.kind == RoundKind::CriticalObjection { "objections" } else { "talk" }
        );
    }
}

/// Compares who is judged how with the table in the script.
pub fn judging_faults(script: &Script, debate: &Debate) -> Vec<String> {
    let room = debate.room();
    let verdict = room.verdict.as_ref().unwrap();
    let mut faults = Vec::new();
    for (outcome, expected) in &script.judged {
        let (accuracy, right) = outcome.split_once(" right ").unwrap_or((outcome, ""));
        let post = PostMortem {
            decision_accuracy: accuracy.parse().unwrap(),
            right_answer: Some(right.to_owned()).filter(|right| !right.is_empty()),
            ..PostMortem::default()
        };
        let day = Day::of_ms(0);
        let judged = debate::learning::judge("a debate", day, room, verdict, &post);
        let voices = &verdict.evidence.weighing.voices;
        let of = |seat: &Seat| {
            let at = voices.iter().position(|voice| voice.seat == seat.id);
            let voice = at.map(|at| &judged.voices[at]).filter(|voice| voice.told > 0.0);
            let right = voice.map_or("-".into(), |voice| format!("{}", voice.right));
            format!("{}={right}", seat.name)
        };
        let found = room.seats.iter().map(of).collect::<Vec<String>>().join(" ");
        if found != *expected {
            faults.push(format!("judged {outcome}: expected {expected}, found {found}"));
        }
    }
    faults
}

/// Compares the result with the lines of the script: `kind action level n/m` and
/// then `name: text` for anything that must stand in the sheet, `no name: text`
/// for what must not.
pub fn faults(script: &Script, debate: &Debate) -> Vec<String> {
    let verdict = debate.room().verdict.as_ref().unwrap();
    let card = &verdict.card;
    let sheet = sheet(debate);
    let mut faults = Vec::new();
    if script.expect.is_empty() {
        faults.push("nothing is expected".into());
    }
    for (at, line) in script.expect.iter().enumerate() {
        if at == 0 {
            let found = format!(
                "{} {} {} {}/{}",
                kind(card.kind),
                card.action.word(),
                card.figures.level.word(),
                card.figures.holding,
                card.figures.voters
            );
            if *line != found {
                faults.push(format!("expected {line:?}, found {found:?}"));
            }
            continue;
        }
        let (wanted, text) = match line.strip_prefix("no ") {
            Some(text) => (false, text),
            None => (true, line.as_str()),
        };
        let (head, tail) = text.split_once(": ").unwrap_or((text, ""));
        let stands = |row: &str| row.trim().starts_with(&format!("{head}:")) && row.contains(tail);
        if sheet.lines().any(stands) != wanted {
            faults.push(format!("{line:?} does not hold in\n{sheet}"));
        }
    }
    faults
}

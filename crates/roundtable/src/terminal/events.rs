//! One event as the lines a watcher sees. Events that say nothing to a person
//! give no lines.

use std::fmt::Write as _;

use debate::model::*;

use super::context;
use super::page::{BAD, DIM, Page, count, seat_style};
use crate::document::escape::clean_line;
use crate::document::words;

/// `seats`: who sits where; `rounds`: how many are planned.
pub fn event(page: Page, event: &Event, seats: &[Seat], rounds: u32) -> String {
    let mut out = String::new();
    match event {
        Event::Opened { brief, seats, .. } => opened(page, &mut out, brief, seats),
        Event::RoundOpened { round, kind, .. } => {
            let total = rounds.max(*round);
            let title = format!("Round {round} of {total}{}", kind_mark(*kind));
            page.heading(&mut out, &page.say(&title));
        }
        Event::Answered { turn, .. } => answer(page, &mut out, turn, Detail::Short),
        Event::Missed { gap, .. } => missed(page, &mut out, gap),
        Event::Unreadable { ask, problem, .. } => {
            let text = format!("{} is asked once more: {problem}", party(ask, seats));
            page.told(&mut out, "↻", &text);
        }
        Event::ClerkFailed { ask, why, .. } => {
            let text = format!("the clerk could not do its {}: {why}", ask.task.word());
            page.told(&mut out, "!", &text);
        }
        Event::Remarked { .. } | Event::Focused { .. } | Event::Dropped { .. } => {
            page.told(&mut out, "»", &steered(event));
        }
        // Whose turn it is stands in the panel, and in the question to that person.
        Event::ContextAsked { requests } if requests.iter().all(|it| it.is_turn) => {}
        Event::ContextAsked { requests } => context::requests(page, &mut out, requests),
        Event::ContextGiven { requests, given } => {
            let names: Vec<String> = requests.iter().map(ToString::to_string).collect();
            context::given(page, &mut out, "", &names.join(", "), given);
        }
        Event::Ambiguous { intents } => {
            let text = format!(
                "cut off with {} on the way: possibly billed, asked again",
                count(intents.len(), "call")
            );
            page.told(&mut out, "↻", &text);
        }
        Event::Delayed { ask, why, wait_ms } => {
            page.told(&mut out, "↻", &delayed(party(ask, seats), why, *wait_ms));
        }
        Event::DepthChosen { chosen, .. } => {
            page.told(&mut out, "»", &depth(chosen));
        }
        Event::DomainNamed { domain, .. } => {
            page.told(&mut out, "»", &format!("domain: {domain}, as the clerk names it"));
        }
        Event::SafetyTriggered { .. }
        | Event::Judged { .. }
        | Event::TextRefused { .. }
        | Event::SafetyRelaxed { .. } => {
            if let Some(text) = safety(event, seats) {
                page.told(&mut out, "⛨", &text);
            }
        }
        // What a round came to needs the round before it: see `after_round`.
        Event::Analysed { .. }
        | Event::Started
        | Event::PerspectivesNamed { .. }
        | Event::Held { .. }
        | Event::Unfinished { .. }
        | Event::Asked { .. }
        | Event::Kept { .. }
        | Event::Stepped { .. }
        | Event::Reserved { .. }
        | Event::Worked { .. }
        | Event::StandsRead { .. }
        | Event::Summarised { .. }
        | Event::RoundClosed { .. }
        | Event::Paused { .. }
        | Event::Ended { .. }
        | Event::Synthesised { .. }
        | Event::OutcomeDrafted { .. } => {}
    }
    out
}

/// Words a person's intervention.
fn steered(event: &Event) -> String {
    match event {
        Event::Remarked { remark } => format!("remark: {}", remark.text),
        Event::Focused { focus, .. } => format!("focus: {focus}"),
        Event::Dropped { dropped } => format!("{} is dropped and asked no more", dropped.agent),
        _ => String::new(),
    }
}

fn depth(chosen: &ChosenDepth) -> String {
    format!("{} depth, complexity {:.2}: {}", chosen.depth.word(), chosen.score, chosen.why)
}

/// Returns the name of the party that is asked.
fn party<'a>(ask: &AskId, seats: &'a [Seat]) -> &'a str {
    let seat = ask.party.seat().and_then(|seat| seats.get(seat.index()));
    seat.map_or("the clerk", |seat| seat.name.as_str())
}

/// Returns the words behind a round's number for a kind of round.
fn kind_mark(kind: RoundKind) -> &'static str {
    match kind {
        RoundKind::Planned => "",
        RoundKind::Sample => " · sealed first answers",
        RoundKind::CriticalObjection => " · critical objections",
    }
}

/// Words the result of a safety check; `None` if the answer passed.
fn safety(event: &Event, seats: &[Seat]) -> Option<String> {
    Some(match event {
        Event::SafetyTriggered { triggers, .. } => {
            let what: Vec<&str> = triggers.iter().map(|trigger| trigger.what.as_str()).collect();
            format!("answers are checked first: {}", what.join("; "))
        }
        Event::Judged { verdict, .. } if verdict.judgement != Judgement::Allow => {
            let who = seats.get(verdict.seat.index()).map_or("", |seat| seat.name.as_str());
            let judged = verdict.judgement.word();
            format!("{who}'s answer: {judged}: {}", verdict.reasons.join("; "))
        }
        Event::TextRefused { refused } => {
            format!("{} refused: {}", refused.what, refused.reasons.join("; "))
        }
        Event::SafetyRelaxed { .. } => {
            "two clean rounds: answers are no longer checked first".into()
        }
        _ => return None,
    })
}

/// Characters of a tool's result that a person is shown.
const SHOWN_RESULT: usize = 400;

/// Words retries, pauses and fallbacks for a person who waits.
fn delayed(name: &str, why: &str, wait_ms: u64) -> String {
    match wait_ms {
        // No person notices a shorter wait.
        0..100 => format!("{name} is held up: {why}"),
        ms => format!("{name} is held up and continues in {:.1} s: {why}", ms as f64 / 1000.0),
    }
}

fn opened(page: Page, out: &mut String, brief: &Brief, seats: &[Seat]) {
    page.paragraph(out, "", &brief.topic);
    let mut facts = vec![brief.mode.clone()];
    facts.extend(brief.project.as_deref().map(clean_line));
    facts.extend(brief.domain.as_deref().map(clean_line));
    if let Some(lessons) = brief.learned().filter(|lessons| !lessons.used.is_empty()) {
        facts.push(format!(
            "{} from {}",
            count(lessons.used.len(), "lesson"),
            count(lessons.outcomes as usize, "outcome")
        ));
    }
    let _ = writeln!(out, "{DIM}{}{DIM:#}", page.say(&facts.join(" · ")));
    for seat in seats {
        let agent = brief.agents.get(seat.agent);
        let mut model = agent.map_or_else(String::new, |a| format!("{}/{}", a.provider, a.model));
        if let Some(heavier) = brief.stand_ins.iter().find(|it| it.agent == seat.agent) {
            model += &page.say(&format!(", light, in place of {}", heavier.model));
        }
        let anchor = seat.anchor.word().into();
        let view = seat.perspective.as_ref().map_or(anchor, |p| clean_line(&p.name));
        let facts = format!("{} · {view} · {}", seat.role, clean_line(&model));
        let style = seat_style(seat.id.index());
        page.styled(out, "  ", (style, &clean_line(&seat.name)), &page.say(&facts));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Position, points and claims.
    Short,
    /// Everything, with the whole argument, critiques, sources and notes.
    Full,
}

pub fn answer(page: Page, out: &mut String, turn: &Turn, detail: Detail) {
    let answer = &turn.answer;
    let mut facts = vec![turn.role.clone()];
    facts.extend(turn.perspective.as_deref().map(clean_line));
    facts.extend(answer.stance.map(|stance| format!("stance {}", stance.word())));
    facts.push(confidence(turn));
    facts.extend(answer.vote.as_ref().map(|vote| format!("votes {}", vote.ballot.word())));
    out.push('\n');
    let style = seat_style(turn.seat.index());
    page.styled(out, "", (style, &clean_line(&turn.agent)), &page.say(&facts.join(" · ")));
    page.paragraph(out, "  ", &answer.position);
    if let Some(choice) = &answer.answer {
        page.item(out, "  ", "→", &words::choice(choice));
    }
    if detail == Detail::Full {
        page.paragraph(out, "    ", &answer.reasoning);
    }
    for point in &answer.key_points {
        page.item(out, "  ", "–", point);
    }
    if let Some(objection) = answer.vote.as_ref().and_then(|vote| vote.objection.as_deref()) {
        page.item(out, "  ", "✋", objection);
    }
    for claim in &answer.claims {
        let kind = page.say(&format!("{} · {}", claim.label.word(), claim.evidence_type.word()));
        let text = match detail {
            Detail::Short => format!("[{kind}] {}{}", claim.text, places(answer, claim)),
            Detail::Full => {
                let cited: String = claim.citations.iter().map(|n| format!("[{n}]")).collect();
                format!("[{kind}]{cited} {}", claim.text)
            }
        };
        page.item(out, "  ", "·", &text);
    }
    if detail == Detail::Full {
        answer_details(page, out, turn);
    }
}

/// The addresses of a claim's sources, in brackets. A number would point to a list
/// that is not shown.
fn places(answer: &Answer, claim: &ClaimMade) -> String {
    let cited = answer.citations.iter().filter(|one| claim.citations.contains(&one.number));
    let mut places: Vec<&str> = cited
        .filter_map(|one| match one.url.as_deref().and_then(|url| url.split("://").nth(1)) {
            Some(rest) => rest.trim_start_matches("www.").split(['/', '?', '#']).next(),
            None => one.source.as_deref().or(Some(&one.title)),
        })
        .filter(|place| !place.is_empty())
        .collect();
    places.dedup();
    if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) }
}

fn answer_details(page: Page, out: &mut String, turn: &Turn) {
    for critique in &turn.answer.critiques {
        let text = page.say(&format!("on {}:", critique.claim)) + " " + &critique.text;
        page.item(out, "  ", "⚔", &text);
    }
    for citation in &turn.answer.citations {
        let place = citation.url.as_deref().or(citation.source.as_deref()).unwrap_or_default();
        let text = format!("[{}] {} {place}", citation.number, citation.title);
        page.item(out, "  ", "§", &text);
    }
    for call in &turn.tool_calls {
        let again = if call.shared { page.say(", known before") } else { String::new() };
        let text = format!("{} {} ({} ms{again})", call.tool, call.arguments, call.duration_ms);
        page.item(out, "  ", "⚙", &text);
        page.paragraph(out, "      ", &call.result.chars().take(SHOWN_RESULT).collect::<String>());
    }
    for note in &turn.notes {
        page.item(out, "  ", "i", &format!("{}: {}", note.check, page.say(&note.text)));
    }
}

fn confidence(turn: &Turn) -> String {
    let Some(confidence) = turn.answer.confidence else {
        return "no confidence stated".into();
    };
    match turn.confidence_change.as_ref().filter(|change| change.delta.abs() >= 0.005) {
        Some(change) => format!("confidence {confidence:.2} ({:+.2})", change.delta),
        None => format!("confidence {confidence:.2}"),
    }
}

pub fn missed(page: Page, out: &mut String, gap: &Gap) {
    if gap.class == FailureClass::Passed {
        return page.told(out, "–", &format!("{} passed", gap.agent));
    }
    let text = format!("{} gave no answer ({}): {}", gap.agent, gap.class.word(), gap.message);
    let _ = write!(out, "{BAD}");
    page.told(out, "✗", &text);
    let _ = write!(out, "{BAD:#}");
}

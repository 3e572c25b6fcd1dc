//! The verdict: the decision first, then why, then what it rests on.

mod weighing;

use std::fmt::Write as _;

use debate::model::*;

use super::clean::clean_line;
use super::events::choice_words;
use super::page::{BAD, BOLD, DIM, GOOD, NAME, Page, WARN, count, thousands};
use weighing::weighing;

pub fn verdict(page: Page, verdict: &Verdict, id: &str) -> String {
    let mut out = String::new();
    page.heading(&mut out, "Verdict");
    decision(page, &mut out, &verdict.decision, &verdict.evidence.weighing);
    final_words(page, &mut out, &verdict.agent_responses);
    weighing(page, &mut out, &verdict.evidence.weighing, &verdict.agent_responses);
    minority(page, &mut out, &verdict.evidence.weighing.minority, &verdict.agent_responses);
    evidence(page, &mut out, &verdict.evidence);
    learned(page, &mut out, verdict.metadata.learning.as_ref());
    metadata(page, &mut out, &verdict.metadata);
    next(page, &mut out, id);
    out
}

/// The final state of the table, in two or three words.
fn standing(decision: &DecisionLayer, weighing: &Weighing) -> &'static str {
    let held = weighing.final_vote.iter().filter(|share| !share.seats.is_empty()).count();
    match (decision.consensus_level, held) {
        (ConsensusLevel::Unknown, _) => "too few answers",
        (_, 1) => "consensus",
        (ConsensusLevel::High, _) => "near consensus",
        (_, 2..) => "split",
        (ConsensusLevel::Medium, _) => "partly agreed",
        (ConsensusLevel::Low, _) => "split",
    }
}

fn decision(page: Page, out: &mut String, decision: &DecisionLayer, weighing: &Weighing) {
    let _ = write!(out, "{BOLD}");
    page.paragraph(out, "", &decision.answer);
    let _ = write!(out, "{BOLD:#}");
    let style = match decision.action_recommendation {
        Action::Proceed => GOOD,
        Action::Verify => WARN,
        Action::QueryDetail => BAD,
    };
    let agreement = match decision.agreement_score {
        Some(score) => format!("{score:.2}"),
        None => "unknown".into(),
    };
    let mut facts = vec![
        format!("consensus {}", decision.consensus_level.word()),
        format!("agreement {agreement}"),
    ];
    facts.extend(decision.probability.map(|p| format!("probability {:.0} %", p * 100.0)));
    let _ = writeln!(
        out,
        "\n{style}{}{style:#} · {BOLD}{}{BOLD:#} · {}",
        decision.action_recommendation.word(),
        standing(decision, weighing),
        facts.join(" · ")
    );
    page.paragraph(out, "", &decision.reason);
    // What the losing side said has a place of its own below.
    let own_place = WeighingFlag::MinorityReport.word();
    let new =
        |warning: &&String| !warning.starts_with(own_place) && !is_said(&decision.reason, warning);
    for warning in decision.warnings.iter().filter(new) {
        let _ = write!(out, "{WARN}");
        page.item(out, "", "!", warning);
        let _ = write!(out, "{WARN:#}");
    }
}

/// Returns whether the reason already contains a warning's text after its first
/// words.
fn is_said(reason: &str, warning: &str) -> bool {
    let said = warning.split_once(": ").map(|(_, said)| said.trim_end_matches('.'));
    said.is_some_and(|said| !said.is_empty() && reason.contains(said))
}

/// Last positions; those who say the same word for word stand together.
fn final_words(page: Page, out: &mut String, words: &[FinalWord]) {
    let _ = writeln!(out, "\n{BOLD}Last positions{BOLD:#}");
    for (index, word) in words.iter().enumerate() {
        let mut facts = vec![word.role.clone()];
        facts.extend(word.perspective.as_deref().map(clean_line));
        if let Some(confidence) = word.confidence {
            facts.push(format!("confidence {confidence:.2}"));
        }
        if let Some(calibrated) = word.calibrated_confidence {
            facts.push(format!("calibrated {calibrated:.2}"));
        }
        facts.extend(word.vote.map(|vote| format!("votes {}", vote.word())));
        facts.extend(word.answer.as_ref().map(choice_words));
        page.named(out, "  ", &clean_line(&word.agent), &facts.join(" · "));
        if words.get(index + 1).is_none_or(|next| next.position != word.position) {
            page.paragraph(out, "    ", &word.position);
        }
    }
}

/// Those who lost, in their own words.
fn minority(page: Page, out: &mut String, reports: &[MinorityReport], names: &[FinalWord]) {
    if reports.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{BOLD}Minority report{BOLD:#}");
    for report in reports {
        let who = names.iter().find(|word| word.seat == report.seat);
        let _ = writeln!(
            out,
            "  {NAME}{}{NAME:#} {DIM}round {} · {:.0} % of the weight{DIM:#}",
            who.map_or_else(String::new, |word| clean_line(&word.agent)),
            report.round,
            report.share * 100.0
        );
        page.paragraph(out, "    ", &report.words);
    }
}

fn evidence(page: Page, out: &mut String, evidence: &EvidenceLayer) {
    if !evidence.conflicts.is_empty() {
        let _ = writeln!(out, "\n{BOLD}Still contested{BOLD:#}");
    }
    for conflict in &evidence.conflicts {
        let text = format!(
            "{} {} — held by {}; opposed by {}",
            conflict.claim,
            conflict.text,
            conflict.held_by.join(", "),
            conflict.opposed_by.join(", ")
        );
        page.item(out, "  ", "⚔", &text);
    }
    if !evidence.strongest.is_empty() {
        let _ = writeln!(out, "\n{BOLD}Strongest claims{BOLD:#}");
    }
    for claim in &evidence.strongest {
        let text = format!("{} (strength {:.2}) {}", claim.claim, claim.strength, claim.text);
        page.item(out, "  ", "·", &text);
    }
    if !evidence.citations.is_empty() {
        let _ = writeln!(out, "\n{BOLD}Sources, most cited first{BOLD:#}");
    }
    for source in &evidence.citations {
        let text = format!(
            "{} {} {} (cited by {})",
            source.id,
            source.title,
            source.url.as_deref().unwrap_or_default(),
            source.cited_by.join(", ")
        );
        page.item(out, "  ", "§", &text);
    }
}

/// Lists the lessons of earlier outcomes that the debate started with.
fn learned(page: Page, out: &mut String, learning: Option<&LearningUsed>) {
    let Some(learning) = learning.filter(|learning| !learning.used.is_empty()) else { return };
    let _ = writeln!(
        out,
        "\n{BOLD}Learned from {}{BOLD:#} {DIM}{}{DIM:#}",
        count(learning.outcomes as usize, "earlier outcome"),
        clean_line(&learning.domain)
    );
    for lesson in &learning.used {
        page.item(out, "  ", "·", lesson);
    }
}

fn metadata(page: Page, out: &mut String, metadata: &Metadata) {
    let _ = writeln!(out);
    for gap in &metadata.gaps {
        let text = format!("{} missed round {} ({})", gap.agent, gap.round, gap.class.word());
        page.item(out, "", "✗", &text);
    }
    for hint in &metadata.verification_hints {
        page.item(out, "", "?", hint);
    }
    let spent = &metadata.spent;
    let mut facts = vec![
        count(metadata.rounds as usize, "round"),
        metadata.exit_details.clone(),
        count(spent.calls as usize, "call"),
    ];
    facts.extend(spent.usage.total().map(|tokens| format!("{} tokens", thousands(tokens))));
    facts.extend(searches(&metadata.searches));
    facts.extend(money(spent));
    let _ = write!(out, "{DIM}");
    page.paragraph(out, "", &facts.join(" · "));
    let _ = write!(out, "{DIM:#}");
}

/// Commands that can follow a finished debate.
const NEXT: [(&str, &str); 4] = [
    ("sessions show ID", "read it again, round by round"),
    ("synthesise ID", "have the clerk sum it up"),
    ("sessions export ID", "keep it as a file"),
    ("outcome assess ID", "record how the decision turned out"),
];

/// Commands are this wide, and what they do stands beside them where there is room.
const COMMAND: usize = 42;

fn next(page: Page, out: &mut String, id: &str) {
    let _ = writeln!(out, "\n{BOLD}Next{BOLD:#}");
    // Enough of the id to be unique, so that a line can be read and typed.
    let short: String = id.chars().take(13).collect();
    for (command, does) in NEXT {
        let command = format!("roundtable {}", command.replace("ID", &short));
        let _ = if page.width() < COMMAND + 38 {
            writeln!(out, "  {command}\n    {DIM}{does}{DIM:#}")
        } else {
            writeln!(out, "  {command:<COMMAND$} {DIM}{does}{DIM:#}")
        };
    }
}

/// Searches in words; nothing where there were none.
pub fn searches(searches: &Searches) -> Vec<String> {
    let count = |number: u32| match number {
        1 => "1 search".to_owned(),
        more => format!("{more} searches"),
    };
    let mut facts = Vec::new();
    if searches.asked > 0 {
        facts.push(format!("{} asked for, {} made", count(searches.asked), searches.made));
    }
    if searches.native > 0 {
        facts.push(format!("{} by the providers themselves", count(searches.native)));
    }
    facts
}

/// Words what was spent; `None` if no model was asked. "Free" is used only for a
/// known price of zero, never for an unknown price.
pub fn money(spent: &Tally) -> Option<String> {
    let known = known_cost(spent)?;
    if spent.possibly_billed == MicroUsd::ZERO {
        return Some(known);
    }
    let calls = count(spent.ambiguous_calls as usize, "call");
    Some(format!(
        "{known}, {calls} without an answer possibly billed up to {}",
        spent.possibly_billed
    ))
}

fn known_cost(spent: &Tally) -> Option<String> {
    let unpriced = spent.unpriced_calls;
    match (spent.cost > MicroUsd::ZERO, unpriced) {
        _ if spent.calls == 0 => None,
        (true, 0) => Some(spent.cost.to_string()),
        (true, some) => {
            let calls = count(some as usize, "call");
            Some(format!("{} and {calls} without a known price", spent.cost))
        }
        (false, 0) => Some("free".into()),
        (false, all) if all + spent.ambiguous_calls == spent.calls => {
            Some("price not known".into())
        }
        (false, some) => Some(format!("{} without a known price", count(some as usize, "call"))),
    }
}

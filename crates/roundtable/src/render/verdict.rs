//! The verdict: the decision first, then why, then what it rests on.

use std::fmt::Write as _;

use debate::model::*;

use super::clean::clean_line;
use super::events::choice_words;
use super::page::{BAD, BOLD, DIM, GOOD, NAME, Page, WARN, count};
use super::weighing::weighing;

pub fn verdict(page: Page, verdict: &Verdict, id: &str) -> String {
    let mut out = String::new();
    page.heading(&mut out, "Verdict");
    decision(page, &mut out, &verdict.decision);
    final_words(page, &mut out, &verdict.agent_responses);
    weighing(page, &mut out, &verdict.evidence.weighing, &verdict.agent_responses);
    evidence(page, &mut out, &verdict.evidence);
    learned(page, &mut out, verdict.metadata.learning.as_ref());
    metadata(page, &mut out, &verdict.metadata, id);
    out
}

fn decision(page: Page, out: &mut String, decision: &DecisionLayer) {
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
        "\n{style}{}{style:#} · {}",
        decision.action_recommendation.word(),
        facts.join(" · ")
    );
    page.paragraph(out, "", &decision.reason);
    for warning in &decision.warnings {
        let _ = write!(out, "{WARN}");
        page.item(out, "", "!", warning);
        let _ = write!(out, "{WARN:#}");
    }
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
        let _ = writeln!(
            out,
            "  {NAME}{}{NAME:#} {DIM}{}{DIM:#}",
            clean_line(&word.agent),
            facts.join(" · ")
        );
        if words.get(index + 1).is_none_or(|next| next.position != word.position) {
            page.paragraph(out, "    ", &word.position);
        }
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
    if !evidence.citations.is_empty() {
        let _ = writeln!(out, "\n{BOLD}Sources{BOLD:#}");
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

/// Which lessons of earlier outcomes the debate started with.
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

fn metadata(page: Page, out: &mut String, metadata: &Metadata, id: &str) {
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
    facts.extend(spent.usage.total().map(|tokens| format!("{tokens} tokens")));
    if spent.cost > MicroUsd::ZERO {
        facts.push(spent.cost.to_string());
    }
    if spent.unpriced_calls > 0 {
        facts.push(format!(
            "{} without a known price",
            count(spent.unpriced_calls as usize, "call")
        ));
    }
    let _ = write!(out, "{DIM}");
    page.paragraph(out, "", &facts.join(" · "));
    let _ = write!(out, "{DIM:#}");
    let _ = writeln!(out, "{DIM}roundtable sessions show {id}{DIM:#}");
}

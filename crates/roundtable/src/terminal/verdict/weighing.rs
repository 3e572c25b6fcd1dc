//! The vote: how it began, how it ended, who changed their mind and on what
//! ground, and what the voices weigh. Its flags stand among the warnings.

use std::fmt::Write as _;

use debate::model::*;

use crate::terminal::clean::clean_line;
use crate::terminal::page::{BOLD, Page, bar};

/// A vote in which an answer is a whole paragraph is no use to a reader.
const ANSWER_WIDTH: usize = 60;

pub fn weighing(page: Page, out: &mut String, weighing: &Weighing, names: &[FinalWord]) {
    if weighing.answers.is_empty() {
        return;
    }
    let who = |seats: &[SeatId]| -> String {
        let name = |seat: &SeatId| names.iter().find(|word| word.seat == *seat);
        seats.iter().filter_map(name).map(|w| clean_line(&w.agent)).collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(out, "\n{BOLD}The vote{BOLD:#}");
    let line = |out: &mut String, share: f64, text: &str| {
        page.item(out, "  ", &format!("{:>3.0} % {}", share * 100.0, bar(share)), text);
    };
    // A view that nobody holds any more is no row of the vote.
    let held = |answer: &&WeighedAnswer| !answer.seats.is_empty();
    // Where figures are combined, the chance of one of them says nothing.
    let counted = weighing.pooled.is_none() || weighing.over != WeighedOver::Values;
    for answer in weighing.answers.iter().filter(held).filter(|_| counted) {
        let text = format!("{} ({})", short(&answer.answer), who(&answer.seats));
        line(out, answer.probability, &text);
    }
    if let Some(rest) = weighing.something_else.filter(|_| counted) {
        line(out, rest, "none of these");
    }
    let sealed = if weighing.first_vote_sealed { "first vote, sealed" } else { "first vote" };
    for (name, vote) in [(sealed, &weighing.first_vote), ("final vote", &weighing.final_vote)] {
        let parts: Vec<String> = vote
            .iter()
            .map(|share| {
                let words = if share.words.is_empty() { &share.answer } else { &share.words };
                format!("{} ({})", short(words), who(&share.seats))
            })
            .collect();
        page.item(out, "  ", &format!("{name}:"), &parts.join("; "));
    }
    for change in &weighing.changes {
        page.item(out, "  ", "↷", &change_words(change, &who(&[change.seat])));
    }
    if let Some(pooled) = &weighing.pooled {
        let asked = match pooled.method {
            PoolMethod::MeanLogOdds => Question::Probability,
            PoolMethod::FamilyMedianMean => Question::Number { unit: None },
        };
        let figure = |value: f64| asked.figure(value);
        let text = format!(
            "all estimates combined {} (from {} to {})",
            figure(pooled.last),
            figure(pooled.lowest),
            figure(pooled.highest)
        );
        page.item(out, "  ", "Σ", &text);
    }
}

fn change_words(change: &ChangeOfMind, who: &str) -> String {
    let ground = match change.basis {
        ChangeBasis::NewEvidence => {
            let sources: Vec<String> = change.evidence.iter().map(ToString::to_string).collect();
            format!("on new evidence ({})", sources.join(", "))
        }
        ChangeBasis::PressureOnly => "without new evidence".into(),
    };
    let before = if change.said_before.is_empty() { &change.from } else { &change.said_before };
    format!(
        "{who} changed its mind in round {} {ground}: from “{}” to “{}”",
        change.round,
        short(before),
        short(&change.to)
    )
}

fn short(answer: &str) -> String {
    let line = clean_line(answer);
    if line.chars().count() <= ANSWER_WIDTH {
        return line;
    }
    let cut: String = line.chars().take(ANSWER_WIDTH - 1).collect();
    // Between words, where there are words.
    let whole = cut.rfind(' ').filter(|at| *at > cut.len() / 2);
    format!(
        "{}…",
        whole.and_then(|at| cut.get(..at)).unwrap_or(&cut).trim_end_matches([',', ';', ':'])
    )
}

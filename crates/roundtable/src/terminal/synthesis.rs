//! A debate looked at once more: another analysis, the synthesis.

use std::fmt::Write as _;

use debate::model::{RoundRecord, Synthesis, SynthesisPoint};
use debate::{Debate, ReanalysisResult};

use super::page::{BOLD, DIM, Page};
use super::round::{Figures, Stand, after_round};
use super::verdict;

pub fn analysed(page: Page, id: &str, debate: &Debate, anew: &ReanalysisResult) -> String {
    let room = debate.room();
    let mut out = String::new();
    page.heading(&mut out, "Analysed anew");
    let figures = Figures::of(&room.brief);
    let mut before = None;
    for analysis in &anew.rounds {
        let answered = room.round(analysis.round).into_iter().flat_map(RoundRecord::answered);
        let stands: Vec<Stand> = answered.map(Stand::of).collect();
        out.push_str(&after_round(page, analysis, before, &figures, &stands));
        before = Some(analysis);
    }
    let _ = writeln!(out);
    match &anew.would_end {
        Some((round, exit)) => {
            let text = format!("It would have ended after round {round}: {}.", exit.details);
            page.paragraph(&mut out, "", &text);
        }
        None => page.paragraph(&mut out, "", "No rule would have ended it early."),
    }
    out.push_str(&verdict(page, &anew.verdict, id));
    out
}

pub fn synthesis(page: Page, synthesis: &Synthesis) -> String {
    let mut out = String::new();
    page.heading(&mut out, "Synthesis");
    let point = |out: &mut String, point: &SynthesisPoint| {
        let ids: Vec<String> = point.claims.iter().map(ToString::to_string).collect();
        let ids = if ids.is_empty() { String::new() } else { format!(" [{}]", ids.join(", ")) };
        page.item(out, "  ", "·", &format!("{}{ids}", point.text));
    };
    let lists = [
        ("Common ground", &synthesis.common_ground),
        ("Key differences", &synthesis.key_differences),
        ("How it evolved", &synthesis.evolution),
    ];
    for (title, points) in lists.into_iter().filter(|(_, points)| !points.is_empty()) {
        let _ = writeln!(out, "\n{BOLD}{title}{BOLD:#}");
        points.iter().for_each(|one| point(&mut out, one));
    }
    for (title, one) in
        [("Conclusion", &synthesis.conclusion), ("Recommendation", &synthesis.recommendation)]
    {
        let _ = writeln!(out, "\n{BOLD}{title}{BOLD:#}");
        point(&mut out, one);
    }
    if let Some(confidence) = synthesis.confidence {
        let _ = writeln!(out, "\n{DIM}the clerk's own confidence: {confidence:.2}{DIM:#}");
    }
    for note in &synthesis.notes {
        page.item(&mut out, "", "i", &format!("{}: {}", note.check, note.text));
    }
    out
}

//! The synthesis of a debate.

use std::fmt::Write as _;

use debate::model::{Synthesis, SynthesisPoint};

use super::page::{BOLD, DIM, Page};

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

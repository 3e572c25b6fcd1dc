//! The report: one HTML file that needs no network, no script and no font of its
//! own. The decision comes first; charts and map are drawn here; every answer is
//! there to be opened. It prints, and it follows the reader's light or dark.

use std::fmt::Write as _;

use debate::model::*;

use super::{page_parts as parts, words};
use crate::report::escape::{html as block, html_line as plain};
use crate::report::svg::lines::{self as chart, Series};
use crate::report::svg::map;
use engine::export::ExportedDebate;

const STYLE: &str = include_str!("report.css");
/// Nothing may be fetched, run, framed or sent from this page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Anchor, name in the contents, and what writes it.
type Section = (&'static str, &'static str, fn(&ExportedDebate) -> String);

/// A section that has nothing to say is left out, from the contents too.
const SECTIONS: [Section; 9] = [
    ("positions", "Where each agent ended", parts::positions),
    ("vote", "The vote", parts::vote),
    ("convergence", "How it converged", convergence),
    ("map", "Argument map", map::map),
    ("synthesis", "Synthesis", parts::synthesis),
    ("rounds", "Round by round", parts::rounds),
    ("claims", "Claims", parts::claims),
    ("references", "References", parts::references),
    ("about", "How this came about", parts::about),
];

pub fn html(exported: &ExportedDebate) -> String {
    let room = exported.room();
    let written: Vec<(&str, &str, String)> = SECTIONS
        .iter()
        .map(|(anchor, name, write)| (*anchor, *name, write(exported)))
        .filter(|(.., text)| !text.is_empty())
        .collect();
    let title: String = room.brief.topic.chars().take(120).collect();
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#decision\">To the decision</a>\n<header>\n\
         <h1 dir=\"auto\">{}</h1>\n<p class=\"facts\">{}</p>\n</header>\n",
        plain(&title),
        block(&room.brief.topic).replace('\n', "<br>"),
        plain(&words::facts(exported).join(" · "))
    );
    out.push_str("<nav aria-label=\"Contents\"><ul>");
    for (anchor, name, _) in &written {
        let _ = write!(out, "<li><a href=\"#{anchor}\">{name}</a></li>");
    }
    out.push_str("</ul></nav>\n<main>\n");
    decision(exported, &mut out);
    notices(exported, &mut out);
    for (anchor, name, text) in &written {
        let _ = writeln!(out, "<section id=\"{anchor}\">\n<h2>{name}</h2>\n{text}</section>");
    }
    let _ = writeln!(
        out,
        "</main>\n<footer>Debate <code>{}</code>, {}. {}.</footer>\n</body>\n</html>",
        plain(&exported.id),
        words::day(exported.created),
        plain(&words::spent(&room.spent))
    );
    out
}

fn decision(exported: &ExportedDebate, out: &mut String) {
    out.push_str("<section class=\"decision\" id=\"decision\">\n<h2>Decision</h2>\n");
    let Some(verdict) = &exported.room().verdict else {
        out.push_str("<p class=\"answer\">None yet: the debate is not over.</p>\n</section>\n");
        return;
    };
    let decision = &verdict.decision;
    let action = decision.action_recommendation;
    let _ = write!(
        out,
        "<p class=\"answer\" dir=\"auto\">{}</p>\n<p><span class=\"badge {}\">{}</span></p>\n\
         <p dir=\"auto\">{}</p>\n",
        plain(&decision.answer),
        action.word(),
        words::action(action),
        plain(&decision.reason)
    );
    if let Some(decided) = &verdict.evidence.decided {
        let _ = writeln!(
            out,
            "<p dir=\"auto\"><b>{}</b>, who decides, in round {}: {}</p>",
            plain(&decided.agent),
            decided.round,
            plain(&decided.text)
        );
    }
    out.push_str("<dl class=\"figures\">");
    for (name, value, meaning) in words::figures(decision) {
        let _ = write!(
            out,
            "<div><dt>{name}</dt><dd><span class=\"value\">{value}</span>\
             <span class=\"meaning\">{meaning}</span></dd></div>"
        );
    }
    out.push_str("</dl>\n</section>\n");
}

fn notices(exported: &ExportedDebate, out: &mut String) {
    if exported.notices.is_empty() {
        return;
    }
    out.push_str("<section class=\"notices\" id=\"notices\">\n<h2>Read this first</h2>\n<ul>");
    for notice in &exported.notices {
        let _ = write!(
            out,
            "<li dir=\"auto\"><strong>{}:</strong> {}</li>",
            plain(&words::notice_head(notice)),
            plain(&notice.text)
        );
    }
    out.push_str("</ul>\n</section>\n");
}

fn convergence(exported: &ExportedDebate) -> String {
    let room = exported.room();
    let analyses: Vec<Option<&RoundAnalysis>> =
        room.rounds.iter().map(|record| record.analysis.as_ref()).collect();
    let mut measures: Vec<Series> = Vec::new();
    for (round, analysis) in analyses.iter().enumerate() {
        for (name, value) in analysis.map(words::measures).unwrap_or_default() {
            let known = measures.iter_mut().position(|one| one.name == name);
            let at = known.unwrap_or_else(|| {
                measures.push(Series { name: name.into(), values: vec![None; analyses.len()] });
                measures.len() - 1
            });
            if let Some(place) = measures.get_mut(at).and_then(|one| one.values.get_mut(round)) {
                *place = value;
            }
        }
    }
    let confidence: Vec<Series> = room
        .seats
        .iter()
        .map(|seat| Series {
            name: seat.name.clone(),
            values: room
                .rounds
                .iter()
                .map(|record| record.turn(seat.id).and_then(|turn| turn.answer.confidence))
                .collect(),
        })
        .collect();
    let charts = [
        chart::chart(
            "chart-convergence",
            "Agreement and movement",
            "After each round: how far the agents agree, how alike their positions read, how far \
             they moved, and how many sources they share.",
            &measures,
        ),
        chart::chart(
            "chart-confidence",
            "Stated confidence",
            "As each agent stated it, round by round. A gap is a round without an answer or \
             without a figure.",
            &confidence,
        ),
    ]
    .concat();
    match charts.is_empty() {
        true => charts,
        false => format!("<div class=\"charts\">{charts}</div>\n"),
    }
}

//! The sections of the report. Each gives its HTML, or nothing where it has
//! nothing to say.

use std::fmt::Write as _;

use debate::model::*;

use super::prose_html::{self, link};
use super::{numbers, words};
use crate::report::escape::html_line as plain;
use engine::export::{ExportedDebate, SourceNumbering};

/// A table in a frame that can be scrolled with the keyboard.
fn table(name: &str, head: &[&str], rows: &[String]) -> String {
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">\
         <table><thead><tr>"
    );
    for title in head {
        let _ = write!(out, "<th scope=\"col\">{title}</th>");
    }
    let _ = writeln!(out, "</tr></thead><tbody>{}</tbody></table></div>", rows.concat());
    out
}

fn who(exported: &ExportedDebate, seats: &[SeatId]) -> String {
    let names: Vec<&str> = seats.iter().map(|seat| exported.name(*seat)).collect();
    if names.is_empty() { "nobody".into() } else { plain(&names.join(", ")) }
}

pub fn positions(exported: &ExportedDebate) -> String {
    let Some(verdict) = &exported.room().verdict else { return String::new() };
    let rows: Vec<String> = verdict
        .agent_responses
        .iter()
        .map(|word| {
            let change = word.confidence_change;
            let choice = word.answer.as_ref();
            let facts = words::standing(word.confidence, change, word.stance, word.vote, choice);
            format!(
                "<tr><th scope=\"row\" dir=\"auto\">{}</th><td>{}</td><td dir=\"auto\">{}</td>\
                 <td>{}</td></tr>",
                plain(&word.agent),
                plain(word.perspective.as_deref().unwrap_or(&word.role)),
                plain(&word.position),
                plain(&facts.join(", "))
            )
        })
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => table("Last positions", &["Agent", "Role", "Position", "Standing"], &rows),
    }
}

pub fn vote(exported: &ExportedDebate) -> String {
    let Some(verdict) = &exported.room().verdict else { return String::new() };
    let weighing = &verdict.evidence.weighing;
    if weighing.answers.is_empty() {
        return String::new();
    }
    let row = |probability: f64, answer: &str, held: String| {
        format!(
            "<tr><td class=\"number\">{}</td><td dir=\"auto\">{answer}</td><td>{held}</td></tr>",
            words::percent(probability)
        )
    };
    let mut rows: Vec<String> = weighing
        .answers
        .iter()
        .map(|one| row(one.probability, &plain(&one.answer), who(exported, &one.seats)))
        .collect();
    rows.extend(
        weighing.something_else.map(|rest| row(rest, "something nobody said", String::new())),
    );
    let mut out = table("The vote", &["Weighed", "Answer", "Held by"], &rows);
    let sealed = if weighing.first_vote_sealed { "First vote, sealed" } else { "First vote" };
    for (name, vote) in [(sealed, &weighing.first_vote), ("Final vote", &weighing.final_vote)] {
        let _ = write!(out, "<h3>{name}</h3><ul>");
        for share in vote {
            let said = if share.words.is_empty() { &share.answer } else { &share.words };
            let who = who(exported, &share.seats);
            let _ = write!(out, "<li dir=\"auto\"><b>{who}:</b> {}</li>", plain(said));
        }
        out.push_str("</ul>");
    }
    out.push_str(&moves(exported, weighing));
    out.push_str(&contested(&verdict.evidence.conflicts));
    out
}

/// Lists the agents that changed their mind, with the reason, and those that did
/// not.
fn moves(exported: &ExportedDebate, weighing: &Weighing) -> String {
    let mut items: Vec<String> =
        weighing.changes.iter().map(|one| plain(&words::change(exported, one))).collect();
    items.extend(weighing.minority.iter().map(|minority| {
        format!(
            "<b>Minority report</b>, {} of the weight, {} in round {}: {}",
            words::percent(minority.share),
            plain(exported.name(minority.seat)),
            minority.round,
            plain(&minority.words)
        )
    }));
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|item| format!("<li dir=\"auto\">{item}</li>")).collect();
    format!("<h3>Changes of mind and dissent</h3><ul>{items}</ul>\n")
}

fn contested(conflicts: &[OpenConflict]) -> String {
    if conflicts.is_empty() {
        return String::new();
    }
    let mut out = String::from("<h3>Still contested</h3><ul>");
    for conflict in conflicts {
        let _ = write!(
            out,
            "<li dir=\"auto\"><a href=\"#{0}\">{0}</a> {1} (held by {2}; opposed by {3})</li>",
            conflict.claim,
            plain(&conflict.text),
            plain(&conflict.held_by.join(", ")),
            plain(&conflict.opposed_by.join(", "))
        );
    }
    out.push_str("</ul>\n");
    out
}

pub fn synthesis(exported: &ExportedDebate) -> String {
    let Some(synthesis) = &exported.room().synthesis else { return String::new() };
    let lists = [
        ("Conclusion", std::slice::from_ref(&synthesis.conclusion)),
        ("Recommendation", std::slice::from_ref(&synthesis.recommendation)),
        ("Common ground", synthesis.common_ground.as_slice()),
        ("Key differences", synthesis.key_differences.as_slice()),
        ("How it evolved", synthesis.evolution.as_slice()),
    ];
    let mut out = String::new();
    for (title, points) in lists.into_iter().filter(|(_, points)| !points.is_empty()) {
        let _ = write!(out, "<h3>{title}</h3><ul>");
        for point in points {
            let ids: Vec<String> =
                point.claims.iter().map(|id| format!("<a href=\"#{id}\">{id}</a>")).collect();
            let _ = write!(out, "<li dir=\"auto\">{} {}</li>", plain(&point.text), ids.join(", "));
        }
        out.push_str("</ul>\n");
    }
    out
}

pub fn rounds(exported: &ExportedDebate) -> String {
    let numbering = exported.numbering();
    let mut out = String::new();
    for record in &exported.room().rounds {
        let kind = match record.kind {
            RoundKind::Planned => "",
            RoundKind::Sample => ": sealed first answers",
            RoundKind::CriticalObjection => ": critical objections",
        };
        let _ = writeln!(out, "<h3>Round {}{kind}</h3>", record.number);
        for remark in exported.room().remarks.iter().filter(|one| one.round == record.number) {
            let text = plain(&remark.text);
            let _ = writeln!(out, "<p dir=\"auto\"><b>Remark from a person:</b> {text}</p>");
        }
        for turn in record.answered() {
            answer(turn, &numbering, &mut out);
        }
        for gap in &record.gaps {
            let _ = writeln!(
                out,
                "<p class=\"gap\" dir=\"auto\"><b>{}</b> gave no answer ({}): {}</p>",
                plain(&gap.agent),
                gap.class.word(),
                plain(&gap.message)
            );
        }
        if let Some(analysis) = &record.analysis {
            let _ = writeln!(
                out,
                "<p class=\"facts\">Analysed over {} of {} agents. {}</p>",
                analysis.answered,
                analysis.seats,
                plain(&analysis.consensus.summary)
            );
        }
    }
    out
}

fn answer(turn: &Turn, numbering: &SourceNumbering, out: &mut String) {
    let answer = &turn.answer;
    let mut facts = vec![turn.perspective.clone().unwrap_or_else(|| turn.role.clone())];
    facts.push(turn.model.clone());
    facts.extend(words::of_turn(turn));
    let _ = write!(
        out,
        "<details id=\"round-{}-seat-{}\"><summary><b>{}</b><span dir=\"auto\">{}</span>\
         <span class=\"facts\">{}</span></summary><div class=\"inside\">",
        turn.round,
        turn.seat.index() + 1,
        plain(&turn.agent),
        plain(&answer.position),
        plain(&facts.join(" · "))
    );
    let own = numbering.of(turn);
    let reasoning = numbers::renumber(&answer.reasoning, &own, numbering.sources);
    out.push_str(&prose_html::html(&reasoning));
    let mut lists: Vec<(&str, Vec<String>)> = vec![
        ("Key points", answer.key_points.iter().map(|point| plain(point)).collect()),
        (
            "Claims",
            answer
                .claims
                .iter()
                .map(|claim| {
                    let marks = numbers::marks(&claim.citations, &own, numbering.sources);
                    let kind = format!("{}, {}", claim.label.word(), claim.evidence_type.word());
                    format!("{} {marks} <span class=\"facts\">{kind}</span>", plain(&claim.text))
                })
                .collect(),
        ),
        (
            "Critiques",
            answer
                .critiques
                .iter()
                .map(|critique| {
                    let counter = critique.counter_evidence.as_deref().unwrap_or_default();
                    let on = critique.claim;
                    format!("On {on}: {} {}", plain(&critique.text), plain(counter))
                })
                .collect(),
        ),
    ];
    let objection = answer.vote.as_ref().and_then(|vote| vote.objection.as_deref());
    lists.push(("Objection", objection.map(plain).into_iter().collect()));
    let reason = answer.confidence_reason.as_deref();
    lists.push(("Why its confidence changed", reason.map(plain).into_iter().collect()));
    let notes = turn.notes.iter().map(|note| plain(&format!("{}: {}", note.check, note.text)));
    lists.push(("What was mended while reading", notes.collect()));
    for (title, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
        let _ = write!(out, "<p class=\"h\">{title}</p><ul>");
        for item in items {
            let _ = write!(out, "<li dir=\"auto\">{item}</li>");
        }
        out.push_str("</ul>");
    }
    out.push_str("</div></details>\n");
}

pub fn claims(exported: &ExportedDebate) -> String {
    let ledger = &exported.room().ledger;
    let rows: Vec<String> = ledger
        .claims
        .iter()
        .map(|claim| {
            let marks: String = claim
                .support
                .iter()
                .map(|id| format!(" <a href=\"#reference-{0}\">[{0}]</a>", id.0))
                .collect();
            let linked = |word: &str, ids: &[ClaimId]| -> Option<String> {
                let ids: Vec<String> =
                    ids.iter().map(|id| format!("<a href=\"#{id}\">{id}</a>")).collect();
                (!ids.is_empty()).then(|| format!("{word} by {}", ids.join(", ")))
            };
            let links: Vec<String> =
                [linked("supported", &claim.supported_by), linked("opposed", &claim.opposition)]
                    .into_iter()
                    .flatten()
                    .collect();
            let status = claim.status.word();
            format!(
                "<tr id=\"{}\"><th scope=\"row\">{0}</th><td dir=\"auto\">{}{marks}</td>\
                 <td>{}, {}</td><td>{}</td><td><span class=\"badge {status}\">{status}</span></td>\
                 <td class=\"number\">{:.2}</td><td>{}</td></tr>",
                claim.id,
                plain(&claim.text),
                claim.label.word(),
                claim.evidence_type.word(),
                who(exported, &claim.holders),
                claim.strength,
                links.join("; ")
            )
        })
        .collect();
    let head = ["Id", "Claim", "Ground", "Held by", "Status", "Strength", "Links"];
    match rows.is_empty() {
        true => String::new(),
        false => table("Claims", &head, &rows),
    }
}

pub fn references(exported: &ExportedDebate) -> String {
    let sources = &exported.room().ledger.evidence;
    if sources.is_empty() {
        return String::new();
    }
    let mut out = String::from("<ol class=\"references\">");
    for source in sources {
        let mut names: Vec<&str> =
            source.cited_by.iter().map(|cited| exported.name(cited.seat)).collect();
        names.sort_unstable();
        names.dedup();
        let url = source.url.as_deref().unwrap_or_default();
        let (start, end) = link(url);
        let gist = match source.gist.is_empty() {
            true => String::new(),
            false => format!(" {}", plain(&source.gist)),
        };
        let _ = write!(
            out,
            "<li id=\"reference-{}\" dir=\"auto\"><b>{}</b> {start}{}{end}{gist} \
             <span class=\"facts\">cited by {}</span></li>",
            source.id.0,
            plain(&source.title),
            plain(url),
            plain(&names.join(", "))
        );
    }
    out.push_str("</ol>\n");
    out
}

pub fn about(exported: &ExportedDebate) -> String {
    let room = exported.room();
    let rows: Vec<String> = room
        .seats
        .iter()
        .map(|seat| {
            let agent = room.brief.agents.get(seat.agent);
            let model =
                agent.map_or_else(String::new, |one| format!("{}/{}", one.provider, one.model));
            let role = seat.perspective.as_ref().map_or(&seat.role, |one| &one.name);
            format!(
                "<tr><th scope=\"row\" dir=\"auto\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
                plain(&seat.name),
                plain(role),
                seat.anchor.word(),
                plain(&model)
            )
        })
        .collect();
    let mut out = table("Who sat at the table", &["Agent", "Role", "Anchor", "Model"], &rows);
    let Some(verdict) = &room.verdict else { return out };
    let _ = writeln!(out, "<p>Ended: {}</p>", plain(&verdict.metadata.exit_details));
    if !verdict.metadata.verification_hints.is_empty() {
        out.push_str("<h3>To check before relying on it</h3><ul>");
        for hint in &verdict.metadata.verification_hints {
            let _ = write!(out, "<li dir=\"auto\">{}</li>", plain(hint));
        }
        out.push_str("</ul>\n");
    }
    out
}

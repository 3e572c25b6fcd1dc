//! The argument map as a Mermaid flowchart: claims coloured by how they stand,
//! what supports and what opposes them, their sources, and what a reader must
//! know. Every word of a model stands between quotes, by number where needed.

use std::fmt::Write as _;

use crate::document::escape;
use crate::document::svg::map::{Link, links};
use crate::report::debate::words;
use engine::export::ExportedDebate;

/// Longer lines make boxes that cannot be placed.
const WIDTH: usize = 40;

/// Class, and how it is drawn in light and dark alike.
const CLASSES: [(&str, &str); 7] = [
    ("decision", "fill:#dcebe9,stroke:#1d5c57,color:#0f2b29,stroke-width:3px"),
    ("accepted", "fill:#e3f1e6,stroke:#2e7d4f,color:#14261b"),
    ("contested", "fill:#fbe9e7,stroke:#b3452f,color:#2d130d"),
    ("open", "fill:#eef1f5,stroke:#5b6b7f,color:#1a222c"),
    ("retracted", "fill:#f2f2f2,stroke:#9a9a9a,color:#5a5a5a,stroke-dasharray:4 3"),
    ("source", "fill:#fff8e1,stroke:#a37a00,color:#2b2200"),
    ("notice", "fill:#fff3cd,stroke:#8a6d00,color:#2b2200"),
];

pub fn mermaid(exported: &ExportedDebate) -> String {
    let room = exported.room();
    let mut out = String::from("flowchart RL\n");
    let _ = writeln!(out, "  topic[\"{}\"]", label(&room.brief.topic));
    if let Some(verdict) = &room.verdict {
        let _ = writeln!(out, "  decision[\"{}\"]:::decision", label(&verdict.card.decision));
        let _ = writeln!(out, "  decision --- topic");
        for reason in &verdict.card.reasons {
            let _ = writeln!(out, "  {} -->|reason| decision", reason.claim);
        }
    }
    for claim in &room.ledger.claims {
        let about = format!(
            "{} · {} · {} · {:.2}",
            claim.id,
            escape::mermaid(exported.name(claim.author)),
            claim.status.word(),
            claim.strength
        );
        let (id, class) = (claim.id, claim.status.word());
        let _ = writeln!(out, "  {id}[\"{about}<br/>{}\"]:::{class}", label(&claim.text));
    }
    for source in &room.ledger.evidence {
        let _ = writeln!(out, "  {}[/\"{}\"/]:::source", source.id, label(&source.title));
    }
    for (from, to, link) in links(&room.ledger) {
        let arrow = match link {
            Link::Supports => "-->",
            Link::Opposes => "-.->",
        };
        let _ = writeln!(out, "  {from} {arrow}|{}| {to}", link.word());
    }
    for claim in &room.ledger.claims {
        for source in &claim.support {
            let _ = writeln!(out, "  {source} --- {}", claim.id);
        }
    }
    if !exported.notices.is_empty() {
        let _ = writeln!(out, "  subgraph notices[\"Read this first\"]");
        for (number, notice) in (1..).zip(&exported.notices) {
            let head = escape::mermaid(&words::notice_head(notice));
            let text = label(&notice.text);
            let _ = writeln!(out, "    N{number}[\"{head}<br/>{text}\"]:::notice");
        }
        let _ = writeln!(out, "  end");
    }
    for (class, look) in CLASSES {
        let _ = writeln!(out, "  classDef {class} {look}");
    }
    out
}

/// Foreign text, wrapped before it is escaped so that no escape is cut.
fn label(text: &str) -> String {
    let line = escape::clean_line(text);
    let lines: Vec<String> =
        textwrap::wrap(&line, WIDTH).iter().map(|line| escape::mermaid(line)).collect();
    // A label without a sign is no label.
    if lines.concat().trim().is_empty() { "–".into() } else { lines.join("<br/>") }
}

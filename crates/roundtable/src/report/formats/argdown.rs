//! The argument map in Argdown: each claim once, with what supports (+) and what
//! opposes (-) it, and its sources as arguments.

use std::fmt::Write as _;

use crate::document::escape::{argdown as plain, clean_line};
use crate::report::debate::words;
use engine::export::ExportedDebate;

pub fn argdown(exported: &ExportedDebate) -> String {
    let room = exported.room();
    let mut out = String::new();
    // A text in JSON's quotes is a text in YAML too.
    let title = clean_line(&room.brief.topic);
    let _ = writeln!(out, "===\ntitle: {}\n===\n", serde_json::Value::from(title));
    let _ = writeln!(out, "# {}\n", plain(&room.brief.topic));
    if let Some(verdict) = &room.verdict {
        let _ = writeln!(out, "[Decision]: {}", plain(&verdict.card.decision));
        for reason in &verdict.card.reasons {
            let _ = writeln!(out, "  + [{}]", reason.claim);
        }
        let _ = writeln!(out);
    }
    for (number, notice) in (1..).zip(&exported.notices) {
        let head = plain(&words::notice_head(notice));
        let _ = writeln!(out, "[Notice {number}]: {head}\\: {}\n", plain(&notice.text));
    }
    for claim in &room.ledger.claims {
        let _ = writeln!(out, "[{}]: {} #{}", claim.id, plain(&claim.text), claim.status.word());
        for from in &claim.supported_by {
            let _ = writeln!(out, "  + [{from}]");
        }
        for from in &claim.opposition {
            let _ = writeln!(out, "  - [{from}]");
        }
        for source in &claim.support {
            let _ = writeln!(out, "  + <{source}>");
        }
        let _ = writeln!(out);
    }
    for source in &room.ledger.evidence {
        let place = source.url.as_deref().map(|url| format!(", {}", plain(url)));
        let _ = writeln!(
            out,
            "<{}>: {}{}\n",
            source.id,
            plain(&source.title),
            place.unwrap_or_default()
        );
    }
    out
}

//! The complete export: first the parts that programs want to read, then the log
//! they were made from, entry by entry with its hash. The log alone is the debate;
//! everything else is there for readers and must match it.

use serde_json::{Map, Value, json};
use store::SealedEntry;

use crate::export::{ExportedDebate, state};

/// The word that identifies such a document.
pub const FORMAT: &str = "roundtable-debate";
/// Increased when an older program could not read what a newer one writes.
pub const FORMAT_VERSION: u64 = 1;

/// Field names used by both the writer and the reader.
pub const LOG: &str = "log";
pub const ENTRIES: &str = "entries";
pub const DIGEST: &str = "digest";
/// The exact text of an entry's event, for an entry whose value alone does not
/// determine it.
pub const TEXT: &str = "text";

pub fn document(exported: &ExportedDebate) -> Value {
    let room = exported.room();
    let rounds: Vec<_> = room.rounds.iter().map(|record| state::round(room, record)).collect();
    let mut document = json!({
        "format": FORMAT,
        "formatVersion": FORMAT_VERSION,
        "program": env!("CARGO_PKG_VERSION"),
        "id": exported.id,
        "topic": room.brief.topic,
        "mode": room.brief.mode,
        "status": room.status.word(),
        "created": exported.created,
        "updated": exported.updated,
        "verdict": room.verdict,
        "notices": exported.notices,
        "synthesis": room.synthesis,
        "after": room.brief.after.as_ref().map(|earlier| json!({
            "id": earlier.id, "link": earlier.link, "topic": earlier.topic,
        })),
        "followedBy": exported.followers.iter().map(|one| json!({
            "id": one.id, "topic": one.topic,
        })).collect::<Vec<_>>(),
        "seats": room.seats,
        "state": state::state(room),
        "rounds": rounds,
        "references": references(exported),
        ENTRIES: exported.log.len(),
        LOG: exported.log.iter().map(entry).collect::<Vec<_>>(),
    });
    let digest = digest(&document);
    if let Some(fields) = document.as_object_mut() {
        fields.insert(DIGEST.into(), digest.into());
    }
    document
}

/// One list of sources, with the number under which each answer cites them.
fn references(exported: &ExportedDebate) -> Vec<Value> {
    let numbering = exported.numbering();
    let cited: Vec<_> = exported.turns().map(|turn| (turn, numbering.of(turn))).collect();
    let used_as = |number: u32| -> Vec<Value> {
        cited
            .iter()
            .flat_map(|(turn, own)| own.iter().map(move |(from, to)| (turn, *from, *to)))
            .filter(|(_, _, to)| *to == number)
            .map(|(turn, from, _)| json!({ "agent": turn.agent, "round": turn.round, "as": from }))
            .collect()
    };
    let sources = &exported.room().ledger.evidence;
    sources
        .iter()
        .map(|source| {
            json!({
                "number": source.id.0,
                "evidence": source.id,
                "title": source.title,
                "url": source.url,
                "citedIn": used_as(source.id.0),
            })
        })
        .collect()
}

fn entry(sealed: &SealedEntry) -> Value {
    // Text that this program wrote can always be read again.
    let event: Value = serde_json::from_str(&sealed.json).unwrap_or(Value::Null);
    let written = event.to_string();
    let mut entry = json!({
        "seq": sealed.seq,
        "at": sealed.at,
        "kind": sealed.kind,
        "hash": hex(&sealed.hash),
        "event": event,
    });
    // Only text that another program wrote differs from how this one writes it.
    if let Some(fields) = entry.as_object_mut().filter(|_| written != sealed.json) {
        fields.insert(TEXT.into(), sealed.json.as_str().into());
    }
    entry
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a hash over everything except the hash itself.
pub fn digest(document: &Value) -> String {
    let mut fields: Map<String, Value> = document.as_object().cloned().unwrap_or_default();
    fields.shift_remove(DIGEST);
    blake3::hash(Value::Object(fields).to_string().as_bytes()).to_hex().to_string()
}

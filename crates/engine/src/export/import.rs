//! Imports a debate that was exported as JSON: entry by entry, under its own id and
//! hashes, or as a copy under a new id. A truncated or changed document is refused
//! with the place of the difference, and nothing is written.

use std::path::Path;

use async_recursion::async_recursion as boxed;
use serde_json::Value;
use store::{SealedEntry, Store, StoreError};

use crate::bounded_file;
use crate::clock;
use crate::config::Config;
use crate::error::{
    EngineError, FileKind, FileProblem, ImportClash, Refusal, Remedy, SessionProblem,
};
use crate::export::ExportedDebate;
use crate::export::document::{
    DIGEST, ENTRIES, FORMAT, FORMAT_VERSION, LOG, TEXT, digest, document,
};
use crate::people::caller::Operation;

/// No debate is this large.
const LARGEST: u64 = 512 * 1024 * 1024;

/// The id under which a debate is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportId {
    ItsOwnId,
    ANewId,
}

pub struct ImportedDebate {
    pub id: String,
    pub entries: usize,
    pub topic: String,
    pub status: &'static str,
}

#[boxed]
pub async fn import(
    config: &Config,
    file: &Path,
    under: ImportId,
) -> Result<ImportedDebate, EngineError> {
    let refuse = |problem: FileProblem| Refusal::file(file, problem);
    let text = read(file).map_err(refuse)?;
    let exported = parse(&text).map_err(refuse)?;
    let id = match under {
        ImportId::ItsOwnId => exported.id.clone(),
        ImportId::ANewId => clock::new_id(),
    };
    let room = exported.room();
    let (topic, status) = (room.brief.topic.clone(), room.status.word());
    let log: Vec<SealedEntry> = exported.log.iter().map(|entry| again(&id, entry)).collect();
    let entries = log.len();
    config.caller.allowed(Operation::Start)?;
    let store = config.made_store(Operation::Start).await?;
    let taken = store.import(&id, log).await;
    let answer = match taken {
        Err(StoreError::Exists { .. }) => Err(already_here(&store, &exported).await),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(ImportedDebate { id, entries, topic, status }),
    };
    store.close().await;
    answer
}

fn again(id: &str, entry: &SealedEntry) -> SealedEntry {
    SealedEntry::seal(id, entry.seq, entry.at, &entry.kind, &entry.json)
}

async fn already_here(store: &Store, exported: &ExportedDebate) -> EngineError {
    let id = &exported.id;
    let here = store.sealed_log(id).await.unwrap_or_default();
    let same = here.iter().zip(&exported.log).take_while(|(one, other)| one == other).count();
    let (here, there) = (here.len(), exported.log.len());
    let clash = match (same == here, same == there) {
        (true, true) => ImportClash::Same,
        (false, true) => ImportClash::GoneOn { here, there },
        (true, false) => ImportClash::EndsEarlier { here, there },
        (false, false) => ImportClash::Differs { from: same + 1 },
    };
    Refusal::session(id, SessionProblem::HereAlready(clash)).help(Remedy::ImportAsCopy).into()
}

fn read(file: &Path) -> Result<String, FileProblem> {
    let bytes = bounded_file::read(file, LARGEST)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        broken(format!("it is not UTF-8 text: byte {} is wrong", at + 1))
    })
}

/// A fault of the document, by its place in it.
fn broken(why: String) -> FileProblem {
    FileProblem::Broken { what: FileKind::Export, why }
}

/// Reads an exported document and checks every part of it.
pub fn parse(text: &str) -> Result<ExportedDebate, FileProblem> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        if error.is_eof() {
            broken(format!("line {line}, column {column}: it was cut off here"))
        } else {
            broken(format!("line {line}, column {column} is not JSON: {error}"))
        }
    })?;
    if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(FileProblem::NotA { what: FileKind::Export });
    }
    let version = value.get("formatVersion").and_then(Value::as_u64).unwrap_or(0);
    if version > FORMAT_VERSION {
        return Err(broken(format!(
            "it was written by a newer Roundtable (format {version}, this one reads \
             {FORMAT_VERSION})"
        )));
    }
    let Some(id) = value.get("id").and_then(Value::as_str).filter(|id| is_id(id)) else {
        return Err(broken("/id: it is missing, or is not the id of a debate".into()));
    };
    let log = entries(id, &value).map_err(broken)?;
    let exported =
        ExportedDebate::of(id.into(), log).map_err(|trouble| broken(trouble.to_string()))?;
    if value.get(DIGEST).and_then(Value::as_str) == Some(digest(&value).as_str()) {
        return Ok(exported);
    }
    let fresh = document(&exported);
    let place = difference(&fresh, &value, String::new());
    let place = place.unwrap_or_else(|| format!("/{DIGEST}"));
    Err(broken(format!("{place}: it was changed after the export and no longer fits the log")))
}

/// Returns whether an id has the form this program gives them, so that it cannot be
/// a path or a command.
fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || c == '-';
    (1..=64).contains(&id.len()) && id.chars().all(plain)
}

fn entries(id: &str, value: &Value) -> Result<Vec<SealedEntry>, String> {
    let Some(list) = value.get(LOG).and_then(Value::as_array) else {
        return Err(format!("/{LOG}: it is missing; a debate cannot be imported without its log"));
    };
    let mut log = Vec::with_capacity(list.len());
    for (seq, entry) in (1_u64..).zip(list) {
        log.push(sealed(id, seq, entry).map_err(|why| format!("/{LOG}/{}: {why}", seq - 1))?);
    }
    match value.get(ENTRIES).and_then(Value::as_u64) {
        Some(count) if count == log.len() as u64 => Ok(log),
        Some(count) => Err(format!("/{LOG}: it has {} entries instead of {count}", log.len())),
        None => Err(format!("/{ENTRIES}: it is missing")),
    }
}

fn sealed(id: &str, seq: u64, entry: &Value) -> Result<SealedEntry, String> {
    let field = |name: &str| entry.get(name).ok_or_else(|| format!("{name} is missing"));
    let wrong = |name: &str| format!("{name} has the wrong form");
    if field("seq")?.as_u64() != Some(seq) {
        return Err(format!("entry {seq} is missing or not in its place"));
    }
    let at = field("at")?.as_i64().ok_or_else(|| wrong("at"))?;
    let kind = field("kind")?.as_str().ok_or_else(|| wrong("kind"))?;
    let hash = field("hash")?.as_str().and_then(unhex).ok_or_else(|| wrong("hash"))?;
    let json = match entry.get(TEXT).map(|text| text.as_str().ok_or_else(|| wrong(TEXT))) {
        Some(text) => text?.to_owned(),
        None => field("event")?.to_string(),
    };
    let sealed = SealedEntry::seal(id, seq, at, kind, &json);
    if sealed.hash != hash {
        return Err(format!("entry {seq} ({kind:.40}) was changed: its hash does not match"));
    }
    Ok(sealed)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    let whole = digits.len().is_multiple_of(2);
    whole.then(|| digits.chunks(2).map(|pair| pair.iter().fold(0, |sum, d| sum * 16 + d)).collect())
}

/// Returns the first path at which a document differs from what its log gives.
fn difference(fresh: &Value, found: &Value, place: String) -> Option<String> {
    match (fresh, found) {
        (Value::Object(fresh), Value::Object(found)) => {
            let ours = fresh.iter().filter(|(name, _)| *name != DIGEST);
            for (name, value) in ours {
                let here = format!("{place}/{name}");
                match found.get(name) {
                    Some(other) => {
                        if let Some(inside) = difference(value, other, here) {
                            return Some(inside);
                        }
                    }
                    None => return Some(here),
                }
            }
            let foreign = found.keys().find(|name| !fresh.contains_key(*name));
            foreign.map(|name| format!("{place}/{name}"))
        }
        (Value::Array(fresh), Value::Array(found)) => {
            let pairs = fresh.iter().zip(found).enumerate();
            for (index, (value, other)) in pairs {
                if let Some(inside) = difference(value, other, format!("{place}/{index}")) {
                    return Some(inside);
                }
            }
            (fresh.len() != found.len()).then_some(place)
        }
        _ => (fresh != found).then_some(place),
    }
}

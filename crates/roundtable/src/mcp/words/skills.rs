//! The skill that teaches an agent when and how to hold debates, served as the
//! skills extension has it: listed with its front matter and a digest of its
//! file, read as a resource, and found by reading its directory.

use rmcp::ErrorData;
use rmcp::model::{CustomRequest, CustomResult, ErrorCode, JsonObject, Resource, ResourceContents};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::about::LONG_MS;
use crate::mcp::era::ProtocolEra;

pub const EXTENSION: &str = "io.modelcontextprotocol/skills";
pub const URI: &str = "skill://roundtable/SKILL.md";
const TEXT: &str = include_str!("../../../../../skills/roundtable/SKILL.md");
/// The kind of a directory among resources.
const FOLDER: &str = "inode/directory";

/// A file of the skill besides the one that makes it one.
struct SkillFile {
    uri: &'static str,
    name: &'static str,
    title: &'static str,
    text: &'static str,
}

const EXTRAS: &[SkillFile] = &[SkillFile {
    uri: "skill://roundtable/references/tools.md",
    name: "tools.md",
    title: "Which tool for what",
    text: include_str!("../../../../../skills/roundtable/references/tools.md"),
}];

/// Each directory with those that are in it.
const DIRECTORIES: &[(&str, &[&str])] = &[
    ("skill://roundtable", &["skill://roundtable/references"]),
    ("skill://roundtable/references", &[]),
];

/// Methods of the protocol itself. A request for one of them arrives here where
/// its parameters could not be read.
const PLAIN: [&str; 12] = [
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// The same, which only the older era has, with what they want.
const OLDER: [(&str, &str); 3] = [
    (
        "logging/setLevel",
        "level: debug, info, notice, warning, error, critical, alert or emergency",
    ),
    ("resources/subscribe", "uri: the address of a resource"),
    ("resources/unsubscribe", "uri: the address of a resource"),
];

pub fn capability() -> JsonObject {
    JsonObject::from_iter([("directoryRead".to_owned(), true.into())])
}

fn resource() -> Resource {
    let head = frontmatter();
    let said = |key: &str| head[key].as_str().unwrap_or_default().to_owned();
    Resource::new(URI, said("name"))
        .with_title("How to use Roundtable")
        .with_description(said("description"))
        .with_mime_type("text/markdown")
        .with_size(TEXT.len() as u64)
}

pub fn read(uri: &str) -> Option<ResourceContents> {
    let (uri, text) = files().find(|(file, _)| *file == uri)?;
    Some(ResourceContents::text(text, uri).with_mime_type("text/markdown"))
}

/// Every file with its text, the skill itself first.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once((URI, TEXT)).chain(EXTRAS.iter().map(|extra| (extra.uri, extra.text)))
}

/// All files, as they are listed.
pub fn resources() -> Vec<Resource> {
    let extra = |extra: &SkillFile| {
        Resource::new(extra.uri, extra.name)
            .with_title(extra.title)
            .with_mime_type("text/markdown")
            .with_size(extra.text.len() as u64)
    };
    std::iter::once(resource()).chain(EXTRAS.iter().map(extra)).collect()
}

/// Returns the direct children of a directory.
fn children(directory: &str) -> Option<Vec<Resource>> {
    let (_, folders) = DIRECTORIES.iter().find(|(name, _)| *name == directory)?;
    let parent = |uri: &str| uri.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    let mut found = resources();
    found.retain(|file| parent(&file.uri).as_deref() == Some(directory));
    let name = |uri: &str| uri.rsplit('/').next().unwrap_or_default().to_owned();
    found.extend(folders.iter().map(|uri| Resource::new(*uri, name(uri)).with_mime_type(FOLDER)));
    Some(found)
}

pub fn answer(request: &CustomRequest, era: ProtocolEra) -> Result<CustomResult, ErrorData> {
    let mut result = json!({ "resultType": "complete", "ttlMs": LONG_MS, "cacheScope": "public" });
    match request.method.as_str() {
        "skills/list" => result["skills"] = json!([entry()]),
        "skills/get" => match said(request, "uri") {
            Some(URI) => result["skill"] = entry(),
            other => return Err(missing("skill", other, URI)),
        },
        "resources/directory/read" => {
            let there_is = DIRECTORIES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let asked = said(request, "uri");
            let found = asked.and_then(children);
            let found = found.ok_or_else(|| missing("directory", asked, &there_is))?;
            // All there is fits one page, so no cursor is ours.
            if let Some(cursor) = said(request, "cursor") {
                let message = format!("cursor {cursor:?} is not ours; leave it out");
                return Err(ErrorData::invalid_params(message, None));
            }
            result["resources"] = json!(found);
        }
        // It is one of ours; only what came with it made it something else.
        method if PLAIN.contains(&method) => return Err(misfit(method, None)),
        method if older(method, era).is_some() => return Err(misfit(method, older(method, era))),
        method => {
            let message = format!("there is no method {method:?}");
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
    }
    Ok(CustomResult::new(result))
}

/// Returns the message for a method of the older era, if the client is of that era.
fn older(method: &str, era: ProtocolEra) -> Option<&'static str> {
    let found = OLDER.iter().find(|(name, _)| *name == method && era == ProtocolEra::Legacy);
    found.map(|(_, wants)| *wants)
}

fn misfit(method: &str, wants: Option<&str>) -> ErrorData {
    let wants = wants.map(|wants| format!("; it wants {wants}")).unwrap_or_default();
    ErrorData::invalid_params(format!("the parameters do not fit {method:?}{wants}"), None)
}

fn said<'r>(request: &'r CustomRequest, field: &str) -> Option<&'r str> {
    request.params.as_ref()?.get(field)?.as_str()
}

fn missing(what: &str, asked: Option<&str>, there_is: &str) -> ErrorData {
    let message = match asked {
        Some(other) => format!("there is no {what} {other:?}; there is: {there_is}"),
        None => format!("uri is required; there is: {there_is}"),
    };
    ErrorData::invalid_params(message, None)
}

fn entry() -> Value {
    let file = |(uri, text): (&str, &str)| {
        let digest: String =
            Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        json!({ "uri": uri, "digest": format!("sha256:{digest}"), "size": text.len() })
    };
    json!({
        "uri": URI,
        "frontmatter": frontmatter(),
        "resources": files().map(file).collect::<Vec<_>>(),
    })
}

/// The lines between the two `---`, each `key: value`.
fn frontmatter() -> Value {
    let head = TEXT.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    let lines = head.map_or("", |(head, _)| head).lines();
    lines
        .filter_map(|line| line.split_once(": "))
        .map(|(key, value)| (key.to_owned(), Value::String(value.to_owned())))
        .collect::<JsonObject>()
        .into()
}

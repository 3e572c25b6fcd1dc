//! The skill that teaches an agent when and how to hold debates, served as the
//! skills extension has it: listed with its front matter and a digest of its
//! file, and read as a resource.

use rmcp::ErrorData;
use rmcp::model::{CustomRequest, CustomResult, ErrorCode, JsonObject, Resource, ResourceContents};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::server::LONG_MS;

pub const EXTENSION: &str = "io.modelcontextprotocol/skills";
pub const URI: &str = "skill://roundtable/SKILL.md";
const TEXT: &str = include_str!("../../../../skills/roundtable/SKILL.md");

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

pub fn capability() -> JsonObject {
    JsonObject::new()
}

pub fn resource() -> Resource {
    let head = frontmatter();
    let said = |key: &str| head[key].as_str().unwrap_or_default().to_owned();
    Resource::new(URI, said("name"))
        .with_title("How to use Roundtable")
        .with_description(said("description"))
        .with_mime_type("text/markdown")
        .with_size(TEXT.len() as u64)
}

pub fn read(uri: &str) -> Option<ResourceContents> {
    (uri == URI).then(|| ResourceContents::text(TEXT, URI).with_mime_type("text/markdown"))
}

pub fn answer(request: &CustomRequest) -> Result<CustomResult, ErrorData> {
    let mut result = json!({ "resultType": "complete", "ttlMs": LONG_MS, "cacheScope": "public" });
    match request.method.as_str() {
        "skills/list" => result["skills"] = json!([entry()]),
        "skills/get" => {
            let uri = request.params.as_ref().and_then(|params| params.get("uri"));
            match uri.and_then(Value::as_str) {
                Some(URI) => result["skill"] = entry(),
                Some(other) => {
                    let message = format!("there is no skill {other:?}; there is: {URI}");
                    return Err(ErrorData::invalid_params(message, None));
                }
                None => return Err(ErrorData::invalid_params("uri is required", None)),
            }
        }
        // It is one of ours; only what came with it made it something else.
        method if PLAIN.contains(&method) => {
            let message = format!("the parameters do not fit {method:?}");
            return Err(ErrorData::invalid_params(message, None));
        }
        method => {
            let message = format!("there is no method {method:?}");
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
    }
    Ok(CustomResult::new(result))
}

fn entry() -> Value {
    let digest: String = Sha256::digest(TEXT).iter().map(|byte| format!("{byte:02x}")).collect();
    json!({
        "uri": URI,
        "frontmatter": frontmatter(),
        "resources": [{ "uri": URI, "digest": format!("sha256:{digest}"), "size": TEXT.len() }],
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

//! The table inside a client that can show pages: one page that needs nothing
//! from anywhere and talks to the client only.

use rmcp::model::{MetaObject, Resource, ResourceContents};
use serde_json::json;

pub const EXTENSION: &str = "io.modelcontextprotocol/ui";
pub const URI: &str = "ui://roundtable/table.html";
const MIME: &str = "text/html;profile=mcp-app";
const PAGE: &str = include_str!("table.html");

pub fn resource() -> Resource {
    Resource::new(URI, "table.html")
        .with_title("The table")
        .with_description("Shows a debate: who sits there, the rounds, agreement and sources.")
        .with_mime_type(MIME)
        .with_meta(meta())
}

pub fn read(uri: &str) -> Option<ResourceContents> {
    (uri == URI).then(|| ResourceContents::text(PAGE, URI).with_mime_type(MIME).with_meta(meta()))
}

/// No address is named, so the page may load nothing.
fn meta() -> MetaObject {
    let ui = json!({ "ui": { "prefersBorder": true } });
    MetaObject::from(ui.as_object().cloned().unwrap_or_default())
}

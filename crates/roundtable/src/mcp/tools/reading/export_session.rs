//! A whole debate as a document.

use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::paging::start;
use crate::mcp::result::shown::ShownResult;
use crate::mcp::result::shown::transcript;
use crate::mcp::result::{document, schema};
use engine::error::EngineError;

pub const ROW: ToolRow = ToolRow {
    name: "export_session",
    title: "Export a debate",
    description: include_str!("../../words/export_session.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<ExportArguments>,
    output: schema::of_output::<ExportPage>,
    call: |call, given| export(call, given).boxed(),
};

/// Characters per page where the caller does not say: under 2,000 tokens.
const USUAL: usize = 5_000;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    #[schemars(description = document::described())]
    pub format: Option<document::FormatName>,
    /// Per page; default 5000.
    #[schemars(range(min = 500, max = 80000))]
    pub max_chars: Option<usize>,
    /// A nextCursor.
    #[schemars(length(max = 20))]
    pub cursor: Option<String>,
}

/// A page of the document; the pages put together are the whole.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportPage {
    pub session_id: String,
    pub mime_type: String,
    pub content: String,
    pub total_chars: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub note: String,
}

async fn export(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: ExportArguments = arguments(given)?;
    let seen = call.host().look(&args.session_id).await?;
    let form = args.format.unwrap_or_default();
    let letters: Vec<char> = document::write(call.host(), &seen.id, form).await?.chars().collect();
    let start = start(args.cursor.as_deref())?;
    let most = args.max_chars.unwrap_or(USUAL);
    let content: String = letters.iter().skip(start).take(most).collect();
    let end = start.saturating_add(content.chars().count());
    let next_cursor = (end < letters.len() && !content.is_empty()).then(|| end.to_string());
    let total = letters.len();
    let note = match &next_cursor {
        None if content.is_empty() => {
            format!("The document has {total} characters; this is past its end.")
        }
        None => "This is the end of the document.".into(),
        Some(cursor) => format!(
            "Characters {start} to {end} of {total}; call again with cursor {cursor:?} for more, or \
             read the whole as the resource {}.",
            crate::mcp::result::shaping::transcript_uri(&seen.id)
        ),
    };
    let links = vec![transcript(&seen.id)];
    let session_id = seen.id;
    let mime_type = form.0.mime.into();
    let shown =
        ExportPage { session_id, mime_type, content, total_chars: total, next_cursor, note };
    Ok(ShownResult::of(&shown).with_links(links).into())
}

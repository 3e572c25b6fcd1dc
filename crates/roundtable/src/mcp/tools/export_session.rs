//! A whole debate as a document.

use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bad_cursor;
use crate::mcp::call::{Call, Hints, Reply, Row, Shown, arguments};
use crate::mcp::holding::transcript;
use crate::mcp::{schema, words};
use crate::operations::Trouble;
use crate::operations::export::{self, Format};
use crate::render;

pub const ROW: Row = Row {
    name: "export_session",
    title: "Export a debate",
    description: words::EXPORT,
    hints: Hints::Reads,
    input: schema::of_input::<Args>,
    output: schema::of_output::<Export>,
    call: |call, given| page(call, given).boxed(),
};

/// Characters per page where the caller does not say: under 2,000 tokens.
const USUAL: usize = 5_000;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// The debate, by its id or enough of it to be unique.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// markdown to read; json, complete and importable; html, a report that stands alone; adr, a decision record; mermaid or argdown, the argument map; csv, the claims. Default markdown.
    pub format: Option<Form>,
    /// Characters per page. Default 5000.
    #[schemars(range(min = 500, max = 80000))]
    pub max_chars: Option<usize>,
    /// nextCursor of the page before.
    #[schemars(length(max = 20))]
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    #[default]
    Markdown,
    Json,
    Html,
    Adr,
    Mermaid,
    Argdown,
    Csv,
}

impl Form {
    fn format(self) -> (Format, &'static str) {
        match self {
            Form::Markdown => (Format::Markdown, "text/markdown"),
            Form::Json => (Format::Json, "application/json"),
            Form::Html => (Format::Html, "text/html"),
            Form::Adr => (Format::Adr, "text/markdown"),
            Form::Mermaid => (Format::Mermaid, "text/vnd.mermaid"),
            Form::Argdown => (Format::Argdown, "text/plain"),
            Form::Csv => (Format::Csv, "text/csv"),
        }
    }
}

/// A page of the document; the pages put together are the whole.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Export {
    pub session_id: String,
    pub mime_type: String,
    pub content: String,
    pub total_chars: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub note: String,
}

async fn page(call: Call, given: Value) -> Result<Reply, Trouble> {
    let args: Args = arguments(given)?;
    let exported = export::export(call.host().config(), &args.session_id).await?;
    let (format, mime_type) = args.format.unwrap_or_default().format();
    let letters: Vec<char> = render::export::write(&exported, format).chars().collect();
    let start = match args.cursor.as_deref() {
        None => 0,
        Some(text) => text.trim().parse::<usize>().map_err(|_| bad_cursor(text))?,
    };
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
            crate::mcp::shaping::transcript_uri(&exported.id)
        ),
    };
    let links = vec![transcript(&exported.id)];
    let (session_id, mime_type) = (exported.id, mime_type.into());
    let shown = Export { session_id, mime_type, content, total_chars: total, next_cursor, note };
    Ok(Shown::of(&shown).with_links(links).into())
}

//! A complete result of a tool: as data, in words, and with links to follow. Control
//! characters never reach a client.

use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde::Serialize;
use serde_json::Value;

use super::outline::outline;
use super::shapes::DebateResult;
use super::shaping;
use crate::document::escape::clean;

/// A complete result, as data and in words.
#[derive(Debug, Clone)]
pub struct ShownResult {
    pub structured: Value,
    pub text: String,
    pub links: Vec<Resource>,
}

impl ShownResult {
    pub fn of<T: Serialize>(value: &T) -> ShownResult {
        let structured = cleaned(serde_json::to_value(value).unwrap_or_default());
        let text = outline(&structured);
        ShownResult { structured, text, links: Vec::new() }
    }

    /// A debate's result, with the transcript to follow.
    pub fn of_debate(result: &DebateResult) -> ShownResult {
        ShownResult::of(result).with_links(vec![transcript(&result.session_id)])
    }

    pub fn with_links(mut self, links: Vec<Resource>) -> ShownResult {
        self.links = links;
        self
    }

    pub fn result(self) -> CallToolResult {
        let mut content = vec![ContentBlock::text(self.text)];
        content.extend(self.links.into_iter().map(ContentBlock::resource_link));
        let mut result = CallToolResult::success(content);
        result.structured_content = Some(self.structured);
        result
    }
}

/// The link to a debate's transcript.
pub fn transcript(id: &str) -> Resource {
    Resource::new(shaping::transcript_uri(id), "transcript.md")
        .with_title("Transcript")
        .with_description("Everything that was said in this debate, as Markdown.")
        .with_mime_type("text/markdown")
}

/// Text of models may contain anything; results for clients contain no control
/// characters.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => clean(&text).into_owned().into(),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(k, v)| (k, cleaned(v))).collect())
        }
        other => other,
    }
}

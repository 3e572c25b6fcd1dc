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

    /// A debate's result, with the transcript to follow. Its text is short: what came out,
    /// what a person must know, and what to call next; the rest is in the data and in the
    /// tools that read a debate.
    pub fn of_debate(result: &DebateResult) -> ShownResult {
        let shown = ShownResult { text: debate_text(result), ..ShownResult::of(result) };
        shown.with_links(vec![transcript(&result.session_id)])
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

fn debate_text(result: &DebateResult) -> String {
    let mut lines = vec![result.text.clone()];
    lines.extend(result.context_requests.iter().map(|one| {
        format!("{} ({}), {} asks: {}", one.request_id, one.priority, one.agent, one.question)
    }));
    lines.extend(result.needs_person.iter().map(|what| format!("A person must act: {what}")));
    lines.extend(result.notices.iter().map(|notice| format!("Note: {notice}")));
    lines.extend(result.next.iter().map(|call| {
        let arguments = Value::Object(call.arguments.clone());
        format!("Next: {} {arguments}, {}", call.tool, call.why)
    }));
    lines.push(format!("sessionId {}, status {}", result.session_id, result.status.word()));
    clean(&lines.join("\n")).into_owned()
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

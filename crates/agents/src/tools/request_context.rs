//! Asks the caller for what only the caller has. A required request stops the
//! turn; an optional one is noted. What was already answered is answered again
//! from the record, and the caller is not asked twice.

use std::sync::LazyLock;

use debate::model::{GivenContext, Priority, WantedContext, clip};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{Tool, ToolContext, ToolError, ToolOutput, ToolSpec, described, text_argument};

/// The tokens of an answer that are shown.
const ANSWER_TOKENS: usize = 2000;

const NOTED: &str = "Noted for the caller; no answer is there yet. Go on without it and state what \
     you assume in its place.";
const ONCE: &str = "Noted for the caller. You have stopped this round once already, so it is not \
     stopped again: go on without it and state what you assume in its place.";
const DECLINED: &str = "The caller was asked this and declined to say. Go on without it and state \
     what you assume in its place.";

#[derive(Debug, Clone, Copy, Default)]
pub struct RequestContext;

impl RequestContext {
    pub const NAME: &'static str = "request_context";

    fn ask(arguments: &Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let question = text_argument(arguments, "question").to_owned();
        match context.record.given(&question) {
            Some(GivenContext::Answered { text }) => {
                let text = context.fence.wrap("the caller's answer", &clip(text, ANSWER_TOKENS));
                return Ok(ToolOutput::of(text));
            }
            Some(GivenContext::Declined) => {
                return Ok(ToolOutput::of(DECLINED.into()));
            }
            None => {}
        }
        let priority = match text_argument(arguments, "priority") {
            "required" => Priority::Required,
            _ => Priority::Optional,
        };
        let why = text_argument(arguments, "why").to_owned();
        if priority == Priority::Required && !context.held_up {
            return Err(ToolError::NeedsContext(WantedContext { question, why, priority }));
        }
        let text = if priority == Priority::Required { ONCE } else { NOTED };
        let request = WantedContext { question, why, priority: Priority::Optional };
        Ok(ToolOutput { request: Some(request), ..ToolOutput::of(text.into()) })
    }
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {
            "question": {
                "type": "string", "minLength": 5, "maxLength": 500,
                "description": "One question the caller can answer in a sentence or two."
            },
            "why": {
                "type": "string", "minLength": 5, "maxLength": 500,
                "description": "What the answer would change in your position."
            },
            "priority": {
                "type": "string", "enum": ["required", "optional"],
                "description": "required stops the debate until it is answered."
            }
        },
        "required": ["question", "why", "priority"],
        "additionalProperties": false
    });
    described(RequestContext::NAME, include_str!("request_context.md"), schema)
});

impl Tool for RequestContext {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn call<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move { RequestContext::ask(arguments, context) })
    }
}

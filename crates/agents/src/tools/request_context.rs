//! Asks the caller for what only the caller has. A required request stops the
//! turn; an optional one is noted. What was already answered is answered again
//! from the record, and nobody is asked twice.

use std::sync::{Mutex, PoisonError};

use debate::model::clip;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{Tool, ToolContext, ToolError, ToolOutput, ToolSpec, described, text_argument};

/// How much of an answer is shown.
const ANSWER_TOKENS: usize = 2000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextRequest {
    pub question: String,
    /// What the answer would change.
    pub reason: String,
    pub priority: Priority,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    Required,
    Optional,
}

/// What the caller said to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextAnswer {
    pub question: String,
    pub answer: String,
}

/// One per debate: what is asked and answered is shared by all seats.
#[derive(Debug, Default)]
pub struct RequestContext {
    asked: Mutex<Vec<ContextRequest>>,
    answered: Mutex<Vec<ContextAnswer>>,
}

impl RequestContext {
    pub const NAME: &'static str = "request_context";

    /// Everything asked since the last time, required or not.
    pub fn take_requests(&self) -> Vec<ContextRequest> {
        std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn answer(&self, answer: ContextAnswer) {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
    }

    fn known_answer(&self, question: &str) -> Option<String> {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&ContextAnswer| plain(&known.question) == plain(question);
        answered.iter().rev().find(same).map(|known| known.answer.clone())
    }

    fn note(&self, request: &ContextRequest) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &ContextRequest| plain(&known.question) == plain(&request.question);
        match asked.iter_mut().find(|known| same(known)) {
            // Somebody who cannot go on without it makes it required for all.
            Some(known) if request.priority == Priority::Required => {
                known.priority = Priority::Required;
            }
            Some(_) => {}
            None => asked.push(request.clone()),
        }
    }
}

/// A question without the accidents of its spelling.
fn plain(question: &str) -> String {
    let words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

impl Tool for RequestContext {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "type": "object",
            "properties": {
                "question": {
                    "type": "string", "minLength": 5, "maxLength": 500,
                    "description": "One question the caller can answer in a sentence or two."
                },
                "reason": {
                    "type": "string", "minLength": 5, "maxLength": 500,
                    "description": "What the answer would change in your position."
                },
                "priority": {
                    "type": "string", "enum": ["required", "optional"],
                    "description": "required stops the debate until it is answered."
                }
            },
            "required": ["question", "reason", "priority"],
            "additionalProperties": false
        });
        described(Self::NAME, include_str!("request_context.md"), schema)
    }

    fn call<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let question = text_argument(arguments, "question").to_owned();
            if let Some(answer) = self.known_answer(&question) {
                let text = context.fence.wrap("the caller's answer", &clip(&answer, ANSWER_TOKENS));
                return Ok(ToolOutput { text });
            }
            let priority = match text_argument(arguments, "priority") {
                "required" => Priority::Required,
                _ => Priority::Optional,
            };
            let reason = text_argument(arguments, "reason").to_owned();
            let request = ContextRequest { question, reason, priority };
            self.note(&request);
            match priority {
                Priority::Required => Err(ToolError::NeedsContext(request)),
                Priority::Optional => Ok(ToolOutput {
                    text: "Noted for the caller; no answer is there yet. Go on without it and \
                           state what you assume in its place."
                        .into(),
                }),
            }
        })
    }
}

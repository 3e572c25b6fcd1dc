//! The nouns of tool use: what is offered to a model, what it wants called, and
//! what came of it. Nothing here runs a tool.

use std::borrow::Cow;
use std::sync::Arc;

use debate::model::{Ask, Bill, Citation, Failure, RemoteAnswer, Reply, TokenCounted, tokens};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CancellationToken, Watch};

/// The tool through which a model without structured output hands in its answer.
pub const SUBMIT: &str = "submit_response";

/// A tool as it is described to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: Cow<'static, str>,
    /// When to use it and what comes back, in words for the model.
    pub description: Arc<TokenCounted<String>>,
    /// The JSON schema of its arguments: an object.
    pub schema: Arc<TokenCounted<Value>>,
}

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WantedCall {
    /// The provider's name for this call; made up where it gives none.
    pub id: String,
    pub name: String,
    /// As the model wrote them. Text that is no JSON comes as a string, so that
    /// the check of the arguments can tell the model what is wrong.
    pub arguments: Value,
}

/// The result of a call, returned to the model under the call's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    pub id: String,
    pub name: String,
    pub text: String,
    pub outcome: ToolOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolOutcome {
    Worked,
    /// The text says what the model can do about it.
    Failed,
}

/// A model's turn that ends in calls instead of an answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WantedCalls {
    pub wanted: Vec<WantedCall>,
    /// The text beside the calls; not an answer.
    pub text: String,
    /// The turn as the provider sent it, where it must go back unchanged
    /// (signed thinking), and which dialect that is.
    pub raw: Option<RawTurn>,
    pub model: String,
    /// Sources and searches of the provider's own search in this turn.
    pub sources: Vec<Citation>,
    pub searches: u32,
    pub bill: Bill,
    /// Requests this step took.
    pub tries: u32,
    /// True where another model than the seated one made this step.
    pub fallback: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawTurn {
    pub dialect: Cow<'static, str>,
    pub parts: Value,
}

/// One step already made: what the model wanted and what it was told. Without
/// results it is a turn the provider broke off and wants continued.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    pub calls: WantedCalls,
    pub results: Vec<ToolResult>,
}

impl Exchange {
    /// The provider's own form of the turn, for the dialect that can read it.
    pub fn raw_for(&self, dialect: &str) -> Option<&Value> {
        self.calls.raw.as_ref().filter(|raw| raw.dialect == dialect).map(|raw| &raw.parts)
    }
}

/// Everything one request is made from.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    pub ask: &'a Ask,
    /// Offered in this step; empty asks for the answer itself.
    pub tools: &'a [ToolSpec],
    /// The steps before this one, oldest first.
    pub so_far: &'a [Exchange],
}

impl<'a> Prompt<'a> {
    /// The size in tokens, from above: the estimate is met within a quarter.
    pub fn tokens(&self) -> u64 {
        let ask = self.ask;
        let offered = self
            .tools
            .iter()
            .map(|tool| tokens(&tool.name) + tool.description.tokens() + tool.schema.tokens());
        let said = self.so_far.iter().map(|exchange| {
            let raw = exchange.calls.raw.as_ref().map(|raw| tokens(&raw.parts.to_string()));
            let calls =
                exchange.calls.wanted.iter().map(|call| tokens(&call.arguments.to_string()));
            let results = exchange.results.iter().map(|result| tokens(&result.text));
            raw.unwrap_or(0)
                + tokens(&exchange.calls.text)
                + calls.sum::<usize>()
                + results.sum::<usize>()
        });
        let text = ask.system.tokens() + ask.user.tokens() + ask.schema.tokens();
        let all = text + offered.sum::<usize>() + said.sum::<usize>();
        all.saturating_mul(5).div_ceil(4) as u64
    }

    /// The ask alone: no tools, no steps before it.
    pub fn plain(ask: &'a Ask) -> Prompt<'a> {
        Prompt { ask, tools: &[], so_far: &[] }
    }
}

/// The end of a step that did not fail.
#[derive(Debug, Clone, PartialEq)]
pub enum StepEnd {
    Answer(Reply),
    Calls(WantedCalls),
}

/// Anything that can take one step of a conversation with tools. The loop
/// around it, and its bounds, belong to the caller.
pub trait Converse: Send + Sync {
    /// One step, retries included. The same promises as [`crate::Speaker::speak`].
    fn step<'a>(
        &'a self,
        prompt: Prompt<'a>,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<StepEnd, Failure>>;

    /// The end of a step that was begun before and that the provider keeps;
    /// `None` where it cannot be had any more. Nothing is asked anew.
    fn fetch_step<'a>(
        &'a self,
        _: Prompt<'a>,
        _: &'a RemoteAnswer,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<Result<StepEnd, Failure>>> {
        Box::pin(async { None })
    }

    /// True where tools are of use to it, as far as is known by now: a server may have refused
    /// them.
    fn takes_tools(&self) -> bool {
        true
    }
}

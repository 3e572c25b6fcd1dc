//! The tool whose arguments are the answer, for providers that can call tools
//! but cannot be held to a schema. It is never run: the loop takes it as the end.

use std::sync::{Arc, LazyLock};

use debate::model::TokenCounted;
use serde_json::Value;

use super::{ToolSpec, check};
pub use crate::conversation::SUBMIT;
use crate::conversation::WantedCall;

/// One for all requests, so that its tokens are counted once.
static DESCRIPTION: LazyLock<Arc<TokenCounted<String>>> =
    LazyLock::new(|| Arc::new(include_str!("submit_response.md").trim().into()));

/// The tool for answers of one schema.
pub fn spec(schema: &Arc<TokenCounted<Value>>) -> ToolSpec {
    let description = Arc::clone(&DESCRIPTION);
    ToolSpec { name: SUBMIT.into(), description, schema: Arc::clone(schema) }
}

/// The answer among a step's calls, or what is wrong with it. `None` where no
/// call hands anything in.
pub(crate) fn submitted(wanted: &[WantedCall], schema: &Value) -> Option<Result<String, String>> {
    let call = wanted.iter().find(|call| call.name == SUBMIT)?;
    Some(check(&call.arguments, schema).map(|()| call.arguments.to_string()))
}

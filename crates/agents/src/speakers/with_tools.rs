//! A speaker whose model may use tools: each ask is one conversation with them.

mod loop_state;
mod notes;
mod tool_loop;

pub use tool_loop::ToolLoop;

use std::sync::Arc;

use debate::model::{Ask, AskHistory, Failure, Reply, ToolPolicy};
use futures::future::BoxFuture;

use crate::conversation::Converse;
use crate::tools::{BESIDE_NATIVE_SEARCH, SearchWeb, Tool, ToolContext, Toolbox};
use crate::{CancellationToken, FetchEnd, Speaker, Watch};

/// A seat whose model may use tools.
#[derive(Clone)]
pub struct WithTools {
    model: Arc<dyn Converse>,
    toolbox: Arc<Toolbox>,
    tools: Vec<Arc<dyn Tool>>,
}

impl WithTools {
    /// `without`: tools this seat is not offered, such as searching where the
    /// provider searches by itself.
    pub fn new(model: Arc<dyn Converse>, toolbox: Arc<Toolbox>, without: &[&str]) -> WithTools {
        let offered = |tool: &&Arc<dyn Tool>| !without.contains(&&*tool.spec().name);
        let tools = toolbox.tools.iter().filter(offered).cloned().collect();
        WithTools { model, toolbox, tools }
    }

    fn context(&self, ask: &Ask) -> ToolContext {
        let searches = self.tools.iter().any(|tool| tool.spec().name == SearchWeb::NAME);
        self.toolbox.context(ask, if searches { 1 } else { BESIDE_NATIVE_SEARCH })
    }

    fn tool_loop<'a>(&'a self, ask: &Ask, context: &'a ToolContext) -> ToolLoop<'a> {
        let tools: &[Arc<dyn Tool>] = if ask.tools == ToolPolicy::NONE { &[] } else { &self.tools };
        ToolLoop { model: self.model.as_ref(), tools, context }
    }
}

impl Speaker for WithTools {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let context = self.context(ask);
            self.tool_loop(ask, &context).run(ask, watch, &cancel).await
        })
    }

    fn resume<'a>(
        &'a self,
        ask: &'a Ask,
        past: &'a AskHistory,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, FetchEnd> {
        Box::pin(async move {
            let context = self.context(ask);
            self.tool_loop(ask, &context).go_on(ask, past, watch, &cancel).await
        })
    }
}

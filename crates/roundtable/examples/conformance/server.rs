//! The fixture server: what is asked for is looked up and answered.

use std::sync::Arc;

use rmcp::model::*;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::asking::{self, Retry};
use super::{fixtures, running};

/// A list that a fixture tool pretends to have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    Tools,
    Prompts,
}

#[derive(Clone)]
pub struct Fixture {
    pub tasks: TaskManager,
    changes: broadcast::Sender<Changed>,
    seal: Arc<RequestStateCodec>,
}

impl Default for Fixture {
    fn default() -> Fixture {
        let seal = RequestStateCodec::try_new(vec![7; 32]).expect("long enough");
        Fixture {
            tasks: TaskManager::new(),
            changes: broadcast::channel(16).0,
            seal: Arc::new(seal),
        }
    }
}

/// A value of the protocol from its JSON.
pub fn value<T: DeserializeOwned>(json: &Value) -> T {
    serde_json::from_value(json.clone()).unwrap_or_else(|error| panic!("{error}: {json:#}"))
}

/// A whole result from its JSON. It is complete, and says so.
pub fn result<T: DeserializeOwned>(json: &Value) -> T {
    let mut json = json.clone();
    json["resultType"] = "complete".into();
    value(&json)
}

/// An answer that is one line of text.
pub fn said(text: &str) -> CallToolResponse {
    let result: CallToolResult = result(&json!({"content": [{"type": "text", "text": text}]}));
    result.into()
}

impl Fixture {
    async fn call(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = params.name.as_ref();
        let arguments = Value::Object(params.arguments.clone().unwrap_or_default());
        if let Some(answer) = fixtures::answer(name) {
            let result: CallToolResult = result(&answer);
            return Ok(result.into());
        }
        let retry = Retry {
            responses: params.input_responses.as_ref(),
            state: params.request_state.as_deref(),
            can: context.client_capabilities(),
        };
        if let Some(answer) = asking::answer(name, &retry, &self.seal) {
            return answer;
        }
        match name {
            "greet" => {
                Ok(said(&format!("Hello, {}!", arguments["name"].as_str().unwrap_or("you"))))
            }
            "test_reconnection" | "test_logging_tool" => Ok(said("Done.")),
            "test_tool_with_logging" => Ok(running::logging(&context).await),
            "test_tool_with_progress" => Ok(running::progress(&context).await),
            "test_sampling" => running::sampling(&context, &arguments).await,
            "test_elicitation" => {
                let message = arguments["message"].as_str().unwrap_or_default();
                running::elicitation(&context, message, running::user_schema()).await
            }
            "test_elicitation_sep1034_defaults" => {
                running::elicitation(&context, "Defaults", running::defaults_schema()).await
            }
            "test_elicitation_sep1330_enums" => {
                running::elicitation(&context, "Choices", running::enums_schema()).await
            }
            "test_missing_capability" => {
                match retry.can.is_some_and(|can| can.sampling.is_some()) {
                    true => Ok(said("Sampling is there.")),
                    false => Err(ErrorData::missing_required_client_capability(value(
                        &json!({"sampling": {}}),
                    ))),
                }
            }
            "test_trigger_tool_change" => Ok(self.change(Changed::Tools)),
            "test_trigger_prompt_change" => Ok(self.change(Changed::Prompts)),
            job if running::is_job(job) => {
                let mut arguments = arguments;
                if let Some(answer) = retry.responses.and_then(|all| all.get("user_name")) {
                    arguments["name"] = answer["content"]["name"].clone();
                }
                running::job(self, job, arguments, &context).await
            }
            other => Err(ErrorData::invalid_params(format!("there is no tool {other:?}"), None)),
        }
    }

    fn change(&self, what: Changed) -> CallToolResponse {
        // Nobody may be listening.
        let _ = self.changes.send(what);
        said("Changed.")
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities: ServerCapabilities = value(&json!({
            "tools": {"listChanged": true},
            "prompts": {"listChanged": true},
            "resources": {"subscribe": true},
            "completions": {},
            "logging": {},
        }));
        let with_tasks = ServerCapabilities::builder().enable_tasks().build();
        capabilities.extensions = with_tasks.extensions;
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(result(&json!({"tools": fixtures::tools()})))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        fixtures::tools().iter().find(|tool| tool["name"] == name).map(value)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(params, context).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(result(&json!({"resources": fixtures::resources()})))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(result(&json!({"resourceTemplates": fixtures::templates()})))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match fixtures::read(&params.uri) {
            Some(found) => {
                let result: ReadResourceResult = result(&found);
                Ok(result.into())
            }
            None => Err(ErrorData::resource_not_found(
                "there is no such resource",
                Some(json!({"uri": params.uri})),
            )),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(result(&json!({"prompts": fixtures::prompts()})))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if params.name == "test_input_required_result_prompt" {
            return Ok(match asking::prompt(params.input_responses.as_ref()) {
                Err(asked) => GetPromptResponse::InputRequired(asked),
                Ok(text) => {
                    let result: GetPromptResult = result(&json!({"messages":
                        [{"role": "user", "content": {"type": "text", "text": text}}]}));
                    result.into()
                }
            });
        }
        let arguments = serde_json::to_value(&params.arguments).unwrap_or_default();
        let found = fixtures::prompt(&params.name, &arguments)
            .ok_or_else(|| ErrorData::invalid_params("there is no such prompt", None))?;
        let result: GetPromptResult = result(&found);
        Ok(result.into())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(result(&json!({"completion": {"values": [], "total": 0, "hasMore": false}})))
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let changed = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                changed = changes.recv() => changed,
            };
            // What the client did not ask for is held back by the sink.
            let sent = match changed {
                Ok(Changed::Tools) => subscription.sink().notify_tool_list_changed().await,
                Ok(Changed::Prompts) => subscription.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
            let _ = sent;
        }
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&params.task_id)?))
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&params.task_id, params.input_responses)
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&params.task_id)
    }
}

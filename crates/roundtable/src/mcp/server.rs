//! The server as the protocol sees it: who it is, what it offers, and which
//! room answers which request. One value serves one connection; what all
//! connections share is behind it.

use std::borrow::Cow;

use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;

use super::call::{BroughtAnswers, Call};
use super::era::ProtocolEra;
use super::session::cancellations::GiveUpReason;
use super::session::connection::Connection;
use super::session::seal::digest;
use super::session::{tasks, waiting};
use super::wording::refused;
use super::words::about::{LONG_MS, icons};
use super::words::resources::Subscriptions;
use super::words::{prompts, resources, skills};
use super::{tools, words};
use engine::background::host::Host;

/// The server for one connection.
#[derive(Clone)]
pub struct Server {
    connection: Connection,
    subscriptions: Subscriptions,
}

impl Server {
    /// `token`: the server's own, if there is one.
    pub fn new(host: Host, token: Option<&str>) -> Server {
        let connection = Connection::new(host, token);
        Server { connection, subscriptions: Subscriptions::default() }
    }

    /// The same server for another connection.
    pub fn for_connection(&self) -> Server {
        let connection = self.connection.another();
        Server { connection, subscriptions: Subscriptions::default() }
    }

    /// The host for the one who sent a request.
    fn host(&self, sent: &Extensions) -> Host {
        self.connection.called_by(sent).host().clone()
    }

    async fn called(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(row) = tools::find(&request.name) else {
            let names: Vec<&str> = tools::ROWS.iter().map(|row| row.name).collect();
            let hint = engine::spelling::did_you_mean(&request.name, &names);
            let message = format!("there is no tool {:?}; {hint}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let digest = digest(row.name, &arguments);
        let connection = self.connection.called_by(&context.extensions);
        let brought = match request.request_state {
            None => None,
            Some(text) => {
                let Some(state) = connection.seal().open(&text, &digest) else {
                    return Err(ErrorData::invalid_params(
                        "requestState is not from this server, belongs to another call or is too \
                         old; call the tool again without it",
                        None,
                    ));
                };
                Some(BroughtAnswers {
                    state,
                    responses: request.input_responses.unwrap_or_default(),
                })
            }
        };
        let call = Call::new(connection, context, digest, brought);
        Ok(match (row.call)(call, arguments).await {
            Ok(reply) => reply.into(),
            Err(trouble) => refused(&trouble).into(),
        })
    }
}

fn capabilities() -> ServerCapabilities {
    #[allow(deprecated)]
    let mut capabilities = ServerCapabilities::builder()
        .enable_logging()
        .enable_tools()
        .enable_prompts()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_completions()
        .enable_tasks()
        .build();
    let extensions = capabilities.extensions.get_or_insert_default();
    extensions.insert(skills::EXTENSION.into(), skills::capability());
    extensions.insert(super::words::app::EXTENSION.into(), JsonObject::new());
    capabilities
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("roundtable", env!("CARGO_PKG_VERSION"))
            .with_title("Roundtable")
            .with_description(
                "Several AI models debate a question and give a decision you can check.",
            )
            .with_icons(icons());
        ServerConfig::new(capabilities())
            .with_server_info(about)
            .with_instructions(words::INSTRUCTIONS)
    }

    /// All versions but 2025-03-26, whose servers must take batches: a client that asks for
    /// it is answered with the newest one, as the protocol has it.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        known.filter(|version| **version != ProtocolVersion::V_2025_03_26).cloned().collect()
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(LONG_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::listed().to_vec())
            .with_ttl_ms(LONG_MS)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::listed().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.called(request, context).await
    }

    async fn on_cancelled(
        &self,
        given_up: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        let why = GiveUpReason::read(given_up.reason.as_deref());
        let Some(request) = &given_up.request_id else { return };
        if let Some(session) = self.connection.cancellations().give_up(request, why) {
            let connection = self.connection.called_by(&context.extensions);
            waiting::stop_paying(&connection, &session, why).await;
        }
    }

    #[allow(deprecated)]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // The stateless era has no connection to set it for: it asks with each call.
        if ProtocolEra::of(&context) == ProtocolEra::Modern {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.connection.log().set(request.level);
        Ok(())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.host(&context.extensions), request.and_then(|page| page.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates())
            .with_ttl_ms(LONG_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.host(&context.extensions), &request.uri).await.map(Into::into)
    }

    #[allow(deprecated)]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let host = self.host(&context.extensions);
        self.subscriptions.begin(&host, request.uri, context.peer);
        Ok(())
    }

    #[allow(deprecated)]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.end(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let host = self.host(&context.request_context().extensions);
        resources::listen(&host, context).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::listed())
            .with_ttl_ms(LONG_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name, &request.arguments.unwrap_or_default()).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(prompts::complete(&self.host(&context.extensions), &request).await)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        skills::answer(&request, ProtocolEra::of(&context))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let connection = self.connection.called_by(&context.extensions);
        tasks::get(&connection, &request.task_id, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let connection = self.connection.called_by(&context.extensions);
        tasks::update(&connection, request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let connection = self.connection.called_by(&context.extensions);
        tasks::cancel(&connection, &request.task_id).await
    }
}

//! Fixtures that take time: progress, logging, tasks, and the older way of
//! asking a client in the middle of a call.

use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, CreateTaskResult, ElicitRequestParams,
    InputRequest, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::asking::elicit;
use super::server::{Fixture, result, said, value};

const MOMENT: Duration = Duration::from_millis(50);

pub async fn progress(context: &RequestContext<RoleServer>) -> CallToolResponse {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let step = ProgressNotificationParam::new(token, done).with_total(100.0);
            let _ = context.peer.notify_progress(step).await;
        }
        tokio::time::sleep(MOMENT).await;
    }
    said("Done, with progress.")
}

pub async fn logging(context: &RequestContext<RoleServer>) -> CallToolResponse {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let _ = context
            .peer
            .notify_logging_message(LoggingMessageNotificationParam::new(
                LoggingLevel::Info,
                json!(line),
            ))
            .await;
        tokio::time::sleep(MOMENT).await;
    }
    said("Done, with logging.")
}

pub async fn sampling(
    context: &RequestContext<RoleServer>,
    arguments: &Value,
) -> Result<CallToolResponse, ErrorData> {
    let prompt = arguments["prompt"].as_str().unwrap_or_default();
    let request = value(&json!({"maxTokens": 100,
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}]}));
    let reply = context.peer.create_message(request).await;
    let reply = reply.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let reply = serde_json::to_value(reply).unwrap_or_default();
    Ok(said(&format!("LLM response: {}", reply["content"])))
}

pub async fn elicitation(
    context: &RequestContext<RoleServer>,
    message: &str,
    schema: Value,
) -> Result<CallToolResponse, ErrorData> {
    let params: ElicitRequestParams =
        value(&json!({"mode": "form", "message": message, "requestedSchema": schema}));
    let reply = context.peer.create_elicitation(params).await;
    let reply = reply.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let reply = serde_json::to_value(reply).unwrap_or_default();
    Ok(said(&format!(
        "Elicitation completed: action={}, content={}",
        reply["action"], reply["content"]
    )))
}

pub fn user_schema() -> Value {
    json!({"type": "object", "required": ["username", "email"], "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"}}})
}

pub fn defaults_schema() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true}}})
}

pub fn enums_schema() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = |word: &str| {
        json!([{"const": "value1", "title": format!("First {word}")},
            {"const": "value2", "title": format!("Second {word}")},
            {"const": "value3", "title": format!("Third {word}")}])
    };
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}}}})
}

/// Tools that run as tasks where the client knows tasks.
pub fn is_job(name: &str) -> bool {
    [
        "slow_compute",
        "failing_job",
        "protocol_error_job",
        "confirm_delete",
        "multi_input",
        "test_tool_with_task",
    ]
    .contains(&name)
}

pub async fn job(
    fixture: &Fixture,
    name: &str,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let knows_tasks = context.client_capabilities().is_some_and(|can| can.supports_tasks());
    if !knows_tasks {
        return match name {
            "slow_compute" => {
                tokio::time::sleep(seconds(&arguments)).await;
                Ok(said("Computed."))
            }
            _ => Err(ErrorData::missing_required_client_capability(
                ClientCapabilities::builder().enable_tasks().build(),
            )),
        };
    }
    let name = name.to_owned();
    let options = TaskOptions::new().with_ttl_ms(600_000).with_poll_interval_ms(100);
    let task = fixture.tasks.spawn(options, move |task| {
        Box::pin(async move { carry_out(&name, &arguments, &task).await })
    });
    Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
}

fn seconds(arguments: &Value) -> Duration {
    Duration::from_secs_f64(arguments["seconds"].as_f64().unwrap_or(0.0).max(0.0))
}

async fn carry_out(
    name: &str,
    arguments: &Value,
    task: &TaskContext,
) -> Result<CallToolResult, TaskExit> {
    let done = |text: &str| Ok(result(&json!({"content": [{"type": "text", "text": text}]})));
    match name {
        "slow_compute" => tokio::select! {
            () = tokio::time::sleep(seconds(arguments)) => done("Computed."),
            () = task.cancelled() => Err(TaskExit::Cancelled),
        },
        "failing_job" => {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(value(
                &json!({"isError": true, "content": [{"type": "text", "text": "It failed."}]}),
            ))
        }
        "protocol_error_job" => Err(ErrorData::internal_error("It broke.", None).into()),
        "confirm_delete" => {
            task.request_input("confirm", request("Delete it?", "confirm", "boolean")).await?;
            done("Deleted.")
        }
        "multi_input" => {
            let (first, second) = tokio::join!(
                task.request_input("first", request("First?", "name", "string")),
                task.request_input("second", request("Second?", "name", "string")),
            );
            first.and(second)?;
            done("Both are here.")
        }
        // Asked before it became a task.
        _ => done(&format!("Hello, {}!", arguments["name"].as_str().unwrap_or_default())),
    }
}

fn request(message: &str, field: &str, kind: &str) -> InputRequest {
    value(&elicit(message, field, kind))
}

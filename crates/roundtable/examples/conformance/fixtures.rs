//! Fixtures that are only data: tools, prompts and resources with their answers.

use serde_json::{Value, json};

/// A red pixel, and a moment of silence.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// Tools that need no more than their name; the answer stands in [`answer`].
const PLAIN: [&str; 6] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
];

/// Tools that do something, by name; their arguments are in [`arguments`].
const DOING: [&str; 27] = [
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "greet",
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
    "test_tool_with_task",
];

pub fn tools() -> Vec<Value> {
    let named = PLAIN.iter().chain(&DOING).map(|name| {
        json!({
            "name": name,
            "description": format!("The fixture {name}."),
            "inputSchema": arguments(name),
        })
    });
    named.chain([custom_header(), rich_schema()]).collect()
}

fn arguments(name: &str) -> Value {
    let properties = match name {
        "test_sampling" => json!({"prompt": {"type": "string"}}),
        "test_elicitation" => json!({"message": {"type": "string"}}),
        "greet" => json!({"name": {"type": "string"}}),
        "slow_compute" => json!({"seconds": {"type": "number"}, "label": {"type": "string"}}),
        "confirm_delete" => json!({"filename": {"type": "string"}}),
        _ => json!({}),
    };
    json!({"type": "object", "properties": properties})
}

/// A tool whose argument is also sent as a header.
fn custom_header() -> Value {
    json!({
        "name": "test_custom_header",
        "description": "A fixture whose argument is mirrored in a header.",
        "inputSchema": {"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "query": {"type": "string"},
        }},
    })
}

/// Keywords of JSON Schema 2020-12 that must come through unchanged.
fn rich_schema() -> Value {
    json!({
        "name": "json_schema_2020_12_tool",
        "description": "A fixture with a rich schema.",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {
                "street": {"type": "string"}, "city": {"type": "string"}}}},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        },
    })
}

/// The answer of a tool that is only data.
pub fn answer(name: &str) -> Option<Value> {
    let text = |text: &str| json!({"type": "text", "text": text});
    let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image]),
        "test_audio_content" => json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => json!([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )]),
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image,
            resource(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#
            ),
        ]),
        "test_error_handling" => {
            let content = [text("This tool intentionally returns an error for testing")];
            return Some(json!({"content": content, "isError": true}));
        }
        "json_schema_2020_12_tool" | "test_custom_header" => json!([text("ok")]),
        _ => return None,
    };
    Some(json!({ "content": content }))
}

fn resource(uri: &str, mime: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}})
}

pub fn resources() -> Value {
    json!([
        {"uri": "test://static-text", "name": "static-text", "description": "Text.", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "static-binary", "description": "An image.", "mimeType": "image/png"},
        {"uri": "test://watched-resource", "name": "watched", "description": "Watched.", "mimeType": "text/plain"},
    ])
}

pub fn templates() -> Value {
    json!([{"uriTemplate": "test://template/{id}/data", "name": "template",
        "description": "By number.", "mimeType": "application/json"}])
}

pub fn read(uri: &str) -> Option<Value> {
    let contents = match uri {
        "test://static-text" => json!({"uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource."}),
        "test://watched-resource" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "Watched."})
        }
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        other => {
            let id = other.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let text =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": text.to_string()})
        }
    };
    Some(json!({ "contents": [contents] }))
}

pub fn prompts() -> Value {
    let argument = |name: &str| json!({"name": name, "description": name, "required": true});
    json!([
        {"name": "test_simple_prompt", "description": "Plain."},
        {"name": "test_prompt_with_arguments", "description": "With arguments.",
            "arguments": [argument("arg1"), argument("arg2")]},
        {"name": "test_prompt_with_embedded_resource", "description": "With a resource.",
            "arguments": [argument("resourceUri")]},
        {"name": "test_prompt_with_image", "description": "With an image."},
        {"name": "test_input_required_result_prompt", "description": "Asks first."},
    ])
}

pub fn prompt(name: &str, arguments: &Value) -> Option<Value> {
    let given =
        |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let user = |content: Value| json!({"role": "user", "content": content});
    let text = |text: &str| user(json!({"type": "text", "text": text}));
    let messages = match name {
        "test_simple_prompt" => json!([text("This is a simple prompt for testing.")]),
        "test_prompt_with_arguments" => json!([text(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            given("arg1"),
            given("arg2")
        ))]),
        "test_prompt_with_embedded_resource" => json!([
            user(resource(
                &given("resourceUri"),
                "text/plain",
                "Embedded resource content for testing."
            )),
            text("Please process the embedded resource above."),
        ]),
        "test_prompt_with_image" => json!([
            user(json!({"type": "image", "data": PNG, "mimeType": "image/png"})),
            text("Please analyze the image above."),
        ]),
        _ => return None,
    };
    Some(json!({ "messages": messages }))
}

//! Google's generateContent wire. Pure: requests out, replies in; nothing is
//! sent from here, and the key never goes into the address.

mod decode;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::body::{BodyPart, object, put};
use super::decoder::BodyReader;
use super::dialect::{
    Adaptation, AnswerFormat, Dialect, KeyHeader, NativeSearch, ServerLimits, Target,
    WITHOUT_TEMPERATURE, WITHOUT_TOOLS, adapt_by, output_room, system,
};
use super::outcome::MADE_UP;
use super::{error_body, openai_chat};
use crate::conversation::{Exchange, Prompt, ToolOutcome, ToolResult, ToolSpec};

pub type GeminiDecoder = BodyReader<decode::Candidates>;

pub const DIALECT: Dialect = Dialect {
    name: "gemini",
    version: "v1beta",
    path: |target| format!("models/{}:streamGenerateContent?alt=sse", in_path(&target.model)),
    models_path: "models",
    key_header: KeyHeader::Named("x-goog-api-key"),
    native_search: NativeSearch::Native,
    headers: &[],
    request,
    decoder: || Box::new(GeminiDecoder::default()),
    complaint: error_body::of_status,
    adapt,
    model_names: openai_chat::model_names,
    kept: None,
};

/// A model's name made fit to stand in a path: it must not end the path there.
fn in_path(model: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-._:@/".contains(c);
    let mut path = String::with_capacity(model.len());
    for c in model.chars() {
        if safe(c) {
            path.push(c)
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                path.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    path.replace("..", "%2E%2E")
}

pub fn request<'a>(prompt: &Prompt<'a>, target: &'a Target, manners: ServerLimits) -> BodyPart<'a> {
    let ask = prompt.ask;
    let text = |text: BodyPart<'a>| BodyPart::List(vec![object([("text", text)])]);
    let user = text(ask.user.as_str().into());
    let mut contents = vec![object([("role", "user".into()), ("parts", user)])];
    contents.extend(prompt.so_far.iter().flat_map(exchange).map(BodyPart::from));
    let system = text(system(prompt, manners.format).into());
    let mut body =
        object([("systemInstruction", object([("parts", system)])), ("contents", contents.into())]);
    let json_out = (!matches!(manners.format, AnswerFormat::Words | AnswerFormat::Free))
        .then(|| "application/json".into());
    let schema =
        (manners.format == AnswerFormat::Schema).then(|| BodyPart::Written(ask.schema.written()));
    let effort = target.effort.word().map(|word| object([("thinkingLevel", word.into())]));
    let mut config = object([("maxOutputTokens", output_room(ask, target).into())]);
    put(
        &mut config,
        [
            ("temperature", manners.temperature.then_some(ask.temperature.into())),
            ("responseMimeType", json_out),
            ("responseJsonSchema", schema),
            ("thinkingConfig", effort.and_then(|effort| manners.effort.then_some(effort))),
        ],
    );
    let declare = |tool: &'a ToolSpec| {
        object([
            ("name", (&*tool.name).into()),
            ("description", tool.description.as_str().into()),
            ("parametersJsonSchema", BodyPart::Written(tool.schema.written())),
        ])
    };
    let mut tools = Vec::new();
    if !prompt.tools.is_empty() {
        let declared: Vec<BodyPart<'a>> = prompt.tools.iter().map(declare).collect();
        tools.push(object([("functionDeclarations", declared.into())]));
    }
    if target.search == NativeSearch::Native {
        tools.push(object([("googleSearch", object([]))]));
    }
    // The server's own tool and ours go together only when this is said.
    let both = object([("includeServerSideToolInvocations", true.into())]);
    put(
        &mut body,
        [
            ("generationConfig", Some(config)),
            ("toolConfig", (tools.len() > 1).then_some(both)),
            ("tools", (!tools.is_empty()).then(|| tools.into())),
        ],
    );
    body
}

/// A step already made, as the server expects to see it again.
fn exchange(exchange: &Exchange) -> Vec<Value> {
    let rebuilt = || {
        let calls = exchange
            .calls
            .wanted
            .iter()
            .map(|call| json!({"functionCall": {"name": call.name, "args": call.arguments}}));
        calls.collect()
    };
    // Thoughts are signed: what came from here goes back exactly as it came.
    let parts = exchange.raw_for(DIALECT.name).cloned().unwrap_or_else(rebuilt);
    let told: Vec<Value> = exchange.results.iter().map(told).collect();
    let said = json!({"role": "model", "parts": parts});
    if told.is_empty() { vec![said] } else { vec![said, json!({"role": "user", "parts": told})] }
}

fn told(result: &ToolResult) -> Value {
    let key = match result.outcome {
        ToolOutcome::Worked => "result",
        ToolOutcome::Failed => "error",
    };
    let mut response = json!({"name": result.name, "response": {key: result.text}});
    let is_own = !result.id.starts_with(MADE_UP);
    if let Some(response) = response.as_object_mut().filter(|_| is_own) {
        response.insert("id".into(), result.id.as_str().into());
    }
    json!({"functionResponse": response})
}

const ADAPTATIONS: &[Adaptation] = &[
    Adaptation {
        words: &[
            "responsejsonschema",
            "response_json_schema",
            "responsemimetype",
            "response_mime_type",
            "response mime type",
            "controlled generation",
            "json mode",
        ],
        change: |manners| match manners.format {
            AnswerFormat::Schema | AnswerFormat::Tool => {
                Some(ServerLimits { format: AnswerFormat::Object, ..manners })
            }
            AnswerFormat::Object => Some(ServerLimits { format: AnswerFormat::Words, ..manners }),
            AnswerFormat::Words | AnswerFormat::Free => None,
        },
    },
    WITHOUT_TEMPERATURE,
    Adaptation {
        words: &["thinking"],
        change: |manners| manners.effort.then_some(ServerLimits { effort: false, ..manners }),
    },
    WITHOUT_TOOLS,
];

pub fn adapt(manners: ServerLimits, said: &str) -> Option<ServerLimits> {
    adapt_by(ADAPTATIONS, manners, said)
}

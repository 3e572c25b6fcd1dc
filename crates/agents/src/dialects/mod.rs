//! How providers speak. A dialect is pure: a prompt becomes a request, bytes
//! become an answer, calls for tools, or a trouble. No dialect sends anything,
//! waits, or knows who else is at the table.

pub mod anthropic;
pub mod complaints;
pub mod gemini;
pub mod hearing;
pub mod openai_chat;
pub mod reading;
pub mod responses;
#[cfg(test)]
pub(crate) mod sample;
pub mod sse;

use debate::model::{Ask, Task};
use secrecy::SecretString;
use serde_json::Value;

use crate::Delta;
use crate::models::Facts;
use crate::providers::Provider;
use crate::tooling::Prompt;
use crate::trouble::Trouble;

pub use hearing::Outcome;

/// The largest answer that is read at all.
pub const BODY_CAP: usize = 8 * 1024 * 1024;

/// One wire format, as a row of functions.
#[derive(Debug)]
pub struct Dialect {
    pub name: &'static str,
    /// The first segment of every path, where base URLs usually come without
    /// it; one that ends in it is taken as it is.
    pub version: &'static str,
    /// Below base URL and version.
    pub path: fn(&Target) -> String,
    /// What is asked to learn which models there are.
    pub models_path: &'static str,
    pub key_header: KeyHeader,
    /// Whether the wire has a web search of the provider's own.
    pub native_search: Search,
    /// Headers without secrets that every request carries.
    pub headers: &'static [(&'static str, &'static str)],
    pub request: fn(&Prompt<'_>, &Target, Manners) -> Value,
    pub decoder: fn() -> Box<dyn Decode>,
    /// What an answer with an error status means.
    pub complaint: fn(u16, &str) -> Trouble,
    /// Other manners for a server that refused these, where its words say so.
    pub adapt: fn(Manners, &str) -> Option<Manners>,
    pub model_names: fn(&Value) -> Vec<String>,
    /// How an answer that the server keeps is fetched, where it can keep any.
    pub kept: Option<&'static KeptAnswers>,
}

/// Answers that a server goes on writing and keeps for a while, whoever leaves.
#[derive(Debug)]
pub struct KeptAnswers {
    /// Where one lies, below base URL and version.
    pub path: fn(&str) -> String,
    /// Whether it is still being written.
    pub is_pending: fn(&Value) -> bool,
}

/// Whether the server is asked to keep answers so that they can be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    Fetchable,
    /// Nothing is left with the provider longer than it takes.
    #[default]
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
    Named(&'static str),
}

/// Reads an answer piece by piece.
pub trait Decode: Send {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, Trouble>;
    /// Whether the protocol's own last word has been read, so that nothing more
    /// need be waited for.
    fn is_done(&self) -> bool;
    /// What it came to, if it was finished by the protocol's rules. A connection
    /// that closed is not an end.
    fn finish(&mut self) -> Result<Outcome, Trouble>;
    /// The server's own name for this answer, once it has said it.
    fn id(&self) -> Option<&str> {
        None
    }
}

/// One model at one address.
#[derive(Debug, Clone)]
pub struct Target {
    pub provider: &'static Provider,
    pub model: String,
    pub base_url: String,
    /// Host and port, for messages.
    pub host: String,
    pub key: Option<SecretString>,
    pub headers: Vec<(String, SecretString)>,
    pub search: Search,
    pub effort: Effort,
    pub keep: Keep,
    /// What is known of the model.
    pub facts: Facts,
}

impl Target {
    /// How what is asked now can be fetched should this program end.
    pub fn keeps(&self, manners: Manners) -> Option<&'static KeptAnswers> {
        let wanted = self.keep == Keep::Fetchable && manners.kept == Sent::Yes;
        self.provider.dialect.kept.filter(|_| wanted)
    }

    /// Where a path of the dialect lies.
    pub fn url(&self, path: &str) -> String {
        let base = self.base_url.trim_end_matches('/');
        let version = self.provider.dialect.version;
        let versioned = base.rsplit('/').next() == Some(version);
        match version.is_empty() || versioned {
            true => format!("{base}/{path}"),
            false => format!("{base}/{version}/{path}"),
        }
    }
}

/// Whether the provider may use its own web search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    Native,
    #[default]
    Off,
}

/// How hard a model that can think before it speaks should do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// As the provider thinks best; nothing is sent.
    #[default]
    Usual,
    Low,
    Medium,
    High,
}

impl Effort {
    pub fn word(self) -> Option<&'static str> {
        match self {
            Effort::Usual => None,
            Effort::Low => Some("low"),
            Effort::Medium => Some("medium"),
            Effort::High => Some("high"),
        }
    }
}

/// What a server was found to accept. It is learnt from refusals, once per target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    pub format: Format,
    pub output_limit: OutputLimit,
    pub temperature: Sent,
    pub stream_usage: Sent,
    pub effort: Sent,
    pub search_tool: SearchTool,
    pub tools: Sent,
    /// Whether the server is asked to keep the answer; see [`Target::keep`].
    pub kept: Sent,
}

impl Manners {
    pub fn new(output_limit: OutputLimit) -> Manners {
        Manners {
            format: Format::Schema,
            output_limit,
            temperature: Sent::Yes,
            stream_usage: Sent::Yes,
            effort: Sent::Yes,
            search_tool: SearchTool::Current,
            tools: Sent::Yes,
            kept: Sent::Yes,
        }
    }

    /// What to begin with, so that known models need not refuse first.
    pub fn towards(target: &Target) -> Manners {
        let temperature = if target.facts.temperature { Sent::Yes } else { Sent::No };
        Manners { temperature, ..Manners::new(target.provider.output_limit) }
    }
}

/// Which version of the provider's own search is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchTool {
    Current,
    Older,
}

/// How structure is asked for, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Schema,
    /// The answer is the argument of a tool that must be called.
    Tool,
    /// Any JSON object; the schema is given in words.
    Object,
    /// In words only.
    Words,
    /// Not at all: the answer is free text.
    Free,
}

/// Which field limits the length of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLimit {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    Yes,
    No,
}

impl Sent {
    pub fn then(self, value: Value) -> Option<Value> {
        match self {
            Sent::Yes => Some(value),
            Sent::No => None,
        }
    }
}

/// The tool through which a model without structured output hands in its answer.
pub const SUBMIT: &str = "submit_response";
pub const SUBMIT_IN_WORDS: &str =
    "Hand in your finished answer. Call this exactly once, when you are done.";

/// What a model reads in place of a schema its server does not take.
const SCHEMA_IN_WORDS: &str = include_str!("schema_in_words.md");

/// The system text, with the schema in words where it is not sent as such.
pub(crate) fn system(prompt: &Prompt<'_>, format: Format) -> String {
    let mut system = prompt.ask.system.to_string();
    if matches!(format, Format::Object | Format::Words) {
        system.push_str("\n\n");
        system.push_str(&SCHEMA_IN_WORDS.replace("{schema}", &prompt.ask.schema.to_string()));
    }
    system
}

pub(crate) fn schema_name(task: Task) -> &'static str {
    match task {
        Task::Speak | Task::Repair | Task::Record => "answer",
        other => other.word(),
    }
}

/// How much may be written: the answer itself, and room to think before it,
/// which these wires count as output.
pub(crate) fn output_room(ask: &Ask, target: &Target) -> u32 {
    target.facts.output_room(ask.max_output_tokens)
}

/// Puts the fields that are there into a request.
pub(crate) fn put<'f>(
    body: &mut Value,
    fields: impl IntoIterator<Item = (&'f str, Option<Value>)>,
) {
    if let Some(body) = body.as_object_mut() {
        for (field, value) in fields {
            if let Some(value) = value {
                body.insert(field.into(), value);
            }
        }
    }
}

/// One thing a server may not take, the words by which it says so, and what is
/// done instead.
pub(crate) struct Adaptation {
    pub words: &'static [&'static str],
    pub change: fn(Manners) -> Option<Manners>,
}

/// The first adaptation whose words the server used.
pub(crate) fn adapt_by(rows: &[Adaptation], manners: Manners, said: &str) -> Option<Manners> {
    let said = said.to_lowercase();
    let fits = |row: &&Adaptation| row.words.iter().any(|word| said.contains(word));
    rows.iter().filter(fits).find_map(|row| (row.change)(manners))
}

pub(crate) const WITHOUT_TEMPERATURE: Adaptation = Adaptation {
    words: &["temperature"],
    change: |manners| match manners.temperature {
        Sent::Yes => Some(Manners { temperature: Sent::No, ..manners }),
        Sent::No => None,
    },
};

/// A model of which nothing is known is offered tools; where its server refuses
/// them, it goes on without.
pub(crate) const WITHOUT_TOOLS: Adaptation = Adaptation {
    words: &[
        "not support tool",
        "not support function",
        "tools are not supported",
        "support tool use",
        "tool use is not supported",
        "function calling is not",
        "tools param",
    ],
    change: |manners| match manners.tools {
        Sent::Yes => Some(Manners { tools: Sent::No, ..manners }),
        Sent::No => None,
    },
};

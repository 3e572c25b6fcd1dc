//! The shape of a wire format: a [`Dialect`] is a row of functions, a [`Target`]
//! is one model at one address, and [`ServerLimits`] are what its server accepts.

use std::borrow::Cow;

use debate::model::{Ask, Task};
use secrecy::SecretString;
use serde_json::Value;

use super::body::BodyPart;
use super::outcome::WireOutcome;
use super::try_error::TryError;
use crate::SpeechDelta;
use crate::conversation::Prompt;

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
    /// The path of the list of models.
    pub models_path: &'static str,
    pub key_header: KeyHeader,
    /// The provider's own web search, where the wire has one.
    pub native_search: NativeSearch,
    /// Headers without secrets that every request carries.
    pub headers: &'static [(&'static str, &'static str)],
    pub request: for<'a> fn(&Prompt<'a>, &'a Target, ServerLimits) -> BodyPart<'a>,
    pub decoder: fn() -> Box<dyn Decode>,
    /// Reads an answer with an error status.
    pub complaint: fn(u16, &str) -> TryError,
    /// Other manners for a server that refused these, where its words say so.
    pub adapt: fn(ServerLimits, &str) -> Option<ServerLimits>,
    pub model_names: fn(&Value) -> Vec<String>,
    /// The way to fetch kept answers, where the server can keep any.
    pub kept: Option<&'static KeptAnswers>,
}

/// Answers that a server keeps writing and keeps for a while, even if the client
/// leaves.
#[derive(Debug)]
pub struct KeptAnswers {
    /// The path of one, below base URL and version.
    pub path: fn(&str) -> String,
    /// True while it is still being written.
    pub is_pending: fn(&Value) -> bool,
}

/// The answers that the server is asked to keep so that they can be fetched.
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

/// One provider as shipped.
#[derive(Debug)]
pub struct Provider {
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    pub dialect: &'static Dialect,
    /// Absent where the user has to say where it is.
    pub base_url: Option<&'static str>,
    pub place: ProviderPlace,
    pub key: KeyNeed,
    pub key_variable: Option<&'static str>,
    /// Names under which people have set the key for other programs.
    pub other_key_variables: &'static [&'static str],
    /// The page where it makes keys, for people who have none yet.
    pub key_page: Option<&'static str>,
    pub url_variables: &'static [&'static str],
    pub output_limit: OutputLimit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderPlace {
    /// A server on the user's own machine or network, worth looking for.
    Local,
    Remote,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyNeed {
    Required,
    Optional,
}

/// The abilities of one model, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFacts {
    /// In tokens, where known.
    pub context: Option<u32>,
    /// The most it can write in one answer, thinking included.
    pub output: Option<u32>,
    /// Room for thinking, added to an answer's own limit.
    pub thinking: u32,
    /// True where it takes a temperature.
    pub temperature: bool,
    pub structured: bool,
    pub tools: bool,
    pub search: bool,
    pub reasoning: bool,
    /// True where it writes its working and then calls `submit_response`, in one go.
    pub one_go: bool,
    /// True where it is small enough to need the lighter set of words.
    pub small: bool,
}

impl ModelFacts {
    /// Cautious: nothing is promised. Structure is asked for, since a refusal of it
    /// is noticed; tools are offered for the same reason, see [`crate::takes_tools`].
    pub const UNKNOWN: ModelFacts = ModelFacts {
        context: None,
        output: None,
        thinking: 0,
        temperature: true,
        structured: true,
        tools: false,
        search: false,
        reasoning: false,
        one_go: false,
        small: false,
    };

    /// The output limit that leaves room for an answer of this length.
    pub fn output_room(&self, answer: u32) -> u32 {
        let wanted = answer.saturating_add(self.thinking);
        self.output.map_or(wanted, |most| wanted.min(most.max(answer)))
    }
}

/// Reads an answer piece by piece.
pub trait Decode: Send {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<SpeechDelta>, TryError>;
    /// True once the protocol's own last word has been read, so that nothing more need be
    /// waited for.
    fn is_done(&self) -> bool;
    /// Returns the outcome, if it was finished by the protocol's rules. A connection that
    /// closed is not an end.
    fn finish(&mut self) -> Result<WireOutcome, TryError>;
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
    pub search: NativeSearch,
    pub effort: EffortField,
    pub keep: Keep,
    /// The known abilities of the model.
    pub facts: ModelFacts,
}

impl Target {
    /// The way to fetch what is asked now, should this program end.
    pub fn keeps(&self, manners: ServerLimits) -> Option<&'static KeptAnswers> {
        let wanted = self.keep == Keep::Fetchable && manners.kept;
        self.provider.dialect.kept.filter(|_| wanted)
    }

    /// The URL of a path of the dialect.
    pub fn url(&self, path: &str) -> String {
        let base = self.base_url.trim_end_matches('/');
        let version = self.provider.dialect.version;
        let versioned = base.rsplit('/').next() == Some(version);
        if version.is_empty() || versioned {
            format!("{base}/{path}")
        } else {
            format!("{base}/{version}/{path}")
        }
    }
}

/// The provider's own web search: allowed or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NativeSearch {
    Native,
    #[default]
    Off,
}

/// The effort of a model that can think before it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EffortField {
    /// As the provider thinks best; nothing is sent.
    #[default]
    Usual,
    Low,
    Medium,
    High,
}

impl EffortField {
    pub fn word(self) -> Option<&'static str> {
        match self {
            EffortField::Usual => None,
            EffortField::Low => Some("low"),
            EffortField::Medium => Some("medium"),
            EffortField::High => Some("high"),
        }
    }
}

/// The options that a server accepts. They are learnt from refusals, once per
/// target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    pub format: AnswerFormat,
    pub output_limit: OutputLimit,
    pub temperature: bool,
    pub stream_usage: bool,
    pub effort: bool,
    pub search_tool: SearchTool,
    pub tools: bool,
    /// Asks the server to keep the answer; see [`Target::keep`].
    pub kept: bool,
}

impl ServerLimits {
    pub fn new(output_limit: OutputLimit) -> ServerLimits {
        ServerLimits {
            format: AnswerFormat::Schema,
            output_limit,
            temperature: true,
            stream_usage: true,
            effort: true,
            search_tool: SearchTool::Current,
            tools: true,
            kept: true,
        }
    }

    /// The options to begin with, so that known models need not refuse first.
    pub fn towards(target: &Target) -> ServerLimits {
        let temperature = target.facts.temperature;
        ServerLimits { temperature, ..ServerLimits::new(target.provider.output_limit) }
    }
}

/// The version of the provider's own search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchTool {
    Current,
    Older,
}

/// The ways to ask for structure, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerFormat {
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

/// The field that limits the length of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLimit {
    MaxTokens,
    MaxCompletionTokens,
}

/// The description of [`SUBMIT`](crate::conversation::SUBMIT) for a model.
pub const SUBMIT_IN_WORDS: &str =
    "Hand in your finished answer. Call this exactly once, when you are done.";

/// The schema in words, for a server that does not take one.
const SCHEMA_IN_WORDS: &str = include_str!("schema_in_words.md");

/// The system text, with the schema in words where it is not sent as such.
pub(crate) fn system<'a>(prompt: &Prompt<'a>, format: AnswerFormat) -> Cow<'a, str> {
    let system: &'a str = &prompt.ask.system;
    if matches!(format, AnswerFormat::Object | AnswerFormat::Words) {
        let schema = SCHEMA_IN_WORDS.replace("{schema}", prompt.ask.schema.written());
        format!("{system}\n\n{schema}").into()
    } else {
        system.into()
    }
}

pub(crate) fn schema_name(task: Task) -> &'static str {
    match task {
        Task::Speak | Task::Repair | Task::Record => "answer",
        other => other.word(),
    }
}

/// The output limit of an ask: the answer itself, and room to think before it,
/// which these wires count as output.
pub(crate) fn output_room(ask: &Ask, target: &Target) -> u32 {
    target.facts.output_room(ask.max_output_tokens)
}

/// One thing a server may not take, the words by which it says so, and what is
/// done instead.
pub(crate) struct Adaptation {
    pub words: &'static [&'static str],
    pub change: fn(ServerLimits) -> Option<ServerLimits>,
}

/// The first adaptation whose words the server used.
pub(crate) fn adapt_by(
    rows: &[Adaptation],
    manners: ServerLimits,
    said: &str,
) -> Option<ServerLimits> {
    let said = said.to_lowercase();
    let fits = |row: &&Adaptation| row.words.iter().any(|word| said.contains(word));
    rows.iter().filter(fits).find_map(|row| (row.change)(manners))
}

pub(crate) const WITHOUT_TEMPERATURE: Adaptation = Adaptation {
    words: &["temperature"],
    change: |manners| manners.temperature.then_some(ServerLimits { temperature: false, ..manners }),
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
    change: |manners| manners.tools.then_some(ServerLimits { tools: false, ..manners }),
};

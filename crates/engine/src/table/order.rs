//! An order: a caller's request, as typed or sent, before any check.

pub mod persona;
pub mod preset;

use std::path::PathBuf;
use std::sync::Arc;

use agents::Speaker;
use debate::model::{Attachment, EarlierDebate, Question, TeamOrder};

#[derive(Debug, Clone, Default)]
pub struct Order {
    /// A named panel with its settings; see [`crate::table::profile`].
    pub profile: Option<String>,
    /// A way of putting a kind of question; see `presets`.
    pub preset: Option<String>,
    pub topic: Option<String>,
    pub mode: Option<String>,
    pub agents: Vec<String>,
    pub rounds: Option<String>,
    /// Files, folders, and `-` for piped input; see `context`.
    pub context: Vec<PathBuf>,
    /// The piped input, if the context asks for it.
    pub piped: Option<Vec<u8>>,
    pub focus: Option<String>,
    /// The language to answer in, by its tag or name; the topic's own if there is none.
    pub language: Option<String>,
    pub perspectives: Vec<String>,
    /// Questions that every answer must address.
    pub questions: Vec<String>,
    /// How perspectives are given to seats: `round-robin`, `random`, or one name for
    /// each agent.
    pub assignment: Vec<String>,
    pub question: Question,
    /// True if the number asked for is an estimate.
    pub estimate: bool,
    /// How far apart two figures may lie: `0.5`, or `2%`.
    pub tolerance: Option<String>,
    /// debate, adaptive or vote; none: adaptive where the question has a form and
    /// no rounds are given.
    pub effort: Option<String>,
    /// The most sealed first answers.
    pub samples: Option<String>,
    pub depth: Option<String>,
    pub team_order: TeamOrder,
    pub stakes: Vec<String>,
    pub flags: Vec<String>,
    pub algorithm: Option<String>,
    pub temperature: Option<String>,
    pub max_output_tokens: Option<String>,
    pub timeout_seconds: Option<String>,
    pub seed: Option<String>,
    pub budget: Option<String>,
    pub script: Option<PathBuf>,
    pub words: Option<PathBuf>,
    /// The clerk, or `none`.
    pub clerk: Option<String>,
    pub importance: Option<String>,
    /// Facts about the decision that decide how deep an automatic debate goes.
    pub stakeholders: Option<String>,
    pub technical_domains: Option<String>,
    pub horizon: Option<String>,
    pub budget_impact: Option<String>,
    /// `name=value`.
    pub thresholds: Vec<String>,
    pub search: Option<String>,
    /// `None`: as the config file says, else on.
    pub context_requests: Option<bool>,
    /// The file to which every call is recorded.
    pub record: Option<PathBuf>,
    /// The recording that answers instead of the agents, and its speed.
    pub replay: Option<PathBuf>,
    pub replay_speed: Option<String>,
    pub project: Option<String>,
    /// `auto` has the clerk name it.
    pub domain: Option<String>,
    pub learning: LearningWish,
    /// The date on which to ask how the decision turned out.
    pub ask_on: Option<String>,
    pub caller: CallerContext,
    /// The debate that this one comes after, by its id or the start of it.
    pub after: Option<String>,
    /// What is taken over from that debate; filled in when the order is prepared.
    pub earlier: Option<Box<EarlierDebate>>,
}

/// Options that only another program can give.
#[derive(Clone, Default)]
pub struct CallerContext {
    /// Texts that every agent sees, as data.
    pub attachments: Vec<Attachment>,
    /// The number of seats if the order names no agents.
    pub seats: Option<usize>,
    /// The key that identifies a repeated start.
    pub start_key: Option<String>,
    /// Speaks for the caller's own model.
    pub voice: Option<Arc<dyn Speaker>>,
    /// True if a person is there who can answer for a seat of their own.
    pub has_person: bool,
    /// True for a caller over MCP or HTTP, who may not lift the operator's limits.
    pub is_remote: bool,
}

impl std::fmt::Debug for CallerContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").field("attachments", &self.attachments.len()).finish()
    }
}

/// The user's choice about starting a debate with lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LearningWish {
    /// As the config file, the project and the constitution say.
    #[default]
    AsSet,
    Off,
}

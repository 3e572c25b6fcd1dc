//! The types of the rooms below that appear in what the engine takes and returns,
//! under the names that faces use. A face depends on the engine alone.

pub use agents::CancellationToken;
pub use agents::SpeechDelta;
pub use agents::agent_spec::CLIENT_PROVIDER;
pub use agents::redaction::without_keys;
pub use agents::scripted::ScriptPace;
pub use agents::scripted::example::TOPIC as EXAMPLE_TOPIC;
pub use store::{
    DAMAGED, DebateCommand, ListFilter, ListPosition, ListedDebate, LogEntry, PersonRole,
    StoreError, TokenHash,
};

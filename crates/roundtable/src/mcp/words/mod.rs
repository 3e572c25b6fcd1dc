//! Every word a client's model reads before it has called anything.

pub const INSTRUCTIONS: &str = include_str!("words/instructions.md");
pub const START: &str = include_str!("words/start_roundtable.md");
pub const CONTINUE: &str = include_str!("words/continue_roundtable.md");
pub const CONSENSUS: &str = include_str!("words/get_consensus.md");
pub const CONTROL: &str = include_str!("words/control_session.md");
pub const LIST: &str = include_str!("words/list_sessions.md");
pub const AGENTS: &str = include_str!("words/get_agents.md");
pub const ROUND: &str = include_str!("words/get_round_details.md");
pub const RESPONSE: &str = include_str!("words/get_response_detail.md");
pub const THOUGHTS: &str = include_str!("words/get_thoughts.md");
pub const CITATIONS: &str = include_str!("words/get_citations.md");
pub const SYNTHESIS: &str = include_str!("words/synthesize_debate.md");
pub const OUTCOME: &str = include_str!("words/record_outcome.md");
pub const LEARNING: &str = include_str!("words/get_learning.md");
pub const EXPORT: &str = include_str!("words/export_session.md");
pub const PROMPT_DEBATE: &str = include_str!("words/prompt-debate.md");
pub const PROMPT_DECIDE: &str = include_str!("words/prompt-decide.md");
pub const PROMPT_RED_TEAM: &str = include_str!("words/prompt-red-team.md");

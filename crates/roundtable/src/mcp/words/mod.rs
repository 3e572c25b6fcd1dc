//! Every word a client's model reads before it has called anything.

pub mod about;
pub mod app;
pub mod mode;
pub mod prompts;
pub mod resources;
pub mod skills;

pub const INSTRUCTIONS: &str = include_str!("instructions.md");
pub const PROMPT_DEBATE: &str = include_str!("prompt-debate.md");
pub const PROMPT_DECIDE: &str = include_str!("prompt-decide.md");
pub const PROMPT_RED_TEAM: &str = include_str!("prompt-red-team.md");

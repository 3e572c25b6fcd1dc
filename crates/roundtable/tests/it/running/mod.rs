//! Debates as a person runs them, with scripts, providers, tools and attachments.

mod afterwards;
mod context;
mod debates;
mod everyday;
mod examples;
mod further;
mod language;
mod local_debate;
mod looking;
mod presets;
mod providers;
mod switches;
mod tools;

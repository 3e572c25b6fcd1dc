//! Debates as a person runs them, with scripts, providers, tools and attachments.

mod afterwards;
mod context;
mod debates;
mod everyday;
mod examples;
mod local_debate;
mod looking;
mod providers;
mod switches;
mod tools;

//! Exports, lists and pages: their form, and that nothing a model wrote gets out of it.

mod browser;
mod browser_app;
mod browser_page;
mod canary;
mod exports;
mod hostile;
pub mod hostile_strings;
mod results;
mod shown;

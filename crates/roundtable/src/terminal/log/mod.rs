//! The program's own log, on standard error. It is silent by default, and no line
//! contains a key at any level.

mod json_lines;

use json_lines::JsonLines;
use tracing_subscriber::EnvFilter;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Begins to log in lines for people. `wanted`: a level, or levels by module such as
/// `agents=debug,warn`.
pub fn start(wanted: &str) -> Result<(), String> {
    let lines = tracing_subscriber::fmt().with_env_filter(filter(wanted)?).with_ansi(false);
    #[allow(clippy::disallowed_methods, reason = "this is the folder that writes to it")]
    let lines = lines.with_writer(std::io::stderr);
    lines.try_init().map_err(|error| format!("the log cannot be written: {error}"))
}

/// Begins to log in lines for programs.
pub fn start_json(wanted: &str, node: String) -> Result<(), String> {
    let lines = tracing_subscriber::fmt().with_env_filter(filter(wanted)?).with_ansi(false);
    #[allow(clippy::disallowed_methods, reason = "this is the folder that writes to it")]
    let lines = lines.with_writer(std::io::stderr).event_format(JsonLines { node });
    lines.try_init().map_err(|error| format!("the log cannot be written: {error}"))
}

fn filter(wanted: &str) -> Result<EnvFilter, String> {
    let refused = || {
        let levels = LEVELS.join(", ");
        format!("ROUNDTABLE_LOG: {wanted:?} cannot be read; allowed: {levels}, or MODULE=LEVEL,…")
    };
    let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word.trim()));
    let known = |part: &str| is_level(part.rsplit('=').next().unwrap_or(part));
    if !wanted.split(',').all(known) {
        return Err(refused());
    }
    EnvFilter::try_new(wanted).map_err(|_| refused())
}

//! The agent programs that are known by name. A row is data: which arguments
//! make the program answer once, read-only and without asking questions, and
//! which variables are its own. Names end in `-cli`, since some providers are
//! called like their program.

use std::path::{Path, PathBuf};

/// Variables every program may have: where things are, which language, how to
/// reach the network. No key is among them.
pub const ALWAYS_PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Stands for the model's name in a row's arguments.
const MODEL: &str = "{model}";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramRow {
    pub name: &'static str,
    pub title: &'static str,
    pub program: &'static str,
    pub before: &'static [&'static str],
    /// Left out where no model is named.
    pub model: &'static [&'static str],
    pub after: &'static [&'static str],
    /// True where it has a default model of its own.
    pub has_default_model: bool,
    /// Its own variables, keys included; it gets no other program's.
    pub variables: &'static [&'static str],
    pub install: &'static str,
}

pub const ROWS: &[ProgramRow] = &[
    ProgramRow {
        name: "claude-cli",
        title: "Claude Code",
        program: "claude",
        before: &["-p", "--output-format", "text"],
        model: &["--model", MODEL],
        after: &[],
        has_default_model: true,
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
        ],
        install: "Install Claude Code and log in once by running `claude`",
    },
    ProgramRow {
        name: "codex-cli",
        title: "Codex",
        program: "codex",
        before: &["exec", "--sandbox", "read-only", "--skip-git-repo-check"],
        model: &["--model", MODEL],
        // The dash: the whole prompt is on standard input.
        after: &["-"],
        has_default_model: true,
        variables: &["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"],
        install: "Install Codex and log in once by running `codex login`",
    },
    ProgramRow {
        name: "gemini-cli",
        title: "Gemini CLI",
        program: "gemini",
        before: &[],
        model: &["--model", MODEL],
        // Its -p must have a value, which is put after what standard input says.
        after: &["-p", "Answer now, exactly in the form asked for above."],
        has_default_model: true,
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT"],
        install: "Install the Gemini CLI and log in once by running `gemini`",
    },
    ProgramRow {
        name: "ollama-cli",
        title: "Ollama (as a command)",
        program: "ollama",
        before: &["run"],
        model: &[MODEL],
        after: &[],
        has_default_model: false,
        variables: &["OLLAMA_HOST", "OLLAMA_MODELS"],
        install: "Install Ollama and fetch the model with `ollama pull`",
    },
    ProgramRow {
        name: "llm-cli",
        title: "llm",
        program: "llm",
        before: &["--no-stream"],
        model: &["-m", MODEL],
        after: &[],
        has_default_model: true,
        variables: &["LLM_USER_PATH", "LLM_MODEL"],
        install: "Install llm and give it a key with `llm keys set`",
    },
];

/// The rows whose program is there.
pub fn found(path: &str) -> Vec<&'static ProgramRow> {
    ROWS.iter().filter(|row| on_path(row.program, path).is_some()).collect()
}

/// The row of a name, in any case.
pub fn find(name: &str) -> Option<&'static ProgramRow> {
    ROWS.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

impl ProgramRow {
    pub fn needs_model(&self) -> bool {
        !self.has_default_model
    }

    pub(crate) fn argv(&self, model: Option<&str>) -> Vec<String> {
        let named =
            model.map(|model| self.model.iter().map(move |part| part.replace(MODEL, model)));
        std::iter::once(self.program.to_owned())
            .chain(self.before.iter().map(ToString::to_string))
            .chain(named.into_iter().flatten())
            .chain(self.after.iter().map(ToString::to_string))
            .collect()
    }
}

/// Finds a program in a list of folders such as `PATH`.
pub fn on_path(program: &str, path: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| can_run(file));
    }
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| can_run(file))
}

#[cfg(unix)]
fn can_run(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn can_run(file: &Path) -> bool {
    file.is_file() || file.with_extension("exe").is_file()
}

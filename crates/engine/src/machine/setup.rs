//! Sets up MCP clients to use Roundtable: one row per client. The change to its
//! config file is computed and shown first, and the old file is kept. Everything
//! else in the file stays as it was, comments included; a file that cannot be
//! changed safely is left alone.

mod clients;
mod json;
mod toml;
mod yaml;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::config::Config;
use crate::error::{At, EngineError, FileProblem, Problem, Refusal, Remedy, SettingName};
use crate::machine::server_token;

pub use clients::{CLIENTS, ClientRow};

/// The name under which clients list the server.
const NAME: &str = "roundtable";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupAction {
    Add,
    Remove,
}

/// The scope of the change: all projects of this user, or the working folder only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupScope {
    User,
    Project,
}

/// A change that was computed and not yet made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFileChange {
    pub path: PathBuf,
    /// `None` if there is no file yet.
    pub before: Option<String>,
    pub after: String,
    /// True if the new text holds a token, so that the file is for its owner alone.
    pub is_secret: bool,
}

/// The way a client reaches Roundtable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientReach {
    /// It starts the program.
    Program,
    /// It calls the server at this address, with the server's token.
    Http { url: String },
}

impl ClientFileChange {
    pub fn is_nothing(&self) -> bool {
        self.before.as_deref().unwrap_or_default() == self.after
    }
}

/// The format of a client's file, and the place of servers in it.
#[derive(Debug, Clone, Copy)]
pub enum ClientFileFormat {
    /// JSON with or without comments; servers by name under this key.
    Json(&'static str),
    Toml(&'static str),
    Yaml(&'static str),
}

pub fn client(name: &str) -> Result<&'static ClientRow, EngineError> {
    CLIENTS.iter().find(|client| client.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let known: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        Refusal::new(At::Client(name.into()), Problem::unknown(name, &known)).given(name).into()
    })
}

/// Computes the change without making it.
pub fn plan(
    config: &Config,
    client: &ClientRow,
    (scope, reach): (SetupScope, &ClientReach),
    wish: SetupAction,
) -> Result<ClientFileChange, EngineError> {
    let path = match scope {
        SetupScope::User => (client.user_file)(&config.environment).ok_or_else(|| {
            let problem = Problem::File(FileProblem::NoHome);
            Refusal::new(At::Client(client.title.into()), problem)
        })?,
        SetupScope::Project => PathBuf::from(client.project_file.ok_or_else(|| {
            let problem = Problem::File(FileProblem::NoProjectFile);
            let remedy = Remedy::LeaveOut { settings: vec![SettingName::ClientProject] };
            Refusal::new(At::Client(client.title.into()), problem).help(remedy)
        })?),
    };
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            let problem = FileProblem::Unreadable { why: error.to_string() };
            return Err(Refusal::file(path, problem).into());
        }
    };
    let (entry, is_secret) = entry(config, client, (scope, reach), wish)?;
    let text = before.as_deref().unwrap_or_default();
    let after = match wish {
        SetupAction::Remove if before.is_none() => Ok(String::new()),
        wish => edit(client.shape, text, wish, &entry),
    };
    let after = after.map_err(|why| {
        let entry = without_tokens(&serde_json::json!({ NAME: entry }).to_string());
        Refusal::file(&path, FileProblem::Unchangeable { why, key: client.shape.key(), entry })
    })?;
    Ok(ClientFileChange { path, before, after, is_secret })
}

/// Returns the client's entry for Roundtable, and whether it holds a token.
fn entry(
    config: &Config,
    client: &ClientRow,
    (scope, reach): (SetupScope, &ClientReach),
    wish: SetupAction,
) -> Result<(Value, bool), EngineError> {
    let ClientReach::Http { url } = reach else {
        let program = config.environment.program.clone().unwrap_or_else(|| NAME.into());
        return Ok(((client.entry)(&program.display().to_string()), false));
    };
    if wish == SetupAction::Remove {
        return Ok((Value::Null, false));
    }
    let Some(http_entry) = client.http_entry else {
        let problem = Problem::File(FileProblem::NoHttpEntry);
        let remedy = Remedy::LeaveOut { settings: vec![SettingName::ClientHttp] };
        return Err(Refusal::new(At::Client(client.title.into()), problem).help(remedy).into());
    };
    if scope == SetupScope::Project {
        let problem = Problem::File(FileProblem::TokenInProject);
        let remedy = Remedy::LeaveOut { settings: vec![SettingName::ClientProject] };
        return Err(Refusal::new(At::Order, problem).help(remedy).into());
    }
    let token = server_token::token(config)?;
    Ok((http_entry(url, &format!("Bearer {token}")), true))
}

/// Returns a text that can be shown, without the tokens in it.
pub fn without_tokens(text: &str) -> String {
    let mark = "Bearer ";
    let mut parts = text.split(mark);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
        shown.push_str(mark);
        shown.push_str("[token]");
        shown.push_str(end.and_then(|end| part.get(end..)).unwrap_or_default());
    }
    shown
}

impl ClientFileFormat {
    fn key(self) -> &'static str {
        match self {
            ClientFileFormat::Json(key)
            | ClientFileFormat::Toml(key)
            | ClientFileFormat::Yaml(key) => key,
        }
    }
}

fn edit(
    shape: ClientFileFormat,
    text: &str,
    wish: SetupAction,
    entry: &Value,
) -> Result<String, String> {
    match shape {
        ClientFileFormat::Json(key) => json::edit(text, key, wish, entry),
        ClientFileFormat::Toml(key) => toml::edit(text, key, wish, entry),
        ClientFileFormat::Yaml(key) => yaml::edit(text, key, wish, entry),
    }
}

/// Makes the change. The old file is kept beside the new one.
pub fn carry_out(change: &ClientFileChange) -> Result<Option<PathBuf>, EngineError> {
    let ClientFileChange { path, before, after, is_secret } = change;
    let cannot = |what: &Path, error: std::io::Error| {
        Refusal::file(what, FileProblem::Unwritable { why: error.to_string() })
    };
    let kept = before.is_some().then(|| beside(path, "before-roundtable"));
    if let Some(kept) = &kept {
        std::fs::copy(path, kept).map_err(|error| cannot(kept, error))?;
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
    }
    // The file is written completely or not at all, with the permissions it had.
    let new = beside(path, "roundtable-new");
    let written = write_draft(&new, after, *is_secret)
        .and_then(|()| match std::fs::metadata(path) {
            Ok(about) if !is_secret => std::fs::set_permissions(&new, about.permissions()),
            _ => Ok(()),
        })
        .and_then(|()| std::fs::rename(&new, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&new);
        cannot(path, error)
    })?;
    Ok(kept)
}

fn write_draft(path: &Path, text: &str, is_private: bool) -> std::io::Result<()> {
    // One of the same name is left from a process that was killed.
    let _ = std::fs::remove_file(path);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    std::io::Write::write_all(&mut options.open(path)?, text.as_bytes())
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

//! The MCP clients that can be set up, one row each.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::config::Environment;
use crate::machine::setup::ClientFileFormat;

pub struct ClientRow {
    pub name: &'static str,
    pub title: &'static str,
    pub user_file: fn(&Environment) -> Option<PathBuf>,
    /// Relative to the project's folder.
    pub project_file: Option<&'static str>,
    pub shape: ClientFileFormat,
    /// Builds the entry under the server's name, given the program's path.
    pub entry: fn(&str) -> Value,
    /// Builds the entry for a server over HTTP, given its address and the value of the
    /// header with the token; `None` if the client takes none from its file.
    pub http_entry: Option<fn(&str, &str) -> Value>,
    /// Instructions for the change to take effect.
    pub then: &'static str,
}

pub const CLIENTS: [ClientRow; 9] = [
    ClientRow {
        name: "claude-code",
        title: "Claude Code",
        user_file: |env| Some(home(env)?.join(".claude.json")),
        project_file: Some(".mcp.json"),
        shape: ClientFileFormat::Json("mcpServers"),
        entry: |program| json!({"type": "stdio", "command": program, "args": ["mcp"], "env": {}}),
        http_entry: Some(
            |url, bearer| json!({"type": "http", "url": url, "headers": {"Authorization": bearer}}),
        ),
        then: "Restart it; `claude mcp list` shows the server.",
    },
    ClientRow {
        name: "claude-desktop",
        title: "Claude Desktop",
        user_file: |env| Some(app(env)?.join("Claude/claude_desktop_config.json")),
        project_file: None,
        shape: ClientFileFormat::Json("mcpServers"),
        entry: |program| json!({"command": program, "args": ["mcp"]}),
        http_entry: None,
        then: "Quit it and reopen it.",
    },
    ClientRow {
        name: "codex",
        title: "Codex",
        user_file: |env| Some(folder(env, "CODEX_HOME", ".codex")?.join("config.toml")),
        project_file: None,
        shape: ClientFileFormat::Toml("mcp_servers"),
        entry: |program| json!({"command": program, "args": ["mcp"], "tool_timeout_sec": 600}),
        http_entry: Some(
            |url, bearer| json!({"url": url, "http_headers": {"Authorization": bearer}, "tool_timeout_sec": 600}),
        ),
        then: "Restart it; `codex mcp list` shows the server.",
    },
    ClientRow {
        name: "cursor",
        title: "Cursor",
        user_file: |env| Some(home(env)?.join(".cursor/mcp.json")),
        project_file: Some(".cursor/mcp.json"),
        shape: ClientFileFormat::Json("mcpServers"),
        entry: |program| json!({"command": program, "args": ["mcp"]}),
        http_entry: Some(|url, bearer| json!({"url": url, "headers": {"Authorization": bearer}})),
        then: "Switch the server on in its settings, under MCP.",
    },
    ClientRow {
        name: "vscode",
        title: "VS Code",
        user_file: |env| Some(app(env)?.join("Code/User/mcp.json")),
        project_file: Some(".vscode/mcp.json"),
        shape: ClientFileFormat::Json("servers"),
        entry: |program| json!({"type": "stdio", "command": program, "args": ["mcp"]}),
        http_entry: Some(
            |url, bearer| json!({"type": "http", "url": url, "headers": {"Authorization": bearer}}),
        ),
        then: "Run the command \"MCP: List Servers\" and start it.",
    },
    ClientRow {
        name: "gemini",
        title: "Gemini CLI",
        user_file: |env| Some(home(env)?.join(".gemini/settings.json")),
        project_file: Some(".gemini/settings.json"),
        shape: ClientFileFormat::Json("mcpServers"),
        entry: |program| json!({"command": program, "args": ["mcp"], "timeout": 600_000}),
        http_entry: Some(
            |url, bearer| json!({"httpUrl": url, "headers": {"Authorization": bearer}, "timeout": 600_000}),
        ),
        then: "Restart it; /mcp shows the server.",
    },
    ClientRow {
        name: "opencode",
        title: "opencode",
        user_file: |env| Some(xdg(env)?.join("opencode/opencode.json")),
        project_file: Some("opencode.json"),
        shape: ClientFileFormat::Json("mcp"),
        entry: |program| json!({"type": "local", "command": [program, "mcp"], "enabled": true}),
        http_entry: Some(|url, bearer| {
            let headers = json!({"Authorization": bearer});
            json!({"type": "remote", "url": url, "headers": headers, "enabled": true})
        }),
        then: "Restart it.",
    },
    ClientRow {
        name: "zed",
        title: "Zed",
        user_file: |env| Some(xdg(env)?.join("zed/settings.json")),
        project_file: Some(".zed/settings.json"),
        shape: ClientFileFormat::Json("context_servers"),
        entry: |program| json!({"command": program, "args": ["mcp"], "env": {}}),
        http_entry: Some(|url, bearer| json!({"url": url, "headers": {"Authorization": bearer}})),
        then: "The agent panel's settings show the server.",
    },
    ClientRow {
        name: "goose",
        title: "Goose",
        user_file: |env| Some(xdg(env)?.join("goose/config.yaml")),
        project_file: None,
        shape: ClientFileFormat::Yaml("extensions"),
        entry: |program| {
            json!({
                "name": crate::machine::setup::NAME, "type": "stdio", "enabled": true, "cmd": program,
                "args": ["mcp"], "timeout": 300, "envs": {},
            })
        },
        http_entry: Some(|url, bearer| {
            json!({
                "name": crate::machine::setup::NAME, "type": "streamable_http", "enabled": true,
                "uri": url, "headers": {"Authorization": bearer}, "timeout": 300, "envs": {},
            })
        }),
        then: "Restart it; `goose configure` lists the extension.",
    },
];

fn home(env: &Environment) -> Option<PathBuf> {
    env.get("HOME").or_else(|| env.get("USERPROFILE")).map(PathBuf::from)
}

/// Returns the folder named by a variable, else one in the home directory.
fn folder(env: &Environment, variable: &str, usual: &str) -> Option<PathBuf> {
    env.get(variable).map(PathBuf::from).or_else(|| Some(home(env)?.join(usual)))
}

fn xdg(env: &Environment) -> Option<PathBuf> {
    folder(env, "XDG_CONFIG_HOME", ".config")
}

/// Returns the folder in which desktop programs keep their settings.
fn app(env: &Environment) -> Option<PathBuf> {
    match std::env::consts::OS {
        "macos" => Some(home(env)?.join("Library/Application Support")),
        "windows" => folder(env, "APPDATA", "AppData/Roaming"),
        _ => xdg(env),
    }
}

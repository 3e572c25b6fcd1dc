//! Setting up MCP clients through the binary: only our own entry changes.

use crate::support::Home;
use serde_json::Value;

/// Client, its file in a home, what a user may have there, and a part of what
/// must be there afterwards.
const ROWS: [(&str, &str, &str, &str); 9] = [
    (
        "claude-code",
        ".claude.json",
        "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n",
        "\"args\": [\"mcp\"]",
    ),
    ("claude-desktop", "config/Claude/claude_desktop_config.json", "{}\n", "\"mcpServers\""),
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"o9\" # best\n\n[mcp_servers.other]\ncommand = \"x\"\n",
        "[mcp_servers.roundtable]",
    ),
    ("cursor", ".cursor/mcp.json", "{\n\t\"mcpServers\": {}\n}\n", "\"roundtable\""),
    (
        "vscode",
        "config/Code/User/mcp.json",
        "{\n  // keep me\n  \"servers\": {\n    \"a\": {\"type\": \"stdio\", \"command\": \"b\"}, // and me\n  }\n}\n",
        "\"type\": \"stdio\"",
    ),
    ("gemini", ".gemini/settings.json", "{ \"theme\": \"dark\" }", "600000"),
    (
        "opencode",
        "config/opencode/opencode.json",
        "{\n  \"$schema\": \"x\"\n}\n",
        "\"enabled\": true",
    ),
    (
        "zed",
        "config/zed/settings.json",
        "// Zed settings\n{\n  \"ui_font_size\": 16,\n}\n",
        "\"context_servers\"",
    ),
    (
        "goose",
        "config/goose/config.yaml",
        "GOOSE_PROVIDER: openai # mine\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n",
        "  roundtable:\n    name: \"roundtable\"\n",
    ),
];

#[test]
fn every_client_gets_one_entry_and_loses_it_again() {
    for (client, file, before, part) in ROWS {
        let home = Home::new();
        let path = home.file(file, before);
        let read = || std::fs::read_to_string(&path).unwrap();

        let dry = home.run(&["setup", client, "--dry-run"]);
        assert_eq!((dry.code, read().as_str()), (0, before), "{client}: {dry:#?}");
        assert!(dry.stdout.contains("+ "), "{client}: {dry:#?}");

        let unasked = home.run(&["setup", client]);
        assert_eq!((unasked.code, read().as_str()), (2, before), "{client}: {unasked:#?}");

        let did = home.run(&["setup", client, "--yes"]);
        assert_eq!(did.code, 0, "{client}: {did:#?}");
        let after = read();
        assert!(after.contains(part), "{client}: {after}");
        let program = assert_cmd::cargo::cargo_bin("roundtable");
        assert!(after.contains(program.to_str().unwrap()), "{client}: {after}");
        // Every line that was there still is, and in the same order.
        let mut lines = after.lines();
        for line in before.lines().map(|line| line.trim_matches([' ', '\t', ',', '{', '}'])) {
            assert!(
                lines.any(|now| now.contains(line)) || line.contains("{}"),
                "{client}: {line:?}\n{after}"
            );
        }
        let again = home.run(&["setup", client, "--yes"]);
        assert_eq!((again.code, read()), (0, after), "{client}: {again:#?}");
        assert!(again.stderr.contains("already"), "{client}: {again:#?}");

        let kept = format!("{}.before-roundtable", path.display());
        assert_eq!(std::fs::read_to_string(kept).unwrap(), before, "{client}");

        let gone = home.run(&["setup", client, "--remove", "--yes"]);
        assert_eq!(gone.code, 0, "{client}: {gone:#?}");
        assert!(!read().contains("roundtable"), "{client}: {}", read());
    }
}

#[test]
fn a_client_without_a_file_gets_one() {
    for (client, file, _, part) in ROWS {
        let home = Home::new();
        let did = home.run(&["setup", client, "--yes"]);
        assert_eq!(did.code, 0, "{client}: {did:#?}");
        let text = std::fs::read_to_string(home.path().join(file)).unwrap();
        assert!(text.contains(part), "{client}: {text}");
        if file.ends_with(".json") {
            let _: Value = serde_json::from_str(&text).unwrap();
        }
    }
}

#[test]
fn a_project_has_a_file_of_its_own() {
    let home = Home::new();
    assert_eq!(home.run(&["setup", "cursor", "--project", "--yes"]).code, 0);
    let text = std::fs::read_to_string(home.path().join(".cursor/mcp.json")).unwrap();
    assert!(text.contains("roundtable"), "{text}");
    assert!(home.refused(&["setup", "goose", "--project"]).contains("per project"));
}

#[test]
fn what_cannot_be_changed_safely_is_left_alone() {
    let rows = [
        ("cursor", ".cursor/mcp.json", "{ \"mcpServers\": "),
        ("cursor", ".cursor/mcp.json", "[1, 2]"),
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": 3}"),
        ("codex", ".codex/config.toml", "mcp_servers = 3\n"),
        ("codex", ".codex/config.toml", "model = \n"),
        ("goose", "config/goose/config.yaml", "extensions: {developer: {enabled: true}}\n"),
        ("goose", "config/goose/config.yaml", "a: [1\n"),
    ];
    for (client, file, text) in rows {
        let home = Home::new();
        let path = home.file(file, text);
        let message = home.refused(&["setup", client, "--yes"]);
        assert!(message.contains("Nothing was written"), "{client}: {message}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    }
    let home = Home::new();
    assert!(home.refused(&["setup", "clade-code"]).contains("did you mean claude-code"));
    let listed = home.run(&["setup"]);
    assert_eq!(listed.code, 0);
    assert!(ROWS.iter().all(|(client, ..)| listed.stdout.contains(client)), "{listed:#?}");
}

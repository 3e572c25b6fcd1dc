//! Files that are none, or that somebody else put into the folder: devices, pipes,
//! sockets and files without an end are refused at once, and a constitution in the
//! working folder can only add to the user's own.
#![cfg(unix)]

use std::os::unix::net::UnixListener;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Did, Home};

const FILE: &str = "roundtable.constitution.yaml";

fn pipe(home: &Home, name: &str) {
    let path = home.path().join(name);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A file that claims to be longer than any memory.
fn endless(home: &Home, name: &str) {
    let file = std::fs::File::create(home.path().join(name)).unwrap();
    file.set_len(1 << 42).unwrap();
}

#[test]
fn context_and_imports_are_regular_files_of_bounded_size() {
    let home = Home::new();
    pipe(&home, "pipe");
    endless(&home, "endless");
    let _socket = UnixListener::bind(home.path().join("socket")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.path().join("link")).unwrap();
    for (file, why) in [
        ("/dev/zero", "device"),
        ("/dev/null", "device"),
        ("link", "device"),
        ("pipe", "pipe"),
        ("socket", "socket"),
        ("endless", "bytes"),
    ] {
        let context = ["debate", "--agents", "example", "--context", file];
        for args in [&context[..], &["sessions", "import", file]] {
            let message = home.refused(args);
            assert!(message.contains(why) && message.contains(file), "{args:?}: {message}");
        }
    }
}

fn rules(text: &str) -> String {
    format!("constitution:\n  debate_policy:\n    {text}\n")
}

/// Holds a debate and returns its brief.
fn brief(home: &Home, args: &[&str]) -> Result<Value, Did> {
    let did = home.run(&[&["debate", "--agents", "example", "--json"], args].concat());
    if did.code != 0 {
        return Err(did);
    }
    let line = did.stdout.lines().next().unwrap();
    Ok(serde_json::from_str::<Value>(line).unwrap()["brief"].clone())
}

#[test]
fn a_constitution_in_the_folder_only_tightens_the_users_own() {
    let home = Home::new();
    let own = |text: &str| home.file(&format!("config/roundtable/{FILE}"), &rules(text));
    let folder = |text: &str| home.file(FILE, &rules(text));
    own("require_evidence: true");
    folder("require_evidence: false");
    assert_eq!(brief(&home, &[]).unwrap()["algorithm"], "evidence_based_debate");
    own("track_convergence: true");
    folder("track_convergence: false");
    assert!(brief(&home, &[]).unwrap()["embedder"].is_string());
    // The folder may not undo what is not done, either.
    own("track_convergence: false");
    folder("track_convergence: true");
    assert!(brief(&home, &[]).unwrap()["embedder"].is_null());
    // Where the user's own file is silent, the folder may require and not relax.
    own("enable_learning: true");
    folder("require_evidence: true");
    assert_eq!(brief(&home, &[]).unwrap()["algorithm"], "evidence_based_debate");
    folder("track_convergence: false");
    assert!(brief(&home, &[]).unwrap()["embedder"].is_string());
}

#[test]
fn a_constitution_that_cannot_be_followed_stops_debates_and_nothing_else() {
    for what in ["unknown", "pipe", "device", "endless", "broken"] {
        let home = Home::new();
        match what {
            "unknown" => drop(home.file(FILE, &rules("forbid_everything: true"))),
            "broken" => drop(home.file(FILE, "constitution: [")),
            "pipe" => pipe(&home, FILE),
            "endless" => endless(&home, FILE),
            _ => std::os::unix::fs::symlink("/dev/zero", home.path().join(FILE)).unwrap(),
        }
        assert_eq!(home.run(&["sessions", "list"]).code, 0, "{what}");
        let did = brief(&home, &[]).unwrap_err();
        assert_eq!(did.code, 2, "{what}: {did:#?}");
        assert!(did.stderr.contains(FILE), "{what}: {did:#?}");
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "wire", "version": "1" },
            },
        });
        let output = home.command().arg("mcp").write_stdin(format!("{hello}\n")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("\"serverInfo\""), "{what}: {output:?}");
    }
}

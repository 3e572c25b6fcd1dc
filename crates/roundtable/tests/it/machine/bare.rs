//! A bare machine: no store of authorities, no home directory. The scripted example
//! works all the same, and what needs them says so in one message.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output};

use crate::support::Home;
use fake_provider::tls::TlsServer;
use serde_json::Value;

const TOPIC: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";
/// Where no certificate is.
const NO_STORE: [(&str, &str); 2] =
    [("SSL_CERT_FILE", "/nonexistent/ca.pem"), ("SSL_CERT_DIR", "/nonexistent")];

#[tokio::test(flavor = "multi_thread")]
async fn without_authorities_the_example_works_and_a_server_is_not_trusted() {
    let home = Home::new();
    let did = home.run_with(&["debate", TOPIC], &NO_STORE);
    assert_eq!(did.code, 0, "{did:#?}");
    let server = TlsServer::start().await.unwrap();
    let url = format!("https://127.0.0.1:{}/v1", server.port());
    let variables = [&NO_STORE[..], &[("CUSTOM_BASE_URL", &url)]].concat();
    let args = ["debate", "--clerk=none", "--agents", "custom/a,custom/b", "--rounds=1", "So?"];
    let did = home.run_with(&args, &variables);
    let said = format!("{}{}", did.stdout, did.stderr);
    assert!(said.contains("no certificates of authorities"), "{said}");
    assert!(said.contains("SSL_CERT_FILE"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_certificate_is_called_a_bad_certificate() {
    let home = Home::new();
    let other = home.file("ca.pem", fake_provider::tls::OTHER_AUTHORITY);
    let server = TlsServer::start().await.unwrap();
    let url = format!("https://127.0.0.1:{}/v1", server.port());
    let store = other.display().to_string();
    let variables = [("SSL_CERT_FILE", store.as_str()), ("CUSTOM_BASE_URL", &url)];
    let args = ["debate", "--clerk=none", "--agents", "custom/a,custom/b", "--rounds=1", "So?"];
    let did = home.run_with(&args, &variables);
    let said = format!("{}{}", did.stdout, did.stderr);
    assert!(said.contains("certificate comes from an unknown authority"), "{said}");
    assert!(!said.contains("tries)"), "it was tried again in vain: {said}");
    let did = home.run_with(&["agents"], &variables);
    assert!(did.stdout.contains("certificate"), "{}", did.stdout);
    // Where its authority is known it is accepted, for its own name alone.
    let known = home.file("known.pem", fake_provider::tls::AUTHORITY).display().to_string();
    let asked = |host: &str| {
        let url = format!("https://{host}:{}/v1", server.port());
        let variables = [("SSL_CERT_FILE", known.as_str()), ("CUSTOM_BASE_URL", &url)];
        let did = home.run_with(&["agents", "--json"], &variables);
        let lines: Vec<Value> = serde_json::from_str(&did.stdout).unwrap();
        let custom = lines.iter().find(|line| line["provider"] == "custom").unwrap();
        custom["note"].as_str().unwrap().to_owned()
    };
    assert!(asked("127.0.0.1").contains("answers"), "{}", asked("127.0.0.1"));
    assert!(asked("localhost").contains("another name"), "{}", asked("localhost"));
}

/// Runs the binary as a user that the machine does not know, in a folder of its own.
fn as_stranger(home: &Home, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let binary = home.path().join("roundtable-of-nobody");
    if !binary.exists() {
        std::fs::copy(assert_cmd::cargo::cargo_bin("roundtable"), &binary).unwrap();
        std::fs::set_permissions(&binary, PermissionsExt::from_mode(0o755)).unwrap();
    }
    std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let quiet = home.variables().into_iter().filter(|(name, _)| name.ends_with("_BASE_URL"));
    let mut command = Command::new(&binary);
    command.env_clear().envs(quiet).env("TMPDIR", home.path()).envs(variables.iter().copied());
    command.args(args).current_dir(home.path()).uid(54_321).gid(54_321).output().unwrap()
}

#[test]
fn without_a_home_the_example_works_and_what_is_kept_is_refused() {
    if !is_root() {
        proof::cannot_be_shown("only root can run a program as a user without a home");
        return;
    }
    let home = Home::new();
    let did = as_stranger(&home, &["debate", TOPIC], &[]);
    let said = String::from_utf8_lossy(&did.stderr);
    assert!(did.status.success(), "{did:?}");
    assert!(said.contains("No home directory"), "{said}");
    let left: Vec<_> = std::fs::read_dir(home.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "something was left behind: {left:?}");
    for args in [
        &["sessions", "list"][..],
        &["config", "set", "rounds", "2"],
        &["debate", "--agents", "ollama/a,ollama/b", "Is it so?"],
        &["mcp"],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        let did = as_stranger(&home, args, &[]);
        let said = String::from_utf8_lossy(&did.stderr);
        assert_eq!(did.status.code(), Some(2), "{args:?}: {did:?}");
        assert!(said.contains("ROUNDTABLE_DATA_DIR") && said.lines().count() == 1, "{said}");
    }
    let data = home.path().join("data").display().to_string();
    let config = home.file("config.toml", "rounds = 2\n").display().to_string();
    let named = [("ROUNDTABLE_DATA_DIR", data.as_str()), ("ROUNDTABLE_CONFIG", &config)];
    assert!(as_stranger(&home, &["sessions", "list"], &named).status.success());
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout.trim_ascii() == b"0"
}

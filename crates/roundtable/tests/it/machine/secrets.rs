//! Keys that stand where they do not belong are shown nowhere: in a line of the config
//! file, in an address, on the command line, in the image of a crashed process.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use crate::support::Home;

/// A key that looks like one, and one that looks like nothing known.
const KEYS: [&str; 2] = ["sk-canary-0123456789abcdef", "canary0password1without2form"];
const PASSWORD: &str = "canary0password";

/// Commands that read the configuration, and so may complain about it.
const READERS: [&[&str]; 7] = [
    &["debate", "--agents", "custom/a,custom/b", "Is it so?"],
    &["agents"],
    &["doctor"],
    &["doctor", "--json"],
    &["config", "show", "--sources"],
    &["config", "set", "rounds", "2"],
    &["sessions", "list"],
];

fn shows_nothing(home: &Home, variables: &[(&str, &str)], secret: &str, what: &str) {
    let log = [("ROUNDTABLE_LOG", "trace")];
    for args in READERS {
        for more in [&[][..], &log] {
            let did = home.run_with(args, &[variables, more].concat());
            let said = format!("{}{}", did.stdout, did.stderr);
            assert!(!said.contains(secret), "{what}: {args:?} shows it:\n{said}");
            assert!(!said.contains("panicked"), "{what}: {args:?}:\n{said}");
        }
    }
}

#[test]
fn a_line_of_the_config_file_that_holds_a_key_is_named_and_not_shown() {
    for key in KEYS {
        for line in [
            format!("anthropic_api_key = \"{key}\""),
            format!("rounds = \"{key}\""),
            format!("rounds = {key}"),
            key.to_owned(),
            format!("agents = \"{key}\""),
            format!("[providers.custom]\nkey = \"{key}\""),
            format!("[providers.custom]\nkey_variable = \"{key}-x\""),
            format!("[providers.custom]\nbase_url = [\"{key}\"]"),
            format!("[embedder]\nmodel = \"m\"\nbase_url = \"{key}\""),
            format!("[flags.exitCriteria]\nenabled = \"{key}\""),
            format!("broken = \"{key}\nmode = 1"),
        ] {
            let home = Home::new();
            home.file("config/roundtable/config.toml", &format!("mode = \"delphi\"\n{line}\n"));
            shows_nothing(&home, &[], key, &line);
        }
    }
    // The message still says where to look.
    let home = Home::new();
    home.file("config/roundtable/config.toml", "mode = \"delphi\"\nrounds = \"canary\"\n");
    let said = home.run(&["modes"]).stderr;
    assert!(said.contains("line 2 (rounds)") && said.contains("config.toml"), "{said}");
}

#[test]
fn a_key_in_the_place_of_its_variable_is_pointed_out() {
    let home = Home::new();
    let text = format!("[providers.custom]\nkey_variable = \"{}\"\n", KEYS[0]);
    home.file("config/roundtable/config.toml", &text);
    let did = home.run(&["debate", "--agents", "custom/a,custom/b", "Is it so?"]);
    assert_eq!(did.code, 2, "{did:#?}");
    assert!(did.stderr.contains("providers.custom.key_variable"), "{}", did.stderr);
    assert!(did.stderr.contains("name of the variable"), "{}", did.stderr);
}

#[test]
fn passwords_in_addresses_are_not_shown() {
    let with = |scheme: &str, host: &str| format!("{scheme}://me:{PASSWORD}@{host}");
    for (variable, value) in [
        ("CUSTOM_BASE_URL", with("http", "127.0.0.1:9/v1")),
        ("CUSTOM_BASE_URL", with("nonsense", "127.0.0.1:9")),
        ("CUSTOM_BASE_URL", format!("http://me:{PASSWORD}/x@127.0.0.1:9/v1")),
        ("CUSTOM_BASE_URL", format!("http://127.0.0.1:9/v1?key={PASSWORD}")),
        ("HTTPS_PROXY", with("http", "127.0.0.1:9")),
        ("HTTPS_PROXY", with("nonsense", "127.0.0.1:9")),
        ("HTTPS_PROXY", format!("http://me:{PASSWORD}@:bad:port")),
        ("SEARXNG_URL", with("http", "127.0.0.1:9")),
        ("SEARXNG_URL", with("nonsense", "127.0.0.1:9")),
        ("SEARXNG_URL", format!("http://me:{PASSWORD}/x@127.0.0.1:9")),
        ("OLLAMA_HOST", format!("me:{PASSWORD}@box:bad")),
    ] {
        let home = Home::new();
        let custom = ("CUSTOM_BASE_URL", "http://127.0.0.1:9/v1");
        let mut variables = vec![custom, ("CUSTOM_API_KEY", "k"), (variable, value.as_str())];
        variables.dedup_by_key(|(name, _)| *name);
        if variable == "OLLAMA_HOST" {
            variables.push(("OLLAMA_BASE_URL", ""));
        }
        shows_nothing(&home, &variables, PASSWORD, &format!("{variable}={value}"));
    }
}

#[test]
fn a_key_typed_as_something_else_is_not_repeated() {
    let home = Home::new();
    let key = KEYS[0];
    for args in [
        &["debate", "--agents", key, "Is it so?"][..],
        &["debate", "--mode", key, "Is it so?"],
        &["debate", "--clerk", key, "Is it so?"],
        &["config", "set", key, "1"],
        &["config", "set", "rounds", key],
        &["config", "set-algorithm", key],
        &["setup", key],
        &["modes", key],
    ] {
        let did = home.run(args);
        assert_eq!(did.code, 2, "{args:?}: {did:#?}");
        assert!(!did.stderr.contains(key), "{args:?}: {}", did.stderr);
    }
}

/// Starts a program where crashes leave an image of the memory, and crashes it.
fn crashed(program: &str, args: &str, home: &Home) -> std::process::ExitStatus {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("ulimit -c unlimited && exec {program} {args}")]);
    shell.env_clear().envs(home.variables()).env("ANTHROPIC_API_KEY", KEYS[0]);
    shell.current_dir(home.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = shell.stderr(Stdio::null()).spawn().unwrap();
    // It runs: the shell has become the program, which waits for its input.
    proof::wait_until("the program to run", || {
        let name = std::fs::read_to_string(format!("/proc/{}/stat", child.id()));
        let name = name.unwrap_or_default();
        !name.contains("(sh)") && name.contains(") S")
    });
    Command::new("kill").args(["-ABRT", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap()
}

#[test]
fn a_crash_leaves_no_image_of_the_memory() {
    let home = Home::new();
    let ordinary = crashed("cat", "", &home);
    if !ordinary.core_dumped() {
        proof::cannot_be_shown("no program of this machine leaves an image when it crashes");
        return;
    }
    let binary = assert_cmd::cargo::cargo_bin("roundtable").display().to_string();
    let ended = crashed(&binary, "mcp", &home);
    assert_eq!(ended.signal(), Some(6), "{ended:?}");
    assert!(!ended.core_dumped(), "the crash left an image of the memory");
}

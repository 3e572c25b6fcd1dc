//! Keys through the binary: kept where only their owner reads them, taken from
//! the environment first, and never shown, whatever goes wrong.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::support::{Did, Home};
use fake_provider::{FakeOptions, FakeProvider, KeySeen};
use serde_json::Value;

const KEY: &str = "sk-canary-kept-1234567890";
const OTHER: &str = "sk-canary-other-0987654321";

fn file(home: &Home) -> PathBuf {
    home.path().join("config/roundtable/keys.toml")
}

fn mode(home: &Home) -> u32 {
    fs::metadata(file(home)).unwrap().permissions().mode() & 0o777
}

fn set(home: &Home, args: &[&str], key: &str) -> Did {
    let output = home
        .command()
        .args(["config", "set-key"])
        .args(args)
        .write_stdin(key.to_owned())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Did {
        code: output.status.code().unwrap(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

fn never_shown(did: &Did) {
    for key in [KEY, OTHER] {
        assert!(!did.stdout.contains(key) && !did.stderr.contains(key), "{did:#?}");
    }
}

async fn fake() -> FakeProvider {
    FakeProvider::start(FakeOptions { key: Some(KEY.into()), ..FakeOptions::default() })
        .await
        .unwrap()
}

fn line(home: &Home, provider: &str, variables: &[(&str, &str)]) -> Value {
    let did = home.run_with(&["agents", "--json"], variables);
    assert_eq!(did.code, 0, "{did:#?}");
    never_shown(&did);
    let lines: Value = serde_json::from_str(&did.stdout).unwrap();
    let lines = lines.as_array().unwrap();
    lines.iter().find(|line| line["provider"] == provider).unwrap().clone()
}

#[test]
fn a_key_is_kept_for_its_owner_alone_under_any_umask() {
    let home = Home::new();
    // The shell sets the mask; the key goes in on standard input.
    let script = r#"umask 000; printf '%s\n' "$1" | "$0" config set-key anthropic"#;
    let mut shell = std::process::Command::new("/bin/sh");
    let binary = assert_cmd::cargo::cargo_bin("roundtable");
    shell.env_clear().envs(home.variables()).current_dir(home.path());
    let output = shell.args(["-c", script]).arg(binary).arg(KEY).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains(KEY));
    assert_eq!(mode(&home), 0o600);
    let did = set(&home, &["OpenAI"], OTHER);
    assert_eq!(did.code, 0, "{did:#?}");
    never_shown(&did);
    assert_eq!(mode(&home), 0o600);
    let text = fs::read_to_string(file(&home)).unwrap();
    assert!(text.contains(KEY) && text.contains(OTHER), "one key leaves the other alone");
    assert_eq!(fs::read_dir(file(&home).parent().unwrap()).unwrap().count(), 1, "nothing is left");

    let did = home.run(&["config", "remove-key", "anthropic"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let text = fs::read_to_string(file(&home)).unwrap();
    assert!(!text.contains(KEY) && text.contains(OTHER), "{text}");
    assert_eq!(mode(&home), 0o600);
    let again = home.refused(&["config", "remove-key", "anthropic"]);
    assert!(again.contains("no key of anthropic"), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_keys_are_used_and_the_environment_wins() {
    let fake = fake().await;
    let home = Home::new();
    assert_eq!(set(&home, &["custom"], KEY).code, 0);
    let url = fake.base_url();
    let place = [("CUSTOM_BASE_URL", url.as_str())];
    let args = ["debate", "--clerk=none", "--agents", "A=custom/m1,B=custom/m2", "--rounds", "1"];
    let args = [&args[..], &["Should it be done in stages?"]].concat();
    let did = home.run_with(&args, &place);
    assert_eq!(did.code, 0, "{did:#?}");
    never_shown(&did);
    assert_eq!(fake.asked("m1")[0].key, KeySeen::Right);

    let seen = line(&home, "custom", &place);
    assert_eq!(seen["ready"], true, "{seen}");
    assert!(seen["note"].as_str().unwrap().contains("key from the keys file"), "{seen}");
    // A wrong key in the environment wins over the right one in the file.
    let both = [place[0], ("CUSTOM_API_KEY", OTHER)];
    let seen = line(&home, "custom", &both);
    let note = seen["note"].as_str().unwrap();
    assert!(note.contains("refuses the key") && note.contains("CUSTOM_API_KEY"), "{seen}");
    assert_eq!(seen["ready"], false);
    let nowhere = [("CUSTOM_BASE_URL", "http://127.0.0.1:9/v1")];
    let seen = line(&home, "custom", &nowhere);
    assert!(seen["note"].as_str().unwrap().contains("does not answer"), "{seen}");
}

#[test]
fn a_file_that_others_can_read_is_refused_with_the_cure() {
    let home = Home::new();
    assert_eq!(set(&home, &["openai"], KEY).code, 0);
    for open in [0o640, 0o604, 0o666] {
        fs::set_permissions(file(&home), fs::Permissions::from_mode(open)).unwrap();
        for args in [&["agents"][..], &["debate", "--agents", "openai/m,openai/n", "Why?"]] {
            let told = home.refused(args);
            assert!(told.contains("chmod 600") && told.contains("keys.toml"), "{told}");
            assert!(!told.contains(KEY));
        }
        let did = set(&home, &["groq"], OTHER);
        assert_eq!(did.code, 2, "{did:#?}");
        never_shown(&did);
    }
    fs::set_permissions(file(&home), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(home.run(&["models"]).code, 0);
}

#[test]
fn what_is_no_key_is_refused_and_nothing_is_written() {
    let home = Home::new();
    let cases = [
        ("", "empty"),
        ("  \n", "empty"),
        ("two words", "spaces"),
        ("schlüssel", "letters"),
        ("one\ntwo\n", "more than one line"),
    ];
    for (given, word) in cases {
        let did = set(&home, &["anthropic"], given);
        assert_eq!(did.code, 2, "{given:?}: {did:#?}");
        assert!(did.stderr.contains(word), "{given:?}: {}", did.stderr);
        assert!(!file(&home).exists());
    }
    let did = set(&home, &["anthropic"], &"x".repeat(5000));
    assert!(did.code == 2 && did.stderr.contains("too long"), "{did:#?}");
    let did = set(&home, &["antropic"], KEY);
    assert!(did.code == 2 && did.stderr.contains("anthropic"), "{did:#?}");
    // A key given in the place of a name is not repeated.
    let did = set(&home, &[KEY], "x");
    assert_eq!(did.code, 2);
    never_shown(&did);
    assert!(!file(&home).exists());
    #[cfg(not(feature = "keyring"))]
    {
        let did = set(&home, &["anthropic", "--keyring"], KEY);
        assert!(did.code == 2 && did.stderr.contains("feature `keyring`"), "{did:#?}");
        never_shown(&did);
    }
}

#[test]
fn a_broken_file_is_named_by_line_and_never_quoted() {
    let home = Home::new();
    let cases = [
        (format!("openai = \"{KEY}\"\nanthropic = {KEY}\n"), "line 2"),
        (format!("# keys\n\nopenai = [\"{KEY}\"]\n"), "keys.toml"),
        (format!("nobody = \"{KEY}\"\n"), "nobody"),
    ];
    for (text, word) in cases {
        let path = home.file("config/roundtable/keys.toml", &text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let told = home.refused(&["agents"]);
        assert!(told.contains(word), "{told}");
        assert!(!told.contains(KEY), "{told}");
    }
}

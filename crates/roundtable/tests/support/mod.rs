//! The binary in a home of its own: no user's config, no network, no keys.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

pub struct Home {
    folder: TempDir,
    /// The address of a database server, where debates are not kept in the folder.
    pub server: Option<String>,
}

/// What a command did.
#[derive(Debug)]
pub struct Did {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Home {
    pub fn new() -> Home {
        Home { folder: TempDir::new().unwrap(), server: None }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> PathBuf {
        self.path().join("data/roundtable.db")
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The environment every command of this home runs in.
    pub fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let server = self.server.iter().map(|url| ("ROUNDTABLE_DATABASE_URL", url.into()));
        let own = [
            ("HOME", self.path().into()),
            ("XDG_CONFIG_HOME", self.path().join("config")),
            ("ROUNDTABLE_DATA_DIR", self.path().join("data")),
            // Nothing listens here, so no server of this machine takes a seat.
            ("OLLAMA_BASE_URL", "http://127.0.0.1:9".into()),
            ("LLAMACPP_BASE_URL", "http://127.0.0.1:9".into()),
            ("LMSTUDIO_BASE_URL", "http://127.0.0.1:9".into()),
            ("VLLM_BASE_URL", "http://127.0.0.1:9".into()),
        ];
        own.into_iter().chain(server).collect()
    }

    /// The names of all export formats, as the help page lists them.
    pub fn formats(&self) -> Vec<String> {
        let help = self.run(&["export", "--help"]).stdout;
        let rows = help.split("\nFormats:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        rows.lines().map(|row| row.split_whitespace().next().unwrap().to_owned()).collect()
    }

    pub fn command(&self) -> Command {
        let mut command = Command::cargo_bin("roundtable").unwrap();
        command.env_clear().envs(self.variables()).current_dir(self.path());
        command
    }

    pub fn run(&self, args: &[&str]) -> Did {
        self.run_with(args, &[])
    }

    pub fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Did {
        let output = self.command().args(args).envs(variables.iter().copied()).output().unwrap();
        Did {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs something that must be refused as bad input, and returns the message.
    pub fn refused(&self, args: &[&str]) -> String {
        let did = self.run(args);
        assert_eq!(did.code, 2, "{args:?}: {did:#?}");
        assert_eq!(did.stdout, "", "{args:?} printed to standard output");
        assert!(!self.database().exists(), "{args:?} wrote a database");
        did.stderr
    }
}

/// Events of a `--json` run.
pub fn events(did: &Did) -> Vec<serde_json::Value> {
    did.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

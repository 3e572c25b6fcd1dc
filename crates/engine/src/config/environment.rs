//! The only reader of the process's environment. It is read once, at the start,
//! and handed on as data.
#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Whether long listings may go through a pager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PagingWish {
    #[default]
    Auto,
    Off,
}

/// Who turns the pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PagerProgram {
    Less,
    /// A command line of the user's own.
    Own(String),
}

#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    pub paging: PagingWish,
    pub stdin_is_terminal: bool,
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    /// This program's own file.
    pub program: Option<PathBuf>,
    /// Whether another program reads what is printed, perhaps onto the same terminal.
    pub stdout_is_pipe: bool,
}

impl Environment {
    pub fn read() -> Environment {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Environment {
            variables,
            paging: PagingWish::Auto,
            stdin_is_terminal: std::io::stdin().is_terminal(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            program: std::env::current_exe().ok(),
            stdout_is_pipe: stdout_is_pipe(),
        }
    }

    /// The value of a variable; an empty one counts as not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }

    /// What long listings go through: `PAGER`, else `less`. `None` where nobody
    /// could turn its pages, or where none is wanted.
    pub fn pager(&self) -> Option<PagerProgram> {
        let wanted = self.variables.get("PAGER").map(|pager| pager.trim());
        if self.paging == PagingWish::Off || !self.stdout_is_terminal || self.is_dumb() {
            return None;
        }
        match wanted {
            None => Some(PagerProgram::Less),
            Some("" | "cat") => None,
            Some(own) => Some(PagerProgram::Own(own.to_owned())),
        }
    }

    /// Whether the terminal can do no more than print lines.
    pub fn is_dumb(&self) -> bool {
        let term = self.get("TERM");
        term == Some("dumb") || (cfg!(unix) && term.is_none())
    }

    #[cfg(test)]
    pub fn of(variables: &[(&str, &str)]) -> Environment {
        Environment {
            variables: variables.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect(),
            ..Environment::default()
        }
    }
}

#[cfg(unix)]
fn stdout_is_pipe() -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;
    let stdout = std::io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    stdout.and_then(|stdout| stdout.metadata()).is_ok_and(|seen| seen.file_type().is_fifo())
}

#[cfg(not(unix))]
fn stdout_is_pipe() -> bool {
    !std::io::stdout().is_terminal()
}

/// Values stay out of every log: some of them are keys.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("variables", &self.variables.len()).finish()
    }
}

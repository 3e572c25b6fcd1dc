//! The only reader of the process environment. It is read once, at the start, and
//! passed on as data.
#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

/// The user's choice about sending long listings through a pager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PagingWish {
    #[default]
    Auto,
    Off,
}

/// The program that shows long listings page by page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PagerProgram {
    Less,
    /// A command line that the user configured.
    Own(String),
}

#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    pub paging: PagingWish,
    pub stdin_is_terminal: bool,
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    /// The command line, with the program's name first.
    pub arguments: Vec<OsString>,
    /// The path of this program.
    pub program: Option<PathBuf>,
    /// True if another program reads the output, perhaps onto the same terminal.
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
            arguments: std::env::args_os().collect(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            program: std::env::current_exe().ok(),
            stdout_is_pipe: stdout_is_pipe(),
        }
    }

    /// Returns the folder for files that need not stay.
    pub fn temporary_folder() -> PathBuf {
        std::env::temp_dir()
    }

    /// Returns the value of a variable; an empty one counts as not set, and so does a
    /// placeholder (`${user_config.…}`) that a client passed on unfilled.
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name)?;
        let text = value.trim();
        let is_unfilled = text.starts_with("${") && text.ends_with('}');
        (!text.is_empty() && !is_unfilled).then_some(value)
    }

    /// Returns the pager: `PAGER`, else `less`. `None` if no person is there to
    /// turn its pages, or if none is wanted.
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

    /// Returns whether the terminal can only print lines.
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

/// Values stay out of every log, because some of them are keys.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("variables", &self.variables.len()).finish()
    }
}

//! The only reader of the process's environment. It is read once, at the start,
//! and handed on as data.
#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;

#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    pub stderr_is_terminal: bool,
    /// Where this program is, to be started once more for measuring.
    pub program: Option<PathBuf>,
}

impl Environment {
    pub fn read() -> Environment {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Environment {
            variables,
            stderr_is_terminal: std::io::stderr().is_terminal(),
            program: std::env::current_exe().ok(),
        }
    }

    /// The value of a variable; an empty one counts as not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }

    #[cfg(test)]
    pub fn of(variables: &[(&str, &str)]) -> Environment {
        Environment {
            variables: variables.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect(),
            ..Environment::default()
        }
    }
}

/// Values stay out of every log: some of them are keys.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("variables", &self.variables.len()).finish()
    }
}

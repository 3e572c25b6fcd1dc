//! Agents that are programs: the prompt goes in on standard input, the answer
//! comes out on standard output. No shell ever reads a word of it, the program
//! gets no variable that was not listed for it, and nothing it started outlives
//! the ask.

mod complaints;
mod process;
mod prompt;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use debate::model::{Ask, Bill, Failure, FailureClass, Finish, Reply};
use futures::future::BoxFuture;
use tokio::time::{Instant, sleep};

pub use crate::catalogue::programs::{ALWAYS_PASSED, ProgramRow, ROWS, find, found, on_path};
pub use process::OUTPUT_CAP;
pub use prompt::on_standard_input;

use crate::{CancellationToken, Speaker, SpeechDelta, Watch, cancelled};
use process::{FinishedProcess, ProcessEnd};

/// A program with its arguments, each passed on exactly as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCommand {
    /// The name in messages.
    pub name: String,
    /// The program first.
    pub argv: Vec<String>,
    /// The model's name as replies report it.
    pub model: String,
    /// Variables it is given besides [`ALWAYS_PASSED`], by name.
    pub variables: Vec<String>,
    /// The folder it runs in; `None`: the folder of this program.
    pub directory: Option<PathBuf>,
    /// The advice for a missing program.
    pub advice: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("the command \"{name}\" is empty. Give a program and its arguments as a list")]
    Empty { name: String },
    #[error("{name} needs a model. Write {name}/<model>")]
    NeedsModel { name: String },
    #[error("\"{model}\" cannot be a model of {name}: it would be read as an option")]
    LooksLikeAnOption { name: String, model: String },
    #[error("there is no program \"{program}\" on the PATH, which {name} needs. {advice}")]
    NotFound { name: String, program: String, advice: String },
}

impl AgentCommand {
    /// A row of the table, for a model or for the program's own default.
    pub fn ready(row: &ProgramRow, model: Option<&str>) -> Result<AgentCommand, CommandError> {
        let name = row.name.to_owned();
        if let Some(model) = model.filter(|model| model.starts_with('-')) {
            return Err(CommandError::LooksLikeAnOption { name, model: model.into() });
        }
        if model.is_none() && row.needs_model() {
            return Err(CommandError::NeedsModel { name });
        }
        Ok(AgentCommand {
            argv: row.argv(model),
            model: model.unwrap_or(row.name).to_owned(),
            variables: row.variables.iter().map(ToString::to_string).collect(),
            directory: None,
            advice: row.install.to_owned(),
            name,
        })
    }

    /// A command of the user's own.
    pub fn of_user(
        name: &str,
        argv: Vec<String>,
        variables: Vec<String>,
    ) -> Result<AgentCommand, CommandError> {
        match argv.first() {
            Some(program) if !program.trim().is_empty() => Ok(AgentCommand {
                name: name.into(),
                model: name.into(),
                advice: "Install it or correct the command".into(),
                argv,
                variables,
                directory: None,
            }),
            _ => Err(CommandError::Empty { name: name.into() }),
        }
    }

    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    /// Finds the program, before the debate begins.
    pub fn check(&self, path: &str) -> Result<PathBuf, CommandError> {
        on_path(self.program(), path).ok_or_else(|| CommandError::NotFound {
            name: self.name.clone(),
            program: self.program().to_owned(),
            advice: format!("{}.", self.advice),
        })
    }
}

/// A seat held by a program. Every ask is one run of it.
#[derive(Clone)]
pub struct CommandAgent {
    command: AgentCommand,
    /// All that the program finds in its environment.
    environment: Vec<(String, String)>,
}

/// Values of variables may be keys; only their names are shown.
impl fmt::Debug for CommandAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.environment.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("CommandAgent")
            .field("command", &self.command)
            .field("environment", &names)
            .finish()
    }
}

impl CommandAgent {
    /// `look` finds a variable's value; it is asked for the listed names only.
    pub fn new(command: AgentCommand, look: &dyn Fn(&str) -> Option<String>) -> CommandAgent {
        let listed = command.variables.iter().map(String::as_str);
        let mut environment: Vec<(String, String)> = ALWAYS_PASSED
            .iter()
            .copied()
            .chain(listed)
            .filter_map(|name| Some((name.to_owned(), look(name)?)))
            .collect();
        // No colours, no bars, no questions.
        for (name, value) in [("TERM", "dumb"), ("NO_COLOR", "1"), ("CI", "1")] {
            environment.push((name.into(), value.into()));
        }
        CommandAgent { command, environment }
    }

    async fn run(&self, ask: &Ask, watch: &dyn Watch) -> Result<Reply, Failure> {
        let started = Instant::now();
        watch.delta(&ask.id, SpeechDelta::Thinking);
        let hear = |text: String| watch.delta(&ask.id, SpeechDelta::Text(text));
        let prompt = on_standard_input(ask);
        let ended = process::run(&self.command, &self.environment, prompt, &hear).await;
        let bill = bill(started);
        let ended = ended.map_err(|error| self.not_started(&error))?;
        match self.answer(&ended) {
            Ok(text) => Ok(Reply {
                text,
                model: self.command.model.clone(),
                bill,
                finish: Finish::Complete,
                tries: 1,
                ..Reply::default()
            }),
            Err((class, what)) => Err(self.failed(class, &what, bill)),
        }
    }

    fn answer(&self, ended: &FinishedProcess) -> Result<String, (FailureClass, String)> {
        let said = || complaints::last_words(&ended.stderr, &ended.stdout);
        match ended.ending {
            ProcessEnd::Flooded => {
                let what = format!("it printed more than {} MiB", OUTPUT_CAP / (1024 * 1024));
                return Err((FailureClass::Unusable, what));
            }
            ProcessEnd::Stopped(how) if !how.success() => {
                let words = said();
                let how = process::exit_words(how);
                let what = if words.is_empty() { how } else { format!("{how}: {words}") };
                return Err((complaints::class_of(&words), what));
            }
            ProcessEnd::Stopped(_) => {}
        }
        let text = complaints::legible(&ended.stdout).ok_or_else(|| {
            (FailureClass::Unusable, "it printed something that is not text".to_owned())
        })?;
        if text.is_empty() {
            let words = said();
            let what = if words.is_empty() {
                "it ended without printing anything".to_owned()
            } else {
                format!("it printed nothing on standard output, only: {words}")
            };
            return Err((complaints::class_of(&words), what));
        }
        Ok(text)
    }

    fn not_started(&self, error: &std::io::Error) -> Failure {
        let program = self.command.program();
        let what = match error.kind() {
            std::io::ErrorKind::NotFound => format!("there is no program \"{program}\""),
            std::io::ErrorKind::PermissionDenied => format!("\"{program}\" may not be run"),
            _ => format!("\"{program}\" could not be started ({error})"),
        };
        Failure {
            class: FailureClass::BadRequest,
            message: format!("{}: {what}. {}.", self.command.name, self.command.advice),
            tries: 1,
            bill: Bill::default(),
        }
    }

    fn failed(&self, class: FailureClass, what: &str, bill: Bill) -> Failure {
        let advice = complaints::advice(class, self.command.program());
        let what = complaints::without_keys(what, &self.environment);
        Failure {
            class,
            message: format!("{}: {what}. {advice}.", self.command.name),
            tries: 1,
            bill,
        }
    }
}

impl Speaker for CommandAgent {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let started = Instant::now();
            let limit = Duration::from_secs(u64::from(ask.timeout_seconds));
            // Letting go of a run kills whatever it started.
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled(1)),
                () = sleep(limit) => {
                    let what = format!("it gave no answer within {} s", ask.timeout_seconds);
                    Err(self.failed(FailureClass::TimedOut, &what, bill(started)))
                }
                outcome = self.run(ask, watch) => outcome,
            }
        })
    }
}

fn bill(started: Instant) -> Bill {
    let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Bill { latency_ms, ..Bill::default() }
}

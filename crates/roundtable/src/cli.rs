//! The command line: translate what was typed, call one operation, show what
//! comes back. The exit code says how it went; see [`Exit`].

mod afterwards;
mod args;
mod control;
mod costs;
mod debate;
mod interview;
mod learning;
mod look;
mod models;
mod outcome;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::Parser;

use crate::config::{Config, Environment};
use crate::operations::Trouble;
use crate::render::out::{self, Closed};
use args::{Cli, Command, SessionsCommand};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done,
    Failed,
    BadInput,
    /// The debate is paused and waits for a person.
    Paused,
    Interrupted,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::BadInput => 2,
            Exit::Paused => 3,
            Exit::Interrupted => 130,
        }
    }
}

/// What a command ends with before it is done.
enum Stop {
    Trouble(Trouble),
    /// Nobody reads any more; there is nothing left to say.
    Closed,
}

impl<T: Into<Trouble>> From<T> for Stop {
    fn from(trouble: T) -> Stop {
        Stop::Trouble(trouble.into())
    }
}

impl From<Closed> for Stop {
    fn from(_: Closed) -> Stop {
        Stop::Closed
    }
}

pub async fn run(environment: Environment) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version go to standard output and are no error.
        Err(answer) => {
            let code = if answer.use_stderr() { Exit::BadInput } else { Exit::Done };
            let _ = answer.print();
            return ExitCode::from(code.code());
        }
    };
    let exit = match dispatch(cli, environment).await {
        Ok(exit) => exit,
        Err(Stop::Closed) => Exit::Done,
        Err(Stop::Trouble(trouble)) => {
            report(&trouble);
            if trouble.is_input() { Exit::BadInput } else { Exit::Failed }
        }
    };
    ExitCode::from(exit.code())
}

async fn dispatch(cli: Cli, environment: Environment) -> Result<Exit, Stop> {
    let config = Config::load(environment)?;
    match cli.command {
        Command::Debate(args) => debate::hold(&config, *args).await,
        Command::Sessions(SessionsCommand::Resume(args)) => debate::resume(&config, args).await,
        Command::Sessions(SessionsCommand::List(args)) => look::sessions(&config, args).await,
        Command::Sessions(SessionsCommand::Show(args)) => look::session(&config, args).await,
        Command::Sessions(SessionsCommand::Record(args)) => learning::record(&config, args).await,
        Command::Sessions(SessionsCommand::Pause(args)) => control::pause(&config, args).await,
        Command::Sessions(SessionsCommand::Stop(args)) => control::stop(&config, args).await,
        Command::Sessions(SessionsCommand::Interject(args)) => {
            control::interject(&config, args).await
        }
        Command::Sessions(SessionsCommand::Focus(args)) => control::focus(&config, args).await,
        Command::Sessions(SessionsCommand::Delete(args)) => control::delete(&config, args).await,
        Command::Costs(args) => costs::costs(&config, args).await,
        Command::Backup { file } => control::backup(&config, &file).await,
        Command::Restore { file } => control::restore(&config, &file).await,
        Command::Analyse(args) => afterwards::analyse(&config, args).await,
        Command::Compare(args) => afterwards::compare(&config, args).await,
        Command::Synthesise(args) => afterwards::synthesise(&config, args).await,
        Command::Outcome(command) => outcome::outcome(&config, command).await,
        Command::Learning(args) => learning::learning(&config, args).await,
        Command::Modes(args) => look::modes(&args),
        Command::Agents(args) => look::agents(&config, &args).await,
        Command::Config(command) => look::config(&config, command).await,
        Command::Models(args) => models::models(&config, &args).await,
    }
}

fn report(trouble: &Trouble) {
    let text = trouble.to_string();
    match text.lines().collect::<Vec<_>>().as_slice() {
        [line] => out::note(&format!("error: {line}")),
        lines => {
            out::note("error:");
            for line in lines {
                out::note(&format!("  {line}"));
            }
        }
    }
}

//! The command line: translate what was typed, call one operation, show what
//! comes back. The exit code says how it went; see [`Exit`].

mod afterwards;
mod args;
mod bench;
mod config_args;
mod context;
mod control;
mod costs;
mod debate;
mod doctor;
mod examples;
mod export;
mod init;
mod interview;
mod keys;
mod learning;
mod look;
mod models;
mod outcome;
mod replay;
mod secrets;
mod serve;
mod sessions;
mod settings;
mod setup;
mod shell;
mod steering;
#[cfg(test)]
mod tests;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::terminal as render;
use crate::terminal::out;
use crate::terminal::out::Closed;
use args::{Cli, Command, SessionsCommand};
use engine::config::{Config, Environment, Paging};
use engine::error::EngineError;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done,
    Failed,
    BadInput,
    /// The debate is paused and waits for a person.
    Paused,
    Interrupted,
    /// As a service manager ends it.
    Terminated,
}

impl Exit {
    /// Every way a command can end, for the manual.
    const ROWS: [(Exit, &'static str); 5] = [
        (Exit::Done, "done"),
        (Exit::Failed, "something failed on the way"),
        (Exit::BadInput, "what was asked for cannot be"),
        (Exit::Paused, "the debate is paused and waits for you"),
        (Exit::Interrupted, "interrupted"),
    ];

    fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::BadInput => 2,
            Exit::Paused => 3,
            Exit::Interrupted => 130,
            Exit::Terminated => 143,
        }
    }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

impl Colour {
    /// For everything this process prints.
    fn hold(self) {
        match self {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// What a command ends with before it is done.
enum Stop {
    EngineError(EngineError),
    /// Nobody reads any more; there is nothing left to say.
    Closed,
}

impl<T: Into<EngineError>> From<T> for Stop {
    fn from(trouble: T) -> Stop {
        Stop::EngineError(trouble.into())
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
        Err(Stop::EngineError(trouble)) => {
            report(&trouble);
            if trouble.is_input() { Exit::BadInput } else { Exit::Failed }
        }
    };
    ExitCode::from(exit.code())
}

async fn dispatch(cli: Cli, mut environment: Environment) -> Result<Exit, Stop> {
    cli.color.hold();
    if cli.no_pager {
        environment.paging = Paging::Off;
    }
    if let Some(wanted) = environment.get("ROUNDTABLE_LOG") {
        render::log::start(wanted).map_err(EngineError::input)?;
    }
    let config = Config::load(environment);
    match &cli.command {
        // These must work whatever stands in the config file.
        Command::Completions(args) => return shell::completions(args),
        Command::Man(args) => return shell::man(args),
        Command::Doctor(args) => return doctor::doctor(&config, args).await,
        _ => {}
    }
    let config = config?;
    match cli.command {
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
        Command::Doctor(_) => Ok(Exit::Done),
        Command::Init(args) => init::init(&config, args).await,
        Command::Setup(args) => setup::setup(&config, args),
        Command::Sessions(SessionsCommand::Replay(args)) => replay::replay(&config, args).await,
        Command::Debate(args) => debate::hold(&config, *args).await,
        Command::Sessions(SessionsCommand::Resume(args)) => debate::resume(&config, args).await,
        Command::Sessions(SessionsCommand::List(args)) => sessions::list(&config, args).await,
        Command::Sessions(SessionsCommand::Show(args)) => sessions::show(&config, args).await,
        Command::Sessions(SessionsCommand::Record(args)) => learning::record(&config, args).await,
        Command::Sessions(SessionsCommand::Pause(args)) => control::pause(&config, args).await,
        Command::Sessions(SessionsCommand::Stop(args)) => control::stop(&config, args).await,
        Command::Sessions(SessionsCommand::Interject(args)) => {
            control::interject(&config, args).await
        }
        Command::Sessions(SessionsCommand::Focus(args)) => control::focus(&config, args).await,
        Command::Sessions(SessionsCommand::Answer(args)) => context::answer(&config, args).await,
        Command::Sessions(SessionsCommand::Delete(args)) => control::delete(&config, args).await,
        Command::Sessions(SessionsCommand::Export(args)) => export::export(&config, args).await,
        Command::Sessions(SessionsCommand::Import(args)) => export::import(&config, args).await,
        Command::Costs(args) => costs::costs(&config, args).await,
        Command::Backup { file } => control::backup(&config, &file).await,
        Command::Restore { file } => control::restore(&config, &file).await,
        Command::Analyse(args) => afterwards::analyse(&config, args).await,
        Command::Compare(args) => sessions::compare(&config, args).await,
        Command::Synthesise(args) => afterwards::synthesise(&config, args).await,
        Command::Modes(args) => look::modes(&config, &args),
        Command::Outcome(command) => outcome::outcome(&config, command).await,
        Command::Learning(args) => learning::learning(&config, args).await,
        Command::Agents(args) => look::agents(&config, &args).await,
        Command::Config(command) => look::config(&config, command).await,
        Command::Models(args) => models::models(&config, &args).await,
        Command::Bench(command) => bench::bench(&config, command).await,
        Command::Mcp => serve::stdio(config).await,
        Command::Serve(args) => serve::http(config, args).await,
    }
}

fn report(trouble: &EngineError) {
    // A difference between asks quotes what models wrote.
    let text = trouble.to_string();
    let text = crate::terminal::clean::clean(&text);
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

//! The command line: each command translates what was typed, calls the engine and
//! shows the result. [`commands`] is the table of all commands, one row each; a
//! command's arguments, its call and its view are in its own file. The exit code
//! says how it went; see [`ExitStatus`].

mod arguments;
mod bench;
mod command;
mod config;
mod debate;
mod outcome;
mod people;
mod pipeline;
mod sessions;
#[cfg(test)]
mod tests;
mod watch;
pub(crate) mod wording;

/// Commands on this machine: its models, clients, database and spending.
mod machine {
    pub mod agents;
    pub mod backup;
    pub mod costs;
    pub mod doctor;
    pub mod first_model;
    pub mod init;
    pub mod models;
    pub mod modes;
    pub mod presets;
    pub mod restore;
    pub mod setup;
    pub mod store_move;
}

/// Commands that serve other programs.
mod serving {
    pub mod browser;
    pub mod mcp;
    pub mod open;
    pub mod serve;
}

/// The shell: commands for it, and lines as people type them there.
mod shell {
    pub mod completions;
    pub mod man;
    pub mod typed;
}

/// Commands on debates that are over.
mod study {
    pub mod analyse;
    pub mod ask;
    pub mod compare;
    pub mod fork;
    pub mod learning;
    pub mod synthesise;
}

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use crate::document::escape::clean;
use crate::terminal::log;
use crate::terminal::out::{self, ClosedOutput};
use command::CommandRow;
use engine::config::{Config, Environment, PagingWish};
use engine::error::EngineError;
use machine::{
    agents, backup, costs, doctor, init, models, modes, presets, restore, setup, store_move,
};
use serving::{mcp, open, serve};
use shell::{completions, man, typed};
use study::{analyse, ask, compare, fork, learning, synthesise};

/// The commands, in the order of the help page.
fn commands() -> Vec<CommandRow> {
    vec![
        CommandRow::anywhere("debate", debate::hold),
        CommandRow::of("ask", ask::ask),
        CommandRow::of("fork", fork::fork),
        CommandRow::of("show", sessions::show::show),
        CommandRow::of("list", sessions::list::list),
        CommandRow::of("resume", sessions::resume::resume),
        CommandRow::of("export", sessions::export::export),
        CommandRow::group("sessions", "Steer and keep debates", sessions::commands()),
        CommandRow::of("costs", costs::costs),
        CommandRow::of("backup", backup::backup),
        CommandRow::of("restore", restore::restore),
        CommandRow::group(
            "store",
            "Move all debates between a file and a database server",
            vec![CommandRow::of("move", store_move::store_move)],
        ),
        CommandRow::group(
            "people",
            "Let a team use this database: people, roles, tokens and budgets",
            people::commands(),
        ),
        CommandRow::of("analyse", analyse::analyse).or("analyze"),
        CommandRow::of("compare", compare::run),
        CommandRow::of("synthesise", synthesise::synthesise).or("synthesize"),
        CommandRow::group(
            "outcome",
            "Note how a decision turns out, and judge it afterwards",
            outcome::commands(),
        ),
        CommandRow::of("learning", learning::learning),
        CommandRow::anywhere("modes", modes::modes),
        CommandRow::anywhere("presets", presets::presets),
        CommandRow::anywhere("agents", agents::agents),
        CommandRow::of("init", init::init),
        CommandRow::of("setup", setup::setup),
        CommandRow::sturdy("doctor", doctor::doctor),
        CommandRow::group("config", "Show and change the settings", config::commands()),
        CommandRow::of("models", models::models),
        CommandRow::sturdy("completions", completions::completions),
        CommandRow::sturdy("man", man::man),
        CommandRow::group(
            "bench",
            "Measure: what debates cost, whether they help, how fast the engine is",
            bench::commands(),
        ),
        CommandRow::of("mcp", mcp::stdio),
        CommandRow::of("serve", serve::serve),
        CommandRow::of("open", open::open),
    ]
}

/// The program with the options that every command has.
#[derive(Debug, Parser)]
#[command(
    name = "roundtable",
    version,
    about = "Put a question before several AI models, let them debate it, and get a decision you can check.",
    after_help = "\
Examples:
  roundtable \"Should we rewrite the billing service in Rust?\"
  roundtable --mode devils-advocate --rounds 2 \"Is a four-day week worth trying?\"
  roundtable --context design.md --focus \"What breaks first?\" \"Is this design sound?\"
  roundtable list
  roundtable show
  roundtable export --open

Exit codes:
  0    done
  1    something failed
  2    invalid input
  3    the debate is paused and waits for you
  4    the decision is one that --fail-on names
  130  interrupted
  143  terminated

Errors go to standard error; standard output carries only results. NO_COLOR, CLICOLOR and \
CLICOLOR_FORCE are respected; PAGER shows long listings, less if it is not set."
)]
struct Cli {
    /// Colours: auto where a terminal shows them, always, or never.
    #[arg(
        long,
        alias = "colour",
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = "Everywhere"
    )]
    color: Colour,

    /// Print long listings without a pager.
    #[arg(long, global = true, help_heading = "Everywhere")]
    no_pager: bool,
}

/// The whole command line, as `--help`, completions and manual pages describe it.
fn description() -> clap::Command {
    command::with_commands(Cli::command(), &commands())
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    Done,
    Failed,
    BadInput,
    /// The debate is paused and waits for a person.
    Paused,
    /// The decision is one on which the caller wanted it to fail.
    Called,
    Interrupted,
    /// As a service manager ends it.
    Terminated,
}

impl ExitStatus {
    /// Every way a command can end, for the manual.
    const ROWS: [(ExitStatus, &'static str); 6] = [
        (ExitStatus::Done, "done"),
        (ExitStatus::Failed, "something failed"),
        (ExitStatus::BadInput, "invalid input"),
        (ExitStatus::Paused, "the debate is paused and waits for you"),
        (ExitStatus::Called, "the decision is one that --fail-on names"),
        (ExitStatus::Interrupted, "interrupted"),
    ];

    fn code(self) -> u8 {
        match self {
            ExitStatus::Done => 0,
            ExitStatus::Failed => 1,
            ExitStatus::BadInput => 2,
            ExitStatus::Paused => 3,
            ExitStatus::Called => 4,
            ExitStatus::Interrupted => 130,
            ExitStatus::Terminated => 143,
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

/// The reason why a command ends before it is done.
pub enum Stop {
    EngineError(EngineError),
    Usage(clap::Error),
    /// Nobody reads any more; there is nothing left to say.
    Closed,
}

impl<T: Into<EngineError>> From<T> for Stop {
    fn from(trouble: T) -> Stop {
        Stop::EngineError(trouble.into())
    }
}

impl From<ClosedOutput> for Stop {
    fn from(_: ClosedOutput) -> Stop {
        Stop::Closed
    }
}

pub async fn run(environment: Environment) -> ExitCode {
    let exit = match dispatch(environment).await {
        Ok(exit) => exit,
        Err(Stop::Closed) => ExitStatus::Done,
        // Help and version go to standard output and are no error.
        Err(Stop::Usage(answer)) => {
            let _ = answer.print();
            if answer.use_stderr() { ExitStatus::BadInput } else { ExitStatus::Done }
        }
        Err(Stop::EngineError(trouble)) => {
            report(&trouble);
            if trouble.is_input() { ExitStatus::BadInput } else { ExitStatus::Failed }
        }
    };
    ExitCode::from(exit.code())
}

async fn dispatch(mut environment: Environment) -> Result<ExitStatus, Stop> {
    let mut known = description();
    let line = typed::understood(environment.arguments.clone(), &known);
    let matches = known.try_get_matches_from_mut(line).map_err(Stop::Usage)?;
    let cli = Cli::from_arg_matches(&matches).map_err(Stop::Usage)?;
    cli.color.hold();
    if cli.no_pager {
        environment.paging = PagingWish::Off;
    }
    // A server reads the form of its log from the config file.
    let is_server = matches.subcommand_name() == Some("serve");
    if let Some(wanted) = environment.get("ROUNDTABLE_LOG").filter(|_| !is_server) {
        log::start(wanted).map_err(EngineError::input)?;
    }
    command::run(&commands(), &matches, Config::load(environment)).await
}

fn report(trouble: &EngineError) {
    // A difference between asks quotes what models wrote.
    // What was typed or configured may hold a key by mistake.
    let text = engine::nouns::without_keys(&wording::lines(trouble).join("\n"));
    let text = clean(&text);
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

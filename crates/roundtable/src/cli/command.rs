//! Commands as rows of a table: a row joins the name of a command, its arguments
//! and the function that carries it out. The doc comment of the arguments' type is
//! the line of the help page.

use std::rc::Rc;

use clap::{ArgMatches, Args, Command};
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;

use super::{ExitStatus, Stop};
use engine::config::{Config, ConfigError};

/// The outcome of a command.
pub type CommandEnd = Result<ExitStatus, Stop>;

type LoadedConfig = Result<Config, ConfigError>;
type CommandFunction = Box<dyn Fn(LoadedConfig, ArgMatches) -> LocalBoxFuture<'static, CommandEnd>>;

/// A row of a table of commands.
pub struct CommandRow {
    name: &'static str,
    /// Another spelling of the name.
    other: Option<&'static str>,
    content: RowContent,
}

/// A command, or a table of commands below it.
enum RowContent {
    Command { arguments: fn(Command) -> Command, run: CommandFunction },
    Group { about: &'static str, rows: Vec<CommandRow> },
}

impl CommandRow {
    /// A command that needs the settings, and a place to keep things.
    pub fn of<A: Args + 'static>(
        name: &'static str,
        run: impl AsyncFn(&Config, A) -> CommandEnd + 'static,
    ) -> CommandRow {
        CommandRow::sturdy(name, async move |config: LoadedConfig, args: A| {
            let config = config?;
            config.needs_home()?;
            run(&config, args).await
        })
    }

    /// A command that needs the settings and works without a home directory.
    pub fn anywhere<A: Args + 'static>(
        name: &'static str,
        run: impl AsyncFn(&Config, A) -> CommandEnd + 'static,
    ) -> CommandRow {
        CommandRow::sturdy(name, async move |config: LoadedConfig, args: A| {
            run(&config?, args).await
        })
    }

    /// A command that works whatever is in the config file.
    pub fn sturdy<A: Args + 'static>(
        name: &'static str,
        run: impl AsyncFn(LoadedConfig, A) -> CommandEnd + 'static,
    ) -> CommandRow {
        let run = Rc::new(run);
        let run: CommandFunction = Box::new(move |config, matches| {
            let run = Rc::clone(&run);
            async move {
                let args = A::from_arg_matches(&matches).map_err(Stop::Usage)?;
                run(config, args).await
            }
            .boxed_local()
        });
        let content = RowContent::Command { arguments: A::augment_args, run };
        CommandRow { name, other: None, content }
    }

    /// A command that only has commands below it.
    pub fn group(name: &'static str, about: &'static str, rows: Vec<CommandRow>) -> CommandRow {
        CommandRow { name, other: None, content: RowContent::Group { about, rows } }
    }

    /// The same command under another spelling too.
    pub fn or(mut self, other: &'static str) -> CommandRow {
        self.other = Some(other);
        self
    }

    fn described(&self) -> Command {
        let command = Command::new(self.name).aliases(self.other);
        match &self.content {
            RowContent::Command { arguments, .. } => arguments(command),
            RowContent::Group { about, rows } => with_commands(command.about(*about), rows),
        }
    }
}

/// The command with the rows as its subcommands, one of which must be given.
pub fn with_commands(command: Command, rows: &[CommandRow]) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(rows.iter().map(CommandRow::described))
}

/// Carries out the command that was typed.
pub async fn run(rows: &[CommandRow], matches: &ArgMatches, config: LoadedConfig) -> CommandEnd {
    let (mut rows, mut matches) = (rows, matches);
    while let Some((name, below)) = matches.subcommand()
        && let Some(row) = rows.iter().find(|row| row.name == name)
    {
        match &row.content {
            RowContent::Command { run, .. } => return run(config, below.clone()).await,
            RowContent::Group { rows: further, .. } => (rows, matches) = (further, below),
        }
    }
    Ok(ExitStatus::Done)
}

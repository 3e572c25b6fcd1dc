//! The command line's words: commands, options and their help. What is typed is
//! only taken down here; what it means is checked in one place, later.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::config_args::ConfigCommand;
use super::study::learning::{LearningArgs, LessonArgs, RecordArgs};
use super::outcome::assess::OutcomeCommand;
use super::sessions::replay::ReplayArgs;
use super::shell::man::{CompletionsArgs, ManArgs};
use super::{Colour, examples};

#[derive(Debug, Parser)]
#[command(
    name = "roundtable",
    version,
    about = "Put a question before several AI models, let them debate it, and get a decision you can check.",
    after_help = "\
Examples:
  roundtable debate \"Should we rewrite the billing service in Rust?\"
  roundtable debate --mode devils-advocate --rounds 2 \"Is a four-day week worth trying?\"
  roundtable debate --context design.md --focus \"What breaks first?\" \"Is this design sound?\"
  roundtable sessions list
  roundtable sessions show 0199

Exit codes:
  0    done
  1    something failed on the way
  2    what was asked for cannot be
  3    the debate is paused and waits for you
  130  interrupted
  143  told to end

Errors go to standard error; standard output carries only results. NO_COLOR, CLICOLOR and \
CLICOLOR_FORCE are heeded; PAGER shows long listings, less where it is not set."
)]
pub struct Cli {
    /// Colours: auto where a terminal shows them, always, or never.
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = "Everywhere"
    )]
    pub color: Colour,

    /// Print long listings without a pager.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub no_pager: bool,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Hold a debate and show it live.
    Debate(Box<DebateArgs>),
    /// List, show, resume and steer debates.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Show what was spent, by day, provider, model and debate.
    Costs(CostsArgs),
    /// Copy the database to a new file, while debates go on.
    #[command(after_help = examples::BACKUP)]
    Backup {
        /// Where to; nothing may be there yet.
        file: PathBuf,
    },
    /// Put a backup where the database belongs; refused where there is one.
    #[command(after_help = examples::RESTORE)]
    Restore {
        /// The backup.
        file: PathBuf,
    },
    /// Analyse a stored debate anew, with other figures, without asking anybody.
    Analyse(AnalyseArgs),
    /// Set two debates side by side: verdicts, votes, evidence and cost.
    Compare(super::sessions::show::CompareArgs),
    /// Have the clerk write what a finished debate comes to.
    #[command(after_help = examples::SYNTHESISE)]
    Synthesise(SynthesiseArgs),
    /// Note how a decision turns out, and judge it afterwards.
    #[command(subcommand)]
    Outcome(OutcomeCommand),
    /// Show what earlier outcomes taught: weights, agents, confidence, questions.
    Learning(LearningArgs),
    /// Explain the ways a debate can be held.
    #[command(after_help = examples::MODES)]
    Modes(ModesArgs),
    /// Show which models were found and how to add more.
    #[command(after_help = examples::AGENTS)]
    Agents(ListingArgs),
    /// Find what is here, ask a few questions, write a commented config file.
    Init(super::machine::init::InitArgs),
    /// Tell an MCP client (Claude, Codex, Cursor, VS Code …) about Roundtable, or take it out again.
    Setup(super::machine::setup::SetupArgs),
    /// Check keys, models, database, disk and clock, and say how to mend what is wrong.
    #[command(after_help = examples::DOCTOR)]
    Doctor(ListingArgs),
    /// Show and change the settings.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// List the models that are known, what they can do and what they cost.
    #[command(after_help = examples::MODELS)]
    Models(ModelsArgs),
    /// Print what a shell needs to complete commands and options.
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print the manual page, or write a page for every command.
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
    /// Measure: what debates cost, whether they help, how fast the engine is.
    #[command(subcommand)]
    Bench(super::bench::BenchCommand),
    /// Serve an MCP client on standard input and output.
    #[command(after_help = examples::MCP)]
    Mcp,
    /// Serve MCP clients over HTTP.
    Serve(super::serving::serve::ServeArgs),
}

/// What the options of a debate are about, where they are not what most people need.
const ANSWERS: &str = "The answer that is wanted";
const COURSE: &str = "How it is held";
const ENDING: &str = "When it ends";
const SPOKEN: &str = "Scripts and recordings";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable debate \"Should we adopt trunk-based development?\"
  roundtable debate --agents ollama/llama3.2,ollama/qwen3 --rounds 2 \"Tabs or spaces?\"
  roundtable debate --mode expert-panel --perspective legal --perspective support \"Do we open it?\"
  roundtable debate --options \"SQLite,PostgreSQL\" --context notes.md \"Which database for v1?\"
  roundtable debate --json \"Monorepo or many repositories?\" | jq -r .type

Without --agents, every model that is found takes a seat, at most four. See `roundtable agents`.")]
pub struct DebateArgs {
    /// What to decide, 1 to 10,000 characters. `-` reads it from standard input.
    pub topic: Option<String>,

    /// How to hold the debate; `roundtable modes` explains them [default: collaborative]
    #[arg(short, long, value_name = "MODE")]
    pub mode: Option<String>,

    /// Who debates: PROVIDER/MODEL or NAME=PROVIDER/MODEL, separated by commas; 2 to 10.
    /// Behind a | the model that takes over when it fails: "anthropic|gemini/gemini-3.8-flash".
    #[arg(short, long, value_name = "AGENTS", value_delimiter = ',')]
    pub agents: Vec<String>,

    /// A panel of agents with its settings, from the config file; `config profiles` lists them.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,

    /// How many rounds, 1 to 20 [default: 3, or what the mode prefers]
    #[arg(short, long, value_name = "N")]
    pub rounds: Option<String>,

    /// A file or folder to put before every agent, as data; `-` reads standard input. May be given
    /// several times. Hidden, ignored and binary files stay out of folders.
    #[arg(short, long, value_name = "PATH")]
    pub context: Vec<PathBuf>,

    /// A question every answer must address.
    #[arg(short, long, value_name = "QUESTION")]
    pub focus: Option<String>,

    /// A viewpoint for the expert panel, as NAME or NAME: DESCRIPTION; `auto` has them named for the topic.
    #[arg(short, long, value_name = "PERSPECTIVE", help_heading = COURSE)]
    pub perspective: Vec<String>,

    /// Make the agents choose one of these, separated by commas.
    #[arg(long, value_name = "OPTIONS", value_delimiter = ',', help_heading = ANSWERS)]
    pub options: Vec<String>,

    /// Make the agents answer yes or no.
    #[arg(long, conflicts_with_all = ["options", "number", "probability"], help_heading = ANSWERS)]
    pub yes_no: bool,

    /// Make the agents answer with a number, in this unit.
    #[arg(long, value_name = "UNIT", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["options", "probability"], help_heading = ANSWERS)]
    pub number: Option<String>,

    /// Make the agents answer with a probability from 0 to 1.
    #[arg(long, conflicts_with = "options", help_heading = ANSWERS)]
    pub probability: bool,

    /// How deep the moderated mode goes: standard, extended, or auto by how hard the topic is.
    #[arg(long, value_name = "DEPTH", help_heading = COURSE)]
    pub depth: Option<String>,

    /// How much hangs on the decision, for --depth auto: normal, high or critical.
    #[arg(long, value_name = "IMPORTANCE", help_heading = COURSE)]
    pub importance: Option<String>,

    /// Who sums up and analyses without debating: PROVIDER/MODEL, or none [default: chosen].
    #[arg(long, value_name = "CLERK")]
    pub clerk: Option<String>,

    /// Weigh the evidence: the same as --algorithm evidence_based_debate.
    #[arg(long, conflicts_with = "algorithm", help_heading = ENDING)]
    pub enhanced: bool,

    /// Set a figure the exit rules compare with, e.g. --threshold similarity=0.75.
    #[arg(long, value_name = "NAME=VALUE", help_heading = ENDING)]
    pub threshold: Vec<String>,

    /// Let teams speak one after the other instead of at once.
    #[arg(long, help_heading = COURSE)]
    pub teams_in_sequence: bool,

    /// Why the topic is high-stakes: security-abuse, medical-legal, real-world-effects, safety-critical.
    #[arg(long, value_name = "WHY", value_delimiter = ',', help_heading = COURSE)]
    pub stakes: Vec<String>,

    /// Set a flag for this debate, e.g. --flag exitCriteria.enabled=true.
    #[arg(long, value_name = "FLAG=VALUE", help_heading = COURSE)]
    pub flag: Vec<String>,

    /// What ends the debate early where exitCriteria is on: agreement, votes or evidence_based_debate.
    #[arg(long, value_name = "ALGORITHM", help_heading = ENDING)]
    pub algorithm: Option<String>,

    /// How inventive answers are, 0 to 2 [default: 0.7]
    #[arg(long, value_name = "T", help_heading = COURSE)]
    pub temperature: Option<String>,

    /// The longest answer, in tokens, from 256 [default: 4096]
    #[arg(long, value_name = "TOKENS", help_heading = COURSE)]
    pub max_tokens: Option<String>,

    /// How long to wait for one answer, in seconds, 5 to 1800 [default: 120]
    #[arg(long, value_name = "SECONDS", help_heading = COURSE)]
    pub timeout: Option<String>,

    /// The most this debate may cost, in USD; it pauses before a call that might pass it.
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,

    /// Repeat the shuffles of an earlier debate.
    #[arg(long, value_name = "SEED", help_heading = COURSE)]
    pub seed: Option<String>,

    /// Let a file speak for the agents: for trying things out, no model is asked.
    #[arg(long, value_name = "FILE", help_heading = SPOKEN)]
    pub script: Option<PathBuf>,

    /// A folder with your own prompt templates.
    #[arg(long, value_name = "DIR", help_heading = COURSE)]
    pub words: Option<PathBuf>,

    /// Print one event per line as JSON on standard output.
    #[arg(long)]
    pub json: bool,

    /// Print only the verdict.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// Who searches the web: native (the providers' own), api (a search API), off, or auto: native
    /// where there is one, else an API that is set up [default: auto]
    #[arg(long, value_name = "HOW")]
    pub search: Option<String>,

    /// Do not let agents ask you for what only you can know; they would pause the debate for it.
    #[arg(long, help_heading = COURSE)]
    pub no_context_requests: bool,
    #[command(flatten, next_help_heading = SPOKEN)]
    pub tape: super::bench::TapeArgs,
    #[command(flatten, next_help_heading = "What is learned")]
    pub lessons: LessonArgs,
}

#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List debates, newest first.
    List(super::sessions::show::SessionsListArgs),
    /// Show a debate: the verdict, then what it rests on.
    Show(super::sessions::show::SessionsShowArgs),
    /// Show the record a finished debate leaves: rounds, evidence, metrics, decision.
    #[command(after_help = examples::SESSIONS_RECORD)]
    Record(RecordArgs),
    /// Go on with a debate that was paused or cut off.
    #[command(after_help = examples::SESSIONS_RESUME)]
    Resume(SessionsResumeArgs),
    /// Show a debate once more, at reading speed.
    #[command(after_help = examples::SESSIONS_REPLAY)]
    Replay(ReplayArgs),
    /// Pause a debate, wherever it runs: answers on their way are kept.
    #[command(after_help = examples::SESSIONS_PAUSE)]
    Pause(SessionsSteerArgs),
    /// End a debate now, with a verdict on what has been said.
    #[command(after_help = examples::SESSIONS_STOP)]
    Stop(SessionsSteerArgs),
    /// Put a remark before everyone who speaks from now on.
    #[command(after_help = examples::SESSIONS_INTERJECT)]
    Interject(SessionsRemarkArgs),
    /// Set the question that every answer from now on must address.
    #[command(after_help = examples::SESSIONS_FOCUS)]
    Focus(SessionsRemarkArgs),
    /// Answer or decline what an agent asks of you, or list what is open.
    Answer(super::sessions::answer::AnswerArgs),
    /// Remove a debate and all that was said in it, for good.
    #[command(after_help = examples::SESSIONS_DELETE)]
    Delete(SessionsDeleteArgs),
    /// Write a debate as Markdown, JSON, HTML, a decision record, an argument map or CSV.
    Export(super::sessions::export::SessionsExportArgs),
    /// Take in a debate that was exported as JSON.
    Import(super::sessions::export::SessionsImportArgs),
}

#[derive(Debug, Args)]
pub struct SessionsSteerArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
}

#[derive(Debug, Args)]
pub struct SessionsRemarkArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// The words, 1 to 10,000 characters.
    pub text: String,
}

#[derive(Debug, Args)]
pub struct SessionsDeleteArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// Do it without asking.
    #[arg(short, long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable costs
  roundtable costs --by model
  roundtable costs --by day --json

Days are in UTC. A call that was cut off may have been billed; it is listed apart, with the worst \
it can have cost, and counts against budgets.")]
pub struct CostsArgs {
    /// Only by this: day, provider, model or debate.
    #[arg(long, value_name = "WAY")]
    pub by: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SessionsResumeArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// Let a file speak for the agents, as in `roundtable debate --script`.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// The most the whole debate may cost from now on, in USD, instead of its own limit.
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// Print one event per line as JSON on standard output.
    #[arg(long)]
    pub json: bool,
    /// Print only the verdict.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct ModesArgs {
    /// Explain this mode in full.
    pub mode: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ListingArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable analyse 0199 --threshold similarity=0.7
  roundtable analyse 0199 --algorithm votes --flag exitCriteria.enabled=true --json

The stored debate stays as it is.")]
pub struct AnalyseArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// agreement, votes or evidence_based_debate [default: the debate's own]
    #[arg(long, value_name = "ALGORITHM")]
    pub algorithm: Option<String>,
    /// A figure the rules compare with, e.g. similarity=0.75.
    #[arg(long, value_name = "NAME=VALUE")]
    pub threshold: Vec<String>,
    /// A flag, e.g. exitCriteria.enabled=true.
    #[arg(long, value_name = "FLAG=VALUE")]
    pub flag: Vec<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SynthesiseArgs {
    /// The debate's id, or enough of it to be unique.
    pub id: String,
    /// Let a file speak for the clerk, as in `roundtable debate --script`.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ModelsArgs {
    #[command(subcommand)]
    pub command: Option<ModelsCommand>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// Download the weights of a small model that runs in this process.
    #[command(after_help = examples::MODELS_FETCH)]
    Fetch {
        /// As `roundtable models` lists it under local, e.g. smollm2-135m.
        name: String,
        /// Another address of the same file.
        #[arg(long, value_name = "URL")]
        from: Option<String>,
    },
}

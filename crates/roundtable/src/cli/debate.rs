//! Holding a debate on the command line: what was typed becomes an order.

use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;
use debate::model::{Algorithm, Question, TeamOrder};

use super::arguments::TapeArgs;
use super::command::CommandEnd;
use super::machine::first_model;
use super::pipeline::PipelineArgs;
use super::watch::{Begin, Show, has_person, watch};
use super::{ExitStatus, Stop};
use crate::terminal::out;
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::age;
use engine::table::attachments;
use engine::table::order::{CallerContext, LearningWish, Order};

/// The longest topic read from standard input; more is refused later anyway.
const MOST_STDIN: u64 = 64 * 1024;

/// The headings of the options that few people need.
const ANSWERS: &str = "The answer that is wanted";
const COURSE: &str = "How it is held";
const ENDING: &str = "When it ends";
const SPOKEN: &str = "Scripts and recordings";

/// Hold a debate and show it live.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable \"Should we adopt trunk-based development?\"
  roundtable debate Should we adopt trunk-based development
  roundtable debate --agents ollama/llama3.2,ollama/qwen3 --rounds 2 \"Tabs or spaces?\"
  roundtable debate --mode expert-panel --perspective legal --perspective support \"Do we open it?\"
  roundtable debate --options \"SQLite,PostgreSQL\" --context notes.md \"Which database for v1?\"
  roundtable debate --json \"Monorepo or many repositories?\" | jq -r .type

Without --agents, every model that is found takes a seat, at most four. See `roundtable agents`.")]
pub struct DebateArgs {
    /// What to decide, 1 to 10,000 characters. `-` reads it from standard input.
    #[arg(value_name = "QUESTION")]
    pub topic: Vec<String>,

    /// How to hold the debate; `roundtable modes` explains them [default: collaborative]
    #[arg(short, long, value_name = "MODE")]
    pub mode: Option<String>,

    /// Who debates: PROVIDER/MODEL or NAME=PROVIDER/MODEL, separated by commas; 2 to 10.
    /// Behind a | the model that takes over when it fails: "anthropic|gemini/gemini-3.8-flash".
    /// `me` is a seat of your own: you are asked first in every round, and may pass.
    /// Behind a colon and a blank a manner, without commas: "sceptic=anthropic: asks what fails first".
    #[arg(short, long, value_name = "AGENTS", value_delimiter = ',')]
    pub agents: Vec<String>,

    /// A panel of agents with its settings, from the config file; `config profiles` lists them.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,

    /// A way of putting this kind of question; `roundtable presets` lists them.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// An earlier debate: with a question, ask it further; without one, hold the same question again
    /// before the table that --agents names. Takes an id or the beginning of it; @1 is the last one.
    #[arg(long, value_name = "ID")]
    pub after: Option<String>,

    /// How many rounds, 1 to 20 [default: 3, or what the mode prefers]
    #[arg(short, long, allow_negative_numbers = true, value_name = "N")]
    pub rounds: Option<String>,

    /// A file or folder to put before every agent, as data; `-` reads standard input. May be given
    /// several times. Hidden, ignored and binary files stay out of folders.
    #[arg(short, long, value_name = "PATH")]
    pub context: Vec<PathBuf>,

    /// A question every answer must address.
    #[arg(short, long, value_name = "QUESTION")]
    pub focus: Option<String>,

    /// The language to answer in, by its tag or name [default: that of the question]
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<String>,

    /// A viewpoint for the expert panel, as NAME or NAME: DESCRIPTION; `auto` has them named for the topic.
    #[arg(short, long, value_name = "PERSPECTIVE", help_heading = COURSE)]
    pub perspective: Vec<String>,

    /// How perspectives are dealt: round-robin, random, or one name for each agent.
    #[arg(long, value_name = "HOW", value_delimiter = ',', help_heading = COURSE)]
    pub assign: Vec<String>,

    /// Make the agents choose one of these, separated by commas.
    #[arg(long, value_name = "OPTIONS", value_delimiter = ',', help_heading = ANSWERS)]
    pub options: Vec<String>,

    /// Make the agents answer yes or no.
    #[arg(long, conflicts_with_all = ["options", "number", "estimate", "probability"], help_heading = ANSWERS)]
    pub yes_no: bool,

    /// Make the agents find a number, in this unit: the value that most find is the answer.
    #[arg(long, value_name = "UNIT", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["options", "estimate", "probability"], help_heading = ANSWERS)]
    pub number: Option<String>,

    /// Make the agents estimate a number, in this unit: the estimates are combined.
    #[arg(long, value_name = "UNIT", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["options", "probability"], help_heading = ANSWERS)]
    pub estimate: Option<String>,

    /// How far apart two figures may lie and still be one answer: 0.5 in the unit, or 2%.
    #[arg(long, value_name = "TOLERANCE", help_heading = ANSWERS)]
    pub tolerance: Option<String>,

    /// Make the agents answer with a probability from 0 to 1.
    #[arg(long, conflicts_with = "options", help_heading = ANSWERS)]
    pub probability: bool,

    /// How much to ask for: debate (all rounds), adaptive (talk only where first answers are
    /// split) or vote (first answers only) [default: adaptive where answers can be counted and no
    /// rounds are given, else debate]
    #[arg(long, value_name = "EFFORT", help_heading = COURSE)]
    pub effort: Option<String>,

    /// The most first answers to ask for with --effort adaptive or vote [default: 9]
    #[arg(long, value_name = "N", help_heading = COURSE)]
    pub samples: Option<String>,

    /// How deep the moderated mode goes: standard, extended, or auto by how hard the topic is.
    #[arg(long, value_name = "DEPTH", help_heading = COURSE)]
    pub depth: Option<String>,

    /// How much hangs on the decision, for --depth auto: normal, high or critical.
    #[arg(long, value_name = "IMPORTANCE", help_heading = COURSE)]
    pub importance: Option<String>,

    /// How many parties have a stake in the decision, for --depth auto.
    #[arg(long, value_name = "N", help_heading = COURSE)]
    pub stakeholders: Option<String>,

    /// How many technical fields the decision touches, for --depth auto.
    #[arg(long, value_name = "N", help_heading = COURSE)]
    pub technical_domains: Option<String>,

    /// How far the decision reaches, for --depth auto: short, medium or long.
    #[arg(long, value_name = "HORIZON", help_heading = COURSE)]
    pub horizon: Option<String>,

    /// What the decision does to the budget, for --depth auto: low, medium or high.
    #[arg(long, value_name = "IMPACT", help_heading = COURSE)]
    pub impact: Option<String>,

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
    #[arg(long, allow_negative_numbers = true, value_name = "T", help_heading = COURSE)]
    pub temperature: Option<String>,

    /// The longest answer, in tokens, from 256 [default: 4096]
    #[arg(long, value_name = "TOKENS", help_heading = COURSE)]
    pub max_tokens: Option<String>,

    /// How long to wait for one answer, in seconds, 5 to 1800 [default: 120]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS", help_heading = COURSE)]
    pub timeout: Option<String>,

    /// The most this debate may cost, in USD; it pauses before a call that might pass it.
    #[arg(long, allow_negative_numbers = true, value_name = "USD")]
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

    /// Print only the card: the decision and how sure the table is.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// Who searches the web: native (the providers' own), api (a search API), off, or auto: native
    /// where there is one, else an API that is set up [default: auto]
    #[arg(long, value_name = "HOW")]
    pub search: Option<String>,

    /// Do not let agents ask you for what only you can know; they would pause the debate for it.
    #[arg(long, help_heading = COURSE)]
    pub no_context_requests: bool,
    #[command(flatten, next_help_heading = "In a pipeline")]
    pub pipeline: PipelineArgs,
    #[command(flatten, next_help_heading = SPOKEN)]
    pub tape: TapeArgs,
    #[command(flatten, next_help_heading = "What is learned")]
    pub lessons: LessonArgs,
}

// The lessons a debate starts with, and when it is judged.
#[derive(Debug, Args)]
pub struct LessonArgs {
    /// The project the decision belongs to; the config file can give it a domain.
    #[arg(long, value_name = "PROJECT")]
    pub project: Option<String>,

    /// The field of decisions, such as api-design, whose lessons are used; auto has the clerk name it.
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,

    /// Start without what earlier outcomes taught.
    #[arg(long)]
    pub no_learning: bool,

    /// The day on which to ask how the decision turned out, as YYYY-MM-DD.
    #[arg(long, value_name = "DATE")]
    pub ask_on: Option<String>,
}

pub async fn hold(config: &Config, args: DebateArgs) -> CommandEnd {
    let show = Show::of(args.json, args.quiet);
    let pipeline = args.pipeline.clone();
    let (id, ended) = held(config, order(args)?, show).await?;
    if ended == ExitStatus::Done { pipeline.conclude(config, &id).await } else { Ok(ended) }
}

/// Holds the debate that was ordered.
pub async fn hold_order(config: &Config, order: Order, show: Show) -> CommandEnd {
    held(config, order, show).await.map(|(_, ended)| ended)
}

async fn held(config: &Config, mut order: Order, show: Show) -> Result<(String, ExitStatus), Stop> {
    let mut own: Option<Config> = None;
    order.caller.has_person = has_person(config, show);
    let opened = loop {
        let config = own.as_ref().unwrap_or(config);
        let trouble = match engine::sessions::start::start(config, &order).await {
            Ok(opened) => break opened,
            Err(trouble) => trouble,
        };
        let asks = show == Show::Live && first_model::can_ask(config);
        if !asks || !first_model::is_missing(&trouble) {
            return Err(trouble.into());
        }
        match first_model::choose(config, &order).await? {
            Some((config, chosen)) => (own, order) = (Some(config), chosen),
            None => return Err(trouble.into()),
        }
    };
    let config = own.as_ref().unwrap_or(config);
    let id = opened.id.clone();
    let ended = watch(config, opened, show, Begin::New).await;
    if let Some(old) = age::notice(config).filter(|_| config.environment.stderr_is_terminal) {
        out::note(&old);
    }
    if let Some(folder) = config.paths.database.parent().filter(|_| config.paths.is_homeless) {
        let _ = std::fs::remove_dir_all(folder);
        out::note("No home directory was found, so this example was not kept.");
    }
    Ok((id, ended?))
}

fn order(args: DebateArgs) -> Result<Order, EngineError> {
    let piped = piped(&args)?;
    let estimate = args.estimate.is_some();
    let figure = args.number.or(args.estimate);
    let question = match (args.options.is_empty(), args.yes_no, figure, args.probability) {
        (false, ..) => Question::Options { options: args.options },
        (_, true, ..) => Question::YesNo,
        (.., Some(unit), _) => Question::Number { unit: Some(unit).filter(|u| !u.is_empty()) },
        (.., true) => Question::Probability,
        _ => Question::Open,
    };
    let team_order = if args.teams_in_sequence { TeamOrder::InSequence } else { TeamOrder::AtOnce };
    Ok(Order {
        profile: args.profile,
        preset: args.preset,
        questions: Vec::new(),
        topic: topic(&args.topic)?,
        piped,
        mode: args.mode,
        agents: args.agents,
        rounds: args.rounds,
        context: args.context,
        focus: args.focus,
        language: args.language,
        perspectives: args.perspective,
        assignment: args.assign,
        question,
        estimate,
        tolerance: args.tolerance,
        effort: args.effort,
        samples: args.samples,
        depth: args.depth,
        team_order,
        stakes: args.stakes,
        flags: args.flag,
        algorithm: if args.enhanced {
            Some(Algorithm::EvidenceBasedDebate.word().into())
        } else {
            args.algorithm
        },
        temperature: args.temperature,
        max_output_tokens: args.max_tokens,
        timeout_seconds: args.timeout,
        seed: args.seed,
        budget: args.budget,
        script: args.script,
        words: args.words,
        clerk: args.clerk,
        importance: args.importance,
        stakeholders: args.stakeholders,
        technical_domains: args.technical_domains,
        horizon: args.horizon,
        budget_impact: args.impact,
        thresholds: args.threshold,
        search: args.search,
        context_requests: args.no_context_requests.then_some(false),
        record: args.tape.record,
        replay: args.tape.replay,
        replay_speed: args.tape.replay_speed,
        caller: CallerContext::default(),
        project: args.lessons.project,
        domain: args.lessons.domain,
        learning: if args.lessons.no_learning { LearningWish::Off } else { LearningWish::AsSet },
        ask_on: args.lessons.ask_on,
        after: args.after,
        earlier: None,
    })
}

/// What is piped in as context. Standard input can be read once.
fn piped(args: &DebateArgs) -> Result<Option<Vec<u8>>, EngineError> {
    let asked = args.context.iter().filter(|path| path.as_os_str() == attachments::PIPED).count();
    match asked {
        0 => Ok(None),
        1 if args.topic != ["-"] => {
            let mut bytes = Vec::new();
            std::io::stdin().take(attachments::LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(
                |error| EngineError::input(format!("cannot read what is piped in: {error}")),
            )?;
            Ok(Some(bytes))
        }
        _ => Err(EngineError::input(
            "standard input can be read once: as the topic or as one --context, not both",
        )),
    }
}

/// The topic as it was typed, in quotes or word by word.
fn topic(given: &[String]) -> Result<Option<String>, EngineError> {
    match given {
        [] => return Ok(None),
        [one] if one == "-" => {}
        [one] => return Ok(Some(one.clone())),
        words => return joined(words).map(Some),
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MOST_STDIN)
        .read_to_end(&mut bytes)
        .map_err(|error| EngineError::input(format!("cannot read the topic: {error}")))?;
    // Cut in the middle of a character it is too long anyway, and said to be.
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

/// Words without quotes are one topic. Beside a phrase in quotes, a word was meant for
/// something else.
fn joined(words: &[String]) -> Result<String, EngineError> {
    let phrase = words.iter().find(|word| word.trim().contains(char::is_whitespace));
    let stray = words.iter().find(|word| phrase != Some(*word));
    match (phrase, stray) {
        (Some(_), Some(stray)) => Err(EngineError::input(format!(
            "the question is in quotes, and {stray:?} stands beside it. Files belong to --context \
             PATH, one each; agents to --agents A,B"
        ))),
        _ => Ok(words.join(" ")),
    }
}

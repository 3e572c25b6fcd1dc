//! Holding a debate on the command line: what was typed becomes an order.

use std::io::Read as _;

use debate::model::{Algorithm, Question, TeamOrder};

use super::args::{DebateArgs, SessionsResumeArgs};
use super::watch::{Begin, Show, watch};
use super::{Exit, Stop};
use engine::config::Config;
use engine::error::EngineError;
use engine::table::attachments;
use engine::table::lessons::LearningWish;
use engine::table::order::{CallerContext, Order};

/// The longest topic read from standard input; more is refused later anyway.
const MOST_STDIN: u64 = 64 * 1024;

fn show(json: bool, quiet: bool) -> Show {
    match (json, quiet) {
        (true, _) => Show::Json,
        (false, true) => Show::VerdictOnly,
        (false, false) => Show::Live,
    }
}

pub async fn hold(config: &Config, args: DebateArgs) -> Result<Exit, Stop> {
    let show = show(args.json, args.quiet);
    let order = order(args)?;
    let opened = engine::sessions::start::start(config, &order).await?;
    watch(config, opened, show, Begin::New).await
}

pub async fn resume(config: &Config, args: SessionsResumeArgs) -> Result<Exit, Stop> {
    let show = show(args.json, args.quiet);
    let cap = engine::table::money::raised(args.budget.as_deref())?;
    let opened = engine::sessions::resume::resume(config, &args.id, args.script.as_deref()).await?;
    watch(config, opened, show, Begin::Again(cap)).await
}

fn order(args: DebateArgs) -> Result<Order, EngineError> {
    let piped = piped(&args)?;
    let question = match (args.options.is_empty(), args.yes_no, args.number, args.probability) {
        (false, ..) => Question::Options { options: args.options },
        (_, true, ..) => Question::YesNo,
        (.., Some(unit), _) => Question::Number { unit: Some(unit).filter(|u| !u.is_empty()) },
        (.., true) => Question::Probability,
        _ => Question::Open,
    };
    let team_order = if args.teams_in_sequence { TeamOrder::InSequence } else { TeamOrder::AtOnce };
    Ok(Order {
        profile: args.profile,
        topic: topic(args.topic)?,
        piped,
        mode: args.mode,
        agents: args.agents,
        rounds: args.rounds,
        context: args.context,
        focus: args.focus,
        perspectives: args.perspective,
        question,
        depth: args.depth,
        team_order,
        stakes: args.stakes,
        flags: args.flag,
        algorithm: match args.enhanced {
            true => Some(Algorithm::EvidenceBasedDebate.word().into()),
            false => args.algorithm,
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
    })
}

/// What is piped in as context. Standard input can be read once.
fn piped(args: &DebateArgs) -> Result<Option<Vec<u8>>, EngineError> {
    let asked = args.context.iter().filter(|path| path.as_os_str() == attachments::PIPED).count();
    match (asked, args.topic.as_deref()) {
        (0, _) => Ok(None),
        (1, topic) if topic != Some("-") => {
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

fn topic(given: Option<String>) -> Result<Option<String>, EngineError> {
    if given.as_deref() != Some("-") {
        return Ok(given);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MOST_STDIN)
        .read_to_end(&mut bytes)
        .map_err(|error| EngineError::input(format!("cannot read the topic: {error}")))?;
    // Cut in the middle of a character it is too long anyway, and said to be.
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

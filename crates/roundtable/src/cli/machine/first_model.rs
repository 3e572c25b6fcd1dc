//! The way from no model to a debate, by question and answer on a terminal: a key, a local
//! server, a small model, or the scripted example. What is chosen is set up here, and the
//! caller tries again.

use std::io::BufRead as _;

use crate::cli::config::set_key;
use crate::document::words::count;
use crate::terminal::out;
use engine::config::Config;
use engine::error::{EngineError, Problem, SeatProblem};
use engine::machine::keys::{self, KeyDestination};
use engine::machine::{models, settings};
use engine::nouns::EXAMPLE_TOPIC;
use engine::table::order::Order;

/// The choices, with the key that takes each.
const CHOICES: [(&str, &str, FirstModel); 4] = [
    ("1", "Paste a key of a provider", FirstModel::Key),
    ("2", "Use a model server of your own: Ollama, LM Studio, llama.cpp, vLLM", FirstModel::Server),
    ("3", "Fetch a small model", FirstModel::Small),
    ("4", "Watch the scripted example", FirstModel::Example),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstModel {
    Key,
    Server,
    Small,
    Example,
}

/// True if a debate was refused because there is no model.
pub fn is_missing(trouble: &EngineError) -> bool {
    let EngineError::Refused(all) = trouble else { return false };
    all.iter().any(|one| matches!(one.problem, Problem::Seat(SeatProblem::NoModel { .. })))
}

/// True if a person is there to be asked, and what they choose can be kept.
pub fn can_ask(config: &Config) -> bool {
    let environment = &config.environment;
    environment.stdin_is_terminal && environment.stderr_is_terminal && !config.paths.is_homeless
}

/// Asks until something can be tried: the settings with what was set up, and the order.
/// `None`: the person leaves.
pub async fn choose(
    config: &Config,
    order: &Order,
) -> Result<Option<(Config, Order)>, EngineError> {
    out::note("There is no model yet to debate your question. Choose one of these:");
    for (key, text, choice) in CHOICES {
        out::note(&format!("  {key}  {text}{}", more(choice)));
    }
    out::note("  q  Leave");
    let chosen = loop {
        let Some(line) = answer("Your choice:")? else { return Ok(None) };
        match CHOICES.iter().find(|(key, ..)| *key == line) {
            Some((.., choice)) => break *choice,
            None if line.eq_ignore_ascii_case("q") => return Ok(None),
            None => out::note("Type 1, 2, 3, 4 or q."),
        }
    };
    let mut order = order.clone();
    match chosen {
        FirstModel::Key => drop(key(config)?),
        FirstModel::Server => server(config)?,
        FirstModel::Small => small(config).await?,
        FirstModel::Example => order.topic = Some(EXAMPLE_TOPIC.into()),
    }
    Ok(Some((Config::load(config.environment.clone())?, order)))
}

/// What a choice costs or needs, behind its words.
fn more(choice: FirstModel) -> String {
    match choice {
        FirstModel::Key => format!(" ({} are known)", count(keys::pages().len(), "provider")),
        FirstModel::Small => match models::smallest() {
            Some((name, bytes)) => format!(
                ": {name}, {} MB; good for trying Roundtable, not for deciding anything",
                bytes / 1_000_000
            ),
            None => " (not in this build)".into(),
        },
        FirstModel::Example => format!(": it debates “{EXAMPLE_TOPIC}”"),
        FirstModel::Server => String::new(),
    }
}

/// Asks for keys until none is given. Returns true if one was kept.
pub fn keys(config: &Config) -> Result<bool, EngineError> {
    let mut kept = false;
    while key(config)? {
        kept = true;
    }
    Ok(kept)
}

/// Asks for a provider and its key, and keeps it; false if none was given.
fn key(config: &Config) -> Result<bool, EngineError> {
    out::note("Which provider? Each has a page where keys are made:");
    let pages = keys::pages();
    for ((name, page), number) in pages.iter().zip(1..) {
        out::note(&format!("  {number:>2}  {name:<11} {page}"));
    }
    loop {
        let Some(line) = answer("Its number or name; an empty line for none:")? else {
            return Ok(false);
        };
        if line.is_empty() {
            return Ok(false);
        }
        let by_number = line.parse::<usize>().ok().and_then(|n| pages.get(n.checked_sub(1)?));
        let name = by_number.map_or(line.as_str(), |(name, _)| name);
        let kept = keys::holder(name).and_then(|(name, _)| {
            let given = set_key::asked(name)?;
            keys::set(config, name, &given, KeyDestination::File)
        });
        match kept {
            Ok(said) => {
                out::note(&said);
                return Ok(true);
            }
            Err(trouble) => {
                crate::cli::wording::lines(&trouble).iter().for_each(|line| out::note(line));
            }
        }
    }
}

/// Waits until a server was started, or takes the address of one.
fn server(config: &Config) -> Result<(), EngineError> {
    out::note("Start the server. With Ollama (https://ollama.com):");
    out::note("  ollama pull llama3.2");
    out::note("It is found at its usual port. For another one, type its address, such as");
    out::note("  http://127.0.0.1:8000/v1");
    let Some(line) = answer("The address, or an empty line once the server runs:")? else {
        return Ok(());
    };
    if line.is_empty() { Ok(()) } else { settings::set(config, "providers.custom.base_url", &line) }
}

async fn small(config: &Config) -> Result<(), EngineError> {
    let Some((name, _)) = models::smallest() else { return Ok(()) };
    let tell = |tenths: u64| out::note(&format!("{name}: {} %", tenths * 10));
    models::fetch(config, name, None, &tell).await.map(drop)
}

/// A line that a person types; `None` at the end of the input.
fn answer(question: &str) -> Result<Option<String>, EngineError> {
    out::note(question);
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(line.trim().to_owned())),
        Err(error) => Err(EngineError::input(format!("cannot read your answer: {error}"))),
    }
}

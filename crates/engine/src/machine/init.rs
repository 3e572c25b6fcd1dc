//! The first config file. What was found becomes suggestions, and a person's
//! answers become a commented file. An existing file is kept beside the new one.

use std::fmt::Write as _;
use std::path::PathBuf;

use agents::discovery;
use async_recursion::async_recursion as boxed;

use crate::config::{self, Config};
use crate::error::{EngineError, FileProblem, Refusal};
use crate::machine::{found, settings};
use crate::table::money::USUAL_DAILY_USD;
use crate::table::seats;

/// The findings before any question is asked.
pub struct MachineSurvey {
    pub lines: Vec<found::FoundProvider>,
    /// The agents that would be seated by default.
    pub agents: Vec<String>,
    /// The first search API whose key or address is set.
    pub engine: Option<&'static str>,
}

/// The answers of a person.
#[derive(Debug, Clone, Default)]
pub struct InitAnswers {
    pub agents: Vec<String>,
    pub daily_budget: Option<f64>,
    pub search: Option<String>,
}

/// The written file, and the place of the file it replaced.
pub struct WrittenConfig {
    pub path: PathBuf,
    pub before: Option<PathBuf>,
}

#[boxed]
pub async fn survey(config: &Config) -> Result<MachineSurvey, EngineError> {
    let outside = seats::outside(config)?;
    let servers = discovery::servers(&outside.http, &outside.settings).await;
    let agents = seats::suggested(&servers, &outside);
    let lines = found::overview(&outside).await;
    let look = |name: &str| config.environment.get(name).map(str::to_owned);
    let engine = agents::search_engines::chosen(None, &look).ok().flatten();
    Ok(MachineSurvey { lines, agents, engine: engine.map(|chosen| chosen.row.name) })
}

/// Writes the file if everything in it can be used.
pub fn write(config: &Config, answers: &InitAnswers) -> Result<WrittenConfig, EngineError> {
    let path = config.paths.config_file.clone();
    let text = text(answers);
    let file = config::parse(&text, &path)?;
    settings::check(&Config { file, ..config.clone() })?;
    let before = path.exists().then(|| path.with_extension("toml.before"));
    if let Some(before) = &before {
        std::fs::copy(&path, before).map_err(|error| {
            Refusal::file(before, FileProblem::Unwritable { why: error.to_string() })
        })?;
    }
    settings::write(&path, &text)?;
    Ok(WrittenConfig { path, before })
}

/// Returns the text of the file.
pub fn text(answers: &InitAnswers) -> String {
    let mut out = String::from(
        "# Roundtable's settings. Every line is optional; `roundtable config show --sources`\n\
         # tells what holds and why, `roundtable config set KEY VALUE` changes one.\n\
         # Keys of providers do not belong here: set them in the environment.\n\n",
    );
    let quoted: Vec<String> = answers
        .agents
        .iter()
        .map(|spec| toml_edit::Value::from(spec.as_str()).to_string())
        .collect();
    let _ = if quoted.is_empty() {
        writeln!(
            out,
            "# Who debates, as provider/model or name=provider/model. Unset: every model that is\n\
             # found takes a seat, at most four.\n# agents = [\"anthropic\", \"openai\", \"gemini\"]\n"
        )
    } else {
        writeln!(
            out,
            "# Who debates, as provider/model or name=provider/model; behind a | the model that takes\n\
             # over when it fails.\nagents = [{}]\n",
            quoted.join(", ")
        )
    };
    // A limit that the user set also refuses calls of unknown price; the default
    // one does not.
    let daily = match answers.daily_budget.filter(|usd| *usd != USUAL_DAILY_USD) {
        Some(usd) => format!("daily_budget = {usd:?}"),
        None => format!("# daily_budget = {USUAL_DAILY_USD:?}"),
    };
    let _ = writeln!(
        out,
        "# The most that all debates of a day (UTC) may cost together, in USD; 0 is no limit. Under a\n\
         # limit you set, calls of unknown price are refused unless allow_unpriced is true.\n\
         {daily}\n\n\
         # The most one debate may cost, in USD.\n# budget = 2.0\n"
    );
    let search = answers.search.as_deref().unwrap_or("auto");
    let _ = writeln!(
        out,
        "# Who searches the web: auto (the provider's own search, else a search API), native, api, off.\n\
         search = {search:?}\n\n\
         # How a debate is held when you name no mode; `roundtable modes` explains them.\n\
         # mode = \"collaborative\"\n# rounds = 3\n\n\
         # End a debate early when its algorithm says so.\n\
         # [flags.exitCriteria]\n# enabled = true\n\n\
         # A panel under a name, for `roundtable debate --profile review`.\n\
         # [profiles.review]\n# about = \"Design reviews\"\n# agents = [\"anthropic\", \"openai\"]\n\
         # mode = \"red-team-blue-team\"\n# rounds = 2"
    );
    out
}

//! An order: a caller's request, as typed or sent, before any check. It becomes a
//! brief, and all its faults are reported together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use agents::Speaker;
use debate::model::*;

use crate::clock;
use crate::config::{self, Config};
use crate::error::EngineError;
use crate::outcomes::track;
use crate::sessions::analyse;
use crate::table::{constitution, lessons};

#[derive(Debug, Clone, Default)]
pub struct Order {
    /// A named panel with its settings; see [`crate::table::profile`].
    pub profile: Option<String>,
    pub topic: Option<String>,
    pub mode: Option<String>,
    pub agents: Vec<String>,
    pub rounds: Option<String>,
    /// Files, folders, and `-` for piped input; see `context`.
    pub context: Vec<PathBuf>,
    /// The piped input, if the context asks for it.
    pub piped: Option<Vec<u8>>,
    pub focus: Option<String>,
    pub perspectives: Vec<String>,
    /// How perspectives are given to seats: `round-robin`, `random`, or one name for
    /// each agent.
    pub assignment: Vec<String>,
    pub question: Question,
    /// True if the number asked for is an estimate.
    pub estimate: bool,
    /// How far apart two figures may lie: `0.5`, or `2%`.
    pub tolerance: Option<String>,
    /// debate, adaptive or vote; none: adaptive where the question has a form and
    /// no rounds are given.
    pub effort: Option<String>,
    /// The most sealed first answers.
    pub samples: Option<String>,
    pub depth: Option<String>,
    pub team_order: TeamOrder,
    pub stakes: Vec<String>,
    pub flags: Vec<String>,
    pub algorithm: Option<String>,
    pub temperature: Option<String>,
    pub max_output_tokens: Option<String>,
    pub timeout_seconds: Option<String>,
    pub seed: Option<String>,
    pub budget: Option<String>,
    pub script: Option<PathBuf>,
    pub words: Option<PathBuf>,
    /// The clerk, or `none`.
    pub clerk: Option<String>,
    pub importance: Option<String>,
    /// Facts about the decision that decide how deep an automatic debate goes.
    pub stakeholders: Option<String>,
    pub technical_domains: Option<String>,
    pub horizon: Option<String>,
    pub budget_impact: Option<String>,
    /// `name=value`.
    pub thresholds: Vec<String>,
    pub search: Option<String>,
    /// `None`: as the config file says, else on.
    pub context_requests: Option<bool>,
    /// The file to which every call is recorded.
    pub record: Option<PathBuf>,
    /// The recording that answers instead of the agents, and its speed.
    pub replay: Option<PathBuf>,
    pub replay_speed: Option<String>,
    pub project: Option<String>,
    /// `auto` has the clerk name it.
    pub domain: Option<String>,
    pub learning: lessons::LearningWish,
    /// The date on which to ask how the decision turned out.
    pub ask_on: Option<String>,
    pub caller: CallerContext,
}

/// Options that only another program can give.
#[derive(Clone, Default)]
pub struct CallerContext {
    /// Texts that every agent sees, as data.
    pub attachments: Vec<Attachment>,
    /// The number of seats if the order names no agents.
    pub seats: Option<usize>,
    /// The key that identifies a repeated start.
    pub start_key: Option<String>,
    /// Speaks for the caller's own model.
    pub voice: Option<Arc<dyn Speaker>>,
    /// True for a caller over MCP or HTTP, who may not lift the operator's limits.
    pub is_remote: bool,
}

impl std::fmt::Debug for CallerContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").field("attachments", &self.attachments.len()).finish()
    }
}

/// The word that has the clerk name the perspectives.
const NAMED_BY_CLERK: &str = "auto";

/// Makes the brief except for its seats and attachments. Collects every fault.
pub fn brief(config: &Config, order: &Order, topic: String) -> Result<Brief, EngineError> {
    let mut faults = OrderFaults::default();
    let file = &config.file;
    let mode = order.mode.clone().or_else(|| file.mode.clone());
    let mode = mode.unwrap_or_else(|| "collaborative".into());
    let place = lessons::place(config, order, &mut faults.0);
    let depth = faults.word("depth", order.depth.as_ref(), Depth::ALL, Depth::word);
    let usual_rounds = match depth {
        Depth::Extended => EXTENDED_ROUNDS,
        Depth::Standard | Depth::Auto => {
            debate::modes::find(&mode).and_then(|plan| plan.default_rounds).unwrap_or(3)
        }
    };
    let mut brief = Brief {
        topic,
        mode,
        agents: Vec::new(),
        rounds: faults.number("rounds", &order.rounds, file.rounds, usual_rounds, "1 to 20"),
        clerk: None,
        question: order.question.clone(),
        number: number_reading(order, &mut faults),
        effort: effort(order, file.rounds, &mut faults),
        samples: faults.number("samples", &order.samples, None, DEFAULT_SAMPLES, "1 to 100"),
        focus: order.focus.clone(),
        attachments: Vec::new(),
        perspectives: perspectives(order),
        stakes: faults.words("stakes", &order.stakes, Stake::ALL, Stake::word),
        limits: limits(config, order, &mut faults),
        budget: crate::table::money::of(order, file, &mut faults.0),
        flags: faults.flags(config, &order.flags),
        algorithm: faults.word(
            "algorithm",
            order.algorithm.as_ref().or(file.algorithm.as_ref()),
            Algorithm::ALL,
            Algorithm::word,
        ),
        thresholds: analyse::thresholds(&Thresholds::default(), &order.thresholds, &mut faults.0),
        require_evidence: false,
        depth,
        case: DecisionCase {
            counts: complexity_figures(order, &mut faults),
            importance: faults.word(
                "importance",
                order.importance.as_ref(),
                Importance::ALL,
                Importance::word,
            ),
            ..DecisionCase::default()
        },
        team_order: order.team_order,
        tools: Vec::new(),
        without_tools: Vec::new(),
        styles: Vec::new(),
        stand_ins: Vec::new(),
        required_questions: Vec::new(),
        embedder: None,
        seed: faults.number("seed", &order.seed, None, clock::new_seed(), "a whole number"),
        fence_key: clock::new_secret(),
        words: faults.templates(config, order),
        project: place.project,
        domain: place.domain,
        domain_by: place.domain_by,
        lessons: Vec::new(),
        calibration: CalibrationTable::default(),
        start_key: order.caller.start_key.clone(),
    };
    constitution::algorithm(config, order, &mut brief, &mut faults.0);
    switch_early_exit(config, order, &mut brief);
    lessons::switch(config, order, &mut faults.0);
    faults.0.extend(order.ask_on.as_deref().and_then(|text| track::ask_on(text).err()));
    if faults.0.is_empty() {
        return Ok(brief);
    }
    // The rest is checked as well, so that one run reports all faults.
    faults.0.extend(faults_of(&brief));
    Err(EngineError::Input(faults.0))
}

/// A deeper debate holds this many rounds where none are given.
const EXTENDED_ROUNDS: u32 = 3;
/// The flag that lets a debate end early.
const EARLY_EXIT: &str = "exitCriteria.enabled";

/// Choosing a way to end a debate switches early exit on, unless the same order
/// says otherwise.
fn switch_early_exit(config: &Config, order: &Order, brief: &mut Brief) {
    let chosen = order.algorithm.is_some()
        || config.file.algorithm.is_some()
        || config.constitution.require_evidence == Some(true);
    let set = order.flags.iter().any(|flag| flag.trim_start().starts_with(EARLY_EXIT));
    if chosen && !set {
        brief.flags.exit_criteria.enabled = true;
    }
}

fn complexity_figures(order: &Order, faults: &mut OrderFaults) -> ComplexityFigures {
    let mut count = |name: &str, given: &Option<String>| {
        given.as_ref().map(|_| faults.number(name, given, None, 0, "a whole number"))
    };
    let stakeholders = count("stakeholders", &order.stakeholders);
    let technical_domains = count("technical-domains", &order.technical_domains);
    let horizon = order.horizon.clone().into_iter().collect::<Vec<String>>();
    let impact = order.budget_impact.clone().into_iter().collect::<Vec<String>>();
    ComplexityFigures {
        stakeholders,
        technical_domains,
        horizon: faults.words("horizon", &horizon, Horizon::ALL, Horizon::word).first().copied(),
        budget_impact: faults.words("impact", &impact, Impact::ALL, Impact::word).first().copied(),
    }
}

fn number_reading(order: &Order, faults: &mut OrderFaults) -> NumberReading {
    let given = order.tolerance.as_deref();
    let tolerance = given.and_then(Tolerance::parse);
    if let (Some(text), None) = (given, tolerance) {
        faults.0.push(format!(
            "tolerance: {text:?} cannot be read; allowed: 0 or more, such as 0.5 or 2%"
        ));
    }
    NumberReading { estimate: order.estimate, tolerance }
}

/// As asked for; else first answers before talk wherever they can be counted and
/// nobody has planned rounds.
fn effort(order: &Order, file_rounds: Option<u32>, faults: &mut OrderFaults) -> DebateEffort {
    if order.effort.is_some() {
        let (all, word) = (DebateEffort::ALL, DebateEffort::word);
        return faults.word("effort", order.effort.as_ref(), all, word);
    }
    let mode = order.mode.as_deref().unwrap_or("collaborative");
    let all_vote = debate::modes::find(mode).is_some_and(|p| p.voters == VoterPlan::EverySeat);
    let planned = order.rounds.is_some() || file_rounds.is_some();
    if order.question.is_closed() && all_vote && !planned {
        DebateEffort::Adaptive
    } else {
        DebateEffort::Debate
    }
}

fn limits(config: &Config, order: &Order, faults: &mut OrderFaults) -> AnswerLimits {
    let usual = AnswerLimits::default();
    let file = &config.file;
    AnswerLimits {
        max_output_tokens: faults.number(
            "max-tokens",
            &order.max_output_tokens,
            file.max_output_tokens,
            usual.max_output_tokens,
            "256 or more",
        ),
        temperature: faults.number(
            "temperature",
            &order.temperature,
            file.temperature,
            usual.temperature,
            "0 to 2",
        ),
        timeout_seconds: faults.number(
            "timeout",
            &order.timeout_seconds,
            file.timeout_seconds,
            usual.timeout_seconds,
            "5 to 1800 seconds",
        ),
    }
}

/// Returns the faults of a brief, except those of its seats.
pub fn faults_of(brief: &Brief) -> Vec<String> {
    let names: Vec<&str> = debate::modes::all().iter().map(|plan| plan.name).collect();
    debate::casting::check(brief, debate::modes::find(&brief.mode), &names)
        .iter()
        .filter(|fault| !fault.field.starts_with("agents"))
        .map(ToString::to_string)
        .collect()
}

/// Splits `FLAG=VALUE` pairs.
pub fn pairs(given: &[String], faults: &mut Vec<String>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for flag in given {
        match flag.split_once('=') {
            Some((key, value)) => pairs.push((key.trim().into(), value.trim().into())),
            None => faults.push(format!("flag: {flag:?} is not FLAG=VALUE")),
        }
    }
    pairs
}

/// The faults found so far. Each reader returns a usable value either way, so that
/// reading can continue.
#[derive(Default)]
struct OrderFaults(Vec<String>);

impl OrderFaults {
    /// Returns this debate's value, else the config file's, else the default.
    fn number<T: FromStr>(
        &mut self,
        name: &str,
        given: &Option<String>,
        from_file: Option<T>,
        usual: T,
        allowed: &str,
    ) -> T {
        match given.as_ref().map(|text| (text, text.trim().parse::<T>())) {
            None => from_file.unwrap_or(usual),
            Some((_, Ok(value))) => value,
            Some((text, Err(_))) => {
                self.0.push(format!("{name}: {text:?} cannot be read; allowed: {allowed}"));
                usual
            }
        }
    }

    fn word<T: Copy + Default, const N: usize>(
        &mut self,
        name: &str,
        given: Option<&String>,
        all: [T; N],
        word: fn(T) -> &'static str,
    ) -> T {
        let given: Vec<String> = given.cloned().into_iter().collect();
        self.words(name, &given, all, word).first().copied().unwrap_or_default()
    }

    fn words<T: Copy, const N: usize>(
        &mut self,
        name: &str,
        given: &[String],
        all: [T; N],
        word: fn(T) -> &'static str,
    ) -> Vec<T> {
        let mut found = Vec::new();
        for text in given {
            match all.into_iter().find(|value| word(*value).eq_ignore_ascii_case(text.trim())) {
                Some(value) => found.push(value),
                None => {
                    let hint = config::did_you_mean(text, &all.map(word));
                    self.0.push(format!("{name}: {text:?} is unknown; {hint}"));
                }
            }
        }
        found
    }

    fn flags(&mut self, config: &Config, given: &[String]) -> Flags {
        let pairs = pairs(given, &mut self.0);
        match config.flags(&pairs) {
            Ok(resolved) => resolved.flags,
            Err(error) => {
                self.0.extend(error.to_string().lines().map(str::to_owned));
                Flags::default()
            }
        }
    }

    fn templates(&mut self, config: &Config, order: &Order) -> BTreeMap<String, String> {
        let read = match &order.words {
            None => return config.words.clone(),
            Some(folder) if folder.is_dir() => {
                config::read_words(folder).map_err(|error| error.to_string())
            }
            Some(folder) => Err(format!("words: there is no folder {}", folder.display())),
        };
        read.unwrap_or_else(|fault| {
            self.0.push(fault);
            BTreeMap::new()
        })
    }
}

fn perspectives(order: &Order) -> Perspectives {
    let given = order.perspectives.as_slice();
    let source = match given {
        [only] if only.eq_ignore_ascii_case(NAMED_BY_CLERK) => PerspectiveSource::Generated,
        _ => PerspectiveSource::Given,
    };
    let named = given.iter().filter(|_| source == PerspectiveSource::Given);
    let named = named.map(|text| {
        let (name, description) = text.split_once(':').unwrap_or((text, ""));
        Perspective {
            name: name.trim().into(),
            description: description.trim().into(),
            ..Perspective::default()
        }
    });
    let assignment = match order.assignment.as_slice() {
        [] => Assignment::RoundRobin,
        [only] if only.eq_ignore_ascii_case("round-robin") => Assignment::RoundRobin,
        [only] if only.eq_ignore_ascii_case("random") => Assignment::Random,
        names => Assignment::Explicit(names.iter().map(|name| name.trim().into()).collect()),
    };
    Perspectives { source, given: named.collect(), assignment }
}

//! Makes the brief of an order: every value is read and checked, and all faults are
//! reported together.

pub mod depth_cost;
pub mod faults;

use debate::model::*;

use crate::clock;
use crate::config::Config;
use crate::error::{EngineError, Problem, Refusal, SettingName};
use crate::outcomes::track;
use crate::table::order::Order;
use crate::table::{constitution, lessons, money};
use faults::OrderFaults;

/// The word that has the clerk name the perspectives.
const NAMED_BY_CLERK: &str = "auto";

/// Makes the brief except for its seats and attachments. Collects every fault.
pub fn brief(config: &Config, order: &Order, topic: String) -> Result<Brief, EngineError> {
    let mut faults = OrderFaults::default();
    let file = &config.file;
    let mode = order.mode.clone().or_else(|| file.mode.clone());
    let mode = mode.unwrap_or_else(|| "collaborative".into());
    let depth = faults.word(SettingName::Depth, order.depth.as_ref(), Depth::ALL, Depth::word);
    let rounds = rounds(order, file.rounds, (&mode, depth), &mut faults);
    let place = lessons::place(config, order, &mut faults.0);
    // The seats, the attachments and what was learned come later.
    let bare = Brief::new(&topic, &mode, Vec::new(), &clock::new_secret());
    let mut brief = Brief {
        rounds,
        question: order.question.clone(),
        number: number_reading(order, &mut faults),
        effort: effort(order, file.rounds, &mut faults),
        samples: faults.number(
            SettingName::Samples,
            &order.samples,
            None,
            DEFAULT_SAMPLES,
            "1 to 100",
        ),
        focus: order.focus.clone(),
        language: language(order, &mut faults),
        perspectives: perspectives(order),
        stakes: faults.words(SettingName::Stakes, &order.stakes, Stake::ALL, Stake::word),
        limits: limits(config, order, &mut faults),
        budget: money::of(order, file, &mut faults.0),
        flags: faults.flags(config, &order.flags),
        algorithm: faults.word(
            SettingName::Algorithm,
            order.algorithm.as_ref().or(file.algorithm.as_ref()),
            Algorithm::ALL,
            Algorithm::word,
        ),
        thresholds: faults::thresholds(&Thresholds::default(), &order.thresholds, &mut faults.0),
        depth,
        case: DecisionCase {
            counts: complexity_figures(order, &mut faults),
            importance: importance(order, &mut faults),
            ..DecisionCase::default()
        },
        team_order: order.team_order,
        required_questions: order.questions.clone(),
        seed: faults.number(
            SettingName::Seed,
            &order.seed,
            None,
            clock::new_seed(),
            "a whole number",
        ),
        words: faults.templates(config, order),
        project: place.project,
        domain: place.domain,
        domain_by: place.domain_by,
        start_key: order.caller.start_key.clone(),
        after: order.earlier.clone(),
        ..bare
    };
    constitution::algorithm(config, order, &mut brief, &mut faults.0);
    switch_early_exit(config, order, &mut brief);
    lessons::switch(config, order, &mut faults.0);
    let ask_on = order.ask_on.as_deref().and_then(|text| track::ask_on(text).err());
    faults.0.extend(ask_on.map(|fault| *fault));
    if faults.0.is_empty() {
        return Ok(brief);
    }
    // The rest is checked as well, so that one run reports all faults.
    faults.0.extend(faults::faults_of(&brief));
    Err(EngineError::Refused(faults.0))
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
    let mut count = |name: SettingName, given: &Option<String>| {
        given.as_ref().map(|_| faults.number(name, given, None, 0, "a whole number"))
    };
    let stakeholders = count(SettingName::Stakeholders, &order.stakeholders);
    let technical_domains = count(SettingName::TechnicalDomains, &order.technical_domains);
    let horizon: Vec<String> = order.horizon.clone().into_iter().collect();
    let impact: Vec<String> = order.budget_impact.clone().into_iter().collect();
    let horizon = faults.words(SettingName::Horizon, &horizon, Horizon::ALL, Horizon::word);
    let impact = faults.words(SettingName::BudgetImpact, &impact, Impact::ALL, Impact::word);
    ComplexityFigures {
        stakeholders,
        technical_domains,
        horizon: horizon.first().copied(),
        budget_impact: impact.first().copied(),
    }
}

fn rounds(
    order: &Order,
    of_file: Option<u32>,
    (mode, depth): (&str, Depth),
    faults: &mut OrderFaults,
) -> u32 {
    let usual = match depth {
        Depth::Extended => EXTENDED_ROUNDS,
        Depth::Standard | Depth::Auto => {
            debate::modes::find(mode).and_then(|plan| plan.default_rounds).unwrap_or(3)
        }
    };
    faults.number(SettingName::Rounds, &order.rounds, of_file, usual, "1 to 20")
}

fn importance(order: &Order, faults: &mut OrderFaults) -> Importance {
    let (all, word) = (Importance::ALL, Importance::word);
    faults.word(SettingName::Importance, order.importance.as_ref(), all, word)
}

/// A language that is not known is asked for as it was named; a name is short.
fn language(order: &Order, faults: &mut OrderFaults) -> Option<String> {
    let given = order.language.as_ref()?.trim().to_owned();
    let named = given.chars().all(|c| c.is_alphabetic() || " -_()".contains(c));
    if given.is_empty() || given.chars().count() > LONGEST_LANGUAGE || !named {
        let problem = Problem::malformed("a language by its tag or name, such as de or German");
        faults.0.push(Refusal::setting(SettingName::Language, given, problem));
        return None;
    }
    Some(given)
}

/// No name of a language is longer.
const LONGEST_LANGUAGE: usize = 40;

fn number_reading(order: &Order, faults: &mut OrderFaults) -> NumberReading {
    let given = order.tolerance.as_deref();
    let tolerance = given.and_then(Tolerance::parse);
    if let (Some(text), None) = (given, tolerance) {
        let problem = Problem::malformed("0 or more, such as 0.5 or 2%");
        faults.0.push(Refusal::setting(SettingName::Tolerance, text, problem));
    }
    NumberReading { estimate: order.estimate, tolerance }
}

/// As asked for; else first answers before talk wherever they can be counted and
/// nobody has planned rounds.
fn effort(order: &Order, file_rounds: Option<u32>, faults: &mut OrderFaults) -> DebateEffort {
    if order.effort.is_some() {
        let (all, word) = (DebateEffort::ALL, DebateEffort::word);
        return faults.word(SettingName::Effort, order.effort.as_ref(), all, word);
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
            SettingName::MaxOutputTokens,
            &order.max_output_tokens,
            file.max_output_tokens,
            usual.max_output_tokens,
            "256 or more",
        ),
        temperature: faults.number(
            SettingName::Temperature,
            &order.temperature,
            file.temperature,
            usual.temperature,
            "0 to 2",
        ),
        timeout_seconds: faults.number(
            SettingName::Timeout,
            &order.timeout_seconds,
            file.timeout_seconds,
            usual.timeout_seconds,
            "5 to 1800 seconds",
        ),
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

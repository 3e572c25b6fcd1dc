//! Measuring on the command line: scenarios, comparisons and question sets, and
//! the options that record and replay.

mod progress;
mod quality_view;
mod run_file;
mod view;

use std::path::PathBuf;

use clap::Args;
use engine::nouns::CancellationToken;
use engine::run::spawn;
use serde_json::json;

use super::ExitStatus;
use super::arguments::{TapeArgs, pretty};
use super::command::{CommandEnd, CommandRow};
use super::watch::signals;
use crate::terminal::out;
use engine::config::Config;
use engine::error::{At, EngineError, SettingName, refuse_all};
use engine::spelling::did_you_mean;
use engine::table::money;
use lab::quality::arms::Arm;
use lab::quality::{self, QualityEnd, QualityPlan, Speakers};
use lab::run::{self, BenchEnd, Plan, Source};
use lab::{compare, export, runs, scenario, shipped};
use progress::{Bar, Motion};
use quality_view::quality as quality_table;

/// Hold the debates of scenarios and measure each.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable bench run devils-advocate-baseline devils-advocate-parallel
  roundtable bench run all --repeat 3 --export results.csv
  roundtable bench run my-scenario.toml --agents anthropic,openai,gemini --cap 5
  roundtable bench run my-scenario.toml --agents ollama/llama3.2,ollama/qwen3 --record tape.jsonl
  roundtable bench run my-scenario.toml --replay tape.jsonl
  roundtable bench run --resume my-scenario-1

A scenario is a TOML or YAML file: name, topic (or questions = FILE), mode, rounds, repeat, seed, \
agents or script, [flags.GROUP]. Without agents it is held by simulated ones, which cost nothing.")]
pub struct BenchRunArgs {
    /// Files, names from `roundtable bench list`, or a group: baseline, parallel, all.
    #[arg(value_name = "SCENARIO", required_unless_present = "resume")]
    pub scenarios: Vec<String>,
    /// Live agents for all of them, as in `roundtable debate --agents`.
    #[arg(short, long, value_name = "AGENTS", value_delimiter = ',', conflicts_with_all = ["script", "simulated", "replay"])]
    pub agents: Vec<String>,
    /// Who sums up and analyses, with live agents: PROVIDER/MODEL, or none [default: chosen].
    #[arg(long, value_name = "CLERK", requires = "agents")]
    pub clerk: Option<String>,
    /// Let a file speak for the agents.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["simulated", "replay"])]
    pub script: Option<PathBuf>,
    /// Simulated agents, whoever the scenarios name.
    #[arg(long, conflicts_with = "replay")]
    pub simulated: bool,
    #[command(flatten)]
    pub tape: TapeArgs,
    /// The most all of it may cost, in USD.
    #[arg(long, value_name = "USD")]
    pub cap: Option<String>,
    /// How many debates of each scenario, instead of what it says.
    #[arg(long, value_name = "N")]
    pub repeat: Option<u32>,
    /// The first seed, instead of what the scenario says.
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// What to call the run; a number is added [default: the scenario's name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Resume a run that was cut off or reached its cap.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["scenarios", "agents", "script", "simulated", "replay", "record", "repeat", "seed", "name"])]
    pub resume: Option<String>,
    /// Write the results to a file ending in .json, .csv or .md; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub export: Vec<PathBuf>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// List the scenarios that come with the program.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable bench list")]
pub struct BenchListArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// List runs, or show the results of one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable bench show")]
pub struct BenchShowArgs {
    /// The run; without it, all of them are listed.
    pub run: Option<String>,
    /// Write the results to a file ending in .json, .csv or .md; may be given several times.
    #[arg(long, value_name = "FILE", requires = "run")]
    pub export: Vec<PathBuf>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// Set two runs or scenarios side by side: adopt, reject or conditional.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable bench compare devils-advocate-baseline devils-advocate-parallel
  roundtable bench compare run-1:socratic-baseline run-1:socratic-parallel
  roundtable bench compare before.json after.json --json

Reject: latency falls by less than 30 % or interaction by more than 20 %. Conditional: it would pass, \
but the interval does not, or the quality score falls.")]
pub struct BenchCompareArgs {
    /// A run, RUN:SCENARIO, a scenario's newest results, or an exported JSON file.
    pub baseline: String,
    /// The same, to be measured against it.
    pub variant: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// Put questions with known answers before agents: does debating help?
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable bench quality questions.toml --simulated \"three equals\"
  roundtable bench quality questions.yaml --agents anthropic,openai,gemini --seeds 3 --cap 20
  roundtable bench quality gsm8k.json --agents ollama/qwen3,ollama/qwen3 --arms plain,first --parallel 8
  roundtable bench quality questions.toml --replay tape.jsonl

A question file holds [[item]] with question, answer, and options for multiple choice; an answer of yes or \
no, or a number (with tolerance, a share), needs no options. What cannot be read counts as wrong. The \
first agent is the one whose repeated vote is the rival: name the best one first.")]
pub struct BenchQualityArgs {
    /// Questions with known answers: TOML, YAML or JSON.
    pub file: PathBuf,
    /// Simulated agents, by the name of a regime.
    #[arg(long, value_name = "REGIME", num_args = 0..=1, default_missing_value = "three equals", conflicts_with_all = ["agents", "replay"])]
    pub simulated: Option<String>,
    /// Live agents, the best one first, as in `roundtable debate --agents`.
    #[arg(short, long, value_name = "AGENTS", value_delimiter = ',', conflicts_with = "replay")]
    pub agents: Vec<String>,
    /// Who sums up and analyses, with live agents: PROVIDER/MODEL, or none [default: none].
    #[arg(long, value_name = "CLERK", requires = "agents")]
    pub clerk: Option<String>,
    #[command(flatten)]
    pub tape: TapeArgs,
    /// The ways of answering to measure, by name: plain, plain-vote, seat, seat-vote, first, first-weighed,
    /// adaptive, last, debate, without-discount, without-tempering, without-new-evidence,
    /// without-first-votes, without-objections [default: all]
    #[arg(long, value_name = "ARMS", value_delimiter = ',')]
    pub arms: Vec<String>,
    /// Questions to answer at the same time, 1 to 1000; one at a time under --cap.
    #[arg(long, value_name = "N", default_value = "4")]
    pub parallel: usize,
    /// Write what the models' stated confidence is worth to this file; put it beside the database as
    /// calibration.json and debates use it.
    #[arg(long, value_name = "FILE")]
    pub calibrate: Option<PathBuf>,
    /// Ask nothing: report on the answers that are kept from earlier runs of this command.
    #[arg(long)]
    pub report: bool,
    /// How the debates are held [default: collaborative]
    #[arg(short, long, value_name = "MODE")]
    pub mode: Option<String>,
    /// How many rounds, 1 to 20.
    #[arg(short, long, value_name = "N", default_value = "3")]
    pub rounds: u32,
    /// How often every question is asked, each time with the next seed.
    #[arg(long, value_name = "N", default_value = "3")]
    pub seeds: u32,
    /// The first seed.
    #[arg(long, value_name = "SEED", default_value = "1")]
    pub seed: u64,
    /// The most all of it may cost, in USD.
    #[arg(long, value_name = "USD")]
    pub cap: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// The commands below `roundtable bench`.
pub fn commands() -> Vec<CommandRow> {
    vec![
        CommandRow::of("run", run),
        CommandRow::of("list", list),
        CommandRow::of("show", show),
        CommandRow::of("compare", compare),
        CommandRow::of("quality", quality),
    ]
}

fn bar(config: &Config) -> Bar {
    Bar::new(if config.environment.stderr_is_terminal { Motion::Moving } else { Motion::Still })
}

/// Fires on the first Ctrl-C.
fn interruptible() -> CancellationToken {
    let cancel = CancellationToken::new();
    let fires = cancel.clone();
    spawn(async move {
        signals::signal().await;
        fires.cancel();
        out::note(
            "\nInterrupted: what is measured so far is kept. Press Ctrl-C again to leave at once.",
        );
        signals::exit_at_next(|| {}).await;
    });
    cancel
}

fn cap(given: Option<&str>) -> Result<Option<debate::model::MicroUsd>, EngineError> {
    let mut faults = Vec::new();
    let at = At::Setting(SettingName::Cap);
    let cap = given.and_then(|text| money::amount(at, text, &mut faults));
    refuse_all(faults)?;
    Ok(cap)
}

async fn run(config: &Config, args: BenchRunArgs) -> CommandEnd {
    for path in &args.export {
        run_file::form(path)?;
    }
    let cap = cap(args.cap.as_deref())?;
    let mut run = match &args.resume {
        Some(name) => {
            let mut run = runs::load(&config.paths.bench, name)?;
            run.head.plan.cap = cap.or(run.head.plan.cap);
            run
        }
        None => run::begin(config, args.name.as_deref(), planned(&args, cap)?).await?,
    };
    let (bar, cancel) = (bar(config), interruptible());
    let ended = run::go_on(config, &mut run, &bar, &cancel).await;
    bar.finish();
    let ended = ended?;
    for path in &args.export {
        run_file::write(&run, path)?;
    }
    out::print(&if args.json {
        pretty(&export::as_json(&run))
    } else {
        view::run(out::page(), &run, Some(&ended))
    })?;
    Ok(match ended {
        BenchEnd::Whole if run.failed().is_empty() => ExitStatus::Done,
        BenchEnd::Whole => ExitStatus::Failed,
        BenchEnd::AtCap(_) => ExitStatus::Paused,
        BenchEnd::Interrupted => ExitStatus::Interrupted,
    })
}

fn planned(args: &BenchRunArgs, cap: Option<debate::model::MicroUsd>) -> Result<Plan, EngineError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if let Some(name) = args
        .name
        .as_ref()
        .filter(|name| name.is_empty() || name.starts_with('.') || !name.chars().all(plain))
    {
        return Err(EngineError::input(format!(
            "--name: {name:?} is not allowed; allowed: letters, digits, - _ and ."
        )));
    }
    let mut scenarios = shipped::find(&args.scenarios)?;
    for scenario in &mut scenarios {
        scenario.repeat = args.repeat.unwrap_or(scenario.repeat);
        scenario.seed = args.seed.unwrap_or(scenario.seed);
    }
    if args.repeat == Some(0) {
        return Err(EngineError::input("--repeat: 0 is not allowed; allowed: 1 or more"));
    }
    let source = match (&args.script, &args.tape.replay, args.agents.is_empty(), args.simulated) {
        (Some(file), ..) => Source::Script { file: file.clone() },
        (_, Some(file), ..) => {
            Source::Recording { file: file.clone(), speed: args.tape.replay_speed.clone() }
        }
        (.., false, _) => Source::Live { agents: args.agents.clone(), clerk: args.clerk.clone() },
        (.., true) => Source::Simulated,
        _ => Source::AsWritten,
    };
    let cases = scenarios.iter_mut().map(|one| std::mem::take(&mut one.cases)).collect();
    Ok(Plan { scenarios, cases, source, cap, record: args.tape.record.clone() })
}

async fn list(_: &Config, args: BenchListArgs) -> CommandEnd {
    let all = shipped::all()?;
    out::print(&if args.json {
        let rows = all.iter().map(|scenario| {
            json!({
                "name": scenario.name, "about": scenario.about, "mode": scenario.mode,
                "rounds": scenario.rounds, "repeat": scenario.repeat,
            })
        });
        pretty(&json!(rows.collect::<Vec<_>>()))
    } else {
        view::scenarios(&all)
    })?;
    Ok(ExitStatus::Done)
}

async fn show(config: &Config, args: BenchShowArgs) -> CommandEnd {
    for path in &args.export {
        run_file::form(path)?;
    }
    let Some(name) = &args.run else {
        let names = runs::names(&config.paths.bench);
        out::print(&if args.json { pretty(&json!(names)) } else { view::run_names(&names) })?;
        return Ok(ExitStatus::Done);
    };
    let run = runs::load(&config.paths.bench, name)?;
    for path in &args.export {
        run_file::write(&run, path)?;
    }
    out::print(&if args.json {
        pretty(&export::as_json(&run))
    } else {
        view::run(out::page(), &run, None)
    })?;
    Ok(ExitStatus::Done)
}

async fn compare(config: &Config, args: BenchCompareArgs) -> CommandEnd {
    let bench = &config.paths.bench;
    let baseline = compare::side(bench, &args.baseline)?;
    let variant = compare::side(bench, &args.variant)?;
    let comparison = compare::compare(&baseline, &variant)?;
    out::print(&if args.json {
        pretty(&json!(comparison))
    } else {
        view::compared(out::page(), &comparison)
    })?;
    Ok(ExitStatus::Done)
}

async fn quality(config: &Config, args: BenchQualityArgs) -> CommandEnd {
    let plan = quality_plan(&args)?;
    let (end, answered) = if args.report {
        let (report, answered) = quality::kept(config, &plan)?;
        (QualityEnd::Whole(Box::new(report)), answered)
    } else {
        let (bar, cancel) = (bar(config), interruptible());
        let ended = quality::measure(config, &plan, &bar, &cancel).await;
        bar.finish();
        ended?
    };
    if let Some(file) = &args.calibrate {
        let table = quality::calibrating::table(&plan, &answered);
        std::fs::write(file, pretty(&table)).map_err(|error| {
            EngineError::input(format!("cannot write {}: {error}", file.display()))
        })?;
    }
    let (done, all, exit) = match end {
        QualityEnd::Whole(report) => {
            out::print(&if args.json {
                pretty(&json!(report))
            } else {
                quality_table(out::page(), &report)
            })?;
            return Ok(ExitStatus::Done);
        }
        QualityEnd::Cut { done, all, why } => {
            out::note(&format!("The money cap is reached: {why}"));
            (done, all, ExitStatus::Paused)
        }
        QualityEnd::Interrupted { done, all } => (done, all, ExitStatus::Interrupted),
    };
    out::note(&format!(
        "{done} of {all} answered and kept; the same command picks up where it left off, and with \
         --report it shows what there is."
    ));
    Ok(exit)
}

/// The arms by their words; all where none is named.
fn arms(words: &[String], faults: &mut Vec<String>) -> Vec<Arm> {
    if words.is_empty() {
        return Arm::ALL.to_vec();
    }
    let known: Vec<&str> = Arm::ALL.iter().map(|arm| arm.word()).collect();
    for word in words.iter().filter(|word| !known.contains(&word.as_str())) {
        let hint = did_you_mean(word, &known);
        faults.push(format!("--arms: {word:?} is unknown; {hint}"));
    }
    Arm::ALL.into_iter().filter(|arm| words.iter().any(|word| word == arm.word())).collect()
}

fn quality_plan(args: &BenchQualityArgs) -> Result<QualityPlan, EngineError> {
    let mut faults = Vec::new();
    let questions = match quality::questions::Questions::load(&args.file) {
        Ok(questions) => Some(questions),
        Err(more) => {
            faults.extend(more);
            None
        }
    };
    let mode = args.mode.clone().unwrap_or_else(|| "collaborative".into());
    let modes: Vec<&str> = debate::modes::all().iter().map(|plan| plan.name).collect();
    if !modes.contains(&mode.as_str()) {
        let hint = did_you_mean(&mode, &modes);
        faults.push(format!("--mode: {mode:?} is unknown; {hint}"));
    }
    if !(1..=20).contains(&args.rounds) {
        faults.push(format!("--rounds: {} is not allowed; allowed: 1 to 20", args.rounds));
    }
    if !(1..=100).contains(&args.seeds) {
        faults.push(format!("--seeds: {} is not allowed; allowed: 1 to 100", args.seeds));
    }
    if !(1..=1000).contains(&args.parallel) {
        faults.push(format!("--parallel: {} is not allowed; allowed: 1 to 1000", args.parallel));
    }
    let arms = arms(&args.arms, &mut faults);
    if args.agents.len() == 1 {
        faults.push("--agents: 1 agent; allowed: 2 to 10".into());
    }
    let speakers = match (&args.simulated, &args.tape.replay, args.agents.is_empty()) {
        (_, Some(file), _) => Some(Speakers::Recording { file: file.clone() }),
        (_, _, false) => {
            let clerk = Some(args.clerk.clone().unwrap_or_else(|| "none".into()));
            Some(Speakers::Live { agents: args.agents.clone(), clerk })
        }
        (Some(name), ..) => {
            let regime = scenario::regime(name);
            if regime.is_none() {
                let hint = scenario::known_regimes(name);
                faults.push(format!("--simulated: there is no regime {name:?}; {hint}"));
            }
            regime.map(Speakers::Simulated)
        }
        (None, None, true) => {
            faults.push(
                "say who answers: --agents for live ones, --simulated, or --replay FILE".into(),
            );
            None
        }
    };
    let cap = cap(args.cap.as_deref());
    if let Err(trouble) = &cap {
        faults.extend(super::wording::lines(trouble));
    }
    match (questions, speakers, cap) {
        (Some(questions), Some(speakers), Ok(cap)) if faults.is_empty() => Ok(QualityPlan {
            text: std::fs::read_to_string(&args.file).unwrap_or_default(),
            questions,
            speakers,
            arms,
            parallel: args.parallel,
            mode,
            rounds: args.rounds,
            seeds: args.seeds,
            seed: args.seed,
            cap,
            record: args.tape.record.clone(),
        }),
        _ => Err(EngineError::Face(faults)),
    }
}

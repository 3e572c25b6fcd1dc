//! The machine without disk and without waiting: what a round takes, how large
//! views are beside the whole transcript, and what a debate costs in tokens.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::simulated::lively::{Lively, Manner};
use crate::simulated::{self, Debater, Labels, SimulatedItem, SimulatedSitting, Talk};
use agents::{CancellationToken, NoWatch, Panel};
use debate::Debate;
use debate::model::{Brief, Input, Round, Step, tokens};

use crate::engine_figures::{FigureRow, FigureSize};
use engine::error::EngineError;

const NAMES: [&str; 10] =
    ["Ada", "Brook", "Chen", "Dara", "Emre", "Fay", "Gil", "Hana", "Ivo", "June"];
const POSITIONS: [&str; 4] = ["at once", "in stages", "later", "never"];
/// In USD for a million tokens, read and written: about what a strong model
/// costs, nothing cached.
const READ: f64 = 3.0;
const WRITTEN: f64 = 15.0;

/// A debate of so many simulated agents.
pub struct FiguresTable {
    pub debate: Debate,
    pub panel: Panel,
}

pub struct DebateShape<'a> {
    pub mode: &'a str,
    pub agents: usize,
    pub rounds: u32,
    pub manner: Manner,
    pub change: fn(&mut Brief),
}

impl Default for DebateShape<'_> {
    fn default() -> Self {
        DebateShape {
            mode: "collaborative",
            agents: 3,
            rounds: 3,
            manner: Manner::default(),
            change: |_| {},
        }
    }
}

pub fn table(shape: &DebateShape<'_>) -> Result<FiguresTable, EngineError> {
    let people: Vec<Debater> =
        NAMES.iter().take(shape.agents).map(|name| Debater::new(name, 0.8)).collect();
    let agents = people.iter().map(simulated::agent).collect();
    let topic = "Should the new billing be switched on at once, in stages, later or never?";
    let mut brief = Brief::new(topic, shape.mode, agents, &"5".repeat(32));
    brief.rounds = shape.rounds;
    // A round of objections would be one more than is counted.
    brief.flags.groupthink_detection.enabled = false;
    (shape.change)(&mut brief);
    let labels = Labels::Words(POSITIONS.map(String::from).to_vec());
    let item = SimulatedItem::given(1, 1, POSITIONS.len(), 1);
    let sitting = SimulatedSitting::of(item, Cow::Owned(people), Talk::new(-1.2, 0.0), labels);
    let panel = Lively::panel(&Arc::new(sitting), &Arc::new(shape.manner.clone()));
    let (debate, _) = Debate::open(brief)?;
    Ok(FiguresTable { debate, panel })
}

/// What one round took and showed.
pub struct RoundWalk {
    pub round: Round,
    pub machine: Duration,
    /// Of the first speaker, in tokens.
    pub view: usize,
    pub read: usize,
    pub written: usize,
}

/// Holds a debate and looks at every round. Only the machine is timed.
pub async fn walk(table: FiguresTable) -> Result<(Debate, Vec<RoundWalk>), EngineError> {
    let FiguresTable { mut debate, panel } = table;
    let mut rounds: Vec<RoundWalk> = Vec::new();
    debate.hear(Input::Go);
    loop {
        let started = Instant::now();
        let step = debate.next_step();
        let mut machine = started.elapsed();
        let asks = match step {
            Step::Ask(asks) => asks,
            Step::Embed(_) => {
                let reason = "the machine is measured alone".into();
                debate.hear(Input::NotCompared { reason });
                continue;
            }
            Step::Done(_) => return Ok((debate, rounds)),
            Step::Await(_) => {
                return Err(EngineError::Tape("a simulated debate came to a halt".into()));
            }
        };
        let round = asks.first().map_or(0, |ask| ask.id.round);
        let view = asks.first().map_or(0, |ask| ask.shown.tokens.view);
        let (mut read, mut written) = (0, 0);
        for ask in asks {
            let Some(speaker) = panel.speaker(&ask) else { continue };
            read += ask.system.tokens() + ask.user.tokens() + ask.schema.tokens();
            let said = speaker.speak(&ask, &NoWatch, CancellationToken::new()).await;
            let heard = match said {
                Ok(reply) => {
                    written += tokens(&reply.text);
                    Input::Replied { ask: ask.id, reply: Box::new(reply) }
                }
                Err(failure) => Input::Failed { ask: ask.id, failure },
            };
            let started = Instant::now();
            debate.hear(heard);
            machine += started.elapsed();
        }
        match rounds.last_mut().filter(|last| last.round == round) {
            Some(last) => {
                last.machine += machine;
                last.read += read;
                last.written += written;
            }
            None => rounds.push(RoundWalk { round, machine, view, read, written }),
        }
    }
}

/// The fastest of several, round by round: what the machine needs when nobody
/// else does.
pub async fn cpu(size: FigureSize) -> Result<Vec<FigureRow>, EngineError> {
    const GROUP: &str = "machine";
    let (runs, last) = (size.of(40, 2), size.of(20, 4));
    let mut rows = Vec::new();
    for agents in [3, 5, 10] {
        let mut best: Vec<Duration> = Vec::new();
        for _ in 0..runs {
            let shape = DebateShape { agents, rounds: last, ..DebateShape::default() };
            let (_, walked) = walk(table(&shape)?).await?;
            best.resize(walked.len().max(best.len()), Duration::MAX);
            for (best, round) in best.iter_mut().zip(&walked) {
                *best = round.machine.min(*best);
            }
        }
        for round in [1, last] {
            let Some(time) = best.get(round as usize - 1) else { continue };
            let what = format!("one round, {agents} agents, round {round}");
            rows.push(FigureRow::new(GROUP, what, time.as_secs_f64() * 1e3, "ms"));
        }
    }
    if let Some(row) = rows.first_mut() {
        row.note = format!("views, prompts, reading, ledger, analysis; best of {runs}");
    }
    let (many, started) = (size.of(2000_u32, 20), Instant::now());
    for _ in 0..many {
        walk(table(&DebateShape::default())?).await?;
    }
    let second = f64::from(many) / started.elapsed().as_secs_f64();
    rows.push(
        FigureRow::new(GROUP, "whole debates on one core, 3 agents, 3 rounds", second, "debates/s")
            .noting("the writing of the simulated answers included, nothing stored"),
    );
    Ok(rows)
}

pub async fn views(size: FigureSize) -> Result<Vec<FigureRow>, EngineError> {
    const GROUP: &str = "views";
    let rounds = size.of(20, 4);
    let manner = Manner { words: 400, ..Manner::default() };
    let shape = DebateShape { agents: 5, rounds, manner, ..DebateShape::default() };
    let (_, walked) = walk(table(&shape)?).await?;
    let mut rows = Vec::new();
    let mut transcript = 0;
    for one in &walked {
        if [2, 3, 5, 10, 20].contains(&one.round) {
            let what = format!("view in round {}", one.round);
            let share = 100.0 * one.view as f64 / (transcript.max(1)) as f64;
            rows.push(
                FigureRow::new(GROUP, what, one.view as f64, "tokens")
                    .noting(format!("whole transcript {transcript}, {share:.0} % of it")),
            );
        }
        transcript += one.written;
    }
    Ok(rows)
}

pub async fn costs(size: FigureSize) -> Result<Vec<FigureRow>, EngineError> {
    const GROUP: &str = "cost";
    let mut rows = Vec::new();
    let all_rounds: &[u32] = size.of(&[1, 2, 3, 5, 10], &[1, 2]);
    for agents in [2, 3, 5, 10] {
        for rounds in all_rounds {
            let shape = DebateShape { agents, rounds: *rounds, ..DebateShape::default() };
            let (_, walked) = walk(table(&shape)?).await?;
            let read: usize = walked.iter().map(|one| one.read).sum();
            let written: usize = walked.iter().map(|one| one.written).sum();
            let usd = (read as f64 * READ + written as f64 * WRITTEN) / 1e6;
            let rounds = match rounds {
                1 => "1 round".to_owned(),
                more => format!("{more} rounds"),
            };
            rows.push(
                FigureRow::new(GROUP, format!("{agents} agents, {rounds}"), usd, "USD")
                    .noting(format!("{read} tokens read, {written} written")),
            );
        }
    }
    if let Some(row) = rows.first_mut() {
        row.note.push_str(&format!(
            "; at ${READ} and ${WRITTEN} a million, answers of 250 words, no clerk, nothing cached"
        ));
    }
    Ok(rows)
}

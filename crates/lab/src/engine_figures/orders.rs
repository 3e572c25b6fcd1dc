//! What orders of speaking do to the time of a debate, by the critical path:
//! the slowest answer of every wave, added up.

use crate::simulated::lively::Manner;
use debate::model::{Brief, ParallelLevel};

use crate::engine_figures::FigureRow;
use crate::engine_figures::machine::{self, DebateShape};
use crate::metrics::Metrics;
use engine::error::EngineError;

const MODE: &str = "devils-advocate";

/// How long each of three agents takes.
const TIMES: [(&str, [u64; 3]); 2] =
    [("equal answer times", [20_000; 3]), ("uneven answer times", [10_000, 20_000, 40_000])];

type BriefChange = fn(&mut Brief);

/// Level by level, what a brief is changed to.
const LEVELS: [(ParallelLevel, BriefChange); 3] = [
    (ParallelLevel::None, |_| {}),
    (ParallelLevel::LastOnly, |brief| at_level(brief, ParallelLevel::LastOnly)),
    (ParallelLevel::Full, |brief| at_level(brief, ParallelLevel::Full)),
];

fn at_level(brief: &mut Brief, level: ParallelLevel) {
    let flag = &mut brief.flags.sequential_parallelization;
    (flag.enabled, flag.level) = (true, Some(level));
}

pub async fn latency() -> Result<Vec<FigureRow>, EngineError> {
    let mut rows = Vec::new();
    for (name, times) in TIMES {
        let mut usual = None;
        for (level, change) in LEVELS {
            let manner = Manner { answer_ms: times.to_vec(), ..Manner::default() };
            let shape =
                DebateShape { mode: MODE, rounds: 2, manner, change, ..DebateShape::default() };
            let (debate, _) = machine::walk(machine::table(&shape)?).await?;
            let room = debate.room();
            let verdict = room.verdict.as_ref();
            let Some(metrics) = verdict.map(|v| Metrics::of(v, &room.seats, None)) else {
                return Err(EngineError::Tape("a simulated debate came to no verdict".into()));
            };
            let seconds = metrics.latency.total_ms as f64 / 1e3;
            let what = format!("{MODE}, {name}, parallel {}", level.word());
            let less = 100.0 * (1.0 - seconds / *usual.get_or_insert(seconds));
            let note = match level {
                ParallelLevel::None => {
                    format!("{} cross-references", metrics.interaction.cross_reference_count)
                }
                _ => format!(
                    "{less:.0} % less, the most that two waves instead of three can save with \
                     these times (expected beforehand: about 60 %); {} cross-references",
                    metrics.interaction.cross_reference_count
                ),
            };
            rows.push(FigureRow::new("latency", what, seconds, "s").noting(note));
        }
    }
    Ok(rows)
}

//! Many debates in one process, stored as every debate is: what the engine adds
//! to the time of the answers, how many it holds in a second, what memory and
//! processor they take, and how long looking at them takes afterwards.
//!
//! All debates of a row are handed over in the same instant. What is measured is
//! how long an answer waits for what follows from it, and apart from that how
//! long the debates wait to begin: see `runner/pace.rs`.

use std::path::Path;
use std::time::{Duration, Instant};

use store::{ListFilter, Store, StoreError};

use crate::Progress;
use crate::engine_figures::hall::{ROUNDS, TimingHall};
use crate::engine_figures::{FigurePlaces, FigureRow, FigureSize, process};
use crate::statistics::quantile;
use engine::error::EngineError;

const GROUP: &str = "load";
/// As many debates run at once; further ones wait.
const AT_ONCE: usize = 1_000;

pub async fn load(
    places: &FigurePlaces,
    size: FigureSize,
    progress: &dyn Progress,
) -> Result<Vec<FigureRow>, EngineError> {
    let bench = &places.folder;
    let mut rows = alone(bench, size).await?;
    let scales: &[usize] = size.of(&[1, 100, 1_000, 10_000], &[1, 20]);
    let takes = size.of(Duration::from_millis(200), Duration::from_millis(20));
    let largest = scales.last().copied().unwrap_or(1);
    for debates in scales.iter().copied() {
        progress.step(5, 6, &format!("{debates} debates at once"));
        let hall = TimingHall::open(bench, takes).await?;
        let measured = at_scale(&hall, debates).await;
        let listed =
            if debates == largest { listing(&hall, debates, places).await } else { Ok(Vec::new()) };
        hall.leave().await;
        rows.extend(measured?);
        rows.extend(listed?);
    }
    Ok(rows)
}

/// One debate: what the engine adds to the slowest answers.
async fn alone(bench: &Path, size: FigureSize) -> Result<Vec<FigureRow>, EngineError> {
    let mut rows = Vec::new();
    for takes in size.of(&[200_u64, 2_000][..], &[50][..]) {
        let hall = TimingHall::open(bench, Duration::from_millis(*takes)).await?;
        hall.open_debates(1).await?;
        let took = hall.hold(1, 1, |_| {}).await;
        let measured = hall.measured();
        hall.leave().await;
        let path: f64 = measured.slowest_answers.iter().sum();
        let over = 100.0 * (took?.as_secs_f64() * 1e3 / path - 1.0);
        let middle = quantile(&measured.between_waves, 0.5).unwrap_or_default();
        let what = format!("overhead over the critical path, answers of {takes} ms");
        rows.push(
            FigureRow::new("overhead", what, over, "%")
                .noting(format!("one debate, 3 agents, 3 rounds; {middle:.1} ms between waves")),
        );
    }
    Ok(rows)
}

async fn at_scale(hall: &TimingHall, debates: usize) -> Result<Vec<FigureRow>, EngineError> {
    hall.open_debates(debates).await?;
    let before = process::processor_time();
    // Memory after each tenth: a queue must not let it grow.
    let mut tenths = Vec::new();
    let took = hall
        .hold(debates, AT_ONCE, |ended| {
            if ended % (debates / 10).max(1) == 0
                && let Some((_, now)) = process::memory()
            {
                tenths.push(now);
            }
        })
        .await?;
    let spent = before.zip(process::processor_time()).map(|(a, b)| b.saturating_sub(a));
    let measured = hall.measured();
    let name = match debates {
        1 => "1 debate".to_owned(),
        many if many > AT_ONCE => format!("{many} debates, {AT_ONCE} at once"),
        many => format!("{many} debates at once"),
    };
    let waited = |share| quantile(&measured.between_waves, share).unwrap_or_default();
    let mut rows = vec![
        FigureRow::new(GROUP, name.clone(), debates as f64 / took.as_secs_f64(), "debates/s")
            .noting(format!(
                "{:.1} s; at most {} under way",
                took.as_secs_f64(),
                measured.most_running
            )),
        FigureRow::new(GROUP, format!("{name}: added between waves, p99"), waited(0.99), "ms")
            .noting(format!("half of them below {:.1} ms", waited(0.5))),
    ];
    if debates > 1 {
        let begun = |share| quantile(&measured.until_begun, share).unwrap_or_default();
        rows.push(
            FigureRow::new(GROUP, format!("{name}: until the last has begun"), begun(1.0), "ms")
                .noting(format!("half of them within {:.0} ms", begun(0.5))),
        );
    }
    if let Some((most, _)) = process::memory() {
        let first = tenths.first().copied().unwrap_or(most);
        let last = tenths.last().copied().unwrap_or(most);
        rows.push(
            FigureRow::new(GROUP, format!("{name}: memory at most"), most, "MiB")
                .noting(format!("{first:.0} after the first tenth, {last:.0} at the end")),
        );
    }
    if let Some(spent) = spent.filter(|_| debates > 1) {
        let each = spent.as_secs_f64() * 1e3 / (debates as f64 * f64::from(ROUNDS));
        rows.push(
            FigureRow::new(GROUP, format!("{name}: processor time per round"), each, "ms")
                .noting("storing included"),
        );
    }
    Ok(rows)
}

async fn listing(
    hall: &TimingHall,
    debates: usize,
    places: &FigurePlaces,
) -> Result<Vec<FigureRow>, EngineError> {
    const RUNS: usize = 5;
    let mut rows = Vec::new();
    let all = u32::try_from(debates).unwrap_or(u32::MAX);
    for (what, limit) in [("the newest 20", 20), ("all", all)] {
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let started = Instant::now();
            let listed = list(&hall.store, limit).await?;
            if listed != debates.min(limit as usize) {
                return Err(EngineError::Tape(format!(
                    "{listed} debates were listed, not {limit}"
                )));
            }
            best = best.min(started.elapsed().as_secs_f64() * 1e3);
        }
        let what = format!("listing {what} of {debates} debates");
        rows.push(FigureRow::new("looking", what, best, "ms"));
    }
    for (what, words) in [
        ("start-up (--version)", &["--version"][..]),
        ("start-up with a listing of 20", &["sessions", "list"][..]),
    ] {
        if let Some(best) = started(places, &hall.folder, words, RUNS) {
            rows.push(FigureRow::new("looking", what, best, "ms"));
        }
    }
    Ok(rows)
}

async fn list(store: &Store, limit: u32) -> Result<usize, StoreError> {
    let filter = ListFilter { limit: Some(limit), ..ListFilter::default() };
    Ok(store.list(&filter).await?.len())
}

/// The shortest time in which this program starts, does something and ends.
fn started(places: &FigurePlaces, data: &Path, words: &[&str], runs: usize) -> Option<f64> {
    let program = places.program.as_ref()?;
    let once = |_| {
        let mut command = std::process::Command::new(program);
        command.args(words).env("ROUNDTABLE_DATA_DIR", data).stdin(std::process::Stdio::null());
        let begun = Instant::now();
        let output = command.output().ok().filter(|output| output.status.success());
        output.map(|_| begun.elapsed().as_secs_f64() * 1e3)
    };
    (0..runs).filter_map(once).min_by(f64::total_cmp)
}

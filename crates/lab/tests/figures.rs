//! The two benchmarks that print tables, in their small form: the simulator
//! repeats itself and owns up to its misses, and the engine's table is whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use lab::Progress;
use lab::engine_figures::{self, FigurePlaces, FigureSize};
use lab::simulated::report::{self, SimulationSize};

struct Silent;

impl Progress for Silent {
    fn step(&self, _: usize, _: usize, _: &str) {}
}

#[test]
fn the_simulator_prints_its_misses_and_repeats_itself() {
    let size = SimulationSize { debates: 6, fitting: 200 };
    let found = report::measure(size, 20, &Silent).unwrap();
    assert_eq!(found, report::measure(size, 20, &Silent).unwrap());
    assert_eq!(found.regimes.len(), 20);
    assert!(found.held_out.len() >= 6);
    for check in &found.held_out {
        assert!((check.miss - (check.simulated - check.published)).abs() < 1e-12, "{check:?}");
    }
    let other = report::measure(size, 3, &Silent).unwrap();
    assert_ne!(found.regimes, other.regimes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engine_measures_itself_in_one_table() {
    let home = tempfile::tempdir().unwrap();
    let places = FigurePlaces { folder: home.path().join("bench"), program: None };
    let found = engine_figures::measure(&places, FigureSize::Small, &Silent).await.unwrap();
    let value = |what: &str| {
        let row = found.rows.iter().find(|row| row.what.contains(what));
        row.unwrap_or_else(|| panic!("no row {what:?}")).value
    };
    // By the critical path, which no clock changes.
    // The seat that judges speaks after those it judges, whatever the level.
    for (times, none, last, full) in [("equal", 120.0, 80.0, 80.0), ("uneven", 140.0, 120.0, 120.0)]
    {
        let of = |level: &str| value(&format!("{times} answer times, parallel {level}"));
        assert_eq!((of("none"), of("last-only"), of("full")), (none, last, full), "{times}");
    }
    for group in ["machine", "views", "cost", "latency", "evidence", "overhead", "load", "looking"]
    {
        assert!(found.rows.iter().any(|row| row.group == group), "no rows of {group}");
    }
    assert!(value("rules of evidence in all") > 0.0);
    assert!(value("20 debates at once") > 0.0);
    assert!(!found.not_measured.is_empty());
    let left: Vec<_> = std::fs::read_dir(home.path().join("bench")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

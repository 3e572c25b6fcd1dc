//! The walk of every mode: who is asked in which wave, seeing what. The files in
//! `tests/walks/` are generated; run with `UPDATE_WALKS=1` after a change and read
//! the difference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use debate::model::*;
use debate::modes;

const ROUNDS: u32 = 4;
/// The first round, the one after it, and one late enough to see summaries.
const SHOWN_ROUNDS: [Round; 3] = [1, 2, 4];

/// Covers: 4-table
#[test]
fn every_mode_walks_as_recorded() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/walks");
    let update = std::env::var_os("UPDATE_WALKS").is_some();
    for plan in modes::all() {
        let path = folder.join(format!("{}.txt", plan.name));
        let walk = walk(plan);
        if update {
            std::fs::write(&path, &walk).unwrap();
        }
        let recorded = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            recorded == walk,
            "{} changed; run `UPDATE_WALKS=1 cargo test -p roundtable-debate --test walks` and read the diff\n{walk}",
            path.display()
        );
    }
}

fn walk(plan: &ModePlan) -> String {
    let mut out = format!("{}\n{}\n", plan.name, plan.summary);
    for agents in [3, 5] {
        for level in ParallelLevel::ALL {
            let brief = with_level(support::brief(plan.name, agents, ROUNDS), level);
            section(&mut out, &format!("{agents} agents, parallelisation {}", level.word()), brief);
        }
    }
    if plan.waves == WavePlan::ByTeam {
        let mut brief = support::brief(plan.name, 5, ROUNDS);
        brief.team_order = TeamOrder::InSequence;
        section(&mut out, "5 agents, teams in sequence", brief);
    }
    if plan.extended.is_some() {
        let mut brief = support::brief(plan.name, 5, ROUNDS);
        brief.depth = Depth::Extended;
        section(&mut out, "5 agents, extended depth", brief);
    }
    out
}

fn with_level(mut brief: Brief, level: ParallelLevel) -> Brief {
    brief.flags.sequential_parallelization.enabled = true;
    brief.flags.sequential_parallelization.level = Some(level);
    brief
}

fn section(out: &mut String, title: &str, mut brief: Brief) {
    brief.flags.groupthink_detection.enabled = false;
    let mut asks: BTreeMap<(Round, u32, SeatId), Ask> = BTreeMap::new();
    let (debate, _) = support::run(brief, |ask| {
        if let Party::Seat(seat) = ask.id.party {
            asks.insert((ask.id.round, ask.id.wave, seat), ask.clone());
        }
    });
    let seats = &debate.room().seats;
    let _ = writeln!(out, "\n{title}");
    for round in SHOWN_ROUNDS {
        let _ = writeln!(out, "  round {round}");
        for ((_, wave, seat), ask) in asks.iter().filter(|((r, ..), _)| *r == round) {
            let seat = &seats[seat.index()];
            let who = format!("{} as {}", seat.name, role(seat));
            let _ = writeln!(out, "    wave {wave}  {who:<34} {}", sees(&ask.shown, seats, seat));
        }
    }
}

fn role(seat: &Seat) -> String {
    let stance = seat.stance.map(|stance| format!(" ({})", stance.word())).unwrap_or_default();
    let perspective = seat.perspective.as_ref().map(|p| format!(" ({})", p.name));
    format!("{}{stance}{}", seat.role, perspective.unwrap_or_default())
}

fn sees(shown: &ViewContents, seats: &[Seat], reader: &Seat) -> String {
    let mut rounds: BTreeMap<Round, Vec<&str>> = BTreeMap::new();
    for answer in &shown.answers {
        let name =
            if answer.seat == reader.id { "itself" } else { &seats[answer.seat.index()].name };
        rounds.entry(answer.round).or_default().push(name);
    }
    let mut parts: Vec<String> = Vec::new();
    parts.extend(shown.summaries.iter().map(|round| format!("round {round} summed up")));
    parts
        .extend(rounds.iter().map(|(round, names)| format!("round {round}: {}", names.join(", "))));
    if parts.is_empty() { "sees nobody".into() } else { format!("sees {}", parts.join("; ")) }
}

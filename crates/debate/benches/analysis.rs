//! What the analysis of one round and the verdict of one debate cost.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use criterion::{Criterion, criterion_group, criterion_main};
use debate::analysis::{AnalysisInputs, Similarities, analyse, verdict};
use debate::model::{
    Ballot, ClaimStatus, EvidenceType, EvidenceWeights, Exit, Label, Round, SeatId,
};

#[path = "../tests/analysis/table.rs"]
#[allow(dead_code, clippy::unwrap_used)]
mod table;

use table::{PLAN, Table, says};

const POSITIONS: [&str; 5] = [
    "Start with a modular monolith and cut services out of it once a team asks for its own releases.",
    "Build services from the first day, because the four teams already release on different days.",
    "Do not build services from the first day; the four teams release together in any case.",
    "Keep the monolith, but draw the borders between its modules now and test that they hold.",
    "Run functions for the two bursty jobs and leave everything else in one program.",
];

/// Three rounds of a table of this size, two claims and two sources per turn.
fn debate(seats: usize) -> Table {
    let mut table = Table::seats(seats);
    for round in 0..3 {
        let said = |seat: usize| {
            says(POSITIONS[(seat + round) % POSITIONS.len()])
                .sure(0.6 + 0.03 * seat as f64)
                .votes(Ballot::Minor)
                .cites(&[1 + (seat as u32 % 4), 5 + round as u32])
                .claims(&[(EvidenceType::Documented, &[1]), (EvidenceType::Logical, &[])])
        };
        table.round((0..seats).map(said).collect());
        for seat in 0..seats * 2 {
            table.claim(Label::Fact, ClaimStatus::Open, &[seat % seats]);
        }
        table.analyse_at(0.6, 0.2);
    }
    table
}

fn measure(criterion: &mut Criterion) {
    let exit = Exit { rule: "rounds".into(), details: String::new() };
    let weights = EvidenceWeights::default();
    let of =
        |one: SeatId, _: Round, other: SeatId, _: Round| Some(if one == other { 0.8 } else { 0.6 });
    for seats in [3, 10] {
        let table = debate(seats);
        criterion.bench_function(&format!("analyse a round of {seats}"), |bench| {
            bench.iter(|| {
                analyse(&AnalysisInputs {
                    room: &table.room,
                    plan: &PLAN,
                    round: 3,
                    clerk: None,
                    similarities: Similarities::by("bench", &of),
                    weights: &weights,
                })
            });
        });
        criterion.bench_function(&format!("verdict of {seats} after 3 rounds"), |bench| {
            bench.iter(|| verdict(&table.room, &PLAN, &exit));
        });
    }
}

criterion_group!(benches, measure);
criterion_main!(benches);

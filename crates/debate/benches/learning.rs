//! Learning measured: how verdicts and confidences improve with outcomes where
//! the truth is known, and how long it takes to compute everything anew.
//!
//!     cargo bench -p roundtable-debate --bench learning
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]
#![allow(clippy::disallowed_methods)]

#[path = "../tests/learning/simulation.rs"]
mod simulation;
#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use debate::learning::{self, ChangeFilter};
use debate::model::*;
use simulation::{Arm, Found, Size, World, simulate};

const OUTCOMES: usize = 10_000;
const TODAY: Day = Day(20_772);

fn main() {
    recompute();
    table(World::Steady, &[0, 3, 10, 20, 40, 66]);
    table(World::Changing, &[33, 50, 66]);
}

fn recompute() {
    let outcomes: Vec<JudgedDebate> = (0..OUTCOMES).map(outcome).collect();
    let timed = |what: &str, work: &dyn Fn() -> usize| {
        let mut times: Vec<f64> = (0..7)
            .map(|_| {
                let begun = Instant::now();
                assert!(work() > 0);
                begun.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{what:<60} {:>8.1} ms (median of 7)", times[3] * 1000.0);
    };
    println!("From {OUTCOMES} outcomes, 12 domains, 20 models:");
    timed("everything that is learned", &|| learning::learn(&outcomes, TODAY).domains.len());
    timed("every change as a record", &|| {
        learning::history(&outcomes, &ChangeFilter::default()).len()
    });
    let agents: Vec<Agent> = (0..5).map(support::agent).collect();
    let domains = ["domain-3".to_owned()];
    timed("what one debate starts with", &|| {
        learning::lessons(&outcomes, &domains, &agents, TODAY).len()
    });
}

fn outcome(n: usize) -> JudgedDebate {
    let share = |salt: usize| ((n * 7919 + salt * 104_729) % 1000) as f64 / 1000.0;
    JudgedDebate {
        debate: format!("{n:08}"),
        on: TODAY.plus(-((n % 700) as i32)),
        domain: format!("domain-{}", n % 12),
        accuracy: share(1),
        evidence: (0..3)
            .map(|k| JudgedEvidence {
                evidence_type: EvidenceType::ALL[(n + k) % 6],
                validation: Validation::ALL[(n / 3 + k) % 4],
            })
            .collect(),
        relied_on: vec![ReliedOn { evidence_type: EvidenceType::ALL[(n + 4) % 6], items: 3 }],
        voices: (0..4)
            .map(|k| JudgedVoice {
                agent: format!("provider/m{}-{}", ["a", "b", "c", "d", "e"][(n + k) % 5], n % 4),
                confidence: Some(0.5 + share(k) / 2.0),
                right: share(k + 9),
                last_right: share(k + 9),
                told: 1.0,
                note: String::new(),
            })
            .collect(),
        questions: Vec::new(),
        asked_for: vec![format!("Question {}?", n % 40)],
        perspectives: vec![format!("Viewpoint {}", n % 9)],
        rounds: 3,
        agreement: Some(share(5)),
        tokens: None,
        origin: OutcomeOrigin::Own,
    }
}

fn table(world: World, after: &[usize]) {
    let size = Size { world, runs: 200, debates: 240, held_out: 300 };
    let begun = Instant::now();
    let table = simulate(size, after);
    println!(
        "\n{world:?} world: {} runs of {} debates, a third judged; verdicts on {} unseen questions each ({:.0} s).",
        size.runs,
        size.debates,
        size.held_out,
        begun.elapsed().as_secs_f64()
    );
    println!(
        "Accuracy of the verdict, mean (worst 5 % of runs); calibration error of its probability;"
    );
    println!("calibration error of the agents' confidence as it is read.\n");
    println!(
        "{:<9} {:<18} {:>16} {:>14} {:>14}",
        "outcomes", "arm", "accuracy", "probability", "confidence"
    );
    for n in after {
        for arm in Arm::ALL {
            let Some(found) = table.get(&(*n, arm)) else { continue };
            println!(
                "{n:<9} {:<18} {:>7.1} ({:>5.1}) {:>14.3} {:>14.3}",
                arm.word(),
                Found::mean(&found.accuracy) * 100.0,
                Found::tail(&found.accuracy) * 100.0,
                Found::mean(&found.verdict_error),
                Found::mean(&found.confidence_error),
            );
        }
    }
}

//! What the weighed verdict is worth where the truth is known: simulated agents
//! at the real table, the verdict beside plain votes and the best single agent,
//! in regimes where talking helps, does nothing and hurts. Prints the regimes
//! where it loses, and how far the agents are from published figures.
//! `SMALL=1` makes it a matter of seconds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use agents::simulated::figures::{FIGURES, Origin};
use agents::simulated::fit;
use agents::simulated::regimes::REGIMES;
use agents::simulated::{Measured, Method, OutcomeError, Regime, Trial, simulate, worst_regret};

const SEED: u64 = 20_261_115;

struct Size {
    debates: u64,
    fitting: u64,
}

const FULL: Size = Size { debates: 10_000, fitting: 100_000 };
const SMALL: Size = Size { debates: 60, fitting: 2_000 };

fn main() -> Result<(), OutcomeError> {
    let size = if std::env::var_os("SMALL").is_some() { SMALL } else { FULL };
    print_figures();
    print_fit(&size);
    let started = Instant::now();
    let measured = measure(size.debates)?;
    let seconds = started.elapsed().as_secs_f64();
    print_table("accuracy, %", &measured, |one, method| {
        format!("{:.1}", 100.0 * one.score(method).accuracy())
    });
    print_table("Brier score (0 best, 2 worst)", &measured, |one, method| {
        format!("{:.3}", one.score(method).brier())
    });
    print_table("calibration error (ECE), ten bins", &measured, |one, method| {
        format!("{:.3}", one.score(method).calibration_error())
    });
    print_talk(&measured);
    print_regret(&measured);
    print_losses(&measured);
    print_speed(size.debates, seconds)
}

/// Every regime on its own; two at a time. The order of finishing changes nothing.
fn measure(debates: u64) -> Result<Vec<Measured>, OutcomeError> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(regime) = REGIMES.get(at) else { return done };
            done.push((at, simulate(0..debates, regime, SEED)));
        }
    };
    let mut all: Vec<(usize, Result<Measured, OutcomeError>)> = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut all = work();
        all.extend(other.join().unwrap_or_default());
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, measured)| measured).collect()
}

fn print_figures() {
    println!("the agents' figures");
    for figure in FIGURES {
        let origin = match figure.origin {
            Origin::Fitted(to) => format!("fitted: {to}"),
            Origin::Set(why) => format!("set: {why}"),
        };
        println!("  {:<42}{:>7.3}  {origin}", figure.name, figure.value);
    }
}

fn print_fit(size: &Size) {
    let kinds = [
        ("what they were fitted to", fit::fitted(size.fitting, SEED)),
        ("what they were not fitted to", fit::held_out(size.fitting, SEED)),
    ];
    for (kind, checks) in kinds {
        println!("\n{kind}, {} items", size.fitting);
        println!("  {:<42}{:>10}{:>11}{:>9}", "", "published", "simulated", "miss");
        for check in checks {
            let miss = check.miss();
            println!(
                "  {:<42}{:>10.3}{:>11.3}{miss:>+9.3}",
                check.what, check.published, check.simulated
            );
        }
    }
}

fn print_table(title: &str, measured: &[Measured], cell: fn(&Measured, Method) -> String) {
    println!("\n{title}");
    print!("  {:<28}", "");
    for method in Method::ALL {
        print!("{:>23}", method.word());
    }
    println!();
    for (regime, one) in REGIMES.iter().zip(measured) {
        print!("  {:<28}", regime.name);
        for method in Method::ALL {
            print!("{:>23}", cell(one, method));
        }
        println!();
    }
}

fn print_talk(measured: &[Measured]) {
    println!("\nwhat the talk did");
    println!(
        "  {:<28}{:>8}{:>8}{:>9}{:>18}{:>10}",
        "", "toward", "away", "neither", "all wrong alike %", "flagged %"
    );
    for (regime, one) in REGIMES.iter().zip(measured) {
        let (wrong, debates) = (f64::from(one.unanimous_wrong), f64::from(one.debates));
        let flagged = 100.0 * f64::from(one.unanimous_wrong_flagged) / wrong.max(1.0);
        println!(
            "  {:<28}{:>8}{:>8}{:>9}{:>18.1}{:>10.0}",
            regime.name,
            one.moves.toward_truth,
            one.moves.away_from_truth,
            one.moves.between_errors,
            100.0 * wrong / debates,
            flagged
        );
    }
}

/// Behind the best method that knows nothing of the agents, by kind of trial;
/// then behind the best of all.
fn print_regret(measured: &[Measured]) {
    println!("\nworst regret, points of accuracy behind the best blind method");
    print!("  {:<28}", "");
    for trial in Trial::ALL {
        print!("{:>10}", trial.word());
    }
    println!("{:>10}{:>24}", "all", "behind any method");
    for method in Method::ALL {
        print!("  {:<28}", method.word());
        for trial in Trial::ALL {
            let rows = REGIMES.iter().zip(measured).filter(|(regime, _)| regime.trial == trial);
            let worst = worst_regret(rows.map(|(_, one)| one), method, Method::is_blind);
            print!("{:>10.1}", 100.0 * worst);
        }
        let all = worst_regret(measured, method, Method::is_blind);
        let any = worst_regret(measured, method, |_| true);
        println!("{:>10.1}{:>24.1}", 100.0 * all, 100.0 * any);
    }
}

/// Where the verdict loses more than chance explains.
fn print_losses(measured: &[Measured]) {
    println!("\nwhere the weighed verdict loses by more than two standard errors");
    let loses = |(regime, one): (&Regime, &Measured)| {
        let ours = one.score(Method::Weighed);
        let better = Method::ALL.into_iter().filter_map(|rival| {
            let gap = one.score(rival).accuracy() - ours.accuracy();
            (gap > 2.0 * ours.error()).then(|| format!("{} +{:.1}", rival.word(), 100.0 * gap))
        });
        let better: Vec<String> = better.collect();
        if !better.is_empty() {
            println!("  {:<28}{}", regime.name, better.join(", "));
        }
    };
    REGIMES.iter().zip(measured).for_each(loses);
}

fn print_speed(debates: u64, seconds: f64) -> Result<(), OutcomeError> {
    let alone = Instant::now();
    let sample = (debates / 5).max(1);
    if let Some(regime) = REGIMES.first() {
        simulate(0..sample, regime, SEED)?;
    }
    println!(
        "\n{} debates in {seconds:.1} s on two threads; {:.0} a second on one (5 agents, 3 rounds, views not written)",
        debates * REGIMES.len() as u64,
        sample as f64 / alone.elapsed().as_secs_f64()
    );
    Ok(())
}

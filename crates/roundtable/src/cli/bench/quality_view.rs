//! A question set's result: what every way of answering came to, and whether
//! debating helped.

use std::fmt::Write as _;

use crate::document::escape::clean_line;
use crate::terminal::page::Page;
use crate::terminal::page::{BOLD, DIM, count};
use lab::quality::report::{ArmResult, Gain, QualityReport};
use lab::statistics::IntervalEstimate;

pub fn quality(page: Page, report: &QualityReport) -> String {
    let mut out = String::new();
    page.paragraph(&mut out, "", &report.sentence);
    let _ = writeln!(
        out,
        "{DIM}{}: {}, {}, {}; {}, {}{DIM:#}",
        clean_line(&report.questions),
        count(report.items, "question"),
        count(report.seeds as usize, "seed"),
        clean_line(&report.speakers),
        clean_line(&report.mode),
        count(report.rounds as usize, "round")
    );
    let _ = writeln!(
        out,
        "\n{BOLD}{:<28}{:>8} {:<16}{:>7}{:>7}{:>10}{:>8}{:>7}{:>10}{:>8}{BOLD:#}",
        "way", "right %", "95 %", "Brier", "ECE", "ECE cal.", "unread", "calls", "cost", "× one"
    );
    for arm in &report.arms {
        let _ = writeln!(out, "{}", arm_line(arm));
    }
    let _ = writeln!(
        out,
        "\n{BOLD}{:<54}{:>8} {:<18}{:>12}{:>10}{:>18}{BOLD:#}",
        "on the same questions", "points", "95 %", "only 1st/2nd", "McNemar", "per extra right"
    );
    for gain in &report.gains {
        let _ = writeln!(out, "{}", gain_line(gain));
    }
    out.push_str(&checks(report));
    out.push_str(&talk(report));
    if !report.hurt.is_empty() {
        let numbers: Vec<String> = report.hurt.iter().map(ToString::to_string).collect();
        let text = format!("The debate made question {} worse.", numbers.join(", "));
        page.paragraph(&mut out, "", &text);
    }
    if !report.by_domain.is_empty() {
        let _ = writeln!(
            out,
            "\n{BOLD}{:<24}{:>6}{:>12}{:>22}{:>16}{BOLD:#}",
            "domain", "items", "Roundtable", "vote of the same cost", "first weighed"
        );
        for one in &report.by_domain {
            let _ = writeln!(
                out,
                "{:<24}{:>6}{:>12.1}{:>22.1}{:>16.1}",
                clean_line(&one.domain),
                one.items,
                100.0 * one.roundtable,
                100.0 * one.self_consistency,
                100.0 * one.first_weighed
            );
        }
    }
    out.push('\n');
    for note in &report.notes {
        page.paragraph(&mut out, "", note);
    }
    out
}

/// The effect of talk on the answers of the seats; nothing where nobody talked.
fn talk(report: &QualityReport) -> String {
    let mut out = String::new();
    if report.by_seed.is_empty() {
        return out;
    }
    let switches = &report.switches;
    let _ = writeln!(
        out,
        "\nFirst to last answer of the seats: right stayed right {}, right to wrong {}, wrong to \
         right {}, wrong stayed wrong {}.",
        switches.right_right, switches.right_wrong, switches.wrong_right, switches.wrong_wrong
    );
    let seeds: Vec<String> = report
        .by_seed
        .iter()
        .map(|(seed, right)| format!("{:.1} % (seed {seed})", 100.0 * right))
        .collect();
    let _ = writeln!(out, "Roundtable with each seed: {}.", seeds.join(", "));
    let _ = writeln!(
        out,
        "At least one agent was right at first in {:.1} %; all ended wrong in {:.1} %.",
        100.0 * report.somebody_right_at_first,
        100.0 * report.everybody_wrong_at_last
    );
    out
}

/// What must not happen in a debate, and the worth of stated confidence.
fn checks(report: &QualityReport) -> String {
    let mut out = String::new();
    let share = |part: u32, all: u32| 100.0 * f64::from(part) / f64::from(all.max(1));
    let found = &report.checks;
    let _ = writeln!(
        out,
        "\n{} of {} answers lack an answer or a confidence ({:.1} %); agreement contradicts the \
         votes in {} of {} rounds ({:.1} %).",
        found.lacking,
        found.answers,
        share(found.lacking, found.answers),
        found.contradicted,
        found.rounds,
        share(found.contradicted, found.rounds)
    );
    let _ = writeln!(
        out,
        "{} cannot say ({:.1} %); {} had to be asked for a missing field ({:.1} %).",
        count(found.abstained as usize, "answer"),
        share(found.abstained, found.answers),
        count(found.asked_again as usize, "answer"),
        share(found.asked_again, found.answers),
    );
    if found.judged > 0 {
        let _ = writeln!(
            out,
            "The safety evaluator spoke against {} of {}.",
            found.refused,
            count(found.judged as usize, "judged answer")
        );
    }
    if let Some(said) = &report.confidence {
        let after = said.calibrated.map_or(String::new(), |it| {
            format!(
                "; calibrated on other questions: Brier {:.3}, ECE {:.3}",
                it.brier, it.calibration_error
            )
        });
        let _ = writeln!(
            out,
            "Stated confidence of {}: Brier {:.3}, ECE {:.3}{after}.",
            count(said.answers, "first answer"),
            said.stated.brier,
            said.stated.calibration_error
        );
    }
    out
}

fn arm_line(arm: &ArmResult) -> String {
    let IntervalEstimate { value, low, high } = arm.accuracy;
    let interval = match (low, high) {
        (Some(low), Some(high)) => format!("({:.1} to {:.1})", 100.0 * low, 100.0 * high),
        _ => String::new(),
    };
    let cost = match arm.cost_usd {
        Some(usd) => format!("${usd:.4}"),
        None => format!("{:.0} t", arm.tokens),
    };
    let calibrated =
        arm.calibrated.map_or(String::new(), |it| format!("{:.3}", it.calibration_error));
    let times = arm.times_single.map_or(String::new(), |times| format!("{times:.1}"));
    format!(
        "{:<28}{:>8.1} {interval:<16}{:>7.3}{:>7.3}{calibrated:>10}{:>8}{:>7.1}{cost:>10}{times:>8}",
        arm.arm.title(),
        100.0 * value,
        arm.brier,
        arm.calibration_error,
        arm.unparsable,
        arm.calls
    )
}

fn gain_line(gain: &Gain) -> String {
    let IntervalEstimate { value, low, high } = gain.points;
    let interval = match (low, high) {
        (Some(low), Some(high)) => format!("({low:+.1} to {high:+.1})"),
        _ => String::new(),
    };
    let pair = format!("{} against {}", gain.own.title(), gain.over.title());
    let split = format!("{}/{}", gain.only_ours, gain.only_theirs);
    let chance = gain.corrected.unwrap_or(gain.mcnemar);
    let extra = match (gain.cost_per_extra_right, gain.in_usd) {
        (None, _) => "–".into(),
        (Some(usd), true) => format!("${usd:.4}"),
        (Some(tokens), false) => format!("{tokens:.0} t"),
    };
    format!("{pair:<54}{value:>+8.1} {interval:<18}{split:>12}{chance:>10.4}{extra:>18}")
}

//! The result of a round: each seat's position and evidence, then the meters, each
//! with its value, its threshold and its trend, then alerts.

use std::fmt::Write as _;

use anstyle::Style;
use debate::model::*;
use debate::sorting::SortRows;

use super::line::cut;
use super::page::{BOLD, DIM, GOOD, NAME, Page, WARN};
use crate::document::escape::clean_line;
use unicode_width::UnicodeWidthStr as _;

/// The number of cells of a meter.
const CELLS: usize = 20;
/// On a narrow page.
const FEW_CELLS: usize = 10;
const NARROW: usize = 60;
/// Names longer than this are cut.
const WIDEST_NAME: usize = 16;
/// A change smaller than this is none.
const MOVED: f64 = 0.005;

/// The thresholds of this debate, which the meters are compared with.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    agreement: f64,
    thresholds: Thresholds,
}

impl Figures {
    pub fn of(brief: &Brief) -> Figures {
        let agreement = brief.flags.exit_criteria.consensus_threshold;
        Figures { agreement, thresholds: brief.thresholds.clone() }
    }
}

/// The good side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Good {
    AtLeast,
    Below,
}

struct Meter {
    name: &'static str,
    value: Option<f64>,
    before: Option<f64>,
    threshold: f64,
    good: Good,
    note: String,
}

/// `before`: the analysis of the round before, where there is one.
pub fn after_round(
    page: Page,
    analysis: &RoundAnalysis,
    before: Option<&RoundAnalysis>,
    figures: &Figures,
    table: &[SeatConfidence],
) -> String {
    let mut out = String::new();
    let title = page.say(&format!("After round {}", analysis.round));
    let heard = page.say(&format!("{} of {} answered", analysis.answered, analysis.seats));
    let _ = writeln!(out, "\n{BOLD}{title}{BOLD:#} {DIM}· {heard}{DIM:#}");
    stands(page, &mut out, table, &analysis.overconfident);
    for meter in meters(analysis, before, figures) {
        draw(page, &mut out, &meter);
    }
    let votes = &analysis.votes;
    if votes.accept + votes.minor + votes.blocker > 0 {
        let counted =
            format!("{} accept, {} minor, {} blocker", votes.accept, votes.minor, votes.blocker);
        let _ = writeln!(out, "  {:<11} {}", page.say("votes"), page.say(&counted));
    }
    alerts(page, &mut out, analysis, before, figures);
    out
}

/// One seat after a round: its stated confidence and the claims of its answer.
#[derive(Debug, Clone)]
pub struct SeatConfidence {
    seat: SeatId,
    name: String,
    stated: Option<f64>,
    /// The number of claims of each type, strongest first.
    claims: Vec<(EvidenceType, usize)>,
}

impl SeatConfidence {
    pub fn of(turn: &Turn) -> SeatConfidence {
        let count = |wanted: EvidenceType| {
            let types = turn.answer.claims.iter().map(|claim| claim.evidence_type);
            (wanted, types.filter(|found| *found == wanted).count())
        };
        SeatConfidence {
            seat: turn.seat,
            name: cut(&clean_line(&turn.agent), WIDEST_NAME),
            stated: turn.answer.confidence,
            claims: EvidenceType::ALL.map(count).into_iter().filter(|(_, n)| *n > 0).collect(),
        }
    }
}

fn stands(page: Page, out: &mut String, stands: &[SeatConfidence], over: &[OverconfidentAnswer]) {
    let widest = stands.iter().map(|stand| stand.name.width()).max().unwrap_or(0).max(11);
    let mut rows: Vec<&SeatConfidence> = stands.iter().collect();
    rows.sort_rows_by_key(|stand| stand.seat);
    for stand in rows {
        let pad = " ".repeat(widest.saturating_sub(stand.name.width()));
        let stated = stand.stated.map_or_else(|| "–   ".into(), |stated| figure(page, stated));
        let mut facts = Vec::new();
        let mut style = DIM;
        if let Some(one) = over.iter().find(|one| one.seat == stand.seat) {
            let [_, high] = one.band;
            facts.push(format!("overconfident: its evidence supports at most {high:.2}"));
            style = WARN;
        }
        let claims: Vec<String> =
            stand.claims.iter().map(|(kind, n)| format!("{n} {}", kind.word())).collect();
        facts.extend((!claims.is_empty()).then(|| claims.join(", ")));
        let indent = 2 + widest + 1 + 4 + 2;
        let room = page.width().saturating_sub(indent).max(16);
        let text = page.say(&facts.join(" · "));
        let mut lines = textwrap::wrap(&text, room).into_iter();
        let first = lines.next().unwrap_or_default();
        let name = &stand.name;
        let _ = writeln!(out, "  {NAME}{name}{NAME:#}{pad} {stated}  {style}{first}{style:#}");
        for rest in lines {
            let _ = writeln!(out, "{}{style}{rest}{style:#}", " ".repeat(indent));
        }
    }
}

fn meters(
    analysis: &RoundAnalysis,
    before: Option<&RoundAnalysis>,
    figures: &Figures,
) -> Vec<Meter> {
    let (now, then) = (&analysis.convergence, before.map(|one| &one.convergence));
    let thresholds = &figures.thresholds;
    let by = match analysis.consensus.by {
        AnalysedBy::Basic => "word by word (basic)",
        AnalysedBy::Clerk => "by the clerk's table",
        AnalysedBy::Votes => "by the votes themselves",
    };
    let mut all = vec![Meter {
        name: "agreement",
        value: analysis.consensus.agreement_level,
        before: before.and_then(|one| one.consensus.agreement_level),
        threshold: figures.agreement,
        good: Good::AtLeast,
        note: match analysis.consensus.agreement_level {
            Some(_) => by.into(),
            None if analysis.answered < 2 => "too few answers to say".into(),
            None => "not known without a clerk".into(),
        },
    }];
    all.extend(now.similarity.map(|value| Meter {
        name: "similarity",
        value: Some(value),
        before: then.and_then(|one| one.similarity),
        threshold: thresholds.similarity,
        good: Good::AtLeast,
        note: now.similarity_band.map_or("", SimilarityBand::word).into(),
    }));
    all.extend(now.shift.map(|value| Meter {
        name: "shift",
        value: Some(value),
        before: then.and_then(|one| one.shift),
        threshold: thresholds.stable_shift,
        good: Good::Below,
        note: now.shift_band.map_or("", ShiftBand::word).into(),
    }));
    all.extend(now.evidence.filter(|_| now.seats_citing > 0).map(|value| Meter {
        name: "evidence",
        value: Some(value),
        before: then.filter(|one| one.seats_citing > 0).and_then(|one| one.evidence),
        threshold: thresholds.evidence,
        good: Good::AtLeast,
        note: format!(
            "{} of {} sources cited by several",
            now.sources_by_several, now.sources_cited
        ),
    }));
    all
}

fn draw(page: Page, out: &mut String, meter: &Meter) {
    let (name, note) = (page.say(meter.name), page.say(&meter.note));
    let Some(value) = meter.value else {
        let _ = writeln!(out, "  {name:<11} –    {DIM}{note}{DIM:#}");
        return;
    };
    let good = match meter.good {
        Good::AtLeast => value >= meter.threshold,
        Good::Below => value < meter.threshold,
    };
    let style = if good { GOOD } else { Style::new() };
    let trend = match meter.before.map(|before| value - before) {
        None => "      ".into(),
        Some(moved) if moved.abs() < MOVED => "→     ".into(),
        Some(moved) => {
            let sign = if moved > 0.0 { "↑" } else { "↓" };
            format!("{sign}{}", page.say(&format!("{moved:+.2}")))
        }
    };
    let bound = match meter.good {
        Good::AtLeast => "≥",
        Good::Below => "<",
    };
    let narrow = page.width() < NARROW;
    let cells = if narrow { FEW_CELLS } else { CELLS };
    let bar = bar(value, meter.threshold, cells);
    let shown = figure(page, value);
    let head = format!("  {name:<11} {style}{shown} {bar}{style:#} {trend}");
    let bound = format!("{bound} {}", figure(page, meter.threshold));
    let text = if note.is_empty() || narrow { bound } else { format!("{bound} · {note}") };
    let room = page.width().saturating_sub(11 + 3 + 5 + cells + 1 + 6 + 1);
    let _ = writeln!(out, "{head} {DIM}{}{DIM:#}", cut(&text, room));
}

/// Two places behind the point, or the comma.
fn figure(page: Page, value: f64) -> String {
    page.say(&format!("{value:.2}"))
}

/// A share of one, with a mark where the threshold is.
fn bar(share: f64, threshold: f64, cells: usize) -> String {
    let cell = |share: f64| (share.clamp(0.0, 1.0) * cells as f64).round() as usize;
    let (full, mark) = (cell(share), cell(threshold).saturating_sub(1));
    (0..cells)
        .map(|index| match (index < full, index == mark) {
            (true, true) => '▓',
            (true, false) => '█',
            (false, true) => '┊',
            (false, false) => '░',
        })
        .collect()
}

fn alerts(
    page: Page,
    out: &mut String,
    analysis: &RoundAnalysis,
    before: Option<&RoundAnalysis>,
    figures: &Figures,
) {
    let mut alert = |sign: &str, text: &str| {
        let _ = write!(out, "{WARN}");
        page.item(out, "  ", &format!("! {}", page.say(sign)), &page.say(text));
        let _ = write!(out, "{WARN:#}");
    };
    let similarity = analysis.convergence.similarity.unwrap_or_default();
    for found in &analysis.convergence.alerts {
        match found {
            Alert::Premature => alert(
                "premature:",
                &format!(
                    "similarity {similarity:.2} is over {:.2} this early; it is not taken for consensus",
                    figures.thresholds.premature_similarity
                ),
            ),
            Alert::Divergence => {
                let then = before.and_then(|one| one.convergence.similarity).unwrap_or_default();
                let text = format!("similarity fell from {then:.2} to {similarity:.2}");
                alert("diverging:", &text);
            }
        }
    }
    if let Some(why) = &analysis.convergence.missing {
        alert("not compared:", why);
    }
    if analysis.groupthink.warning {
        alert("groupthink?", &analysis.groupthink.indicators.join("; "));
    }
    if let Some(why) = &analysis.groupthink.critical_objection {
        alert("critical objections next:", why);
    }
    if let Some(why) = &analysis.held_back {
        alert("not ended early:", why);
    }
}

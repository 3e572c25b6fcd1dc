//! The state of the debate as it is now, for any number of rounds: the user's
//! words, the position of each seat, missing seats, the claims and the sources.
//!
//! If there is no space for every claim, the contested ones of the last rounds
//! come first, then the strongest. A contested claim is never without its id.

mod ranking;

use std::fmt::Write;
use std::rc::Rc;

use crate::model::{
    Claim, ClaimId, Evidence, EvidenceKind, Round, Seat, Turn, ViewContents, clip, tokens,
};

use super::view_text::{CountedLines, ViewText};
use super::{ViewInputs, ids};

pub(super) use ranking::ClaimOrder;
use ranking::{CLAIMS, SOURCES};

/// The most that naming a claim by its id alone costs.
const ID: usize = 4;
const CLAIM_TEXT: usize = 40;
/// After this many claims in a row without space, no other is tried.
const MISSES: usize = 8;
/// The least that a claim's line costs, without its words.
const LEAST_CLAIM: usize = 8;
const TITLE: usize = 25;
const URL: usize = 40;
const REMARK: usize = 120;
/// The cost of the text around a remark.
const AROUND: usize = 12;
const GAPS: usize = 120;

pub(super) fn write(desk: &ViewInputs<'_>, out: &mut ViewText<'_>, shown: &mut ViewContents) {
    let start = out.len();
    let mut head = String::with_capacity(512);
    write_remarks(desk, &mut head, shown);
    write_table(desk, head, out);
    let mut rest = String::new();
    write_gaps(desk, &mut rest);
    let picks = ranking::claims(desk);
    write_open_questions(desk, &picks, &mut rest);
    if !rest.is_empty() {
        out.push_lines(&CountedLines::new(rest));
    }
    let sources = ranking::sources(desk);
    let decisions = decisions(desk);
    if picks.places.is_empty() && sources.is_empty() && decisions.is_empty() {
        return;
    }
    let outside = out.len();
    out.open_fence("claims and sources");
    let inside = out.len();
    let spent = out.tokens_from(start) + desk.fence_cost / 2;
    let mut meter = TokenMeter::new(desk.budget.state, spent, inside);
    for decision in decisions {
        let line = out.len();
        let _ = writeln!(out, "{}", clip(&decision, REMARK));
        meter.keeps(out, line);
    }
    // Claims come before sources, but leave them something.
    let tenths = if sources.is_empty() { 10 } else { 7 };
    write_claims(desk, &picks, &mut meter, tenths, out, shown);
    meter.limit = desk.budget.state;
    write_sources(desk, &sources, &mut meter, out, shown);
    if out.len() == inside {
        out.truncate(outside);
        return;
    }
    out.close_fence();
}

/// Counts what has been written against a limit. A text never costs more tokens
/// than it has bytes, so tokens are counted only once bytes no longer fit.
struct TokenMeter {
    limit: usize,
    spent: usize,
    /// The position from which the text has not been counted yet.
    from: usize,
}

impl TokenMeter {
    fn new(limit: usize, spent: usize, from: usize) -> TokenMeter {
        TokenMeter { limit, spent, from }
    }

    /// Keeps the text in `out` from `line` on if there is space for it.
    fn keeps(&mut self, out: &mut ViewText<'_>, line: usize) -> bool {
        if self.spent + (out.len() - self.from) <= self.limit {
            return true;
        }
        self.count(out, line);
        let cost = out.tokens_from(line);
        let fits = self.spent + cost <= self.limit;
        if fits {
            self.spent += cost;
        } else {
            out.truncate(line);
        }
        self.from = out.len();
        fits
    }

    fn count(&mut self, out: &ViewText<'_>, to: usize) {
        self.spent += out.tokens(self.from..to);
        self.from = to;
    }

    /// Returns the tokens that are left after the text in `out`.
    fn left(&mut self, out: &ViewText<'_>) -> usize {
        self.count(out, out.len());
        self.limit.saturating_sub(self.spent)
    }
}

fn write_remarks(desk: &ViewInputs<'_>, out: &mut String, shown: &mut ViewContents) {
    let remarks = &desk.room.remarks;
    if remarks.is_empty() {
        return;
    }
    let mut left = desk.budget.state / 4;
    let mut lines = Vec::new();
    for remark in remarks.iter().rev() {
        let text = desk.names.line(&remark.text);
        // In a small window the newest is cut rather than lost.
        let most = if lines.is_empty() { left.saturating_sub(AROUND) } else { REMARK };
        let line = format!("- In round {}: {}\n", remark.round, clip(&text, REMARK.min(most)));
        let Some(rest) = left.checked_sub(tokens(&line)) else { break };
        left = rest;
        lines.push(line);
    }
    out.push_str("The user said, and it holds:\n");
    lines.iter().rev().for_each(|line| out.push_str(line));
    if lines.len() < remarks.len() {
        let count = remarks.len() - lines.len();
        shown.left_out.push(format!("{count} earlier remarks of the user"));
    }
}

/// Decisions beyond the user's remarks, one line each.
fn decisions(desk: &ViewInputs<'_>) -> Vec<String> {
    let remarked = |text: &str| desk.room.remarks.iter().any(|remark| remark.text == text);
    let decisions = desk.room.ledger.decisions.iter().rev().filter(|it| !remarked(&it.text));
    let line = |it: &crate::model::Decision| {
        let when = match it.round {
            0 => "in an earlier debate".to_owned(),
            round => format!("in round {round}"),
        };
        format!("{} decided {when}: {}", it.id, desk.names.line(&it.text))
    };
    let mut lines: Vec<String> = decisions.take(8).map(line).collect();
    lines.reverse();
    lines
}

/// Writes the position of each seat behind the lines before it; in an anonymous view these
/// lines alone.
fn write_table(desk: &ViewInputs<'_>, mut head: String, out: &mut ViewText<'_>) {
    if desk.names.anonymous() {
        if !head.is_empty() {
            out.push_lines(&CountedLines::new(head));
        }
        return;
    }
    head.push_str("At the table:\n");
    out.push_lines(&CountedLines::new(head));
    for seat in &desk.room.seats {
        let latest = desk.latest(seat.id);
        let line = || table_line(desk, seat, latest);
        if seat.id == desk.seat {
            out.push_lines(&line());
        } else {
            // What is the latest may differ by reader.
            let key = (seat.id, latest.map(|(round, _)| round));
            out.push_lines(&desk.shared.table.get(key, &desk.names, line));
        }
    }
}

fn table_line(desk: &ViewInputs<'_>, seat: &Seat, latest: Option<(Round, &Turn)>) -> CountedLines {
    let mut out = String::with_capacity(100);
    let name = desk.names.seat(desk.round, seat.id);
    let _ = write!(out, "- {name} ({}", desk.names.line(&seat.role));
    out.push_str(if seat.id == desk.seat { ", you)" } else { ")" });
    if let Some((round, turn)) = latest {
        out.push_str(": ");
        out.push_str(&standing(desk, round, turn));
    }
    out.push('\n');
    CountedLines::new(out)
}

/// Stance, vote and confidence of an answer with its change.
pub(super) fn standing(desk: &ViewInputs<'_>, round: Round, turn: &Turn) -> Rc<String> {
    desk.shared.standings.get((round, turn.seat), &desk.names, || standing_of(turn))
}

fn standing_of(turn: &Turn) -> String {
    let mut out = String::with_capacity(64);
    let answer = &turn.answer;
    if let Some(stance) = answer.stance {
        let _ = write!(out, "stance {}; ", stance.word());
    }
    if let Some(vote) = &answer.vote {
        let _ = write!(out, "vote {}; ", vote.ballot.word());
    }
    match answer.confidence {
        Some(confidence) => {
            let _ = write!(out, "confidence {confidence:.2}");
        }
        None => out.push_str("confidence not stated"),
    }
    if let Some(change) = &turn.confidence_change {
        let _ = write!(out, " ({:+.2})", change.delta);
    }
    out
}

fn write_gaps(desk: &ViewInputs<'_>, out: &mut String) {
    let mut line = String::new();
    for back in [3, 2, 1, 0] {
        let Some(record) = desk.back(back).filter(|record| !record.gaps.is_empty()) else {
            continue;
        };
        let known = record.gaps.iter().filter(|gap| back > 0 || desk.heard.contains(&gap.seat));
        if desk.names.anonymous() {
            let count = known.count();
            if count > 0 {
                let _ = write!(line, "; {count} in round {}", record.number);
            }
            continue;
        }
        for gap in known {
            let name = desk.names.seat(record.number, gap.seat);
            let _ = write!(line, "; {name} in round {} ({})", record.number, gap.class.word());
        }
    }
    if let Some(gaps) = line.strip_prefix("; ") {
        let _ = writeln!(out, "Missing answers: {}", clip(gaps, GAPS));
    }
}

fn write_open_questions(desk: &ViewInputs<'_>, picks: &ClaimOrder, out: &mut String) {
    if !desk.plan.view.open_questions {
        return;
    }
    let first = picks.claims(desk).take(CLAIMS);
    let open = first.filter(|claim| ranking::is_unanswered(claim));
    let open: Vec<ClaimId> = open.map(|claim| claim.id).take(30).collect();
    if !open.is_empty() {
        out.push_str("Open questions, not yet answered: ");
        ids::write(out, &open);
        out.push('\n');
    }
}

const ALSO_CONTESTED: &str = "Also contested: ";

fn write_claims(
    desk: &ViewInputs<'_>,
    picks: &ClaimOrder,
    meter: &mut TokenMeter,
    tenths: usize,
    out: &mut ViewText<'_>,
    shown: &mut ViewContents,
) {
    let contested = picks.contested;
    let close = desk.fence_cost / 2;
    // Space for the ids of contested claims, and for the words that introduce
    // those without text, is reserved before any text.
    let introduced = if contested > 0 { tokens(ALSO_CONTESTED) + ID } else { 0 };
    let mut reserved = contested * ID + introduced + close;
    let left = meter.left(out);
    let most =
        (left * tenths / 10).max(reserved).min(left + desk.budget.state_max - desk.budget.state);
    let limit = meter.limit - left + most;
    let mut unwritten = Vec::new();
    let mut misses = 0;
    for (place, claim) in picks.claims(desk).take(contested.max(CLAIMS)).enumerate() {
        let own = if place < contested { ID } else { 0 };
        meter.limit = limit.saturating_sub(reserved - own);
        let line = out.len();
        let least = LEAST_CLAIM + claim.text.len().min(CLAIM_TEXT) / 8;
        // A long ledger must not cost more with every round: once several in a
        // row found no space, no more texts are tried.
        let counted = meter.from == line;
        let hopeless = misses >= MISSES || counted && meter.spent + least > meter.limit;
        if !hopeless {
            let shown_to_all = || CountedLines::new(claim_line(desk, claim));
            out.push_lines(&desk.shared.claims.get(claim.id, &desk.names, shown_to_all));
        }
        if !hopeless && meter.keeps(out, line) {
            reserved -= own;
            misses = 0;
            shown.claims.push(claim.id);
            continue;
        }
        misses += 1;
        if own > 0 {
            unwritten.push(claim.id);
        }
    }
    meter.limit = limit.saturating_sub(close);
    if !unwritten.is_empty() {
        let line = out.len();
        let mut all = String::from(ALSO_CONTESTED);
        ids::write(&mut all, &unwritten);
        let _ = writeln!(out, "{all}");
        if !meter.keeps(out, line) {
            let mut runs = String::from(ALSO_CONTESTED);
            ids::write_runs(&mut runs, &unwritten);
            let room = meter.left(out).saturating_sub(1);
            let _ = writeln!(out, "{}", clip(&runs, room));
            meter.count(out, out.len());
        }
    }
    let known = picks.places.len();
    if shown.claims.len() < known {
        let count = known - shown.claims.len();
        shown.left_out.push(format!("the words of {count} of {known} claims"));
    }
}

fn claim_line(desk: &ViewInputs<'_>, claim: &Claim) -> String {
    let mut out = String::with_capacity(200);
    let (label, status) = (claim.label.word(), claim.status.word());
    let _ = write!(out, "{} {label} {status} {:.2}", claim.id, claim.strength);
    for (word, seats) in [("for", &claim.holders), ("against", &claim.opposers)] {
        if seats.is_empty() {
            continue;
        }
        if desk.names.anonymous() {
            let _ = write!(out, "; {word} {}", seats.len());
            continue;
        }
        for (place, seat) in seats.iter().enumerate() {
            let name = desk.names.seat(desk.round, *seat);
            let _ = match place {
                0 => write!(out, "; {word} {name}"),
                _ => write!(out, ", {name}"),
            };
        }
    }
    if !claim.support.is_empty() {
        out.push_str("; sources ");
        ids::write_runs(&mut out, &claim.support);
    }
    let text = desk.names.line(&claim.text);
    let _ = writeln!(out, ": {}", clip(&text, CLAIM_TEXT));
    out
}

fn write_sources(
    desk: &ViewInputs<'_>,
    sources: &[usize],
    meter: &mut TokenMeter,
    out: &mut ViewText<'_>,
    shown: &mut ViewContents,
) {
    meter.limit = meter.limit.saturating_sub(desk.fence_cost / 2);
    let all = &desk.room.ledger.evidence;
    for source in sources.iter().take(SOURCES).filter_map(|place| all.get(*place)) {
        let line = out.len();
        let shown_to_all = || CountedLines::new(source_line(desk, source));
        out.push_lines(&desk.shared.sources.get(source.id, &desk.names, shown_to_all));
        if !meter.keeps(out, line) {
            break;
        }
        shown.evidence.push(source.id);
    }
    if shown.evidence.len() < sources.len() {
        let count = sources.len() - shown.evidence.len();
        shown.left_out.push(format!("{count} of {} sources", sources.len()));
    }
}

fn source_line(desk: &ViewInputs<'_>, source: &Evidence) -> String {
    let mut out = String::with_capacity(200);
    let kind = match source.kind {
        EvidenceKind::Citation => "citation",
        EvidenceKind::ToolOutput => "tool output",
        EvidenceKind::Calculation => "calculation",
    };
    let _ = write!(out, "{} {kind}", source.id);
    if !source.supports.is_empty() {
        out.push_str(" for ");
        ids::write_runs(&mut out, source.supports.get(..8).unwrap_or(&source.supports));
    }
    let mut seats: Vec<_> = source.cited_by.iter().map(|by| by.seat).collect();
    seats.sort_unstable();
    seats.dedup();
    if desk.names.anonymous() {
        let _ = write!(out, "; cited by {}", seats.len());
    } else {
        for (place, seat) in seats.iter().enumerate() {
            out.push_str(if place == 0 { "; cited by " } else { ", " });
            out.push_str(&desk.names.seat(desk.round, *seat));
        }
    }
    let _ = write!(out, ": {}", clip(&desk.names.line(&source.title), TITLE));
    if let Some(url) = &source.url {
        let _ = write!(out, " {}", clip(&desk.names.line(url), URL));
    }
    if !source.gist.is_empty() {
        let _ = write!(out, " ({})", clip(&desk.names.line(&source.gist), TITLE));
    }
    out.push('\n');
    out
}

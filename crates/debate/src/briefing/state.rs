//! The state of the debate as it is now, for any number of rounds: the user's
//! words, the position of each seat, missing seats, the claims and the sources.
//!
//! If there is no space for every claim, the contested ones of the last rounds
//! come first, then the strongest. A contested claim is never without its id.

use std::fmt::Write;

use crate::model::{
    Claim, ClaimId, ClaimStatus, Evidence, EvidenceKind, Label, Turn, ViewContents, clip, tokens,
};

use super::{ViewInputs, ids};

/// The most claims that are considered for a line of their own.
const CLAIMS: usize = 100;
/// The same for sources.
const SOURCES: usize = 60;
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

pub(super) fn write(desk: &ViewInputs<'_>, out: &mut String, shown: &mut ViewContents) {
    let start = out.len();
    write_remarks(desk, out, shown);
    write_table(desk, out);
    write_gaps(desk, out);
    let picks = picks(desk);
    write_open_questions(desk, &picks, out);
    let sources = sources(desk);
    let decisions = decisions(desk);
    if picks.is_empty() && sources.is_empty() && decisions.is_empty() {
        return;
    }
    let outside = out.len();
    desk.fence.open(out, "claims and sources");
    let inside = out.len();
    let spent = tokens(&out[start..]) + desk.fence_cost / 2;
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
    out.truncate(out.trim_end().len());
    desk.fence.close(out);
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
    fn keeps(&mut self, out: &mut String, line: usize) -> bool {
        if self.spent + (out.len() - self.from) <= self.limit {
            return true;
        }
        self.count(out, line);
        let cost = tokens(&out[line..]);
        let fits = self.spent + cost <= self.limit;
        if fits {
            self.spent += cost;
        } else {
            out.truncate(line);
        }
        self.from = out.len();
        fits
    }

    fn count(&mut self, out: &str, to: usize) {
        self.spent += tokens(&out[self.from..to]);
        self.from = to;
    }

    /// Returns the tokens that are left after the text in `out`.
    fn left(&mut self, out: &str) -> usize {
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

/// Writes the position of each seat; nothing in an anonymous view.
fn write_table(desk: &ViewInputs<'_>, out: &mut String) {
    if desk.names.anonymous() {
        return;
    }
    out.push_str("At the table:\n");
    for seat in &desk.room.seats {
        let name = desk.names.seat(desk.round, seat.id);
        let _ = write!(out, "- {name} ({}", desk.fence.one_line(&seat.role));
        out.push_str(if seat.id == desk.seat { ", you)" } else { ")" });
        if let Some(turn) = desk.latest(seat.id) {
            out.push_str(": ");
            write_standing(turn, out);
        }
        out.push('\n');
    }
}

/// Stance, vote and confidence of an answer with its change.
pub(super) fn write_standing(turn: &Turn, out: &mut String) {
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

/// A claim with the values that decide its place.
struct RankedClaim<'a> {
    class: ClaimRank,
    claim: &'a Claim,
    tie: u64,
}

/// The order in which claims are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ClaimRank {
    ContestedLately,
    OpenQuestion,
    Contested,
    Lately,
    Older,
    Retracted,
}

fn picks<'a>(desk: &ViewInputs<'a>) -> Vec<RankedClaim<'a>> {
    let mut contested: Vec<ClaimId> = Vec::new();
    for record in (1..=3).filter_map(|back| desk.back(back)) {
        contested.extend(&record.contested);
    }
    contested.sort_unstable();
    let known = |claim: &&Claim| {
        claim.introduced_round < desk.round
            || claim.author == desk.seat
            || desk.heard.contains(&claim.author)
    };
    let mut picks: Vec<RankedClaim<'a>> = desk
        .room
        .ledger
        .claims
        .iter()
        .filter(known)
        .map(|claim| RankedClaim {
            class: class(desk, claim, &contested),
            claim,
            // Ids rise in seat order, which must stay hidden in an anonymous
            // view.
            tie: if desk.names.anonymous() {
                desk.names.lot(desk.round, claim.id.0)
            } else {
                u64::from(claim.id.0)
            },
        })
        .collect();
    let place = |one: &RankedClaim<'_>, other: &RankedClaim<'_>| {
        let strength = other.claim.strength.total_cmp(&one.claim.strength);
        one.class.cmp(&other.class).then(strength).then(one.tie.cmp(&other.tie))
    };
    // Only the first ones need an order: sorting a long ledger would cost more
    // with every round.
    let first = picks.iter().filter(|pick| pick.class == ClaimRank::ContestedLately).count();
    let first = first.max(CLAIMS);
    if picks.len() > first {
        picks.select_nth_unstable_by(first, place);
        picks.get_mut(..first).unwrap_or_default().sort_unstable_by(place);
    } else {
        picks.sort_unstable_by(place);
    }
    picks
}

fn class(desk: &ViewInputs<'_>, claim: &Claim, contested: &[ClaimId]) -> ClaimRank {
    let lately = claim.last_updated_round + 3 >= desk.round;
    match claim.status {
        _ if contested.binary_search(&claim.id).is_ok() => ClaimRank::ContestedLately,
        ClaimStatus::Contested if lately => ClaimRank::ContestedLately,
        ClaimStatus::Retracted => ClaimRank::Retracted,
        _ if desk.plan.view.open_questions && unanswered(claim) => ClaimRank::OpenQuestion,
        ClaimStatus::Contested => ClaimRank::Contested,
        _ if lately => ClaimRank::Lately,
        _ => ClaimRank::Older,
    }
}

fn unanswered(claim: &Claim) -> bool {
    claim.label == Label::Open
        && claim.status != ClaimStatus::Retracted
        && claim.supported_by.is_empty()
        && claim.opposition.is_empty()
}

fn write_open_questions(desk: &ViewInputs<'_>, picks: &[RankedClaim<'_>], out: &mut String) {
    if !desk.plan.view.open_questions {
        return;
    }
    let open = picks.iter().take(CLAIMS).map(|pick| pick.claim).filter(|claim| unanswered(claim));
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
    picks: &[RankedClaim<'_>],
    meter: &mut TokenMeter,
    tenths: usize,
    out: &mut String,
    shown: &mut ViewContents,
) {
    let contested = picks.iter().filter(|pick| pick.class == ClaimRank::ContestedLately).count();
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
    for pick in picks.iter().take(contested.max(CLAIMS)) {
        let own = if pick.class == ClaimRank::ContestedLately { ID } else { 0 };
        meter.limit = limit.saturating_sub(reserved - own);
        let line = out.len();
        let least = LEAST_CLAIM + pick.claim.text.len().min(CLAIM_TEXT) / 8;
        // A long ledger must not cost more with every round: once several in a
        // row found no space, no more texts are tried.
        let counted = meter.from == line;
        let hopeless = misses >= MISSES || counted && meter.spent + least > meter.limit;
        if !hopeless {
            write_claim(desk, pick.claim, out);
        }
        if !hopeless && meter.keeps(out, line) {
            reserved -= own;
            misses = 0;
            shown.claims.push(pick.claim.id);
            continue;
        }
        misses += 1;
        if own > 0 {
            unwritten.push(pick.claim.id);
        }
    }
    meter.limit = limit.saturating_sub(close);
    if !unwritten.is_empty() {
        let line = out.len();
        out.push_str(ALSO_CONTESTED);
        ids::write(out, &unwritten);
        out.push('\n');
        if !meter.keeps(out, line) {
            let mut runs = String::from(ALSO_CONTESTED);
            ids::write_runs(&mut runs, &unwritten);
            let room = meter.left(out).saturating_sub(1);
            let _ = writeln!(out, "{}", clip(&runs, room));
            meter.count(out, out.len());
        }
    }
    if shown.claims.len() < picks.len() {
        let count = picks.len() - shown.claims.len();
        shown.left_out.push(format!("the words of {count} of {} claims", picks.len()));
    }
}

fn write_claim(desk: &ViewInputs<'_>, claim: &Claim, out: &mut String) {
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
        ids::write_runs(out, &claim.support);
    }
    let text = desk.names.line(&claim.text);
    let _ = writeln!(out, ": {}", clip(&text, CLAIM_TEXT));
}

/// The sources a reader may know of, those used lately and by many first.
fn sources<'a>(desk: &ViewInputs<'a>) -> Vec<&'a Evidence> {
    let known = |source: &&Evidence| {
        source.added_round < desk.round
            || source
                .cited_by
                .iter()
                .any(|by| by.seat == desk.seat || desk.heard.contains(&by.seat))
    };
    let mut sources: Vec<&Evidence> = desk.room.ledger.evidence.iter().filter(known).collect();
    let key = |source: &&Evidence| {
        let last = source.cited_by.iter().map(|by| by.round).max().unwrap_or(source.added_round);
        let tie = if desk.names.anonymous() {
            desk.names.lot(desk.round, source.id.0)
        } else {
            u64::from(source.id.0)
        };
        let uses = source.cited_by.len().max(source.supports.len());
        (last + 3 < desk.round, std::cmp::Reverse(uses), tie)
    };
    if sources.len() > SOURCES {
        sources.select_nth_unstable_by_key(SOURCES, key);
        sources.get_mut(..SOURCES).unwrap_or_default().sort_by_cached_key(key);
    } else {
        sources.sort_by_cached_key(key);
    }
    sources
}

fn write_sources(
    desk: &ViewInputs<'_>,
    sources: &[&Evidence],
    meter: &mut TokenMeter,
    out: &mut String,
    shown: &mut ViewContents,
) {
    meter.limit = meter.limit.saturating_sub(desk.fence_cost / 2);
    for source in sources.iter().take(SOURCES) {
        let line = out.len();
        write_source(desk, source, out);
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

fn write_source(desk: &ViewInputs<'_>, source: &Evidence, out: &mut String) {
    let kind = match source.kind {
        EvidenceKind::Citation => "citation",
        EvidenceKind::ToolOutput => "tool output",
        EvidenceKind::Calculation => "calculation",
    };
    let _ = write!(out, "{} {kind}", source.id);
    if !source.supports.is_empty() {
        out.push_str(" for ");
        ids::write_runs(out, source.supports.get(..8).unwrap_or(&source.supports));
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
}

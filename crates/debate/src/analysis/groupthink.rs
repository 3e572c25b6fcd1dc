//! Looks for agreement that came too easily, and checks if a round of forced
//! objections changed it. It runs only if the mode and the flags switch it on,
//! and it never reads a missing figure as a sign.

use crate::model::{
    Alert, AnalysedBy, Ballot, Consensus, Convergence, Groupthink, GroupthinkSign,
    GroupthinkTrigger, Label, ModePlan, Room, Round, RoundAnalysis, RoundKind, RoundRecord, SeatId,
    Stance, counted,
};

use super::answers::stands;
use super::answers::trace::Trace;
use super::spread::{confidences, mean, spread};
use super::wording::percent;

const SURE: f64 = 0.80;
const SURE_ON_AVERAGE: f64 = 0.85;
const SIGNS_FOR_WARNING: usize = 2;

/// Fewer new FACT claims per agent than this means stagnation.
const FACTS_PER_AGENT: f64 = 1.0;
const STILL_CONFIDENCE: f64 = 0.10;
const STILL_DEVIATION: f64 = 0.15;

const EARLY_ROUNDS: Round = 2;
const VERY_SURE: f64 = 0.85;
const VERY_SURE_SHARE: f64 = 0.75;
const FEW_SOURCES: usize = 3;
const SHARED_PREMISES: f64 = 0.70;
const FEW_CLUSTERS: usize = 2;

/// A change of belief below this means the objections changed nothing.
const UNMOVED: f64 = 0.05;

/// Absorbs rounding errors of sums of decimal fractions at a boundary.
const SLACK: f64 = 1e-9;

pub fn groupthink(
    room: &Room,
    plan: &ModePlan,
    round: &RoundRecord,
    consensus: &Consensus,
    convergence: &Convergence,
) -> Groupthink {
    if !is_watched(room, plan) {
        return Groupthink::default();
    }
    let mut found = Groupthink { checked: true, ..Groupthink::default() };
    // Sealed answers cannot have swayed one another, and a table without a
    // majority does not think as a group.
    if round.kind == RoundKind::Sample || is_split(room, consensus) {
        return found;
    }
    warn(room, round, consensus, &mut found);
    if let Some(words) = stagnation(room, round) {
        found.trigger = Some(GroupthinkTrigger::Stagnation);
        found.indicators.push(words);
    }
    if let Some(words) = early_convergence(room, round, consensus) {
        found.trigger.get_or_insert(GroupthinkTrigger::EarlyConvergence);
        found.indicators.push(words);
    }
    if let Some(words) = unshaken(room, round, consensus) {
        found.escalate = true;
        found.indicators.push(words);
    }
    if really_one(room, consensus) {
        found.critical_objection = call_for_objections(room, round, &found, convergence);
    }
    found.recommendation = recommendation(room, round, &found).map(str::to_owned);
    found
}

/// Returns whether the mode and the flags switch the detection on.
pub fn is_watched(room: &Room, plan: &ModePlan) -> bool {
    plan.groupthink && room.brief.flags.groupthink_detection.enabled
}

/// Returns false where nothing can call for objections after this round, whatever the
/// agents are found to agree on.
pub fn may_be_triggered(room: &Room, round: &RoundRecord) -> bool {
    round.number <= EARLY_ROUNDS || stagnation(room, round).is_some()
}

/// Advice to a reader of the signs.
fn recommendation(room: &Room, round: &RoundRecord, found: &Groupthink) -> Option<&'static str> {
    let suspected = found.warning || found.trigger.is_some();
    if found.escalate {
        return Some(
            "Have a person check the reasoning: a round of forced objections changed nothing.",
        );
    }
    let heard = objections_heard(room, round.number);
    match (suspected, found.critical_objection.is_some(), heard) {
        (false, ..) => None,
        (true, true, _) => Some(
            "A round of critical objections comes next; read what it brings before you rely on \
             this agreement.",
        ),
        (true, false, true) => {
            Some("Read the objections that were raised, and check at least one source yourself.")
        }
        (true, false, false) => Some(
            "Ask for counter-arguments (a devil's advocate, or another family of models) before \
             you rely on this agreement.",
        ),
    }
}

/// Returns whether it is known that no answer is held by more than half of those who vote.
fn is_split(room: &Room, consensus: &Consensus) -> bool {
    if room.brief.combines_figures() {
        return consensus.agreement_level.is_none_or(|level| level < 0.5);
    }
    let sizes = consensus.clusters.iter().map(|cluster| cluster.seats.len());
    let (all, largest) = (sizes.clone().sum::<usize>(), sizes.max().unwrap_or(0));
    // Other words alone do not say that two positions differ.
    let unread = consensus.by == AnalysedBy::Basic && consensus.conflicts.is_empty();
    2 * largest <= all && !unread
}

/// Returns whether all who vote gave one answer, or estimates that all lie together.
pub fn really_one(room: &Room, consensus: &Consensus) -> bool {
    if room.brief.combines_figures() {
        return consensus.agreement_level.is_some_and(|level| level >= 1.0 - SLACK);
    }
    matches!(consensus.clusters.as_slice(), [only] if only.seats.len() >= 2)
}

/// Why a critical-objection round must come next. One is held per debate.
pub fn needs_critical_objection(room: &Room, analysis: &RoundAnalysis) -> Option<String> {
    let wanted = analysis.groupthink.critical_objection.clone()?;
    (!objections_heard(room, analysis.round)).then_some(wanted)
}

/// Returns true if the debate has had its critical-objection round by then.
pub fn objections_heard(room: &Room, up_to: Round) -> bool {
    let critical =
        |round: &RoundRecord| round.number <= up_to && round.kind == RoundKind::CriticalObjection;
    room.rounds.iter().any(critical)
}

fn call_for_objections(
    room: &Room,
    round: &RoundRecord,
    found: &Groupthink,
    convergence: &Convergence,
) -> Option<String> {
    if objections_heard(room, round.number) {
        return None;
    }
    let premature = convergence.alerts.contains(&Alert::Premature);
    match (found.trigger, premature) {
        (Some(GroupthinkTrigger::Stagnation), _) => {
            Some("the debate has stalled: two rounds brought nothing new".into())
        }
        (Some(GroupthinkTrigger::EarlyConvergence), _) => {
            Some("the agents were very sure early on and on little evidence".into())
        }
        (None, true) => Some(format!(
            "positions were already alike in round {} (similarity {:.2})",
            round.number,
            convergence.similarity.unwrap_or_default()
        )),
        (None, false) => None,
    }
}

fn warn(room: &Room, round: &RoundRecord, consensus: &Consensus, found: &mut Groupthink) {
    let answers = round.answered().count();
    if answers < 2 {
        return;
    }
    let mut sign = |sign, words: String| {
        found.signs.push(sign);
        found.indicators.push(words);
    };
    let stated = confidences(round);
    if let (Some(mean), Some(least)) = (stated.mean, stated.min)
        && stated.count == answers
        && least >= SURE - SLACK
        && mean >= SURE_ON_AVERAGE - SLACK
    {
        let words =
            format!("every agent is sure: confidence {least:.2} at least, {mean:.2} on average");
        sign(GroupthinkSign::AllConfident, words);
    }
    if let Some(words) = no_dissent(room, round) {
        sign(GroupthinkSign::NoDissent, words);
    }
    let limit = room.brief.flags.groupthink_detection.threshold;
    if let Some(level) = consensus.agreement_level.filter(|level| *level >= limit - SLACK) {
        let words = format!("agreement {level:.2} is at or over {limit:.2}");
        sign(GroupthinkSign::HighAgreement, words);
    }
    found.warning = found.signs.len() >= SIGNS_FOR_WARNING;
}

/// Looks at stances first, else at ballots; with fewer than two of either there
/// is nothing to dissent from.
fn no_dissent(room: &Room, round: &RoundRecord) -> Option<String> {
    let stances = free_stances(room, round);
    if stances.len() >= 2 {
        let first = stances.first()?;
        return stances
            .iter()
            .all(|stance| stance == first)
            .then(|| format!("no dissenting stance: all {} say {}", stances.len(), first.word()));
    }
    let ballots = ballots(round);
    let unanimous = ballots.len() >= 2 && ballots.iter().all(|ballot| *ballot == Ballot::Accept);
    unanimous.then(|| format!("no dissenting vote: all {} say ACCEPT", ballots.len()))
}

/// Stances the agents chose themselves; an assigned one shows nothing.
fn free_stances(room: &Room, round: &RoundRecord) -> Vec<Stance> {
    let assigned =
        |seat: SeatId| room.seats.get(seat.index()).is_some_and(|seat| seat.stance.is_some());
    round
        .answered()
        .filter(|turn| !assigned(turn.seat))
        .filter_map(|turn| turn.answer.stance)
        .collect()
}

fn ballots(round: &RoundRecord) -> Vec<Ballot> {
    round.answered().filter_map(|turn| turn.answer.vote.as_ref()).map(|vote| vote.ballot).collect()
}

/// Returns a sentence if this round and the one before both brought nothing new.
fn stagnation(room: &Room, round: &RoundRecord) -> Option<String> {
    let before = room.round(round.number.checked_sub(1)?)?;
    let (now, earlier) = (Stillness::of(room, round)?, Stillness::of(room, before)?);
    (now.is_still() && earlier.is_still()).then(|| {
        format!(
            "standing still in rounds {} and {}: {} and {} new FACT claims, confidence moved by \
             {:.2} and {:.2}, stances or votes deviate by {:.2} and {:.2}",
            before.number,
            round.number,
            earlier.facts,
            now.facts,
            earlier.confidence,
            now.confidence,
            earlier.deviation,
            now.deviation
        )
    })
}

struct Stillness {
    agents: usize,
    facts: usize,
    confidence: f64,
    deviation: f64,
}

impl Stillness {
    /// Absent if a figure is missing: stagnation must be measured, not assumed.
    fn of(room: &Room, round: &RoundRecord) -> Option<Stillness> {
        let stances: Vec<f64> = free_stances(room, round).into_iter().map(Stance::value).collect();
        let values = if stances.is_empty() {
            ballots(round).into_iter().map(Ballot::value).collect()
        } else {
            stances
        };
        Some(Stillness {
            agents: round.answered().count(),
            facts: new_facts(room, round),
            confidence: mean_confidence_change(room, round)?,
            deviation: spread(values).variance?.sqrt(),
        })
    }

    fn is_still(&self) -> bool {
        (self.facts as f64) < FACTS_PER_AGENT * self.agents as f64
            && self.confidence <= STILL_CONFIDENCE + SLACK
            && self.deviation <= STILL_DEVIATION + SLACK
    }
}

pub fn new_facts(room: &Room, round: &RoundRecord) -> usize {
    let is_fact = |id: &&crate::model::ClaimId| {
        room.ledger.claim(**id).is_some_and(|c| c.label == Label::Fact)
    };
    round.new_claims.iter().filter(is_fact).count()
}

/// Returns the mean change of confidence over seats since their last answer.
pub fn mean_confidence_change(room: &Room, round: &RoundRecord) -> Option<f64> {
    let changes: Vec<f64> =
        round.answered().filter_map(|turn| confidence_change(room, round, turn.seat)).collect();
    mean(&changes)
}

fn confidence_change(room: &Room, round: &RoundRecord, seat: SeatId) -> Option<f64> {
    let now = round.turn(seat)?.answer.confidence?;
    let before = room.previous_turn(seat, round.number)?.answer.confidence?;
    Some((now - before).abs())
}

fn early_convergence(room: &Room, round: &RoundRecord, consensus: &Consensus) -> Option<String> {
    let answers = round.answered().count();
    if round.number > EARLY_ROUNDS || answers < 2 {
        return None;
    }
    let stated = round.answered().filter_map(|turn| turn.answer.confidence);
    let sure = stated.filter(|confidence| *confidence >= VERY_SURE - SLACK).count();
    if (sure as f64) < VERY_SURE_SHARE * answers as f64 - SLACK {
        return None;
    }
    let sources =
        room.ledger.evidence.iter().filter(|source| source.added_round <= round.number).count();
    let overlap = premise_overlap(room, round);
    let mut grounds = Vec::new();
    if sources < FEW_SOURCES {
        grounds.push(format!("{} in all", counted(sources, "source")));
    }
    if let Some(overlap) = overlap.filter(|overlap| *overlap >= SHARED_PREMISES - SLACK) {
        grounds.push(format!("{} of the premises are shared", percent(overlap)));
    }
    if consensus.clusters.len() < FEW_CLUSTERS {
        grounds.push("a single position".into());
    }
    (!grounds.is_empty()).then(|| {
        format!(
            "early convergence in round {}: {sure} of {answers} agents at {VERY_SURE:.2} or more, \
             with {}",
            round.number,
            grounds.join(", ")
        )
    })
}

/// Mean over pairs of agents of the claims both hold ÷ the claims either holds.
fn premise_overlap(room: &Room, round: &RoundRecord) -> Option<f64> {
    let seats: Vec<SeatId> = round.answered().map(|turn| turn.seat).collect();
    let mut overlaps = Vec::new();
    for (at, one) in seats.iter().enumerate() {
        for other in seats.iter().skip(at + 1) {
            let (mut both, mut either) = (0_u32, 0_u32);
            for claim in &room.ledger.claims {
                let (a, b) = (claim.holders.contains(one), claim.holders.contains(other));
                both += u32::from(a && b);
                either += u32::from(a || b);
            }
            if either > 0 {
                overlaps.push(f64::from(both) / f64::from(either));
            }
        }
    }
    mean(&overlaps)
}

/// Returns a sentence if a critical-objection round failed: no new FACT,
/// confidence still high, belief hardly changed.
fn unshaken(room: &Room, round: &RoundRecord, consensus: &Consensus) -> Option<String> {
    if round.kind != RoundKind::CriticalObjection || new_facts(room, round) > 0 {
        return None;
    }
    let confidence = confidences(round).mean.filter(|mean| *mean >= SURE - SLACK)?;
    let change = belief_change(room, round, consensus)?;
    (change < UNMOVED - SLACK).then(|| {
        format!(
            "the critical-objection round changed nothing: no new FACT claim, confidence still \
             {confidence:.2}, belief moved by {}",
            percent(change)
        )
    })
}

/// Returns the mean over seats: 1 for another answer, else the change of
/// confidence.
fn belief_change(room: &Room, round: &RoundRecord, consensus: &Consensus) -> Option<f64> {
    let trace = Trace::of(room, round.number, Some(&consensus.clusters));
    let mut changes = Vec::new();
    for turn in round.answered() {
        let regrouped = match trace.path(turn.seat) {
            [.., before, now] => now.round == round.number && before.answer != now.answer,
            _ => false,
        };
        let table = room
            .previous_turn(turn.seat, round.number)
            .and_then(|before| room.round(before.round)?.analysis.as_ref())
            .map(|found| found.consensus.propositions.as_slice())
            .unwrap_or_default();
        let switched = match consensus.by {
            AnalysedBy::Clerk => stands::changed_sides(table, &consensus.propositions, turn.seat)
                .unwrap_or(regrouped),
            AnalysedBy::Basic | AnalysedBy::Votes => regrouped,
        };
        match (switched, confidence_change(room, round, turn.seat)) {
            (true, _) => changes.push(1.0),
            (false, Some(change)) => changes.push(change),
            (false, None) => {}
        }
    }
    mean(&changes)
}

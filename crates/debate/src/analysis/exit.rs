//! Decides if a debate ends before its last planned round, by which rule and on
//! which figures. It never ends a debate while an objection or suspected
//! groupthink stands, and it leaves the round cap to the machine.

use crate::model::{
    Alert, Algorithm, AnalysedBy, Ballot, Cluster, ConvergenceStatus, Depth, Exit, ModePlan, Room,
    Round, RoundAnalysis, RoundKind, RoundRecord, Ruling, SeatId, counted,
};

use super::answers::positions;
use super::groupthink::{mean_confidence_change, new_facts, objections_heard};
use super::quality::recent_quality;
use super::votes::standing_blockers;
use super::wording::{percent, seat_names};

const SLACK: f64 = 1e-9;

/// The result of the exit rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExitCheck {
    pub exit: Option<Exit>,
    pub held_back: Option<String>,
}

/// A round whole, and with the answers that count and no others.
#[derive(Clone, Copy)]
pub struct RoundHeard<'a> {
    pub whole: &'a RoundRecord,
    pub voted: &'a RoundRecord,
}

struct ExitInputs<'a> {
    /// With the answers that count and no others, like `round`.
    room: &'a Room,
    round: &'a RoundRecord,
    whole: &'a RoundRecord,
    found: &'a RoundAnalysis,
}

/// The names of the rules; their words are stored with the ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleName {
    Ruling,
    Quality,
    Agreement,
    Stability,
    Confidence,
    Votes,
    Plateau,
    SimilarPositions,
    SimilarByDiverseEvidence,
    DiminishingReturns,
}

impl RuleName {
    fn word(self) -> &'static str {
        match self {
            RuleName::Ruling => "ruling",
            RuleName::Quality => "quality",
            RuleName::Agreement => "consensus",
            RuleName::Stability => "convergence",
            RuleName::Confidence => "confidence",
            RuleName::Votes => "votes",
            RuleName::Plateau => "plateau",
            RuleName::SimilarPositions => "consensus_reached",
            RuleName::SimilarByDiverseEvidence => "consensus_diverse_evidence",
            RuleName::DiminishingReturns => "diminishing_returns",
        }
    }

    /// Returns true if the rule ends a debate because its seats agree.
    fn claims_consensus(self) -> bool {
        self == RuleName::Agreement || self.compares_words()
    }

    /// Returns true if the rule takes similar words for agreement.
    fn compares_words(self) -> bool {
        matches!(self, RuleName::SimilarPositions | RuleName::SimilarByDiverseEvidence)
    }
}

/// A rule that fired, with the figures it fired on.
struct FiredRule {
    name: RuleName,
    details: String,
}

type ExitRule = fn(&ExitInputs<'_>) -> Option<FiredRule>;

/// Per algorithm its rules, in the order in which they are tried.
const RULES: &[(Algorithm, &[ExitRule])] = &[
    (Algorithm::Agreement, &[agreement, stability, confidence]),
    (Algorithm::Votes, &[votes, plateau]),
    (Algorithm::EvidenceBasedDebate, &[convergence]),
];

/// The ruling of a judging seat ends the debate, with or without the flag.
const JUDGED_RULES: &[ExitRule] = &[ruling];
/// A deeper debate also ends when going on is not worth its price.
const DEEP_RULES: &[ExitRule] = &[ruling, agreement, low_quality];
/// Quality below which another round is not worth its price.
const WORTH_GOING_ON: f64 = 0.6;
/// The first round whose quality counts.
const QUALITY_FROM: Round = 2;

/// The ending a round calls for. `found` is the analysis of that round, its own
/// `exit` not yet filled in.
pub fn ending(
    room: &Room,
    plan: &ModePlan,
    heard: RoundHeard<'_>,
    found: &RoundAnalysis,
) -> ExitCheck {
    // Sealed first answers end by their own rule, which the machine applies.
    if heard.whole.kind == RoundKind::Sample {
        return ExitCheck::default();
    }
    let seen = ExitInputs { room, round: heard.voted, whole: heard.whole, found };
    let own: &[ExitRule] = match (plan.extended, room.brief.depth) {
        (None, _) => &[],
        (Some(_), Depth::Extended) => DEEP_RULES,
        (Some(_), Depth::Standard | Depth::Auto) => JUDGED_RULES,
    };
    let enabled = room.brief.flags.exit_criteria.enabled;
    let chosen =
        RULES.iter().filter(|(algorithm, _)| enabled && *algorithm == room.brief.algorithm);
    let rules = own.iter().chain(chosen.flat_map(|(_, rules)| rules.iter()));
    let Some(FiredRule { name, details }) = rules.into_iter().find_map(|rule| rule(&seen)) else {
        return ExitCheck::default();
    };
    let rule = name.word().to_owned();
    match hindrance(&seen, name) {
        Some(why) => {
            let held_back = format!("{rule} ({details}) was held back: {why}");
            ExitCheck { exit: None, held_back: Some(held_back) }
        }
        None => ExitCheck { exit: Some(Exit { rule, details }), held_back: None },
    }
}

/// Returns the reason against ending now, if there is one.
fn hindrance(seen: &ExitInputs<'_>, rule: RuleName) -> Option<String> {
    let blockers = standing_blockers(seen.room, seen.round.number);
    if !blockers.is_empty() {
        let seats: Vec<_> = blockers.iter().map(|blocker| blocker.seat).collect();
        return Some(format!("a BLOCKER by {} stands", seat_names(seen.room, &seats)));
    }
    let heard = objections_heard(seen.room, seen.round.number);
    let groupthink = &seen.found.groupthink;
    if groupthink.trigger.is_some() && !heard {
        return Some("groupthink is suspected and no critical-objection round was held".into());
    }
    let early = seen.found.convergence.alerts.contains(&Alert::Premature);
    if early && !heard && rule.claims_consensus() {
        return Some("positions were alike too early to be accepted without objections".into());
    }
    if rule.compares_words() { contradiction(seen) } else { None }
}

/// Similar words can hide opposite positions: "is safe" and "is not safe" are
/// near neighbours to every embedder.
fn contradiction(seen: &ExitInputs<'_>) -> Option<String> {
    let groups = positions::groups(&seen.room.brief, seen.round.answered());
    let consensus = &seen.found.consensus;
    // A clerk that read both texts decides over a comparison of words.
    let joined = |pair: &(SeatId, SeatId)| {
        let holds_both =
            |cluster: &Cluster| cluster.seats.contains(&pair.0) && cluster.seats.contains(&pair.1);
        consensus.by == AnalysedBy::Clerk && consensus.clusters.iter().any(holds_both)
    };
    let (one, other) = positions::opposed_pairs(&groups).into_iter().find(|pair| !joined(pair))?;
    let names = seat_names(seen.room, &[one, other]);
    Some(format!("{names} use similar words for opposite positions"))
}

fn exit(name: RuleName, details: String) -> Option<FiredRule> {
    Some(FiredRule { name, details })
}

/// Only a ruling by somebody who heard the others: in a round of one wave the
/// judge spoke without having heard anybody.
fn ruling(seen: &ExitInputs<'_>) -> Option<FiredRule> {
    let waves = &seen.whole.waves;
    let judge = seen
        .whole
        .answered()
        .find(|turn| turn.answer.ruling == Some(Ruling::Conclude))
        .filter(|_| waves.len() > 1)?;
    exit(RuleName::Ruling, format!("{} ruled to conclude", seat_names(seen.room, &[judge.seat])))
}

fn low_quality(seen: &ExitInputs<'_>) -> Option<FiredRule> {
    let quality = recent_quality(seen.room, seen.round.number)?;
    if seen.round.number < QUALITY_FROM || quality >= WORTH_GOING_ON - SLACK {
        return None;
    }
    exit(
        RuleName::Quality,
        format!("the arguments of this round reach {quality:.2} (needed {WORTH_GOING_ON:.2})"),
    )
}

fn agreement(seen: &ExitInputs<'_>) -> Option<FiredRule> {
    let limit = seen.room.brief.flags.exit_criteria.consensus_threshold;
    let level = seen.found.consensus.agreement_level?;
    if level < limit - SLACK {
        return None;
    }
    exit(RuleName::Agreement, format!("agreement {level:.2} reached {limit:.2}"))
}

fn stability(seen: &ExitInputs<'_>) -> Option<FiredRule> {
    let needed = seen.room.brief.flags.exit_criteria.convergence_rounds.max(1);
    let limit = seen.room.brief.thresholds.stable_shift;
    let last = seen.round.number;
    let first = last.checked_sub(needed - 1)?;
    let stable = (first..=last).all(|number| stable_round(seen, number, limit));
    if !stable {
        return None;
    }
    exit(
        RuleName::Stability,
        format!(
            "every position stayed as it was for {} (each shift below {limit:.2})",
            counted(needed as usize, "round")
        ),
    )
}

/// Returns true if every seat that spoke kept its position. Without an embedder
/// the words must be the same; with one, a small shift that turns the position
/// into its opposite is still a change.
fn stable_round(seen: &ExitInputs<'_>, number: Round, limit: f64) -> bool {
    let current = number == seen.round.number;
    let Some(round) = seen.room.round(number) else {
        return false;
    };
    let found = if current { Some(seen.found) } else { round.analysis.as_ref() };
    let mut compared = 0_usize;
    for turn in round.answered() {
        let Some(before) = seen.room.previous_turn(turn.seat, number) else {
            return false;
        };
        let shift = found
            .and_then(|found| found.convergence.shifts.iter().find(|s| s.seat == turn.seat))
            .map(|shift| shift.shift);
        let kept = match shift {
            Some(shift) => {
                shift < limit - SLACK && !positions::reversed(&seen.room.brief, before, turn)
            }
            None => positions::unchanged(&seen.room.brief, before, turn),
        };
        if !kept {
            return false;
        }
        compared += 1;
    }
    compared >= 2
}

/// The least confidence of the round, where every answer states one.
fn least_confidence(round: &RoundRecord) -> Option<f64> {
    let stated: Option<Vec<f64>> = round.answered().map(|turn| turn.answer.confidence).collect();
    stated?.into_iter().min_by(f64::total_cmp)
}

fn confidence(seen: &ExitInputs<'_>) -> Option<FiredRule> {
    let limit = seen.room.brief.flags.exit_criteria.confidence_threshold;
    let least = least_confidence(seen.round).filter(|least| *least >= limit - SLACK)?;
    (seen.round.answered().count() >= 2).then_some(())?;
    exit(RuleName::Confidence, format!("every agent is at {least:.2} or more (needed {limit:.2})"))
}

fn votes(seen: &ExitInputs<'_>) -> Option<FiredRule> {
    let limits = &seen.room.brief.thresholds;
    let votes = &seen.found.votes;
    let cast = votes.accept + votes.minor + votes.blocker;
    if cast < 2 {
        return None;
    }
    // A seat that answered without a vote has not accepted anything.
    let share = (votes.accept + votes.minor) as f64 / (cast + votes.none) as f64;
    let least = least_confidence(seen.round)?;
    if share < limits.votes - SLACK || votes.blocker > 0 || least < limits.vote_confidence - SLACK {
        return None;
    }
    exit(
        RuleName::Votes,
        format!(
            "{} ACCEPT or MINOR (needed {}), no BLOCKER, every confidence at {least:.2} or more \
             (needed {:.2})",
            percent(share),
            percent(limits.votes),
            limits.vote_confidence
        ),
    )
}

fn plateau(seen: &ExitInputs<'_>) -> Option<FiredRule> {
    let limit = seen.room.brief.thresholds.plateau_change;
    let before = seen.room.round(seen.round.number.checked_sub(1)?)?;
    let changes = [
        change(seen.room, before, before.analysis.as_ref()?)?,
        change(seen.room, seen.round, seen.found)?,
    ];
    let facts = new_facts(seen.room, before) + new_facts(seen.room, seen.round);
    if facts > 0 || changes.iter().any(|change| *change >= limit - SLACK) {
        return None;
    }
    exit(
        RuleName::Plateau,
        format!(
            "no new FACT claim in rounds {} and {}, and a change of {} and {} (below {})",
            before.number,
            seen.round.number,
            percent(changes[0]),
            percent(changes[1]),
            percent(limit)
        ),
    )
}

/// Returns the amount of change in a round: the largest of the mean change of
/// confidence, the share of ballots that differ from the seat's last one, and the
/// mean shift if it is known. Absent in a first round.
fn change(room: &Room, round: &RoundRecord, found: &RoundAnalysis) -> Option<f64> {
    let confidence = mean_confidence_change(room, round)?;
    let ballot = |turn: &crate::model::Turn| turn.answer.vote.as_ref().map(|vote| vote.ballot);
    let (mut changed, mut compared) = (0_u32, 0_u32);
    for turn in round.answered() {
        let before: Option<Ballot> = room.previous_turn(turn.seat, round.number).and_then(ballot);
        if let (Some(before), Some(now)) = (before, ballot(turn)) {
            compared += 1;
            changed += u32::from(before != now);
        }
    }
    let ballots = if compared == 0 { 0.0 } else { f64::from(changed) / f64::from(compared) };
    Some(confidence.max(ballots).max(found.convergence.shift.unwrap_or(0.0)))
}

/// The statuses that end a debate, each with its rule and the certainty of the
/// ending.
const ENDING_STATUS: &[(ConvergenceStatus, RuleName, &str)] = &[
    (ConvergenceStatus::ConsensusReached, RuleName::SimilarPositions, "high confidence"),
    (
        ConvergenceStatus::ConsensusDiverseEvidence,
        RuleName::SimilarByDiverseEvidence,
        "medium-high confidence: alike by different evidence",
    ),
    (
        ConvergenceStatus::DiminishingReturns,
        RuleName::DiminishingReturns,
        "medium confidence: a person should decide",
    ),
];

fn convergence(seen: &ExitInputs<'_>) -> Option<FiredRule> {
    let found = &seen.found.convergence;
    let status = found.status?;
    let (_, rule, sure) = ENDING_STATUS.iter().find(|(ending, ..)| *ending == status)?;
    let shift = found.shift.map_or("not known".to_owned(), |shift| format!("{shift:.2}"));
    let details = format!(
        "similarity {:.2}, shift {shift}, evidence convergence {:.2}; {sure}",
        found.similarity?,
        found.evidence.unwrap_or_default()
    );
    exit(*rule, details)
}

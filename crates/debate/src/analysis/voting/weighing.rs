//! Weighs the voices: first and final vote, every change of mind, copies
//! discounted, the pooled log-odds tempered, a probability per answer. Every step
//! is kept. Agreement is never taken for confidence, and a deciding seat never
//! overturns the vote without a note.

use crate::model::{
    Agent, AnalysedBy, ChangeBasis, ChangeOfMind, DeciderDiffers, MinorityReport, ModePlan,
    Reliability, RoleHolders, Room, Round, SeatId, Stance, Tempering, TrackRecord, Turn, Voice,
    VotePart, VoteShare, WeighedAnswer, WeighedOver, Weighing, WeighingFlag,
};

use super::pooling;
use crate::analysis::answers::positions;
use crate::analysis::answers::trace::{AnswerStep, AnswerSwitch as Change, Trace};
use crate::analysis::convergence::cited;

/// The share of errors that a copy of the same model, or a model of the same
/// family, has in common with the first.
const SAME_MODEL: f64 = 0.7;
const SAME_FAMILY: f64 = 0.5;
/// The correlation between the errors of any two models, until it is measured.
const ERROR_CORRELATION: f64 = 0.21;
/// The assumed reliability of an agent without outcomes.
const DEFAULT_RELIABILITY: f64 = 0.70;
const RELIABILITY_RANGE: (f64, f64) = (0.05, 0.98);
/// The parts of a vote that moved without new evidence.
const FIRST_PART: f64 = 0.5;
const MIDDLE_PART: f64 = 0.2;
const LAST_PART: f64 = 0.3;
const MINORITY_SHARE: f64 = 0.20;
const SLACK: f64 = 1e-9;

/// The rules of the weighing. Each can be left out to measure its effect; a
/// debate is always weighed by all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeighingRules {
    /// Copies of a model or family are discounted.
    pub discount_copies: bool,
    /// The pooled log-odds are tempered, because models err together.
    pub temper: bool,
    /// A switch that cites a new source counts in full.
    pub new_evidence: bool,
    /// A switch without one keeps part of its first vote.
    pub keep_first: bool,
}

impl WeighingRules {
    pub const ALL_ON: WeighingRules =
        WeighingRules { discount_copies: true, temper: true, new_evidence: true, keep_first: true };
}

/// Weighs everything said so far.
pub fn weigh(room: &Room, plan: &ModePlan, reliability: &Reliability) -> Weighing {
    weigh_traced(room, plan, reliability).0
}

/// The same, with the path by which each seat came to its answer.
pub fn weigh_traced(room: &Room, plan: &ModePlan, reliability: &Reliability) -> (Weighing, Trace) {
    traced_by(room, plan, reliability, WeighingRules::ALL_ON)
}

/// Weighs by other rules, to measure the effect of a rule.
pub fn weigh_by(
    room: &Room,
    plan: &ModePlan,
    reliability: &Reliability,
    rules: WeighingRules,
) -> Weighing {
    traced_by(room, plan, reliability, rules).0
}

fn traced_by(
    room: &Room,
    plan: &ModePlan,
    reliability: &Reliability,
    rules: WeighingRules,
) -> (Weighing, Trace) {
    let up_to = room.rounds.last().map_or(0, |round| round.number);
    let trace = Trace::of(room, up_to, None);
    let decider = decider(room, plan);
    let voters = voters(room, &trace, decider);
    let switches: Vec<Change> =
        voters.iter().flat_map(|seat| trace.switches(room, *seat)).collect();
    let parts: Vec<Vec<f64>> =
        voters.iter().map(|seat| vote_parts(&trace, *seat, &switches, rules)).collect();
    let possible = possible_answers(&trace, &parts);
    let known = WeightInputs { possible, reliability, rules };
    let voices = voices(room, &trace, &voters, &parts, &known);
    let effective: f64 = voices.iter().map(|voice| voice.discount).sum();
    let correlation = if rules.temper { ERROR_CORRELATION } else { 0.0 };
    let lambda = 1.0 / (1.0 + (effective - 1.0).max(0.0) * correlation);
    let mut weighing = Weighing {
        over: trace.over,
        first_vote_sealed: room.round(1).is_some_and(|round| round.waves.len() == 1),
        first_vote: vote(room, &trace, &voters, <[AnswerStep]>::first),
        final_vote: vote(room, &trace, &voters, <[AnswerStep]>::last),
        changes: switches.iter().map(|switch| change(room, &trace, switch)).collect(),
        tempering: Tempering {
            possible_answers: possible,
            effective_voices: effective,
            correlation,
            lambda,
        },
        pooled: pooling::pool(room, &trace, &voices),
        voices,
        ..Weighing::default()
    };
    weigh_answers(&trace, &voters, &parts, &mut weighing);
    weighing.minority = minority(room, &trace, &weighing);
    weighing.flags = flags(room, &voters, &weighing);
    weighing.decider = decider.and_then(|seat| differs(room, &trace, seat, &weighing));
    (weighing, trace)
}

/// Returns the deciding seat: the one that speaks last and alone holds its role.
pub fn decider(room: &Room, plan: &ModePlan) -> Option<SeatId> {
    let extended = plan.extended.map(|plan| plan.roles).unwrap_or_default();
    let alone = |role: &str| {
        let held =
            |row: &&crate::model::RolePlan| row.key == role && row.held_by == RoleHolders::One;
        plan.roles.iter().chain(extended).any(|row| held(&row))
    };
    let waves = &room.rounds.last()?.waves;
    let last = waves.last().filter(|_| waves.len() > 1)?;
    let decides =
        |seat: &&SeatId| room.seats.get(seat.index()).is_some_and(|seat| alone(&seat.role));
    last.iter().rfind(decides).copied()
}

/// Returns the seats that vote: those with an answer, except the seat that
/// decides over the vote, and except seats that argue for an assigned side,
/// unless no others are left.
fn voters(room: &Room, trace: &Trace, decider: Option<SeatId>) -> Vec<SeatId> {
    let answered = |seat: &SeatId| !trace.path(*seat).is_empty();
    let all: Vec<SeatId> = (0..trace.paths.len()).map(SeatId).filter(answered).collect();
    let free: Vec<SeatId> =
        all.iter().copied().filter(|seat| !argues_a_side(room, *seat)).collect();
    let free = if free.is_empty() { all } else { free };
    let debaters: Vec<SeatId> =
        free.iter().copied().filter(|seat| Some(*seat) != decider).collect();
    if debaters.len() >= 2 { debaters } else { free }
}

fn argues_a_side(room: &Room, seat: SeatId) -> bool {
    let stance = room.seats.get(seat.index()).and_then(|seat| seat.stance);
    matches!(stance, Some(Stance::Yes | Stance::No))
}

/// Distributes a seat's one vote over the answers. It starts again at its last
/// switch that came with new evidence; from there a vote that never moved counts
/// in full, and one that moved keeps part of where it began.
fn vote_parts(trace: &Trace, seat: SeatId, switches: &[Change], rules: WeighingRules) -> Vec<f64> {
    let convinced = switches
        .iter()
        .filter(|_| rules.new_evidence)
        .filter(|switch| switch.seat == seat && !switch.evidence.is_empty())
        .map(|switch| switch.to.round)
        .max();
    let path: Vec<usize> = trace
        .path(seat)
        .iter()
        .filter(|step| convinced.is_none_or(|round| step.round >= round))
        .map(|step| step.answer)
        .collect();
    let mut parts = vec![0.0; trace.answers.len()];
    let mut give = |answer: usize, part: f64| {
        if let Some(slot) = parts.get_mut(answer) {
            *slot += part;
        }
    };
    match path.as_slice() {
        [] => {}
        [.., last] if !rules.keep_first => give(*last, 1.0),
        [only] => give(*only, 1.0),
        [first, last] => {
            let whole = FIRST_PART + LAST_PART;
            give(*first, FIRST_PART / whole);
            give(*last, LAST_PART / whole);
        }
        [first, middle @ .., last] => {
            give(*first, FIRST_PART);
            for answer in middle {
                give(*answer, MIDDLE_PART / middle.len() as f64);
            }
            give(*last, LAST_PART);
        }
    }
    parts
}

/// K: the options of the question; if answers are free, those given and one more
/// that no seat gave.
fn possible_answers(trace: &Trace, parts: &[Vec<f64>]) -> usize {
    let given = (0..trace.answers.len()).filter(|at| has_votes(parts, *at)).count();
    match trace.over {
        WeighedOver::Options => trace.answers.len().max(2),
        WeighedOver::Values | WeighedOver::Clusters => (given + 1).max(2),
    }
}

fn has_votes(parts: &[Vec<f64>], answer: usize) -> bool {
    parts.iter().any(|parts| parts.get(answer).is_some_and(|part| *part > 0.0))
}

fn agent_of(room: &Room, seat: SeatId) -> Option<&Agent> {
    room.seats.get(seat.index()).and_then(|seat| room.brief.agents.get(seat.agent))
}

fn same_model(one: &Agent, other: &Agent) -> bool {
    one.model.eq_ignore_ascii_case(&other.model)
}

fn same_family(one: &Agent, other: &Agent) -> bool {
    match (&one.family, &other.family) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    }
}

/// The inputs to a voice's weight besides its vote.
struct WeightInputs<'a> {
    possible: usize,
    reliability: &'a Reliability,
    rules: WeighingRules,
}

fn voices(
    room: &Room,
    trace: &Trace,
    voters: &[SeatId],
    parts: &[Vec<f64>],
    known: &WeightInputs<'_>,
) -> Vec<Voice> {
    let others = |seat: SeatId| voters.iter().copied().filter(move |other| *other != seat);
    let voice = |(seat, parts): (&SeatId, &Vec<f64>)| {
        let agent = agent_of(room, *seat);
        let copies = others(*seat).filter_map(|other| agent.zip(agent_of(room, other)));
        let (mut models, mut families) = (0_usize, 0_usize);
        for (mine, theirs) in copies {
            if same_model(mine, theirs) {
                models += 1;
            } else if same_family(mine, theirs) {
                families += 1;
            }
        }
        let copies = SAME_MODEL * models as f64 + SAME_FAMILY * families as f64;
        let discounted = known.rules.discount_copies;
        let discount = if discounted { 1.0 / (1.0 + copies) } else { 1.0 };
        let record = agent.and_then(|agent| known.reliability.by_agent.get(&agent.name)).copied();
        let record =
            record.unwrap_or(TrackRecord { reliability: DEFAULT_RELIABILITY, outcomes: 0 });
        let p = record.reliability.clamp(RELIABILITY_RANGE.0, RELIABILITY_RANGE.1);
        let odds = p * (known.possible - 1) as f64 / (1.0 - p);
        let votes = trace
            .answers
            .iter()
            .zip(parts)
            .filter(|(_, part)| **part > 0.0)
            .map(|(named, part)| VotePart { answer: named.label.clone(), part: *part })
            .collect();
        Voice {
            seat: *seat,
            same_model: models,
            same_family: families,
            discount,
            reliability: p,
            outcomes: record.outcomes,
            weight: discount * odds.ln(),
            votes,
        }
    };
    voters.iter().zip(parts).map(voice).collect()
}

fn vote(
    room: &Room,
    trace: &Trace,
    voters: &[SeatId],
    pick: fn(&[AnswerStep]) -> Option<&AnswerStep>,
) -> Vec<VoteShare> {
    let mut shares: Vec<VoteShare> = Vec::new();
    for (at, named) in trace.answers.iter().enumerate() {
        let gave = |seat: &&SeatId| pick(trace.path(**seat)).is_some_and(|step| step.answer == at);
        let seats: Vec<SeatId> = voters.iter().filter(gave).copied().collect();
        if !seats.is_empty() {
            let first = seats.first().and_then(|seat| pick(trace.path(*seat)).map(|s| (*seat, s)));
            let words =
                first.map_or_else(String::new, |(seat, step)| said(room, trace, seat, *step));
            shares.push(VoteShare { answer: named.label.clone(), seats, words });
        }
    }
    shares.sort_by_key(|share| std::cmp::Reverse(share.seats.len()));
    shares
}

/// Returns a seat's own words at a step, if the question is open.
fn said(room: &Room, trace: &Trace, seat: SeatId, step: AnswerStep) -> String {
    let turn = room.round(step.round).and_then(|round| round.turn(seat));
    match trace.over {
        WeighedOver::Clusters => turn.map_or_else(String::new, |t| t.answer.position.clone()),
        WeighedOver::Options | WeighedOver::Values => String::new(),
    }
}

fn change(room: &Room, trace: &Trace, switch: &Change) -> ChangeOfMind {
    let basis = if switch.evidence.is_empty() {
        ChangeBasis::PressureOnly
    } else {
        ChangeBasis::NewEvidence
    };
    ChangeOfMind {
        seat: switch.seat,
        round: switch.to.round,
        from: trace.label(switch.from.answer).to_owned(),
        to: trace.label(switch.to.answer).to_owned(),
        said_before: said(room, trace, switch.seat, switch.from),
        basis,
        evidence: switch.evidence.clone(),
    }
}

/// P(x) = e^(λ·S(x)) ÷ Σ e^(λ·S), S(x) = Σ wᵢ × the part of vote i on x; every
/// answer starts equal.
fn weigh_answers(trace: &Trace, voters: &[SeatId], parts: &[Vec<f64>], weighing: &mut Weighing) {
    let lambda = weighing.tempering.lambda;
    let all: f64 = weighing.voices.iter().map(|voice| voice.discount).sum();
    let mut answers = Vec::with_capacity(trace.answers.len());
    for (at, named) in trace.answers.iter().enumerate() {
        if trace.over != WeighedOver::Options && !has_votes(parts, at) {
            continue;
        }
        let part = |parts: &Vec<f64>| parts.get(at).copied().unwrap_or(0.0);
        let sum = |of: fn(&Voice) -> f64| -> f64 {
            weighing.voices.iter().zip(parts).map(|(voice, parts)| of(voice) * part(parts)).sum()
        };
        let log_odds = sum(|voice| voice.weight);
        let held = sum(|voice| voice.discount);
        let holds = |seat: &&SeatId| trace.path(**seat).last().is_some_and(|s| s.answer == at);
        answers.push(WeighedAnswer {
            answer: named.label.clone(),
            choice: named.choice.clone(),
            seats: voters.iter().filter(holds).copied().collect(),
            log_odds,
            tempered: lambda * log_odds,
            probability: 0.0,
            share: if all > 0.0 { held / all } else { 0.0 },
        });
    }
    if voters.is_empty() {
        return;
    }
    let highest = answers.iter().map(|answer| answer.tempered).fold(0.0, f64::max);
    let unnamed = weighing.tempering.possible_answers.saturating_sub(answers.len());
    let rest = unnamed as f64 * (-highest).exp();
    let sum: f64 =
        answers.iter().map(|answer| (answer.tempered - highest).exp()).sum::<f64>() + rest;
    for answer in &mut answers {
        answer.probability = (answer.tempered - highest).exp() / sum;
    }
    answers.sort_by(|a, b| {
        b.probability.total_cmp(&a.probability).then(b.seats.len().cmp(&a.seats.len()))
    });
    weighing.something_else = (unnamed > 0).then(|| rest / sum);
    weighing.answers = answers;
}

/// Losing answers with a fifth of the weight, each in its last holder's words.
fn minority(room: &Room, trace: &Trace, weighing: &Weighing) -> Vec<MinorityReport> {
    let losing = weighing.answers.iter().skip(1);
    losing
        .filter(|answer| answer.share >= MINORITY_SHARE - SLACK)
        .filter_map(|answer| {
            let turn = spokesman(room, trace, answer)?;
            Some(MinorityReport {
                answer: answer.answer.clone(),
                share: answer.share,
                seat: turn.seat,
                round: turn.round,
                words: turn.answer.position.clone(),
            })
        })
        .collect()
}

/// Returns the turn that speaks for an answer. Of the seats that hold it this is
/// the most confident one, then the one with the strongest evidence, then the
/// first; of an answer that no seat holds any more, the seat that gave it last.
pub fn spokesman<'a>(room: &'a Room, trace: &Trace, answer: &WeighedAnswer) -> Option<&'a Turn> {
    let ground = |turn: &Turn| {
        let analysis = room.round(turn.round).and_then(|round| round.analysis.as_ref());
        let ground = analysis.and_then(|found| found.grounds.iter().find(|g| g.seat == turn.seat));
        ground.map_or(0.0, |ground| ground.weight)
    };
    let holders = answer.seats.iter().filter_map(|seat| {
        let round: Round = trace.path(*seat).last()?.round;
        room.round(round)?.turn(*seat)
    });
    let best = holders.reduce(|best, turn| {
        let sure = |turn: &Turn| turn.answer.confidence.unwrap_or(-1.0);
        let order = sure(turn).total_cmp(&sure(best)).then(ground(turn).total_cmp(&ground(best)));
        if order.is_gt() { turn } else { best }
    });
    best.or_else(|| {
        let named = trace.answers.iter().find(|named| named.label == answer.answer)?;
        let (seat, round) = named.said?;
        room.round(round)?.turn(seat)
    })
}

fn flags(room: &Room, voters: &[SeatId], weighing: &Weighing) -> Vec<WeighingFlag> {
    let unanimous = voters.len() >= 2 && weighing.final_vote.len() == 1;
    // Each seat that gave way is checked alone: one convinced seat does not
    // excuse another that only followed.
    let gave_way = voters.iter().any(|seat| {
        let last = weighing.changes.iter().rfind(|change| change.seat == *seat);
        last.is_some_and(|change| change.basis == ChangeBasis::PressureOnly)
    });
    let rows = [
        (
            WeighingFlag::SharedErrorRisk,
            unanimous && (one_family(room, voters) || !anything_cited(room, voters)),
        ),
        (WeighingFlag::Collapse, unanimous && weighing.first_vote.len() > 1 && gave_way),
        (WeighingFlag::MinorityReport, !weighing.minority.is_empty()),
    ];
    rows.into_iter().filter(|(_, raised)| *raised).map(|(flag, _)| flag).collect()
}

fn one_family(room: &Room, voters: &[SeatId]) -> bool {
    let agents: Vec<&Agent> = voters.iter().filter_map(|seat| agent_of(room, *seat)).collect();
    agents.windows(2).all(|pair| match pair {
        [one, other] => same_model(one, other) || same_family(one, other),
        _ => true,
    })
}

/// Returns true if the last answer of any voter rests on a source; sources cited
/// earlier for another answer do not count.
fn anything_cited(room: &Room, voters: &[SeatId]) -> bool {
    voters.iter().any(|seat| {
        let last = room.rounds.iter().rev().find(|round| round.turn(*seat).is_some());
        last.is_some_and(|round| !cited(room, round, *seat).is_empty())
    })
}

/// Returns the deciding seat's answer if it differs from the vote. Over free text
/// without a clerk only a plain contradiction is certain enough to be called
/// that.
fn differs(
    room: &Room,
    trace: &Trace,
    decider: SeatId,
    weighing: &Weighing,
) -> Option<DeciderDiffers> {
    let leading = weighing.answers.first()?;
    let last = trace.path(decider).last()?;
    if trace.label(last.answer) == leading.answer {
        return None;
    }
    let turn = room.round(last.round)?.turn(decider)?;
    let by_clerk = |round: Round| {
        let found = room.round(round).and_then(|round| round.analysis.as_ref());
        found.is_some_and(|found| found.consensus.by == AnalysedBy::Clerk)
    };
    let certain = trace.over != WeighedOver::Clusters
        || by_clerk(last.round)
        || spokesman(room, trace, leading).is_some_and(|said| positions::reversed(said, turn));
    certain.then(|| DeciderDiffers {
        seat: decider,
        decided: positions::label(turn),
        weighed: leading.answer.clone(),
    })
}

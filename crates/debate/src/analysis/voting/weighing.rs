//! Weighs the voices: first and final vote, every change of mind, copies
//! discounted, the pooled log-odds tempered, a probability per answer. Every step
//! is kept. Agreement is never taken for confidence, and a deciding seat never
//! overturns the vote without a note.

use crate::model::{
    ChangeBasis, ChangeOfMind, ModePlan, Reliability, RoleHolders, Room, SeatId, TrackRecord,
    Voice, VotePart, VoteShare, VoteTempering, VoterPlan, WeighedAnswer, WeighedOver, Weighing,
};
use crate::sorting::SortRows;

use crate::analysis::answers::positions;
use crate::analysis::answers::trace::{AnswerStep, AnswerSwitch as Change, Trace, value};
use crate::analysis::voting::calibrating::{calibrate, calibrated_confidence, measured};
use crate::analysis::voting::dissent::{differs, flags, minority};
use crate::analysis::voting::pooling;
use crate::analysis::voting::vote_parts::{WeighingRules, held_parts, vote_parts};
use crate::analysis::voting::voters::{self, agent_of, same_family, same_model};

/// The share of errors that a copy of the same model, or a model of the same
/// family, has in common with the first.
const SAME_MODEL: f64 = 0.7;
const SAME_FAMILY: f64 = 0.5;
/// The correlation between the errors of any two models, until it is measured.
const ERROR_CORRELATION: f64 = 0.21;
/// The assumed reliability of an agent without outcomes.
const DEFAULT_RELIABILITY: f64 = 0.70;
const RELIABILITY_RANGE: (f64, f64) = (0.05, 0.98);
const SLACK: f64 = 1e-9;

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
    whole: &Room,
    plan: &ModePlan,
    reliability: &Reliability,
    rules: WeighingRules,
) -> (Weighing, Trace) {
    let counted = voters::counted(whole, plan);
    let room = &*counted;
    // The last word of a seat that decides alone is the decision, whatever it held
    // before.
    let rules = match plan.judge() {
        Some(_) => WeighingRules { keep_first: false, hold_first: false, ..rules },
        None => rules,
    };
    let up_to = room.rounds.last().map_or(0, |round| round.number);
    let trace = Trace::of(room, up_to, None);
    let decider = decider(room, plan);
    let table = Ballots {
        room,
        trace: &trace,
        voters: voters(room, plan, &trace, decider),
        abstained: abstained(whole, plan),
        reliability,
        rules,
    };
    let switches: Vec<Change> =
        table.voters.iter().flat_map(|seat| trace.switches(room, *seat)).collect();
    let switches: Vec<Change> =
        switches.into_iter().filter(|switch| !is_same_estimate(room, switch)).collect();
    let moved = table.parts(|seat| vote_parts(&trace, seat, &switches, rules));
    let mut weighing = table.weighed(&moved);
    if room.brief.question.is_closed() && rules.hold_first {
        let held = table.parts(|seat| held_parts(&trace, seat, &switches, rules));
        let mut first = table.weighed(&held);
        if is_tied(&first) {
            first = table.weighed(&table.run_off(held, &first));
        }
        // A tie that is left is broken by how the table moved.
        if !is_tied(&first) {
            let leads = |weighing: &Weighing| weighing.answers.first().map(|a| a.answer.clone());
            let kept = leads(&first).filter(|leading| Some(leading) != leads(&weighing).as_ref());
            weighing = Weighing { held_first: kept, ..first };
        }
    }
    weighing.first_vote = table.first_vote();
    weighing.final_vote = table.final_vote();
    weighing.changes = switches.iter().map(|switch| change(room, &trace, switch)).collect();
    // A value that is to be found is not averaged.
    let combined = room.brief.combines_figures();
    if !combined && weighing.held_first.is_none() {
        weighing.held_first = against_last_votes(&weighing);
    }
    weighing.pooled = combined.then(|| pooling::pool(room, &trace, &weighing.voices)).flatten();
    weighing.abstained.clone_from(&table.abstained);
    calibrate(room, &table.voters, &mut weighing);
    weighing.minority = minority(room, &trace, &weighing);
    weighing.flags = flags(room, &table.voters, &weighing);
    weighing.decider = decider.and_then(|seat| differs(room, &trace, seat, &weighing));
    (weighing, trace)
}

/// Voting seats whose last answer is that they cannot say.
fn abstained(whole: &Room, plan: &ModePlan) -> Vec<SeatId> {
    let last = |seat: &SeatId| whole.rounds.iter().rev().find_map(|round| round.turn(*seat));
    let seats = voters::voting_seats(whole, plan).into_iter();
    seats
        .filter(|seat| last(seat).is_some_and(|turn| voters::abstains(&whole.brief, turn)))
        .collect()
}

/// The leading answer, if seats left it and more hold another one at the end: first votes
/// count on where those who left them brought nothing that could be checked.
fn against_last_votes(weighing: &Weighing) -> Option<String> {
    let leading = &weighing.answers.first()?.answer;
    let votes = |shares: &[VoteShare]| {
        let share = shares.iter().find(|share| share.answer == *leading);
        share.map_or(0, VoteShare::count)
    };
    let (first, last) = (votes(&weighing.first_vote), votes(&weighing.final_vote));
    let most = weighing.final_vote.iter().map(VoteShare::count).max()?;
    (first > last && last < most).then(|| leading.clone())
}

fn is_tied(weighing: &Weighing) -> bool {
    match weighing.answers.as_slice() {
        [first, second, ..] => (first.probability - second.probability).abs() < SLACK,
        [_] => false,
        [] => true,
    }
}

/// Everything a weighing is made from but the parts of the votes.
struct Ballots<'a> {
    room: &'a Room,
    trace: &'a Trace,
    voters: Vec<SeatId>,
    abstained: Vec<SeatId>,
    reliability: &'a Reliability,
    rules: WeighingRules,
}

impl Ballots<'_> {
    fn parts(&self, of: impl Fn(SeatId) -> Vec<f64>) -> Vec<Vec<f64>> {
        self.voters.iter().map(|seat| of(*seat)).collect()
    }

    fn weighed(&self, parts: &[Vec<f64>]) -> Weighing {
        let Ballots { room, trace, reliability, rules, .. } = *self;
        let possible = possible_answers(trace, parts);
        let known = WeightInputs { possible, reliability, rules };
        let voices = voices(room, trace, &self.voters, parts, &known);
        let effective: f64 = voices.iter().map(|voice| voice.discount).sum();
        let correlation = if rules.temper { ERROR_CORRELATION } else { 0.0 };
        let lambda = 1.0 / (1.0 + (effective - 1.0).max(0.0) * correlation);
        let mut weighing = Weighing {
            over: trace.over,
            first_vote_sealed: room.round(1).is_some_and(|round| round.waves.len() == 1),
            tempering: VoteTempering {
                possible_answers: possible,
                effective_voices: effective,
                correlation,
                lambda,
            },
            voices,
            ..Weighing::default()
        };
        self.weigh_answers(parts, &mut weighing);
        weighing
    }

    /// Between tied answers those decide who first gave another one: their votes go
    /// to the tied answer they hold now. Who held one of the tied answers keeps it.
    fn run_off(&self, held: Vec<Vec<f64>>, tied: &Weighing) -> Vec<Vec<f64>> {
        let most = tied.answers.first().map_or(0.0, |answer| answer.probability);
        let leads = |at: usize| {
            let label = self.trace.label(at);
            let named = |answer: &&WeighedAnswer| answer.answer == label;
            let found = tied.answers.iter().find(named);
            found.is_some_and(|answer| (answer.probability - most).abs() < SLACK)
        };
        let mut parts = held;
        for (seat, parts) in self.voters.iter().zip(&mut parts) {
            let last = self.last_step(*seat).first().map(|step| step.answer);
            let Some(last) = last.filter(|at| leads(*at)) else { continue };
            let out = |(at, _): &(usize, &mut f64)| !leads(*at);
            let moved: f64 = parts
                .iter_mut()
                .enumerate()
                .filter(out)
                .map(|(_, part)| std::mem::take(part))
                .sum();
            if let Some(slot) = parts.get_mut(last) {
                *slot += moved;
            }
        }
        parts
    }

    /// Who voted for what at first.
    fn first_vote(&self) -> Vec<VoteShare> {
        let several = self.voters.iter().any(|seat| self.trace.first_answers(*seat).len() > 1);
        self.vote(|seat| self.trace.first_answers(seat), several)
    }

    /// Who holds what at the end; without talk that is the first vote.
    fn final_vote(&self) -> Vec<VoteShare> {
        if self.trace.is_sealed() {
            return self.first_vote();
        }
        self.vote(|seat| self.last_step(seat), false)
    }

    /// The seat's last vote, unless it now says that it cannot say.
    fn last_step(&self, seat: SeatId) -> &[AnswerStep] {
        let path = self.trace.path(seat);
        let from = path.len().saturating_sub(1);
        let step = path.get(from..).unwrap_or_default();
        if self.abstained.contains(&seat) { &[] } else { step }
    }

    fn vote<'a>(
        &'a self,
        of: impl Fn(SeatId) -> &'a [AnswerStep],
        several: bool,
    ) -> Vec<VoteShare> {
        let mut shares: Vec<VoteShare> = Vec::new();
        for (at, named) in self.trace.answers.iter().enumerate() {
            let gave = |seat: &SeatId| of(*seat).iter().filter(|step| step.answer == at).count();
            let seats: Vec<SeatId> =
                self.voters.iter().filter(|seat| gave(seat) > 0).copied().collect();
            let Some(first) = seats.first() else { continue };
            let step = of(*first).iter().find(|step| step.answer == at);
            let words = step.map(|step| said(self.room, self.trace, *first, *step));
            shares.push(VoteShare {
                answer: named.label.clone(),
                answers: several.then(|| seats.iter().map(gave).sum()),
                seats,
                words: words.unwrap_or_default(),
            });
        }
        shares.sort_rows_by_key(|share| std::cmp::Reverse(share.count()));
        shares
    }
}

/// The seat that speaks last and alone holds its role: the one who decides.
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

/// Who votes: everyone with an answer that counts, but where every seat votes not
/// the one who decides over the vote.
fn voters(room: &Room, plan: &ModePlan, trace: &Trace, decider: Option<SeatId>) -> Vec<SeatId> {
    let answered = |seat: &SeatId| !trace.path(*seat).is_empty();
    let all: Vec<SeatId> = (0..room.seats.len()).map(SeatId).filter(answered).collect();
    if plan.voters != VoterPlan::EverySeat {
        return all;
    }
    let debaters: Vec<SeatId> = all.iter().copied().filter(|seat| Some(*seat) != decider).collect();
    if debaters.len() >= 2 { debaters } else { all }
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

/// What a voice's weight rests on besides its vote.
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
        let row = agent.and_then(|agent| measured(room, agent));
        let measured =
            row.map(|row| TrackRecord { reliability: row.right, outcomes: row.questions });
        let default = TrackRecord { reliability: DEFAULT_RELIABILITY, outcomes: 0 };
        let record = record.or(measured).unwrap_or(default);
        let calibrated = agent.and_then(|agent| calibrated_confidence(room, trace, *seat, agent));
        let p = calibrated.unwrap_or(record.reliability);
        let p = p.clamp(RELIABILITY_RANGE.0, RELIABILITY_RANGE.1);
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
            calibrated,
            weight: discount * odds.ln(),
            votes,
        }
    };
    voters.iter().zip(parts).map(voice).collect()
}

/// Returns whether a seat only corrected its estimate a little.
fn is_same_estimate(room: &Room, switch: &Change) -> bool {
    let figure = |round| {
        let turn = room.round(round)?.turn(switch.seat)?;
        turn.answer.answer.as_ref().and_then(value)
    };
    let pair = figure(switch.from.round).zip(figure(switch.to.round));
    room.brief.combines_figures()
        && pair.is_some_and(|(one, other)| positions::lies_with(&room.brief, one, other))
}

/// A seat's own words at a step, where the question is open.
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

impl Ballots<'_> {
    /// P(x) = e^(λ·S(x)) ÷ Σ e^(λ·S), S(x) = Σ wᵢ × the part of vote i on x; every
    /// answer starts equal.
    fn weigh_answers(&self, parts: &[Vec<f64>], weighing: &mut Weighing) {
        let (trace, voters) = (self.trace, &self.voters);
        let lambda = weighing.tempering.lambda;
        let all: f64 = weighing.voices.iter().map(|voice| voice.discount).sum();
        let mut answers = Vec::with_capacity(trace.answers.len());
        for (at, named) in trace.answers.iter().enumerate() {
            if trace.over != WeighedOver::Options && !has_votes(parts, at) {
                continue;
            }
            let part = |parts: &Vec<f64>| parts.get(at).copied().unwrap_or(0.0);
            let sum = |of: fn(&Voice) -> f64| -> f64 {
                weighing
                    .voices
                    .iter()
                    .zip(parts)
                    .map(|(voice, parts)| of(voice) * part(parts))
                    .sum()
            };
            let log_odds = sum(|voice| voice.weight);
            let held = sum(|voice| voice.discount);
            let holds =
                |seat: &&SeatId| self.last_step(**seat).iter().any(|step| step.answer == at);
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
        answers.sort_rows_by(|a, b| {
            b.probability.total_cmp(&a.probability).then(b.seats.len().cmp(&a.seats.len()))
        });
        weighing.something_else = (unnamed > 0).then(|| rest / sum);
        weighing.answers = answers;
    }
}

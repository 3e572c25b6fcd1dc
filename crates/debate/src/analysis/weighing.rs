//! Weighs the voices: first and final vote, every change of mind, copies
//! discounted, the pooled log-odds tempered, a probability per answer. Every
//! step is kept. It refuses to take agreement for confidence, and it lets no
//! one who decides overturn the vote unsaid.

use crate::model::{
    Agent, AnalysedBy, CalibrationRow, ChangeBasis, ChangeOfMind, DeciderDiffers, HeldBy,
    MinorityReport, ModePlan, Reliability, Room, Round, SeatId, Switch, Tempering, TrackRecord,
    Turn, Voice, VotePart, VoteShare, VoterPlan, WeighedAnswer, WeighedOver, Weighing,
    WeighingFlag,
};

use super::convergence::cited;
use super::pooling;
use super::positions;
use super::spread::mean;
use super::trace::{Step, Switch as Change, Trace};
use super::voting;

/// How often a copy of the same model, or a model of the same family, errs
/// with the first.
const SAME_MODEL: f64 = 0.7;
const SAME_FAMILY: f64 = 0.5;
/// How far the errors of any two models go together, until it is measured.
const ERROR_CORRELATION: f64 = 0.21;
/// An agent without outcomes is taken to be right this often.
const DEFAULT_RELIABILITY: f64 = 0.70;
const RELIABILITY_RANGE: (f64, f64) = (0.05, 0.98);
/// What a vote is worth that moved without new evidence.
const FIRST_PART: f64 = 0.5;
const MIDDLE_PART: f64 = 0.2;
const LAST_PART: f64 = 0.3;
const MINORITY_SHARE: f64 = 0.20;
const SLACK: f64 = 1e-9;
/// Outcomes from which a stated confidence enters as it was calibrated.
const ENOUGH_OUTCOMES: f64 = 20.0;

/// The rules of the weighing, each of which can be left out to see what it does.
/// A debate is always weighed by all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeighingRules {
    /// Copies of a model or family are discounted.
    pub discount_copies: Switch,
    /// The pooled log-odds are tempered, because models err together.
    pub temper: Switch,
    /// A switch that cites a new source counts in full.
    pub new_evidence: Switch,
    /// A switch without one keeps part of its first vote.
    pub keep_first: Switch,
    /// Where the question has a form, the first votes lead until somebody who
    /// moves brings evidence.
    pub hold_first: Switch,
}

impl WeighingRules {
    pub const ALL_ON: WeighingRules = WeighingRules {
        discount_copies: Switch::On,
        temper: Switch::On,
        new_evidence: Switch::On,
        keep_first: Switch::On,
        hold_first: Switch::On,
    };
}

/// Weighs everything said so far.
pub fn weigh(room: &Room, plan: &ModePlan, reliability: &Reliability) -> Weighing {
    weigh_traced(room, plan, reliability).0
}

/// The same, with the way each seat came to its answer.
pub fn weigh_traced(room: &Room, plan: &ModePlan, reliability: &Reliability) -> (Weighing, Trace) {
    traced_by(room, plan, reliability, WeighingRules::ALL_ON)
}

/// Weighs by other rules: for measuring what a rule is worth.
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
    let counted = voting::counted(whole, plan);
    let room = &*counted;
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
    let moved = table.parts(|seat| vote_parts(&trace, seat, &switches, rules));
    let mut weighing = table.weighed(&moved);
    if room.brief.question.is_closed() && rules.hold_first == Switch::On {
        let held = table.parts(|seat| held_parts(&trace, seat, &switches, rules));
        let first = table.weighed(&held);
        // A tie of the first votes is broken by how the table moved.
        if !is_tied(&first) {
            let leads = |weighing: &Weighing| weighing.answers.first().map(|a| a.answer.clone());
            let kept = leads(&first).filter(|leading| Some(leading) != leads(&weighing).as_ref());
            weighing = Weighing { held_first: kept, ..first };
        }
    }
    weighing.first_vote = table.first_vote();
    weighing.final_vote = table.final_vote();
    weighing.changes = switches.iter().map(|switch| change(room, &trace, switch)).collect();
    weighing.pooled = pooling::pool(room, &trace, &weighing.voices);
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
    let seats = voting::voting_seats(whole, plan).into_iter();
    seats
        .filter(|seat| last(seat).is_some_and(|turn| voting::abstains(&whole.brief, turn)))
        .collect()
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
        let known = Known { possible, reliability, rules };
        let voices = voices(room, trace, &self.voters, parts, &known);
        let effective: f64 = voices.iter().map(|voice| voice.discount).sum();
        let correlation = if rules.temper == Switch::On { ERROR_CORRELATION } else { 0.0 };
        let lambda = 1.0 / (1.0 + (effective - 1.0).max(0.0) * correlation);
        let mut weighing = Weighing {
            over: trace.over,
            first_vote_sealed: room.round(1).is_some_and(|round| round.waves.len() == 1),
            tempering: Tempering {
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
    fn last_step(&self, seat: SeatId) -> &[Step] {
        let path = self.trace.path(seat);
        let from = path.len().saturating_sub(1);
        let step = path.get(from..).unwrap_or_default();
        if self.abstained.contains(&seat) { &[] } else { step }
    }

    fn vote<'a>(&'a self, of: impl Fn(SeatId) -> &'a [Step], several: bool) -> Vec<VoteShare> {
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
        shares.sort_by_key(|share| std::cmp::Reverse(share.count()));
        shares
    }
}

/// The seat that speaks last and alone holds its role: the one who decides.
pub fn decider(room: &Room, plan: &ModePlan) -> Option<SeatId> {
    let extended = plan.extended.map(|plan| plan.roles).unwrap_or_default();
    let alone = |role: &str| {
        let held = |row: &&crate::model::RolePlan| row.key == role && row.held_by == HeldBy::One;
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

/// The round of a seat's last switch that came with new evidence.
fn convinced_in(seat: SeatId, switches: &[Change], rules: WeighingRules) -> Option<Round> {
    switches
        .iter()
        .filter(|_| rules.new_evidence == Switch::On)
        .filter(|switch| switch.seat == seat && !switch.evidence.is_empty())
        .map(|switch| switch.to.round)
        .max()
}

/// How a seat's one vote is spread over the answers. It begins anew at its last
/// switch that came with new evidence; from there a vote that never moved
/// counts in full, and one that moved keeps part of where it began.
fn vote_parts(trace: &Trace, seat: SeatId, switches: &[Change], rules: WeighingRules) -> Vec<f64> {
    let convinced = convinced_in(seat, switches, rules);
    let path: Vec<usize> = trace
        .path(seat)
        .iter()
        .filter(|step| convinced.is_none_or(|round| step.round >= round))
        .map(|step| step.answer)
        .collect();
    let first = match convinced {
        Some(_) => path.get(..1).unwrap_or_default().to_vec(),
        None => trace.first_answers(seat).iter().map(|step| step.answer).collect(),
    };
    let mut parts = vec![0.0; trace.answers.len()];
    match path.as_slice() {
        [] => {}
        [.., last] if rules.keep_first == Switch::Off => give(&mut parts, &[*last], 1.0),
        [_] => give(&mut parts, &first, 1.0),
        [_, last] => {
            let whole = FIRST_PART + LAST_PART;
            give(&mut parts, &first, FIRST_PART / whole);
            give(&mut parts, &[*last], LAST_PART / whole);
        }
        [_, middle @ .., last] => {
            give(&mut parts, &first, FIRST_PART);
            give(&mut parts, middle, MIDDLE_PART);
            give(&mut parts, &[*last], LAST_PART);
        }
    }
    parts
}

/// The same where only evidence moves a vote: what a seat said first, or since it
/// was last convinced by something that can be checked.
fn held_parts(trace: &Trace, seat: SeatId, switches: &[Change], rules: WeighingRules) -> Vec<f64> {
    let convinced = convinced_in(seat, switches, rules);
    let held: Vec<usize> = match convinced {
        None => trace.first_answers(seat).iter().map(|step| step.answer).collect(),
        Some(round) => {
            let since = trace.path(seat).iter().filter(|step| step.round >= round);
            since.take(1).map(|step| step.answer).collect()
        }
    };
    let mut parts = vec![0.0; trace.answers.len()];
    give(&mut parts, &held, 1.0);
    parts
}

/// Gives a part of a vote to these answers, the same to each.
fn give(parts: &mut [f64], answers: &[usize], part: f64) {
    for answer in answers {
        if let Some(slot) = parts.get_mut(*answer) {
            *slot += part / answers.len() as f64;
        }
    }
}

/// K: the options of the question; where answers are free, those given and one
/// that nobody gave.
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

/// What a voice's weight rests on besides its vote.
struct Known<'a> {
    possible: usize,
    reliability: &'a Reliability,
    rules: WeighingRules,
}

fn voices(
    room: &Room,
    trace: &Trace,
    voters: &[SeatId],
    parts: &[Vec<f64>],
    known: &Known<'_>,
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
        let discounted = known.rules.discount_copies == Switch::On;
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

/// A seat's own words at a step, where the question is open.
fn said(room: &Room, trace: &Trace, seat: SeatId, step: Step) -> String {
    let turn = room.round(step.round).and_then(|round| round.turn(seat));
    match trace.over {
        WeighedOver::Clusters => turn.map_or_else(String::new, |t| t.answer.position.clone()),
        WeighedOver::Options | WeighedOver::Values => String::new(),
    }
}

fn change(room: &Room, trace: &Trace, switch: &Change) -> ChangeOfMind {
    let basis = match switch.evidence.is_empty() {
        true => ChangeBasis::PressureOnly,
        false => ChangeBasis::NewEvidence,
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
        answers.sort_by(|a, b| {
            b.probability.total_cmp(&a.probability).then(b.seats.len().cmp(&a.seats.len()))
        });
        weighing.something_else = (unnamed > 0).then(|| rest / sum);
        weighing.answers = answers;
    }
}

/// Brings the probabilities to what they were worth where somebody measured a
/// table of these models on questions of this kind. The order of the answers
/// stays: only how sure the table may be changes.
fn calibrate(room: &Room, voters: &[SeatId], weighing: &mut Weighing) {
    let Some(leading) = weighing.answers.first().map(|answer| answer.probability) else { return };
    let mut worth = Vec::new();
    for agent in voters.iter().filter_map(|seat| agent_of(room, *seat)) {
        match measured(room, agent).and_then(|row| row.verdict) {
            Some(line) => worth.push(line.calibrated(leading)),
            None => return,
        }
    }
    let Some(wanted) = mean(&worth) else { return };
    let rest = weighing.something_else.into_iter();
    let all: Vec<f64> =
        weighing.answers.iter().map(|answer| answer.probability).chain(rest).collect();
    let powered = |power: f64| -> Vec<f64> {
        let raised: Vec<f64> = all.iter().map(|p| p.max(f64::MIN_POSITIVE).powf(power)).collect();
        let sum: f64 = raised.iter().sum();
        raised.iter().map(|p| p / sum).collect()
    };
    let first = |power: f64| powered(power).first().copied().unwrap_or_default();
    let (mut low, mut high) = (0.0, 50.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if first(middle) < wanted { low = middle } else { high = middle }
    }
    let found = powered(high);
    weighing.uncalibrated = Some(leading);
    for (answer, probability) in weighing.answers.iter_mut().zip(&found) {
        answer.probability = *probability;
    }
    weighing.something_else =
        weighing.something_else.and_then(|_| found.get(weighing.answers.len()).copied());
}

/// What was measured about an agent's model on questions of this kind.
pub fn measured<'a>(room: &'a Room, agent: &Agent) -> Option<&'a CalibrationRow> {
    let model = format!("{}/{}", agent.provider, agent.model);
    room.brief.calibration.row(&model, &room.brief.question)
}

/// What the confidence a seat stated with its first answers was worth, where that
/// was measured; a stated confidence that nobody measured says nothing.
fn calibrated_confidence(room: &Room, trace: &Trace, seat: SeatId, agent: &Agent) -> Option<f64> {
    let learned = room.brief.learned().and_then(|lessons| lessons.calibration.get(&agent.name));
    let learned = learned.filter(|line| line.effective >= ENOUGH_OUTCOMES);
    let line = learned.copied().or_else(|| measured(room, agent)?.confidence)?;
    let stated = trace.first_answers(seat).iter().filter_map(|step| {
        let turn = room.round(step.round)?.turn(seat)?;
        Some(line.calibrated(turn.answer.confidence?))
    });
    mean(&stated.collect::<Vec<f64>>())
}

/// Losing answers with a fifth of the weight, each in its last holder's words.
fn minority(room: &Room, trace: &Trace, weighing: &Weighing) -> Vec<MinorityReport> {
    let losing = weighing.answers.iter().skip(1);
    losing
        .filter(|answer| answer.share >= MINORITY_SHARE - SLACK && !answer.seats.is_empty())
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

/// Who speaks for an answer: of those who hold it the most confident, then the
/// one with the strongest evidence, then the first; of an answer nobody holds
/// any more, whoever said it last.
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
    // Each one who gave way is judged alone: one convinced seat does not excuse
    // another that only followed.
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

/// Whether anybody's last answer rests on a source; what was cited for another
/// answer earlier does not count.
fn anything_cited(room: &Room, voters: &[SeatId]) -> bool {
    voters.iter().any(|seat| {
        let last = room.rounds.iter().rev().find(|round| round.turn(*seat).is_some());
        last.is_some_and(|round| !cited(room, round, *seat).is_empty())
    })
}

/// Where the one who decides came to another answer. Over free text without a
/// clerk only a plain contradiction is certain enough to be called that.
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
        || spokesman(room, trace, leading)
            .is_some_and(|said| positions::reversed(&room.brief, said, turn));
    certain.then(|| DeciderDiffers {
        seat: decider,
        decided: positions::label(turn),
        weighed: leading.answer.clone(),
    })
}

//! Sealed first answers: how clearly one of them leads, whether that is enough,
//! and what asking for them cost beside a debate. Everything is counted from the
//! room, so a replay comes to the same.

use crate::model::{
    DebateEffort, EffortUsed, MicroUsd, ModePlan, Room, Round, RoundKind, RoundRecord, SeatId,
    Turn, counted,
};
use crate::sorting::SortRows;

use super::voters as voting;
use crate::analysis::answers::positions;
use crate::analysis::answers::trace::Trace;
use crate::analysis::voting::calibrating::measured;

/// The leading answer is clear from here on.
pub const CLEAR: f64 = 0.9;
/// How many answers a record of reliability is worth at most beside the samples.
const RECORD_ANSWERS: f64 = 1.0;
/// Steps of the integration, an even number.
const STEPS: usize = 400;

/// What the sealed first answers say so far.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledVotes {
    /// Answers asked for, gaps and abstentions included.
    pub asked: u32,
    /// Answers that are votes.
    pub votes: usize,
    pub leading: Option<String>,
    pub leading_votes: usize,
    /// How probable it is that the leading answer is given more often than the
    /// next one, however many more are asked for.
    pub posterior: Option<f64>,
}

impl SampledVotes {
    pub fn is_clear(&self) -> bool {
        self.posterior.is_some_and(|posterior| posterior > CLEAR)
    }
}

pub fn sampled(room: &Room, plan: &ModePlan) -> SampledVotes {
    let room = &*voting::counted(room, plan);
    let sealed: Vec<&RoundRecord> = room.sample_rounds().collect();
    let asked: usize = sealed.iter().flat_map(|round| &round.waves).map(Vec::len).sum();
    let votes: Vec<&Turn> = sealed.iter().flat_map(|round| round.answered()).collect();
    let mut groups = positions::groups(&room.brief, votes.iter().copied());
    groups.sort_rows_by_key(|group| std::cmp::Reverse(group.count));
    let counts: Vec<usize> = groups.iter().map(|group| group.count).collect();
    let (first, second) =
        (counts.first().copied().unwrap_or(0), counts.get(1).copied().unwrap_or(0));
    let posterior = (first > 0).then(|| {
        let [ours, theirs] = prior(room);
        more_often(ours + first as f64, theirs + second as f64)
    });
    let up_to = sealed.last().map_or(0, |round| round.number);
    let trace = Trace::of(room, up_to, None);
    let leading = groups.first().and_then(|group| {
        let holder = group.seats.first()?;
        let steps = trace.first_answers(*holder).iter();
        let turn = |round| room.round(round).and_then(|round| round.turn(*holder));
        let mut held = steps.filter(|step| {
            turn(step.round)
                .is_some_and(|t| positions::PositionKey::of(&room.brief, t).same(&group.key))
        });
        held.next().map(|step| trace.label(step.answer).to_owned())
    });
    SampledVotes {
        asked: u32::try_from(asked).unwrap_or(u32::MAX),
        votes: votes.len(),
        leading,
        leading_votes: first,
        posterior,
    }
}

/// The seats that are asked for the next sealed first answers: all that vote, then
/// one of each family, the one least heard, as long as the budget lasts. Another
/// family says more than another sample of the same; a table of one family is
/// asked as a whole.
pub fn next_samples(room: &Room, plan: &ModePlan) -> Vec<SeatId> {
    let seats = voting::voting_seats(room, plan);
    let sealed = || room.sample_rounds().flat_map(|round| round.waves.iter().flatten());
    if sealed().next().is_none() {
        return seats;
    }
    let left = (room.brief.samples as usize).saturating_sub(sealed().count());
    let heard = |seat: &SeatId| sealed().filter(|one| *one == seat).count();
    let mut families: Vec<(String, Vec<SeatId>)> = Vec::new();
    for seat in &seats {
        let family = voting::agent_of(room, *seat).map(voting::family_name).unwrap_or_default();
        match families.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(&family)) {
            Some((_, own)) => own.push(*seat),
            None => families.push((family, vec![*seat])),
        }
    }
    if families.len() < 2 {
        return if seats.len() <= left { seats } else { Vec::new() };
    }
    let least =
        |(_, own): &(String, Vec<SeatId>)| own.iter().min_by_key(|seat| heard(seat)).copied();
    let mut next: Vec<SeatId> = families.iter().filter_map(least).collect();
    next.sort_rows_by_key(|seat| heard(seat));
    next.truncate(left);
    next.sort_unstable();
    next
}

/// The answers that the talk after split first answers is about, most votes
/// first: all that hold at least half as many votes as the leading one, two at
/// least.
pub fn candidates(room: &Room, plan: &ModePlan) -> Vec<(String, usize)> {
    let room = &*voting::counted(room, plan);
    let votes: Vec<&Turn> = room.sample_rounds().flat_map(RoundRecord::answered).collect();
    let mut groups = positions::groups(&room.brief, votes.iter().copied());
    groups.sort_rows_by_key(|group| std::cmp::Reverse(group.count));
    let most = groups.first().map_or(0, |group| group.count);
    let leads = |(at, group): &(usize, &positions::AnswerGroup)| *at < 2 || 2 * group.count >= most;
    let label = |group: &positions::AnswerGroup| {
        let same = |turn: &&&Turn| positions::PositionKey::of(&room.brief, turn).same(&group.key);
        votes.iter().find(same).map(|turn| positions::label(turn)).unwrap_or_default()
    };
    let leading = groups.iter().enumerate().filter(leads);
    leading.map(|(_, group)| (label(group), group.count)).collect()
}

/// Which sealed answer of each seat is shown to the table when it begins to talk:
/// every leading answer is spoken for by one seat where there are enough seats,
/// the others by their latest.
pub fn spokesmen(room: &Room, plan: &ModePlan) -> Vec<(SeatId, Round)> {
    let room = &*voting::counted(room, plan);
    let votes: Vec<&Turn> = room.sample_rounds().flat_map(RoundRecord::answered).collect();
    let mut groups = positions::groups(&room.brief, votes.iter().copied());
    groups.sort_rows_by_key(|group| std::cmp::Reverse(group.count));
    let mut chosen: Vec<(SeatId, Round)> = Vec::new();
    for group in &groups {
        let free = |turn: &&&Turn| {
            let same = positions::PositionKey::of(&room.brief, turn).same(&group.key);
            same && chosen.iter().all(|(seat, _)| *seat != turn.seat)
        };
        chosen.extend(votes.iter().rev().find(free).map(|turn| (turn.seat, turn.round)));
    }
    for turn in votes.iter().rev() {
        if chosen.iter().all(|(seat, _)| *seat != turn.seat) {
            chosen.push((turn.seat, turn.round));
        }
    }
    chosen
}

/// Beta counts before the first answer: uniform, or leaning as far as the models'
/// records of this domain and kind of question do.
fn prior(room: &Room) -> [f64; 2] {
    let learned = room.brief.reliability();
    let records: Vec<f64> = room
        .brief
        .agents
        .iter()
        .filter_map(|agent| {
            let outcomes = learned.by_agent.get(&agent.name).filter(|record| record.outcomes > 0);
            let tried = || measured(room, agent).map(|row| row.right);
            outcomes.map(|record| record.reliability).or_else(tried)
        })
        .collect();
    let lean = crate::analysis::spread::mean(&records).map_or(0.0, |right| 2.0 * right - 1.0);
    [1.0 + RECORD_ANSWERS * lean.max(0.0), 1.0 + RECORD_ANSWERS * (-lean).max(0.0)]
}

/// The mass of Beta(a, b) above one half, by Simpson's rule; both are at least 1.
fn more_often(a: f64, b: f64) -> f64 {
    let density = |x: f64| x.powf(a - 1.0) * (1.0 - x).powf(b - 1.0);
    let over = |from: f64, to: f64| {
        let width = (to - from) / STEPS as f64;
        let at = |step: usize| density(from + width * step as f64);
        let inner = (1..STEPS).map(|step| if step % 2 == 1 { 4.0 } else { 2.0 } * at(step));
        (at(0) + inner.sum::<f64>() + at(STEPS)) * width / 3.0
    };
    let (below, above) = (over(0.0, 0.5), over(0.5, 1.0));
    above / (below + above)
}

/// What the effort came to, for the result; absent where the effort is a debate.
pub fn used(room: &Room, plan: &ModePlan) -> Option<EffortUsed> {
    let effort = room.brief.effort;
    if effort == DebateEffort::Debate || room.rounds.is_empty() {
        return None;
    }
    let found = sampled(room, plan);
    let first_answers = match found.asked {
        0 => room.rounds.first().map_or(0, |round| round.waves.concat().len() as u32),
        asked => asked,
    };
    let talked =
        room.rounds.iter().any(|round| round.number > 1 && round.kind != RoundKind::Sample);
    let priced = room.spent.unpriced_calls == 0;
    let answers = room.rounds.iter().flat_map(RoundRecord::answered);
    let paid: Vec<MicroUsd> = answers.filter_map(|turn| turn.whole_bill().cost).collect();
    let clerk = u32::from(room.brief.clerk.is_some());
    let seats = u32::try_from(room.seats.len()).unwrap_or(u32::MAX);
    let debate_calls = room.brief.rounds.saturating_mul(seats + clerk);
    let each = MicroUsd(paid.iter().copied().sum::<MicroUsd>().0 / paid.len().max(1) as u64);
    let known = priced && !talked && !paid.is_empty();
    let debate_cost = known.then(|| MicroUsd(each.0.saturating_mul(debate_calls.into())));
    let mut used = EffortUsed {
        effort,
        first_answers,
        posterior: found.posterior,
        talked,
        calls: room.spent.calls,
        cost: priced.then_some(room.spent.cost),
        debate_calls,
        debate_cost,
        words: String::new(),
    };
    used.words = words(room, &used);
    Some(used)
}

fn words(room: &Room, used: &EffortUsed) -> String {
    let first = counted(used.first_answers as usize, "sealed first answer");
    if used.talked {
        let rounds = room.rounds.iter().filter(|round| round.kind != RoundKind::Sample).count();
        return format!(
            "The {first} were split, so the table talked about them for {}.",
            counted(rounds, "round")
        );
    }
    let paid = used.cost.filter(|cost| *cost > MicroUsd::ZERO);
    let would = used.debate_cost.filter(|cost| *cost > MicroUsd::ZERO);
    let (paid, would) = (
        paid.map_or_else(String::new, |cost| format!(" ({cost})")),
        would.map_or_else(String::new, |cost| format!(" (about {cost} or more)")),
    );
    format!(
        "No talk was needed: {first}{paid}. A debate of {} would have made {}{would}.",
        counted(room.brief.rounds as usize, "round"),
        counted(used.debate_calls as usize, "call")
    )
}

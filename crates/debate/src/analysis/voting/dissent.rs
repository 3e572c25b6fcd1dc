//! What a weighing must not hide: minority reports, the flags, and a decider who
//! came to another answer than the vote.

use crate::model::{
    Agent, AnalysedBy, ChangeBasis, DeciderDiffers, MinorityReport, Room, Round, SeatId, Turn,
    VoteShare, WeighedAnswer, WeighedOver, Weighing, WeighingFlag,
};

use crate::analysis::answers::positions;
use crate::analysis::answers::trace::Trace;
use crate::analysis::convergence::cited;
use crate::analysis::voting::voters::{agent_of, same_family, same_model};

const MINORITY_SHARE: f64 = 0.20;
/// Answers whose probabilities differ by less are level.
const LEVEL_MARGIN: f64 = 0.05;
const SLACK: f64 = 1e-9;

/// The answers that lead: the most probable one, and those so close to it that only
/// a third decimal would pick a winner.
pub fn level_answers(weighing: &Weighing) -> Vec<&WeighedAnswer> {
    let Some(first) = weighing.answers.first() else {
        return Vec::new();
    };
    let level = |answer: &&WeighedAnswer| first.probability - answer.probability < LEVEL_MARGIN;
    weighing.answers.iter().filter(level).collect()
}

/// Losing answers with a fifth of the weight, each in its last holder's words.
pub fn minority(room: &Room, trace: &Trace, weighing: &Weighing) -> Vec<MinorityReport> {
    // On a tie no answer has lost, and estimates are combined.
    let level = level_answers(weighing).len();
    if level > 1 || room.brief.combines_figures() {
        return Vec::new();
    }
    let votes: usize = weighing.final_vote.iter().map(VoteShare::count).sum();
    // What most hold at the end is no minority, even where first votes lead.
    let held_by_most = |answer: &&WeighedAnswer| {
        let share = weighing.final_vote.iter().find(|share| share.answer == answer.answer);
        share.is_some_and(|share| 2 * share.count() > votes)
    };
    let losing = weighing.answers.iter().skip(level).filter(|answer| !held_by_most(answer));
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

pub fn flags(room: &Room, voters: &[SeatId], weighing: &Weighing) -> Vec<WeighingFlag> {
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

/// Returns whether anybody's last answer rests on a source; what was cited for another
/// answer earlier does not count.
fn anything_cited(room: &Room, voters: &[SeatId]) -> bool {
    voters.iter().any(|seat| {
        let last = room.rounds.iter().rev().find(|round| round.turn(*seat).is_some());
        last.is_some_and(|round| !cited(room, round, *seat).is_empty())
    })
}

/// Where the one who decides came to another answer. Over free text without a
/// clerk only a plain contradiction is certain enough to be called that.
pub fn differs(
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

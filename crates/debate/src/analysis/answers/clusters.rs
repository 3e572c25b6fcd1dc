//! Follows the clusters of an open question from round to round. A cluster
//! continues an answer of an earlier round if its seats stand where that answer
//! stood; without tables of stands, if it repeats its words, has its theme or,
//! failing these, holds most of the seats that gave it.
//!
//! New wording alone is no change of mind, and neither is a clerk that groups the
//! same stands otherwise: a seat is moved only where it went over to the other side
//! of a proposition or took up the words of another answer.

use std::collections::BTreeSet;

use crate::model::{
    AnalysedBy, Brief, Cluster, Proposition, PropositionId, Room, Round, RoundAnalysis,
    RoundRecord, SeatId, Side, Turn, WeighedOver,
};
use crate::sorting::SortRows;

use crate::analysis::answers::polarity::Relation;
use crate::analysis::answers::positions::{self, PositionKey};
use crate::analysis::answers::stands;
use crate::analysis::answers::trace::{NamedAnswer, Trace};
use crate::analysis::votes::rounds_up_to;

/// The weight of each sign that two answers are the same: the stands decide over
/// the words, the words over the theme, the theme over the seats that hold it.
const SAME_STAND: f64 = 1e9;
const SAME_WORDS: f64 = 1e6;
const SAME_THEME: f64 = 1e3;
const SAME_SEAT: f64 = 1.0;
/// Groups that share the side of more than this many propositions stand alike.
const STANDS_ALIKE: f64 = 0.5;

/// What is known of an answer when the next round's clusters are matched to it.
struct CarriedAnswer {
    theme: String,
    keys: Vec<PositionKey>,
    stand: Vec<(PropositionId, Side)>,
}

/// A cluster of this round that may be an answer of an earlier one.
struct LikelyMatch {
    score: f64,
    cluster: usize,
    answer: usize,
}

/// `current`: the clusters of the last round, if they are not in the room yet.
pub fn trace(room: &Room, up_to: Round, current: Option<&[Cluster]>) -> Trace {
    let mut trace = Trace::empty(room, WeighedOver::Clusters);
    let mut carried: Vec<CarriedAnswer> = Vec::new();
    for round in rounds_up_to(room, up_to) {
        let found = round.analysis.as_ref().map(|analysis| analysis.consensus.clusters.as_slice());
        let given = if round.number == up_to { current.or(found) } else { found };
        let own: Vec<Cluster>;
        let clusters = match given {
            Some(clusters) => clusters,
            None => {
                own = bare_clusters(&room.brief, round);
                &own
            }
        };
        enter_round(&mut trace, &mut carried, (&room.brief, round), clusters);
    }
    for seat in (0..room.seats.len()).map(SeatId) {
        join_unmoved(room, &mut trace, seat);
    }
    trace
}

fn bare_clusters(brief: &Brief, round: &RoundRecord) -> Vec<Cluster> {
    let cluster = |group: positions::AnswerGroup| Cluster {
        theme: String::new(),
        seats: group.seats,
        summary: String::new(),
    };
    positions::groups(brief, round.answered()).into_iter().map(cluster).collect()
}

/// The table of stands of a round; empty where no clerk's table was used.
fn table(round: &RoundRecord) -> &[Proposition] {
    let read = |found: &&RoundAnalysis| found.consensus.by == AnalysedBy::Clerk;
    round
        .analysis
        .as_ref()
        .filter(read)
        .map(|found| found.consensus.propositions.as_slice())
        .unwrap_or_default()
}

fn enter_round(
    trace: &mut Trace,
    carried: &mut Vec<CarriedAnswer>,
    (brief, round): (&Brief, &RoundRecord),
    clusters: &[Cluster],
) {
    let keys: Vec<Vec<PositionKey>> = clusters
        .iter()
        .map(|cluster| {
            let turns = cluster.seats.iter().filter_map(|seat| round.turn(*seat));
            turns.map(|turn| PositionKey::of(brief, turn)).collect()
        })
        .collect();
    let stood: Vec<Vec<(PropositionId, Side)>> =
        clusters.iter().map(|cluster| stands::stand_of(table(round), &cluster.seats)).collect();
    let mut likely: Vec<LikelyMatch> = Vec::new();
    for (at, cluster) in clusters.iter().enumerate() {
        for (answer, known) in carried.iter().enumerate() {
            let own = stood.get(at).map(Vec::as_slice).unwrap_or_default();
            let alike = stands::same_stand(own, &known.stand);
            let same_words =
                keys.get(at).is_some_and(|own| own.iter().any(|k| known.keys.contains(k)));
            let same_theme = !cluster.theme.is_empty() && cluster.theme == known.theme;
            let apart = alike.is_some_and(|share| share <= STANDS_ALIKE);
            if apart && !same_words && !same_theme {
                continue;
            }
            let held = |seat: &&SeatId| {
                trace.path(**seat).last().is_some_and(|step| step.answer == answer)
            };
            let seats = cluster.seats.iter().filter(held).count();
            let score = SAME_STAND * alike.unwrap_or(0.0)
                + SAME_WORDS * f64::from(u8::from(same_words))
                + SAME_THEME * f64::from(u8::from(same_theme))
                + SAME_SEAT * seats as f64;
            if score > 0.0 {
                likely.push(LikelyMatch { score, cluster: at, answer });
            }
        }
    }
    let answer_of = continued(likely, clusters.len());
    for (((cluster, keys), stand), answer) in clusters.iter().zip(keys).zip(stood).zip(answer_of) {
        let answer = answer.unwrap_or_else(|| {
            trace.answers.push(NamedAnswer { label: String::new(), choice: None, said: None });
            carried.push(CarriedAnswer {
                theme: String::new(),
                keys: Vec::new(),
                stand: Vec::new(),
            });
            trace.answers.len() - 1
        });
        name_answer(trace, answer, round, cluster);
        if let Some(known) = carried.get_mut(answer) {
            known.theme.clone_from(&cluster.theme);
            known.keys = keys;
            // Stands on points that this table no longer names are kept.
            known.stand.retain(|(id, _)| stand.iter().all(|(now, _)| now != id));
            known.stand.extend(stand);
        }
        for turn in cluster.seats.iter().filter_map(|seat| round.turn(*seat)) {
            trace.step(turn, answer);
        }
    }
}

/// Chooses the answer that each cluster continues, best match first. Where only
/// seats speak for it and two matches are equally good, none is chosen: otherwise
/// the order of the seats would decide who changed its mind.
fn continued(mut likely: Vec<LikelyMatch>, clusters: usize) -> Vec<Option<usize>> {
    // Ties of stands, words and themes go to the earlier cluster and the older answer.
    likely.sort_rows_by(|a, b| {
        b.score.total_cmp(&a.score).then(a.cluster.cmp(&b.cluster)).then(a.answer.cmp(&b.answer))
    });
    let mut answer_of: Vec<Option<usize>> = vec![None; clusters];
    let (mut clusters_done, mut answers_done) = (BTreeSet::new(), BTreeSet::new());
    for equally_good in likely.chunk_by(|a, b| a.score == b.score) {
        let open: Vec<&LikelyMatch> = equally_good
            .iter()
            .filter(|one| !clusters_done.contains(&one.cluster))
            .filter(|one| !answers_done.contains(&one.answer))
            .collect();
        for one in &open {
            let rivals = |other: &&&LikelyMatch| {
                (other.cluster == one.cluster) != (other.answer == one.answer)
            };
            let tied = one.score < SAME_THEME && open.iter().any(|other| rivals(&other));
            let free = !clusters_done.contains(&one.cluster) && !answers_done.contains(&one.answer);
            if let Some(slot) = answer_of.get_mut(one.cluster).filter(|_| free && !tied) {
                *slot = Some(one.answer);
            }
            if free || tied {
                clusters_done.insert(one.cluster);
                answers_done.insert(one.answer);
            }
        }
    }
    answer_of
}

/// Names an answer by its latest theme, or by the latest words of a seat that
/// holds it.
fn name_answer(trace: &mut Trace, answer: usize, round: &RoundRecord, cluster: &Cluster) {
    let first = cluster.seats.first().and_then(|seat| round.turn(*seat));
    let label = match cluster.theme.trim() {
        "" => first.map(positions::label).unwrap_or_default(),
        theme => theme.to_owned(),
    };
    if let Some(named) = trace.answers.get_mut(answer) {
        named.label = label;
        named.choice = first.and_then(|turn| turn.answer.answer.clone());
    }
}

/// Where a seat's answer is grouped otherwise than before and it did not move, it
/// held the later answer all along.
fn join_unmoved(room: &Room, trace: &mut Trace, seat: SeatId) {
    let steps = trace.path(seat).to_vec();
    let mut joined = steps.clone();
    for at in 1..steps.len() {
        let (Some(before), Some(now)) = (steps.get(at - 1), steps.get(at)) else { continue };
        if before.answer == now.answer || moved(room, seat, (before.round, now.round)) {
            continue;
        }
        let earlier = joined.get_mut(..at).unwrap_or_default();
        let held = earlier.last().map(|step| step.answer);
        for step in earlier.iter_mut().rev().take_while(|step| Some(step.answer) == held) {
            step.answer = now.answer;
        }
    }
    if let Some(path) = trace.paths.get_mut(seat.index()) {
        *path = joined;
    }
}

/// Returns whether it is known that a seat gave up its answer between two rounds.
fn moved(room: &Room, seat: SeatId, (from, to): (Round, Round)) -> bool {
    let (Some(before), Some(now)) = (room.round(from), room.round(to)) else {
        return false;
    };
    let read = !table(before).is_empty() && !table(now).is_empty();
    if read {
        // Tables of earlier versions have no ids: their clusters must do.
        return stands::changed_sides(table(before), table(now), seat).unwrap_or(true);
    }
    let (Some(said), Some(says)) = (before.turn(seat), now.turn(seat)) else {
        return false;
    };
    let key = PositionKey::of(&room.brief, says);
    let taken_up = |turn: &Turn| turn.seat != seat && PositionKey::of(&room.brief, turn).same(&key);
    let others = rounds_up_to(room, to).flat_map(RoundRecord::answered);
    PositionKey::of(&room.brief, said).relation(&key) == Relation::Opposed
        || others.into_iter().any(taken_up)
}

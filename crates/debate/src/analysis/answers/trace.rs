//! Follows each seat's answer through the rounds, so that a change of mind can be
//! told from a change of words.
//!
//! If the question has a form, the chosen value is the answer. If it is open, the
//! clusters of each round are the answers; a cluster continues an answer of the
//! round before if it repeats its words, has its theme or, failing these, holds
//! most of the seats that gave it. New wording alone is never a switch.

use crate::model::{
    Brief, Choice, Cluster, EvidenceId, Question, Room, Round, RoundKind, RoundRecord, SeatId,
    Turn, WeighedOver,
};

use crate::analysis::answers::positions::{self, PositionKey};
use crate::analysis::convergence::cited;
use crate::analysis::votes::rounds_up_to;

/// The weight of each sign that two answers are the same; the words decide over
/// the theme, the theme over the seats that hold it.
const SAME_WORDS: f64 = 1e6;
const SAME_THEME: f64 = 1e3;
const SAME_SEAT: f64 = 1.0;

#[derive(Debug, Clone)]
pub struct NamedAnswer {
    pub label: String,
    pub choice: Option<Choice>,
    /// The seat that said it last, with the round, to be quoted.
    pub said: Option<(SeatId, Round)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerStep {
    pub round: Round,
    /// Index into the answers.
    pub answer: usize,
}

#[derive(Debug, Clone)]
pub struct Trace {
    pub over: WeighedOver,
    pub answers: Vec<NamedAnswer>,
    /// By seat, in order of rounds; no step where the seat gave no answer. Where
    /// a seat gave several sealed first answers, its first step is the one it
    /// gave most often.
    pub paths: Vec<Vec<AnswerStep>>,
    /// By seat: its sealed first answers, where it gave several.
    pub sealed: Vec<Vec<AnswerStep>>,
}

/// A switch from one answer to another, with the new sources cited for it.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSwitch {
    pub seat: SeatId,
    pub from: AnswerStep,
    pub to: AnswerStep,
    pub evidence: Vec<EvidenceId>,
}

impl Trace {
    /// Follows the answers up to a round; `current` holds the clusters of that
    /// round if they are not in the room yet.
    pub fn of(room: &Room, up_to: Round, current: Option<&[Cluster]>) -> Trace {
        let mut trace = match &room.brief.question {
            Question::YesNo | Question::Options { .. } => over_options(room, up_to),
            Question::Number { .. } | Question::Probability => over_values(room, up_to),
            Question::Open => over_clusters(room, up_to, current),
        };
        trace.gather_sealed(room);
        trace
    }

    /// Takes the sealed first answers out of the paths and puts in their place
    /// the one that the seat gave most often: several samples of one seat are no
    /// changes of mind.
    fn gather_sealed(&mut self, room: &Room) {
        let is_sealed = |step: &AnswerStep| {
            room.round(step.round).is_some_and(|round| round.kind == RoundKind::Sample)
        };
        for (path, sealed) in self.paths.iter_mut().zip(&mut self.sealed) {
            let (first, talk): (Vec<AnswerStep>, Vec<AnswerStep>) =
                path.drain(..).partition(is_sealed);
            let times =
                |step: &AnswerStep| first.iter().filter(|one| one.answer == step.answer).count();
            // Of equally frequent answers the latest stands.
            let usual = first.iter().copied().max_by_key(times);
            path.extend(usual.into_iter().chain(talk));
            *sealed = first;
        }
    }

    /// The seat's sealed first answers, or its first answer alone.
    pub fn first_answers(&self, seat: SeatId) -> &[AnswerStep] {
        match self.sealed.get(seat.index()).map(Vec::as_slice) {
            Some(sealed) if !sealed.is_empty() => sealed,
            _ => self.path(seat).get(..1).unwrap_or_default(),
        }
    }

    /// Returns whether nobody has spoken since the sealed first answers.
    pub fn is_sealed(&self) -> bool {
        let talked = |(path, sealed): (&Vec<AnswerStep>, &Vec<AnswerStep>)| {
            sealed.is_empty() || path.len() > 1
        };
        let spoke = self.paths.iter().zip(&self.sealed).filter(|(path, _)| !path.is_empty());
        let mut spoke = spoke.peekable();
        spoke.peek().is_some() && !spoke.any(talked)
    }

    fn empty(room: &Room, over: WeighedOver) -> Trace {
        let nothing = vec![Vec::new(); room.seats.len()];
        Trace { over, answers: Vec::new(), paths: nothing.clone(), sealed: nothing }
    }

    pub fn path(&self, seat: SeatId) -> &[AnswerStep] {
        self.paths.get(seat.index()).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn label(&self, answer: usize) -> &str {
        self.answers.get(answer).map_or("", |named| named.label.as_str())
    }

    fn step(&mut self, turn: &Turn, answer: usize) {
        if let Some(path) = self.paths.get_mut(turn.seat.index()) {
            path.push(AnswerStep { round: turn.round, answer });
        }
        if let Some(named) = self.answers.get_mut(answer) {
            named.said = Some((turn.seat, turn.round));
        }
    }

    /// Every change of mind of a seat, in order.
    pub fn switches(&self, room: &Room, seat: SeatId) -> Vec<AnswerSwitch> {
        let moved = |pair: &[AnswerStep]| match pair {
            [from, to] if from.answer != to.answer => {
                let evidence = new_evidence(room, seat, *from, *to);
                Some(AnswerSwitch { seat, from: *from, to: *to, evidence })
            }
            _ => None,
        };
        self.path(seat).windows(2).filter_map(moved).collect()
    }
}

/// Returns the sources the switching answer cites that were new to the seat: it
/// never cited them before, and they entered the register in the round of its
/// last answer or later, so that it had not considered them when it last spoke.
fn new_evidence(room: &Room, seat: SeatId, from: AnswerStep, to: AnswerStep) -> Vec<EvidenceId> {
    let Some(now) = room.round(to.round) else {
        return Vec::new();
    };
    let mut fresh = cited(room, now, seat);
    if room.brief.question.is_closed() {
        fresh.retain(|id| was_looked_up(room, now, seat, *id));
    }
    fresh.retain(|id| {
        let added = room.ledger.source(*id).map_or(to.round, |source| source.added_round);
        added >= from.round
            && !rounds_up_to(room, from.round).any(|round| cited(room, round, seat).contains(id))
    });
    fresh
}

/// Returns whether a source can have been read by the seat that cites it: the seat or its
/// provider looked something up, the caller brought it, or another seat found it. A vote moves on evidence; a title from memory is an argument.
fn was_looked_up(room: &Room, round: &RoundRecord, seat: SeatId, id: EvidenceId) -> bool {
    let Some(turn) = round.turn(seat) else { return false };
    let Some(source) = room.ledger.source(id) else { return false };
    let given = || {
        let named = |name: &str| !name.is_empty() && source.title.contains(name);
        room.brief.attachments.iter().any(|attached| named(attached.name.trim()))
    };
    let found = |turn: &Turn| {
        !turn.tool_calls.is_empty()
            || turn.searches > 0
            || turn.sources.iter().any(|found| found.url.is_some() && found.url == source.url)
    };
    let by_another = || {
        let others = source.cited_by.iter().filter(|cited| cited.seat != seat);
        let mut turns = others.filter_map(|cited| room.round(cited.round)?.turn(cited.seat));
        turns.any(found)
    };
    found(turn) || given() || by_another()
}

fn over_options(room: &Room, up_to: Round) -> Trace {
    let mut trace = Trace::empty(room, WeighedOver::Options);
    for option in room.brief.question.options().unwrap_or_default() {
        let choice = Some(Choice::Option(option.clone()));
        trace.answers.push(NamedAnswer { label: option, choice, said: None });
    }
    for turn in turns(room, up_to) {
        let Some(Choice::Option(chosen)) = &turn.answer.answer else {
            continue;
        };
        let same = |named: &NamedAnswer| named.label.trim().eq_ignore_ascii_case(chosen.trim());
        let at = match trace.answers.iter().position(same) {
            Some(at) => at,
            None => {
                let choice = Some(Choice::Option(chosen.clone()));
                trace.answers.push(NamedAnswer {
                    label: chosen.trim().to_owned(),
                    choice,
                    said: None,
                });
                trace.answers.len() - 1
            }
        };
        trace.step(turn, at);
    }
    trace
}

fn over_values(room: &Room, up_to: Round) -> Trace {
    let mut trace = Trace::empty(room, WeighedOver::Values);
    let mut valued: Vec<&Turn> = turns(room, up_to)
        .filter(|turn| turn.answer.answer.as_ref().and_then(value).is_some())
        .collect();
    let figure = |turn: &Turn| turn.answer.answer.as_ref().and_then(value).unwrap_or_default();
    valued.sort_by(|a, b| figure(a).total_cmp(&figure(b)));
    let mut keys: Vec<(PositionKey, Vec<&Choice>)> = Vec::new();
    for turn in valued {
        let (key, choice) = (PositionKey::of(&room.brief, turn), turn.answer.answer.as_ref());
        match keys.iter_mut().find(|(known, _)| known.same(&key)) {
            Some((_, held)) => held.extend(choice),
            None => keys.push((key, choice.into_iter().collect())),
        }
    }
    for (_, held) in &keys {
        // Within the tolerance, the figure that most gave names the answer.
        let times = |choice: &&Choice| held.iter().filter(|one| **one == *choice).count();
        let usual = held.iter().rev().copied().max_by_key(times);
        let label = usual.map(positions::choice_label).unwrap_or_default();
        trace.answers.push(NamedAnswer { label, choice: usual.cloned(), said: None });
    }
    for turn in turns(room, up_to) {
        let key = PositionKey::of(&room.brief, turn);
        if let Some(at) = keys.iter().position(|(known, _)| known.same(&key)) {
            trace.step(turn, at);
        }
    }
    trace
}

pub fn value(choice: &Choice) -> Option<f64> {
    match choice {
        Choice::Number(value) | Choice::Probability(value) => Some(*value),
        Choice::Option(_) => None,
    }
}

/// What is known of an answer when the next round's clusters are matched to it.
struct CarriedAnswer {
    theme: String,
    keys: Vec<PositionKey>,
}

fn over_clusters(room: &Room, up_to: Round, current: Option<&[Cluster]>) -> Trace {
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
    let mut likely: Vec<(f64, usize, usize)> = Vec::new();
    for (at, cluster) in clusters.iter().enumerate() {
        for (answer, known) in carried.iter().enumerate() {
            let same_words =
                keys.get(at).is_some_and(|own| own.iter().any(|k| known.keys.contains(k)));
            let same_theme = !cluster.theme.is_empty() && cluster.theme == known.theme;
            let held = |seat: &&SeatId| {
                trace.path(**seat).last().is_some_and(|step| step.answer == answer)
            };
            let seats = cluster.seats.iter().filter(held).count();
            let score = SAME_WORDS * f64::from(u8::from(same_words))
                + SAME_THEME * f64::from(u8::from(same_theme))
                + SAME_SEAT * seats as f64;
            if score > 0.0 {
                likely.push((score, at, answer));
            }
        }
    }
    // Best match first; ties go to the earlier cluster and the older answer.
    likely.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut answer_of: Vec<Option<usize>> = vec![None; clusters.len()];
    for (_, at, answer) in likely {
        let taken = answer_of.contains(&Some(answer));
        if let Some(slot) = answer_of.get_mut(at).filter(|slot| slot.is_none() && !taken) {
            *slot = Some(answer);
        }
    }
    for ((cluster, keys), answer) in clusters.iter().zip(keys).zip(answer_of) {
        let answer = answer.unwrap_or_else(|| {
            trace.answers.push(NamedAnswer { label: String::new(), choice: None, said: None });
            carried.push(CarriedAnswer { theme: String::new(), keys: Vec::new() });
            trace.answers.len() - 1
        });
        name_answer(trace, answer, round, cluster);
        if let Some(known) = carried.get_mut(answer) {
            known.theme.clone_from(&cluster.theme);
            known.keys = keys;
        }
        for turn in cluster.seats.iter().filter_map(|seat| round.turn(*seat)) {
            trace.step(turn, answer);
        }
    }
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

fn turns(room: &Room, up_to: Round) -> impl Iterator<Item = &Turn> {
    rounds_up_to(room, up_to).flat_map(RoundRecord::answered)
}

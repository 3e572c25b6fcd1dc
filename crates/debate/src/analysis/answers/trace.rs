//! Follows each seat's answer through the rounds, so that a change of mind can be
//! told from a change of words.
//!
//! `following` makes a trace: from the chosen values where the question has a form,
//! else from the clusters of each round.

use crate::model::{
    Choice, EvidenceId, Room, Round, RoundKind, RoundRecord, SeatId, Turn, WeighedOver,
};

use crate::analysis::convergence::cited;
use crate::analysis::votes::rounds_up_to;

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
    /// Takes the sealed first answers out of the paths and puts in their place
    /// the one that the seat gave most often: several samples of one seat are no
    /// changes of mind.
    pub(super) fn gather_sealed(&mut self, room: &Room) {
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

    pub(super) fn empty(room: &Room, over: WeighedOver) -> Trace {
        let nothing = vec![Vec::new(); room.seats.len()];
        Trace { over, answers: Vec::new(), paths: nothing.clone(), sealed: nothing }
    }

    pub fn path(&self, seat: SeatId) -> &[AnswerStep] {
        self.paths.get(seat.index()).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn label(&self, answer: usize) -> &str {
        self.answers.get(answer).map_or("", |named| named.label.as_str())
    }

    pub(super) fn step(&mut self, turn: &Turn, answer: usize) {
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

/// True if an agent brought a source in this round that the table did not have and
/// that was looked up.
pub fn found_something(room: &Room, round: Round) -> bool {
    let Some(record) = room.round(round) else { return false };
    let fresh = |id: &EvidenceId| room.ledger.source(*id).is_some_and(|s| s.added_round == round);
    record.answered().any(|turn| {
        let mut sources = cited(room, record, turn.seat).into_iter().filter(fresh);
        sources.any(|id| was_looked_up(room, record, turn.seat, id))
    })
}

pub fn value(choice: &Choice) -> Option<f64> {
    match choice {
        Choice::Number(value) | Choice::Probability(value) => Some(*value),
        Choice::Option(_) => None,
    }
}

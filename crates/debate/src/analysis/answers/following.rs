//! Makes the trace of a debate: over the options or values of a question that has a
//! form, over the clusters of each round where it is open.

use crate::model::{Choice, Cluster, Question, Room, Round, RoundRecord, Turn, WeighedOver};
use crate::sorting::SortRows;

use crate::analysis::answers::clusters;
use crate::analysis::answers::positions::{self, PositionKey};
use crate::analysis::answers::trace::{NamedAnswer, Trace, value};
use crate::analysis::votes::rounds_up_to;

impl Trace {
    /// Follows the answers up to a round; `current` holds the clusters of that
    /// round if they are not in the room yet.
    pub fn of(room: &Room, up_to: Round, current: Option<&[Cluster]>) -> Trace {
        let mut trace = match &room.brief.question {
            Question::YesNo | Question::Options { .. } => over_options(room, up_to),
            Question::Number { .. } | Question::Probability => over_values(room, up_to),
            Question::Open => clusters::trace(room, up_to, current),
        };
        trace.gather_sealed(room);
        trace
    }
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
    valued.sort_rows_by(|a, b| figure(a).total_cmp(&figure(b)));
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

fn turns(room: &Room, up_to: Round) -> impl Iterator<Item = &Turn> {
    rounds_up_to(room, up_to).flat_map(RoundRecord::answered)
}

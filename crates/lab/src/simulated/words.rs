//! A simulated stand as an answer: the same JSON a model sends.

use debate::model::{Round, SeatId};
use serde_json::json;

use super::item::{Grounds, OptionStand, SimulatedItem};

/// What the answers of a question are called, by place.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// Words, given as they are.
    Words(Vec<String>),
    /// Numbers, given as numbers.
    Numbers(Vec<f64>),
}

impl Labels {
    /// The answer in words.
    pub fn word(&self, option: usize) -> String {
        match self {
            Labels::Words(words) => words.get(option).cloned().unwrap_or_default(),
            Labels::Numbers(numbers) => {
                numbers.get(option).map(ToString::to_string).unwrap_or_default()
            }
        }
    }
}

/// The place of a seat among those it heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmongHeard {
    WithMost,
    AgainstMost,
}

/// Ways of saying the same, so that positions differ in words as they do at a
/// real table.
const POSITIONS: [(&str, &str); 4] = [
    ("The right direction is ", "."),
    ("It has to be ", ", for the others do not fit."),
    ("I come to ", " and see no reason to leave it."),
    ("Everything considered, ", " is the answer."),
];

pub fn answer(
    item: &SimulatedItem,
    labels: &Labels,
    (seat, round): (SeatId, Round),
    stand: OptionStand,
    place: AmongHeard,
) -> String {
    let option = labels.word(stand.option);
    let given = match labels {
        Labels::Words(_) => json!(option),
        Labels::Numbers(numbers) => json!(numbers.get(stand.option)),
    };
    let (before, after) =
        POSITIONS.get(seat.index() % POSITIONS.len()).copied().unwrap_or_default();
    let (label, kind, numbers) = match stand.grounds {
        Grounds::Bare => ("INFER", "LOGICAL", json!([])),
        Grounds::NewSource => ("FACT", "DOCUMENTED", json!([1])),
    };
    let citations = match stand.grounds {
        Grounds::Bare => json!([]),
        Grounds::NewSource => json!([{
            "number": 1,
            "title": format!("Survey {}-{}-{round}", item.number, seat.index()),
            "url": format!("https://surveys.simulated.dev/{}/{}/{round}", item.number, seat.index()),
        }]),
    };
    let mut answer = json!({
        "reasoning": format!("What is known of question {} points {option}.", item.number),
        "citations": citations,
        "claims": [{
            "text": format!("Seat {} finds that the signs point {option}", seat.index()),
            "label": label,
            "evidenceType": kind,
            "citations": numbers,
        }],
        "position": format!("{before}{option}{after}"),
        "keyPoints": [option],
        "answer": given,
        "confidence": stand.confidence,
    });
    if let (true, Some(object)) = (round > 1, answer.as_object_mut()) {
        let vote = match place {
            AmongHeard::WithMost => json!({"ballot": "ACCEPT", "objection": null}),
            AmongHeard::AgainstMost => {
                json!({"ballot": "MINOR", "objection": format!("most stand elsewhere, I at {option}")})
            }
        };
        object.insert("vote".into(), vote);
    }
    answer.to_string()
}

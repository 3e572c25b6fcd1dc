//! Runs one scripted debate through the machine and names what was seen in it.

use std::collections::BTreeSet;

use debate::model::*;
use serde_json::{Value, json};

use crate::support;

/// What a seat says; everything else is made from it.
#[derive(Clone, Copy)]
pub struct Said {
    pub position: &'static str,
    pub sure: f64,
    pub ballot: &'static str,
    /// A claim labelled FACT that nobody made before.
    pub new_fact: bool,
    /// The source it cites; 0: none.
    pub source: usize,
}

pub const POSITIONS: [&str; 4] = [
    "Build the index first.",
    "Buy a hosted search engine.",
    "Wait until the traffic doubles.",
    "Drop the feature altogether.",
];

pub fn says(position: &'static str) -> Said {
    Said { position, sure: 0.5, ballot: "ACCEPT", new_fact: true, source: 1 }
}

/// Each seat its own position, and ballots that differ.
pub fn apart(seat: usize) -> Said {
    let ballot = if seat.is_multiple_of(2) { "ACCEPT" } else { "MINOR" };
    Said { ballot, source: seat + 1, ..says(POSITIONS[seat]) }
}

fn answer(said: Said, seat: usize, round: Round) -> Value {
    const TOPICS: [&str; 4] = ["latency", "budget", "staffing", "tenancy"];
    const PERIODS: [&str; 6] = ["January", "March", "May", "July", "August", "October"];
    let mut answer = json!({
        "position": said.position,
        "reasoning": "Because it follows.",
        "keyPoints": ["one", "two"],
        "confidence": said.sure,
        "claims": [],
        "citations": [],
        "vote": {"ballot": said.ballot, "objection": "not yet"},
    });
    if said.source > 0 {
        answer["citations"] = json!([{
            "number": 1, "title": format!("Source {}", said.source),
            "url": format!("https://www.rfc-editor.org/{}", said.source),
        }]);
    }
    if said.new_fact && said.source > 0 {
        answer["claims"] = json!([{
            "text": format!("The {} figures of {} point this way", TOPICS[seat], PERIODS[round as usize]),
            "label": "FACT", "evidenceType": "EMPIRICAL", "citations": [1],
        }]);
    }
    answer
}

pub type Says = fn(usize, Round) -> Said;
/// The sides of the three seats on five propositions, by round: `+`, `-` or `o`.
pub type Alike = fn(Round) -> [&'static str; 5];
pub type Set = fn(&mut Brief);

pub struct Row {
    set: Set,
    says: Says,
    alike: Option<Alike>,
    rounds: u32,
    /// What must be seen.
    fires: &'static str,
}

/// The same debate but for one thing, in which it must not be seen.
pub struct NearMiss {
    set: Option<Set>,
    says: Option<Says>,
    alike: Option<Alike>,
}

const SAME_SCRIPT: NearMiss = NearMiss { set: None, says: None, alike: None };

pub fn said_otherwise(says: Says) -> NearMiss {
    NearMiss { says: Some(says), ..SAME_SCRIPT }
}

pub fn alike_otherwise(alike: Alike) -> NearMiss {
    NearMiss { alike: Some(alike), ..SAME_SCRIPT }
}

pub fn set_otherwise(set: Set) -> NearMiss {
    NearMiss { set: Some(set), ..SAME_SCRIPT }
}

pub fn row(set: Set, says: Says, rounds: u32, fires: &'static str) -> Row {
    Row { set, says, alike: None, rounds, fires }
}

pub fn with_alike(set: Set, says: Says, rounds: u32, alike: Alike, fires: &'static str) -> Row {
    Row { set, says, alike: Some(alike), rounds, fires }
}

/// Runs the debate and names everything that was seen in it.
fn seen(row: &Row) -> BTreeSet<String> {
    let mut brief = support::brief("collaborative", 3, row.rounds);
    brief.topic = "Which way should search go?".into();
    brief.clerk = row.alike.map(|_| support::agent(9));
    (row.set)(&mut brief);
    let (mut debate, opening) = support::open(brief);
    let mut events = vec![opening];
    events.extend(debate.hear(Input::Go));
    for _ in 0..500 {
        match debate.next_step() {
            Step::Ask(asks) => {
                for ask in asks {
                    let mut reply = support::reply(&ask.id);
                    if let (Party::Clerk, Task::Consensus, Some(alike)) =
                        (ask.id.party, ask.id.task, row.alike)
                    {
                        reply.text = clerks_table(&ask.user, alike(ask.id.round)).to_string();
                    }
                    if let Party::Seat(seat) = ask.id.party {
                        let (seat, round) = (seat.index(), ask.id.round);
                        reply.text =
                            answer((row.says)(seat.min(3), round), seat.min(3), round).to_string();
                    }
                    events.extend(
                        debate.hear(Input::Replied { ask: ask.id, reply: Box::new(reply) }),
                    );
                }
            }
            Step::Embed(_) => panic!("there is no embedder"),
            Step::Done(_) => return events.iter().flat_map(facts).collect(),
            Step::Await(reason) => panic!("{reason:?}"),
        }
    }
    panic!("the debate does not end")
}

/// The clerk's reply: it finds out which participant is which by what they say.
fn clerks_table(shown: &str, rows: [&str; 5]) -> Value {
    let place = |text: &str| shown.rfind(text);
    let said: Vec<Option<usize>> =
        POSITIONS.iter().take(3).map(|position| place(&format!("Position: {position}"))).collect();
    let participant = |seat: usize| {
        let at = said[seat]?;
        (1..=3)
            .filter(|number| place(&format!("Participant {number}")).is_some_and(|p| p < at))
            .max_by_key(|number| place(&format!("Participant {number}")))
    };
    let numbers: Vec<usize> = match (0..3).map(participant).collect::<Option<Vec<usize>>>() {
        Some(numbers) => numbers,
        // All say the same, so it does not matter who is who.
        None => vec![1, 2, 3],
    };
    let proposition = |(at, row): (usize, &&str)| {
        let stands: Vec<Value> = row
            .chars()
            .zip(&numbers)
            .map(|(side, number)| {
                let side = match side {
                    '+' => "for",
                    '-' => "against",
                    _ => "open",
                };
                json!({"participant": format!("Participant {number}"), "side": side})
            })
            .collect();
        json!({"id": format!("P{}", at + 1), "text": format!("Point {at} holds"), "stands": stands})
    };
    let one = rows.iter().filter(|row| **row == "+++").count() >= 4;
    let clusters = if one {
        json!([{"theme": "one", "participants": [1, 2, 3], "summary": "one"}])
    } else {
        json!([1, 2, 3].map(|number| json!({
            "theme": format!("view {number}"), "participants": [number], "summary": "own",
        })))
    };
    json!({
        "propositions": rows.iter().enumerate().map(proposition).collect::<Vec<Value>>(),
        "clusters": clusters, "summary": "They differ. Decide.", "reasoning": "", "rating": 0.5,
    })
}

fn facts(event: &Event) -> Vec<String> {
    match event {
        Event::Analysed { round, analysis } => {
            let mut found = Vec::new();
            let convergence = &analysis.convergence;
            found.extend(
                analysis.exit.iter().map(|exit| format!("exit {} after {round}", exit.rule)),
            );
            found.extend(analysis.held_back.iter().map(|_| format!("held back after {round}")));
            found.extend(convergence.alerts.iter().map(|alert| format!("{alert:?} after {round}")));
            found.extend(convergence.status.map(|status| format!("{status:?} after {round}")));
            let groupthink = &analysis.groupthink;
            found.extend(groupthink.trigger.map(|trigger| format!("{trigger:?} after {round}")));
            if groupthink.warning {
                found.push(format!("warning after {round}"));
            }
            if groupthink.escalate {
                found.push(format!("escalate after {round}"));
            }
            found
        }
        Event::RoundOpened { round, kind: RoundKind::CriticalObjection, .. } => {
            vec![format!("objections in {round}")]
        }
        Event::SafetyTriggered { triggers, .. } => {
            triggers.iter().map(|trigger| format!("safety by {}", trigger.kind.word())).collect()
        }
        Event::DepthChosen { chosen, .. } => {
            vec![format!("{} for {} rounds", chosen.depth.word(), chosen.rounds)]
        }
        Event::Ended { exit, verdict } => {
            let mut found = vec![format!("ended by {}", exit.rule)];
            let warnings = &verdict.decision.warnings;
            if warnings.iter().any(|warning| warning.starts_with("Groupthink")) {
                found.push("the result warns of groupthink".into());
            }
            found
                .push(format!("the result says {}", verdict.decision.action_recommendation.word()));
            found
        }
        _ => Vec::new(),
    }
}

pub fn check(rows: Vec<(Row, NearMiss)>) {
    for (row, miss) in rows {
        let hit = seen(&row);
        assert!(hit.contains(row.fires), "{} does not fire: {hit:#?}", row.fires);
        let near = Row {
            set: miss.set.unwrap_or(row.set),
            says: miss.says.unwrap_or(row.says),
            alike: miss.alike.or(row.alike),
            ..row
        };
        let missed = seen(&near);
        assert!(
            !missed.contains(near.fires),
            "{} fires where it must not: {missed:#?}",
            near.fires
        );
    }
}

//! Simulated agents for measuring how debates go, not who is right: they take
//! up every claim of others that their view shows, ask and answer questions,
//! write about as much as a model does, and say how long a model would have
//! taken. They never wait; the time stands in their bills.
//!
//! Since they take up all they are shown, interaction measured with them is what
//! the order of speaking allows, not what real models would make of it.

use std::sync::Arc;

use debate::model::{
    Ask, Bill, Failure, Label, MicroUsd, Party, Reply, Round, SeatId, Usage, tokens,
};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::chance::{Chance, Owner};
use super::sitting::SimulatedSitting;
use agents::{CancellationToken, Panel, Speaker, SpeechDelta, Watch, cancelled};

/// What stands before the option in a claim of ours.
const OPTION_BEHIND: [&str; 2] = [" that it is ", " the signs point "];

/// How long answers take and how long they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Manner {
    /// By agent, in milliseconds; the last one holds for all further agents.
    pub answer_ms: Vec<u64>,
    /// How far a single answer may lie off, as a share of its time.
    pub jitter: f64,
    /// About how many words an answer has.
    pub words: usize,
}

impl Default for Manner {
    fn default() -> Self {
        Manner { answer_ms: vec![20_000], jitter: 0.0, words: 250 }
    }
}

/// One lively agent at a table.
pub struct Lively {
    sitting: Arc<SimulatedSitting>,
    manner: Arc<Manner>,
    agent: usize,
}

impl Lively {
    /// Everybody of a sitting, in the order of its brief. There is no clerk.
    pub fn panel(sitting: &Arc<SimulatedSitting>, manner: &Arc<Manner>) -> Panel {
        let seat = |agent| {
            let (sitting, manner) = (Arc::clone(sitting), Arc::clone(manner));
            Arc::new(Lively { sitting, manner, agent }) as Arc<dyn Speaker>
        };
        Panel::new((0..sitting.people().len()).map(seat).collect(), None)
    }

    fn answer(&self, ask: &Ask) -> Result<Reply, Failure> {
        let reply = self.sitting.answer(&ask.id, self.agent, Some(&ask.shown.answers))?;
        let text = match serde_json::from_str::<Value>(&reply.text) {
            Ok(answer) => self.enlarged(ask, answer).to_string(),
            Err(_) => reply.text,
        };
        let input = ask.system.tokens() + ask.user.tokens() + ask.schema.tokens();
        let usage = Usage {
            input: Some(input as u64),
            output: Some(tokens(&text) as u64),
            ..Usage::default()
        };
        let bill = Bill { usage, cost: Some(MicroUsd::ZERO), latency_ms: self.takes(ask.id.round) };
        Ok(Reply { text, bill, ..reply })
    }

    /// The time of one answer, drawn around the agent's own.
    fn takes(&self, round: Round) -> u64 {
        let times = &self.manner.answer_ms;
        let usual = times.get(self.agent).or(times.last()).copied().unwrap_or_default() as f64;
        let item = self.sitting.item();
        // A stream of its own: the answers must not depend on the clock.
        let owner = Owner::Turn { seat: self.agent + 1000, round };
        let off = 2.0 * Chance::of(item.seed, item.number, owner).share() - 1.0;
        (usual * (1.0 + off * self.manner.jitter)).round().max(0.0) as u64
    }

    fn enlarged(&self, ask: &Ask, mut answer: Value) -> Value {
        let Party::Seat(seat) = ask.id.party else { return answer };
        let own = self.sitting.held(ask.id.round, seat).map(|stand| stand.option);
        let mine = own.map(|option| self.sitting.labels().word(option)).unwrap_or_default();
        let wanted = |field: &str| ask.schema.pointer(&format!("/properties/{field}")).is_some();
        let shown = claims_in(&ask.user);
        let others = || shown.iter().filter(|claim| claim.seat != Some(seat));
        let kin = |claim: &&SeenClaim| claim.option == mine;
        let ids = |of: &dyn Fn(&&SeenClaim) -> bool| -> Vec<&str> {
            others().filter(|claim| of(claim)).map(|claim| claim.id.as_str()).collect()
        };
        let questions = ids(&|claim| claim.label == Label::Open.word());
        let stated = |claim: &&SeenClaim| claim.label != Label::Open.word();
        let mut supports = ids(&|claim| stated(claim) && kin(claim));
        supports.extend(&questions);
        let opposes = ids(&|claim| stated(claim) && !kin(claim));
        let first = opposes.first().map(|id| (*id).to_owned());
        let round = ask.id.round;
        let spoken = format!("Seat {} finds in round {round} that it is {mine}", seat.index());
        let mut claims = vec![json!({
            "text": spoken, "label": "INFER", "evidenceType": "LOGICAL", "citations": [],
            "supports": supports, "opposes": opposes,
        })];
        if round == 1 {
            let text = format!("Seat {} asks what would change with {mine}?", seat.index());
            claims.push(json!({
                "text": text, "label": "OPEN", "evidenceType": "SPECULATIVE", "citations": [],
            }));
        }
        let written = filler(seat, round, &mine, self.manner.words);
        if let Some(fields) = answer.as_object_mut() {
            fields.insert("reasoning".into(), written.into());
            fields.insert("position".into(), format!("It is {mine}.").into());
            fields.insert("keyPoints".into(), json!([mine, spoken]));
            fields.entry("claims").or_insert_with(|| json!([]));
            if let Some(list) = fields.get_mut("claims").and_then(Value::as_array_mut) {
                list.extend(claims);
            }
            if let (Some(claim), true) = (first, wanted("critiques")) {
                let critique = json!([{
                    "claim": claim, "evidenceType": "LOGICAL", "strength": "medium",
                    "counterEvidence": null, "outcome": "alternative",
                    "text": format!("{mine} instead"),
                }]);
                fields.insert("critiques".into(), critique);
            }
            // Modes deal yes, no and neutral in the order of the seats.
            let dealt = format!("/properties/stance/enum/{}", seat.index() % 3);
            if let Some(stance) = ask.schema.pointer(&dealt) {
                fields.entry("stance").or_insert_with(|| stance.clone());
            }
            if wanted("ruling") {
                fields.entry("ruling").or_insert_with(|| "CONTINUE".into());
            }
        }
        answer
    }
}

impl Speaker for Lively {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(cancelled(1));
            }
            let reply = self.answer(ask)?;
            watch.delta(&ask.id, SpeechDelta::Text(reply.text.clone()));
            Ok(reply)
        })
    }
}

/// A claim as the view shows it.
#[derive(Debug, PartialEq)]
pub(super) struct SeenClaim {
    id: String,
    label: String,
    /// Who made it, where it is one of ours.
    seat: Option<SeatId>,
    option: String,
}

/// Reads the claims of a view as a model would: `C3 INFER open 0.60; for Ada:
/// Seat 1 finds …`.
pub(super) fn claims_in(view: &str) -> Vec<SeenClaim> {
    view.lines().filter_map(claim_in).collect()
}

fn claim_in(line: &str) -> Option<SeenClaim> {
    let (head, said) = line.split_once(": Seat ")?;
    let mut words = head.trim_start_matches(['-', ' ']).split_whitespace();
    let id = words
        .next()
        .filter(|id| id.strip_prefix('C').is_some_and(|digits| digits.parse::<u32>().is_ok()))?;
    let label = words.next()?;
    let (seat, rest) = said.split_once(' ')?;
    let option = OPTION_BEHIND.iter().find_map(|words| rest.rsplit_once(words));
    let option = option.map_or("", |(_, option)| option);
    let option = option.trim().trim_end_matches('.');
    Some(SeenClaim {
        id: id.into(),
        label: label.into(),
        seat: seat.parse().ok().map(SeatId),
        option: option.into(),
    })
}

/// So many words, different for every seat and round.
fn filler(seat: SeatId, round: Round, mine: &str, words: usize) -> String {
    const SENTENCE: usize = 14;
    let sentence = |number: usize| {
        format!(
            "In point {number} of round {round}, seat {} weighs what speaks for {mine} against its cost.",
            seat.index()
        )
    };
    (1..=words.div_ceil(SENTENCE).max(1)).map(sentence).collect::<Vec<_>>().join(" ")
}

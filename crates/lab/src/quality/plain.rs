//! Plain answers: the question and "work it out step by step", without a word of
//! Roundtable's prompts. They are the bar that a table of the same model must
//! pass.

use std::sync::Arc;

use agents::recorded::Tape;
use agents::{CancellationToken, NoWatch, Outside, Panel, Speaker};
use debate::model::{
    Agent, AnswerLimits, Ask, AskId, Bill, Brief, Choice, MicroUsd, Party, SeatId, Task, ToolPolicy,
};
use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::quality::questions::{Item, Kind};
use engine::error::EngineError;
use engine::table::money;

/// As many plain answers to one question are asked for at the same time.
const AT_ONCE: usize = 8;
const LETTERS: &str = "ABCDEFGHIJ";

/// One plain answer as it was read, and its bill. A call that failed is an answer
/// that could not be read.
pub struct PlainAnswer {
    pub choice: Option<Choice>,
    pub bill: Bill,
}

/// The model that gives the plain answers: the first agent of a table.
pub struct PlainModel {
    agent: Agent,
    limits: AnswerLimits,
    speaker: Arc<dyn Speaker>,
    /// The most that one answer can cost, where prices are known.
    worst: Option<MicroUsd>,
}

impl PlainModel {
    /// Seats the first agent of a brief alone, without tools.
    pub fn open(brief: &Brief, outside: &Outside, tape: Tape) -> Result<PlainModel, EngineError> {
        let agent = brief.agents.first().cloned();
        let agent = agent.ok_or_else(|| EngineError::input("there is no agent to ask"))?;
        let outside = Outside { tape: tape.clone(), ..outside.clone() };
        let panel = Panel::open(std::slice::from_ref(&agent), None, &outside)
            .map_err(|error| EngineError::input(error.to_string()))?;
        let ask = ask(&agent, &brief.limits, String::new(), 0);
        let speaker = panel.taped(&tape).speaker(&ask);
        let speaker = speaker.ok_or_else(|| EngineError::input("there is no agent to ask"))?;
        let worst = money::pricing(brief, &outside).worst(&agent, &ask);
        Ok(PlainModel { agent, limits: brief.limits.clone(), speaker, worst })
    }

    /// True if so many answers fit under what is left.
    pub fn affords(&self, count: usize, left: Option<MicroUsd>) -> bool {
        let worst = self.worst.map_or(0, |one| one.0.saturating_mul(count as u64));
        left.is_none_or(|left| worst <= left.0)
    }

    /// Asks for the answers with these numbers, from `first` on.
    pub async fn answers(
        &self,
        item: &Item,
        first: usize,
        count: usize,
        cancel: &CancellationToken,
    ) -> Vec<PlainAnswer> {
        let one = |number: usize| async move {
            let ask = ask(&self.agent, &self.limits, question(item), number);
            match self.speaker.speak(&ask, &NoWatch, cancel.clone()).await {
                Ok(reply) => PlainAnswer { choice: read(item, &reply.text), bill: reply.bill },
                Err(_) => PlainAnswer { choice: None, bill: Bill::default() },
            }
        };
        futures::stream::iter(first..first + count).map(one).buffered(AT_ONCE).collect().await
    }
}

fn ask(agent: &Agent, limits: &AnswerLimits, user: String, number: usize) -> Ask {
    let wave = u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
    Ask {
        id: AskId { round: 1, wave, party: Party::Seat(SeatId(0)), task: Task::Speak, about: None },
        agent: Some(0),
        speaker: agent.name.clone(),
        system: Arc::from("You are a helpful assistant."),
        user,
        schema: Arc::new(json!({
            "type": "object", "additionalProperties": false, "required": ["working", "answer"],
            "properties": {"working": {"type": "string"}, "answer": {"type": "string"}},
        })),
        max_output_tokens: limits.max_output_tokens,
        temperature: limits.temperature,
        timeout_seconds: limits.timeout_seconds,
        tools: ToolPolicy::NONE,
        cap: None,
        shown: Default::default(),
    }
}

/// The question as it is put: options lettered, and the line the answer ends with.
fn question(item: &Item) -> String {
    let mut text = item.question.trim().to_owned();
    let ending = match &item.kind {
        Kind::Choice { .. } if item.is_yes_no() => "yes or no",
        Kind::Choice { options, .. } => {
            text.push('\n');
            for (letter, option) in LETTERS.chars().zip(options) {
                text.push_str(&format!("\n{letter}) {option}"));
            }
            "the letter of the right option"
        }
        Kind::Number { .. } => "the number alone",
    };
    format!("{text}\n\nThink step by step. Then end with one line: Answer: <{ending}>")
}

/// Reads the answer from the last `Answer:` line, or from a JSON object.
pub fn read(item: &Item, text: &str) -> Option<Choice> {
    let object = serde_json::from_str::<Value>(text.trim()).ok();
    let field = object.as_ref().and_then(|object| object.get("answer"));
    let line = match field {
        Some(Value::String(word)) => word.clone(),
        Some(other) => other.to_string(),
        None => answer_line(text)?,
    };
    choice(item, &line)
}

fn answer_line(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let at = lower.rfind("answer")?;
    let rest = text.get(at + "answer".len()..)?;
    let rest = rest.trim_start_matches(|c: char| " \"*:=_".contains(c));
    let rest = rest.strip_prefix("is ").unwrap_or(rest);
    rest.lines().next().map(|line| line.trim_matches(|c: char| " \"*:.,}".contains(c)).to_owned())
}

fn choice(item: &Item, line: &str) -> Option<Choice> {
    let line = line.trim().trim_matches(|c: char| "*`\"'<>".contains(c)).trim();
    match &item.kind {
        Kind::Number { .. } => last_number(line).map(Choice::Number),
        Kind::Choice { options, .. } if item.is_yes_no() => {
            let mut words = line.split(|c: char| !c.is_alphanumeric());
            let said = words.find_map(|word| {
                options.iter().find(|option| option.eq_ignore_ascii_case(word)).cloned()
            });
            said.map(Choice::Option)
        }
        Kind::Choice { options, .. } => {
            let bare = line.trim_end_matches('.');
            let same =
                |option: &&String| option.trim().trim_end_matches('.').eq_ignore_ascii_case(bare);
            let by_word = options.iter().find(same);
            by_word.or_else(|| by_letter(options, line)).cloned().map(Choice::Option)
        }
    }
}

fn by_letter<'a>(options: &'a [String], line: &str) -> Option<&'a String> {
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next()?;
    let letter = |word: &str| LETTERS.find(word).filter(|_| word.len() == 1);
    // Small letters stand for an option only at the beginning: "a" is also a word.
    let place = letter(&first.to_uppercase()).or_else(|| words.find_map(letter))?;
    options.get(place)
}

fn last_number(line: &str) -> Option<f64> {
    let cleaned: String = line.chars().filter(|c| *c != ',').collect();
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let words = cleaned.split(|c: char| !is_part(c));
    let numbers = words.filter_map(|word| word.trim_end_matches(['.', '-']).parse::<f64>().ok());
    numbers.last().filter(|number| number.is_finite())
}

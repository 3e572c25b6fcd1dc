//! Plain answers: the question and "work it out step by step", without a word of
//! Roundtable's prompts. They are the bar that a table of the same model must
//! pass.

use std::sync::Arc;

use agents::recorded::Tape;
use agents::{CancellationToken, NoWatch, Outside, Panel, Speaker};
use debate::model::{
    Agent, AnswerLimits, Ask, AskId, Bill, Brief, Choice, MicroUsd, Party, ReplyForm, SeatId, Task,
    ToolPolicy,
};
use debate::reading::{self, AnswerTexts, ExpectedAnswer, RepairChance};
use futures::StreamExt as _;
use serde_json::json;

use crate::quality::questions::{QuestionItem, RightAnswer};
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
        item: &QuestionItem,
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
        system: Arc::new("You are a helpful assistant.".into()),
        user: user.into(),
        schema: Arc::new(json!({}).into()),
        form: ReplyForm::Words,
        max_output_tokens: limits.max_output_tokens,
        temperature: limits.temperature,
        timeout_seconds: limits.timeout_seconds,
        tools: ToolPolicy::NONE,
        shown: Default::default(),
    }
}

/// The question as it is put: options lettered, and the line the answer ends with.
fn question(item: &QuestionItem) -> String {
    let mut text = item.question.trim().to_owned();
    let ending = match &item.kind {
        RightAnswer::Choice { .. } if item.is_yes_no() => "yes or no",
        RightAnswer::Choice { options, .. } => {
            text.push('\n');
            for (letter, option) in LETTERS.chars().zip(options) {
                text.push_str(&format!("\n{letter}) {option}"));
            }
            "the letter of the right option"
        }
        RightAnswer::Number { .. } => "the number alone",
    };
    format!("{text}\n\nThink step by step. Then end with one line: Answer: <{ending}>")
}

/// Reads the answer as a seat's answer is read.
pub fn read(item: &QuestionItem, text: &str) -> Option<Choice> {
    let question = item.form();
    let expected = ExpectedAnswer {
        evidence: false,
        round: 1,
        stance: None,
        vote: false,
        critiques: false,
        ruling: false,
        question: &question,
        known_claims: 0,
        sources: &[],
    };
    let reading = if reading::is_record(text) {
        reading::read(text, &expected, RepairChance::Last)
    } else {
        let texts = AnswerTexts { working: text, ..AnswerTexts::default() };
        reading::read_parts(texts, &expected, RepairChance::Last)
    };
    reading.answer.answer
}

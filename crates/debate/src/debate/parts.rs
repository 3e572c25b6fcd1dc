//! Answers that come in two parts: when the record is asked for, what is asked
//! for again where a field is missing, and how the parts become one turn.

use std::sync::Arc;

use super::{Debate, UnreadableAnswer};
use crate::model::*;
use crate::prompts::{self, TemplateError};
use crate::reading::{self, AnswerTexts, RepairChance};

/// The most of a working that its record is made from.
const WORKING_TOKENS: usize = 6000;
/// The part of its end that a request for missing fields shows, and one for the
/// confidence alone.
const END_TOKENS: usize = 400;
const SHORT_END_TOKENS: usize = 150;
/// A record is short: it holds no argument.
const RECORD_TOKENS: u32 = 2048;
/// A few fields are shorter.
const FIELDS_TOKENS: u32 = 512;
/// Copying is no place for chance.
const COPYING_TEMPERATURE: f64 = 0.2;

/// The two texts of an answer, and what was added to them later.
struct AnswerPieces {
    working: String,
    record: Option<String>,
    added: Option<String>,
}

impl AnswerPieces {
    fn texts(&self) -> AnswerTexts<'_> {
        AnswerTexts {
            working: &self.working,
            record: self.record.as_deref(),
            added: self.added.as_deref(),
        }
    }
}

impl Debate {
    pub(super) fn style_of(&self, ask: &AskId) -> AnswerStyle {
        let seat = ask.party.seat().and_then(|seat| self.room.seats.get(seat.index()));
        seat.map(|seat| self.room.brief.style(seat.agent)).unwrap_or_default()
    }

    /// The reply to a turn whose answer comes in parts.
    pub(super) fn worked(&self, ask: AskId, reply: Reply) -> Event {
        let whole = !reply.working.is_empty() || reading::is_record(&reply.text);
        if !whole && self.needs_record(&ask) {
            return Event::Worked { ask, reply: Box::new(reply) };
        }
        let (working, record) = if whole {
            (reply.working.clone(), Some(reply.text.clone()))
        } else {
            (reply.text.clone(), None)
        };
        self.assembled(ask, reply, AnswerPieces { working, record, added: None })
    }

    /// Returns whether a record says more than the closing lines. A small model copies
    /// badly: where the lines hold all that is counted, it is not asked to.
    fn needs_record(&self, ask: &AskId) -> bool {
        let seat = ask.party.seat().and_then(|seat| self.room.seats.get(seat.index()));
        let assigned =
            seat.is_some_and(|seat| seat.stance.is_some() || self.plan.decides(&seat.role));
        let closed = !matches!(self.room.brief.question, Question::Open);
        !(self.style_of(ask).small && closed && !assigned)
    }

    /// The record of a working that came before.
    pub(super) fn recorded(&self, ask: AskId, reply: Reply) -> Event {
        let record = Some(reply.text.clone());
        self.with_working(ask, reply, record, None)
    }

    /// The record did not come; the working was paid for and stands with what its
    /// closing lines say.
    pub(super) fn unrecorded(&self, ask: AskId, failure: Failure) -> Event {
        let reply = Reply { bill: failure.bill, tries: failure.tries, ..Reply::default() };
        self.with_working(ask, reply, None, Some(failure))
    }

    fn with_working(
        &self,
        ask: AskId,
        mut reply: Reply,
        record: Option<String>,
        failure: Option<Failure>,
    ) -> Event {
        let seat = ask.party.seat();
        let Some(first) = seat.and_then(|seat| self.desk.workings.get(&seat)) else {
            return self.gap(ask, failure.unwrap_or_else(|| Failure::unusable("no working")));
        };
        reply.tool_calls = first.tool_calls.clone();
        reply.sources = first.sources.clone();
        reply.finish = first.finish;
        reply.fallback |= first.fallback;
        reply.model = first.model.clone();
        let pieces = AnswerPieces { working: first.text.clone(), record, added: None };
        self.assembled(ask, reply, pieces)
    }

    fn assembled(&self, ask: AskId, mut reply: Reply, pieces: AnswerPieces) -> Event {
        let expected = self.expected(&ask, &reply.sources);
        let reading = reading::read_parts(pieces.texts(), &expected, RepairChance::First);
        if let Some(problem) = reading.problem {
            return Event::Unreadable {
                ask,
                problem: problem.text,
                requests: self.asked_beside(&ask, &reply),
                raw: pieces.record.unwrap_or_default(),
                working: pieces.working,
                missing: reading.missing,
                model: reply.model,
                bill: reply.bill,
                tool_calls: reply.tool_calls,
                sources: reply.sources,
                searches: reply.searches,
            };
        }
        reply.text = pieces.record.unwrap_or_default();
        self.turn(ask, reading, reply, false)
    }

    /// The repair of an answer in parts: the missing fields, or all of it again.
    pub(super) fn completed(
        &self,
        ask: AskId,
        mut reply: Reply,
        first: &UnreadableAnswer,
    ) -> Event {
        let pieces = if !first.missing.is_empty() {
            AnswerPieces {
                working: first.working.clone(),
                record: Some(first.raw.clone()).filter(|raw| !raw.is_empty()),
                added: Some(std::mem::take(&mut reply.text)).filter(|text| !text.is_empty()),
            }
        } else if reading::is_record(&reply.text) {
            let record = Some(reply.text.clone());
            AnswerPieces { working: reply.working.clone(), record, added: None }
        } else {
            AnswerPieces { working: reply.text.clone(), record: None, added: None }
        };
        let expected = self.expected(&ask, &reply.sources);
        let reading = reading::read_parts(pieces.texts(), &expected, RepairChance::Last);
        let mended = pieces.added.is_some() || first.missing.is_empty();
        reply.text = pieces.record.unwrap_or_default();
        self.turn(ask, reading, reply, mended)
    }

    /// The request that copies a working into the record.
    pub(super) fn record_ask(&self, id: AskId, seat: &Seat) -> Result<Ask, TemplateError> {
        let brief = &self.room.brief;
        let fence = Fence::new(&brief.fence_key, &id);
        let phase = self.phase(id.round);
        let part = self.part(seat, phase);
        let working = self.desk.workings.get(&seat.id).map_or("", |reply| reply.text.as_str());
        let quoted = fence.wrap("your working", &clip(working, WORKING_TOKENS));
        let (system, user) = prompts::record(&self.words, &part, &quoted, fence.mark())?;
        let (_, schema) = self.system_and_schema(seat, phase)?;
        Ok(self.copying_ask(id, seat, (system, user), schema, RECORD_TOKENS))
    }

    /// The request for the fields that an answer lacks, and for nothing else.
    pub(super) fn fields_ask(
        &self,
        id: AskId,
        seat: &Seat,
        first: &UnreadableAnswer,
    ) -> Result<Ask, TemplateError> {
        let fence = Fence::new(&self.room.brief.fence_key, &id);
        let part = self.part(seat, self.phase(id.round));
        let most = match first.missing.as_slice() {
            [CountedField::Confidence] => SHORT_END_TOKENS,
            _ => END_TOKENS,
        };
        let quoted = fence.wrap("the end of your working", &tail(&first.working, most));
        let texts = prompts::missing(&self.words, &part, &first.missing, &quoted, fence.mark())?;
        let schema = prompts::fields_schema(&self.room.brief.question, &first.missing);
        Ok(self.copying_ask(id, seat, texts, Arc::new(schema.into()), FIELDS_TOKENS))
    }

    fn copying_ask(
        &self,
        id: AskId,
        seat: &Seat,
        (system, user): (String, String),
        schema: Arc<TokenCounted<serde_json::Value>>,
        most: u32,
    ) -> Ask {
        let limits = &self.room.brief.limits;
        Ask {
            id,
            agent: Some(seat.agent),
            speaker: seat.name.clone(),
            system: Arc::new(system.into()),
            user: user.into(),
            schema,
            max_output_tokens: limits.max_output_tokens.min(most),
            temperature: limits.temperature.min(COPYING_TEMPERATURE),
            timeout_seconds: limits.timeout_seconds,
            tools: ToolPolicy::NONE,
            form: ReplyForm::Json,
            shown: ViewContents::default(),
        }
    }
}

/// The last tokens of a text, from the beginning of a line where there is one.
fn tail(text: &str, most: usize) -> String {
    let text = text.trim_end();
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    // The later the start, the fewer the tokens; a rare exception costs a letter or two.
    let too_long = |at: &usize| tokens(text.get(*at..).unwrap_or("")) > most;
    let from = starts.get(starts.partition_point(too_long)).copied().unwrap_or(text.len());
    let end = text.get(from..).unwrap_or(text);
    match (from, end.split_once('\n')) {
        (0, _) | (_, None) => end.to_owned(),
        (_, Some((_, rest))) => rest.to_owned(),
    }
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;

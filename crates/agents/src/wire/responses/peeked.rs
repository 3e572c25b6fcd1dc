//! The events of a Responses stream that are looked at and not read into a tree: those that
//! come by the hundred, and the last one, which mostly says once more what is known.

use serde::de::MapAccess;
use serde_json::Value;

use crate::wire::peek::{Members, Peek, PeekedValue};

/// The last event of an answer that was not cut short.
pub const COMPLETED: &str = "response.completed";

/// The members that the frequent events have, and the marks of an error.
#[derive(Debug, Default)]
pub struct EventPeek<'d> {
    pub named: PeekedValue<'d>,
    pub delta: PeekedValue<'d>,
    pub is_odd: bool,
}

impl<'d> Members<'d> for EventPeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "type" => self.named = value.next_value()?,
            "delta" => self.delta = value.next_value()?,
            "error" | "object" => {
                self.is_odd |= value.next_value::<PeekedValue<'_>>()? != PeekedValue::Null
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// True for the kinds of events that come by the hundred, and for those that only say
/// once more what came in pieces.
pub fn is_frequent(named: &str) -> bool {
    match named {
        "response.output_text.delta"
        | "response.output_text.done"
        | "response.content_part.added"
        | "response.content_part.done"
        | "response.function_call_arguments.delta"
        | "response.function_call_arguments.done" => true,
        "response.reasoning.search_results" => false,
        other => other.starts_with("response.reasoning"),
    }
}

/// The type of an event, where it is the first that the event says.
pub fn first_type(data: &str) -> &str {
    let named = data.strip_prefix("{\"type\":\"").and_then(|rest| rest.split('"').next());
    named.unwrap_or_default()
}

/// The key by which items are told apart; `None` of an item without any id.
pub fn item_key(named: &str, id: &str, call_id: &str) -> Option<String> {
    let has_id = !id.is_empty() || !call_id.is_empty();
    has_id.then(|| format!("{named} {id}{call_id}"))
}

/// The last event, and the marks of an error.
#[derive(Debug, Default)]
pub struct CompletedPeek<'d> {
    pub named: PeekedValue<'d>,
    pub response: Option<Peek<ResponsePeek<'d>>>,
    pub is_odd: bool,
}

impl<'d> Members<'d> for CompletedPeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "type" => self.named = value.next_value()?,
            "response" => self.response = Some(value.next_value()?),
            "error" | "object" => {
                self.is_odd |= value.next_value::<PeekedValue<'_>>()? != PeekedValue::Null;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The members of a whole answer, and whatever makes it more than a repetition.
#[derive(Debug, Default)]
pub struct ResponsePeek<'d> {
    pub model: PeekedValue<'d>,
    pub status: PeekedValue<'d>,
    pub usage: Option<Value>,
    pub items: Vec<Peek<ItemPeek<'d>>>,
    pub is_odd: bool,
}

impl<'d> Members<'d> for ResponsePeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "model" => self.model = value.next_value()?,
            "status" => self.status = value.next_value()?,
            "usage" => self.usage = Some(value.next_value()?),
            "output" => self.items = value.next_value()?,
            "error" | "incomplete_details" => {
                self.is_odd |= value.next_value::<PeekedValue<'_>>()? != PeekedValue::Null;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The names of an item of an answer.
#[derive(Debug, Default)]
pub struct ItemPeek<'d> {
    named: PeekedValue<'d>,
    id: PeekedValue<'d>,
    call_id: PeekedValue<'d>,
}

impl<'d> Members<'d> for ItemPeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "type" => self.named = value.next_value()?,
            "id" => self.id = value.next_value()?,
            "call_id" => self.call_id = value.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl ItemPeek<'_> {
    pub fn key(&self) -> Option<String> {
        let [named, id, call_id] =
            [&self.named, &self.id, &self.call_id].map(|value| value.as_str().unwrap_or_default());
        item_key(named, id, call_id)
    }
}

//! The text of an event in the log. What a model wrote quotes most of the answer that was
//! read from it; of that text the log holds only what stands around the quoted reasoning.

use std::borrow::Cow;

use debate::model::Event;
use serde::{Deserialize, Serialize};

/// The member that stands last in an event whose raw text is not stored as a whole.
const AROUND: &str = ",\"rawAround\":";
/// Shorter reasoning is not worth looking for.
const SHORTEST: usize = 64;

/// The raw text before and after the reasoning that it quotes.
#[derive(Serialize, Deserialize)]
struct RawAround {
    before: String,
    after: String,
    /// The reasoning stands there as a JSON text writes it.
    escaped: bool,
}

/// Writes an event.
pub(crate) fn written(event: &Event) -> serde_json::Result<String> {
    let (event, around) = apart(event);
    let mut json = event.written()?;
    if let Some(around) = around {
        json.truncate(json.len() - 1);
        json += AROUND;
        json += &serde_json::to_string(&around)?;
        json.push('}');
    }
    Ok(json)
}

/// Reads an event.
pub(crate) fn read(json: &str) -> serde_json::Result<Event> {
    let mut event = Event::read(json)?;
    if let Event::Answered { turn, .. } = &mut event
        && let Some((_, last)) = json.rsplit_once(AROUND)
        && let Some(around) = last.strip_suffix('}')
        // A tool's arguments may have a member of this name: it does not end the event.
        && let Ok(around) = serde_json::from_str::<RawAround>(around)
    {
        let quoted = quoted(&turn.answer.reasoning, around.escaped);
        turn.raw = format!("{}{quoted}{}", around.before, around.after);
    }
    Ok(event)
}

/// Takes an answer's raw text out of its event, if it quotes the reasoning.
fn apart(event: &Event) -> (Cow<'_, Event>, Option<RawAround>) {
    let Event::Answered { turn, .. } = event else { return (Cow::Borrowed(event), None) };
    let reasoning = &turn.answer.reasoning;
    if reasoning.len() < SHORTEST || turn.raw.len() < reasoning.len() {
        return (Cow::Borrowed(event), None);
    }
    let around = [true, false].into_iter().find_map(|escaped| {
        let (before, after) = split_at(&turn.raw, &quoted(reasoning, escaped))?;
        Some(RawAround { before: before.into(), after: after.into(), escaped })
    });
    let mut event = Cow::Borrowed(event);
    if around.is_some()
        && let Event::Answered { turn, .. } = event.to_mut()
    {
        turn.raw.clear();
    }
    (event, around)
}

/// Returns what stands before and after a long text in another. It is looked for by its beginning:
/// the usual search prepares itself for all of it, which takes longer than to compare it.
fn split_at<'t>(text: &'t str, long: &str) -> Option<(&'t str, &'t str)> {
    let begins = &long[..long.floor_char_boundary(SHORTEST)];
    text.match_indices(begins)
        .find_map(|(at, _)| Some((&text[..at], text[at..].strip_prefix(long)?)))
}

/// The reasoning as it may stand in a raw text.
fn quoted(reasoning: &str, escaped: bool) -> Cow<'_, str> {
    let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    if escaped && reasoning.bytes().any(is_escaped) {
        let text = serde_json::Value::from(reasoning).to_string();
        Cow::Owned(text[1..text.len() - 1].to_owned())
    } else {
        Cow::Borrowed(reasoning)
    }
}

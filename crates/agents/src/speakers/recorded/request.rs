//! A request as a recording keeps it: readable, and the same for the same ask
//! in every run. The fence's mark is new in every debate and is replaced.

use debate::model::Ask;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::secrets::Secrets;

const MARK: &str = "MARK";
/// The mark of a fence: so many hexadecimal digits behind one of these.
const MARK_DIGITS: usize = 32;
const BEFORE_MARK: [&str; 2] = ["<<<data ", "<<<end "];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedRequest {
    pub system: String,
    pub user: String,
    pub schema: Value,
    pub max_output_tokens: u32,
    pub temperature: f64,
    pub tools: RecordedTools,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedTools {
    pub level: String,
    pub min_calls: u32,
    pub max_calls: u32,
}

impl RecordedRequest {
    pub fn of(ask: &Ask, secrets: &Secrets) -> RecordedRequest {
        let mut schema = Value::clone(&ask.schema);
        secrets.removed_from(&mut schema);
        RecordedRequest {
            system: secrets.removed(&ask.system),
            user: secrets.removed(&unmarked(&ask.user)),
            schema,
            max_output_tokens: ask.max_output_tokens,
            temperature: ask.temperature,
            tools: RecordedTools {
                level: ask.tools.level.word().into(),
                min_calls: ask.tools.min_calls,
                max_calls: ask.tools.max_calls,
            },
        }
    }

    /// Two requests with the same digest are the same request.
    pub fn digest(&self) -> String {
        // What was built from plain data can always be written.
        let text = serde_json::to_string(self).unwrap_or_default();
        blake3::hash(text.as_bytes()).to_hex().chars().take(32).collect()
    }
}

/// The text with its fence's mark replaced. The mark stands at the fences; where
/// there is none yet, only the sentence that announces it holds it, and that
/// comes behind whatever the user wrote.
fn unmarked(text: &str) -> String {
    let fenced = BEFORE_MARK.iter().find_map(|before| {
        let (_, rest) = text.split_once(before)?;
        rest.get(..MARK_DIGITS).filter(|mark| is_mark(mark))
    });
    let announced = || {
        let mut words = text.rsplit(|c: char| !c.is_ascii_alphanumeric());
        words.find(|word| word.len() == MARK_DIGITS && is_mark(word))
    };
    match fenced.or_else(announced) {
        Some(mark) => text.replace(mark, MARK),
        None => text.to_owned(),
    }
}

fn is_mark(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

//! What differs between what was asked and the nearest request of a recording,
//! field by field and line by line.

use std::fmt;

use debate::model::AskId;

use super::request::Request;

/// As many lines of each side as are shown.
const MOST_LINES: usize = 12;
const LONGEST_LINE: usize = 160;

/// An ask that the recording does not hold, beside the one it holds that comes
/// nearest.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub label: String,
    pub ask: AskId,
    pub speaker: String,
    /// The recorded ask it was compared with; `None` where there is none at all.
    pub nearest: Option<AskId>,
    pub fields: Vec<FieldDifference>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FieldDifference {
    pub field: &'static str,
    /// The first line that differs, from 1.
    pub line: usize,
    pub recorded: Vec<String>,
    pub asked: Vec<String>,
}

/// The fields of a request as lines, in the order they are compared in.
fn fields(request: &Request) -> [(&'static str, Vec<String>); 6] {
    let lines = |text: &str| text.lines().map(str::to_owned).collect();
    let schema = serde_json::to_string_pretty(&request.schema).unwrap_or_default();
    let tools = format!(
        "{}, {} to {} calls",
        request.tools.level, request.tools.min_calls, request.tools.max_calls
    );
    [
        ("user text", lines(&request.user)),
        ("system text", lines(&request.system)),
        ("schema", lines(&schema)),
        ("longest answer", vec![request.max_output_tokens.to_string()]),
        ("temperature", vec![request.temperature.to_string()]),
        ("tools", vec![tools]),
    ]
}

pub(super) fn compare(recorded: &Request, asked: &Request) -> Vec<FieldDifference> {
    let pairs = fields(recorded).into_iter().zip(fields(asked));
    pairs.filter_map(|((field, old), (_, new))| differing(field, &old, &new)).collect()
}

/// The lines between the equal beginning and the equal end.
fn differing(field: &'static str, old: &[String], new: &[String]) -> Option<FieldDifference> {
    if old == new {
        return None;
    }
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |lines: &[String]| lines[..lines.len().saturating_sub(tail)].to_vec();
    Some(FieldDifference { field, line: start + 1, recorded: middle(old), asked: middle(new) })
}

/// How many lines differ: the nearest request has the fewest.
pub(super) fn distance(recorded: &Request, asked: &Request) -> usize {
    compare(recorded, asked).iter().map(|one| one.recorded.len() + one.asked.len()).sum()
}

impl Difference {
    /// In one line, for the record of the debate.
    pub fn sentence(&self) -> String {
        let Some(nearest) = &self.nearest else {
            return format!(
                "The recording holds nothing for {} ({}) of the debate {:?}.",
                self.speaker, self.ask, self.label
            );
        };
        let Some(first) = self.fields.first() else {
            return format!(
                "The recording holds nothing more for {} ({}).",
                self.speaker, self.ask
            );
        };
        let shown = |lines: &[String]| match lines.first() {
            Some(line) => format!("{:?}", shortened(line)),
            None => "nothing".into(),
        };
        format!(
            "The recording holds another request for {} ({}; nearest {nearest}): the {} differs \
             from line {}: recorded {}, asked {}.",
            self.speaker,
            self.ask,
            first.field,
            first.line,
            shown(&first.recorded),
            shown(&first.asked)
        )
    }
}

/// In full, for a person.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.sentence())?;
        for field in &self.fields {
            writeln!(f, "@@ {}, line {}", field.field, field.line)?;
            for (sign, lines) in [('-', &field.recorded), ('+', &field.asked)] {
                for line in lines.iter().take(MOST_LINES) {
                    writeln!(f, "{sign} {}", shortened(line))?;
                }
                if lines.len() > MOST_LINES {
                    writeln!(f, "{sign} … and {} lines more", lines.len() - MOST_LINES)?;
                }
            }
        }
        Ok(())
    }
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

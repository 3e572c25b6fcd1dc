//! The difference between a request and the nearest one in a recording, field by
//! field and line by line.

use std::fmt;

use debate::model::{AskId, counted};

use super::request::RecordedRequest;

/// As many lines of each side as are shown.
const MOST_LINES: usize = 12;
const MOST_HUNKS: usize = 6;
/// Telling lines apart takes the square of their number.
const LONGEST_MIDDLE: usize = 1_500;
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
    pub hunks: Vec<Hunk>,
}

/// Lines that stand in the place of one another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hunk {
    /// The first line that differs in what was asked, from 1.
    pub line: usize,
    pub recorded: Vec<String>,
    pub asked: Vec<String>,
}

/// The fields of a request as lines, in the order they are compared in.
fn fields(request: &RecordedRequest) -> [(&'static str, Vec<String>); 6] {
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

pub(super) fn compare(recorded: &RecordedRequest, asked: &RecordedRequest) -> Vec<FieldDifference> {
    let pairs = fields(recorded).into_iter().zip(fields(asked));
    pairs.filter_map(|((field, old), (_, new))| differing(field, &old, &new)).collect()
}

/// Compares two lists of lines: the equal beginning and end are cut off, the rest
/// is told apart by its longest common part.
fn differing(field: &'static str, old: &[String], new: &[String]) -> Option<FieldDifference> {
    if old == new {
        return None;
    }
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |lines: &'_ [String]| lines.len().saturating_sub(tail).min(LONGEST_MIDDLE);
    let (old, new) = (&old[..middle(old)], &new[..middle(new)]);
    Some(FieldDifference { field, hunks: hunks(start, old, new) })
}

fn hunks(start: usize, old: &[String], new: &[String]) -> Vec<Hunk> {
    // longest[i][j]: lines that old[i..] and new[j..] have in common, in order.
    let mut longest = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i][j] = if old[i] == new[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    let mut open: Option<Hunk> = None;
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            found.extend(open.take());
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let hunk = open.get_or_insert_with(|| Hunk { line: start + j + 1, ..Hunk::default() });
        if j >= new.len() || (i < old.len() && longest[i + 1][j] >= longest[i][j + 1]) {
            hunk.recorded.push(old[i].clone());
            i += 1;
        } else {
            hunk.asked.push(new[j].clone());
            j += 1;
        }
    }
    found.extend(open);
    found
}

/// The number of lines that differ: the nearest request has the fewest.
pub(super) fn distance(recorded: &RecordedRequest, asked: &RecordedRequest) -> usize {
    let fields = compare(recorded, asked);
    let hunks = fields.iter().flat_map(|field| &field.hunks);
    hunks.map(|hunk| hunk.recorded.len() + hunk.asked.len()).sum()
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
        let first = self.fields.first().and_then(|field| Some((field.field, field.hunks.first()?)));
        let Some((field, first)) = first else {
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
            field,
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
            for hunk in field.hunks.iter().take(MOST_HUNKS) {
                writeln!(f, "@@ {}, line {}", field.field, hunk.line)?;
                for (sign, lines) in [('-', &hunk.recorded), ('+', &hunk.asked)] {
                    for line in lines.iter().take(MOST_LINES) {
                        writeln!(f, "{sign} {}", shortened(line))?;
                    }
                    if lines.len() > MOST_LINES {
                        let more = counted(lines.len() - MOST_LINES, "more line");
                        writeln!(f, "{sign} … and {more}")?;
                    }
                }
            }
            if field.hunks.len() > MOST_HUNKS {
                let more = field.hunks.len() - MOST_HUNKS;
                let more = counted(more, "more place");
                writeln!(f, "@@ … and {more} in the {}", field.field)?;
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

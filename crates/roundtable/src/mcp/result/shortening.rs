//! Making things short enough: how much of everything a result may hold, and
//! texts cut to that. What is cut ends with `…`, and can be read elsewhere.

use super::shapes::{DebateResult, LengthWord};
use crate::document::escape::clean;

/// The limits on text, in characters and entries.
#[derive(Debug, Clone, Copy)]
pub struct TextLimits {
    pub answer: usize,
    pub position: usize,
    pub points: usize,
    pub point: usize,
    pub sources: usize,
    pub entries: usize,
    pub entry: usize,
    /// Names in a row.
    pub names: usize,
}

impl TextLimits {
    /// The limits that are tried first.
    pub fn usual() -> TextLimits {
        CONCISE[0]
    }

    /// The first entries of a list, and how many there are besides.
    pub fn list(self, all: &[String]) -> Vec<String> {
        let mut shown: Vec<String> =
            all.iter().take(self.entries).map(|one| short(one, self.entry)).collect();
        if all.len() > self.entries {
            shown.push(format!("and {} more", all.len() - self.entries));
        }
        shown
    }
}

#[rustfmt::skip]
const fn limits(answer: usize, position: usize, points: [usize; 2], sources: usize, entries: [usize; 2], names: usize) -> TextLimits {
    let [points, point] = points;
    let [entries, entry] = entries;
    TextLimits { answer, position, points, point, sources, entries, entry, names }
}

/// Tried in order until the result is short enough: answer, position, key points
/// and the length of one, sources, entries of a list and the length of one, names.
const CONCISE: [TextLimits; 6] = [
    limits(1000, 400, [3, 160], 6, [4, 200], 10),
    limits(800, 300, [2, 140], 5, [4, 160], 6),
    limits(600, 220, [2, 110], 4, [3, 140], 5),
    limits(500, 180, [1, 100], 4, [3, 110], 4),
    limits(360, 120, [0, 0], 3, [2, 90], 3),
    limits(160, 40, [0, 0], 1, [1, 45], 1),
];
const DETAILED: [TextLimits; 2] = [
    limits(4000, 2000, [5, 500], 40, [20, 800], 10),
    limits(2000, 900, [3, 240], 20, [10, 400], 10),
];
/// In tokens.
const CONCISE_TOKENS: usize = 1_450;
const DETAILED_TOKENS: usize = 9_000;

/// The first result that is short enough, by ever closer limits.
pub fn fitting(format: LengthWord, make: impl Fn(TextLimits) -> DebateResult) -> DebateResult {
    let (tried, most) = match format {
        LengthWord::Concise => (CONCISE.as_slice(), CONCISE_TOKENS),
        LengthWord::Detailed => (DETAILED.as_slice(), DETAILED_TOKENS),
    };
    let mut result = DebateResult::default();
    for limits in tried {
        result = make(*limits);
        if serde_json::to_string(&result).is_ok_and(|json| weight(&json) <= most) {
            break;
        }
    }
    result
}

/// About how many tokens a result takes, rather more than less. Structure and Latin
/// letters take one for less than four characters, other scripts up to one each; the
/// estimate that views are budgeted with is half as much again for JSON.
fn weight(json: &str) -> usize {
    let letters = json.chars().count();
    let plain = json.chars().filter(char::is_ascii).count();
    plain * 4 / 15 + (letters - plain)
}

/// At most so many characters, cleaned; what was cut ends with `…`.
pub fn short(text: &str, most: usize) -> String {
    let text = clean(text.trim());
    match text.char_indices().nth(most) {
        None => text.into_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
    }
}

/// The first of some names, and how many there are besides.
pub fn few(all: &[String], most: usize) -> Vec<String> {
    let mut shown: Vec<String> = all.iter().take(most).map(|name| short(name, 60)).collect();
    if all.len() > most {
        shown.push(format!("and {} more", all.len() - most));
    }
    shown
}

/// Two decimals: more would only look exact.
pub fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

//! The tool that compares claims with the debate's own record. It goes by words
//! and says so: it can tell what was said here and by whom, never what is true.
//! A sentence with the opposite sense or other figures is shown as such, and
//! never as agreement.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use debate::model::{Claim, Evidence, clip};
use debate::sorting::SortRows;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{
    Record, RecordedSaying, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, described,
};

/// The share of a claim's words that must be found for two texts to be about the
/// same thing.
const ALIKE: f64 = 0.6;
/// The finds of one kind that are shown per claim.
const SHOWN: usize = 3;
/// The tokens of one find that are shown.
const LINE_TOKENS: usize = 120;

/// Words that carry no matter. What is left decides whether texts are alike.
const EMPTY_WORDS: &[&str] = &[
    "about", "also", "and", "any", "are", "been", "but", "can", "could", "did", "does", "for",
    "from", "had", "has", "have", "her", "his", "how", "into", "its", "may", "more", "most", "our",
    "she", "should", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "was", "were", "what", "when", "which", "while", "who", "will",
    "with", "would", "you", "your",
];

/// Words that turn a sentence round.
const TURNING: &[&str] = &[
    "not", "no", "never", "none", "neither", "nor", "without", "cannot", "isn", "aren", "wasn",
    "weren", "don", "doesn", "didn", "won", "wouldn", "shouldn", "can't", "hardly", "false",
];

#[derive(Debug, Clone, Copy, Default)]
pub struct FactCheck;

impl FactCheck {
    pub const NAME: &'static str = "fact_check";
}

/// The relation of a text of the record to a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Likeness {
    share: f64,
    bearing: FactBearing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FactBearing {
    Same,
    /// One of the two is negated.
    Opposite,
    OtherFigures,
}

impl FactBearing {
    fn words(self) -> &'static str {
        match self {
            FactBearing::Same => "",
            FactBearing::Opposite => " [may say the opposite]",
            FactBearing::OtherFigures => " [with other figures]",
        }
    }
}

/// A text, taken apart for comparison.
struct WordSet {
    matter: BTreeSet<String>,
    figures: BTreeSet<String>,
    turned: bool,
}

impl WordSet {
    fn of(text: &str) -> WordSet {
        let lower = text.to_lowercase();
        let all: Vec<&str> =
            lower.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '\'')).collect();
        let bare = |word: &&str| word.trim_matches(['.', '\'']).to_owned();
        let words: Vec<String> = all.iter().map(bare).filter(|word| !word.is_empty()).collect();
        let has_figure = |word: &String| word.bytes().any(|byte| byte.is_ascii_digit());
        let turning = |word: &String| {
            TURNING.contains(&word.as_str()) || word.ends_with("n't") || word.ends_with("n’t")
        };
        let matter = words.iter().filter(|word| {
            (word.chars().count() > 2 || has_figure(word))
                && !EMPTY_WORDS.contains(&word.as_str())
                && !turning(word)
        });
        WordSet {
            matter: matter.map(|word| stem(word)).collect(),
            figures: words.iter().filter(|word| has_figure(word)).cloned().collect(),
            turned: words.iter().filter(|word| turning(word)).count() % 2 == 1,
        }
    }

    fn likeness(&self, other: &WordSet) -> Option<Likeness> {
        let common = self.matter.intersection(&other.matter).count();
        let share = common as f64 / self.matter.len().max(1) as f64;
        if share < ALIKE || common < self.matter.len().min(2) || common == 0 {
            return None;
        }
        let other_figures = !self.figures.is_empty()
            && !other.figures.is_empty()
            && self.figures.is_disjoint(&other.figures);
        let bearing = match (self.turned == other.turned, other_figures) {
            (false, _) => FactBearing::Opposite,
            (true, true) => FactBearing::OtherFigures,
            (true, false) => FactBearing::Same,
        };
        Some(Likeness { share, bearing })
    }
}

/// The word without the endings that English puts on it.
fn stem(word: &str) -> String {
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.chars().count() > 3) {
            return stem.to_owned();
        }
    }
    word.to_owned()
}

/// The likest things of a kind, best first.
fn likest<'r, T>(
    claim: &WordSet,
    things: impl Iterator<Item = &'r T>,
    text: impl Fn(&T) -> String,
) -> Vec<(&'r T, Likeness)> {
    let with = |thing: &'r T| Some((thing, claim.likeness(&WordSet::of(&text(thing)))?));
    let mut found: Vec<(&T, Likeness)> = things.filter_map(with).collect();
    found.sort_rows_by(|a, b| b.1.share.total_cmp(&a.1.share));
    found.truncate(SHOWN);
    found
}

/// The record's word on one claim: its state, and the finds.
struct ClaimFinding {
    standing: String,
    lines: Vec<String>,
}

fn finding(claim: &str, record: &Record) -> ClaimFinding {
    let words = WordSet::of(claim);
    let claims = likest(&words, record.claims.iter(), |claim| claim.text.clone());
    let evidence = likest(&words, record.evidence.iter(), |e| format!("{} {}", e.title, e.gist));
    let said = sentences(&words, &record.said);
    let standing = match (claims.first(), evidence.first(), said.first()) {
        (Some((known, like)), _, _) => match like.bearing {
            FactBearing::Same => format!("{} in the ledger ({})", known.status.word(), known.id),
            FactBearing::Opposite => format!("the ledger may say the opposite ({})", known.id),
            FactBearing::OtherFigures => format!("the ledger has other figures ({})", known.id),
        },
        (None, Some((source, _)), _) => {
            format!("no claim, but a source bears on it ({})", source.id)
        }
        (None, None, Some(_)) => "said before, but not in the ledger".to_owned(),
        (None, None, None) => "not in the record".to_owned(),
    };
    let lines = claims
        .iter()
        .map(|(known, like)| claim_line(known, *like, record))
        .chain(evidence.iter().map(|(source, like)| evidence_line(source, *like)))
        .chain(said.iter().map(|(said, sentence, like)| {
            format!(
                "said by {} in round {}: {sentence}{}",
                said.speaker,
                said.round,
                like.bearing.words()
            )
        }))
        .collect();
    ClaimFinding { standing, lines }
}

fn claim_line(claim: &Claim, like: Likeness, record: &Record) -> String {
    let names = |seats: &[debate::model::SeatId]| {
        let names = seats.iter().filter_map(|seat| record.seats.get(seat.index()));
        let names: Vec<&str> = names.map(String::as_str).collect();
        if names.is_empty() { "no one".to_owned() } else { names.join(", ") }
    };
    let support: Vec<String> = claim.support.iter().map(ToString::to_string).collect();
    let sources = if support.is_empty() { "no source".into() } else { support.join(", ") };
    format!(
        "{}{}: {} ({}; held by {}; opposed by {}; {sources})",
        claim.id,
        like.bearing.words(),
        claim.text,
        claim.status.word(),
        names(&claim.holders),
        names(&claim.opposers),
    )
}

fn evidence_line(source: &Evidence, like: Likeness) -> String {
    let url = source.url.as_deref().unwrap_or("no address");
    format!("{}{}: {} ({url}): {}", source.id, like.bearing.words(), source.title, source.gist)
}

/// The likest sentence of each answer, best first.
fn sentences<'r>(
    claim: &WordSet,
    said: &'r [RecordedSaying],
) -> Vec<(&'r RecordedSaying, &'r str, Likeness)> {
    let best = |said: &'r RecordedSaying| {
        let sentences = said.text.split(['.', '!', '?', '\n']).map(str::trim);
        let alike = sentences.filter_map(|text| Some((text, claim.likeness(&WordSet::of(text))?)));
        let (text, like) = alike.max_by(|a, b| a.1.share.total_cmp(&b.1.share))?;
        Some((said, text, like))
    };
    let mut found: Vec<_> = said.iter().filter_map(best).collect();
    found.sort_rows_by(|a, b| b.2.share.total_cmp(&a.2.share));
    found.truncate(SHOWN);
    found
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {
            "claims": {
                "type": "array", "minItems": 1, "maxItems": 5,
                "items": {"type": "string", "minLength": 5, "maxLength": 400},
                "description": "One plain sentence each."
            }
        },
        "required": ["claims"],
        "additionalProperties": false
    });
    described(FactCheck::NAME, include_str!("fact_check.md"), schema)
});

impl Tool for FactCheck {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn call<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let claims = arguments.get("claims").and_then(Value::as_array);
            let claims = claims.into_iter().flatten().filter_map(Value::as_str);
            let (mut text, mut found) = (String::new(), String::new());
            for (at, claim) in claims.enumerate() {
                let finding = finding(claim, &context.record);
                text.push_str(&format!("Claim {}: {}.\n", at + 1, finding.standing));
                for line in finding.lines {
                    let line = clip(&line, LINE_TOKENS);
                    found.push_str(&format!("claim {}: {line}\n", at + 1));
                }
            }
            text.push_str(
                "This compares wording within this debate; it does not say what is true.",
            );
            if !found.is_empty() {
                text.push('\n');
                text.push_str(&context.fence.wrap("what the record holds", found.trim_end()));
            }
            Ok(ToolOutput::of(text))
        })
    }
}

//! Whether an objection says what would have to change. A BLOCKER that does not
//! is no more than a remark.

/// Fewer words than this name nothing.
const LEAST_WORDS: usize = 2;

/// Words of somebody who is content, in the languages we know them in.
const PRAISE: &[&str] = &[
    "accept",
    "accurate",
    "agree",
    "agreed",
    "ausgezeichnet",
    "clear",
    "clearly",
    "comprehensive",
    "convincing",
    "correct",
    "einverstanden",
    "excellent",
    "fine",
    "good",
    "great",
    "gut",
    "hervorragend",
    "perfect",
    "richtig",
    "solid",
    "sound",
    "strong",
    "support",
    "supported",
    "thorough",
    "valid",
    "well",
];

/// Words that ask for a change or name a fault.
const DEMANDS: &[&str] = &[
    "add",
    "before",
    "but",
    "cannot",
    "change",
    "contradicts",
    "correction",
    "error",
    "fail",
    "fails",
    "false",
    "fix",
    "flaw",
    "flawed",
    "ignores",
    "incorrect",
    "incorrectly",
    "instead",
    "lack",
    "lacks",
    "miscalculated",
    "miscalculation",
    "misread",
    "missing",
    "mistake",
    "must",
    "need",
    "needs",
    "never",
    "no",
    "not",
    "omits",
    "remove",
    "replace",
    "rework",
    "should",
    "unless",
    "unsupported",
    "until",
    "untested",
    "violates",
    "without",
    "wrong",
    "aber",
    "falsch",
    "fehler",
    "fehlt",
    "kein",
    "keine",
    "muss",
    "nicht",
    "ohne",
    "sollte",
];

/// Returns whether the text of an objection says what must change: it has words, and
/// they are not praise alone.
pub(super) fn says_what_must_change(objection: Option<&str>) -> bool {
    let text = objection.unwrap_or_default().to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let any = |list: &[&str]| words.iter().any(|word| list.contains(word));
    words.len() >= LEAST_WORDS && (any(DEMANDS) || !any(PRAISE))
}

#[cfg(test)]
#[path = "objections_tests.rs"]
mod tests;

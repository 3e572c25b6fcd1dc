//! The lists of an answer: claims, citations, critiques. If a claim does not say
//! how it is known, the weakest is assumed (ASSUME, SPECULATIVE, low) and noted,
//! so that silence never makes a claim look stronger. Entries without content are
//! refused.

use std::borrow::Cow;

use super::MAX_TEXT;
use super::tree::{Json, JsonObject};
use super::values::{
    EVIDENCE_TYPES, LABELS, citation_numbers, cited_in, claim_ids, items, member, note, own_text,
    plain, quoted, shortened, text, word_of,
};
use crate::model::{
    Citation, ClaimMade, Critique, CritiqueOutcome, EvidenceType, Label, Strength, TurnNote,
};

const MAX_CLAIMS: usize = 50;
const MAX_CITATIONS: usize = 100;
const MAX_CRITIQUES: usize = 50;

fn capped<'v>(
    value: &'v Json<'v>,
    max: usize,
    what: &str,
    notes: &mut Vec<TurnNote>,
) -> &'v [Json<'v>] {
    let all = items(value);
    if all.len() > max {
        note(notes, "json", format!("of {} {what} the first {max} were read", all.len()));
    }
    all.get(..max).unwrap_or(all)
}

pub(super) fn claims(
    value: &Json<'_>,
    citations: &[Citation],
    notes: &mut Vec<TurnNote>,
) -> Vec<ClaimMade> {
    let mut made = Vec::new();
    for (index, item) in capped(value, MAX_CLAIMS, "claims", notes).iter().enumerate() {
        let claim = match item {
            Json::Object(object) => claim(object, citations, index + 1, notes),
            other => plain_claim(other, index + 1, notes),
        };
        match claim {
            Some(claim) => made.push(claim),
            None => note(notes, "claims", format!("claim {} has no text; dropped", index + 1)),
        }
    }
    made
}

fn claim(
    object: &JsonObject<'_>,
    citations: &[Citation],
    number: usize,
    notes: &mut Vec<TurnNote>,
) -> Option<ClaimMade> {
    let mut words =
        member(object, &["text", "claim", "statement", "content"]).and_then(own_text)?;
    let said = |names: &[&str]| member(object, names).and_then(text).unwrap_or_default();
    let label = word_of(&said(&["label", "epistemiclabel", "tag"]), LABELS)
        .or_else(|| word_of(&said(&["type", "kind"]), LABELS));
    let label = label.unwrap_or_else(|| label_from(&mut words, number, notes));
    let evidence = word_of(&said(&["evidencetype", "evidence", "basis"]), EVIDENCE_TYPES)
        .or_else(|| word_of(&said(&["type"]), EVIDENCE_TYPES));
    let evidence_type = evidence.unwrap_or_else(|| {
        note(
            notes,
            "claims",
            format!("claim {number} names no evidence type; taken as SPECULATIVE"),
        );
        EvidenceType::Speculative
    });
    let ids = |names: &[&str]| member(object, names).map(claim_ids).unwrap_or_default();
    Some(ClaimMade {
        label,
        evidence_type,
        citations: cited(object, &words, citations),
        supports: ids(&["supports", "support", "reinforces"]),
        opposes: ids(&["opposes", "attacks", "contradicts"]),
        retracts: ids(&["retracts", "withdraws"]),
        text: words,
    })
}

/// A claim sent as a bare sentence, perhaps as `[FACT] … [1]`.
fn plain_claim(value: &Json<'_>, number: usize, notes: &mut Vec<TurnNote>) -> Option<ClaimMade> {
    let mut words = own_text(value)?;
    let label = label_from(&mut words, number, notes);
    note(notes, "claims", format!("claim {number} names no evidence type; taken as SPECULATIVE"));
    Some(ClaimMade {
        label,
        evidence_type: EvidenceType::Speculative,
        citations: cited_in(&words),
        supports: Vec::new(),
        opposes: Vec::new(),
        retracts: Vec::new(),
        text: words,
    })
}

/// The label a claim carries in its own text, which then goes without it.
fn label_from(words: &mut String, number: usize, notes: &mut Vec<TurnNote>) -> Label {
    let tagged = words.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
    if let Some((tag, rest)) = tagged
        && let Some(label) = word_of(tag, LABELS)
        && !rest.trim().is_empty()
    {
        note(notes, "claims", format!("claim {number}: its label was taken from its text"));
        *words = rest.trim().to_owned();
        return label;
    }
    note(notes, "claims", format!("claim {number} has no label; taken as ASSUME"));
    Label::Assume
}

/// Returns the numbers a claim cites: its own list, by number or by address;
/// without such a list, the marks in its text.
fn cited(object: &JsonObject<'_>, words: &str, citations: &[Citation]) -> Vec<u32> {
    let Some(value) = member(object, &["citations", "citationnumbers", "citation", "sources"])
    else {
        return cited_in(words);
    };
    let mut numbers = citation_numbers(value);
    for address in items(value).iter().filter_map(Json::as_str) {
        let same = |citation: &&Citation| citation.url.as_deref() == Some(address.trim());
        numbers.extend(citations.iter().find(same).map(|citation| citation.number));
    }
    super::values::once(&mut numbers);
    numbers
}

pub(super) fn citations(value: &Json<'_>, notes: &mut Vec<TurnNote>) -> Vec<Citation> {
    let mut read: Vec<Citation> = Vec::new();
    let mut without = 0;
    let keyed: Vec<(Option<u32>, &Json<'_>)> = match value {
        // {"1": {…}, "2": {…}}
        Json::Object(object) if object.keys().all(|key| key.trim().parse::<u32>().is_ok()) => {
            object.iter().map(|(key, value)| (key.trim().parse().ok(), value)).collect()
        }
        other => items(other).iter().map(|value| (None, value)).collect(),
    };
    if keyed.len() > MAX_CITATIONS {
        let all = keyed.len();
        note(notes, "json", format!("of {all} citations the first {MAX_CITATIONS} were read"));
    }
    for (number, value) in keyed.into_iter().take(MAX_CITATIONS) {
        let Some(mut citation) = citation(value) else {
            note(notes, "citations", "a citation without title, address and source was dropped");
            continue;
        };
        citation.number = number.unwrap_or(citation.number);
        if citation.number == 0 || read.iter().any(|other| other.number == citation.number) {
            without += 1;
            let place = u32::try_from(read.len() + 1).unwrap_or(u32::MAX);
            let highest = read.iter().map(|other| other.number).max().unwrap_or(0);
            let taken = read.iter().any(|other| other.number == place);
            citation.number = if taken { highest.saturating_add(1) } else { place };
        }
        read.push(citation);
    }
    if without > 0 {
        note(
            notes,
            "citations",
            format!("{without} citations had no number of their own; numbered by their place"),
        );
    }
    read
}

fn citation(value: &Json<'_>) -> Option<Citation> {
    let citation = match value {
        Json::Object(object) => {
            let said = |names: &[&str]| {
                member(object, names).and_then(text).map(|text| shortened(&text, MAX_TEXT))
            };
            let number = member(object, &["number", "id", "index", "n", "ref"]);
            Citation {
                number: number.and_then(|n| citation_numbers(n).first().copied()).unwrap_or(0),
                title: said(&["title", "name"]).unwrap_or_default(),
                url: said(&["url", "link", "href", "uri"]),
                source: said(&["source", "publisher", "author"]),
                snippet: said(&["snippet", "quote", "excerpt", "text"]),
            }
        }
        Json::String(line) => citation_line(line.trim()),
        _ => return None,
    };
    let named = !citation.title.is_empty() || citation.url.is_some() || citation.source.is_some();
    named.then_some(citation)
}

/// A line of a reference list: `[1] Title, https://…`.
fn citation_line(line: &str) -> Citation {
    let bare = line.trim_start_matches('[');
    let digits = bare.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let (number, rest) = bare.split_at_checked(digits).unwrap_or(("", bare));
    let marked = rest.strip_prefix([']', '.', ')', ':']);
    let (number, rest) = match (number.parse::<u32>(), marked) {
        (Ok(number), Some(rest)) => (number, rest),
        _ => (0, line),
    };
    let url = rest
        .split_whitespace()
        .map(|word| word.trim_matches(['<', '>', '(', ')', ',']))
        .find(|word| word.starts_with("https://") || word.starts_with("http://"));
    let title = url.map_or(rest, |url| rest.split_once(url).map_or(rest, |(before, _)| before));
    let title = title.trim().trim_end_matches([',', '-', '–', '—', ':', '<', '(', ' ']).trim();
    Citation {
        number,
        title: shortened(title, MAX_TEXT),
        url: url.map(|url| shortened(url, MAX_TEXT)),
        source: None,
        snippet: None,
    }
}

const STRENGTHS: &[(&str, Strength)] = &[
    ("high", Strength::High),
    ("strong", Strength::High),
    ("medium", Strength::Medium),
    ("moderate", Strength::Medium),
    ("low", Strength::Low),
    ("weak", Strength::Low),
];
const OUTCOMES: &[(&str, CritiqueOutcome)] = &[
    ("alternative", CritiqueOutcome::Alternative),
    ("synthesis", CritiqueOutcome::Synthesis),
    ("concession", CritiqueOutcome::Concession),
    ("concede", CritiqueOutcome::Concession),
];

pub(super) fn critiques(value: &Json<'_>, notes: &mut Vec<TurnNote>) -> Vec<Critique> {
    let read = capped(value, MAX_CRITIQUES, "critiques", notes);
    let mut made = Vec::new();
    for (index, item) in read.iter().enumerate() {
        match item.as_object().and_then(|object| critique(object, index + 1, notes)) {
            Some(critique) => made.push(critique),
            None => {
                let what = text(item).map(|text| quoted(&text)).unwrap_or_default();
                let number = index + 1;
                note(notes, "claims", format!("critique {number} names no claim; dropped {what}"));
            }
        }
    }
    made
}

fn critique(object: &JsonObject<'_>, number: usize, notes: &mut Vec<TurnNote>) -> Option<Critique> {
    let claim = member(object, &["claim", "claimid", "target", "targetclaim", "claimattacked"])
        .map(claim_ids)
        .and_then(|ids| ids.first().copied())?;
    let said = |names: &[&str]| member(object, names).and_then(text);
    let short = |text: Cow<'_, str>| shortened(&text, MAX_TEXT);
    let mut missing = Vec::new();
    let evidence = said(&["evidencetype", "evidence"]);
    let evidence_type =
        evidence.and_then(|word| word_of(&word, EVIDENCE_TYPES)).unwrap_or_else(|| {
            missing.push("evidence type (SPECULATIVE)");
            EvidenceType::Speculative
        });
    let strength = said(&["strength", "evidencestrength"]);
    let strength = strength.and_then(|word| word_of(&word, STRENGTHS)).unwrap_or_else(|| {
        missing.push("strength (low)");
        Strength::Low
    });
    // {"concession": "…"} names the outcome and gives its text in one.
    let keyed = OUTCOMES
        .iter()
        .find_map(|(name, outcome)| Some((*outcome, member(object, &[*name]).and_then(text)?)));
    let named = said(&["outcome", "resolution"]).and_then(|word| word_of(&plain(&word), OUTCOMES));
    let outcome = named.or(keyed.as_ref().map(|(outcome, _)| *outcome)).unwrap_or_else(|| {
        // Of the three, the one that agrees to nothing.
        missing.push("outcome (alternative)");
        CritiqueOutcome::Alternative
    });
    if !missing.is_empty() {
        let missing = missing.join(", ");
        note(notes, "claims", format!("critique {number} lacks its {missing}"));
    }
    let words = said(&["text", "comment", "explanation", "critique"]);
    Some(Critique {
        claim,
        evidence_type,
        strength,
        counter_evidence: said(&["counterevidence", "counter"]).map(short),
        outcome,
        text: words.or(keyed.map(|(_, text)| text)).map(short).unwrap_or_default(),
    })
}

//! JSON schemas of everything a model returns, in the strict form providers ask
//! for: every field required, nothing additional, null where a field may be
//! empty. Ranges and lengths stand in the descriptions, because several providers
//! refuse them as keywords; the reader enforces them.
//!
//! The order of the fields is the order of writing: evidence first, then the
//! position, the figures last.

use serde_json::{Map, Value};

use super::RoundPhase;
use crate::model::{
    AnswerParts, CountedField, EvidenceType, HarmKind, Horizon, Impact, ModePlan, Question, Seat,
    ThisRound, Validation,
};
use crate::sorting::SortRows;

/// The optional fields of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerFields {
    /// If true, claims may point to earlier claims.
    pub references: bool,
    pub critiques: bool,
    /// A vote and the reason for a change of confidence.
    pub votes: bool,
}

impl AnswerFields {
    pub fn of(plan: &ModePlan, phase: RoundPhase) -> AnswerFields {
        match phase {
            RoundPhase::First => AnswerFields {
                // In a sealed first round there is nothing to point to.
                references: plan.view.this_round != ThisRound::Nothing,
                critiques: false,
                votes: false,
            },
            RoundPhase::Later | RoundPhase::CriticalObjection => {
                AnswerFields { references: true, critiques: plan.critiques, votes: true }
            }
        }
    }
}

/// Returns the schema of an answer in this mode, phase and seat.
pub fn answer_schema(
    plan: &ModePlan,
    question: &Question,
    phase: RoundPhase,
    seat: &Seat,
) -> Value {
    let fields = AnswerFields::of(plan, phase);
    let mut rows = vec![
        ("reasoning", text("The full argument in Markdown, with citations as [1].")),
        ("citations", list(citation())),
        ("claims", list(claim(fields.references))),
    ];
    if fields.critiques {
        rows.push(("critiques", list(critique())));
    }
    rows.push(("position", text("The position in one or two sentences.")));
    rows.push(("keyPoints", list(text("One of two or three key points."))));
    rows.extend(answer(question).map(|schema| ("answer", schema)));
    if seat.stance.is_some() {
        rows.push(("stance", one_of(["YES", "NO", "NEUTRAL"])));
    }
    if fields.votes {
        rows.push(("vote", vote()));
    }
    rows.push(("confidence", number("From 0.0 to 1.0.")));
    if fields.votes {
        rows.push(("confidenceReason", optional_text("What moved it since last round, or null.")));
    }
    if plan.decides(&seat.role) {
        rows.push(("ruling", one_of(["CONTINUE", "CONCLUDE"])));
    }
    object(rows)
}

/// The record of a working: an answer's fields without the argument, which the
/// working holds. In one go the argument has a place, for models that call at once.
pub fn record_schema(
    plan: &ModePlan,
    question: &Question,
    phase: RoundPhase,
    seat: &Seat,
    parts: AnswerParts,
) -> Value {
    let mut schema = answer_schema(plan, question, phase, seat);
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return schema;
    };
    match parts {
        AnswerParts::OneGo => {
            let words = "Empty where the working was written before; else the full argument.";
            fields.insert("reasoning".to_owned(), text(words));
        }
        AnswerParts::Form | AnswerParts::TwoCalls => {
            fields.shift_remove("reasoning");
        }
    }
    let rows = std::mem::take(fields).into_iter().flat_map(|(name, schema)| match name.as_str() {
        "answer" => answer_rows(question),
        _ => vec![(name, schema)],
    });
    strict(rows.collect())
}

/// The counted fields that are asked for once more.
pub fn fields_schema(question: &Question, missing: &[CountedField]) -> Value {
    // What may run on comes last: a reply that is cut off there has the rest.
    let mut rows: Vec<(String, Value)> = Vec::new();
    for field in missing {
        rows.extend(match field {
            CountedField::Answer => answer_rows(question),
            CountedField::Stance => {
                vec![("stance".to_owned(), one_of(["YES", "NO", "NEUTRAL"]))]
            }
            CountedField::Vote => vec![("vote".to_owned(), vote())],
            CountedField::Confidence => {
                vec![("confidence".to_owned(), number("In per cent, from 1 to 100."))]
            }
        });
    }
    rows.sort_rows_by_key(|(name, _)| ["vote", "cannotSay"].iter().position(|last| last == name));
    strict(rows.into_iter().collect())
}

/// The answer, which may be null, and why it is.
fn answer_rows(question: &Question) -> Vec<(String, Value)> {
    let Some(mut schema) = answer(question) else { return Vec::new() };
    if let Some(fields) = schema.as_object_mut() {
        if let Some(kind) = fields.get("type").cloned() {
            fields.insert("type".into(), Value::Array(vec![kind, "null".into()]));
        }
        if let Some(words) = fields.get_mut("enum").and_then(Value::as_array_mut) {
            words.push(Value::Null);
        }
    }
    let why = optional_text("Why the answer is null; else null.");
    vec![("answer".to_owned(), schema), ("cannotSay".to_owned(), why)]
}

/// Returns the schema of the clerk's summary of a round. `agents`: the names to
/// use.
pub fn summary_schema(agents: &[&str]) -> Value {
    let key_move = object([
        ("kind", one_of(["claim", "support", "oppose", "retract"])),
        ("claim", optional_text("A claim id such as C3, or null.")),
        ("note", text("At most 20 tokens.")),
    ]);
    let by_agent = object([("agent", one_of(agents)), ("keyMoves", list(key_move))]);
    let contested = object([
        ("claim", text("A claim id such as C3.")),
        ("bestPro", text("At most 25 tokens.")),
        ("bestCon", text("At most 25 tokens.")),
    ]);
    object([
        ("byAgent", list(by_agent)),
        ("contested", list(contested)),
        ("decisions", list(plain_text())),
        ("oneLiner", text("What this round changed, at most 35 tokens.")),
    ])
}

/// Returns the schema of the clerk's perspectives.
pub fn perspectives_schema() -> Value {
    let perspective = object([
        ("name", text("Two or three words.")),
        ("description", text("One sentence.")),
        ("focusAreas", list(plain_text())),
        ("evidenceTypes", list(plain_text())),
        ("keyQuestions", list(plain_text())),
        ("antiPatterns", list(plain_text())),
    ]);
    object([("perspectives", list(perspective))])
}

/// Returns the schema of the clerk's table of stands. `participants`: the labels
/// under which the answers are shown.
pub fn consensus_schema(participants: &[&str]) -> Value {
    let who = || one_of(participants);
    let stand = object([("participant", who()), ("side", one_of(["for", "against", "open"]))]);
    let proposition = object([
        ("id", text("The id you were shown, or empty for a new proposition.")),
        ("text", text("A statement that is true or false.")),
        ("stands", list(stand)),
        ("settled", row([("type", "boolean".into())])),
    ]);
    let cluster =
        object([("theme", plain_text()), ("participants", list(who())), ("summary", plain_text())]);
    let nuances = object([
        ("partialAgreements", list(plain_text())),
        ("conditionalPositions", list(plain_text())),
        ("uncertainties", list(plain_text())),
    ]);
    let side = object([("participant", who()), ("says", plain_text())]);
    let conflict = object([("issue", plain_text()), ("positions", list(side))]);
    object([
        ("propositions", list(proposition)),
        ("clusters", list(cluster)),
        ("commonGround", list(plain_text())),
        ("disagreements", list(plain_text())),
        ("nuances", nuances),
        ("conflicts", list(conflict)),
        ("reasoning", plain_text()),
        ("rating", number("From 0.0 to 1.0.")),
        ("summary", text("Two sentences.")),
    ])
}

/// Returns the schema of the evaluator's judgement of an answer.
pub fn safety_schema() -> Value {
    object([
        ("harm", one_of(HarmKind::ALL.map(HarmKind::word))),
        ("reasons", list(plain_text())),
        ("quote", text("The passage that does harm, word for word; empty if you allow it.")),
        ("judgement", one_of(["allow", "revise", "block"])),
    ])
}

/// Returns the schema of the clerk's rating of a topic.
pub fn complexity_schema() -> Value {
    let count = || row([("type", "integer".into())]);
    object([
        ("stakeholders", count()),
        ("technicalDomains", count()),
        ("horizon", one_of(Horizon::ALL.map(Horizon::word))),
        ("budgetImpact", one_of(Impact::ALL.map(Impact::word))),
        ("rating", number("From 0.0 to 1.0.")),
    ])
}

/// Returns the schema of the clerk's word for a topic's field.
pub fn domain_schema() -> Value {
    object([("domain", text("One to three lower-case words joined by hyphens."))])
}

/// Returns the schema of the clerk's draft of a post-mortem.
pub fn draft_schema() -> Value {
    let finding = || {
        object([
            ("aspect", text("A few words.")),
            ("evidenceType", one_of(EvidenceType::ALL.map(EvidenceType::word))),
            ("validation", one_of(Validation::ALL.iter().map(|one| one.word()))),
            ("note", text("What the entries say.")),
        ])
    };
    let lesson = object([
        ("lesson", text("What to do otherwise next time.")),
        ("action", text("Who does what; may be empty.")),
        ("expectedEffect", text("May be empty.")),
        ("question", text("A question later debates should answer, or empty.")),
        ("perspective", text("A viewpoint that was missing, or empty.")),
    ]);
    object([
        ("decisionAccuracy", optional_number("From 0.0 to 1.0; null if the entries do not tell.")),
        ("whatWentRight", list(finding())),
        ("whatWentWrong", list(finding())),
        ("lessons", list(lesson)),
        ("summary", text("Two sentences.")),
    ])
}

/// Returns the schema of the clerk's synthesis of a debate.
pub fn synthesis_schema() -> Value {
    let point = || {
        let ids = list(text("A claim id such as C3."));
        object([("text", text("One or two sentences.")), ("claims", ids)])
    };
    object([
        ("commonGround", list(point())),
        ("keyDifferences", list(point())),
        ("evolution", list(point())),
        ("conclusion", point()),
        ("recommendation", point()),
        ("confidence", number("From 0.0 to 1.0.")),
    ])
}

fn citation() -> Value {
    object([
        ("number", row([("type", "integer".into()), ("description", "Counted from 1.".into())])),
        ("title", plain_text()),
        ("url", optional_text("Null where there is none.")),
        ("source", optional_text("Where it is from, if there is no url.")),
        ("snippet", optional_text("The words that carry the claim.")),
    ])
}

fn claim(references: bool) -> Value {
    let mut rows = vec![
        ("text", text("One atomic claim, at most 30 tokens.")),
        ("label", one_of(["FACT", "INFER", "ASSUME", "OPEN"])),
        ("evidenceType", evidence_type()),
        ("citations", list(integer())),
    ];
    if references {
        let ids = || list(text("A claim id such as C3."));
        rows.extend([("supports", ids()), ("opposes", ids()), ("retracts", ids())]);
    }
    object(rows)
}

fn critique() -> Value {
    object([
        ("claim", text("The id of the claim attacked, such as C3.")),
        ("evidenceType", evidence_type()),
        ("strength", one_of(["high", "medium", "low"])),
        ("counterEvidence", optional_text("Of the same or a stronger type; null to concede.")),
        ("outcome", one_of(["alternative", "synthesis", "concession"])),
        ("text", text("The alternative, synthesis or concession.")),
    ])
}

fn vote() -> Value {
    object([
        ("ballot", one_of(["ACCEPT", "MINOR", "BLOCKER"])),
        ("objection", optional_text("Null only with ACCEPT.")),
    ])
}

fn answer(question: &Question) -> Option<Value> {
    match question {
        Question::Open => None,
        Question::YesNo => Some(one_of(["yes", "no"])),
        Question::Options { options } => Some(one_of(options)),
        Question::Number { unit: Some(unit) } => Some(number(&format!("In {unit}."))),
        Question::Number { unit: None } => Some(number("The figure.")),
        Question::Probability => Some(number("From 0.0 to 1.0.")),
    }
}

fn evidence_type() -> Value {
    one_of(EvidenceType::ALL.map(EvidenceType::word))
}

fn object(rows: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    strict(rows.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect())
}

fn strict(properties: Map<String, Value>) -> Value {
    let required = properties.keys().map(|name| Value::from(name.as_str())).collect();
    row([
        ("type", "object".into()),
        ("required", Value::Array(required)),
        ("properties", Value::Object(properties)),
        ("additionalProperties", Value::Bool(false)),
    ])
}

/// One level of a schema. What is inside is moved, where `json!` would copy it
/// once for every level around it.
fn row<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn list(items: Value) -> Value {
    row([("type", "array".into()), ("items", items)])
}

fn integer() -> Value {
    row([("type", "integer".into())])
}

fn plain_text() -> Value {
    row([("type", "string".into())])
}

fn text(description: &str) -> Value {
    row([("type", "string".into()), ("description", description.into())])
}

fn optional_number(description: &str) -> Value {
    let types = Value::Array(vec!["number".into(), "null".into()]);
    row([("type", types), ("description", description.into())])
}

fn optional_text(description: &str) -> Value {
    let types = Value::Array(vec!["string".into(), "null".into()]);
    row([("type", types), ("description", description.into())])
}

fn number(description: &str) -> Value {
    row([("type", "number".into()), ("description", description.into())])
}

fn one_of<T: AsRef<str>>(words: impl IntoIterator<Item = T>) -> Value {
    let words = words.into_iter().map(|word| Value::from(word.as_ref())).collect();
    row([("type", "string".into()), ("enum", Value::Array(words))])
}

//! The words of answers in parts: the closing lines of a working, the request
//! that copies it into the record, the one for missing fields, and the lighter
//! set for small models.

use minijinja::Value;

use super::values::TemplateValues;
use super::words::{TemplateError, Templates, flat};
use super::{PromptAddressee, RoundPhase, notice, schema, seat_values, stake_words};
use crate::model::{AnswerParts, CountedField, Question, has_letters};

/// The parts of this seat's answers as templates know them.
pub(super) fn style_word(part: &PromptAddressee<'_>) -> &'static str {
    match part.brief.style(part.seat.agent).parts {
        AnswerParts::Form => "form",
        AnswerParts::OneGo => "one-go",
        AnswerParts::TwoCalls => "two-calls",
    }
}

/// The form of the question as templates know it.
pub(super) fn question_values(question: &Question) -> [(&'static str, Value); 5] {
    let (word, options, unit) = match question {
        Question::Open => ("open", &[][..], ""),
        Question::YesNo => ("yes-no", &[][..], ""),
        Question::Options { options } => ("options", options.as_slice(), ""),
        Question::Number { unit } => ("number", &[][..], unit.as_deref().unwrap_or("")),
        Question::Probability => ("probability", &[][..], ""),
    };
    let letters = has_letters(options);
    let listed = options.iter().zip('A'..).map(|(option, letter)| {
        if letters { format!("{letter}) {option}") } else { format!("- {option}") }
    });
    [
        ("question", Value::from(word)),
        ("options", Value::from(options.to_vec())),
        ("listed_options", Value::from_iter(listed)),
        ("letters", Value::from(letters)),
        ("unit", Value::from(unit)),
    ]
}

/// The lines with which this seat's working ends.
pub(super) fn closing(
    words: &Templates,
    part: &PromptAddressee<'_>,
) -> Result<String, TemplateError> {
    let mut values = seat_values(part);
    values.extend(question_values(&part.brief.question));
    values.extend([("votes", Value::from(part.phase != RoundPhase::First))]);
    words.shared("closing.md", &values)
}

/// The fields of the record in words; `only`: those that are asked for again.
pub(super) fn record_words(
    words: &Templates,
    part: &PromptAddressee<'_>,
    only: Option<&[CountedField]>,
) -> Result<String, TemplateError> {
    words.shared("record.md", &record_values(part, only))
}

fn record_values(part: &PromptAddressee<'_>, only: Option<&[CountedField]>) -> TemplateValues {
    let question = &part.brief.question;
    let style = part.brief.style(part.seat.agent).parts;
    let schema = match (only, style) {
        (Some(only), _) => schema::fields_schema(question, only),
        (None, AnswerParts::Form) => {
            schema::answer_schema(part.plan, question, part.phase, part.seat)
        }
        (None, style) => schema::record_schema(part.plan, question, part.phase, part.seat, style),
    };
    let properties = schema.get("properties").and_then(|fields| fields.as_object());
    let names = properties.into_iter().flat_map(|fields| fields.keys().cloned());
    let fields = schema::AnswerFields::of(part.plan, part.phase);
    let mut values = seat_values(part);
    values.extend(question_values(question));
    values.extend([
        ("fields", Value::from_iter(names)),
        ("partial", Value::from(only.is_some())),
        ("references", Value::from(fields.references)),
    ]);
    values
}

/// Asks a seat to copy its working into the record. `working` is fenced already.
pub fn record(
    words: &Templates,
    part: &PromptAddressee<'_>,
    working: &str,
    fence_mark: &str,
) -> Result<(String, String), TemplateError> {
    copying(words, part, None, working, fence_mark)
}

/// Asks a seat for the counted fields that its answer lacks. `end`: the end of
/// its working, fenced already.
pub fn missing(
    words: &Templates,
    part: &PromptAddressee<'_>,
    fields: &[CountedField],
    end: &str,
    fence_mark: &str,
) -> Result<(String, String), TemplateError> {
    copying(words, part, Some(fields), end, fence_mark)
}

fn copying(
    words: &Templates,
    part: &PromptAddressee<'_>,
    only: Option<&[CountedField]>,
    working: &str,
    fence_mark: &str,
) -> Result<(String, String), TemplateError> {
    let system = record_words(words, part, only)?;
    let mut values = record_values(part, only);
    if let Some(only) = only {
        let names = only.iter().map(|field| field.word());
        values.extend([("fields", Value::from_iter(names))]);
    }
    values.extend([
        ("working", Value::from(working)),
        ("notice", Value::from(notice(words, fence_mark)?)),
    ]);
    Ok((system, words.shared("record-turn.md", &values)?))
}

/// The whole system prompt of a small model.
pub(super) fn light(
    words: &Templates,
    part: &PromptAddressee<'_>,
    base: &TemplateValues,
) -> Result<String, TemplateError> {
    let stakes: Vec<_> = part.brief.stakes.iter().map(|stake| stake_words(*stake)).collect();
    let mut values = base.clone();
    values.extend([
        ("role_line", Value::from(with_persona(part, role_line(words, part, base)?))),
        ("safety", Value::from(part.plan.safety_constraints)),
        ("lessons", Value::from_iter(part.lessons.iter().map(|question| flat(question)))),
        ("checks", Value::from(words.checks(part.plan, base)?)),
        ("stakes", Value::from(stakes.join("; "))),
    ]);
    words.layer("light.md", &values)
}

fn with_persona(part: &PromptAddressee<'_>, line: String) -> String {
    match flat(part.brief.persona(part.seat.agent)) {
        manner if manner.is_empty() => line,
        manner => format!("{line} Speak as one who {manner}."),
    }
}

/// Who a small model is, in a sentence or two. A seat without an assigned side
/// gives its first answer as nobody in particular: a role would only distract.
fn role_line(
    words: &Templates,
    part: &PromptAddressee<'_>,
    base: &TemplateValues,
) -> Result<String, TemplateError> {
    let seat = part.seat;
    let assigned = seat.stance.is_some() || seat.team.is_some() || part.plan.extended.is_some();
    let perspective = seat.perspective.as_ref().map(|perspective| flat(&perspective.name));
    if part.phase == RoundPhase::First && !assigned {
        return Ok(match perspective {
            Some(name) => format!("You are an adviser on this question: {name}."),
            None => "You are one of several advisers who answer on their own.".into(),
        });
    }
    let role = words.of_mode(part.plan, &format!("role-{}.md", seat.role), base)?;
    let mut sentences = role.split_inclusive(". ");
    let first: String = sentences.by_ref().take(2).collect();
    Ok(match perspective {
        Some(name) => format!("{} You speak as: {name}.", first.trim_end()),
        None => first.trim_end().to_owned(),
    })
}

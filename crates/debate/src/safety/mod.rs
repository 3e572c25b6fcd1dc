//! Quick checks on every text that goes into a prompt and every answer that comes
//! out, and the triggers for a closer look. They read words, not meaning: they
//! block a plain request for, or delivery of, instructions to do harm; talking
//! about harm is allowed. English only: the evaluator covers the rest.

mod cues;
mod patterns;
mod scan;
#[cfg(test)]
mod tests;

use crate::model::{Answer, Brief, ModePlan, Question, SafetyTrigger, Stake, TriggerKind};

use cues::CueClass;
use patterns::PatternEffect;
use scan::Scan;

/// The findings of the quick checks in one text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextScreening {
    /// Reasons why the text must not be used at all.
    pub blocked: Vec<&'static str>,
    /// Reasons for a closer look.
    pub suspect: Vec<&'static str>,
}

impl TextScreening {
    pub fn is_clean(&self) -> bool {
        self.blocked.is_empty() && self.suspect.is_empty()
    }

    fn take(&mut self, scan: &Scan) {
        for (effect, name) in &scan.found {
            let list = match effect {
                PatternEffect::Block => &mut self.blocked,
                PatternEffect::Suspect => &mut self.suspect,
            };
            if !list.contains(name) {
                list.push(name);
            }
        }
    }
}

/// Checks one text.
pub fn screen(text: &str) -> TextScreening {
    let mut screening = TextScreening::default();
    screening.take(&Scan::of(text));
    screening
}

/// Checks everything an answer would bring into the debate.
pub fn screen_answer(answer: &Answer) -> TextScreening {
    let mut screening = TextScreening::default();
    let claims = answer.claims.iter().map(|claim| claim.text.as_str());
    let critiques = answer.critiques.iter().map(|critique| critique.text.as_str());
    let objection = answer.vote.iter().filter_map(|vote| vote.objection.as_deref());
    let snippets = answer.citations.iter().filter_map(|citation| citation.snippet.as_deref());
    let texts = [answer.position.as_str(), answer.reasoning.as_str()]
        .into_iter()
        .chain(answer.key_points.iter().map(String::as_str))
        .chain(claims)
        .chain(critiques)
        .chain(objection)
        .chain(snippets);
    for text in texts {
        screening.take(&Scan::of(text));
    }
    screening
}

/// A text of the brief that is blocked outright, with the field it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedField {
    pub field: String,
    pub reasons: Vec<&'static str>,
}

/// The caller's texts, each with the field it stands in.
fn texts(brief: &Brief) -> impl Iterator<Item = (String, &str)> {
    let attached = brief.attachments.iter().enumerate();
    let asked = brief.required_questions.iter().enumerate();
    let options = match &brief.question {
        Question::Options { options } => options.as_slice(),
        _ => &[],
    };
    let options = options.iter().enumerate();
    let personas = brief.personas.iter().enumerate();
    // Questions of a domain that is still to be named are not yet required.
    let lessons = brief.lessons.iter().flat_map(|lessons| &lessons.questions);
    let lessons = lessons.filter(|text| !brief.required_questions.contains(text));
    [("topic".to_owned(), brief.topic.as_str())]
        .into_iter()
        .chain(brief.focus.iter().map(|focus| ("focus".to_owned(), focus.as_str())))
        .chain(attached.map(|(at, file)| (format!("attachments[{at}]"), file.text.as_str())))
        .chain(personas.map(|(at, text)| (format!("personas[{at}]"), text.as_str())))
        .chain(options.map(|(at, text)| (format!("question.options[{at}]"), text.as_str())))
        .chain(asked.map(|(at, text)| (format!("requiredQuestions[{at}]"), text.as_str())))
        .chain(lessons.map(|text| ("lessons.questions".to_owned(), text.as_str())))
}

/// Returns the fields of a brief that must not be shown to any model.
pub fn blocked_fields(brief: &Brief) -> Vec<BlockedField> {
    texts(brief)
        .map(|(field, text)| BlockedField { field, reasons: screen(text).blocked })
        .filter(|blocked| !blocked.reasons.is_empty())
        .collect()
}

/// Returns the reasons to judge answers to a brief from the first round on.
pub fn triggers(brief: &Brief, plan: &ModePlan) -> Vec<SafetyTrigger> {
    let mut found = Vec::new();
    let mut add = |kind, what: String| {
        let trigger = SafetyTrigger { kind, round: 0, seat: None, what };
        if !found.contains(&trigger) {
            found.push(trigger);
        }
    };
    if plan.safety_constraints {
        add(TriggerKind::Mode, format!("{} sets agents to attack", plan.name));
    }
    for stake in &brief.stakes {
        if matches!(stake, Stake::SecurityAbuse | Stake::MedicalLegal) {
            add(TriggerKind::Topic, format!("the caller named {} stakes", stake.word()));
        }
    }
    for (field, text) in texts(brief) {
        let scan = Scan::of(text);
        // A long attachment mentions many fields in passing; only the topic and
        // the focus tell what the debate is about.
        let asked = field == "topic" || field == "focus";
        for (class, what) in FIELDS.iter().filter(|(class, _)| asked && scan.has(*class)) {
            add(
                TriggerKind::Topic,
                format!("the {field} is about {what}{}", quoted(&scan, *class)),
            );
        }
        for class in VULNERABLE.into_iter().filter(|class| scan.has(*class)) {
            let cue = quoted(&scan, class);
            add(TriggerKind::Context, format!("{field}: vulnerable people are concerned{cue}"));
        }
        for (_, name) in &scan.found {
            add(TriggerKind::Intent, format!("{field}: {name}"));
        }
    }
    found
}

/// Returns the triggers found in a person's remark.
pub fn remark_triggers(text: &str, round: u32) -> Vec<SafetyTrigger> {
    let scan = Scan::of(text);
    let trigger = |kind, what: String| SafetyTrigger { kind, round, seat: None, what };
    let mut found: Vec<SafetyTrigger> = scan
        .found
        .iter()
        .map(|(_, name)| trigger(TriggerKind::Intent, format!("remark: {name}")))
        .collect();
    for class in VULNERABLE.into_iter().filter(|class| scan.has(*class)) {
        let cue = quoted(&scan, class);
        let what = format!("remark: vulnerable people are concerned{cue}");
        found.push(trigger(TriggerKind::Context, what));
    }
    found
}

const FIELDS: [(CueClass, &str); 3] =
    [(CueClass::Security, "security"), (CueClass::Medical, "medicine"), (CueClass::Legal, "law")];

const VULNERABLE: [CueClass; 2] = [CueClass::Vulnerable, CueClass::Minor];

/// Returns the word behind a trigger, as its explanation.
fn quoted(scan: &Scan, class: CueClass) -> String {
    scan.cue(class).map(|cue| format!(" (“{cue}”)")).unwrap_or_default()
}

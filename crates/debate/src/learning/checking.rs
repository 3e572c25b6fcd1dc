//! Checks a written post-mortem against the debate it is about. All faults are
//! reported at once, each with the allowed values; nothing is repaired.

use super::judging::NONE_OF_THEM;
use crate::model::{
    AspectFinding, EvidenceType, FindingForm, LessonForm, LessonLearned, OutcomeForm, PostMortem,
    Question, Room, Validation, Verdict, WeighedOver, domain_name,
};

const MOST_TEXT: usize = 2_000;
const MOST_QUESTION: usize = 300;
const MOST_NAME: usize = 80;
const MOST_ROWS: usize = 50;

/// A bad field of a written post-mortem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeFault {
    /// The path of the field, e.g. `lessons[0].action`.
    pub field: String,
    pub given: Option<String>,
    pub problem: OutcomeProblem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutcomeProblem {
    Missing {
        expected: &'static str,
    },
    OutOfRange {
        allowed: String,
    },
    TooLong {
        characters: usize,
        most: usize,
    },
    TooManyRows {
        rows: usize,
        most: usize,
    },
    Unknown {
        known: Vec<String>,
    },
    /// The field beside it that goes with it is not given.
    Without {
        field: &'static str,
    },
}

pub fn check(
    form: &OutcomeForm,
    room: &Room,
    verdict: &Verdict,
) -> Result<PostMortem, Vec<OutcomeFault>> {
    let mut faults = OutcomeFaults::default();
    let decision_accuracy = match form.decision_accuracy {
        Some(accuracy) => faults.share("decisionAccuracy", accuracy),
        None => {
            let expected = "how right the decision was, 0 to 1";
            faults.add("decisionAccuracy", None, OutcomeProblem::Missing { expected });
            0.0
        }
    };
    let post = PostMortem {
        decision_accuracy,
        right_answer: faults.right_answer(form, room, verdict),
        what_went_right: faults.findings("whatWentRight", &form.what_went_right),
        what_went_wrong: faults.findings("whatWentWrong", &form.what_went_wrong),
        agents: form.agents.clone(),
        questions: form.questions.clone(),
        lessons: faults.lessons(&form.lessons),
        summary: faults.text("summary", &form.summary, MOST_TEXT),
        human_override: form.human_override.clone().filter(|text| !text.trim().is_empty()),
        domain: form.domain.as_deref().map(|text| faults.domain(text)),
    };
    faults.agents(&post, room);
    faults.questions(&post, room);
    if faults.0.is_empty() { Ok(post) } else { Err(faults.0) }
}

/// Returns a domain's name in its plain form, or the reason why it cannot be
/// used.
pub fn check_domain(text: &str) -> Result<String, OutcomeFault> {
    let name = domain_name(text);
    let plain = name.chars().all(|c| c.is_alphanumeric() || "-_./+".contains(c));
    let allowed = "letters, digits, spaces and hyphens, 1 to 80 of them";
    match name.chars().count() {
        1..=MOST_NAME if plain => Ok(name),
        _ => Err(OutcomeFault {
            field: "domain".into(),
            given: Some(text.into()),
            problem: OutcomeProblem::OutOfRange { allowed: allowed.into() },
        }),
    }
}

#[derive(Default)]
struct OutcomeFaults(Vec<OutcomeFault>);

impl OutcomeFaults {
    fn add(&mut self, field: impl Into<String>, given: Option<&str>, problem: OutcomeProblem) {
        self.0.push(OutcomeFault { field: field.into(), given: given.map(Into::into), problem });
    }

    fn share(&mut self, field: &str, value: f64) -> f64 {
        if !(0.0..=1.0).contains(&value) {
            let problem = OutcomeProblem::OutOfRange { allowed: "0 to 1".into() };
            self.add(field, Some(&value.to_string()), problem);
        }
        value
    }

    fn text(&mut self, field: &str, text: &str, most: usize) -> String {
        let characters = text.chars().count();
        if characters > most {
            self.add(field, None, OutcomeProblem::TooLong { characters, most });
        }
        text.trim().to_owned()
    }

    fn needed(&mut self, field: &str, text: &str, most: usize) -> String {
        if text.trim().is_empty() {
            self.add(field, None, OutcomeProblem::Missing { expected: "a text" });
        }
        self.text(field, text, most)
    }

    fn rows(&mut self, field: &str, rows: usize) {
        if rows > MOST_ROWS {
            self.add(field, None, OutcomeProblem::TooManyRows { rows, most: MOST_ROWS });
        }
    }

    fn domain(&mut self, text: &str) -> String {
        check_domain(text).unwrap_or_else(|fault| {
            self.0.push(fault);
            String::new()
        })
    }

    fn findings(&mut self, field: &str, forms: &[FindingForm]) -> Vec<AspectFinding> {
        self.rows(field, forms.len());
        let mut findings = Vec::new();
        for (index, form) in forms.iter().take(MOST_ROWS).enumerate() {
            let place = format!("{field}[{index}]");
            let evidence_type = form.evidence_type.as_deref().and_then(|word| {
                let found = EvidenceType::ALL
                    .into_iter()
                    .find(|kind| kind.word().eq_ignore_ascii_case(word.trim()));
                if found.is_none() {
                    let known = EvidenceType::ALL.map(|kind| kind.word().to_owned()).to_vec();
                    let field = format!("{place}.evidenceType");
                    self.add(field, Some(word), OutcomeProblem::Unknown { known });
                }
                found
            });
            let validation = form.validation.as_deref().and_then(|word| {
                let found = Validation::find(word);
                if found.is_none() {
                    let known = Validation::ALL.iter().map(|one| one.word().to_owned()).collect();
                    let field = format!("{place}.validation");
                    self.add(field, Some(word), OutcomeProblem::Unknown { known });
                }
                found
            });
            match (&form.evidence_type, &form.validation) {
                (Some(_), None) => {
                    let problem = OutcomeProblem::Without { field: "validation" };
                    self.add(format!("{place}.evidenceType"), None, problem);
                }
                (None, Some(_)) => {
                    let problem = OutcomeProblem::Without { field: "evidenceType" };
                    self.add(format!("{place}.validation"), None, problem);
                }
                _ => {}
            }
            findings.push(AspectFinding {
                aspect: self.needed(&format!("{place}.aspect"), &form.aspect, MOST_TEXT),
                evidence_type,
                validation,
                note: self.text(&format!("{place}.note"), &form.note, MOST_TEXT),
            });
        }
        findings
    }

    fn lessons(&mut self, forms: &[LessonForm]) -> Vec<LessonLearned> {
        self.rows("lessons", forms.len());
        let mut lessons = Vec::new();
        for (index, form) in forms.iter().take(MOST_ROWS).enumerate() {
            let place = format!("lessons[{index}]");
            let some = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
            lessons.push(LessonLearned {
                lesson: self.needed(&format!("{place}.lesson"), &form.lesson, MOST_TEXT),
                action: self.text(&format!("{place}.action"), &form.action, MOST_TEXT),
                expected_effect: self.text(
                    &format!("{place}.expectedEffect"),
                    &form.expected_effect,
                    MOST_TEXT,
                ),
                question: some(&form.question)
                    .map(|text| self.text(&format!("{place}.question"), &text, MOST_QUESTION)),
                perspective: some(&form.perspective)
                    .map(|text| self.text(&format!("{place}.perspective"), &text, MOST_NAME)),
            });
        }
        lessons
    }

    fn agents(&mut self, post: &PostMortem, room: &Room) {
        for (index, judged) in post.agents.iter().enumerate() {
            let place = format!("agents[{index}]");
            self.share(&format!("{place}.accuracy"), judged.accuracy);
            if !room.seats.iter().any(|seat| seat.name == judged.agent) {
                let known = room.seats.iter().map(|seat| seat.name.clone()).collect();
                let field = format!("{place}.agent");
                self.add(field, Some(&judged.agent), OutcomeProblem::Unknown { known });
            }
        }
    }

    fn questions(&mut self, post: &PostMortem, room: &Room) {
        let known = &room.brief.required_questions;
        for (index, asked) in post.questions.iter().enumerate() {
            let same = |one: &String| {
                super::questions::plain(one) == super::questions::plain(&asked.question)
            };
            if !known.iter().any(same) {
                let problem = OutcomeProblem::Unknown { known: known.clone() };
                self.add(format!("questions[{index}]"), Some(&asked.question), problem);
            }
        }
    }

    /// Finds an option or answer of the debate by its words or its number, a
    /// number if one was asked for, or `none`.
    fn right_answer(
        &mut self,
        form: &OutcomeForm,
        room: &Room,
        verdict: &Verdict,
    ) -> Option<String> {
        let said = form.right_answer.as_deref().map(str::trim).filter(|said| !said.is_empty())?;
        if said.eq_ignore_ascii_case(NONE_OF_THEM) {
            return Some(NONE_OF_THEM.into());
        }
        let weighing = &verdict.evidence.weighing;
        let mut names: Vec<String> =
            weighing.answers.iter().map(|answer| answer.answer.clone()).collect();
        let options = room.brief.question.options().unwrap_or_default();
        names.extend(options.into_iter().filter(|option| {
            !weighing.answers.iter().any(|answer| answer.answer.eq_ignore_ascii_case(option))
        }));
        if weighing.over == WeighedOver::Values {
            let number = said.parse::<f64>().ok().filter(|number| number.is_finite());
            let fits = match room.brief.question {
                Question::Probability => number.is_some_and(|p| (0.0..=1.0).contains(&p)),
                _ => number.is_some(),
            };
            if !fits {
                let problem = OutcomeProblem::OutOfRange { allowed: "a number, or none".into() };
                self.add("rightAnswer", Some(said), problem);
            }
            return Some(said.to_owned());
        }
        let numbered = said.parse::<usize>().ok().and_then(|n| names.get(n.checked_sub(1)?));
        let named = names.iter().find(|name| name.trim().eq_ignore_ascii_case(said));
        let found = named.or(numbered).cloned();
        if found.is_none() {
            let list: Vec<String> =
                names.iter().zip(1..).map(|(name, n)| format!("{n} ({name})")).collect();
            let allowed = format!("{}, or none", list.join(", "));
            self.add("rightAnswer", Some(said), OutcomeProblem::OutOfRange { allowed });
        }
        found
    }
}

//! The interview with typed answers.

use debate::Debate;
use debate::model::{Agent, Brief};

use super::*;

fn room() -> Room {
    let agent = |name: &str| Agent {
        name: name.into(),
        provider: "script".into(),
        model: name.into(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    };
    let agents = vec![agent("one"), agent("two")];
    let mut brief = Brief::new("Is it\u{1b}[31m so?", "collaborative", agents, &"0".repeat(32));
    brief.required_questions = vec!["Who owns it?".into()];
    Debate::open(brief).unwrap().0.room().clone()
}

fn asked(answers: &str) -> (Result<OutcomeForm, EngineError>, Vec<String>) {
    let mut questions = Vec::new();
    let form = interview(&mut answers.as_bytes(), &mut |q| questions.push(q.to_owned()), &room());
    (form, questions)
}

#[test]
fn answers_become_a_form() {
    let answers = "lots\n0.75\n1\nVelocity\nEMPIRICAL\nvalidated\nno blockers\n\n\
                   Surprise\n\n\n\ny\nAsk sooner\nadd it\nfewer gaps\nWhat patterns?\n\n\nFine.\n\n";
    let (form, questions) = asked(answers);
    let form = form.unwrap();
    assert_eq!(form.decision_accuracy, Some(0.75), "asked again until it is one");
    assert_eq!(form.right_answer.as_deref(), Some("1"));
    assert_eq!(form.what_went_right[0].validation.as_deref(), Some("validated"));
    assert_eq!(form.what_went_wrong[0].evidence_type, None);
    assert!(form.questions[0].surfaced);
    assert_eq!(form.lessons[0].question.as_deref(), Some("What patterns?"));
    assert_eq!(form.lessons[0].perspective, None);
    assert_eq!((form.summary.as_str(), form.human_override), ("Fine.", None));
    assert!(questions.iter().all(|question| !question.contains('\u{1b}')), "{questions:?}");
}

#[test]
fn answers_that_end_early_store_nothing() {
    let (form, _) = asked("0.5\n");
    assert!(form.unwrap_err().to_string().contains("nothing was stored"));
    let mut ask = |_: &str| {};
    assert!(replace(&mut "n\n".as_bytes(), &mut ask, Day(0)).is_err());
    assert!(replace(&mut "y\n".as_bytes(), &mut ask, Day(0)).is_ok());
}

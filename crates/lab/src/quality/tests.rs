//! Answers of plain arms are read, and confidence is calibrated.

use debate::learning::STATED_CONFIDENCE;

use super::calibrating::{ProbabilityError, StatedProbability, calibrated_by_others};
use super::plain::read;
use super::questions::{QuestionItem, RightAnswer};
use debate::model::Choice;

fn item(kind: RightAnswer) -> QuestionItem {
    QuestionItem { question: "?".into(), kind, domain: None }
}

#[test]
fn plain_answers_are_read_from_their_last_line() {
    let number = item(RightAnswer::Number { truth: 1_250.0, tolerance: 0.001, unit: None });
    for text in ["6 steps.\nAnswer: 1,250", "The answer is 7.\n**Answer:** $1250."] {
        assert_eq!(read(&number, text), Some(Choice::Number(1_250.0)), "{text}");
    }
    assert_eq!(read(&number, "I do not know."), None);
    let options = vec!["a bird".to_owned(), "a fish".to_owned()];
    let choice = item(RightAnswer::Choice { options, truth: 1 });
    for text in ["Answer: B", "answer: A fish."] {
        assert_eq!(read(&choice, text), Some(Choice::Option("a fish".into())), "{text}");
    }
    assert_eq!(read(&choice, "Answer: neither"), None);
    let yes_no = item(RightAnswer::Choice { options: vec!["yes".into(), "no".into()], truth: 0 });
    assert_eq!(read(&yes_no, "It sinks.\nAnswer: No"), Some(Choice::Option("no".into())));
}

#[test]
fn confidence_that_says_too_much_is_mended_by_other_questions() {
    // Always 0.95, right in three of ten.
    let stated: Vec<StatedProbability> = (0..120)
        .map(|item| StatedProbability { item, probability: 0.95, right: item % 10 < 3 })
        .collect();
    let before = ProbabilityError::of(&stated).unwrap();
    assert!((before.calibration_error - 0.65).abs() < 1e-9, "{before:?}");
    let after =
        ProbabilityError::of(&calibrated_by_others(&stated, STATED_CONFIDENCE).unwrap()).unwrap();
    assert!(after.calibration_error < 0.08 && after.brier < before.brier, "{after:?}");
    assert_eq!(calibrated_by_others(&stated[..3], STATED_CONFIDENCE), None);
}

//! Closing lines as models write them: a table of endings, and the rules that
//! hold for every text.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::super::{ExpectedAnswer, RepairChance};
use super::lines::closing_lines;
use super::values::confidence_in;
use super::{AnswerTexts, read_parts};
use crate::model::{Ballot, Choice, CountedField, Question};

fn number() -> Question {
    Question::Number { unit: None }
}

fn capitals() -> Question {
    let options = ["Lyon", "Paris", "New York", "Rome"];
    Question::Options { options: options.map(str::to_owned).to_vec() }
}

fn answer(text: &str, question: &Question) -> Option<Choice> {
    closing_lines(text, question).answer
}

#[test]
fn figures_are_found_in_every_dress() {
    let rows: &[(&str, f64)] = &[
        ("So she has 18.\n\nAnswer: 18\nConfidence: 0.95", 18.0),
        ("**Answer:** 18", 18.0),
        ("**Answer: 18**", 18.0),
        ("Answer: **18**.", 18.0),
        ("### Answer\n18", 18.0),
        ("Answer:\n\n18 apples", 18.0),
        ("Final answer: $1,234", 1234.0),
        ("The final answer is: 18.", 18.0),
        ("Therefore, the answer is 18 apples.", 18.0),
        ("Adding up, we find that the answer is **$18.50** per day.", 18.5),
        ("Answer: $\\boxed{18}$", 18.0),
        ("Thus we get \\[ \\boxed{1{,}234} \\]", 1234.0),
        ("Answer: \\(18\\)", 18.0),
        ("Answer: $18$", 18.0),
        ("answer = 18", 18.0),
        ("Answer 18", 18.0),
        ("ANSWER: -5", -5.0),
        ("Answer: 5 + 3 = 8", 8.0),
        ("Answer: She earns $18 every day.", 18.0),
        ("Answer: <18>", 18.0),
        ("Answer: 18 Confidence: 0.9", 18.0),
        ("Answer: 3/4", 0.75),
        ("Answer: 1 1/2", 1.5),
        ("Answer: \\frac{3}{4}", 0.75),
        ("Answer: 2.5 million", 2_500_000.0),
        ("#### 18", 18.0),
        ("She sells them for **$18**.", 18.0),
        ("Answer: the number alone\n\nAnswer: 42", 42.0),
        ("Answer: 42\nAnswer: <the number alone>", 42.0),
        ("- Answer: 42", 42.0),
        ("> **Answer**: 42", 42.0),
        ("Antwort: 42", 42.0),
        ("Answer: 70%", 70.0),
        ("9 + 9 = 18\n\nSo, she has 18 apples left.", 18.0),
        ("Therefore, the total cost is $1,234.", 1234.0),
        ("Thus the answer must be 18.\nConfidence: 0.9", 18.0),
    ];
    for (text, wanted) in rows {
        assert_eq!(answer(text, &number()), Some(Choice::Number(*wanted)), "{text}");
    }
}

#[test]
fn no_figure_is_made_up() {
    let rows = [
        "",
        "I need more time.",
        "Answer: many",
        "Step 1: 3 eggs.\nStep 2: 4 eggs.",
        "Answers vary between 3 and 4",
        "Confidence: 0.9",
        "So 3 eggs and 4 eggs are left.",
        "She buys 7 eggs.",
    ];
    for text in rows {
        assert_eq!(answer(text, &number()), None, "{text}");
    }
    let kilometres = Question::Number { unit: Some("km".into()) };
    assert_eq!(answer("Answer: 49 miles", &kilometres), None);
    assert_eq!(answer("Answer: 49 km", &kilometres), Some(Choice::Number(49.0)));
    assert_eq!(answer("Answer: about 49 km.", &kilometres), Some(Choice::Number(49.0)));
}

#[test]
fn options_are_found_by_letter_and_by_words() {
    let rows = [
        ("Answer: B", "Paris"),
        ("Answer: (b)", "Paris"),
        ("Answer: B) Paris", "Paris"),
        ("Answer: B. Paris", "Paris"),
        ("Answer: **B: Paris**", "Paris"),
        ("Answer: Option B", "Paris"),
        ("Answer: Paris", "Paris"),
        ("Answer: paris.", "Paris"),
        ("Answer: \"New York\"", "New York"),
        ("Answer: It is New York, of course", "New York"),
        ("The correct answer is D.", "Rome"),
        ("The correct answer is **D) Rome**", "Rome"),
        ("Answer: \\boxed{C}", "New York"),
        ("So it must be **Rome**.", "Rome"),
        ("Therefore, the correct option is (D).", "Rome"),
        ("The best choice would be Lyon, but the right choice is B.", "Paris"),
        ("Option A is small.\nSo option B is the correct answer.", "Paris"),
        ("New York is correct.\nConfidence: 0.8", "New York"),
    ];
    for (text, wanted) in rows {
        assert_eq!(answer(text, &capitals()), Some(Choice::Option(wanted.into())), "{text}");
    }
    for text in ["Answer: E", "Answer: A or B", "Answer: Paris or Rome", "Answer: Berlin"] {
        assert_eq!(answer(text, &capitals()), None, "{text}");
    }
    // Where an option is itself a letter, letters mean the words.
    let letters = Question::Options { options: vec!["B".into(), "A".into()] };
    assert_eq!(answer("Answer: A", &letters), Some(Choice::Option("A".into())));
}

#[test]
fn yes_and_no_are_found() {
    let rows = [
        ("Answer: Yes", "yes"),
        ("Answer: **no**", "no"),
        ("Answer: No, because it sinks.", "no"),
        ("The answer is yes.", "yes"),
        ("Answer: False", "no"),
        ("Antwort: Ja", "yes"),
    ];
    for (text, wanted) in rows {
        let found = answer(text, &Question::YesNo);
        assert_eq!(found, Some(Choice::Option(wanted.into())), "{text}");
    }
    assert_eq!(answer("Answer: maybe", &Question::YesNo), None);
}

#[test]
fn probabilities_are_shares() {
    for (text, wanted) in [
        ("Answer: 0.3", 0.3),
        ("Answer: 30%", 0.3),
        ("Answer: about 30 %", 0.3),
        ("Answer: 1/4", 0.25),
    ] {
        let found = answer(text, &Question::Probability);
        assert_eq!(found, Some(Choice::Probability(wanted)), "{text}");
    }
    assert_eq!(answer("Answer: -0.5", &Question::Probability), None);
}

#[test]
fn confidences_are_shares() {
    let rows = [
        ("0.95", Some(0.95)),
        ("95%", Some(0.95)),
        ("95 %", Some(0.95)),
        ("95 percent", Some(0.95)),
        ("9/10", Some(0.9)),
        ("9 out of 10", Some(0.9)),
        ("0.9 (very sure)", Some(0.9)),
        ("**0.9**", Some(0.9)),
        (".85", Some(0.85)),
        ("0,85", Some(0.85)),
        ("1.0.", Some(1.0)),
        ("90", Some(0.9)),
        ("about 0.8", Some(0.8)),
        ("high", None),
        ("", None),
        ("250%", None),
        ("12/10", None),
    ];
    for (text, wanted) in rows {
        assert_eq!(confidence_in(text), wanted, "{text}");
    }
    let lines = closing_lines("**Confidence (0-1):** 0.7", &Question::Open);
    assert_eq!(lines.confidence, Some(0.7));
    let lines = closing_lines("Confidence level: 70%", &Question::Open);
    assert_eq!(lines.confidence, Some(0.7));
}

#[test]
fn votes_come_with_what_must_change() {
    let vote = |text: &str| closing_lines(text, &Question::Open).vote.unwrap();
    assert_eq!(vote("Vote: ACCEPT").ballot, Ballot::Accept);
    assert_eq!(vote("**Vote:** MINOR – name the owner").objection.unwrap(), "name the owner");
    assert_eq!(vote("I vote: BLOCKER: it leaks").ballot, Ballot::Blocker);
    assert_eq!(closing_lines("Vote: maybe", &Question::Open).vote, None);
}

#[test]
fn a_confidence_in_a_sentence_counts() {
    let stated = |text: &str| closing_lines(text, &number()).confidence;
    assert_eq!(stated("Answer: 18\nI am 90% confident in this."), Some(0.9));
    assert_eq!(stated("I'm 75 percent sure.\nAnswer: 18"), Some(0.75));
    assert_eq!(stated("Answer: 18\nI am confident that 30% are left."), None);
    assert_eq!(stated("Answer: 18\nI am 90% confident.\nConfidence: 0.6"), Some(0.6));
}

#[test]
fn cannot_say_is_an_answer() {
    let lines = closing_lines("Answer: cannot say, the price is missing", &number());
    assert_eq!(lines.answer, None);
    assert_eq!(lines.cannot_say.as_deref(), Some("the price is missing"));
    let lines = closing_lines("Answer: unknown\nConfidence: 0", &number());
    assert_eq!(lines.cannot_say.as_deref(), Some(""));
}

fn expected(question: &Question, vote: bool) -> ExpectedAnswer<'_> {
    ExpectedAnswer {
        evidence: false,
        round: 2,
        stance: None,
        vote,
        critiques: false,
        ruling: false,
        question,
        known_claims: 0,
        sources: &[],
    }
}

/// Covers: 3-lines
#[test]
fn the_line_stands_against_the_record() {
    let question = number();
    let texts = AnswerTexts {
        working: "9 + 9 = 18.\nAnswer: 18\nConfidence: 0.9\nVote: ACCEPT",
        record: Some(
            r#"{"position":"It is 18.","keyPoints":["9 + 9"],"claims":[],"citations":[],
                "answer":81,"cannotSay":null,"vote":{"ballot":"BLOCKER","objection":"x"},
                "confidence":0.5}"#,
        ),
        added: None,
    };
    let read = read_parts(texts, &expected(&question, true), RepairChance::First);
    assert_eq!(read.answer.answer, Some(Choice::Number(18.0)));
    assert_eq!(read.answer.confidence, Some(0.9));
    assert_eq!(read.answer.vote.as_ref().unwrap().ballot, Ballot::Accept);
    assert_eq!(read.answer.position, "It is 18.");
    assert!(read.answer.reasoning.starts_with("9 + 9 = 18."));
    assert_eq!(read.problem, None);
    let told = read.notes.iter().filter(|note| note.text.contains("own line stands")).count();
    assert_eq!(told, 3, "{:?}", read.notes);
}

#[test]
fn what_is_missing_is_named_and_can_be_added() {
    let question = number();
    let working = "First 9, then 9 more, so we have to";
    let texts = AnswerTexts { working, ..AnswerTexts::default() };
    let expected = expected(&question, true);
    let read = read_parts(texts, &expected, RepairChance::First);
    let wanted = [CountedField::Answer, CountedField::Vote, CountedField::Confidence];
    assert_eq!(read.missing, wanted);
    assert!(read.problem.is_some());
    let added = r#"{"answer":18,"cannotSay":null,"vote":{"ballot":"MINOR","objection":"y"},"confidence":0.6}"#;
    let texts = AnswerTexts { added: Some(added), ..texts };
    let read = read_parts(texts, &expected, RepairChance::Last);
    assert_eq!(read.missing, []);
    assert_eq!(read.answer.answer, Some(Choice::Number(18.0)));
    assert_eq!(read.answer.confidence, Some(0.6));
    assert_eq!(read.answer.reasoning, working);
    // In per cent, as it is asked for, and cut off in what may run on.
    let added = r#"{"answer":18,"confidence":85,"vote":{"ballot":"MINOR","objection":"the fig"#;
    let read =
        read_parts(AnswerTexts { added: Some(added), ..texts }, &expected, RepairChance::Last);
    assert_eq!(
        (read.answer.answer, read.answer.confidence),
        (Some(Choice::Number(18.0)), Some(0.85))
    );
    assert!(!read.notes.iter().any(|note| note.check == "confidence"), "{:?}", read.notes);
}

/// Covers: 3-cannot-say
#[test]
fn a_null_answer_is_an_abstention() {
    let question = number();
    let texts = AnswerTexts {
        working: "The price is not given. Confidence: 0.2",
        record: Some(
            r#"{"position":"Nothing can be said.","answer":null,"cannotSay":"no price","confidence":0.2}"#,
        ),
        added: None,
    };
    let read = read_parts(texts, &expected(&question, false), RepairChance::First);
    assert_eq!(read.answer.answer, None);
    assert_eq!(read.answer.cannot_say.as_deref(), Some("no price"));
    assert_eq!(read.missing, []);
    assert!(!read.notes.iter().any(|note| note.check == "answer"), "{:?}", read.notes);
}

proptest! {
    /// No text panics, and what is read is always within its range.
    #[test]
    fn any_text_can_be_read(text in "(?s).{0,300}") {
        for question in [Question::Open, Question::YesNo, number(), capitals(), Question::Probability] {
            let lines = closing_lines(&text, &question);
            if let Some(confidence) = lines.confidence {
                prop_assert!((0.0..=1.0).contains(&confidence));
            }
            let expected = expected(&question, true);
            let texts = AnswerTexts { working: &text, record: Some(&text), added: Some(&text) };
            read_parts(texts, &expected, RepairChance::Last);
        }
    }

    /// A figure comes back whatever stands before it and around it.
    #[test]
    fn a_figure_is_read_back(
        figure in -1_000_000_i64..1_000_000,
        before in "[a-z ,.\n]{0,80}",
        dress in 0_usize..5,
    ) {
        let line = match dress {
            0 => format!("Answer: {figure}"),
            1 => format!("**Answer:** {figure}"),
            2 => format!("Answer: **{figure}**"),
            3 => format!("answer: {figure}."),
            _ => format!("Answer: $\\boxed{{{figure}}}$"),
        };
        let text = format!("{before}\n{line}\nConfidence: 0.5");
        prop_assert_eq!(answer(&text, &number()), Some(Choice::Number(figure as f64)));
    }
}

/// A paragraph of any length is gone through once: an answer of half a megabyte on one line
/// would otherwise take hours.
#[test]
fn one_long_line_is_read_too() {
    let line =
        format!("{} Answer: 18 Confidence: 0.9", "It follows, and more does: ".repeat(20_000));
    let said = closing_lines(&line, &number());
    assert_eq!((said.answer, said.confidence), (Some(Choice::Number(18.0)), Some(0.9)));
}

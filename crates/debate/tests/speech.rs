//! The words with which answers in parts are asked for: what each layer still
//! says, in how few words, and what small models are sent.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::fmt::Write;

use debate::model::{
    Anchor, AnswerParts, AnswerStyle, Brief, CountedField, ModePlan, Question, RolePlan, Seat,
    SeatId,
};
use debate::modes;
use debate::prompts::{
    Message, PromptAddressee, RoundPhase, Templates, fields_schema, missing, record, record_schema,
    system, turn,
};
use serde_json::json;

const QUESTION: &str = "Nora packs 9 boxes of 12 eggs and 3 break. How many eggs are whole?";
const VIEW: &str = "<<9f3a Round 1: Ben>>\nPosition: It is 96. Confidence 0.62.\n<<9f3a end>>";

const TWO_CALLS: AnswerStyle = AnswerStyle { parts: AnswerParts::TwoCalls, small: false };
const ONE_GO: AnswerStyle = AnswerStyle { parts: AnswerParts::OneGo, small: false };
const SMALL: AnswerStyle = AnswerStyle { parts: AnswerParts::TwoCalls, small: true };

struct Asked {
    system: String,
    message: String,
}

fn brief(plan: &ModePlan, style: AnswerStyle, question: Question) -> Brief {
    let mut brief: Brief = serde_json::from_value(json!({
        "topic": QUESTION, "mode": plan.name, "agents": [], "rounds": 3,
        "fenceKey": "00000000000000000000000000000000",
    }))
    .unwrap();
    (brief.question, brief.styles) = (question, vec![style]);
    brief
}

fn seat(role: &RolePlan) -> Seat {
    Seat {
        id: SeatId(0),
        agent: 0,
        name: "Ada".into(),
        role: role.key.into(),
        team: role.team.map(Into::into),
        stance: role.stance,
        perspective: None,
        anchor: Anchor::EvidenceCalibrated,
    }
}

fn asked(plan: &'static ModePlan, role: &RolePlan, phase: RoundPhase, brief: &Brief) -> Asked {
    let seat = seat(role);
    let words = Templates::new(plan, &BTreeMap::new()).unwrap();
    let part = PromptAddressee { plan, brief, seat: &seat, phase, lessons: &[] };
    let (round, view) = if phase == RoundPhase::First { (1, "") } else { (2, VIEW) };
    let message =
        Message { round, total_rounds: 3, view, fence_mark: "9f3a", ..Message::default() };
    Asked {
        system: system(&words, &part).unwrap(),
        message: turn(&words, &part, &message).unwrap(),
    }
}

fn every_role(mut visit: impl FnMut(&'static ModePlan, &'static RolePlan)) {
    for plan in modes::all() {
        let extended = plan.extended.map_or(&[][..], |extended| extended.roles);
        plan.roles.iter().chain(extended).for_each(|role| visit(plan, role));
    }
}

fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

fn snapshot(name: &str, text: String) {
    insta::with_settings!({
        prepend_module_to_snapshot => false,
        omit_expression => true,
        snapshot_path => "snapshots/prompts",
    }, { insta::assert_snapshot!(name, text); });
}

/// Covers: 5-short
#[test]
fn contract_and_structure_take_at_most_350_words() {
    let mut table = String::new();
    let mut longest = 0;
    every_role(|plan, role| {
        for style in [TWO_CALLS, ONE_GO] {
            for phase in RoundPhase::ALL {
                let mut brief = brief(plan, style, Question::Number { unit: None });
                brief.tools = vec!["search_web".into()];
                let prompt = asked(plan, role, phase, &brief).system;
                let (_, rest) = prompt.split_once("# 2. Contract").unwrap();
                let count = words(rest.split_once("# 4. Before you submit").unwrap().0);
                writeln!(table, "{} {} {} {count}", plan.name, role.key, phase.word()).unwrap();
                longest = longest.max(count);
            }
        }
    });
    assert!(longest <= 350, "{longest} words\n{table}");
}

#[test]
fn every_layer_still_says_what_it_is_for() {
    every_role(|plan, role| {
        for phase in RoundPhase::ALL {
            let brief = brief(plan, TWO_CALLS, Question::YesNo);
            let prompt = asked(plan, role, phase, &brief).system;
            let labels = ["FACT", "INFER", "ASSUME", "OPEN"];
            let types =
                ["DOCUMENTED", "EMPIRICAL", "PRECEDENT", "LOGICAL", "PREFERENTIAL", "SPECULATIVE"];
            let always = ["You MUST", "You MUST NOT", "Priority:", "Failing looks like:", "lens"];
            let checks = ["Clarity:", "Grounding:", "Alternatives:", "Risks:", "Uncertainty:"];
            let more = ["Consistency:", "Safety:", "\n9. ", "Answer: <", "Confidence: <", "- **"];
            for part in [&labels[..], &types, &always, &checks, &more].concat() {
                assert!(prompt.contains(part), "{} {} lacks {part}", plan.name, role.key);
            }
            let vote = "Vote: <ACCEPT, MINOR or BLOCKER";
            assert_eq!(prompt.contains(vote), phase != RoundPhase::First, "{prompt}");
            for part in ["Steelman a view", "concern not yet raised", "Tether dissent"] {
                assert_eq!(prompt.contains(part), phase == RoundPhase::Later, "{part}");
            }
        }
    });
}

/// A first answer keeps to the question, and nothing asks for a record's fields.
#[test]
fn a_working_is_asked_for_without_its_record() {
    every_role(|plan, role| {
        for style in [TWO_CALLS, ONE_GO, SMALL] {
            let brief = brief(plan, style, Question::Number { unit: None });
            for phase in RoundPhase::ALL {
                let asked = asked(plan, role, phase, &brief);
                let all = format!("{}\n{}", asked.system, asked.message);
                for field in ["JSON", "keyPoints", "evidenceType", "confidenceReason"] {
                    assert!(!all.contains(field), "{} {}: {field}", plan.name, role.key);
                }
                assert!(!all.to_lowercase().contains(" tool"), "{all}");
            }
            let first = asked(plan, role, RoundPhase::First, &brief);
            let all = format!("{}\n{}", first.system, first.message).to_lowercase();
            for harm in ["change your mind", "what would change", "another reading", "give up"] {
                assert!(!all.contains(harm), "{} {}: {harm}\n{all}", plan.name, role.key);
            }
        }
    });
}

/// Covers: 5-short
#[test]
fn a_small_model_is_asked_in_few_words() {
    every_role(|plan, role| {
        let brief = brief(plan, SMALL, Question::Number { unit: None });
        let first = asked(plan, role, RoundPhase::First, &brief);
        let count = words(&first.system) + words(&first.message) - words(QUESTION);
        assert!(count <= 110, "{} {}: {count}\n{}", plan.name, role.key, first.system);
        let end = "Answer: <the number alone>\nConfidence: <0 to 1, how likely you are right>";
        let argues = role.stance.is_some_and(|stance| stance.word() != "NEUTRAL");
        assert!(argues || first.message.ends_with(end), "{}", first.message);
        let later = asked(plan, role, RoundPhase::Later, &brief);
        for part in ["FACT", "DOCUMENTED", "id (C3, E2)", "check in silence"] {
            assert!(later.system.contains(part), "{part}");
        }
        assert!(later.message.contains("Vote: <"), "{}", later.message);
        let count = words(&later.system);
        assert!(count <= 240, "{} {}: {count}", plan.name, role.key);
    });
    let plan = modes::find("collaborative").unwrap();
    let brief = brief(plan, SMALL, Question::Number { unit: None });
    let first = asked(plan, &plan.roles[0], RoundPhase::First, &brief);
    assert!(words(&first.system) + words(&first.message) - words(QUESTION) <= 50);
}

#[test]
fn what_answers_in_parts_are_sent() {
    let plan = modes::find("collaborative").unwrap();
    let role = &plan.roles[0];
    let options = Question::Options { options: vec!["96".into(), "105".into()] };
    let shown = |style, question: Question, phase| {
        let brief = brief(plan, style, question);
        let asked = asked(plan, role, phase, &brief);
        format!("{}\n\n======== message ========\n\n{}", asked.system, asked.message)
    };
    let number = || Question::Number { unit: None };
    snapshot("parts.small.first", shown(SMALL, number(), RoundPhase::First));
    snapshot("parts.small.options", shown(SMALL, options, RoundPhase::First));
    snapshot("parts.small.later", shown(SMALL, number(), RoundPhase::Later));
    snapshot("parts.one-go.first", shown(ONE_GO, number(), RoundPhase::First));

    let brief = brief(plan, TWO_CALLS, number());
    let seat = seat(role);
    let words = Templates::new(plan, &BTreeMap::new()).unwrap();
    let part = PromptAddressee {
        plan,
        brief: &brief,
        seat: &seat,
        phase: RoundPhase::Later,
        lessons: &[],
    };
    let (system, user) = record(&words, &part, VIEW, "9f3a").unwrap();
    let schema = record_schema(plan, &number(), RoundPhase::Later, &seat, AnswerParts::TwoCalls);
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let listed: Vec<&str> =
        system.lines().filter_map(|line| line.strip_prefix("- ")?.split(':').next()).collect();
    assert_eq!(listed, names);
    snapshot("parts.record", format!("{system}\n\n======== message ========\n\n{user}"));
    let fields = [CountedField::Answer, CountedField::Confidence];
    let (system, user) = missing(&words, &part, &fields, VIEW, "9f3a").unwrap();
    snapshot("parts.missing", format!("{system}\n\n======== message ========\n\n{user}"));
    let schema = fields_schema(&number(), &fields);
    assert_eq!(schema["required"], json!(["answer", "confidence", "cannotSay"]));
    assert_eq!(schema["properties"]["answer"]["type"], json!(["number", "null"]));
}

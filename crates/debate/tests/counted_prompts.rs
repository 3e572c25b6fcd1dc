//! The parts of a prompt are counted once, and what it costs is what its whole text costs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::sync::Arc;

use debate::model::*;
use debate::modes;
use debate::prompts::{clerk_schema, clerk_system, consensus_schema, summary_schema};

/// A debate with a clerk, and whether its seats answer in words first.
fn brief(plan: &ModePlan, parts: AnswerParts) -> Brief {
    let mut brief = support::brief(plan.name, 6, 3);
    brief.clerk = Some(support::agent(9));
    brief.styles = vec![AnswerStyle { parts, ..AnswerStyle::default() }; brief.agents.len()];
    brief
}

#[test]
fn the_tokens_of_a_prompt_are_those_of_its_text() {
    for plan in modes::all() {
        for parts in [AnswerParts::Form, AnswerParts::OneGo] {
            let mut asked = 0;
            support::run(brief(plan, parts), |ask| {
                asked += 1;
                assert_eq!(ask.user.tokens(), tokens(&ask.user), "{} {}", plan.name, ask.id);
                assert_eq!(ask.system.tokens(), tokens(&ask.system));
                assert_eq!(ask.schema.tokens(), tokens(&ask.schema.to_string()));
            });
            assert!(asked > 8, "{}: {asked}", plan.name);
        }
    }
}

#[test]
fn a_kept_schema_is_the_one_that_would_be_made() {
    let (few, many) = (["Ada", "Brook"], ["Ada", "Brook", "Chen"]);
    for _ in 0..2 {
        for names in [&few[..], &many] {
            let stands = clerk_schema(Task::Consensus, names, || consensus_schema(names));
            let summary = clerk_schema(Task::Summary, names, || summary_schema(names));
            assert_eq!((&**stands, &**summary), (&consensus_schema(names), &summary_schema(names)));
            let again = clerk_schema(Task::Consensus, names, || panic!("it is kept"));
            assert!(Arc::ptr_eq(&stands, &again));
        }
    }
    // Only so many are kept.
    for number in 0..100 {
        clerk_schema(Task::Summary, &[&number.to_string()], || summary_schema(&[]));
    }
    let anew = clerk_schema(Task::Consensus, &few, || "made anew".into());
    assert_eq!(**anew, "made anew");
}

#[test]
fn the_same_words_of_a_clerk_are_one_text() {
    let one = clerk_system("You are the clerk of this test.".into());
    let other = clerk_system("You are the clerk of another test.".into());
    assert!(Arc::ptr_eq(&one, &clerk_system("You are the clerk of this test.".into())));
    assert!(!Arc::ptr_eq(&one, &other));
    assert_eq!(other.as_str(), "You are the clerk of another test.");
}

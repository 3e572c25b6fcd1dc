//! Every field out of range is refused by name, at its very boundary.

use super::*;
use crate::casting::tests::{PANEL, agent, brief};
use crate::model::{ParallelLevel, Perspective};

const MODES: [&str; 3] = ["panel", "court", "chain"];

fn faults(change: impl FnOnce(&mut Brief)) -> Vec<String> {
    let mut brief = brief(3);
    change(&mut brief);
    check(&brief, Some(&PANEL), &MODES).into_iter().map(|fault| fault.field.to_string()).collect()
}

#[track_caller]
fn fine(change: impl FnOnce(&mut Brief)) {
    assert_eq!(faults(change), Vec::<String>::new());
}

#[track_caller]
fn bad(field: &str, change: impl FnOnce(&mut Brief)) {
    assert_eq!(faults(change), [field]);
}

#[test]
fn a_plain_brief_is_fine() {
    fine(|_| {});
}

#[test]
fn topic() {
    fine(|brief| brief.topic = "ü".repeat(10_000));
    bad("topic", |brief| brief.topic = "ü".repeat(10_001));
    bad("topic", |brief| brief.topic = " \n".into());
}

#[test]
fn an_unknown_mode_gets_the_nearest_name() {
    let asked = Brief { mode: "cuort".into(), ..brief(2) };
    let faults = check(&asked, None, &MODES);
    assert_eq!(
        faults[0].to_string(),
        "mode: \"cuort\" is not allowed; allowed: panel, court, chain (nearest: court)"
    );
    for (given, nearest) in [("cha", "chain"), ("ourt", "court"), ("pan", "panel")] {
        let asked = Brief { mode: given.into(), ..brief(2) };
        let allowed = &check(&asked, None, &MODES)[0].allowed;
        assert!(allowed.ends_with(&format!("(nearest: {nearest})")), "{given}: {allowed}");
    }
    let asked = Brief { mode: "something else".into(), ..brief(2) };
    assert_eq!(check(&asked, None, &MODES)[0].allowed, "panel, court, chain");
    bad("mode", |brief| brief.mode = "Panel".into());
}

#[test]
fn agents() {
    let several = |count| move |asked: &mut Brief| asked.agents = brief(count).agents;
    fine(several(2));
    fine(several(10));
    bad("agents", several(1));
    bad("agents", several(11));
    bad("agents[1].name", |brief| brief.agents[1] = agent(" a0 "));
    bad("agents[2].name", |brief| brief.agents[2].name = " ".into());
    bad("agents[0].model", |brief| brief.agents[0].model.clear());
    bad("agents[2].temperature", |brief| brief.agents[2].temperature = Some(2.01));
    bad("clerk.temperature", |brief| {
        brief.clerk = Some(Agent { temperature: Some(-0.1), ..agent("clerk") });
    });
}

#[test]
fn more_agents_than_roles_for_one_each_are_refused() {
    const SINGLE: ModePlan = ModePlan {
        roles: &[
            crate::model::RolePlan {
                key: "a",
                title: "A",
                team: None,
                stance: None,
                held_by: RoleHolders::One,
            },
            crate::model::RolePlan {
                key: "b",
                title: "B",
                team: None,
                stance: None,
                held_by: RoleHolders::One,
            },
        ],
        ..PANEL
    };
    assert!(check(&brief(2), Some(&SINGLE), &MODES).is_empty());
    assert_eq!(check(&brief(3), Some(&SINGLE), &MODES)[0].allowed, "at most 2 in panel");
}

#[test]
fn rounds_and_limits() {
    fine(|brief| brief.rounds = 1);
    fine(|brief| brief.rounds = 20);
    bad("rounds", |brief| brief.rounds = 0);
    bad("rounds", |brief| brief.rounds = 21);
    fine(|brief| brief.limits.max_output_tokens = 256);
    bad("limits.maxOutputTokens", |brief| brief.limits.max_output_tokens = 255);
    fine(|brief| brief.limits.temperature = 2.0);
    fine(|brief| brief.limits.temperature = 0.0);
    bad("limits.temperature", |brief| brief.limits.temperature = 2.1);
    bad("limits.temperature", |brief| brief.limits.temperature = f64::NAN);
    fine(|brief| brief.limits.timeout_seconds = 5);
    fine(|brief| brief.limits.timeout_seconds = 1800);
    bad("limits.timeoutSeconds", |brief| brief.limits.timeout_seconds = 4);
    bad("limits.timeoutSeconds", |brief| brief.limits.timeout_seconds = 1801);
}

#[test]
fn every_threshold() {
    type Field = fn(&mut Thresholds) -> &mut f64;
    let fields: [(&str, Field); 9] = [
        ("similarity", |t| &mut t.similarity),
        ("prematureSimilarity", |t| &mut t.premature_similarity),
        ("divergence", |t| &mut t.divergence),
        ("evidence", |t| &mut t.evidence),
        ("stableShift", |t| &mut t.stable_shift),
        ("idleShift", |t| &mut t.idle_shift),
        ("votes", |t| &mut t.votes),
        ("voteConfidence", |t| &mut t.vote_confidence),
        ("plateauChange", |t| &mut t.plateau_change),
    ];
    for (name, field) in fields {
        fine(|brief| *field(&mut brief.thresholds) = 1.0);
        bad(&format!("thresholds.{name}"), |brief| *field(&mut brief.thresholds) = 1.001);
        bad(&format!("thresholds.{name}"), |brief| *field(&mut brief.thresholds) = -0.001);
    }
}

#[test]
fn flags() {
    bad("flags.groupthinkDetection.threshold", |b| b.flags.groupthink_detection.threshold = 1.5);
    bad("flags.exitCriteria.consensusThreshold", |b| {
        b.flags.exit_criteria.consensus_threshold = -1.0;
    });
    bad("flags.exitCriteria.confidenceThreshold", |b| {
        b.flags.exit_criteria.confidence_threshold = 2.0;
    });
    bad("flags.exitCriteria.convergenceRounds", |b| b.flags.exit_criteria.convergence_rounds = 0);
    fine(|b| b.flags.tool_enforcement.min_calls = 6);
    bad("flags.toolEnforcement.minCalls", |b| b.flags.tool_enforcement.min_calls = 7);
    bad("flags.sequentialMode.maxTokens", |b| b.flags.sequential_mode.max_tokens = 10);
    let level = |mode: &'static str| {
        move |b: &mut Brief| {
            b.flags.sequential_parallelization.modes.insert(mode.into(), ParallelLevel::Full);
        }
    };
    fine(level("court"));
    bad("flags.sequentialParallelization.modes", level("kourt"));
}

#[test]
fn options() {
    let options = |texts: &'static [&'static str]| {
        move |brief: &mut Brief| {
            let options = texts.iter().map(|text| (*text).to_owned()).collect();
            brief.question = Question::Options { options };
        }
    };
    fine(options(&["C", "C++"]));
    bad("question.options", options(&["only"]));
    bad("question.options[2]", options(&["Use Rust", "Go", " use  rust "]));
    bad("question.options[1]", options(&["Rust", " "]));
}

#[test]
fn perspectives() {
    let explicit = |names: &'static [&'static str]| {
        move |brief: &mut Brief| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            brief.perspectives.assignment = Assignment::Explicit(names);
        }
    };
    fine(explicit(&["technical", "Social", "social"]));
    bad("perspectives.assignment[1]", explicit(&["technical", "astral", "social"]));
    bad("perspectives.assignment", explicit(&["technical", "social"]));
    fine(|brief| {
        explicit(&["a", "b", "c"])(brief);
        brief.perspectives.source = PerspectiveSource::Generated;
    });
    bad("perspectives.given[0].name", |brief| {
        brief.perspectives.given = vec![Perspective::default()];
    });
}

#[test]
fn depth_and_fence_key() {
    bad("depth", |brief| brief.depth = Depth::Extended);
    fine(|brief| brief.depth = Depth::Auto);
    bad("fenceKey", |brief| brief.fence_key = "a".repeat(31));
    bad("fenceKey", |brief| brief.fence_key = "g".repeat(32));
    let secret = Brief { fence_key: "secret".into(), ..brief(2) };
    assert!(!check(&secret, None, &MODES)[0].to_string().contains("secret"));
}

#[test]
fn all_faults_come_at_once_each_in_one_line() {
    let mut brief = brief(1);
    brief.topic.clear();
    brief.mode = format!("bad\nmode{}", "x".repeat(500));
    brief.rounds = 99;
    brief.limits.temperature = f64::MAX;
    let faults = check(&brief, None, &MODES);
    let fields: Vec<String> = faults.iter().map(|fault| fault.field.to_string()).collect();
    assert_eq!(fields, ["topic", "mode", "agents", "rounds", "limits.temperature"]);
    for fault in &faults {
        let line = fault.to_string();
        assert!(!line.contains('\n') && line.chars().count() < 200, "{line}");
    }
    assert_eq!(faults[3].to_string(), "rounds: 99 is not allowed; allowed: 1 to 20");
}

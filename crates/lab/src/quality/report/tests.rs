//! The quality report claims only what chance does not explain.

use std::collections::BTreeMap;

use crate::quality::questions::{QuestionItem, Questions, RightAnswer};
use crate::quality::report::*;
use crate::quality::results::Cost;

fn plan(items: usize) -> QualityPlan {
    let kind = RightAnswer::Choice { options: vec!["a".into(), "b".into()], truth: 0 };
    let item = |number: usize| QuestionItem {
        question: "a or b?".into(),
        kind: kind.clone(),
        domain: Some(if number < items / 2 { "early" } else { "late" }.into()),
    };
    QualityPlan {
        questions: Questions { name: "made up".into(), items: (0..items).map(item).collect() },
        text: String::new(),
        speakers: Speakers::Live { agents: vec!["x".into(), "y".into()], clerk: None },
        mode: "collaborative".into(),
        rounds: 2,
        seeds: 1,
        seed: 1,
        arms: Arm::ALL.to_vec(),
        parallel: 1,
        cap: None,
        record: None,
    }
}

/// Which arms are right on the item of this number.
fn answered(items: usize, right: impl Fn(Arm, usize) -> bool) -> Vec<QuestionResult> {
    let cost = |arm: Arm| Cost {
        usd: if arm == Arm::FirstMajority { 0.01 } else { 0.03 },
        priced: true,
        input_tokens: 10,
        output_tokens: 10,
        calls: 1,
    };
    let one = |item: usize| {
        let given = |arm: Arm| {
            let right = right(arm, item);
            (arm, ArmAnswer { right, read: true, probability: 0.8, cost: cost(arm) })
        };
        let arms: BTreeMap<Arm, ArmAnswer> = Arm::ALL.into_iter().map(given).collect();
        QuestionResult {
            item,
            seed: 1,
            arms,
            ways: vec![(true, false), (false, true)],
            spent_usd: 0.1,
            stated: Vec::new(),
            checks: DebateChecks::default(),
        }
    };
    (0..items).map(one).collect()
}

#[test]
fn debate_helps_only_where_it_beats_both_rivals_beyond_chance() {
    type Right = fn(Arm, usize) -> bool;
    let table: [(&str, Right, HelpClaim); 4] = [
        (
            "better than both",
            |arm, item| arm == Arm::Roundtable || item % 3 != 0,
            HelpClaim::DebateHelps,
        ),
        (
            "no better than its first round",
            |arm, item| matches!(arm, Arm::Roundtable | Arm::FirstWeighed) || item % 3 != 0,
            HelpClaim::BetterAggregation,
        ),
        (
            "no better than the vote of the same cost",
            |arm, item| matches!(arm, Arm::Roundtable | Arm::PlainVote) || item % 3 != 0,
            HelpClaim::NotShown,
        ),
        (
            "better by one question, which may be chance",
            |arm, item| arm == Arm::Roundtable || item != 7,
            HelpClaim::NotShown,
        ),
    ];
    for (name, right, claim) in table {
        let found = report(&plan(60), &answered(60, right));
        assert_eq!(found.claim, claim, "{name}: {}", found.sentence);
        assert_eq!(
            found.sentence.contains("debate helps"),
            claim == HelpClaim::DebateHelps,
            "{name}"
        );
    }
}

#[test]
fn an_extra_right_answer_has_its_price() {
    let right = |arm, item: usize| arm == Arm::Roundtable || item.is_multiple_of(2);
    let found = report(&plan(40), &answered(40, right));
    let gain = found
        .gains
        .iter()
        .find(|gain| gain.own == Arm::Roundtable && gain.over == Arm::FirstMajority)
        .unwrap();
    // 40 questions, each two cents dearer, and 20 more are right.
    assert!((gain.cost_per_extra_right.unwrap() - 0.04).abs() < 1e-9, "{gain:?}");
    assert_eq!((gain.only_ours, gain.only_theirs), (20, 0));
    assert!((gain.points.value - 50.0).abs() < 1e-9);
    let ours = found.arms.iter().find(|arm| arm.arm == Arm::Roundtable).unwrap();
    assert!((ours.brier - 0.04).abs() < 1e-9 && (ours.calibration_error - 0.2).abs() < 1e-9);
    assert_eq!(found.by_domain.len(), 2);
    assert!((found.by_domain[0].first_weighed - 0.5).abs() < 1e-9, "{:?}", found.by_domain);
    assert_eq!(found.by_domain[0].roundtable, 1.0);
    assert!(found.hurt.is_empty());
    let worse = report(&plan(40), &answered(40, |arm, item| arm != Arm::Roundtable || item != 4));
    assert_eq!(worse.hurt, [5]);
    assert_eq!(found.switches.right_wrong, 40);
    assert_eq!(found.switches.wrong_right, 40);
}

//! Statistics, scenarios and questions of the lab.

use crate::file::SourceText;
use crate::quality::questions::{Questions, RightAnswer};
use crate::scenario::Scenario;
use crate::shipped;
use crate::statistics::{Dice, bootstrap, holm, mcnemar, quantile};
use debate::model::Choice;
use std::path::Path;

#[test]
fn mcnemar_meets_known_values() {
    // Binomial, two-sided: 2 × P(X ≤ 1 | 10, ½) = 22 ÷ 1024.
    assert!((mcnemar(1, 9) - 22.0 / 1024.0).abs() < 1e-12);
    assert!((mcnemar(9, 1) - mcnemar(1, 9)).abs() < 1e-15);
    assert_eq!(mcnemar(0, 0), 1.0);
    assert_eq!(mcnemar(5, 5), 1.0);
    assert!(mcnemar(100, 400) < 1e-30);
}

#[test]
fn holm_multiplies_and_never_falls() {
    let corrected = holm(&[0.01, 0.04, 0.03]);
    for (found, wanted) in corrected.iter().zip([0.03, 0.06, 0.06]) {
        assert!((found - wanted).abs() < 1e-12, "{corrected:?}");
    }
    assert!(holm(&[]).is_empty());
}

#[test]
fn an_interval_holds_the_mean_and_is_the_same_every_time() {
    let values: Vec<f64> = (0..50).map(|n| f64::from(n % 7)).collect();
    let draw = || bootstrap(&values, 3, 2_000).unwrap();
    let (one, other) = (draw(), draw());
    assert_eq!(one, other);
    let (low, high) = (one.low.unwrap(), one.high.unwrap());
    assert!(low < one.value && one.value < high, "{one:?}");
    // The standard error of this mean is about 0.28.
    assert!(high - low > 0.9 && high - low < 1.3, "{one:?}");
    assert_eq!(bootstrap(&[2.0], 3, 10).unwrap().low, None);
}

#[test]
fn dice_are_fair_and_stay_in_range() {
    let mut dice = Dice::new(1);
    let mut seen = [0_u32; 5];
    for _ in 0..10_000 {
        seen[dice.below(5)] += 1;
    }
    assert!(seen.iter().all(|count| (1_850..2_150).contains(count)), "{seen:?}");
    assert_eq!(quantile(&[1.0, 2.0, 3.0], 0.5), Some(2.0));
    assert_eq!(quantile(&[], 0.5), None);
}

#[test]
fn every_mode_has_its_baseline_and_its_parallel_scenario() {
    let all = shipped::all().unwrap();
    for plan in debate::modes::all() {
        for kind in ["baseline", "parallel"] {
            let name = format!("{}-{kind}", plan.name);
            let found = all.iter().find(|scenario| scenario.name == name);
            assert_eq!(found.map(|one| one.mode.as_str()), Some(plan.name), "{name}");
        }
    }
    assert_eq!(all.len(), 2 * debate::modes::all().len());
}

#[test]
fn a_scenario_says_every_flag() {
    let text =
        "name = \"a\"\ntopic = \"t\"\nmode = \"delphi\"\n[flags.exitCriteria]\nenabled = true\n";
    let scenario = Scenario::of(&SourceText::own("a", text), Path::new(".")).unwrap();
    let order = scenario.order(&scenario.cases[0], 4);
    assert!(order.flags.contains(&"exitCriteria.enabled=true".to_owned()), "{:?}", order.flags);
    assert!(order.flags.contains(&"groupthinkDetection.threshold=0.9".to_owned()));
    assert_eq!(order.seed.as_deref(), Some("4"));
}

#[test]
fn questions_know_right_from_wrong() {
    let text = "[[item]]\nquestion = \"a\"\noptions = [\"x\", \"y\"]\nanswer = \"Y\"\n\
                [[item]]\nquestion = \"b\"\nanswer = true\n\
                [[item]]\nquestion = \"c\"\nanswer = 200\ntolerance = 0.01\n";
    let set = Questions::of(&SourceText::own("set", text), "set".into()).unwrap();
    let [choice, yes, number] = set.items.as_slice() else { panic!("{set:?}") };
    let word = |word: &str| Some(Choice::Option(word.into()));
    assert!(choice.is_right(word("y").as_ref()) && !choice.is_right(word("x").as_ref()));
    assert!(yes.is_right(word("yes").as_ref()) && !yes.is_right(word("no").as_ref()));
    assert!(number.is_right(Some(&Choice::Number(201.9))));
    assert!(!number.is_right(Some(&Choice::Number(203.0))));
    assert!(!number.is_right(None), "what cannot be read is wrong");
    assert!(!number.is_right(word("200").as_ref()));
    assert!(matches!(&choice.kind, RightAnswer::Choice { truth: 1, .. }));
}

//! Calibrations of similarities: their lines, their fit, and what they refuse.

use super::*;

fn judged() -> Basis {
    Basis::Judged {
        set: "a set".into(),
        date: "2026-11-15".into(),
        pairs: 40,
        spearman: 0.8,
        explained: 0.6,
    }
}

fn knots(points: &[(f64, f64)]) -> Vec<Knot> {
    points.iter().map(|&(cosine, similarity)| Knot { cosine, similarity }).collect()
}

/// An embedder whose cosines are all squeezed into 0.7 to 1.
fn squeezed(count: usize) -> Vec<(f64, f64)> {
    (0..count)
        .map(|at| at as f64 / (count - 1) as f64)
        .map(|judgement| (0.7 + 0.3 * judgement.powi(2), judgement))
        .collect()
}

#[test]
fn the_line_goes_through_its_points_and_stays_flat_outside() {
    let line = Calibration::new(knots(&[(0.2, 0.1), (0.6, 0.5), (1.0, 1.0)]), judged()).unwrap();
    for (cosine, similarity) in
        [(-1.0, 0.1), (0.2, 0.1), (0.4, 0.3), (0.6, 0.5), (0.8, 0.75), (1.0, 1.0), (1.5, 1.0)]
    {
        assert!((line.read(cosine) - similarity).abs() < 1e-12, "{cosine}");
    }
}

#[test]
fn points_that_fall_or_leave_the_scale_are_refused() {
    let cases: [&[(f64, f64)]; 7] = [
        &[],
        &[(1.0, 1.0)],
        &[(0.2, 0.5), (0.6, 0.4), (1.0, 1.0)],
        &[(0.6, 0.2), (0.6, 0.4), (1.0, 1.0)],
        &[(0.2, -0.1), (1.0, 1.0)],
        &[(f64::NAN, 0.1), (1.0, 1.0)],
        &[(0.2, 0.1), (0.9, 1.0)],
    ];
    for case in cases {
        assert_eq!(Calibration::new(knots(case), judged()), Err(FitError::NotRising), "{case:?}");
    }
}

#[test]
fn a_fit_undoes_what_an_embedder_does_to_the_scale() {
    let line = fit(&squeezed(200)).unwrap();
    for judgement in [0.0, 0.1, 0.25, 0.4, 0.5, 0.8, 0.9, 1.0] {
        let read = line.read(0.7 + 0.3 * f64::powi(judgement, 2));
        assert!((read - judgement).abs() < 0.04, "{judgement} reads {read}");
    }
    assert!(line.is_calibrated());
}

#[test]
fn the_order_of_the_pairs_does_not_matter() {
    let pairs = squeezed(60);
    let backwards: Vec<(f64, f64)> = pairs.iter().rev().copied().collect();
    assert_eq!(fit(&pairs), fit(&backwards));
}

#[test]
fn too_few_pairs_and_impossible_figures_are_refused() {
    assert_eq!(fit(&squeezed(MIN_PAIRS - 1)), Err(FitError::TooFew { got: MIN_PAIRS - 1 }));
    assert!(fit(&squeezed(MIN_PAIRS)).is_ok());
    for wrong in [(1.1, 0.5), (f64::NAN, 0.5), (0.5, 3.0), (0.5, f64::NAN)] {
        let mut pairs = squeezed(MIN_PAIRS);
        pairs.push(wrong);
        let number = pairs.len();
        assert!(
            matches!(fit(&pairs), Err(FitError::OutOfRange { number: at, .. }) if at == number),
            "{wrong:?}"
        );
    }
}

#[test]
fn an_embedder_that_sees_nothing_gets_no_calibration() {
    // Judgements that alternate explain nothing at any cosine.
    let noise: Vec<(f64, f64)> =
        (0..100).map(|at| (f64::from(at) / 100.0, f64::from(at % 2))).collect();
    assert!(matches!(fit(&noise), Err(FitError::Unrelated { .. })));
    let constant: Vec<(f64, f64)> = squeezed(50).iter().map(|pair| (0.8, pair.1)).collect();
    assert!(matches!(fit(&constant), Err(FitError::Unrelated { .. })));
    let backwards: Vec<(f64, f64)> = squeezed(50).iter().map(|pair| (-pair.0, pair.1)).collect();
    assert!(matches!(fit(&backwards), Err(FitError::Unrelated { .. })));
}

#[test]
fn pooling_finds_the_best_rising_curve() {
    let blocks = rising_blocks(&[(0.1, 0.0), (0.2, 0.6), (0.3, 0.4), (0.4, 0.5), (0.5, 0.9)]);
    let found: Vec<(f64, f64)> = blocks.iter().map(|block| (block.mean, block.weight)).collect();
    assert_eq!(found, [(0.0, 1.0), (0.5, 3.0), (0.9, 1.0)]);
}

#[test]
fn similarity_is_the_same_both_ways_and_one_for_equals() {
    let line = Calibration::new(knots(&[(0.0, 0.0), (0.5, 0.2), (1.0, 1.0)]), judged()).unwrap();
    let a: Vec<f32> = (0..256).map(|at| (at as f32 * 0.37).sin()).collect();
    let b: Vec<f32> = (0..256).map(|at| (at as f32 * 0.41).cos()).collect();
    assert_eq!(line.similarity(&a, &b), line.similarity(&b, &a));
    assert_eq!(line.similarity(&a, &a), Some(1.0));
    assert_eq!(line.similarity(&a, &[0.0; 256]), None);
    assert_eq!(line.similarity(&[0.0; 4], &[0.0; 4]), None);
    assert_eq!(line.similarity(&[1.0], &[1.0, 0.0]), None);
}

#[test]
fn an_uncalibrated_embedder_says_so() {
    let plain = Calibration::uncalibrated("nobody has measured it");
    assert!(!plain.is_calibrated());
    assert_eq!(plain.read(0.35), 0.35);
    assert_eq!(plain.read(-0.4), 0.0);
    assert_eq!(plain.sentence(), "not calibrated: nobody has measured it");
}

#[test]
fn a_calibration_can_be_kept_and_a_damaged_one_is_refused() {
    let line = fit(&squeezed(40)).unwrap().named("own", "2026-11-15");
    let kept = serde_json::to_value(&line).unwrap();
    assert_eq!(serde_json::from_value::<Calibration>(kept.clone()).unwrap(), line);
    let mut damaged = kept;
    damaged["knots"][3]["similarity"] = 0.0.into();
    assert!(serde_json::from_value::<Calibration>(damaged).is_err());
}

proptest::proptest! {
    #[test]
    fn a_fitted_line_never_falls(
        pairs in proptest::collection::vec((-1.0..=1.0_f64, 0.0..=0.3_f64), 30..80),
        cosines in proptest::collection::vec(-1.0..=1.0_f64, 2..20),
    ) {
        // Judgements that follow the cosine, with noise.
        let pairs: Vec<(f64, f64)> =
            pairs.iter().map(|&(x, noise)| (x, 0.7 * (x + 1.0) / 2.0 + noise)).collect();
        if let Ok(line) = fit(&pairs) {
            let mut cosines = cosines;
            cosines.sort_by(f64::total_cmp);
            let read: Vec<f64> = cosines.iter().map(|&x| line.read(x)).collect();
            proptest::prop_assert!(read.is_sorted());
            proptest::prop_assert!(read.iter().all(|y| (0.0..=1.0).contains(y)));
            proptest::prop_assert_eq!(line.read(1.0), 1.0);
        }
    }
}

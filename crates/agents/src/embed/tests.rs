//! Any embedder can be calibrated, and cosines need comparable vectors.

use futures::FutureExt;

use super::*;

/// The result of a future that never has to wait.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing to wait for")
}

#[test]
fn any_embedder_can_be_calibrated_on_the_programs_own_pairs() {
    let pairs = own_pairs().unwrap();
    let embedder = StaticEmbedder::new();
    let fitted = now(calibrate(&embedder, &pairs, "own pairs", "2026-11-15")).unwrap();
    let Basis::Judged { set, pairs: count, spearman, .. } = fitted.basis() else {
        panic!("{:?}", fitted.basis())
    };
    assert_eq!((set.as_str(), *count), ("own pairs", pairs.len()));
    assert!(*spearman > 0.5, "{spearman}");
}

#[test]
fn a_pair_that_cannot_be_embedded_stops_the_calibration() {
    let mut pairs = own_pairs().unwrap();
    pairs[4].b = "東京".into();
    let error = now(calibrate(&StaticEmbedder::new(), &pairs, "", "")).unwrap_err();
    let expected = EmbedError::NoVector { number: 5, why: NoVector::NothingKnown };
    assert_eq!(error, CalibrateError::Embed(expected));
}

#[test]
fn cosine_needs_two_directions_of_one_length() {
    assert_eq!(cosine(&[3.0, 4.0], &[6.0, 8.0]), Some(1.0));
    assert_eq!(cosine(&[1.0, 0.0], &[0.0, 2.0]), Some(0.0));
    assert_eq!(cosine(&[1.0, 0.0], &[-2.0, 0.0]), Some(-1.0));
    assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), None);
    assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
    assert_eq!(cosine(&[f32::NAN], &[1.0]), None);
    assert_eq!(cosine(&[], &[]), None);
}

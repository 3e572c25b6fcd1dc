//! The shipped embedding table gives its golden vectors.

use serde_json::Value;

use super::super::cosine;
use super::super::tests::now;
use super::*;

/// The golden figures are rounded to six decimals.
const TOLERANCE: f64 = 2e-6;

#[test]
fn golden_texts_have_their_golden_rows_vectors_and_cosines() {
    let golden: Vec<Value> =
        serde_json::from_str(include_str!("../../../assets/golden-256-int4.json")).unwrap();
    assert_eq!(golden.len(), 8);
    let embedder = StaticEmbedder::new();
    for pair in golden {
        let side = |name: &str| {
            let text = pair[name].as_str().unwrap();
            let rows: Vec<usize> =
                serde_json::from_value(pair[&format!("rows_{name}")].clone()).unwrap();
            assert_eq!(embedder.rows(text).unwrap(), rows, "{text}");
            let TextVector::Placed(vector) = embedder.vector(text).unwrap() else {
                panic!("{text} has no vector");
            };
            vector
        };
        let (a, b) = (side("a"), side("b"));
        let first: Vec<f64> = serde_json::from_value(pair["vec_a_first8"].clone()).unwrap();
        for (found, golden) in a.iter().zip(&first) {
            assert!((f64::from(*found) - golden).abs() < TOLERANCE, "{found} for {golden}");
        }
        let found = cosine(&a, &b).unwrap();
        let golden = pair["cosine"].as_f64().unwrap();
        assert!((found - golden).abs() < TOLERANCE, "{found} for {golden}");
    }
}

#[test]
fn a_text_without_a_known_word_has_no_vector_and_says_why() {
    let embedder = StaticEmbedder::new();
    for (text, why) in [
        ("", NoVector::Empty),
        (" \n\t", NoVector::Empty),
        ("東京", NoVector::NothingKnown),
        ("\u{200b}", NoVector::NothingKnown),
        ("привет", NoVector::NothingKnown),
    ] {
        let texts = ["fine".to_owned(), text.to_owned()];
        let error = now(embedder.embed(&texts)).unwrap_err();
        assert_eq!(error, EmbedError::NoVector { number: 2, why }, "{text:?}");
    }
}

#[test]
fn the_shipped_calibration_was_measured() {
    let embedder = StaticEmbedder::new();
    assert!(embedder.calibration().is_calibrated(), "{}", embedder.calibration().sentence());
    assert!(embedder.calibration().read(0.87) >= 0.8);
}

#[test]
fn no_texts_have_no_vectors() {
    assert_eq!(now(StaticEmbedder::new().embed(&[])).unwrap(), Vec::<Vec<f32>>::new());
}

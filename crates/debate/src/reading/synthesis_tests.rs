//! A synthesis keeps only claims that exist.

use super::*;

#[test]
fn a_synthesis_keeps_only_claims_that_exist() {
    let raw = r#"{"commonGround": ["All want it.", {"text": "It pays.", "claims": ["C1", "C9"]}],
        "keyDifferences": [{"claims": ["C1"]}], "evolution": [],
        "conclusion": {"text": "Do it.", "claims": ["[C2]", "c3"]},
        "recommendation": "Begin small.", "confidence": "80 %"}"#;
    let read = read_synthesis(raw, 2).unwrap();
    assert_eq!(read.common_ground.len(), 2);
    assert_eq!(read.common_ground[1].claims, [ClaimId(1)]);
    assert!(read.key_differences.is_empty(), "a point without words is none");
    assert_eq!(read.conclusion.claims, [ClaimId(2)]);
    assert_eq!(read.recommendation.text, "Begin small.");
    assert_eq!(read.confidence, Some(0.8));
    let dropped = &read.notes.iter().find(|note| note.check == "references").unwrap().text;
    assert!(dropped.contains("C3, C9"), "{dropped}");
}

#[test]
fn without_a_conclusion_there_is_no_synthesis() {
    for raw in ["", "All agreed.", r#"{"commonGround": ["x"]}"#, r#"{"conclusion": " "}"#] {
        assert!(read_synthesis(raw, 3).is_err(), "{raw}");
    }
    let read = read_synthesis(r#"{"conclusion": "So be it.", "confidence": 7}"#, 3).unwrap();
    assert_eq!(read.confidence, None, "it is not brought into range");
    assert!(!read.notes.is_empty());
}

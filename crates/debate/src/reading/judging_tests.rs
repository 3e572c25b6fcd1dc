//! Judgements are read or refused, never guessed.

use super::*;

#[test]
fn a_judgement_is_read_or_refused_and_never_guessed() {
    let rows = [
        (r#"{"reasons": [], "judgement": "allow"}"#, Some(Judgement::Allow)),
        (r#"{"reasons": "too much detail", "judgement": "Revise"}"#, Some(Judgement::Revise)),
        (
            "```json\n{\"judgment\": \"BLOCK\", \"reasons\": [\"a recipe\"]}\n```",
            Some(Judgement::Block),
        ),
        (r#"{"judgement": "allow unless it is bad"}"#, None),
        (r#"{"judgement": true}"#, None),
        ("I would allow it.", None),
        ("", None),
    ];
    for (raw, expected) in rows {
        assert_eq!(read_judgement(raw).ok().map(|read| read.judgement), expected, "{raw}");
    }
    let read = read_judgement(r#"{"reasons": "too much detail", "judgement": "revise"}"#).unwrap();
    assert_eq!(read.reasons, ["too much detail"]);
    let many = serde_json::json!({"judgement": "block", "reasons": vec!["word ".repeat(500); 9]});
    let read = read_judgement(&many.to_string()).unwrap();
    assert_eq!(read.reasons.len(), MAX_REASONS);
    assert!(crate::model::tokens(&read.reasons[0]) <= REASON_TOKENS);
}

#[test]
fn a_rating_needs_a_number_between_0_and_1() {
    let whole = r#"{"stakeholders": 4, "technicalDomains": "3", "horizon": "long",
        "budgetImpact": "HIGH", "rating": 0.8}"#;
    let read = read_complexity(whole).unwrap();
    assert_eq!(read.rating, Some(0.8));
    assert_eq!(read.counts.stakeholders, Some(4));
    assert_eq!(read.counts.technical_domains, Some(3));
    assert_eq!(read.counts.horizon, Some(Horizon::Long));
    assert_eq!(read.counts.budget_impact, Some(Impact::High));
    let bare = read_complexity(r#"{"rating": "70 %", "horizon": "soon", "stakeholders": -2}"#);
    let bare = bare.unwrap();
    assert_eq!(bare.rating, Some(0.7));
    assert_eq!(bare.counts, ComplexityFigures::default(), "what cannot be read stays open");
    for raw in [r#"{"rating": 7}"#, r#"{"rating": "hard"}"#, r#"{"stakeholders": 3}"#, "0.7", ""] {
        assert!(read_complexity(raw).is_none(), "{raw}");
    }
}

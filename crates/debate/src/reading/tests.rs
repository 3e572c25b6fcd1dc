//! Each tolerance: the input it accepts, the input it refuses, and its note.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{Ballot, Choice, CritiqueOutcome, EvidenceType, Label, Side, Strength};

const OPEN: Question = Question::Open;

fn asked(question: &Question) -> ExpectedAnswer<'_> {
    ExpectedAnswer {
        evidence: false,
        round: 2,
        stance: None,
        vote: true,
        critiques: true,
        ruling: false,
        question,
        known_claims: 3,
        sources: &[],
    }
}

fn first(raw: &str) -> Reading {
    read(raw, &asked(&OPEN), RepairChance::First)
}

fn of(value: serde_json::Value) -> Reading {
    first(&value.to_string())
}

fn notes(reading: &Reading, check: &str) -> Vec<String> {
    reading.notes.iter().filter(|n| n.check == check).map(|n| n.text.clone()).collect()
}

fn mended(reading: &Reading, repair: json::JsonRepair) -> bool {
    notes(reading, "json").iter().any(|text| text == repair.sentence())
}

/// Covers: 3-record
#[test]
fn a_whole_answer_is_read_without_a_note() {
    let reading = of(json!({
        "position": "Ship it.", "reasoning": "It works [1].", "keyPoints": ["a", "b"],
        "confidence": 0.8, "confidenceReason": "new data", "vote": {"ballot": "MINOR", "objection": "typo"},
        "claims": [{"text": "It works", "label": "FACT", "evidenceType": "EMPIRICAL", "citations": [1],
                    "supports": ["C1"], "opposes": ["C2"], "retracts": ["C3"]}],
        "citations": [{"number": 1, "title": "Report", "url": "https://example.org/r"}],
        "critiques": [{"claim": "C2", "evidenceType": "LOGICAL", "strength": "high",
                       "counterEvidence": "x", "outcome": "synthesis", "text": "both"}]
    }));
    assert_eq!(reading.notes, vec![]);
    assert_eq!(reading.problem, None);
    let answer = reading.answer;
    assert_eq!(answer.confidence, Some(0.8));
    assert_eq!(answer.vote.as_ref().unwrap().ballot, Ballot::Minor);
    assert_eq!(answer.claims[0].label, Label::Fact);
    assert_eq!(answer.claims[0].citations, vec![1]);
    assert_eq!(answer.critiques[0].outcome, CritiqueOutcome::Synthesis);
    assert_eq!(answer.critiques[0].strength, Strength::High);
    assert!(!answer.unstructured);
}

#[test]
fn broken_json_is_mended_and_every_mending_is_noted() {
    use json::JsonRepair::*;
    let rows: &[(&str, json::JsonRepair)] = &[
        ("\u{feff}{\"position\":\"P\",\"reasoning\":\"R\"}", ByteOrderMark),
        ("```json\n{\"position\":\"P\",\"reasoning\":\"R\"}\n```", Fence),
        ("Here you {are}:\n{\"position\":\"P\",\"reasoning\":\"R\"}\nBye {now}", Prose),
        ("<think>{\"position\":\"X\"}</think>{\"position\":\"P\",\"reasoning\":\"R\"}", Thoughts),
        ("hm, right.</think>\n{\"position\":\"P\",\"reasoning\":\"R\"}", Thoughts),
        ("{\"position\":\"X\"} no, rather {\"position\":\"P\",\"reasoning\":\"R\"}", Several),
        ("\"{\\\"position\\\":\\\"P\\\",\\\"reasoning\\\":\\\"R\\\"}\"", Encoded),
        ("{'position': 'P', 'reasoning': 'R'}", Quotes),
        ("{“position”: “P”, “reasoning”: “R”}", Quotes),
        ("{position: \"P\", reasoning: \"R\"}", BareKey),
        ("{\"position\": P, \"reasoning\": \"R\"}", BareValue),
        ("{\"position\":\"P\",\"reasoning\":\"R\",\"stance\":None}", Literal),
        ("{\"position\":\"P\",\"reasoning\":\"R\",\"confidence\":NaN}", Literal),
        ("{\"position\":\"P\",\"reasoning\":\"R\",}", TrailingComma),
        ("{\"position\":\"P\"\n\"reasoning\":\"R\"}", MissingComma),
        ("{\"position\":\"P\", // why\n\"reasoning\":\"R\" /* so */}", Comment),
        ("{\"position\":\"P\",\"keyPoints\":[\"a\",\"b\"},\"reasoning\":\"R\"}", Bracket),
        ("{\"position\":\"P\",,\"reasoning\":\"R\"}", Stray),
        ("{\"position\":\"P\",\"reasoning\":\"R\"", Cut),
        ("{\"position\":\"P\",\"reasoning\":\"R\",\"conf", Cut),
        ("{\"position\":\"P\",\"reasoning\":\"R\",\"confidence\":", Cut),
        ("{\"position\":\"P\",\"reasoning\":\"R\",\"confidence\":0.8", Cut),
        ("{\"position\":\"P\",\"reasoning\":\"R\"\n```\nHope this helps", Cut),
    ];
    for (raw, repair) in rows {
        let reading = first(raw);
        assert_eq!(reading.answer.position, "P", "{raw}");
        assert!(mended(&reading, *repair), "{raw}: {:?}", reading.notes);
        assert!(!reading.answer.unstructured, "{raw}");
        assert_eq!(reading.answer.confidence, None, "{raw}");
        if !matches!(repair, Bracket) {
            assert_eq!(reading.answer.reasoning, "R", "{raw}");
        }
    }
}

#[test]
fn strings_keep_what_json_would_refuse() {
    use json::JsonRepair::*;
    let rows: &[(&str, &str, json::JsonRepair)] = &[
        ("{\"position\":\"P\",\"reasoning\":\"one\ntwo\"}", "one\ntwo", LineBreak),
        (
            r#"{"position":"P","reasoning":"she said "yes", "no" and left"}"#,
            "she said \"yes\", \"no\" and left",
            InnerQuote,
        ),
        (r#"{"position":"P","reasoning":"\(x\) is 5"}"#, r"\(x\) is 5", Escape),
        ("{'position':'P','reasoning':'it's fine'}", "it's fine", InnerQuote),
        (r#"{"position":"P",reasoning:"caf\u00e9 \ud83d\ude00"}"#, "café 😀", BareKey),
        (r#"{"position":"P","reasoning":"cut \u00"#, "cut", Cut),
    ];
    for (raw, reasoning, repair) in rows {
        let reading = first(raw);
        assert_eq!(reading.answer.reasoning, *reasoning, "{raw}");
        assert!(mended(&reading, *repair), "{raw}: {:?}", reading.notes);
    }
}

#[test]
fn a_half_value_is_dropped_where_a_part_would_say_something_else() {
    let options = Question::Options { options: vec!["Plan 1".into(), "Plan 12".into()] };
    let raw = r#"{"position":"P","reasoning":"R","answer":"Plan 1"#;
    assert_eq!(read(raw, &asked(&options), RepairChance::Last).answer.answer, None);
    let raw = r#"{"position":"P","reasoning":"R","confidence":"0.8"#;
    assert_eq!(first(raw).answer.confidence, None);
    let raw = r#"{"position":"P","claims":[{"text":"t","label":"OPEN","evidenceType":"LOGICAL","supports":["C1"#;
    assert_eq!(first(raw).answer.claims[0].supports, vec![]);
    let raw = r#"{"position":"P","reasoning":"half a sen"#;
    assert_eq!(first(raw).answer.reasoning, "half a sen");
}

#[test]
fn deep_nesting_is_dropped_and_the_rest_kept() {
    let deep = format!("{}{}", "{\"a\":[".repeat(5_000), "]}".repeat(5_000));
    let reading = first(&format!("{{\"x\":{deep},\"position\":\"P\",\"reasoning\":\"R\"}}"));
    assert_eq!(reading.answer.position, "P");
    assert!(mended(&reading, json::JsonRepair::Deep));
}

#[test]
fn names_are_read_in_any_spelling() {
    for raw in [
        json!({"Position": "P", "Reasoning": "R", "key_points": ["k"]}),
        json!({"thesis": "P", "argument": "R", "Key Points": "- k"}),
        json!({"response": {"position": "P", "reasoning": ["R"], "keyPoints": [{"point": "k"}]}}),
    ] {
        let answer = of(raw.clone()).answer;
        assert_eq!((answer.position.as_str(), answer.reasoning.as_str()), ("P", "R"), "{raw}");
        assert_eq!(answer.key_points, vec!["k"], "{raw}");
    }
    let schema = json!({"type": "object", "properties": {"position": {"type": "string"}, "reasoning": {"type": "string"}}});
    assert!(of(schema).answer.unstructured, "a schema sent back is no answer");
}

#[test]
fn confidence_is_a_number_or_absent() {
    let rows = [
        (json!(0.85), Some(0.85)),
        (json!(85), Some(0.85)),
        (json!("85%"), Some(0.85)),
        (json!("85 %"), Some(0.85)),
        (json!("0.85"), Some(0.85)),
        (json!("8/10"), Some(0.8)),
        (json!(1), Some(1.0)),
        (json!(1.2), Some(1.0)),
        (json!(-0.1), Some(0.0)),
        (json!(250), Some(1.0)),
        (json!("high"), None),
        (json!("0.8 or so 9"), None),
        (json!([]), None),
        (json!("1e999"), None),
    ];
    for (said, read) in rows {
        let reading = of(json!({"position": "P", "reasoning": "R", "confidence": said}));
        assert_eq!(reading.answer.confidence, read, "{said}");
        let clean = said.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n));
        assert_eq!(notes(&reading, "confidence").is_empty(), clean, "{said}");
    }
}

#[test]
fn answers_are_matched_exactly_or_not_at_all() {
    let option = |word: &str| Some(Choice::Option(word.to_owned()));
    let languages =
        Question::Options { options: vec!["C".into(), "C++".into(), "Rust 2024".into()] };
    let number = Question::Number { unit: Some("km".into()) };
    let bare = Question::Number { unit: None };
    let rows = [
        (&Question::YesNo, json!("Yes."), option("yes")),
        (&Question::YesNo, json!(false), option("no")),
        (&Question::YesNo, json!("probably"), None),
        (&languages, json!("c++"), option("C++")),
        (&languages, json!("C"), option("C")),
        (&languages, json!("rust-2024"), option("Rust 2024")),
        (&languages, json!("c#"), None),
        (&languages, json!("Rust"), None),
        (&languages, json!({"kind": "option", "value": "C"}), option("C")),
        (&number, json!("1,234.5 km"), Some(Choice::Number(1234.5))),
        (&number, json!("3 million km"), Some(Choice::Number(3e6))),
        (&number, json!("49 miles"), None),
        (&bare, json!("\\boxed{49}"), Some(Choice::Number(49.0))),
        (&bare, json!("\u{8}oxed{49}"), Some(Choice::Number(49.0))),
        (&bare, json!("12 000"), Some(Choice::Number(12000.0))),
        (&bare, json!("-1.5e3"), Some(Choice::Number(-1500.0))),
        (&bare, json!("1,5"), None),
        (&bare, json!("5k"), None),
        (&bare, json!("5 to 7"), None),
        (&Question::Probability, json!(0.7), Some(Choice::Probability(0.7))),
        (&Question::Probability, json!(70), Some(Choice::Probability(0.7))),
        (&Question::Probability, json!("70%"), Some(Choice::Probability(0.7))),
        (&Question::Probability, json!("1%"), Some(Choice::Probability(0.01))),
        (&Question::Probability, json!(170), None),
        (&Question::Probability, json!(-0.2), None),
    ];
    for (question, said, chosen) in rows {
        let raw = json!({"position": "P", "reasoning": "R", "answer": said}).to_string();
        let reading = read(&raw, &asked(question), RepairChance::First);
        assert_eq!(reading.answer.answer, chosen, "{question:?} {said}");
        if chosen.is_none() {
            assert_eq!(notes(&reading, "answer").len(), 1, "{said}");
        }
    }
}

/// Covers: 3.1-labels
#[test]
fn claims_without_a_label_or_type_are_the_weakest() {
    let reading = of(
        json!({"position": "P", "reasoning": "R", "citations": ["[1] Report, https://example.org/a", "2. Book"],
        "claims": [
            "[FACT][1] Water is wet",
            "Bare",
            {"claim": "Cites by address", "label": "[fact]", "evidence_type": "documented", "citations": ["https://example.org/a"]},
            {"text": "Cites a range", "label": "Inference", "evidenceType": "Logical", "citations": "[1-2]", "supports": "c1, 2", "opposes": 3},
            {"text": ""}
        ]}),
    );
    let claims = &reading.answer.claims;
    assert_eq!(claims.len(), 4);
    assert_eq!(
        (claims[0].label, claims[0].evidence_type),
        (Label::Fact, EvidenceType::Speculative)
    );
    assert_eq!(
        (claims[0].text.as_str(), claims[0].citations.as_slice()),
        ("[1] Water is wet", &[1][..])
    );
    assert_eq!(
        (claims[1].label, claims[1].evidence_type),
        (Label::Assume, EvidenceType::Speculative)
    );
    assert_eq!((claims[2].label, claims[2].citations.as_slice()), (Label::Fact, &[1][..]));
    assert_eq!(claims[3].citations, vec![1, 2]);
    assert_eq!(claims[3].supports.iter().map(|id| id.0).collect::<Vec<_>>(), vec![1, 2]);
    assert_eq!(claims[3].opposes.iter().map(|id| id.0).collect::<Vec<_>>(), vec![3]);
    assert_eq!(reading.answer.citations[0].url.as_deref(), Some("https://example.org/a"));
    assert_eq!(reading.answer.citations[0].title, "Report");
    assert_eq!(reading.answer.citations[1].number, 2);
    assert!(notes(&reading, "claims").iter().any(|n| n.contains("claim 5")));
}

/// Covers: 3-validators
#[test]
fn validators_mend_in_order_and_say_so() {
    let names: Vec<&str> = validators::VALIDATORS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names[..6], ["required", "confidence", "stance", "citations", "facts", "vote"]);
    let long = "word ".repeat(60);
    let reading = of(
        json!({"position": "P", "reasoning": "See [1] and [7-8].", "keyPoints": ["1", "2", "3", "4"],
        "stance": "YES", "citations": [{"number": 1, "title": "T"}],
        "claims": [
            {"text": "a", "label": "FACT", "evidenceType": "LOGICAL", "citations": [9]},
            {"text": "b", "label": "ASSUME", "evidenceType": "LOGICAL", "citations": [1]},
            {"text": long, "label": "OPEN", "evidenceType": "LOGICAL", "citations": [], "retracts": ["C4", "C3"]}],
        "critiques": [{"claim": "C9", "evidenceType": "LOGICAL", "strength": "low", "outcome": "concession"}]}),
    );
    let answer = &reading.answer;
    assert_eq!(answer.key_points.len(), 3);
    assert_eq!(answer.stance, None);
    // A number that points nowhere is no citation, so the FACT has none either.
    assert_eq!((answer.claims[0].label, answer.claims[0].citations.len()), (Label::Infer, 0));
    assert!(answer.claims[1].citations.is_empty());
    assert!(answer.claims[2].text.len() < long.len());
    assert_eq!(answer.claims[2].retracts.iter().map(|id| id.0).collect::<Vec<_>>(), vec![3]);
    assert_eq!(answer.critiques, vec![]);
    assert_eq!(answer.reasoning, "See [1] and [7-8].");
    assert!(notes(&reading, "citations").iter().any(|n| n.contains("[7], [8]")));
    for check in ["required", "confidence", "stance", "citations", "facts", "vote", "claims"] {
        assert!(!notes(&reading, check).is_empty(), "{check}");
    }
}

#[test]
fn numbers_without_a_list_are_the_providers_own() {
    let sources = [
        Citation { number: 1, title: "One".into(), ..Citation::default() },
        Citation { number: 2, title: "Two".into(), ..Citation::default() },
    ];
    let raw = r#"{"position":"P","reasoning":"So [2]."}"#;
    let expected = ExpectedAnswer { sources: &sources, ..asked(&OPEN) };
    let answer = read(raw, &expected, RepairChance::First).answer;
    assert_eq!(answer.citations, vec![sources[1].clone()]);
    let raw = r#"{"position":"P","reasoning":"So [2].","citations":[{"number":1,"title":"Own"}]}"#;
    assert_eq!(read(raw, &expected, RepairChance::First).answer.citations.len(), 1);
}

#[test]
fn votes_are_read_as_word_sentence_or_object() {
    let rows = [
        (json!("accept"), Some((Ballot::Accept, None))),
        (json!("BLOCKER: it leaks"), Some((Ballot::Blocker, Some("it leaks")))),
        (json!({"vote": "Minor", "reason": "typo"}), Some((Ballot::Minor, Some("typo")))),
        (json!("maybe"), None),
    ];
    for (said, want) in rows {
        let raw = json!({"position": "P", "reasoning": "R", "vote": said}).to_string();
        let vote = first(&raw).answer.vote;
        let read_as = vote.as_ref().map(|vote| (vote.ballot, vote.objection.as_deref()));
        assert_eq!(read_as, want, "{said}");
        let off = ExpectedAnswer { vote: false, round: 1, ..asked(&OPEN) };
        assert_eq!(read(&raw, &off, RepairChance::First).answer.vote, None);
    }
}

/// Covers: 3-stance
#[test]
fn a_wrong_stance_is_asked_for_again_and_then_written_in() {
    let expected = ExpectedAnswer { stance: Some(Stance::No), ..asked(&OPEN) };
    for raw in [
        r#"{"position":"P","reasoning":"R","stance":"YES"}"#,
        r#"{"position":"P","reasoning":"R"}"#,
        "plain words",
    ] {
        let reading = read(raw, &expected, RepairChance::First);
        assert!(reading.problem.as_ref().unwrap().text.contains("NO"), "{raw}");
        assert!(!reading.stance_forced);
        let reading = read(raw, &expected, RepairChance::Last);
        assert_eq!((reading.problem, reading.answer.stance), (None, Some(Stance::No)));
        assert!(reading.stance_forced);
    }
    let reading =
        read(r#"{"position":"P","reasoning":"R","stance":"no"}"#, &expected, RepairChance::Last);
    assert!(!reading.stance_forced && reading.problem.is_none());
}

/// Covers: 3-unstructured
#[test]
fn text_without_structure_is_kept_and_nothing_is_made_of_it() {
    let raw = "<think>hm</think>## We should, e.g. now, ship 1.5. [FACT][1] It works.";
    let reading = first(raw);
    assert!(reading.problem.is_some());
    let reading = read(raw, &asked(&OPEN), RepairChance::Last);
    let answer = reading.answer;
    assert!(answer.unstructured && reading.problem.is_none());
    assert_eq!(answer.position, "We should, e.g. now, ship 1.5.");
    assert_eq!(answer.reasoning, "## We should, e.g. now, ship 1.5. [FACT][1] It works.");
    assert_eq!((answer.confidence, answer.claims.len(), answer.citations.len()), (None, 0, 0));
}

#[test]
fn a_missing_position_is_the_first_sentence_and_nothing_at_all_is_a_problem() {
    let reading = of(json!({"reasoning": "One. Two."}));
    assert_eq!(reading.answer.position, "One.");
    assert_eq!(reading.problem, None);
    assert!(!notes(&reading, "required").is_empty());
    assert!(of(json!({"confidence": 0.4, "vote": "ACCEPT"})).problem.is_some());
    for raw in ["", " \n", "{}", "```json\n```", "<think>a lot</think> "] {
        assert!(is_blank(raw), "{raw:?}");
    }
    assert!(!is_blank("no"));
}

#[test]
fn lists_and_texts_have_a_ceiling() {
    let claim = json!({"text": "t", "label": "OPEN", "evidenceType": "LOGICAL"});
    let reading = of(json!({"position": "P", "reasoning": "x".repeat(300_000),
        "claims": vec![claim; 80], "citations": vec![json!({"title": "T"}); 200]}));
    let answer = &reading.answer;
    assert_eq!((answer.claims.len(), answer.citations.len()), (50, 100));
    assert_eq!(answer.reasoning.chars().count(), 200_001);
    assert!(notes(&reading, "json").len() >= 3, "{:?}", notes(&reading, "json"));
    let numbers: std::collections::BTreeSet<u32> =
        answer.citations.iter().map(|citation| citation.number).collect();
    assert_eq!(numbers.len(), 100);
}

#[test]
fn the_clerks_table_is_read_in_three_shapes() {
    let raw = json!({"agreementLevel": 1.4, "summary": "s", "propositions": [
        {"text": "A", "stands": [{"participant": 1, "side": "for"}, {"participant": "Participant 2", "side": "AGAINST"}, {"participant": 9, "side": "for"}]},
        {"text": "B", "stands": {"1": "open", "P2": "for", "2": "against"}},
        {"text": "C", "for": [1, 2], "against": "3"},
        {"text": "D", "stands": []}],
        "clusters": [{"theme": "t", "participants": [1, 2, 7], "summary": "u"}, {"theme": "none", "participants": [8]}],
        "conflicts": [{"issue": "i", "positions": [{"participant": 3, "says": "no"}, {"participant": 4, "says": "x"}]}],
        "nuances": {"uncertainties": ["u"]}, "commonGround": ["g"], "disagreements": "d"});
    let read = read_consensus(&format!("Sure!\n```\n{raw}\n```"), 3).unwrap();
    assert_eq!(read.propositions.len(), 3);
    assert_eq!(read.propositions[0].stands, vec![(1, Side::For), (2, Side::Against)]);
    assert_eq!(read.propositions[1].stands, vec![(1, Side::Open), (2, Side::For)]);
    assert_eq!(
        read.propositions[2].stands,
        vec![(1, Side::For), (2, Side::For), (3, Side::Against)]
    );
    assert_eq!(read.clusters.len(), 1);
    assert_eq!(read.clusters[0].participants, vec![1, 2]);
    assert_eq!(read.conflicts[0].positions, vec![(3, "no".to_owned())]);
    assert_eq!(read.rating, Some(1.0));
    assert_eq!(read.nuances.uncertainties, vec!["u"]);
    assert_eq!(read.disagreements, vec!["d"]);
    assert!(!read.notes.is_empty());
    let many = json!({"propositions": vec![json!({"text": "A", "for": [1]}); 14]}).to_string();
    assert_eq!(read_consensus(&many, 2).unwrap().propositions.len(), 12);
    for raw in
        ["", "they agree", r#"{"summary":"s"}"#, r#"{"propositions":[{"text":"A","for":[5]}]}"#]
    {
        assert!(read_consensus(raw, 2).is_err(), "{raw}");
    }
}

#[test]
fn summaries_and_perspectives_keep_only_what_exists() {
    let speakers = ["Ada".to_owned(), "Bo".to_owned()];
    let scope = SummaryScope { speakers: &speakers, known_claims: 2, known_evidence: 1 };
    let raw = json!({"oneLiner": "Ada gave way", "newClaims": ["C1", "C5"], "newEvidence": ["E1", "E2"],
        "byAgent": [{"agent": "ada", "keyMoves": [{"kind": "Retract", "claim": "C1", "note": "n"}, {"kind": "sings"}]}, {"agent": "Cy"}],
        "contested": [{"claim": "C2", "bestPro": "p", "bestCon": "c"}, {"claim": "C7", "bestPro": "p", "bestCon": "c"}]});
    let read = read_summary(&raw.to_string(), &scope).unwrap();
    assert_eq!((read.new_claims.len(), read.new_evidence.len(), read.contested.len()), (1, 1, 1));
    assert_eq!(read.by_agent.len(), 1);
    assert_eq!(read.by_agent[0].speaker, 0);
    assert_eq!(read.by_agent[0].key_moves.len(), 1);
    assert_eq!(read_summary("nothing", &scope), None);

    for raw in [
        r#"[{"name":"Law","focusAreas":["a"]},{"name":"law"},{"name":""}]"#,
        r#"Here: {"perspectives":[{"name":"Law","focus_areas":"a"}]}"#,
    ] {
        let read = read_perspectives(raw).unwrap();
        assert_eq!(read.len(), 1, "{raw}");
        assert_eq!(
            (read[0].name.as_str(), read[0].focus_areas.as_slice()),
            ("Law", &["a".to_owned()][..])
        );
    }
    assert_eq!(read_perspectives("{}"), None);
}

#[test]
fn of_several_names_of_a_field_our_own_is_read_and_of_one_name_the_first() {
    let read = |raw: &str| {
        let reading = first(raw);
        let alias = notes(&reading, "json").iter().any(|text| text.contains("was read as"));
        (reading.answer.position, alias)
    };
    for (given, position, is_noted) in [
        (r#""thesis": "T", "position": "P""#, "P", false),
        (r#""position": "P", "thesis": "T""#, "P", false),
        (r#""position": null, "thesis": "T""#, "T", true),
        (r#""Position": "A", "position": "B""#, "A", false),
    ] {
        let raw = format!(r#"{{{given}, "reasoning": "R"}}"#);
        assert_eq!(read(&raw), (position.to_owned(), is_noted), "{given}");
    }
}

proptest! {
    #[test]
    fn a_text_is_cut_after_so_many_characters(text in "[a é\n한]{0,40}|\\PC{0,40}", max in 0..45usize) {
        let plain = match text.char_indices().nth(max) {
            None => text.clone(),
            Some((end, _)) => {
                let blank = text[..end].rfind(char::is_whitespace).filter(|at| *at > end / 2);
                format!("{}…", text[..blank.unwrap_or(end)].trim_end())
            }
        };
        prop_assert_eq!(values::shortened(&text, max), plain);
    }

    #[test]
    fn a_key_is_known_by_its_letters(key in "[a-cA-C_ 1é]{0,6}", name in "[a-c1é_]{0,5}") {
        prop_assert_eq!(values::is_named(&key, &name), values::plain(&key) == name);
    }
}

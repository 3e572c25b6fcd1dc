//! Whichever way an event is read, it is the same event.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::model::Event;

const LOG: &str = include_str!("../../../store/tests/data/log-v1.jsonl");

#[test]
fn every_event_of_a_log_is_read_alike_on_both_ways() {
    for line in LOG.lines() {
        let derived: Event = serde_json::from_str(line).unwrap();
        assert_eq!(Event::read(line).unwrap(), derived, "{line}");
        // As it is written now, with members that this version does not know, and with its kind
        // behind its fields.
        let written = serde_json::to_string(&derived).unwrap();
        assert_eq!(Event::read(&written).unwrap(), derived, "{written}");
        let more = written.strip_suffix('}').unwrap();
        let more = format!("{more},\"later\":{{\"type\":\"x\"}}}}");
        assert_eq!(Event::read(&more).unwrap(), derived, "{more}");
        let mut members: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&written).unwrap();
        let kind = members.shift_remove("type").unwrap();
        members.insert("type".into(), kind);
        let behind = serde_json::to_string(&members).unwrap();
        assert_eq!(Event::read(&behind).unwrap(), derived, "{behind}");
    }
}

#[test]
fn kinds_that_no_recorded_log_has_are_read_alike_on_both_ways() {
    let stands = r#""stands":{"clusters":[],"propositions":[],"commonGround":["cost"],"disagreements":[],"nuances":{},"conflicts":[],"summary":"s","reasoning":"r","rating":0.5}"#;
    let summary = r#""summary":{"round":1,"by":"extraction","oneLiner":"Two agree.","newClaims":["C1"],"newEvidence":[],"byAgent":[],"contested":[]}"#;
    for line in [
        format!(r#"{{"type":"standsRead","round":1,{stands},"bill":{{"latencyMs":7}}}}"#),
        format!(r#"{{"type":"summarised",{summary}}}"#),
        format!(r#"{{"type":"summarised",{summary},"bill":null}}"#),
    ] {
        let derived: Event = serde_json::from_str(&line).unwrap();
        assert_eq!(Event::read(&line).unwrap(), derived, "{line}");
        // As recorded lines are written.
        let spaced = line.replacen(':', ": ", 1);
        assert_eq!(Event::read(&spaced).unwrap(), derived, "{spaced}");
    }
}

#[test]
fn what_is_no_event_is_refused() {
    for text in [
        "",
        "{}",
        "null",
        r#"{"type":"answered"}"#,
        r#"{"type":"answered","ask":"r1.w1.s0.speak","turn":null}"#,
        r#"{"type":"analysed","round":1,"analysis":7}"#,
        r#"{"type":"unheardOf"}"#,
        r#"{"type":"summarised","summary":{"round":1,"by":"extraction","oneLiner":"","newClaims":[],"newEvidence":[],"byAgent":[],"contested":[]},"type":"summarised"}"#,
    ] {
        assert!(Event::read(text).is_err(), "{text}");
        assert!(serde_json::from_str::<Event>(text).is_err(), "{text}");
    }
}

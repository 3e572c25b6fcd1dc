//! Bodies come out as the writer of trees would write them.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn written(text: &str) -> String {
    let mut bytes = Vec::new();
    write_text(text, &mut bytes);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_character_is_escaped_as_in_a_tree_wherever_it_stands() {
    for code in 0..0x300 {
        let Some(letter) = char::from_u32(code) else { continue };
        for before in 0..9 {
            let text = format!("{}{letter}{letter}é\u{1f375} and more", "x".repeat(before));
            assert_eq!(written(&text), json!(text).to_string());
        }
    }
    assert_eq!(written(""), "\"\"");
}

#[test]
fn parts_of_all_kinds_make_one_document() {
    let schema = json!({"type": "object", "required": ["a"]});
    let schema_text = schema.to_string();
    let mut body = object([
        ("model", "m \"1\"".into()),
        ("stream", true.into()),
        ("input", vec![object([]), BodyPart::from(json!([1, null]))].into()),
        ("schema", BodyPart::Written(&schema_text)),
        ("most", 1024.into()),
    ]);
    put(&mut body, [("none", None), ("temperature", Some(0.7.into()))]);
    put(&mut body, [("shown", Some(false.into())), ("nan", Some(f64::NAN.into()))]);
    let expected = json!({
        "model": "m \"1\"", "stream": true, "input": [{}, [1, null]], "schema": schema,
        "most": 1024, "temperature": 0.7, "shown": false, "nan": null,
    });
    assert_eq!(String::from_utf8(body.to_bytes()).unwrap(), expected.to_string());
    assert_eq!(body.take("stream"), Some(true.into()));
    assert_eq!(body.take("stream"), None);
    body.list_mut("input").unwrap().truncate(1);
    assert_eq!(body.list_mut("model"), None);
    let fewer = json!({
        "model": "m \"1\"", "input": [{}], "schema": schema, "most": 1024, "temperature": 0.7,
        "shown": false, "nan": null,
    });
    assert_eq!(body.to_value(), fewer);
}

proptest! {
    #[test]
    fn any_text_is_written_as_in_a_tree(text in "([a-z \"\\\\\u{0}-\u{1f}\u{7f}é\u{1f375}]|\\PC){0,40}") {
        prop_assert_eq!(written(&text), json!(text).to_string());
    }
}

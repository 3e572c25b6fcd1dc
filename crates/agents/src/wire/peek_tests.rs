//! What a look at JSON accepts, compared with a tree of it.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// Everything that a look can return.
#[derive(Debug, Default)]
struct Seen<'d> {
    text: PeekedValue<'d>,
    inner: Option<Peek<Inner<'d>>>,
}

#[derive(Debug, Default)]
struct Inner<'d>(PeekedValue<'d>);

impl<'d> Members<'d> for Seen<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "text" => self.text = value.next_value()?,
            "inner" => self.inner = Some(value.next_value()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl<'d> Members<'d> for Inner<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        let is_known = name == "text";
        if is_known {
            self.0 = value.next_value()?;
        }
        Ok(is_known)
    }
}

/// Compares the look with the tree: where both read the text, they say the same, and where
/// the tree cannot be read, the look fails too.
fn same(text: &str) -> Result<(), TestCaseError> {
    let tree = serde_json::from_str::<Value>(text);
    let Some(seen) = peek::<Seen<'_>>(text) else { return Ok(()) };
    let Ok(tree) = tree else { return Err(TestCaseError::fail(format!("no tree: {text}"))) };
    let of = |value: Option<&Value>| match value {
        None | Some(Value::Null) => PeekedValue::Null,
        Some(Value::String(text)) => PeekedValue::Text(text.clone().into()),
        Some(Value::Array(_) | Value::Object(_)) => PeekedValue::Nested,
        Some(value) => value.as_u64().map_or(PeekedValue::Other, PeekedValue::Count),
    };
    prop_assert_eq!(of(tree.get("text")), seen.text);
    let inner = tree.get("inner");
    prop_assert_eq!(inner.is_some(), seen.inner.is_some());
    if let Some(Peek(Inner(text))) = seen.inner {
        prop_assert!(inner.is_some_and(Value::is_object));
        prop_assert_eq!(of(inner.and_then(|inner| inner.get("text"))), text);
    }
    Ok(())
}

#[test]
fn members_are_seen_as_in_a_tree() {
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let texts = [
        r#"{"text":"a","inner":{"text":"b","text":3,"other":[{"text":1}]}}"#,
        r#"{"text":"\ud83c\udf75 \"q\"\n","te\u0078t":null,"inner":{}}"#,
        r#"{"text":-1,"a":[1,2.5,{"b":[]},true,null]}"#,
        r#"{"text":18446744073709551616}"#,
        r#"{"text":{"text":"x"}}"#,
    ];
    for text in texts {
        assert!(peek::<Seen<'_>>(text).is_some(), "{text}");
        same(text).unwrap();
    }
    for refused in [
        r#"{"x":"\ud83c"}"#,
        r#"{"x":1e999}"#,
        r#"{"x":{"y":"\ud83c"}}"#,
        r#"{"x":"#,
        r#"{"x":1} 2"#,
        r#"{"x":1,}"#,
        "{\"x\":\"a\nb\"}",
        deep.as_str(),
    ] {
        assert!(serde_json::from_str::<Value>(refused).is_err(), "{refused}");
        assert!(peek::<Seen<'_>>(refused).is_none(), "{refused}");
    }
    // A tree may be of another form: that is for the caller to see.
    for other in [r#"["a"]"#, r#""text""#, r#"{"inner":["b"]}"#, r#"{"inner":null}"#, "1"] {
        assert!(peek::<Seen<'_>>(other).is_none(), "{other}");
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let name = prop_oneof![Just("text".to_owned()), Just("inner".to_owned()), any::<String>()];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_is_written_reads_the_same(
        value in json(),
        damage in proptest::option::of((any::<prop::sample::Index>(), any::<char>())),
    ) {
        let mut text = value.to_string();
        if let Some((at, wrong)) = damage {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places[at.index(places.len())];
            text.insert(at, wrong);
        }
        same(&text)?;
    }
}

//! The tree holds what the common form of JSON holds, and finds members like a plain search.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::reading::values::plain;

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-zA-Z \"\\\\\né✓]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-cA-C_\"é]{0,3}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// An object with repeated keys, as text.
fn members() -> impl Strategy<Value = Vec<(String, Option<u8>)>> {
    prop::collection::vec(("[a-bA-B_K2é]{0,2}", any::<Option<u8>>()), 0..80)
}

fn text_of(members: &[(String, Option<u8>)]) -> String {
    let members = members.iter().map(|(key, value)| format!("{}:{}", json!(key), json!(value)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

proptest! {
    #[test]
    fn it_holds_what_the_common_form_holds(value in values()) {
        let text = value.to_string();
        let common: Value = serde_json::from_str(&text).unwrap();
        let tree: Json<'_> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(tree.to_value(), common.clone());
        prop_assert_eq!(tree.into_owned().to_value(), common);
    }

    #[test]
    fn repeated_keys_are_read_as_in_the_common_form(members in members()) {
        let text = text_of(&members);
        let common: Value = serde_json::from_str(&text).unwrap();
        let tree: Json<'_> = serde_json::from_str(&text).unwrap();
        // The order tells, too.
        prop_assert_eq!(tree.to_value().to_string(), common.to_string());
    }

    #[test]
    fn members_are_found_like_by_a_plain_search(
        members in members(),
        names in prop::collection::vec("[abk2]{0,2}", 0..4),
    ) {
        let text = text_of(&members);
        let tree: Json<'_> = serde_json::from_str(&text).unwrap();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let object = tree.as_object().unwrap();
        let plainly = names.iter().enumerate().find_map(|(place, name)| {
            let mut named = object.iter().filter(|(key, value)| plain(key) == *name && !value.is_null());
            named.next().map(|(_, value)| (place, value))
        });
        prop_assert_eq!(object.named(&names), plainly);
    }
}

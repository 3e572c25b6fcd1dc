//! Broken messages, and what can still be known of them.

use rmcp::model::{ErrorCode, NumberOrString};

use super::{MessageFault, check};

fn fault(message: &str) -> (i32, Option<String>) {
    let fault = check(message.as_bytes()).unwrap_err();
    (fault.code.0, fault.id.map(|id| id.to_string()))
}

#[test]
fn the_number_of_a_broken_request_is_found() {
    for (message, code, id) in [
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"\ud800"}}"#,
            -32700,
            Some("7"),
        ),
        (
            r#"{"method":"ping","params":{"x":"\udc00 "},"jsonrpc":"2.0","id":"abc"}"#,
            -32700,
            Some("abc"),
        ),
        (r#"{"jsonrpc":"2.0","id":8,"method":"#, -32700, Some("8")),
        (r#"{"jsonrpc":"2.0","params":{"id":9},"method""#, -32700, None),
        (r#"{"id":{"id":1},"#, -32700, None),
        ("nonsense", -32700, None),
        ("{", -32700, None),
        ("\"", -32700, None),
        (r#"{"jsonrpc":"2.0","id":3}"#, -32600, Some("3")),
        (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, -32600, Some("3")),
        (r#"{"jsonrpc":"2.0","id":4,"method":5}"#, -32600, Some("4")),
        (r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}"#, -32600, Some("5")),
        (r#"{"jsonrpc":"2.0","id":6,"method":"ping","result":{}}"#, -32600, Some("6")),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, None),
        ("[]", -32600, None),
        ("12", -32600, None),
    ] {
        assert_eq!(fault(message), (code, id.map(str::to_owned)), "{message}");
    }
}

#[test]
fn good_messages_pass() {
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        r#"{"jsonrpc":"2.0","id":1,"result":{"text":"\ud83d\ude00"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#,
    ] {
        assert!(check(message.as_bytes()).is_ok(), "{message}");
    }
}

#[test]
fn the_number_of_a_message_that_is_too_long_is_found_at_either_end() {
    let id = |head: &str, tail: &str| {
        let fault = MessageFault::too_long(head.as_bytes(), tail.as_bytes(), 10);
        assert_eq!(fault.code, ErrorCode::PARSE_ERROR);
        fault.id
    };
    assert_eq!(id(r#"{"id":4,"params":"xxx"#, "xxx"), Some(NumberOrString::Number(4)));
    assert_eq!(
        id(r#"{"params":"xx"#, r#"xx"},"jsonrpc":"2.0","id":5}"#),
        Some(NumberOrString::Number(5))
    );
    assert_eq!(id(r#"{"params":"xx"#, r#"xx","id":5}}"#), None);
}

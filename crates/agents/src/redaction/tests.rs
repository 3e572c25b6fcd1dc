//! Secrets in the places where people put them.

use super::{shown_address, without_keys};

#[test]
fn words_that_look_like_keys_are_taken_out_and_others_stay() {
    for (text, shown) in [
        ("clerk = \"sk-ant-api03-abcdef\"", "clerk = \"[key]\""),
        ("refused sk-abcdefghijkl.", "refused [key]."),
        ("key:gsk_0123456789,AIzaSyA-b_c.d", "key:[key],[key]"),
        ("risk-free words stay, and so does sk-1", "risk-free words stay, and so does sk-1"),
        ("", ""),
    ] {
        assert_eq!(without_keys(text), shown, "{text}");
    }
}

#[test]
fn addresses_are_shown_without_user_password_and_query() {
    for (address, shown) in [
        ("http://box:8080/v1", "http://box:8080/v1"),
        ("https://me:hunter2@box/v1", "https://[removed]@box/v1"),
        ("https://me:p@ss/w@rd@box/v1", "https://[removed]@box/v1"),
        ("me:hunter2@box:3128", "[removed]@box:3128"),
        ("socks9://me:hunter2@", "socks9://[removed]@"),
        ("https://box/v1?key=hunter2#x", "https://box/v1?[removed]"),
        ("https://box/sk-abcdefghijkl/v1", "https://box/[key]/v1"),
    ] {
        assert_eq!(shown_address(address), shown, "{address}");
    }
}

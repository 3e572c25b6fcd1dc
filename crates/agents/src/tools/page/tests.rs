//! Pages become the text that a reader sees, and only public addresses are read.

use std::net::IpAddr;

use super::text::{PageKind, decoded, from_html, tidy};
use crate::http::guard::is_global;

#[test]
fn only_public_addresses_are_global() {
    let global = [
        "1.1.1.1",
        "93.184.216.34",
        "172.15.255.255",
        "172.32.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "192.0.1.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700:4700::1111",
        "2a00:1450::1",
        "2001:4860:4860::8888",
        "::ffff:8.8.8.8",
    ];
    for text in global {
        assert!(is_global(text.parse::<IpAddr>().unwrap()), "{text}");
    }
    let private = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.7",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:0:7f00:1::",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];
    for text in private {
        assert!(!is_global(text.parse::<IpAddr>().unwrap()), "{text}");
    }
}

#[test]
fn html_becomes_the_text_a_reader_sees() {
    let html = r#"<!doctype html><html><head><title>Cats &amp;
        Dogs</title><style>p{color:red}</style><script>if (a<b) alert("x>y")</script></head>
        <body><!-- <p>hidden</p> --><h1>On <em>cats</em></h1><p title="a > b">One&nbsp;line
        goes on &#8212; 5 &lt; 6 &bogus; &#x41;.</p><ul><li>first<li>second</ul>
        <table><tr><td>a</td><td>b</td></tr></table><SCRIPT>evil()</SCRIPT >a < b<br>end</body>"#;
    let (title, text) = from_html(html);
    assert_eq!(title, "Cats & Dogs");
    assert_eq!(
        text,
        "# On cats\n\nOne line goes on — 5 < 6 &bogus; A.\n\n- first\n- second\n\na | b |\n\na < b\nend"
    );
}

#[test]
fn broken_html_never_fails() {
    for html in [
        "<",
        "<a",
        "<!--",
        "<script>",
        "<title>",
        "</",
        "&",
        "&#",
        "&#x110000;",
        "<p title='",
        "ü<ü>&ü;",
    ] {
        let _ = from_html(html);
    }
    assert_eq!(from_html("<b>x</b").1, "x");
    assert_eq!(tidy("a\u{0}b\u{1b}[31m\n\n\n\n c "), "a b [31m\n\nc");
}

#[test]
fn types_and_character_sets() {
    assert_eq!(PageKind::of("Text/HTML; charset=utf-8"), Some(PageKind::Html));
    assert_eq!(PageKind::of("text/csv"), Some(PageKind::Plain));
    for not in
        ["", "application/octet-stream", "image/png", "application/pdf", "video/mp4", "textile"]
    {
        assert_eq!(PageKind::of(not), None, "{not}");
    }
    assert_eq!(decoded(b"caf\xe9", "text/plain; charset=\"ISO-8859-1\""), "café");
    assert_eq!(decoded("café".as_bytes(), "text/plain"), "café");
}

proptest::proptest! {
    #[test]
    fn no_page_breaks_the_reader(html in "[<>/a-z!&#;\"'= ü\\-]{0,200}") {
        let (_, text) = from_html(&html);
        proptest::prop_assert!(!text.contains("\n\n\n"));
    }
}

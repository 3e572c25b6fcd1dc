//! Addresses that no real source has are told from others by their host.

use proptest::prelude::*;

use super::{PLACEHOLDER_HOSTS, RESERVED_ENDINGS, is_invented_address};

/// The same, with searches for text instead of bytes.
fn plainly_invented(address: &str) -> bool {
    let Some((scheme, rest)) = address.trim().split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap();
    let host = authority.rsplit('@').next().unwrap().split(':').next().unwrap();
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let names: Vec<&str> = host.rsplit('.').collect();
    let site = names.iter().take(2).rev().copied().collect::<Vec<_>>().join(".");
    ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str())
        && (names.len() < 2
            || RESERVED_ENDINGS.contains(&names[0])
            || PLACEHOLDER_HOSTS.contains(&site.as_str()))
}

proptest! {
    #[test]
    fn bytes_and_texts_are_searched_alike(
        address in prop_oneof![
            "(http|HTTPS|ftp|a:b|)(://|:|:/)(www\\.|a@|ü@|)(example|Url|bank|ü)?(\\.com|\\.test|\\.de|)[.]?(:80|)[/?#@:a.]{0,4}",
            "https?://[a@:/.?#wé]{0,12}",
            any::<String>(),
        ],
    ) {
        prop_assert_eq!(is_invented_address(&address), plainly_invented(&address), "{}", address);
    }
}

#[test]
fn reserved_and_placeholder_hosts_are_invented() {
    for address in [
        "https://example.com/report",
        "HTTPS://WWW.Example.ORG:443/report",
        " http://reader@docs.example.net./a ",
        "https://.example.com",
        "http://www.yourdomain.com?q=1",
        "https://bank.test/2026",
        "https://printer.LOCAL#top",
        "https://localhost:8080/",
        "https://",
        "http://report",
    ] {
        assert!(is_invented_address(address), "{address}");
    }
}

#[test]
fn other_hosts_may_be_real() {
    for address in [
        "https://www.rfc-editor.org/report/1",
        "https://notexample.com",
        "https://example.com.de/example.com",
        "https://example.info",
        "https://www.www.org",
        "https://test.de",
        "https://münchen.de/local",
        "ftp://example.com",
        "example.com",
        "RFC 2606",
        "",
    ] {
        assert!(!is_invented_address(address), "{address}");
    }
}

/// The host of an address is compared by its last two names.
#[test]
fn every_placeholder_has_two_names() {
    for host in PLACEHOLDER_HOSTS {
        assert_eq!(host.split('.').filter(|name| !name.is_empty()).count(), 2, "{host}");
        assert_eq!(host.matches('.').count(), 1, "{host}");
    }
}

//! Addresses that no real source has are told from others by their host.

use super::{PLACEHOLDER_HOSTS, is_invented_address};

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

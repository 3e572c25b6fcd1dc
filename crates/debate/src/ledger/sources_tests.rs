//! Citations that are one source, and those that are not.

use super::*;
use crate::ledger::tests::turn;

fn cite(title: &str, url: Option<&str>) -> Citation {
    Citation { title: title.into(), url: url.map(Into::into), ..Citation::default() }
}

fn register(citations: &[(usize, u32, Citation)]) -> Ledger {
    let mut ledger = Ledger::default();
    let mut sources = SourceIndex::default();
    for (seat, round, citation) in citations {
        sources.enter(&mut ledger, &turn(*seat, *round), citation);
    }
    ledger
}

/// Covers: 3.3-register
#[test]
fn one_page_has_one_address() {
    let plain = plain_address("https://example.org/a/B?x=1");
    for same in [
        "HTTPS://Example.ORG/a/B?x=1",
        "http://example.org:80/a/B/?x=1",
        "https://www.example.org:443/a/B?x=1#part",
        " https://example.org/a/B?utm_source=n&x=1&UTM_medium=m ",
        "example.org/a/B?x=1",
    ] {
        assert_eq!(plain_address(same), plain, "{same}");
    }
    for other in [
        "https://example.org/a/b?x=1",
        "https://example.org/a/B?x=2",
        "https://sub.example.org/a/B?x=1",
        "https://example.org:8080/a/B?x=1",
    ] {
        assert_ne!(plain_address(other), plain, "{other}");
    }
}

/// Covers: 3.3-register
#[test]
fn a_source_keeps_who_cited_it_and_when() {
    let page = |url| cite("Page", Some(url));
    let ledger = register(&[
        (0, 1, page("https://example.org/a")),
        (1, 1, page("http://www.example.org/a/")),
        (1, 1, page("https://example.org/a")),
        (0, 2, page("https://example.org/a#x")),
    ]);
    assert_eq!(ledger.evidence.len(), 1);
    let who: Vec<_> = ledger.evidence[0].cited_by.iter().map(|c| (c.seat.0, c.round)).collect();
    assert_eq!(who, [(0, 1), (1, 1), (0, 2)]);
}

#[test]
fn the_title_decides_only_where_an_address_is_missing() {
    let two = register(&[
        (0, 1, cite("Home", Some("https://a.example"))),
        (0, 1, cite("Home", Some("https://b.example"))),
    ]);
    assert_eq!(two.evidence.len(), 2);
    let one = register(&[
        (0, 1, cite("The Report: 2024!", None)),
        (1, 1, cite("the report 2024", Some("https://a.example/r"))),
        (1, 2, cite("Other title", Some("https://a.example/r/"))),
    ]);
    assert_eq!(one.evidence.len(), 1);
    assert_eq!(one.evidence[0].url.as_deref(), Some("https://a.example/r"));
}

#[test]
fn a_citation_that_names_nothing_is_no_source() {
    assert!(
        register(&[(0, 1, cite("  ", None)), (0, 1, cite("--", Some(" ")))]).evidence.is_empty()
    );
}

#[test]
fn the_gist_is_short_and_filled_when_it_comes() {
    let long = Citation { snippet: Some("word ".repeat(200)), ..cite("A", None) };
    let ledger = register(&[(0, 1, cite("A", None)), (1, 1, long)]);
    assert!(!ledger.evidence[0].gist.is_empty());
    assert!(crate::model::tokens(&ledger.evidence[0].gist) <= GIST_TOKENS);
}

#[test]
fn numbers_are_found_in_text() {
    assert_eq!(
        numbers_in("Yes [1][3], also [5-7] and [8, 9] [FACT] [x] [2"),
        [1, 3, 5, 6, 7, 8, 9]
    );
    assert!(numbers_in("[1-4294967295]").len() <= 51);
    assert!(numbers_in("[7-3]").is_empty());
}

#[test]
fn an_answers_numbers_lead_to_the_register_whatever_title_a_source_was_cited_under() {
    let answer = |seat: usize, round: u32, citations: Vec<Citation>| {
        let mut turn = turn(seat, round);
        turn.answer.citations =
            (1..).zip(citations).map(|(number, one)| Citation { number, ..one }).collect();
        turn
    };
    let url = "https://example.org/report";
    let turns = [
        answer(0, 1, vec![cite("Report", Some(url)), cite("Other", None)]),
        answer(1, 1, vec![cite("", None), cite("The 2026 report", Some(url))]),
        answer(0, 2, vec![cite("the 2026 Report!", None), cite("New", None)]),
    ];
    let mut ledger = Ledger::default();
    let mut index = crate::ledger::LedgerIndex::default();
    let used: Vec<Vec<EvidenceId>> =
        turns.iter().map(|turn| index.enter(&mut ledger, turn).touched.citations_used).collect();
    let register = SourceRegister::of(&ledger, &turns);
    let cited: Vec<Vec<(u32, u32)>> = turns
        .iter()
        .map(|turn| register.cited(turn).into_iter().map(|(n, id)| (n, id.0)).collect())
        .collect();
    assert_eq!(cited, [vec![(1, 1), (2, 2)], vec![(2, 1)], vec![(1, 1), (2, 3)]]);
    for (cited, used) in cited.iter().zip(used) {
        assert_eq!(cited.iter().map(|(_, id)| EvidenceId(*id)).collect::<Vec<_>>(), used);
    }
}

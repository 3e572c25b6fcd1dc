//! Events read from bytes, in whatever pieces they come.

use super::*;

fn read(pieces: &[&[u8]]) -> Vec<SseEvent<'static>> {
    let mut reader = EventReader::default();
    let mut events = Vec::new();
    let owned = |event: SseEvent<'_>| SseEvent {
        kind: Cow::Owned(event.kind.into_owned()),
        data: Cow::Owned(event.data.into_owned()),
    };
    for piece in pieces {
        reader.check(piece).unwrap();
        let mut rest = *piece;
        while let Some(event) = reader.next(&mut rest) {
            events.push(owned(event));
        }
        assert!(rest.is_empty(), "all bytes are taken in");
    }
    events.extend(reader.finish());
    events
}

fn event(kind: &str, data: &str) -> SseEvent<'static> {
    SseEvent { kind: kind.to_owned().into(), data: data.to_owned().into() }
}

const STREAM: &[u8] = b"\xef\xbb\xbfevent: first\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n: ping\n\n\
    event:lost\n\nid: 7\ndata:  two\xc3\xa9\xff\n\rdata\n\nevent: kept\ndatas: no\ndata: \xf0\x9f\x8d\xb5\r\r\
    event\ndata: last";

fn expected() -> Vec<SseEvent<'static>> {
    vec![
        event("first", "{\"a\":\n1}"),
        event("", " two\u{e9}\u{fffd}"),
        event("", ""),
        event("kept", "\u{1f375}"),
        event("", "last"),
    ]
}

#[test]
fn events_are_read_as_the_standard_says() {
    assert_eq!(read(&[STREAM]), expected());
}

#[test]
fn pieces_of_any_size_read_the_same() {
    for size in 1..STREAM.len() {
        let pieces: Vec<&[u8]> = STREAM.chunks(size).collect();
        assert_eq!(read(&pieces), expected(), "pieces of {size} bytes");
    }
    for at in 0..STREAM.len() {
        let (one, other) = STREAM.split_at(at);
        assert_eq!(read(&[one, b"", other]), expected(), "cut at byte {at}");
    }
}

#[test]
fn an_event_in_one_piece_is_not_copied() {
    let mut bytes: &[u8] = b"event: delta\ndata: {\"a\":1}\n\nrest";
    let event = EventReader::default().next(&mut bytes).unwrap();
    assert!(matches!(event.kind, Cow::Borrowed("delta")));
    assert!(matches!(event.data, Cow::Borrowed("{\"a\":1}")));
    assert_eq!(bytes, b"rest");
}

#[test]
fn a_line_without_end_is_refused_before_it_is_read() {
    let long = vec![b'x'; LINE_CAP - 5];
    let mut reader = EventReader::default();
    let mut begun: &[u8] = b"data:";
    assert_eq!(reader.next(&mut begun), None);
    assert_eq!(reader.check(&long), Ok(()));
    assert_eq!(reader.check(&[&long, b"x".as_slice()].concat()), Err(LineTooLong));
    assert_eq!(reader.check(&[b"\n", long.as_slice(), b"\r12345"].concat()), Ok(()));
    let later = [b"\n\n".as_slice(), &long, b"123456\n"].concat();
    assert_eq!(reader.check(&later), Err(LineTooLong));
}

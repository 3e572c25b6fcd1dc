//! Moments of a filter are dates, times or spans.

use super::moment;

const NOW: i64 = 1_700_000_000_000;

#[test]
fn moments_are_dates_times_or_spans_back_from_now() {
    assert_eq!(moment("1970-01-02", NOW), Some(86_400_000));
    assert_eq!(moment("1970-01-01T00:00:01Z", NOW), Some(1_000));
    assert_eq!(moment("1970-01-01T01:00+01:00", NOW), Some(0));
    assert_eq!(moment(" 2d ", NOW), Some(NOW - 2 * 86_400_000));
    assert_eq!(moment("90m", NOW), Some(NOW - 90 * 60_000));
    for wrong in ["", "yesterday", "d", "-3d", "7y", "2026-13-01", "12"] {
        assert_eq!(moment(wrong, NOW), None, "{wrong:?}");
    }
}

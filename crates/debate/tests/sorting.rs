//! Rows are sorted as the standard library sorts them.

use debate::sorting::SortRows;
use proptest::prelude::*;

proptest! {
    #[test]
    fn the_order_is_that_of_the_standard_library(
        keys in prop::collection::vec(0..40_u8, 0..120),
    ) {
        // The second member shows that equal rows stay in their order.
        let rows: Vec<(u8, usize)> =
            keys.into_iter().enumerate().map(|(at, key)| (key, at)).collect();
        let mut wanted = rows.clone();
        wanted.sort_by_key(|(key, _)| *key);
        let mut sorted = rows.clone();
        sorted.sort_rows_by_key(|(key, _)| *key);
        prop_assert_eq!(&sorted, &wanted);

        wanted.clone_from(&rows);
        wanted.sort_by_key(|row| std::cmp::Reverse(row.0));
        sorted.clone_from(&rows);
        sorted.sort_rows_by(|one, other| other.0.cmp(&one.0));
        prop_assert_eq!(&sorted, &wanted);
    }
}

//! Values without anything to replace are left as they are.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn a_plain_value_is_cleaned_as_any_other(
        value in prop_oneof![any::<String>(), "[ a-c\\\\()\\[\\]$%,!*{}_.\"|]{0,12}", "[ a-zé%$.*'`]{0,12}"],
    ) {
        let everything_replaced = plain(value.trim());
        prop_assert_eq!(cleaned(&value), undressed(&everything_replaced));
    }
}

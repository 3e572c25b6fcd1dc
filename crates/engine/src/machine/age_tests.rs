//! The age from which a program is called old.

use super::outdated;

#[test]
fn half_a_year_is_old() {
    assert_eq!(outdated("2026-11-15", "2027-05-01"), None);
    assert_eq!(outdated("2026-11-15", "2020-01-01"), None);
    let said = outdated("2026-11-15", "2027-06-01").unwrap();
    assert!(said.contains("2026-11-15") && said.contains("198 days"), "{said}");
    assert!(said.contains("update_notice"), "{said}");
}

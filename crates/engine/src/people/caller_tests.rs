//! The table of roles, row by row.

use store::{PersonRole, ReachedDebates};

use super::{Caller, Operation};

#[test]
fn each_role_reaches_what_the_table_says() {
    use ReachedDebates::{All, None, Own, OwnAndShared};
    let rows = [
        (PersonRole::Reader, [OwnAndShared, None, None, None]),
        (PersonRole::Member, [OwnAndShared, OwnAndShared, Own, None]),
        (PersonRole::Operator, [All, All, All, All]),
    ];
    let operations = [Operation::Read, Operation::Start, Operation::Steer, Operation::People];
    for (role, wanted) in rows {
        let caller = Caller::Person { name: "ann".into(), role };
        for (operation, debates) in operations.into_iter().zip(wanted) {
            let reach = caller.reach(operation);
            assert_eq!((reach.debates, reach.person.as_deref()), (debates, Some("ann")));
            assert_eq!(caller.may(operation), debates != None);
        }
    }
    assert!(operations.iter().all(|one| Caller::Machine.reach(*one) == store::Reach::default()));
}

//! The one who calls, and what each role may do.

use std::sync::Arc;

use store::{ListedDebate, PersonRole, Reach, ReachedDebates};

use crate::error::{At, EngineError, Problem, Refusal};

/// The name of the machine's own user in the audit log.
pub const MACHINE: &str = "machine";

/// The one who asks for something.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Caller {
    /// The machine's own user: the command line, and whoever has the server's own token.
    #[default]
    Machine,
    Person {
        name: Arc<str>,
        role: PersonRole,
    },
}

/// Everything that can be asked for, as far as roles tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Listing, reading, searching, exporting, costs and lessons.
    Read,
    /// Starting a debate, alone or after one of these.
    Start,
    /// Pausing, resuming, answering, stopping, sharing, deleting, and recording outcomes.
    Steer,
    /// People, their tokens and budgets, and the audit log.
    People,
}

/// The debates that each operation reaches, for readers, members and operators.
const RULES: [(Operation, [ReachedDebates; 3]); 4] = {
    use ReachedDebates::{All, None, Own, OwnAndShared};
    [
        (Operation::Read, [OwnAndShared, OwnAndShared, All]),
        (Operation::Start, [None, OwnAndShared, All]),
        (Operation::Steer, [None, Own, All]),
        (Operation::People, [None, None, All]),
    ]
};

impl Caller {
    /// A person of the store.
    pub fn person(person: &store::Person) -> Caller {
        Caller::Person { name: person.name.as_str().into(), role: person.role }
    }

    /// A caller of whom nothing is known, and who may do nothing but read what is shared.
    pub fn nobody() -> Caller {
        Caller::Person { name: "".into(), role: PersonRole::Reader }
    }

    /// Returns the debates that an operation reaches.
    pub fn reach(&self, operation: Operation) -> Reach {
        let Caller::Person { name, role } = self else { return Reach::default() };
        let column = PersonRole::ALL.iter().position(|known| known == role);
        let row = RULES.iter().find(|(known, _)| *known == operation);
        let debates = row.zip(column).map_or(ReachedDebates::None, |(row, at)| row.1[at]);
        Reach { person: Some(name.to_string()), debates }
    }

    /// Returns whether the operation is allowed at all.
    pub fn may(&self, operation: Operation) -> bool {
        self.reach(operation).debates != ReachedDebates::None
    }

    /// The name in the audit log, and under which starts are counted.
    pub fn name(&self) -> &str {
        match self {
            Caller::Machine => MACHINE,
            Caller::Person { name, .. } => name,
        }
    }

    pub fn is_machine(&self) -> bool {
        *self == Caller::Machine
    }

    /// Refuses an operation that no debate is named for.
    pub fn allowed(&self, operation: Operation) -> Result<(), EngineError> {
        match self {
            Caller::Person { role, .. } if !self.may(operation) => {
                let problem = Problem::RoleForbids { role: role.word() };
                Err(Refusal::new(At::Order, problem).into())
            }
            _ => Ok(()),
        }
    }

    /// Returns whether an operator touches a debate that is another person's, which is
    /// written in the audit log.
    pub fn is_others(&self, row: &ListedDebate) -> bool {
        match self {
            Caller::Machine => false,
            Caller::Person { name, .. } => {
                row.owner.as_deref().is_some_and(|owner| owner != &**name)
            }
        }
    }
}

#[cfg(test)]
#[path = "caller_tests.rs"]
mod tests;

//! The people of a team: their roles, budgets and tokens, the log of what operators did, and
//! the debates that one of them reaches. A handle of the store that is given a reach knows no
//! other debates: whatever it is asked about them, it answers as if they were not there.

pub(crate) mod sql;
mod team;

use debate::model::MicroUsd;

/// A person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub role: PersonRole,
    pub budget: PersonBudget,
    /// Milliseconds since 1970.
    pub created: i64,
}

/// The most that the debates of a person may cost, in UTC. `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PersonBudget {
    pub day: Option<MicroUsd>,
    pub month: Option<MicroUsd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PersonRole {
    Reader,
    Member,
    Operator,
}

impl PersonRole {
    pub const ALL: [PersonRole; 3] = [PersonRole::Reader, PersonRole::Member, PersonRole::Operator];

    pub fn word(self) -> &'static str {
        match self {
            PersonRole::Reader => "reader",
            PersonRole::Member => "member",
            PersonRole::Operator => "operator",
        }
    }

    pub fn read(word: &str) -> Option<PersonRole> {
        PersonRole::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedToken {
    pub name: String,
    pub created: i64,
    /// The moment from which it is refused; `None`: never.
    pub expires: Option<i64>,
}

/// The hash of a token, all that is stored of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    pub fn of(token: &str) -> TokenHash {
        TokenHash(*blake3::hash(token.trim().as_bytes()).as_bytes())
    }

    /// The hash in letters, for a place that is itself kept from changes.
    pub fn hex(&self) -> String {
        blake3::Hash::from(self.0).to_hex().to_string()
    }

    pub fn from_hex(text: &str) -> Option<TokenHash> {
        blake3::Hash::from_hex(text).ok().map(|hash| TokenHash(*hash.as_bytes()))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Compares in constant time, as the hashes of this library do.
    pub(crate) fn is(&self, stored: &[u8]) -> bool {
        blake3::Hash::from_slice(stored).is_ok_and(|stored| stored == blake3::Hash::from(self.0))
    }
}

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub at: i64,
    pub who: String,
    pub did: String,
    /// A person, a token or a debate.
    pub about: String,
}

/// A change of people, written together with its entry in the audit log.
#[derive(Debug)]
pub enum PeopleChange {
    Add(Person),
    SetRole {
        name: String,
        role: PersonRole,
    },
    SetBudget {
        name: String,
        budget: PersonBudget,
    },
    Remove {
        name: String,
    },
    AddToken {
        person: String,
        token: NamedToken,
        hash: TokenHash,
    },
    RevokeToken {
        person: String,
        token: String,
    },
    /// Nothing is changed: the entry alone is written.
    None,
}

#[derive(Debug)]
pub(crate) struct PeopleWrite {
    pub change: PeopleChange,
    pub entry: AuditEntry,
}

/// A fault with a person or a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeopleProblem {
    Unknown,
    NameTaken,
    TokenUnknown,
    TokenTaken,
}

impl PeopleProblem {
    pub(crate) fn sentence(self, name: &str) -> String {
        match self {
            PeopleProblem::Unknown => format!("There is no person called {name:?}."),
            PeopleProblem::NameTaken => format!(
                "The name {name:?} is or was another person's, whose debates would be seen. \
                 Choose another name."
            ),
            PeopleProblem::TokenUnknown => format!("There is no token {name:?}."),
            PeopleProblem::TokenTaken => {
                format!("There is a token {name:?} already. Revoke it, or choose another name.")
            }
        }
    }
}

/// The debates that a handle of the store reaches, and the person who uses it. Debates that
/// are created through it are that person's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    pub person: Option<String>,
    pub debates: ReachedDebates,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReachedDebates {
    All,
    OwnAndShared,
    Own,
    None,
}

impl Default for Reach {
    fn default() -> Reach {
        Reach { person: None, debates: ReachedDebates::All }
    }
}

impl Reach {
    pub(crate) fn is_all(&self) -> bool {
        self.debates == ReachedDebates::All
    }

    /// The conditions of a statement: everything; the debates of this owner; shared ones.
    pub(crate) fn conditions(&self) -> (bool, Option<&str>, bool) {
        let own = matches!(self.debates, ReachedDebates::Own | ReachedDebates::OwnAndShared);
        let shared = self.debates == ReachedDebates::OwnAndShared;
        (self.is_all(), self.person.as_deref().filter(|_| own), shared)
    }
}

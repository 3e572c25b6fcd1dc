//! The room that remembers: an append-only log of events per debate. An append
//! has reached the disk when it returns, only the one runner that holds a
//! debate's lease may append to it, and a damaged row is an error, never text.
//! Nothing here knows what a debate means beyond the few columns a listing shows.
//!
//! Types and pure rules stand on top and know no SQL; an engine beneath carries
//! them out. Each file uses only those above it:
//!
//! | file | content |
//! |---|---|
//! | `address` | where a store is |
//! | `limits` | limits on spending, as a caller sets them |
//! | `error` | errors, named by what to do next |
//! | `log_row` | a row of the log and its hash |
//! | `lease` | the right to run a debate |
//! | `mailbox` | commands to a running debate |
//! | `listing` | the row per debate that listings read, computed from the log |
//! | `search` | search texts |
//! | `spending` | every call with its reservation and its cost; budgets |
//! | `outcomes` | how decisions turned out |
//! | `people/` | people, their tokens, the audit log, and the debates that one of them reaches |
//! | `request/` | everything that can be written, and the state of a debate under the lock |
//! | `sqlite/` | the engine for one machine: a file |
//! | `postgres/` | the engine for a team: a server |
//! | `sql_error` | what the engines' errors mean |
//! | `change_watch` | whether a store was written to |
//! | `store` | the store as others use it: one engine of those there are |
//! | `moving/` | everything from one store to another, and the tables beside the logs |

mod address;
mod change_watch;
mod error;
mod lease;
mod limits;
mod listing;
mod log_row;
mod mailbox;
mod moving;
mod outcomes;
mod people;
mod postgres;
mod request;
mod search;
mod spending;
mod sql_error;
mod sqlite;
mod store;

pub use address::{ServerAddress, StoreAddress};
pub use change_watch::ChangeWatch;
pub use error::{Damage, DebateHint, StoreError};
pub use lease::{DebateStanding, Lease, LeaseTerm, LeaseView, RunOwner};
pub use limits::{SpendingCaps, SpendingLimit};
pub use listing::{DAMAGED, ListFilter, ListPosition, ListedDebate};
pub use log_row::{LogEntry, SealedEntry};
pub use mailbox::{CommandFate, DebateCommand, PendingCommand};
pub use moving::{MovedStore, copy_store};
pub use outcomes::{FinishedDebate, NewOutcome, OutcomeRecord, StoredOutcome};
pub use people::{
    AuditEntry, NamedToken, PeopleChange, PeopleProblem, Person, PersonBudget, PersonRole, Reach,
    ReachedDebates, TokenHash,
};
pub use postgres::PostgresStore;
pub use request::LeaseTurn;
pub use spending::{CachedLine, CostLine, CostsBy, LeastSpending};
#[cfg(debug_assertions)]
pub use sqlite::Lockout;
pub use sqlite::{APPLICATION_ID, SCHEMA_VERSION, SqliteStore};
pub use store::{AppendOptions, Store};

//! The room that remembers: an append-only log of events per debate, in one
//! SQLite file. An append has reached the disk when it returns, only the one
//! runner that holds a debate may append to it, and a row that was damaged is
//! an error, never text. Nothing here knows what a debate means beyond the few
//! columns a listing shows.
//!
//! | file | what lives there |
//! |---|---|
//! | `file` | whether a file is ours, making a new one, who may read it |
//! | `schema` | connections, pragmas, migrations |
//! | `writer` | the one task that writes, many requests per commit |
//! | `work` | what can be written: create, append, claims, commands, delete |
//! | `import` | taking in a debate that was held elsewhere |
//! | `rows` | a row of the log and its hash |
//! | `listing` | the row per debate that listings read, kept with the log |
//! | `reading` | log, find, list, pending commands |
//! | `search` | the words of answers, for finding debates by them |
//! | `books` | every call with its reservation and its cost; budgets |
//! | `costs` | the books added up |
//! | `outcomes` | how decisions turned out, one record after the other |
//! | `care` | check, backup, restore |

mod books;
mod care;
mod costs;
mod error;
mod file;
mod import;
mod listing;
mod outcomes;
mod reading;
mod rows;
mod schema;
mod script;
mod search;
mod standing;
mod store;
mod work;
mod writer;

pub use books::{Caps, Purse, Unpriced};
pub use care::Damage;
pub use costs::{Costs, CostsBy};
pub use error::{Candidate, StoreError};
pub use listing::{DAMAGED, Listed, Place};
pub use outcomes::{Finished, Note, Noted, OutcomeRecord};
pub use reading::{Changes, ListFilter};
pub use rows::{Recorded, Sealed};
pub use schema::{APPLICATION_ID, SCHEMA_VERSION};
#[cfg(debug_assertions)]
pub use store::Lockout;
pub use store::Store;
pub use work::{Claim, Command, Fate, Sent};

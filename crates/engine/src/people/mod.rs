//! The people of a team: what each of them may do, and the changes that operators make.
//!
//! Authorization is one table (`caller`). An operation opens the store with the caller's reach
//! for it, and a store knows no debate beyond its reach; so whatever is forbidden is answered
//! as for a debate that does not exist, in every face alike.

pub mod caller;
mod jwt;
pub mod manage;
pub mod oidc;
pub mod tokens;
pub mod touch;

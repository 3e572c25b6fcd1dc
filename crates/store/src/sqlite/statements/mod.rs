//! Statements: several sent as one, and the rows that come back.

pub(crate) mod rows;
pub(crate) mod script;

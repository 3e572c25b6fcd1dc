//! The format of the file: its marks and its migrations.

/// Marks a SQLite file as ours: `RTbl` in ASCII.
pub const APPLICATION_ID: i64 = 0x5254_626c;

/// The newest format this program reads and writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// In order; the n-th brings a file to version n. Never edited once released.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/sqlite/0001_debates.sql"),
    include_str!("../../migrations/sqlite/0002_books.sql"),
    include_str!("../../migrations/sqlite/0003_outcomes.sql"),
    include_str!("../../migrations/sqlite/0004_search.sql"),
];

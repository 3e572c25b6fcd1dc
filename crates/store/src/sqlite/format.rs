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
    include_str!("../../migrations/sqlite/0005_lease_clock.sql"),
    include_str!("../../migrations/sqlite/0006_cached_tokens.sql"),
    include_str!("../../migrations/sqlite/0007_earlier.sql"),
    include_str!("../../migrations/sqlite/0008_people.sql"),
    include_str!("../../migrations/sqlite/0009_less_written.sql"),
];

/// The tables and indices of the newest format.
pub(crate) const TABLES: [&str; 23] = [
    "debates",
    "debates_newest",
    "debates_by_status",
    "debates_after",
    "debates_of",
    "debates_by_number",
    "events",
    "runs",
    "runs_held",
    "commands",
    "commands_pending",
    "parties",
    "calls",
    "accounts",
    "outcomes",
    "outcomes_in_order",
    "said",
    "said_in",
    "said_words",
    "words_waiting",
    "people",
    "tokens",
    "audit",
];

/// The hash over the definitions of [`TABLES`]; a test computes it.
pub(crate) const TABLES_HASH: &str =
    "a0e34c224c543f61f60491b3972cdd9098399ebe4164ee7ee40dc74bdd05a1f8";

//! The tables `people`, `tokens` and `audit`. The one task that writes lets in one change at a
//! time.

crate::people::sql::people_tables!(
    sqlx::sqlite::SqlitePool,
    sqlx::sqlite::SqliteConnection,
    sqlx::sqlite::SqliteRow,
    crate::sqlite::statements::rows::all
);

//! Several statements sent to SQLite as one. A statement costs SQLite a few
//! microseconds and the way to its thread and back several times that, so what
//! can go together does. Statements are fixed words; values are always bound.

use sqlx::encode::Encode;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Arguments, Type};

use crate::error::StoreError;

/// Statements with their values, to be run in one go.
#[derive(Default)]
pub(crate) struct SqlScript {
    sql: String,
    values: SqliteArguments,
    broken: Option<String>,
}

impl SqlScript {
    /// The next statement, with `?` for each of the values that follow.
    pub(crate) fn say(&mut self, sql: &'static str) -> &mut SqlScript {
        if !self.sql.is_empty() {
            self.sql.push(';');
        }
        self.and(sql)
    }

    /// More of the same statement.
    pub(crate) fn and(&mut self, sql: &'static str) -> &mut SqlScript {
        self.sql.push_str(sql);
        self
    }

    /// `(?, ?, …)` for a list of values.
    pub(crate) fn list<'t>(&mut self, values: impl IntoIterator<Item = &'t str>) -> &mut SqlScript {
        let mut before = "(?";
        for value in values {
            self.and(before).with(value);
            before = ", ?";
        }
        self.and(if before == "(?" { "()" } else { ")" })
    }

    /// Binds the next value.
    pub(crate) fn with<'t, T: Encode<'t, Sqlite> + Type<Sqlite>>(
        &mut self,
        value: T,
    ) -> &mut SqlScript {
        if let Err(error) = self.values.add(value) {
            self.broken = Some(error.to_string());
        }
        self
    }

    pub(crate) async fn run(self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        if self.sql.is_empty() {
            return Ok(());
        }
        let (sql, values) = self.ready()?;
        sqlx::query_with(sqlx::AssertSqlSafe(sql), values).execute(connection).await?;
        Ok(())
    }

    /// Runs statements of which the first finds out whether the rest may be run: it leaves the last
    /// number of a debate empty where they may not. Returns false if so, and if the debate is not
    /// there: then nothing was written.
    pub(crate) async fn run_guarded(
        self,
        connection: &mut SqliteConnection,
    ) -> Result<bool, StoreError> {
        const EMPTY: &str = "1299";
        const GUARDED: [&str; 2] = ["debates.last_seq", "events.kind"];
        self.run_but_for(connection, |code, message| {
            code == EMPTY && GUARDED.iter().any(|column| message.ends_with(column))
        })
        .await
    }

    /// Runs statements of which the first adds a debate. Returns false if there is one with its id:
    /// then nothing was written.
    pub(crate) async fn run_if_new(
        self,
        connection: &mut SqliteConnection,
    ) -> Result<bool, StoreError> {
        const NOT_UNIQUE: [&str; 2] = ["1555", "2067"];
        self.run_but_for(connection, |code, message| {
            NOT_UNIQUE.contains(&code) && message.ends_with("debates.id")
        })
        .await
    }

    /// Returns false where the error with this code and message means no more than that.
    async fn run_but_for(
        self,
        connection: &mut SqliteConnection,
        is_guard: impl Fn(&str, &str) -> bool,
    ) -> Result<bool, StoreError> {
        let (sql, values) = self.ready()?;
        match sqlx::query_with(sqlx::AssertSqlSafe(sql), values).execute(connection).await {
            Ok(_) => Ok(true),
            Err(sqlx::Error::Database(error))
                if is_guard(&error.code().unwrap_or_default(), error.message()) =>
            {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The rows of all statements, in order.
    pub(crate) async fn rows(
        self,
        connection: &mut SqliteConnection,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        let (sql, values) = self.ready()?;
        Ok(sqlx::query_with(sqlx::AssertSqlSafe(sql), values).fetch_all(connection).await?)
    }

    fn ready(self) -> Result<(String, SqliteArguments), StoreError> {
        match self.broken {
            None => Ok((self.sql, self.values)),
            Some(what) => Err(StoreError::Io { what }),
        }
    }
}

//! What was spent, added up by day, provider, model or debate, and whether the
//! books agree with themselves.

use debate::model::MicroUsd;
use sqlx::Row;
use sqlx::sqlite::SqlitePool;

use crate::error::StoreError;

/// The figures of one line, the same whatever they are added up by.
macro_rules! sums {
    () => {
        "COUNT(*) AS calls,
         SUM(CASE state WHEN 'settled' THEN COALESCE(cost_micro, 0) ELSE 0 END) AS spent,
         SUM(CASE state WHEN 'held' THEN COALESCE(reserved_micro, 0) ELSE 0 END) AS held,
         SUM(CASE state WHEN 'possible' THEN COALESCE(reserved_micro, 0) ELSE 0 END) AS possible,
         SUM(state = 'possible') AS ambiguous_calls,
         SUM(state = 'settled' AND cost_micro IS NULL) AS unpriced_calls
         FROM calls GROUP BY 1 ORDER BY 1"
    };
}

/// By what costs are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostsBy {
    /// Keys are days in UTC, `2026-11-15`.
    Day,
    Provider,
    Model,
    /// Keys are ids; a debate that was deleted is still here.
    Debate,
}

impl CostsBy {
    pub const ALL: [CostsBy; 4] =
        [CostsBy::Day, CostsBy::Provider, CostsBy::Model, CostsBy::Debate];

    pub fn word(self) -> &'static str {
        match self {
            CostsBy::Day => "day",
            CostsBy::Provider => "provider",
            CostsBy::Model => "model",
            CostsBy::Debate => "debate",
        }
    }

    fn sql(self) -> &'static str {
        match self {
            CostsBy::Day => {
                concat!("SELECT date(day * 86400, 'unixepoch') AS key, ", sums!(), " DESC")
            }
            CostsBy::Provider => concat!("SELECT provider AS key, ", sums!()),
            CostsBy::Model => concat!("SELECT provider || '/' || model AS key, ", sums!()),
            CostsBy::Debate => concat!("SELECT debate_id AS key, ", sums!(), " DESC"),
        }
    }
}

/// One line of the costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    pub key: String,
    pub calls: u64,
    pub spent: MicroUsd,
    /// Set aside for calls that are on their way.
    pub held: MicroUsd,
    /// The worst that calls of unknown fate can have cost.
    pub possibly_billed: MicroUsd,
    pub ambiguous_calls: u64,
    /// Answered calls whose price is not known and not in `spent`.
    pub unpriced_calls: u64,
}

pub(crate) async fn costs(readers: &SqlitePool, by: CostsBy) -> Result<Vec<Costs>, StoreError> {
    let rows = sqlx::query(by.sql()).fetch_all(readers).await?;
    let number = |row: &sqlx::sqlite::SqliteRow, name: &str| -> Result<u64, StoreError> {
        Ok(u64::try_from(row.try_get::<i64, _>(name)?).unwrap_or(0))
    };
    rows.iter()
        .map(|row| {
            Ok(Costs {
                key: row.try_get("key")?,
                calls: number(row, "calls")?,
                spent: MicroUsd(number(row, "spent")?),
                held: MicroUsd(number(row, "held")?),
                possibly_billed: MicroUsd(number(row, "possible")?),
                ambiguous_calls: number(row, "ambiguous_calls")?,
                unpriced_calls: number(row, "unpriced_calls")?,
            })
        })
        .collect()
}

/// Accounts that are not the sum of their calls.
pub(crate) async fn discrepancies(readers: &SqlitePool) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "WITH charged AS (
             SELECT debate_id, day, CASE state WHEN 'held' THEN COALESCE(reserved_micro, 0)
                 ELSE COALESCE(cost_micro, 0) END AS micro FROM calls),
         sums AS (
             SELECT 'debate ' || debate_id AS name, SUM(micro) AS micro FROM charged GROUP BY 1
             UNION ALL SELECT 'day ' || day, SUM(micro) FROM charged GROUP BY 1)
         SELECT s.name FROM sums s LEFT JOIN accounts a ON a.name = s.name
         WHERE COALESCE(a.bound_micro, 0) <> s.micro
         UNION SELECT a.name FROM accounts a LEFT JOIN sums s ON s.name = a.name
         WHERE a.bound_micro <> COALESCE(s.micro, 0)",
    )
    .fetch_all(readers)
    .await?;
    let line = |row: &sqlx::sqlite::SqliteRow| -> Result<String, StoreError> {
        let name: String = row.try_get(0)?;
        Ok(format!("the account of {name} is not the sum of its calls"))
    };
    rows.iter().map(line).collect()
}

//! The tables beside the logs, row by row, for a store that moves.

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, Row};

use super::statements::rows;
use crate::error::StoreError;
use crate::moving::books::{BOOK_TABLES, BookCell, BookColumn, BookRows};

pub(crate) async fn read(
    readers: &SqlitePool,
    table: usize,
    from: usize,
    most: usize,
) -> Result<BookRows, StoreError> {
    let described = &BOOK_TABLES[table];
    let found =
        rows::all(readers, sqlx::query(AssertSqlSafe(described.select(from, most)))).await?;
    let cells = |row: &SqliteRow| -> Result<Vec<BookCell>, StoreError> {
        described.columns.iter().map(|(name, kind)| cell(row, name, *kind)).collect()
    };
    Ok(BookRows { table, rows: found.iter().map(cells).collect::<Result<_, _>>()? })
}

fn cell(row: &SqliteRow, name: &str, kind: BookColumn) -> Result<BookCell, StoreError> {
    Ok(match kind {
        BookColumn::Text | BookColumn::Given => BookCell::Text(row.try_get(name)?),
        BookColumn::Number => BookCell::Number(row.try_get(name)?),
        BookColumn::Bytes => BookCell::Bytes(row.try_get(name)?),
    })
}

pub(crate) async fn write(
    connection: &mut SqliteConnection,
    page: &BookRows,
) -> Result<u64, StoreError> {
    let sql = BOOK_TABLES[page.table].insert();
    for row in &page.rows {
        let mut query = sqlx::query(AssertSqlSafe(sql.clone()));
        for cell in row {
            query = match cell {
                BookCell::Text(text) => query.bind(text),
                BookCell::Number(number) => query.bind(number),
                BookCell::Bytes(bytes) => query.bind(bytes),
            };
        }
        query.execute(&mut *connection).await?;
    }
    Ok(page.rows.len() as u64)
}

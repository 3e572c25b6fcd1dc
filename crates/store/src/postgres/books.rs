//! The tables beside the logs, row by row, for a store that moves.

use sqlx::postgres::{PgConnection, PgPool, PgRow};
use sqlx::{AssertSqlSafe, Row};

use crate::error::StoreError;
use crate::moving::books::{BOOK_TABLES, BookCell, BookColumn, BookRows};

pub(crate) async fn read(
    pool: &PgPool,
    table: usize,
    from: usize,
    most: usize,
) -> Result<BookRows, StoreError> {
    let described = &BOOK_TABLES[table];
    let query = sqlx::query(AssertSqlSafe(described.select(from, most)));
    let found = query.fetch_all(pool).await?;
    let cells = |row: &PgRow| -> Result<Vec<BookCell>, StoreError> {
        described.columns.iter().map(|(name, kind)| cell(row, name, *kind)).collect()
    };
    Ok(BookRows { table, rows: found.iter().map(cells).collect::<Result<_, _>>()? })
}

fn cell(row: &PgRow, name: &str, kind: BookColumn) -> Result<BookCell, StoreError> {
    Ok(match kind {
        BookColumn::Text => BookCell::Text(row.try_get(name)?),
        BookColumn::Given => {
            let bytes: Vec<u8> = row.try_get(name)?;
            let wrong = |_| StoreError::Corrupt { what: format!("{name} is no text") };
            BookCell::Text(Some(String::from_utf8(bytes).map_err(wrong)?))
        }
        BookColumn::Number => BookCell::Number(row.try_get(name)?),
        BookColumn::Bytes => BookCell::Bytes(row.try_get(name)?),
    })
}

pub(crate) async fn write(
    connection: &mut PgConnection,
    page: &BookRows,
) -> Result<u64, StoreError> {
    let described = &BOOK_TABLES[page.table];
    let sql = described.insert();
    for row in &page.rows {
        let mut query = sqlx::query(AssertSqlSafe(sql.clone()));
        for (cell, (_, kind)) in row.iter().zip(described.columns) {
            query = match cell {
                BookCell::Text(text) if *kind == BookColumn::Given => {
                    query.bind(text.as_ref().map(|text| text.as_bytes()))
                }
                BookCell::Text(text) => query.bind(text),
                BookCell::Number(number) => query.bind(number),
                BookCell::Bytes(bytes) => query.bind(bytes),
            };
        }
        query.execute(&mut *connection).await?;
    }
    Ok(page.rows.len() as u64)
}

//! The tables beside the logs, row by row: what a store that moves elsewhere takes along. A
//! row is copied as it stands, with its hash, so that nothing is computed anew.

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BookCell {
    Text(Option<String>),
    Number(Option<i64>),
    Bytes(Option<Vec<u8>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BookColumn {
    Text,
    /// A text that people gave: a server keeps it as bytes, since it may hold the byte 0.
    Given,
    Number,
    Bytes,
}

/// A table with its columns, the first of which put its rows in order.
#[derive(Debug)]
pub(crate) struct BookTable {
    pub name: &'static str,
    pub columns: &'static [(&'static str, BookColumn)],
    pub keys: usize,
}

use BookColumn::{Bytes, Given, Number, Text};

/// `runs` is left out: a debate that moves is run by no process, and the place it moves to counts
/// its leases anew.
pub(crate) const BOOK_TABLES: [BookTable; 7] = [
    BookTable {
        name: "calls",
        columns: &[
            ("debate_id", Text),
            ("ask", Text),
            ("attempt", Number),
            ("day", Number),
            ("provider", Text),
            ("model", Text),
            ("state", Text),
            ("reserved_micro", Number),
            ("cost_micro", Number),
            ("input_tokens", Number),
            ("cached_tokens", Number),
            ("owner", Text),
        ],
        keys: 3,
    },
    BookTable { name: "accounts", columns: &[("name", Text), ("bound_micro", Number)], keys: 1 },
    BookTable {
        name: "outcomes",
        columns: &[
            ("debate_id", Text),
            ("number", Number),
            ("at", Number),
            ("kind", Text),
            ("json", Text),
            ("hash", Bytes),
        ],
        keys: 2,
    },
    BookTable {
        name: "commands",
        columns: &[
            ("debate_id", Text),
            ("number", Number),
            ("at", Number),
            ("kind", Text),
            ("text", Given),
            ("handled", Number),
            ("refusal", Text),
            ("hash", Bytes),
        ],
        keys: 2,
    },
    BookTable {
        name: "people",
        columns: &[
            ("name", Text),
            ("role", Text),
            ("day_micro", Number),
            ("month_micro", Number),
            ("created", Number),
            ("removed", Number),
        ],
        keys: 1,
    },
    BookTable {
        name: "tokens",
        columns: &[
            ("person", Text),
            ("name", Text),
            ("hash", Bytes),
            ("created", Number),
            ("expires", Number),
        ],
        keys: 2,
    },
    BookTable {
        name: "audit",
        columns: &[
            ("number", Number),
            ("at", Number),
            ("who", Text),
            ("did", Text),
            ("about", Text),
        ],
        keys: 1,
    },
];

/// The rows of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BookRows {
    /// The place of the table in [`BOOK_TABLES`].
    pub table: usize,
    pub rows: Vec<Vec<BookCell>>,
}

impl BookTable {
    /// A page of the table's rows in the order of their keys.
    pub(crate) fn select(&self, from: usize, most: usize) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let (all, keys) = (names.join(", "), names[..self.keys].join(", "));
        format!("SELECT {all} FROM {} ORDER BY {keys} LIMIT {most} OFFSET {from}", self.name)
    }

    /// Adds a row, unless an earlier try has added it.
    pub(crate) fn insert(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let places: Vec<String> = (1..=names.len()).map(|place| format!("${place}")).collect();
        let (names, places) = (names.join(", "), places.join(", "));
        format!("INSERT INTO {} ({names}) VALUES ({places}) ON CONFLICT DO NOTHING", self.name)
    }
}

//! Lists cut into pages. A cursor is the number of entries before the page; one
//! past the end gives an empty page, one that is no number is refused.

use engine::error::EngineError;

/// Part of a list, with what a reader is told beside it.
pub struct ResultPage<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
    pub note: String,
}

/// The part of a list that a caller wants.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'a> {
    pub cursor: Option<&'a str>,
    pub limit: Option<usize>,
    /// Entries on a page where the caller does not say.
    pub usual: usize,
}

impl PageRequest<'_> {
    pub fn page<T>(self, all: impl IntoIterator<Item = T>) -> Result<ResultPage<T>, EngineError> {
        let start = start(self.cursor)?;
        let mut all = all.into_iter();
        let before = all.by_ref().take(start).count();
        let items: Vec<T> = all.by_ref().take(self.limit.unwrap_or(self.usual)).collect();
        let after = all.count();
        let total = before + items.len() + after;
        let end = before + items.len();
        let next_cursor = (after > 0).then(|| end.to_string());
        let note = match (items.len(), &next_cursor) {
            (0, _) if total > 0 => format!("There are {total}, and none after this cursor."),
            (shown, Some(cursor)) => {
                format!("{shown} of {total} shown; call again with cursor {cursor:?} for more.")
            }
            (shown, None) => format!("{shown} of {total} shown."),
        };
        Ok(ResultPage { items, next_cursor, note })
    }
}

/// Returns the beginning of a page.
pub fn start(cursor: Option<&str>) -> Result<usize, EngineError> {
    cursor.map_or(Ok(0), |text| text.trim().parse().map_err(|_| bad_cursor(text)))
}

pub fn bad_cursor(text: &str) -> EngineError {
    EngineError::input(format!(
        "cursor: {text:?} is not one of this list; leave it out to begin anew, and then pass \
         nextCursor as it was given"
    ))
}

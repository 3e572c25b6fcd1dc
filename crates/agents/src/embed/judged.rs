//! Pairs of texts with a judged similarity, read from CSV: two texts and a score
//! from 0 (unrelated) to 5 (same meaning), a heading line allowed. Refuses a
//! file with a line it cannot read rather than calibrate on half of it.

/// The pairs that come with the program: statements of the kind debates
/// are made of, written and scored for it. A common scale, not a benchmark: they
/// were chosen to give the static embedder the scale STS-B gives it.
static OWN: &str = include_str!("../../assets/judged-pairs.csv");

const HIGHEST_SCORE: f64 = 5.0;

#[derive(Debug, Clone, PartialEq)]
pub struct JudgedPair {
    pub a: String,
    pub b: String,
    /// 0 to 1.
    pub similarity: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    #[error("row {row}: {why}")]
    Row { row: usize, why: String },
    #[error("a quotation mark is opened and never closed")]
    OpenQuote,
}

/// The program's own pairs, for calibrating an embedder without any other data.
pub fn own_pairs() -> Result<Vec<JudgedPair>, CsvError> {
    judged_pairs(OWN)
}

/// Reads pairs from CSV.
pub fn judged_pairs(csv: &str) -> Result<Vec<JudgedPair>, CsvError> {
    let rows = csv_rows(csv)?;
    let has_heading = rows
        .first()
        .and_then(|row| row.get(2))
        .is_some_and(|score| score.trim().parse::<f64>().is_err());
    let mut pairs = Vec::with_capacity(rows.len());
    for (fields, row) in rows.into_iter().zip(1..).skip(usize::from(has_heading)) {
        pairs.push(pair(fields).map_err(|why| CsvError::Row { row, why })?);
    }
    Ok(pairs)
}

fn pair(fields: Vec<String>) -> Result<JudgedPair, String> {
    let [a, b, score] = <[String; 3]>::try_from(fields)
        .map_err(|fields| format!("3 fields are needed, {} are there", fields.len()))?;
    let score: f64 =
        score.trim().parse().map_err(|_| format!("the score is no number: {score:?}"))?;
    if !(0.0..=HIGHEST_SCORE).contains(&score) {
        return Err(format!("the score must lie within 0 to {HIGHEST_SCORE}: {score}"));
    }
    if a.trim().is_empty() || b.trim().is_empty() {
        return Err("a text is empty".into());
    }
    Ok(JudgedPair { a, b, similarity: score / HIGHEST_SCORE })
}

/// The fields of every line that is not empty. A field in quotation marks may
/// hold commas, line ends and doubled quotation marks.
pub fn csv_rows(csv: &str) -> Result<Vec<Vec<String>>, CsvError> {
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut field = String::new();
    let mut place = CsvPlace::Start;
    let mut characters = csv.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = characters.next() {
        match (place, c) {
            (CsvPlace::Quoted, '"') if characters.next_if_eq(&'"').is_some() => field.push('"'),
            (CsvPlace::Quoted, '"') => place = CsvPlace::Plain,
            (CsvPlace::Quoted, _) => field.push(c),
            (CsvPlace::Start, '"') => place = CsvPlace::Quoted,
            (_, ',') => {
                row.push(std::mem::take(&mut field));
                place = CsvPlace::Start;
            }
            (_, '\n') => {
                end_row(&mut rows, &mut row, &mut field);
                place = CsvPlace::Start;
            }
            (_, '\r') if characters.peek().is_none_or(|&next| next == '\n') => {}
            _ => {
                field.push(c);
                place = CsvPlace::Plain;
            }
        }
    }
    if place == CsvPlace::Quoted {
        return Err(CsvError::OpenQuote);
    }
    end_row(&mut rows, &mut row, &mut field);
    Ok(rows)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CsvPlace {
    /// Before the first character of a field.
    Start,
    Plain,
    Quoted,
}

fn end_row(rows: &mut Vec<Vec<String>>, row: &mut Vec<String>, field: &mut String) {
    if row.is_empty() && field.is_empty() {
        return;
    }
    row.push(std::mem::take(field));
    rows.push(std::mem::take(row));
}

#[cfg(test)]
mod tests;

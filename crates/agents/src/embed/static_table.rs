//! The embedder inside this binary: a table with one vector per word piece,
//! learnt from a sentence model. A text's vector is the mean over its pieces,
//! at unit length. It needs no network, no file and no waiting, and the same
//! text has the same vector on every run and every machine of one kind.

use std::sync::OnceLock;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::calibration_rows::STATIC;
use super::table::VectorTable;
use super::wordpiece::WordPieces;
use super::{Calibration, EmbedError, Embedder, NoVector};

static TABLE_FILE: &[u8] = include_bytes!("../../assets/minilm-static-256-int4.safetensors");
static VOCABULARY: &str = include_str!("../../assets/vocab-kept.txt");
static WITHOUT_ROW: &str = include_str!("../../assets/vocab-dropped.txt");

/// The place of a text among all texts, or the reason why it has none.
#[derive(Debug, Clone, PartialEq)]
pub enum TextVector {
    Placed(Vec<f32>),
    Unplaced(NoVector),
}

/// The embedder that is always there.
#[derive(Debug, Clone)]
pub struct StaticEmbedder {
    calibration: Calibration,
}

impl StaticEmbedder {
    pub const NAME: &'static str = "static-minilm-256";
    /// The bytes that the table and its vocabulary add to the binary.
    pub const BYTES: usize = TABLE_FILE.len() + VOCABULARY.len() + WITHOUT_ROW.len();

    /// Costs nothing: the table is opened when the first text comes.
    pub fn new() -> StaticEmbedder {
        StaticEmbedder { calibration: STATIC.calibration() }
    }

    /// The vector of one text.
    pub fn vector(&self, text: &str) -> Result<TextVector, EmbedError> {
        let opened = opened()?;
        if text.trim().is_empty() {
            return Ok(TextVector::Unplaced(NoVector::Empty));
        }
        let rows = opened.pieces.rows(text);
        let mut sum = vec![0.0_f32; opened.table.dims()];
        for &row in &rows {
            opened.table.add(row, &mut sum);
        }
        // The length divides away what the mean would have divided by.
        let length = sum.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        if rows.is_empty() || length < f64::EPSILON {
            return Ok(TextVector::Unplaced(NoVector::NothingKnown));
        }
        let vector = sum.iter().map(|x| (f64::from(*x) / length) as f32).collect();
        Ok(TextVector::Placed(vector))
    }

    /// The table's rows for a text's pieces, to check against other readers of
    /// the same vocabulary.
    pub fn rows(&self, text: &str) -> Result<Vec<usize>, EmbedError> {
        Ok(opened()?.pieces.rows(text))
    }
}

impl Default for StaticEmbedder {
    fn default() -> StaticEmbedder {
        StaticEmbedder::new()
    }
}

impl Embedder for StaticEmbedder {
    fn name(&self) -> &str {
        StaticEmbedder::NAME
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        let vectors = texts.iter().zip(1..).map(|(text, number)| match self.vector(text)? {
            TextVector::Placed(vector) => Ok(vector),
            TextVector::Unplaced(why) => Err(EmbedError::NoVector { number, why }),
        });
        ready(vectors.collect()).boxed()
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn is_at_hand(&self) -> bool {
        true
    }
}

struct OpenTable {
    table: VectorTable,
    pieces: WordPieces,
}

/// The table, opened once for the whole process; it never changes.
fn opened() -> Result<&'static OpenTable, EmbedError> {
    static OPENED: OnceLock<Result<OpenTable, String>> = OnceLock::new();
    OPENED
        .get_or_init(|| {
            let table = VectorTable::open(TABLE_FILE)?;
            let lines = VOCABULARY.lines().count();
            if lines != table.rows() {
                return Err(format!("it has {} rows for {lines} pieces", table.rows()));
            }
            Ok(OpenTable { table, pieces: WordPieces::new(VOCABULARY, WITHOUT_ROW) })
        })
        .as_ref()
        .map_err(|why| EmbedError::Table(why.clone()))
}

#[cfg(test)]
mod tests;

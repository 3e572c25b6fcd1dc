//! The model of a document: sections with blocks, and what each block holds. It knows
//! nothing of how they are written.

use super::markup::Markup;
use super::phrase::Phrase;

#[derive(Debug, Clone, Default)]
pub struct Document {
    pub title: String,
    /// Short facts under the title: mode, date, status.
    pub facts: Vec<String>,
    pub sections: Vec<Section>,
    /// The last line: id, date, cost.
    pub foot: Phrase,
}

/// A section; one without a title stands before the first heading.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// Its name in links to it.
    pub anchor: String,
    pub title: String,
    pub look: SectionLook,
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SectionLook {
    #[default]
    Plain,
    /// The card, which stands first on a page and last on a terminal.
    Card,
    /// What a reader must know before anything else.
    Notices,
    /// Drawings that only a page can show.
    Drawn,
}

#[derive(Debug, Clone)]
pub enum Block {
    /// A heading inside a section.
    Heading(String),
    Text(Phrase),
    /// Something that is missing or failed.
    Gap(Phrase),
    /// A model's own Markdown.
    Prose(String),
    List(Vec<Phrase>),
    Numbered(Vec<NumberedItem>),
    Table(DataTable),
    Folded(FoldedPart),
    Drawing(SvgDrawing),
    Card(Box<CardBlock>),
}

/// An item that is cited by its number.
#[derive(Debug, Clone)]
pub struct NumberedItem {
    pub number: u32,
    pub anchor: String,
    pub phrase: Phrase,
}

#[derive(Debug, Clone, Default)]
pub struct DataTable {
    /// The name for readers who cannot see it.
    pub name: String,
    pub head: Vec<String>,
    pub rows: Vec<TableRow>,
}

#[derive(Debug, Clone, Default)]
pub struct TableRow {
    /// The row's name in links to it; empty where it has none.
    pub anchor: String,
    pub cells: Vec<Phrase>,
}

/// A part that a page shows when it is opened: a name and a line about it.
#[derive(Debug, Clone, Default)]
pub struct FoldedPart {
    pub anchor: String,
    pub name: String,
    pub line: String,
    pub facts: String,
    pub blocks: Vec<Block>,
}

/// A drawing, with the same figures as a table where it draws figures.
#[derive(Debug, Clone)]
pub struct SvgDrawing {
    pub anchor: String,
    pub title: String,
    pub svg: Markup,
    pub caption: String,
    pub table: Option<DataTable>,
    /// True if it may be wider than the page and is then scrolled.
    pub wide: bool,
}

/// The card of a result: at most twenty lines that say what was decided.
#[derive(Debug, Clone, Default)]
pub struct CardBlock {
    pub decision: String,
    /// What to do, in capitals, and the name of its colour.
    pub action: String,
    pub look: &'static str,
    /// How sure the table is.
    pub sure: String,
    pub rows: Vec<CardRow>,
    /// Agents, rounds, calls, time and cost.
    pub totals: String,
    /// Commands that work for this debate; only a terminal shows them.
    pub next: Vec<String>,
    /// The clerk's two sentences.
    pub summary: String,
}

/// A named line of a card, or several under one name.
#[derive(Debug, Clone)]
pub struct CardRow {
    pub label: String,
    pub phrases: Vec<Phrase>,
    /// True if a terminal shows the phrases below the label, not beside it.
    pub stacked: bool,
}

/// The kind of a table's column, which decides its width and its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Number,
    Short,
    /// Sentences.
    Words,
}

/// Longer cells are sentences.
const SHORT_CELL: usize = 30;

impl DataTable {
    /// The kind of a column, read from its cells.
    pub fn kind(&self, column: usize) -> ColumnKind {
        let mut cells = self.rows.iter().filter_map(|row| row.cells.get(column));
        let figure = |text: &str| {
            let figures = text.chars().any(|c| c.is_ascii_digit()) || text == "–";
            figures && text.chars().all(|c| c.is_ascii_digit() || "., –-+%".contains(c))
        };
        let texts: Vec<String> = cells.by_ref().map(Phrase::words).collect();
        if !texts.is_empty() && texts.iter().all(|text| figure(text)) {
            ColumnKind::Number
        } else if texts.iter().any(|text| text.chars().count() > SHORT_CELL) {
            ColumnKind::Words
        } else {
            ColumnKind::Short
        }
    }
}

//! How documents are put together: what is empty is left out.

use super::markup::Markup;
use super::model::{Block, DataTable, Document, Section, SvgDrawing, TableRow};
use super::phrase::Phrase;

/// The deepest heading that begins a section; others are inside one.
const SECTION: u8 = 2;

impl Document {
    pub fn new(title: impl Into<String>) -> Document {
        Document { title: title.into(), ..Document::default() }
    }

    /// Adds a section unless it is empty.
    pub fn add(&mut self, section: Section) {
        if !section.blocks.is_empty() {
            self.sections.push(section);
        }
    }

    /// The section that is being written.
    fn last(&mut self) -> &mut Section {
        if self.sections.is_empty() {
            self.sections.push(Section::default());
        }
        let at = self.sections.len() - 1;
        &mut self.sections[at]
    }

    /// A heading: of a new section (2), or inside the last one (3).
    pub fn heading(&mut self, depth: u8, text: impl Into<String>) {
        let text = text.into();
        if depth <= SECTION {
            let anchor = format!("part-{}", self.sections.len() + 1);
            self.sections.push(Section { anchor, title: text, ..Section::default() });
        } else {
            self.last().blocks.push(Block::Heading(text));
        }
    }

    pub fn text(&mut self, text: impl Into<Phrase>) {
        self.last().text(text);
    }

    pub fn list<T: Into<Phrase>>(&mut self, items: Vec<T>) {
        self.last().list(items);
    }

    pub fn table(&mut self, head: &[&str], rows: Vec<Vec<String>>) {
        let rows = rows.into_iter().map(|cells| cells.into_iter().map(Phrase::from).collect());
        let name = self.last().title.clone();
        self.last().table(&name, head, rows.collect());
    }

    pub fn chart(&mut self, svg: Markup, caption: impl Into<String>) {
        self.last().blocks.push(Block::Drawing(SvgDrawing {
            anchor: String::new(),
            title: String::new(),
            svg,
            caption: caption.into(),
            table: None,
            wide: false,
        }));
    }
}

impl Section {
    pub fn new(anchor: &str, title: &str) -> Section {
        Section { anchor: anchor.into(), title: title.into(), ..Section::default() }
    }

    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    pub fn text(&mut self, text: impl Into<Phrase>) {
        let text = text.into();
        if !text.is_empty() {
            self.blocks.push(Block::Text(text));
        }
    }

    pub fn list<T: Into<Phrase>>(&mut self, items: Vec<T>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items.into_iter().map(Into::into).collect()));
        }
    }

    /// A list under a heading of its own; nothing where the list is empty.
    pub fn titled<T: Into<Phrase>>(&mut self, title: &str, items: Vec<T>) {
        if !items.is_empty() {
            self.heading(title);
            self.list(items);
        }
    }

    pub fn table(&mut self, name: &str, head: &[&str], rows: Vec<Vec<Phrase>>) {
        let row = |cells: Vec<Phrase>| TableRow { anchor: String::new(), cells };
        self.rows(name, head, rows.into_iter().map(row).collect());
    }

    pub fn rows(&mut self, name: &str, head: &[&str], rows: Vec<TableRow>) {
        if !rows.is_empty() {
            let head = head.iter().map(|title| (*title).to_owned()).collect();
            self.blocks.push(Block::Table(DataTable { name: name.into(), head, rows }));
        }
    }
}

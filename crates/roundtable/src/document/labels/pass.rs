//! Puts the labels into a complete document, or into the texts of a page.

use super::Labels;
use crate::document::escape;
use crate::document::markup::Markup;
use crate::document::model::{Block, DataTable, Document, Section};
use crate::document::phrase::{Phrase, Span};

/// Attributes that a person reads or hears.
const READ: [&str; 4] = ["aria-label", "placeholder", "title", "data-l"];
/// Elements whose text is no label.
const SKIPPED: [&str; 4] = ["style", "script", "code", "textarea"];

impl Document {
    /// The document with its labels in this language.
    #[must_use]
    pub fn in_words(mut self, labels: Option<&Labels>) -> Document {
        let Some(labels) = labels else { return self };
        self.facts.iter_mut().for_each(|fact| *fact = labels.say(fact));
        self.sections.iter_mut().for_each(|section| labels.section(section));
        labels.line(&mut self.foot);
        self
    }
}

impl Labels {
    fn section(&self, section: &mut Section) {
        section.title = self.say(&section.title);
        section.blocks.iter_mut().for_each(|block| self.block(block));
    }

    fn block(&self, block: &mut Block) {
        match block {
            Block::Heading(text) => *text = self.say(text),
            Block::Text(phrase) | Block::Gap(phrase) => self.line(phrase),
            Block::Prose(_) => {}
            Block::List(items) => items.iter_mut().for_each(|item| self.line(item)),
            Block::Numbered(items) => items.iter_mut().for_each(|item| self.line(&mut item.phrase)),
            Block::Table(table) => self.table(table),
            Block::Folded(part) => {
                part.facts = self.say(&part.facts);
                part.name = self.say(&part.name);
                part.blocks.iter_mut().for_each(|block| self.block(block));
            }
            Block::Drawing(drawing) => {
                drawing.title = self.say(&drawing.title);
                drawing.caption = self.say(&drawing.caption);
                drawing.svg = Markup::of(self.html(&drawing.svg.to_string()));
                drawing.table.iter_mut().for_each(|table| self.table(table));
            }
            Block::Card(card) => {
                for text in [&mut card.decision, &mut card.action, &mut card.sure, &mut card.totals]
                {
                    *text = self.say(text);
                }
                for row in &mut card.rows {
                    row.label = self.say(&row.label);
                    row.phrases.iter_mut().for_each(|phrase| self.line(phrase));
                }
            }
        }
    }

    fn table(&self, table: &mut DataTable) {
        table.name = self.say(&table.name);
        table.head.iter_mut().for_each(|head| *head = self.say(head));
        let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
        cells.for_each(|cell| self.line(cell));
    }

    fn line(&self, phrase: &mut Phrase) {
        for span in &mut phrase.spans {
            match span {
                Span::Plain(words)
                | Span::Strong(words)
                | Span::Soft(words)
                | Span::Badge { words, .. } => *words = self.say(words),
                Span::Code(_) | Span::Web(_) | Span::Inside { .. } => {}
            }
        }
    }

    /// A page with its labels in this language: the texts between tags, and the attributes
    /// that are read.
    pub fn html(&self, page: &str) -> String {
        let mut out = String::with_capacity(page.len() + page.len() / 8);
        let mut rest = page;
        let mut skipped: Option<String> = None;
        while let Some((text, tag)) = rest.split_once('<') {
            out.push_str(&if skipped.is_some() { text.to_owned() } else { self.node(text) });
            let (tag, after) = tag.split_once('>').unwrap_or((tag, ""));
            let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
            match &skipped {
                Some(open) if tag.strip_prefix('/') == Some(open) => skipped = None,
                None if SKIPPED.contains(&name.as_str()) => skipped = Some(name),
                _ => {}
            }
            out.push_str(&format!("<{}>", self.tag(tag)));
            rest = after;
        }
        out.push_str(&self.node(rest));
        out
    }

    fn tag(&self, tag: &str) -> String {
        let mut tag = tag.to_owned();
        for name in READ {
            let mark = format!(" {name}=\"");
            let Some((before, after)) = tag.split_once(&mark) else { continue };
            let Some((value, end)) = after.split_once('"') else { continue };
            tag = format!("{before}{mark}{}\"{end}", self.node(value));
        }
        tag
    }

    /// A text with the escapes of a page, translated. One that is not known stays as it is,
    /// byte for byte.
    fn node(&self, text: &str) -> String {
        if !text.contains(|c: char| c.is_alphanumeric()) {
            return text.to_owned();
        }
        let plain = escape::html_words(text);
        let said = self.say(&plain);
        if said == plain { text.to_owned() } else { escape::html(&said) }
    }
}

//! A document as one HTML page that needs no network, no script and no font of its
//! own, from the templates beside it. The escaper of every value is ours.

use askama::Template;

use super::escape::{clean_line, html_line, web_address};
use super::markup::Markup;
use super::model::{Block, CardBlock, ColumnKind, DataTable, Document, Section, SectionLook};
use super::phrase::{Phrase, Span};
use super::prose_html;

const STYLE: &str = include_str!("templates/document.css");
/// Titles of windows are short.
const TITLE: usize = 120;

impl Document {
    pub fn to_html(&self) -> String {
        let title: String = clean_line(&self.title).chars().take(TITLE).collect();
        let page = PageTemplate {
            title: &title,
            document: self,
            style: Markup::of(STYLE.into()),
            foot: PhraseTemplate { spans: &self.foot.spans },
        };
        // Writing to memory cannot fail.
        page.render().unwrap_or_default()
    }
}

#[derive(Template)]
#[template(path = "page.html")]
struct PageTemplate<'a> {
    title: &'a str,
    document: &'a Document,
    style: Markup,
    foot: PhraseTemplate<'a>,
}

impl PageTemplate<'_> {
    /// Sections that are listed in the contents.
    fn contents(&self) -> Vec<&Section> {
        let listed = |one: &&Section| !one.title.is_empty() && one.look != SectionLook::Card;
        self.document.sections.iter().filter(listed).collect()
    }

    fn class(&self, section: &Section) -> &'static str {
        match section.look {
            SectionLook::Plain | SectionLook::Drawn => "",
            SectionLook::Card => "decision",
            SectionLook::Notices => "notices",
        }
    }

    fn inside<'b>(&self, blocks: &'b [Block]) -> BlocksTemplate<'b> {
        BlocksTemplate { blocks }
    }
}

#[derive(Template)]
#[template(path = "blocks.html")]
struct BlocksTemplate<'a> {
    blocks: &'a [Block],
}

impl BlocksTemplate<'_> {
    fn inside<'b>(&self, blocks: &'b [Block]) -> BlocksTemplate<'b> {
        BlocksTemplate { blocks }
    }

    fn phrase<'b>(&self, phrase: &'b Phrase) -> PhraseTemplate<'b> {
        PhraseTemplate { spans: &phrase.spans }
    }

    /// The lines of a text, each a paragraph of its own.
    fn lines(&self, phrase: &Phrase) -> Vec<Phrase> {
        let words = phrase.words();
        let lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
        match lines.as_slice() {
            [_, _, ..] => lines.into_iter().map(Phrase::from).collect(),
            _ => vec![phrase.clone()],
        }
    }

    fn prose(&self, text: &str) -> Markup {
        prose_html::html(text)
    }

    fn table<'b>(&self, table: &'b DataTable) -> TableTemplate<'b> {
        TableTemplate { table }
    }

    fn card<'b>(&self, card: &'b CardBlock) -> CardTemplate<'b> {
        CardTemplate { card }
    }
}

#[derive(Template)]
#[template(path = "table.html")]
struct TableTemplate<'a> {
    table: &'a DataTable,
}

impl TableTemplate<'_> {
    fn phrase<'b>(&self, phrase: &'b Phrase) -> PhraseTemplate<'b> {
        PhraseTemplate { spans: &phrase.spans }
    }

    fn class(&self, column: &usize) -> &'static str {
        match self.table.kind(*column) {
            ColumnKind::Number => "number",
            ColumnKind::Short => "short",
            ColumnKind::Words => "words",
        }
    }

    /// The first cell of a row is its heading, unless it is a figure.
    fn is_head(&self, column: &usize) -> bool {
        *column == 0 && self.table.kind(*column) != ColumnKind::Number
    }
}

#[derive(Template)]
#[template(path = "card.html")]
struct CardTemplate<'a> {
    card: &'a CardBlock,
}

impl CardTemplate<'_> {
    fn phrase<'b>(&self, phrase: &'b Phrase) -> PhraseTemplate<'b> {
        PhraseTemplate { spans: &phrase.spans }
    }
}

#[derive(Template)]
#[template(path = "phrase.html")]
struct PhraseTemplate<'a> {
    spans: &'a [Span],
}

impl PhraseTemplate<'_> {
    /// The address of a link, where it may be one.
    fn address(&self, url: &str) -> Option<String> {
        web_address(url)
    }

    /// The words on one line, escaped; a blank at either end separates spans and stays.
    fn line(&self, words: &str) -> Markup {
        let blank = |is: bool| if is { " " } else { "" };
        let (before, after) = (words.starts_with(' '), words.trim_end().len() < words.len());
        let text = html_line(words);
        Markup::of(format!("{}{text}{}", blank(before), blank(after && !text.is_empty())))
    }
}

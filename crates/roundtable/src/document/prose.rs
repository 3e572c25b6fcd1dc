//! A model's Markdown written again as Markdown that can do no harm: raw HTML
//! becomes text, links go to the web or nowhere, pictures are named and not
//! fetched, headings are bold lines so that the document keeps its own outline.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::escape::{at_line_start, clean, markdown_inline, plain_marks, web_address};

/// Deeper than this, quotes and lists stay where they are.
const DEEPEST: usize = 12;

pub fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
}

/// Without tables: a cell is text, and its strokes are escaped with the rest.
pub fn markdown(text: &str) -> String {
    let text = clean(text);
    let mut writer = MarkdownWriter::default();
    for event in Parser::new_ext(&text, Options::ENABLE_STRIKETHROUGH) {
        writer.take(event);
    }
    writer.finish()
}

/// The same, every line quoted.
pub fn quoted(text: &str) -> String {
    prefixed(markdown(text).trim_end(), "> ", "> ")
}

fn prefixed(text: &str, first: &str, rest: &str) -> String {
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        let prefix = if index == 0 { first } else { rest };
        out.push_str(format!("{prefix}{line}").trim_end());
        out.push('\n');
    }
    out
}

/// A block that is being written: what is in it so far.
#[derive(Default)]
struct MarkdownWriter {
    /// The innermost block comes last.
    blocks: Vec<OpenBlock>,
    done: String,
    links: Vec<Option<String>>,
}

struct OpenBlock {
    kind: BlockKind,
    begins: BlockStart,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockStart {
    Markup,
    /// Which must not be taken for markup.
    Text,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Paragraph,
    Heading,
    Quote,
    /// With the number of the next item, where items are numbered.
    List(Option<u64>),
    Item,
    Code,
    Html,
    /// A block that adds nothing of its own.
    Plain,
}

impl MarkdownWriter {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) if self.is_in(BlockKind::Code) => self.put(&text),
            Event::Text(text) | Event::InlineHtml(text) | Event::Html(text) => {
                self.put_inline(&markdown_inline(&text));
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => self.put(&code(&text)),
            Event::Code(text) => self.put(&code(&text)),
            Event::SoftBreak | Event::HardBreak => self.put(" "),
            Event::Rule => self.put("\n\n---\n\n"),
            Event::FootnoteReference(name) => self.put(&markdown_inline(&name)),
            Event::TaskListMarker(_) => {}
        }
    }

    fn is_in(&self, kind: BlockKind) -> bool {
        self.blocks.last().is_some_and(|block| block.kind == kind)
    }

    fn put(&mut self, text: &str) {
        match self.blocks.last_mut() {
            Some(block) => block.text.push_str(text),
            None => self.done.push_str(text),
        }
    }

    fn put_inline(&mut self, text: &str) {
        if let Some(block) = self.blocks.last_mut().filter(|block| block.text.is_empty()) {
            block.begins = BlockStart::Text;
        }
        self.put(text);
    }

    fn start(&mut self, tag: Tag<'_>) {
        let deep = self.blocks.len() >= DEEPEST;
        let kind = match tag {
            Tag::Paragraph => BlockKind::Paragraph,
            Tag::Heading { .. } => BlockKind::Heading,
            Tag::BlockQuote(_) if !deep => BlockKind::Quote,
            Tag::List(first) if !deep => BlockKind::List(first),
            Tag::Item if !deep => BlockKind::Item,
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => BlockKind::Code,
            Tag::HtmlBlock => BlockKind::Html,
            Tag::Emphasis => return self.put("*"),
            Tag::Strong => return self.put("**"),
            Tag::Strikethrough => return self.put("~~"),
            Tag::Link { dest_url, .. } => {
                let url = web_address(&dest_url);
                self.put(if url.is_some() { "[" } else { "" });
                self.links.push(url);
                return;
            }
            Tag::Image { dest_url, .. } => {
                self.put("\\[picture: ");
                self.links.push(web_address(&dest_url));
                return;
            }
            _ => BlockKind::Plain,
        };
        if self.is_in(BlockKind::Item) && self.blocks.last().is_some_and(|b| !b.text.is_empty()) {
            self.put("\n");
        }
        self.blocks.push(OpenBlock { kind, begins: BlockStart::Markup, text: String::new() });
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Emphasis => self.put("*"),
            TagEnd::Strong => self.put("**"),
            TagEnd::Strikethrough => self.put("~~"),
            TagEnd::Link => {
                if let Some(url) = self.links.pop().flatten() {
                    self.put(&format!("]({url})"));
                }
            }
            TagEnd::Image => {
                let url = self.links.pop().flatten().map(|url| format!(", {url}"));
                self.put(&format!("{}\\]", url.unwrap_or_default()));
            }
            _ => self.close(),
        }
    }

    fn close(&mut self) {
        let Some(block) = self.blocks.pop() else { return };
        let text = block.text.trim_matches('\n');
        let text = match (block.kind, block.begins) {
            (BlockKind::Code, _) => text.to_owned(),
            (BlockKind::Paragraph, BlockStart::Markup) => plain_marks(text),
            (_, BlockStart::Markup) => text.to_owned(),
            (_, BlockStart::Text) => at_line_start(&plain_marks(text.trim_start())),
        };
        let done = match block.kind {
            BlockKind::Paragraph | BlockKind::Html => {
                format!("{}\n\n", text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            BlockKind::Heading => format!("**{}**\n\n", text.trim().replace("**", "")),
            BlockKind::Quote => format!("{}\n", prefixed(text.trim_end(), "> ", "> ")),
            BlockKind::Code => fence(&text),
            BlockKind::Item => {
                let mark = self.next_mark();
                prefixed(text.trim(), &mark, &" ".repeat(mark.len()))
            }
            BlockKind::List(_) => format!("{}\n\n", text.trim_end()),
            BlockKind::Plain => format!("{text}\n"),
        };
        self.put(&done);
    }

    fn next_mark(&mut self) -> String {
        match self.blocks.last_mut().map(|block| &mut block.kind) {
            Some(BlockKind::List(Some(number))) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "- ".into(),
        }
    }

    fn finish(mut self) -> String {
        while !self.blocks.is_empty() {
            self.close();
        }
        let mut out = String::new();
        let mut blank = true;
        for line in self.done.lines() {
            if !(line.is_empty() && blank) {
                out.push_str(line);
                out.push('\n');
            }
            blank = line.is_empty();
        }
        out
    }
}

/// The longest run of backticks in a text.
fn ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text as code on one line.
pub fn code(text: &str) -> String {
    let mark = "`".repeat(ticks(text) + 1);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // A stroke would end a table's cell even here.
    format!("{mark} {} {mark}", no_template(&line).replace('|', "¦"))
}

/// Site generators look for their templates inside code too.
fn no_template(code: &str) -> String {
    code.replace("{{", "{ {").replace("{%", "{ %")
}

fn fence(text: &str) -> String {
    let mark = "`".repeat(ticks(text).max(2) + 1);
    format!("{mark}\n{}\n{mark}\n\n", no_template(text.trim_end_matches('\n')))
}

//! A model's Markdown as HTML: raw HTML is shown as text, links go to the web or
//! nowhere, pictures are named and not fetched, headings are bold lines so that
//! the page keeps its own outline.

use pulldown_cmark::{Alignment, Event, Parser, Tag, TagEnd};

use super::escape::{clean, html as plain, web_address};
use super::markup::Markup;
use super::prose;

pub fn html(text: &str) -> Markup {
    let text = clean(text);
    let mut writer = HtmlWriter::default();
    for event in Parser::new_ext(&text, prose::options()) {
        writer.take(event);
    }
    Markup::of(writer.out)
}

#[derive(Default)]
struct HtmlWriter {
    out: String,
    /// The closing text of each open link and picture.
    open: Vec<String>,
    row: RowPlace,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum RowPlace {
    Head,
    #[default]
    Body,
}

impl HtmlWriter {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.out.push_str(&plain(&text));
            }
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.out.push_str(&format!("<code>{}</code>", plain(&text)));
            }
            Event::FootnoteReference(name) => self.out.push_str(&plain(&name)),
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let opening = match tag {
            Tag::Paragraph | Tag::HtmlBlock => "<p dir=\"auto\">",
            Tag::Heading { .. } => "<p class=\"h\" dir=\"auto\">",
            Tag::BlockQuote(_) => "<blockquote>",
            Tag::CodeBlock(_) => "<pre><code>",
            Tag::List(None) => "<ul>",
            Tag::List(Some(first)) => {
                self.out.push_str(&format!("<ol start=\"{first}\">"));
                return;
            }
            Tag::Item => "<li dir=\"auto\">",
            Tag::Table(columns) => {
                // How columns are aligned is left to the page.
                let _: Vec<Alignment> = columns;
                "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>"
            }
            Tag::TableHead => {
                self.row = RowPlace::Head;
                "<thead><tr>"
            }
            Tag::TableRow => "<tr>",
            Tag::TableCell if self.row == RowPlace::Head => "<th scope=\"col\" dir=\"auto\">",
            Tag::TableCell => "<td dir=\"auto\">",
            Tag::Emphasis => "<em>",
            Tag::Strong => "<strong>",
            Tag::Strikethrough => "<del>",
            Tag::Link { dest_url, .. } => {
                let (start, end) = link(&dest_url);
                self.open.push(end);
                self.out.push_str(&start);
                return;
            }
            Tag::Image { dest_url, .. } => {
                let (start, end) = link(&dest_url);
                self.open.push(format!("]{end}"));
                self.out.push_str(&format!("{start}[picture: "));
                return;
            }
            _ => "",
        };
        self.out.push_str(opening);
    }

    fn end(&mut self, end: TagEnd) {
        let closing = match end {
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::Heading(_) => "</p>\n",
            TagEnd::BlockQuote(_) => "</blockquote>\n",
            TagEnd::CodeBlock => "</code></pre>\n",
            TagEnd::List(true) => "</ol>\n",
            TagEnd::List(false) => "</ul>\n",
            TagEnd::Item => "</li>\n",
            TagEnd::Table => "</tbody></table></div>\n",
            TagEnd::TableHead => {
                self.row = RowPlace::Body;
                "</tr></thead><tbody>"
            }
            TagEnd::TableRow => "</tr>\n",
            TagEnd::TableCell if self.row == RowPlace::Head => "</th>",
            TagEnd::TableCell => "</td>",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Link | TagEnd::Image => {
                let end = self.open.pop().unwrap_or_default();
                self.out.push_str(&end);
                return;
            }
            _ => "",
        };
        self.out.push_str(closing);
    }
}

/// Returns the opening and closing text of a link; empty if it does not lead to the
/// web.
fn link(url: &str) -> (String, String) {
    match web_address(url) {
        Some(safe) => {
            (format!("<a href=\"{}\" rel=\"noopener noreferrer\">", plain(&safe)), "</a>".into())
        }
        None => (String::new(), String::new()),
    }
}

//! Turns the bytes of a page into text. Bytes become characters by the rules of
//! the web (`encoding_rs`), HTML becomes tokens by the same rules (`html5ever`);
//! this file only decides which of them a reader sees.
//!
//! No tree is built: a tree of a hostile page, nested a hundred thousand deep,
//! takes minutes. Tokens take time in proportion to the page.

use std::cell::{Cell, RefCell};

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// The two ways to read a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    Html,
    Plain,
}

/// Content types that are text.
const TYPES: &[(&str, PageKind)] = &[
    ("text/html", PageKind::Html),
    ("application/xhtml+xml", PageKind::Html),
    ("application/json", PageKind::Plain),
    ("application/ld+json", PageKind::Plain),
    ("application/xml", PageKind::Plain),
    ("application/rss+xml", PageKind::Plain),
    ("application/atom+xml", PageKind::Plain),
];

impl PageKind {
    /// `None` for a type that is not text, or that is not stated.
    pub fn of(content_type: &str) -> Option<PageKind> {
        let name = shown_type(content_type);
        let known = TYPES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        known.or_else(|| name.starts_with("text/").then_some(PageKind::Plain))
    }
}

/// The bare type, as messages show it.
pub fn shown_type(content_type: &str) -> String {
    let bare = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let clean: String = bare.chars().filter(|c| c.is_ascii_graphic()).take(60).collect();
    if clean.is_empty() { "of no stated type".into() } else { clean }
}

/// The bytes at the beginning in which a page may name its character set.
const DECLARED_WITHIN: usize = 1024;

/// Bytes as characters. The character set is taken from a byte order mark, else
/// from the HTTP header, else from the page's own `meta` tag; without any of them
/// it is UTF-8 where the bytes are, and windows-1252 where they are not.
pub fn decoded(bytes: &[u8], content_type: &str) -> String {
    if let Some((marked, length)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(length..).unwrap_or_default();
        return marked.decode_without_bom_handling(rest).0.into_owned();
    }
    let stated = stated_charset(content_type)
        .or_else(|| declared_charset(bytes.get(..DECLARED_WITHIN).unwrap_or(bytes)));
    let encoding = stated.unwrap_or_else(|| if is_utf8(bytes) { UTF_8 } else { WINDOWS_1252 });
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

/// A page that was cut off may end within a character.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// The `charset` of a content type, in a header or a `meta` tag.
fn stated_charset(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let (_, value) = lower.split_once("charset")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let end = |c: char| matches!(c, ';' | '"' | '\'') || c.is_whitespace();
    let label = value.trim_start_matches(['"', '\'']).split(end).next()?;
    Encoding::for_label(label.as_bytes())
}

/// The character set that an HTML page declares in its head, by `<meta charset>`
/// or `<meta http-equiv="content-type">`.
fn declared_charset(head: &[u8]) -> Option<&'static Encoding> {
    let found = Cell::new(None);
    // All declarations are ASCII, whatever follows them.
    tokenize(&WINDOWS_1252.decode_without_bom_handling(head).0, |token| {
        if let Token::TagToken(tag) = token
            && &*tag.name == "meta"
            && found.get().is_none()
        {
            found.set(meta_charset(&tag));
        }
        TokenSinkResult::Continue
    });
    // A declaration that was read as ASCII cannot mean a set of two-byte units.
    found.get().map(|encoding| if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

fn meta_charset(meta: &Tag) -> Option<&'static Encoding> {
    let value = |name: &str| {
        let found = meta.attrs.iter().find(|attribute| &*attribute.name.local == name);
        found.map(|attribute| attribute.value.to_string())
    };
    if let Some(label) = value("charset") {
        return Encoding::for_label(label.as_bytes());
    }
    let is_type = value("http-equiv")?.eq_ignore_ascii_case("content-type");
    stated_charset(&value("content").filter(|_| is_type)?)
}

/// Elements whose content no reader sees, or that is not the page's own text.
const UNSEEN: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "iframe", "object", "select", "textarea",
    "nav", "dialog",
];

/// Elements that hold what a page is about, where it says so.
const MAIN: &[&str] = &["main", "article"];

/// Main text shorter than this is a teaser, and the whole page is taken.
const LEAST_MAIN: usize = 400;

/// Elements that begin on a line of their own, and what begins the line.
const BLOCKS: &[(&str, &str)] = &[
    ("h1", "# "),
    ("h2", "## "),
    ("h3", "### "),
    ("h4", "#### "),
    ("h5", "##### "),
    ("h6", "###### "),
    ("li", "- "),
    ("address", ""),
    ("article", ""),
    ("aside", ""),
    ("blockquote", ""),
    ("body", ""),
    ("br", ""),
    ("dd", ""),
    ("details", ""),
    ("div", ""),
    ("dl", ""),
    ("dt", ""),
    ("figcaption", ""),
    ("figure", ""),
    ("footer", ""),
    ("form", ""),
    ("header", ""),
    ("hr", ""),
    ("main", ""),
    ("ol", ""),
    ("p", ""),
    ("pre", ""),
    ("section", ""),
    ("summary", ""),
    ("table", ""),
    ("tr", ""),
    ("ul", ""),
];

/// The title and the text of an HTML page. It runs nothing, loads nothing and
/// never fails.
pub fn from_html(html: &str) -> (String, String) {
    let seen = RefCell::new(SeenText::default());
    tokenize(html, |token| match token {
        Token::CharacterTokens(text) => {
            seen.borrow_mut().text(&text);
            TokenSinkResult::Continue
        }
        Token::TagToken(tag) => seen.borrow_mut().tag(&tag),
        _ => TokenSinkResult::Continue,
    });
    let seen = seen.into_inner();
    let main = tidy(&seen.main);
    let text = if main.len() >= LEAST_MAIN { main } else { tidy(&seen.whole) };
    (tidy(&seen.title).replace('\n', " "), text)
}

/// Hands every token of a page to a function.
fn tokenize(html: &str, each: impl Fn(Token) -> TokenSinkResult<()>) {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(TokenFn(each), TokenizerOpts::default());
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
}

struct TokenFn<F>(F);

impl<F: Fn(Token) -> TokenSinkResult<()>> TokenSink for TokenFn<F> {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        (self.0)(token)
    }
}

/// The text seen so far, and the elements it is in.
#[derive(Default)]
struct SeenText {
    title: String,
    whole: String,
    /// The part of `whole` that lies in a main element.
    main: String,
    in_title: bool,
    /// The element that is left out, and how often it is open.
    unseen: Option<(String, usize)>,
    main_depth: usize,
    pre_depth: usize,
}

impl SeenText {
    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let (name, opens) = (&*tag.name, tag.kind == TagKind::StartTag);
        if let Some((unseen, depth)) = &mut self.unseen {
            if name == unseen {
                *depth = if opens { *depth + 1 } else { *depth - 1 };
            }
            if *depth == 0 {
                self.unseen = None;
            }
        } else if opens && UNSEEN.contains(&name) && !tag.self_closing {
            self.unseen = Some((name.to_owned(), 1));
        } else if name == "title" {
            self.in_title = opens && self.title.is_empty();
        } else {
            self.layout(name, opens);
        }
        match name {
            "script" if opens => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "iframe" | "noscript" if opens => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" if opens => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }

    fn layout(&mut self, name: &str, opens: bool) {
        if MAIN.contains(&name) && opens {
            self.main_depth += 1;
        }
        if let Some((_, begin)) = BLOCKS.iter().find(|(block, _)| *block == name) {
            self.push("\n");
            self.push(if opens { begin } else { "" });
        } else if matches!(name, "td" | "th") && !opens {
            self.push(" | ");
        }
        match (name, opens) {
            ("pre", true) => self.pre_depth += 1,
            ("pre", false) => self.pre_depth = self.pre_depth.saturating_sub(1),
            _ if MAIN.contains(&name) && !opens => {
                self.main_depth = self.main_depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.unseen.is_some() {
            return;
        }
        if self.in_title {
            self.title.push_str(text);
        } else if self.pre_depth > 0 {
            self.push(text);
        } else {
            // Line breaks in HTML are mere blanks.
            self.push(&text.replace(['\n', '\r'], " "));
        }
    }

    fn push(&mut self, text: &str) {
        self.whole.push_str(text);
        if self.main_depth > 0 {
            self.main.push_str(text);
        }
    }
}

/// One blank between words, at most one empty line between paragraphs, no
/// control characters, no lines that hold only a mark.
pub fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = 0;
    for line in text.lines() {
        let words = line.split(|c: char| c.is_whitespace() || c.is_control());
        let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        if line.is_empty() || line.chars().all(|c| matches!(c, '-' | '#' | '|')) {
            gap += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if gap > 0 { "\n\n" } else { "\n" });
        }
        gap = 0;
        out.push_str(&line);
    }
    out
}

//! Makes text of what a page sends. It understands just enough HTML to leave
//! out what no reader sees and to keep paragraphs, headings and lists apart; it
//! runs nothing, loads nothing and never fails.

/// How a page's bytes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Html,
    Plain,
}

/// Types that are text, and how they are read.
const TYPES: &[(&str, Kind)] = &[
    ("text/html", Kind::Html),
    ("application/xhtml+xml", Kind::Html),
    ("application/json", Kind::Plain),
    ("application/ld+json", Kind::Plain),
    ("application/xml", Kind::Plain),
    ("application/rss+xml", Kind::Plain),
    ("application/atom+xml", Kind::Plain),
];

impl Kind {
    /// `None` for whatever is not text, or does not say what it is.
    pub fn of(content_type: &str) -> Option<Kind> {
        let name = shown_type(content_type);
        let known = TYPES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        known.or_else(|| name.starts_with("text/").then_some(Kind::Plain))
    }
}

/// The bare type, as messages show it.
pub fn shown_type(content_type: &str) -> String {
    let bare = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let clean: String = bare.chars().filter(|c| c.is_ascii_graphic()).take(60).collect();
    if clean.is_empty() { "of no stated type".into() } else { clean }
}

/// Bytes as characters: the old Western sets by their place, all else as UTF-8.
pub fn decoded(bytes: &[u8], content_type: &str) -> String {
    const WESTERN: [&str; 4] = ["iso-8859-1", "latin1", "windows-1252", "iso-8859-15"];
    let stated = content_type.to_ascii_lowercase();
    let charset = stated.split("charset=").nth(1).unwrap_or_default();
    let charset = charset.trim_matches(|c: char| c == '"' || c == '\'' || c.is_whitespace());
    let charset = charset.split([';', '"', ' ']).next().unwrap_or_default();
    match WESTERN.contains(&charset) {
        true => bytes.iter().map(|byte| char::from(*byte)).collect(),
        false => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Elements whose content no reader sees, or that is not the page's own text.
const UNSEEN: &[&str] =
    &["script", "style", "noscript", "template", "svg", "iframe", "object", "select", "textarea"];

/// Elements that stand on lines of their own, and what begins the line.
const BLOCKS: &[(&str, &str)] = &[
    ("h1", "# "),
    ("h2", "## "),
    ("h3", "### "),
    ("h4", "#### "),
    ("h5", "##### "),
    ("h6", "###### "),
    ("li", "- "),
    ("p", ""),
    ("div", ""),
    ("br", ""),
    ("hr", ""),
    ("tr", ""),
    ("ul", ""),
    ("ol", ""),
    ("dl", ""),
    ("dt", ""),
    ("dd", ""),
    ("table", ""),
    ("section", ""),
    ("article", ""),
    ("header", ""),
    ("footer", ""),
    ("main", ""),
    ("nav", ""),
    ("aside", ""),
    ("form", ""),
    ("pre", ""),
    ("blockquote", ""),
    ("figure", ""),
    ("figcaption", ""),
    ("title", ""),
    ("body", ""),
];

const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("bull", "•"),
    ("middot", "·"),
    ("deg", "°"),
    ("euro", "€"),
    ("pound", "£"),
    ("copy", "©"),
    ("reg", "®"),
    ("times", "×"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("agrave", "à"),
    ("ccedil", "ç"),
    ("ntilde", "ñ"),
];

/// Title and text of an HTML page.
pub fn from_html(html: &str) -> (String, String) {
    let mut out = String::with_capacity(html.len() / 3);
    let mut title = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (text, markup) = rest.split_at(at);
        push_text(&mut out, text);
        rest = match markup {
            comment if comment.starts_with("<!--") => after(comment, "-->"),
            // A lone bracket is text.
            markup if !is_markup(markup) => {
                out.push('<');
                markup.get(1..).unwrap_or_default()
            }
            markup => element(markup, &mut out, &mut title),
        };
    }
    push_text(&mut out, rest);
    (tidy(&title).replace('\n', " "), tidy(&out))
}

fn is_markup(markup: &str) -> bool {
    let mut next = markup.chars().skip(1);
    next.next().is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
}

/// One tag, and with it all of an element that is not shown.
fn element<'h>(markup: &'h str, out: &mut String, title: &mut String) -> &'h str {
    let closing = markup.starts_with("</");
    let name_part = markup.get(if closing { 2 } else { 1 }..).unwrap_or_default();
    let length = name_part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name_part.len());
    let name = name_part.get(..length).unwrap_or_default().to_ascii_lowercase();
    let rest = after_tag(markup);
    if !closing && UNSEEN.contains(&name.as_str()) {
        return after_element(rest, &name);
    }
    if !closing && name == "title" && title.is_empty() {
        let end = rest.find('<').unwrap_or(rest.len());
        push_text(title, rest.get(..end).unwrap_or_default());
        return after_element(rest, &name);
    }
    if let Some((_, begin)) = BLOCKS.iter().find(|(block, _)| *block == name) {
        out.push('\n');
        out.push_str(if closing { "" } else { begin });
    } else if matches!(name.as_str(), "td" | "th") && closing {
        out.push_str(" | ");
    }
    rest
}

/// What follows a tag. A bracket inside quotes does not end it.
fn after_tag(markup: &str) -> &str {
    let mut quote = None;
    for (at, char) in markup.char_indices() {
        match (quote, char) {
            (None, '>') => return markup.get(at + 1..).unwrap_or_default(),
            (None, '"' | '\'') if markup.get(..at).is_some_and(|before| before.ends_with('=')) => {
                quote = Some(char);
            }
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    ""
}

/// What follows an element that is left out.
fn after_element<'h>(rest: &'h str, name: &str) -> &'h str {
    let end = format!("</{name}");
    let bytes = rest.as_bytes();
    let found = bytes.windows(end.len()).position(|part| part.eq_ignore_ascii_case(end.as_bytes()));
    match found.and_then(|at| rest.get(at..)) {
        Some(tail) => after(tail, ">"),
        None => "",
    }
}

fn after<'h>(text: &'h str, mark: &str) -> &'h str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// Text with its entities resolved; line breaks in HTML are mere blanks.
fn push_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        push_blanked(out, rest.get(..at).unwrap_or_default());
        let entity = rest.get(at + 1..).unwrap_or_default();
        let end = entity.bytes().take(12).position(|byte| byte == b';');
        let name = end.and_then(|end| entity.get(..end));
        match name.and_then(resolved) {
            Some(char) => {
                out.push_str(&char);
                rest = entity.get(name.map_or(0, |name| name.len() + 1)..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = entity;
            }
        }
    }
    push_blanked(out, rest);
}

fn push_blanked(out: &mut String, text: &str) {
    out.extend(text.chars().map(|c| if c == '\n' || c == '\r' { ' ' } else { c }));
}

fn resolved(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        let code = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
        return char::from_u32(code?).filter(|c| !c.is_control()).map(String::from);
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned())
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

//! The frame of every page: header, menu, footer, and pages that stand alone.

use std::fmt::Display;

use askama::Template;
use axum::extract::{Path, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::assets;
use super::fields::{FormFields, cookie};
use crate::document::Labels;

const THEME: &str = "roundtable-theme";
/// Themes and what the footer offers next to each.
const THEMES: [(&str, &str); 3] = [("system", "light"), ("light", "dark"), ("dark", "system")];

/// The part of the page that the menu marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageTab {
    Debates,
    New,
    Learning,
    Agents,
    None,
}

const TABS: [(PageTab, &str, &str); 4] = [
    (PageTab::Debates, "/", "Debates"),
    (PageTab::New, "/new", "New debate"),
    (PageTab::Learning, "/learning", "Learning"),
    (PageTab::Agents, "/agents", "Agents and settings"),
];

/// A page with the usual frame.
#[derive(Template)]
#[template(path = "web_frame.html", whitespace = "preserve")]
pub struct FramedPage {
    title: String,
    tab: PageTab,
    theme: &'static str,
    other_theme: &'static str,
    version: &'static str,
    program: &'static str,
    /// Reloads by itself where there is no script.
    pub refresh: bool,
    /// The words of the debate that is shown; English where there are none.
    pub labels: Option<&'static Labels>,
    main: Box<dyn Display + Send>,
}

/// A page without a menu, for what comes before it.
#[derive(Template)]
#[template(path = "web_lone.html", whitespace = "preserve")]
pub struct LonePage {
    title: String,
    version: &'static str,
    main: Box<dyn Display + Send>,
}

/// Makes a page in the reader's theme.
pub fn page(
    headers: &HeaderMap,
    title: impl Into<String>,
    tab: PageTab,
    main: Box<dyn Display + Send>,
) -> FramedPage {
    let chosen = cookie(headers, THEME).unwrap_or_default();
    let row = THEMES.iter().find(|(name, _)| *name == chosen);
    let (theme, other_theme) = row.copied().unwrap_or(THEMES[0]);
    FramedPage {
        title: title.into(),
        tab,
        theme,
        other_theme,
        version: &assets::VERSION,
        program: env!("CARGO_PKG_VERSION"),
        refresh: false,
        labels: None,
        main,
    }
}

impl FramedPage {
    fn tabs(&self) -> Vec<(bool, &'static str, &'static str)> {
        TABS.iter().map(|(tab, place, name)| (*tab == self.tab, *place, *name)).collect()
    }

    /// The tag of the language that the page is in.
    fn lang(&self) -> &'static str {
        self.labels.map_or("en", |labels| labels.code)
    }

    pub fn answer(&self, status: StatusCode) -> Response {
        // Writing to memory cannot fail.
        let page = self.render().unwrap_or_default();
        let page = self.labels.map_or_else(|| page.clone(), |labels| labels.html(&page));
        (status, Html(page)).into_response()
    }
}

pub fn lone(title: &str, main: Box<dyn Display + Send>) -> LonePage {
    LonePage { title: title.into(), version: &assets::VERSION, main }
}

impl LonePage {
    pub fn answer(&self, status: StatusCode) -> Response {
        (status, Html(self.render().unwrap_or_default())).into_response()
    }
}

/// Something that cannot be shown or done, and the way on.
#[derive(Template)]
#[template(path = "web_problem.html", whitespace = "preserve")]
struct ProblemView {
    title: String,
    lines: Vec<String>,
}

/// A page that says why something cannot be shown.
pub fn problem(title: impl Into<String>, text: impl Into<String>) -> LonePage {
    let title = title.into();
    let lines = text.into().lines().map(str::to_owned).collect();
    lone(&title, Box::new(ProblemView { title: title.clone(), lines }))
}

pub async fn nothing_here() -> Response {
    let text = "The page has moved or never existed.";
    problem("There is no such page", text).answer(StatusCode::NOT_FOUND)
}

/// Keeps a theme and goes back to where the reader was.
pub async fn theme(Path(name): Path<String>, request: Request) -> Response {
    let query = FormFields::parse(request.uri().query().unwrap_or_default());
    let back = query.get("back");
    let own =
        back.starts_with('/') && !back.starts_with("//") && !back.contains(['\\', '\n', '\r']);
    let known =
        THEMES.iter().find(|(theme, _)| *theme == name).map_or("system", |(theme, _)| theme);
    let cookie = format!("{THEME}={known}; Path=/; SameSite=Lax; Max-Age=31536000");
    let back = if own { back } else { "/" };
    ([(header::SET_COOKIE, cookie)], Redirect::to(back)).into_response()
}

#[derive(Template)]
#[template(path = "web_keys.html", whitespace = "preserve")]
struct KeysView;

/// The list of keys.
pub async fn keys(headers: HeaderMap) -> Response {
    page(&headers, "Keyboard", PageTab::None, Box::new(KeysView)).answer(StatusCode::OK)
}

//! Search engines as rows: a query becomes a request, an answer becomes results
//! of one shape. Pure: nothing is sent from here, and no key passes through.

mod answers;
#[cfg(test)]
mod tests;

use reqwest::Url;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::http::json::{HttpMethod, SearchKey, SearchRequest};
use crate::redaction::shown_address;

/// One engine.
#[derive(Debug, Clone, Copy)]
pub struct SearchEngineRow {
    pub name: &'static str,
    pub title: &'static str,
    /// The variable that holds its key; `None`: it needs none.
    pub key_variable: Option<&'static str>,
    /// The variable that holds its address; it wins over `base_url`.
    pub url_variable: Option<&'static str>,
    pub base_url: Option<&'static str>,
    pub path: &'static str,
    pub request: fn(Url, &str, usize) -> SearchRequest,
    pub results: fn(&Value) -> Option<Vec<SearchResult>>,
}

/// One search result, of any engine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResult {
    pub title: String,
    pub url: String,
    /// The engine's excerpt of the page.
    pub snippet: String,
    /// As the engine writes it.
    pub published: Option<String>,
}

/// In the order in which they are looked for.
pub const ENGINES: &[SearchEngineRow] = &[
    SearchEngineRow {
        name: "brave",
        title: "Brave Search",
        key_variable: Some("BRAVE_API_KEY"),
        url_variable: Some("BRAVE_BASE_URL"),
        base_url: Some("https://api.search.brave.com"),
        path: "/res/v1/web/search",
        request: |mut url, query, most| {
            // Marks around the words that were found would be noise to a model.
            url.query_pairs_mut()
                .append_pair("q", &brave_query(query))
                .append_pair("count", &most.to_string())
                .append_pair("text_decorations", "false");
            get(url, Some(SearchKey { name: "x-subscription-token", before: "" }))
        },
        results: answers::brave,
    },
    SearchEngineRow {
        name: "tavily",
        title: "Tavily",
        key_variable: Some("TAVILY_API_KEY"),
        url_variable: Some("TAVILY_BASE_URL"),
        base_url: Some("https://api.tavily.com"),
        path: "/search",
        request: |url, query, most| {
            let body = json!({"query": query, "max_results": most, "search_depth": "basic"});
            post(url, SearchKey { name: "authorization", before: "Bearer " }, body)
        },
        results: answers::tavily,
    },
    SearchEngineRow {
        name: "exa",
        title: "Exa",
        key_variable: Some("EXA_API_KEY"),
        url_variable: Some("EXA_BASE_URL"),
        base_url: Some("https://api.exa.ai"),
        path: "/search",
        request: |url, query, most| {
            let body = json!({
                "query": query,
                "type": "auto",
                "numResults": most,
                "contents": {"highlights": true},
            });
            post(url, SearchKey { name: "x-api-key", before: "" }, body)
        },
        results: answers::exa,
    },
    SearchEngineRow {
        name: "searxng",
        title: "SearXNG",
        key_variable: None,
        url_variable: Some("SEARXNG_URL"),
        base_url: None,
        path: "/search",
        request: |mut url, query, _| {
            url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
            get(url, None)
        },
        results: answers::searxng,
    },
];

pub fn find(name: &str) -> Option<&'static SearchEngineRow> {
    ENGINES.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchEngineError {
    #[error("there is no search engine \"{name}\". Known are brave, tavily, exa, searxng")]
    Unknown { name: String },
    #[error("{title} needs a key. Set {variable}")]
    NoKey { title: &'static str, variable: &'static str },
    #[error("{title} needs an address. Set {variable}, for example to http://127.0.0.1:8080")]
    NoUrl { title: &'static str, variable: &'static str },
    #[error("\"{url}\" is not the address of {title}. Write it like https://search.example.org")]
    BadUrl {
        title: &'static str,
        /// The address without a password.
        url: String,
    },
}

/// An engine with what it takes to use it.
#[derive(Debug)]
pub struct ChosenEngine {
    pub row: &'static SearchEngineRow,
    pub base: Option<String>,
    pub key: Option<SecretString>,
}

/// The engine a user named, or else the first that is set up. `look` finds the
/// value of a variable.
pub fn chosen(
    named: Option<&str>,
    look: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<ChosenEngine>, SearchEngineError> {
    let set =
        |variable: Option<&str>| variable.and_then(look).filter(|value| !value.trim().is_empty());
    let with = |row: &'static SearchEngineRow| ChosenEngine {
        row,
        base: set(row.url_variable),
        key: set(row.key_variable).map(SecretString::from),
    };
    if let Some(name) = named.map(str::trim).filter(|name| !name.is_empty()) {
        let row = find(name).ok_or_else(|| SearchEngineError::Unknown { name: name.into() })?;
        return Ok(Some(with(row)));
    }
    let ready = |engine: &ChosenEngine| match engine.row.key_variable {
        Some(_) => engine.key.is_some(),
        None => engine.base.is_some(),
    };
    Ok(ENGINES.iter().map(with).find(ready))
}

impl SearchEngineRow {
    /// The address that is asked, below a given base or the engine's own.
    pub fn endpoint(&self, base: Option<&str>) -> Result<Url, SearchEngineError> {
        let variable = self.url_variable.unwrap_or("its address");
        let base = base
            .or(self.base_url)
            .ok_or(SearchEngineError::NoUrl { title: self.title, variable })?;
        let bad = || SearchEngineError::BadUrl { title: self.title, url: shown_address(base) };
        Url::parse(base.trim()).map_err(|_| bad())?;
        let trimmed = base.trim().trim_end_matches('/');
        // People paste the address of the page they search on.
        let trimmed = trimmed.strip_suffix(self.path).unwrap_or(trimmed);
        let url = Url::parse(&format!("{trimmed}{}", self.path)).map_err(|_| bad())?;
        let is_plain = url.username().is_empty() && url.password().is_none();
        if matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain {
            Ok(url)
        } else {
            Err(bad())
        }
    }
}

fn get(url: Url, key_header: Option<SearchKey>) -> SearchRequest {
    SearchRequest { method: HttpMethod::Get, url, key_header, body: None }
}

fn post(url: Url, key: SearchKey, body: Value) -> SearchRequest {
    SearchRequest { method: HttpMethod::Post, url, key_header: Some(key), body: Some(body) }
}

/// Brave takes at most 400 characters and 50 words.
fn brave_query(query: &str) -> String {
    let words = query.split_whitespace().take(50).collect::<Vec<_>>().join(" ");
    words.chars().take(400).collect()
}

//! Reads one foreign page: clears its address, fetches it from exactly the
//! address that was cleared, follows a few redirects the same way, and turns
//! what comes back into text. It never reaches a private network, and sends no
//! key, no cookie and nothing about the debate.

#[cfg(test)]
mod tests;
pub mod text;

use std::time::Duration;

use reqwest::Url;
use tokio::time::timeout;

use crate::http::guard::{self, GuardPolicy, GuardRefusal, Resolver};
use crate::http::response::{FetchError, HttpResponse};
use crate::http::web;

/// The most that is read of one page.
pub const PAGE_CAP: usize = 2 * 1024 * 1024;
/// For the whole way, redirects included.
pub const PAGE_TIME: Duration = Duration::from_secs(15);
pub const MOST_REDIRECTS: usize = 3;

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// The address after all redirects.
    pub url: String,
    pub title: String,
    pub text: String,
    /// True where the page was longer than what is read of one page.
    pub cut_off: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    #[error(transparent)]
    Refused(#[from] GuardRefusal),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("the page redirects more than {MOST_REDIRECTS} times")]
    TooManyRedirects,
    #[error("the page redirects to something that is no address")]
    BadRedirect,
    #[error("the page answered with status {0}")]
    Status(u16),
    #[error("the page is {0}, and only text can be read")]
    NotText(String),
    #[error("the page did not arrive within {} s", PAGE_TIME.as_secs())]
    TooSlow,
}

/// Reads pages. Cheap to clone.
#[derive(Clone)]
pub struct PageReader {
    policy: std::sync::Arc<GuardPolicy>,
    resolver: std::sync::Arc<dyn Resolver>,
}

impl PageReader {
    pub fn new(policy: GuardPolicy, resolver: std::sync::Arc<dyn Resolver>) -> PageReader {
        PageReader { policy: std::sync::Arc::new(policy), resolver }
    }

    pub async fn read(&self, url: &str) -> Result<WebPage, PageError> {
        timeout(PAGE_TIME, self.follow(url)).await.map_err(|_| PageError::TooSlow)?
    }

    async fn follow(&self, url: &str) -> Result<WebPage, PageError> {
        let mut url = guard::parse(url)?;
        for _ in 0..=MOST_REDIRECTS {
            let cleared = guard::clear(url, &self.policy, self.resolver.as_ref()).await?;
            let got = web::page(&cleared, PAGE_CAP).await?;
            match next(&cleared.url, &got)? {
                Some(further) => url = further,
                None => return page(&cleared.url, got),
            }
        }
        Err(PageError::TooManyRedirects)
    }
}

/// The target of a redirect; it is cleared like any other address.
fn next(from: &Url, got: &HttpResponse) -> Result<Option<Url>, PageError> {
    if !matches!(got.status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let to = got.location.as_deref().ok_or(PageError::BadRedirect)?;
    let to = from.join(to).map_err(|_| PageError::BadRedirect)?;
    Ok(Some(to))
}

fn page(url: &Url, got: HttpResponse) -> Result<WebPage, PageError> {
    if !(200..300).contains(&got.status) {
        return Err(PageError::Status(got.status));
    }
    let kind = text::PageKind::of(&got.content_type)
        .ok_or_else(|| PageError::NotText(text::shown_type(&got.content_type)))?;
    let words = text::decoded(&got.body, &got.content_type);
    let (title, text) = match kind {
        text::PageKind::Html => text::from_html(&words),
        text::PageKind::Plain => (String::new(), text::tidy(&words)),
    };
    let cut_off = got.body.len() >= PAGE_CAP;
    Ok(WebPage { url: url.to_string(), title, text, cut_off })
}

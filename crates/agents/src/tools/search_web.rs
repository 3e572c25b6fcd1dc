//! The tool that searches with a configured engine. Searches that are the same
//! but for their spelling are made once per debate, also when several seats ask
//! at the same moment.

use std::sync::LazyLock;

use debate::model::{Citation, SEARCH_TOOL};
use futures::future::BoxFuture;
use reqwest::Url;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::cache::{OncePerKey, UseCount};
use super::{Tool, ToolContext, ToolError, ToolOutput, ToolSpec, described, text_argument};
use crate::http::json::JsonClient;
use crate::tools::search_engines::{SearchEngineError, SearchEngineRow, SearchResult};

const MOST_RESULTS: usize = 8;

pub struct SearchWeb {
    engine: &'static SearchEngineRow,
    endpoint: Url,
    key: Option<SecretString>,
    client: JsonClient,
    results: OncePerKey<Vec<SearchResult>>,
}

impl SearchWeb {
    pub const NAME: &'static str = SEARCH_TOOL;

    /// `base` and `key` as the user set them; what is missing is said now, not in
    /// the middle of a debate.
    pub fn new(
        engine: &'static SearchEngineRow,
        base: Option<&str>,
        key: Option<SecretString>,
        client: JsonClient,
    ) -> Result<SearchWeb, SearchEngineError> {
        if let (Some(variable), None) = (engine.key_variable, &key) {
            return Err(SearchEngineError::NoKey { title: engine.title, variable });
        }
        let endpoint = engine.endpoint(base)?;
        Ok(SearchWeb { engine, endpoint, key, client, results: OncePerKey::default() })
    }

    /// Makes the same search once for all, or each time.
    #[must_use]
    pub fn shared(self, shared: bool) -> SearchWeb {
        SearchWeb { results: OncePerKey::with(shared), ..self }
    }

    /// Searches asked for, and searches really made.
    pub fn count(&self) -> UseCount {
        self.results.count()
    }

    async fn search(&self, query: &str) -> Result<Vec<SearchResult>, ToolError> {
        let request = (self.engine.request)(self.endpoint.clone(), query, MOST_RESULTS);
        let got = self.client.search(&request, self.key.as_ref()).await;
        let got = got.map_err(|error| self.unavailable(&error.to_string()))?;
        if !(200..300).contains(&got.status) {
            return Err(self.refused(got.status));
        }
        let answer: Option<Value> = serde_json::from_slice(&got.body).ok();
        let found = answer.as_ref().and_then(self.engine.results);
        let mut found = found.ok_or_else(|| self.unavailable("its answer could not be read"))?;
        found.retain(|found| is_page(&found.url));
        found.truncate(MOST_RESULTS);
        Ok(found)
    }

    fn refused(&self, status: u16) -> ToolError {
        let what = match status {
            401 | 402 => "the account for searching is not accepted",
            403 if self.engine.key_variable.is_none() => "it does not answer in JSON",
            403 => "the account for searching is not accepted",
            429 => "too many searches were made",
            500.. => "it is out of order",
            _ => "it did not take the query",
        };
        tracing::warn!(engine = self.engine.name, status, "a search was refused");
        self.unavailable(what)
    }

    fn unavailable(&self, what: &str) -> ToolError {
        let title = self.engine.title;
        ToolError::Tell(format!(
            "The search could not be made ({title}: {what}). Go on with what you know, mark what \
             you could not verify, and do not search again this turn."
        ))
    }
}

/// True for a result that can be shown and read: a web address of sane length.
fn is_page(url: &str) -> bool {
    url.len() <= 1000 && (url.starts_with("http://") || url.starts_with("https://"))
}

/// A query without the accidents of its spelling: case, blanks, the signs at its
/// ends. Quotes and operators inside are kept; they change what is found.
fn same_query(query: &str) -> String {
    let trimmed = query.trim_matches(|c: char| c.is_whitespace() || ".,;:!?".contains(c));
    trimmed.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

fn shown(query: &str, found: &[SearchResult], context: &ToolContext) -> String {
    if found.is_empty() {
        return "Nothing was found. Try fewer or other words, or go on without.".into();
    }
    let lines = found.iter().map(|found| {
        let number = context.sources.cite(citation(found));
        let date = found.published.as_ref().map(|date| format!(" ({date})")).unwrap_or_default();
        format!("[{number}] {}{date}\n{}\n{}", found.title, found.url, found.snippet)
    });
    let text = lines.collect::<Vec<_>>().join("\n\n");
    context.fence.wrap(&format!("search results for {query}"), &text)
}

fn citation(found: &SearchResult) -> Citation {
    Citation {
        number: 0,
        title: found.title.clone(),
        url: Some(found.url.clone()),
        source: Some(SearchWeb::NAME.into()),
        snippet: Some(found.snippet.clone()).filter(|snippet| !snippet.is_empty()),
    }
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string", "minLength": 2, "maxLength": 300,
                "description": "A few distinctive words."
            }
        },
        "required": ["query"],
        "additionalProperties": false
    });
    described(SearchWeb::NAME, include_str!("search_web.md"), schema)
});

impl Tool for SearchWeb {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn call<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let query = text_argument(arguments, "query");
            if same_query(query).is_empty() {
                return Err(ToolError::Tell("The query is empty. Send a few words.".into()));
            }
            let got = self.results.get(same_query(query), || self.search(query)).await;
            let (found, made) = got?;
            for found in &found {
                context.pages.add(&found.url, &found.title);
            }
            let output = ToolOutput::of(shown(query, &found, context));
            Ok(ToolOutput { made: Some(made), ..output })
        })
    }
}

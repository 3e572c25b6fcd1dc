//! Reads the answers of search engines into results of one shape. What has no
//! address is no result; an answer of another shape is no answer.

use serde_json::Value;

use super::SearchResult;

/// Characters of a snippet that are kept.
const SNIPPET: usize = 600;
const TITLE: usize = 200;

/// The places of the results in an engine's answer.
struct AnswerShape {
    results: &'static str,
    snippet: &'static [&'static str],
    published: &'static [&'static str],
}

pub(super) fn brave(answer: &Value) -> Option<Vec<SearchResult>> {
    // A search that finds nothing comes without the part for pages.
    if answer.get("web").is_none() && answer.get("query").is_some() {
        return Some(Vec::new());
    }
    read(
        answer,
        &AnswerShape {
            results: "/web/results",
            snippet: &["description", "extra_snippets"],
            published: &["page_age", "age"],
        },
    )
}

pub(super) fn tavily(answer: &Value) -> Option<Vec<SearchResult>> {
    read(
        answer,
        &AnswerShape { results: "/results", snippet: &["content"], published: &["published_date"] },
    )
}

pub(super) fn exa(answer: &Value) -> Option<Vec<SearchResult>> {
    read(
        answer,
        &AnswerShape {
            results: "/results",
            snippet: &["highlights", "summary", "text"],
            published: &["publishedDate"],
        },
    )
}

pub(super) fn searxng(answer: &Value) -> Option<Vec<SearchResult>> {
    read(
        answer,
        &AnswerShape { results: "/results", snippet: &["content"], published: &["publishedDate"] },
    )
}

fn read(answer: &Value, shape: &AnswerShape) -> Option<Vec<SearchResult>> {
    let results = answer.pointer(shape.results)?.as_array()?;
    let found = results.iter().filter_map(|result| {
        let url = words(result.get("url")?)?;
        let title = result.get("title").and_then(words);
        let snippet: Vec<String> =
            shape.snippet.iter().filter_map(|field| words(result.get(*field)?)).collect();
        Some(SearchResult {
            title: title.unwrap_or_else(|| url.clone()).chars().take(TITLE).collect(),
            snippet: snippet.join(" … ").chars().take(SNIPPET).collect(),
            published: shape.published.iter().find_map(|field| words(result.get(*field)?)),
            url,
        })
    });
    Some(found.collect())
}

/// A text, or a list of texts, on one line; nothing where it is empty.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" … ")
        }
        _ => return None,
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line).filter(|line| !line.is_empty())
}

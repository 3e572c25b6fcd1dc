//! The tool that reads a page. It reads only pages that are known, never an
//! address a model made up, and hands a long one out in parts.

use std::sync::{Arc, LazyLock};

use debate::model::{Citation, PAGE_TOOL, UNREADABLE_PAGE, counted};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::cache::OncePerKey;
use super::{Tool, ToolContext, ToolError, ToolOutput, ToolSpec, described, text_argument};
use crate::tools::page::{PageReader, WebPage};

/// Bytes in one part: three to five thousand tokens, whatever the script.
const PART: usize = 12_000;

pub struct ReadPage {
    reader: PageReader,
    /// Parts of a page, and other seats, do not fetch it again.
    pages: OncePerKey<Arc<WebPage>>,
}

impl ReadPage {
    pub const NAME: &'static str = PAGE_TOOL;

    pub fn new(reader: PageReader) -> ReadPage {
        ReadPage { reader, pages: OncePerKey::default() }
    }

    #[must_use]
    pub fn shared(self, shared: bool) -> ReadPage {
        ReadPage { pages: OncePerKey::with(shared), ..self }
    }

    async fn read(
        &self,
        arguments: &Value,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let given = text_argument(arguments, "url");
        let url = context.pages.known(given).ok_or_else(|| {
            let what = "This page was neither named by the user nor found by a search here, so it \
                        is not read. Search first and use an address from the results, exactly as \
                        it stands there.";
            ToolError::Tell(what.into())
        })?;
        let fetched = self.pages.get(url.clone(), || async {
            self.reader.read(&url).await.map(Arc::new).map_err(|error| {
                let what = format!("{UNREADABLE_PAGE}: {error}. Use another source.");
                ToolError::Tell(what)
            })
        });
        let (page, made) = fetched.await?;
        let number = arguments.get("part").and_then(Value::as_u64).unwrap_or(1);
        let parts = parts(&page.text);
        let at = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
        let text = parts.get(at).ok_or_else(|| {
            ToolError::Tell(format!(
                "This page has {}; there is no part {number}.",
                counted(parts.len(), "part")
            ))
        })?;
        let output = shown(&page, text, at + 1, parts.len(), context);
        Ok(ToolOutput { made: Some(made), ..output })
    }
}

fn shown(
    page: &WebPage,
    text: &str,
    part: usize,
    parts: usize,
    context: &ToolContext,
) -> ToolOutput {
    if page.text.is_empty() {
        let text = "The page was reached but holds no readable text. Use another source.".into();
        return ToolOutput::of(text);
    }
    let title = if page.title.is_empty() { &page.url } else { &page.title };
    let number = context.sources.cite(Citation {
        number: 0,
        title: context.fence.one_line(title).chars().take(200).collect(),
        url: Some(page.url.clone()),
        source: Some(ReadPage::NAME.into()),
        snippet: Some(page.text.chars().take(200).collect()),
    });
    let label = format!("source [{number}], page {} (part {part} of {parts})", page.url);
    let mut out = context.fence.wrap(&label, &format!("{}\n\n{text}", page.title));
    if page.cut_off && part == parts {
        out.push_str("The page goes on, but no more of it is read.\n");
    }
    ToolOutput::of(out)
}

/// The text in parts, cut between lines where that is possible. Never empty.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > PART {
        let limit = rest.floor_char_boundary(PART);
        let head = rest.get(..limit).unwrap_or(rest);
        let cut = head.rfind('\n').or_else(|| head.rfind(' ')).filter(|at| *at > limit / 2);
        let (part, after) = rest.split_at(cut.unwrap_or(limit));
        parts.push(part);
        rest = after.trim_start();
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(rest);
    }
    parts
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {
            "url": {
                "type": "string", "minLength": 8, "maxLength": 2000,
                "description": "The address, exactly as a search result or the user gave it."
            },
            "part": {
                "type": "integer", "minimum": 1, "maximum": 500,
                "description": "Which part of a long page; 1 if left out."
            }
        },
        "required": ["url"],
        "additionalProperties": false
    });
    described(ReadPage::NAME, include_str!("read_page.md"), schema)
});

impl Tool for ReadPage {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn call<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(self.read(arguments, context))
    }
}

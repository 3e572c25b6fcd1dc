//! Features and the tests that name them. A test names a feature by a doc comment,
//! `/// Covers: 7.5-card, 13.2-quiet`; the table of features is data.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proc_macro2::TokenTree;
use syn::parse::ParseStream;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, Ident, ItemFn, Lit, Meta, Token};

use crate::Finding;
use crate::tree::SourceTree;

const MARK: &str = "Covers:";

/// A row of the table of features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageRow {
    pub id: String,
    pub feature: String,
    pub document: String,
}

/// The tests that name each feature: file and function.
pub type CoveringTests = BTreeMap<String, Vec<String>>;

/// Reads the table: id, feature and document on each line, with strokes between them.
#[must_use]
pub fn rows(table: &str) -> Vec<CoverageRow> {
    let row = |line: &str| {
        let mut parts = line.split('|').map(|part| part.trim().to_owned());
        Some(CoverageRow { id: parts.next()?, feature: parts.next()?, document: parts.next()? })
    };
    table.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

/// The marks of all tests.
#[must_use]
pub fn marks(tree: &SourceTree) -> CoveringTests {
    let mut found = CoveringTests::new();
    for file in &tree.files {
        let mut tests = MarkedTests::default();
        tests.visit_file(&file.syntax);
        for (id, name) in tests.found {
            found.entry(id).or_default().push(format!("{}: {name}", file.path));
        }
    }
    found
}

#[derive(Default)]
struct MarkedTests {
    found: Vec<(String, String)>,
}

impl<'ast> Visit<'ast> for MarkedTests {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.take(&item.attrs, &item.sig.ident);
        visit::visit_item_fn(self, item);
    }

    /// Property tests are inside a macro and are no Rust by themselves; only their
    /// attributes and names are read.
    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let Ok(items) = called.parse_body_with(macro_items) else { return };
        items.iter().for_each(|(attributes, name)| self.take(attributes, name));
    }
}

impl MarkedTests {
    fn take(&mut self, attributes: &[Attribute], name: &Ident) {
        let is_test = |one: &Attribute| {
            one.path().segments.last().is_some_and(|segment| segment.ident == "test")
        };
        if !attributes.iter().any(is_test) {
            return;
        }
        for line in attributes.iter().filter_map(doc_line) {
            let ids = line.trim().strip_prefix(MARK).into_iter().flat_map(|ids| ids.split(','));
            let id = |id: &str| id.trim().trim_end_matches('.').to_owned();
            self.found.extend(ids.map(|one| (id(one), name.to_string())));
        }
    }
}

/// Every function of a macro's text with its attributes.
fn macro_items(input: ParseStream<'_>) -> syn::Result<Vec<(Vec<Attribute>, Ident)>> {
    let mut found = Vec::new();
    while !input.is_empty() {
        let attributes = input.call(Attribute::parse_outer).unwrap_or_default();
        if input.peek(Token![fn]) {
            input.parse::<Token![fn]>()?;
            found.push((attributes, input.parse::<Ident>()?));
        } else {
            input.parse::<TokenTree>()?;
        }
    }
    Ok(found)
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return None };
    pair.path.is_ident("doc").then(|| text.value())
}

/// Features that no test names, and marks that name no feature.
#[must_use]
pub fn missing(rows: &[CoverageRow], marks: &CoveringTests) -> Vec<Finding> {
    let bare = rows.iter().filter(|row| !marks.contains_key(&row.id));
    let mut findings: Vec<Finding> = bare
        .map(|row| Finding::new(&row.id, format!("no test names it: {}", row.feature)))
        .collect();
    let unknown = marks.iter().filter(|(id, _)| !rows.iter().any(|row| row.id == **id));
    findings.extend(unknown.map(|(id, tests)| {
        Finding::new(id, format!("is no feature, but {} names it", tests.join(", ")))
    }));
    findings
}

/// The table as a page: feature, document, tests.
#[must_use]
pub fn page(rows: &[CoverageRow], marks: &CoveringTests) -> String {
    let mut out = String::from(
        "# What is tested where\n\nMade by `UPDATE_COVERAGE=1 cargo test -p roundtable-house \
         --test coverage` from the marks in the tests (`/// Covers: …`). The table of features is \
         `crates/house/features.txt`.\n\n| | Feature | Document | Test |\n|---|---|---|---|\n",
    );
    for row in rows {
        let tests = marks.get(&row.id).map_or("none yet".to_owned(), |tests| {
            tests.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join("; ")
        });
        let _ = writeln!(out, "| {} | {} | {} | {tests} |", row.id, row.feature, row.document);
    }
    out
}

//! Tests themselves: unit tests stand in sibling files, none is ignored, and none
//! asserts how long something took. Time that a test turns itself (`start_paused`) is
//! not measured; a deadline against hanging belongs to the one helper that has it.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemFn, ItemMod, Local, Meta, Pat};

use crate::Finding;
use crate::tree::{SourceTree, only_in_tests};

fn is_test_function(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().segments.last().is_some_and(|part| part.ident == "test"))
}

struct InlineTests<'a> {
    path: &'a str,
    found: Vec<Finding>,
}

impl<'ast> Visit<'ast> for InlineTests<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if only_in_tests(&item.attrs) && item.content.is_some() {
            let place = format!("{}:{}", self.path, item.ident.span().start().line);
            self.found.push(Finding::new(place, "tests inline; move them to a sibling file"));
        } else {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if is_test_function(&item.attrs) {
            let place = format!("{}:{}", self.path, item.sig.ident.span().start().line);
            self.found.push(Finding::new(place, "a test; move it to a sibling file"));
        }
        visit::visit_item_fn(self, item);
    }
}

/// Tests inside files of the product.
#[must_use]
pub fn inline_tests(tree: &SourceTree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.product() {
        let mut inline = InlineTests { path: &file.path, found: Vec::new() };
        inline.visit_file(&file.syntax);
        findings.append(&mut inline.found);
    }
    findings
}

struct IgnoredTests<'a> {
    path: &'a str,
    found: Vec<Finding>,
}

impl<'ast> Visit<'ast> for IgnoredTests<'_> {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let named = |path: &syn::Path| path.is_ident("ignore");
        let hidden = match &attribute.meta {
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                mentions(list.tokens.clone(), "ignore")
            }
            meta => named(meta.path()),
        };
        if hidden {
            let line = attribute.pound_token.span.start().line;
            self.found.push(Finding::new(format!("{}:{line}", self.path), "a test is ignored"));
        }
    }
}

#[must_use]
pub fn ignored(tree: &SourceTree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let mut ignored = IgnoredTests { path: &file.path, found: Vec::new() };
        ignored.visit_file(&file.syntax);
        findings.append(&mut ignored.found);
    }
    findings
}

fn mentions(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => mentions(group.stream(), word),
        _ => false,
    })
}

/// Assertions on elapsed time inside one function.
struct TimeAssertions<'a> {
    path: &'a str,
    /// Variables that hold a moment, and those that hold a length of time.
    moments: BTreeSet<String>,
    lengths: BTreeSet<String>,
    found: Vec<Finding>,
}

const TIMERS: &[&str] = &["elapsed", "duration_since", "saturating_duration_since"];

impl TimeAssertions<'_> {
    /// Tokens that measure: a call of a timer, a variable with a length of time, or the
    /// difference of two moments.
    fn measures(&self, tokens: TokenStream) -> bool {
        let flat = flattened(tokens);
        let moment = |word: &str| self.moments.contains(word);
        flat.iter().enumerate().any(|(at, word)| {
            let field = at > 0 && flat[at - 1] == ".";
            let timer = TIMERS.contains(&word.as_str()) && field;
            let difference = word == "-"
                && at > 0
                && moment(&flat[at - 1])
                && flat.get(at + 1).is_some_and(|next| moment(next));
            let now = word == "now" && at > 2 && flat[at - 3] == "Instant";
            timer || difference || now || self.lengths.contains(word) && !field
        })
    }

    fn assertion(&mut self, called: &syn::Macro) {
        let name =
            called.path.segments.last().map(|part| part.ident.to_string()).unwrap_or_default();
        let arguments = match name.trim_start_matches("debug_").trim_start_matches("prop_") {
            "assert" => 1,
            "assert_eq" | "assert_ne" => 2,
            _ => return,
        };
        if self.measures(first_arguments(called.tokens.clone(), arguments)) {
            let line =
                called.path.segments.first().map_or(0, |part| part.ident.span().start().line);
            let problem = "asserts how long something took";
            self.found.push(Finding::new(format!("{}:{line}", self.path), problem));
        }
    }
}

fn flattened(tokens: TokenStream) -> Vec<String> {
    let mut flat = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                flat.push("(".to_owned());
                flat.extend(flattened(group.stream()));
                flat.push(")".to_owned());
            }
            other => flat.push(other.to_string()),
        }
    }
    flat
}

/// The first arguments of a macro; what follows is the message.
fn first_arguments(tokens: TokenStream, count: usize) -> TokenStream {
    let mut commas = 0;
    tokens
        .into_iter()
        .take_while(|token| {
            commas += usize::from(matches!(token, TokenTree::Punct(mark) if mark.as_char() == ','));
            commas < count
        })
        .collect()
}

fn bound_names(pattern: &Pat) -> Vec<String> {
    struct Names(Vec<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push(pattern.ident.to_string());
        }
    }
    let mut names = Names(Vec::new());
    names.visit_pat(pattern);
    names.0
}

struct TestFunctions<'a> {
    path: &'a str,
    found: Vec<Finding>,
}

impl<'ast> Visit<'ast> for TestFunctions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let turned = item.attrs.iter().any(|attribute| match &attribute.meta {
            Meta::List(list) => mentions(list.tokens.clone(), "start_paused"),
            _ => false,
        });
        if !turned {
            self.body(&item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.body(&item.block);
    }
}

impl TestFunctions<'_> {
    fn body(&mut self, block: &syn::Block) {
        let clocked = TimeAssertions {
            path: self.path,
            moments: BTreeSet::new(),
            lengths: BTreeSet::new(),
            found: Vec::new(),
        };
        let mut body = Body { clocked };
        body.visit_block(block);
        self.found.append(&mut body.clocked.found);
    }
}

struct Body<'a> {
    clocked: TimeAssertions<'a>,
}

impl<'ast> Visit<'ast> for Body<'_> {
    fn visit_local(&mut self, local: &'ast Local) {
        visit::visit_local(self, local);
        let Some(init) = &local.init else { return };
        let tokens = init.expr.to_token_stream();
        let words = flattened(tokens.clone());
        let names = bound_names(&local.pat);
        if words.windows(4).any(|part| part.join("") == "Instant::now") {
            self.clocked.moments.extend(names);
        } else if self.clocked.measures(tokens) {
            self.clocked.lengths.extend(names);
        }
    }

    /// `slowest = slowest.max(started.elapsed())` measures too.
    fn visit_expr_assign(&mut self, item: &'ast syn::ExprAssign) {
        if self.clocked.measures(item.right.to_token_stream()) {
            self.clocked.lengths.extend(flattened(item.left.to_token_stream()).pop());
        }
        visit::visit_expr_assign(self, item);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.clocked.assertion(called);
    }

    fn visit_expr_if(&mut self, item: &'ast syn::ExprIf) {
        let gives_up = block_panics(&item.then_branch);
        if gives_up && self.clocked.measures(item.cond.to_token_stream()) {
            let line = item.if_token.span.start().line;
            let place = format!("{}:{line}", self.clocked.path);
            self.clocked.found.push(Finding::new(place, "fails by how long something took"));
        }
        visit::visit_expr_if(self, item);
    }
}

fn block_panics(block: &syn::Block) -> bool {
    struct Panics(bool);
    impl<'ast> Visit<'ast> for Panics {
        fn visit_macro(&mut self, called: &'ast syn::Macro) {
            let name = called.path.segments.last().map(|part| part.ident.to_string());
            let ends = ["panic", "unreachable", "assert", "assert_eq"];
            self.0 |= name.is_some_and(|name| ends.contains(&name.as_str()));
        }
    }
    let mut panics = Panics(false);
    panics.visit_block(block);
    panics.0
}

/// Assertions in tests on how long something took, outside the places that hold the
/// deadline against hanging.
#[must_use]
pub fn timed(tree: &SourceTree, open_in: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.is_test() && !file.is_bench()) {
        if open_in.iter().any(|place| file.path.starts_with(place)) {
            continue;
        }
        let mut functions = TestFunctions { path: &file.path, found: Vec::new() };
        functions.visit_file(&file.syntax);
        findings.append(&mut functions.found);
    }
    findings
}

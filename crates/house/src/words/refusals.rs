//! Refusals stay typed until a face words them: no sentence is rewritten for another
//! face, and no result stands inside a result.

use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, GenericArgument, Lit, PathArguments, Type, TypePath};

use crate::Finding;
use crate::tree::{SourceTree, only_in_tests};

/// Calls that replace words in a text. Replacing single characters is escaping, not
/// rewording; a template whose places are filled stands in `open_in`.
#[must_use]
pub fn rewritten(tree: &SourceTree, closed_in: &[&str], open_in: &[&str]) -> Vec<Finding> {
    let inside = |path: &str, places: &[&str]| places.iter().any(|place| path.starts_with(place));
    let closed = |path: &str| inside(path, closed_in) && !inside(path, open_in);
    let mut findings = Vec::new();
    for file in tree.product().filter(|file| closed(&file.path)) {
        let mut calls = WordReplacements(Vec::new());
        calls.visit_file(&file.syntax);
        let place = |line: &usize| format!("{}:{line}", file.path);
        let problem = "rewrites a sentence; let each face word the typed refusal";
        findings.extend(calls.0.iter().map(|line| Finding::new(place(line), problem)));
    }
    findings
}

/// The lines on which words are replaced.
struct WordReplacements(Vec<usize>);

impl<'ast> Visit<'ast> for WordReplacements {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !only_in_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let replaces = call.method == "replace" || call.method == "replacen";
        // With one argument it is the `replace` of an option or a cell.
        if let Some(pattern) = call.args.first().filter(|_| replaces && call.args.len() > 1)
            && !is_signs(pattern)
        {
            self.0.push(call.method.span().start().line);
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Single characters, or a text without letters.
fn is_signs(pattern: &Expr) -> bool {
    match pattern {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Char(_) => true,
            Lit::Str(text) => !text.value().chars().any(char::is_alphabetic),
            _ => false,
        },
        Expr::Array(array) => array.elems.iter().all(is_signs),
        Expr::Reference(inner) => is_signs(&inner.expr),
        _ => false,
    }
}

/// Types that are a result inside a result: nobody can tell by `?` which one fails.
#[must_use]
pub fn nested_results(tree: &SourceTree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.product() {
        let mut nested = NestedResults(Vec::new());
        nested.visit_file(&file.syntax);
        let place = |line: &usize| format!("{}:{line}", file.path);
        let problem = "a result of a result; name its arms in an enum";
        findings.extend(nested.0.iter().map(|line| Finding::new(place(line), problem)));
    }
    findings
}

/// The lines with a result inside a result.
struct NestedResults(Vec<usize>);

impl<'ast> Visit<'ast> for NestedResults {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !only_in_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_type_path(&mut self, path: &'ast TypePath) {
        if let Some(inner) = value_of_result(path)
            && let Type::Path(inner) = inner
            && value_of_result(inner).is_some()
        {
            let first = path.path.segments.first();
            self.0.extend(first.map(|segment| segment.ident.span().start().line));
        }
        visit::visit_type_path(self, path);
    }
}

/// The type of the value of a `Result`, whatever path names it.
fn value_of_result(path: &TypePath) -> Option<&Type> {
    let last = path.path.segments.last().filter(|segment| segment.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(value) => Some(value),
        _ => None,
    })
}

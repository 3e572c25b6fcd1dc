//! Doc comments begin with the noun or the verb. Those that begin with a question word
//! have lost their subject; a small share of them is allowed.

use syn::visit::Visit;
use syn::{AttrStyle, Attribute, Expr, ExprLit, Lit, Meta};

use crate::tree::SourceTree;
use crate::{Finding, above};

const QUESTION_WORDS: &[&str] =
    &["What", "Whatever", "Whether", "Who", "Whoever", "Whose", "How", "However", "Where"];

/// The first lines of doc comments: a line that follows another one is not a first.
#[derive(Default)]
struct FirstLines {
    last: usize,
    found: Vec<(usize, String)>,
}

impl<'ast> Visit<'ast> for FirstLines {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let Meta::NameValue(pair) = &attribute.meta else { return };
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return };
        if !pair.path.is_ident("doc") || matches!(attribute.style, AttrStyle::Inner(_)) {
            return;
        }
        let line = attribute.pound_token.span.start().line;
        if self.last == 0 || line != self.last + 1 {
            self.found.push((line, text.value().trim().to_owned()));
        }
        self.last = line;
    }
}

/// Doc comments that begin with a question word, above a share of all.
#[must_use]
pub fn questions(tree: &SourceTree, percent: usize) -> Vec<Finding> {
    let (mut findings, mut total) = (Vec::new(), 0);
    for file in tree.product() {
        let mut lines = FirstLines::default();
        lines.visit_file(&file.syntax);
        total += lines.found.len();
        for (line, text) in lines.found {
            let first =
                text.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
            if QUESTION_WORDS.contains(&first) {
                findings.push(Finding::new(format!("{}:{line}", file.path), format!("\"{text}\"")));
            }
        }
    }
    above(findings, total, percent)
}

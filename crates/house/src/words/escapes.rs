//! Foreign text is escaped in one place. Outside it no code writes markup of its own or
//! puts signs before others: no HTML in a text, no entity, no backslash pushed before a
//! letter, no replacement of a sign by its escape, no function that says it escapes.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Expr, ExprLit, ExprMethodCall, Lit};

use crate::Finding;
use crate::tree::SourceTree;

/// Signs that mean something to Markdown, HTML or a spreadsheet.
const SIGNS: &str = "<>&\"'`*_[]|\\#{}$~";
const ENTITIES: [&str; 6] = ["&lt;", "&gt;", "&amp;", "&quot;", "&#", "%3C"];
/// Parts of names of functions that escape.
const NAMES: [&str; 3] = ["escape", "sanitise", "sanitize"];

/// Escapes made by hand in the closed places.
#[must_use]
pub fn by_hand(tree: &SourceTree, closed: &[&str], open: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.product() {
        let inside = |places: &[&str]| places.iter().any(|place| file.path.starts_with(place));
        if !inside(closed) || inside(open) {
            continue;
        }
        let mut visitor = HandEscapes::default();
        visitor.visit_file(&file.syntax);
        for (line, problem) in visitor.found {
            findings.push(Finding::new(format!("{}:{line}", file.path), problem));
        }
    }
    findings.sort();
    findings.dedup();
    findings
}

#[derive(Default)]
struct HandEscapes {
    found: Vec<(usize, String)>,
}

impl HandEscapes {
    fn text(&mut self, text: &str, line: usize) {
        let closes = text.match_indices("</").any(|(at, sign)| {
            text[at + sign.len()..].starts_with(|letter: char| letter.is_ascii_alphabetic())
        });
        if closes || ENTITIES.iter().any(|entity| text.contains(entity)) {
            self.found.push((line, format!("writes markup by hand: {text:?}")));
        }
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Lit::Str(text) = Lit::new(literal) {
                        self.visit_lit_str(&text);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The text of a literal, be it a letter or a string.
fn literal(expression: &Expr) -> Option<String> {
    let inner = match expression {
        Expr::Reference(reference) => &reference.expr,
        other => other,
    };
    match inner {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Lit(ExprLit { lit: Lit::Char(letter), .. }) => Some(letter.value().to_string()),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for HandEscapes {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !crate::tree::only_in_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.text(&text.value(), text.span().start().line);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        let name = signature.ident.to_string();
        if NAMES.iter().any(|part| name.contains(part)) {
            let line = signature.ident.span().start().line;
            self.found.push((line, format!("escapes by hand: fn {name}")));
        }
        visit::visit_signature(self, signature);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let given: Vec<Option<String>> = call.args.iter().map(literal).collect();
        let escapes = match (call.method.to_string().as_str(), given.as_slice()) {
            ("push" | "push_str", [Some(text)]) => text == "\\",
            ("replace", [Some(from), Some(to)]) => {
                let sign = from.chars().count() == 1 && SIGNS.contains(from.as_str());
                sign && (to.contains(from.as_str()) || to.starts_with(['\\', '&', '%']))
            }
            _ => false,
        };
        if escapes {
            let line = call.span().start().line;
            self.found.push((line, format!("escapes by hand: .{}(…)", call.method)));
        }
        visit::visit_expr_method_call(self, call);
    }
}

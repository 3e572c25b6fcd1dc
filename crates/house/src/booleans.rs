//! Booleans in costume: an enum of two that says yes or no, and a `match` on a bool.
//! An enum that is stored keeps its words.

use syn::visit::{self, Visit};
use syn::{Attribute, ExprMatch, Fields, ItemEnum, Lit, Pat};

use crate::Finding;
use crate::tree::{SourceTree, only_in_tests};

/// Pairs that are a yes and a no, in either order.
const PAIRS: &[(&str, &str)] = &[
    ("Yes", "No"),
    ("On", "Off"),
    ("True", "False"),
    ("Some", "None"),
    ("With", "Without"),
    ("Present", "Absent"),
    ("Given", "Missing"),
    ("Enabled", "Disabled"),
    ("Allowed", "Forbidden"),
    ("Allowed", "Denied"),
    ("Is", "IsNot"),
    ("Set", "Unset"),
    ("Valid", "Invalid"),
    ("Known", "Unknown"),
    ("There", "Gone"),
    ("Shown", "Hidden"),
    ("Always", "Never"),
    ("Wanted", "Unwanted"),
];

/// What stands before the word of a negation: `Quiet` and `NotQuiet`.
const NEGATIONS: &[&str] = &["Not", "No", "Un", "Non", "Without", "In"];

fn opposite(one: &str, other: &str) -> bool {
    let pair = PAIRS.contains(&(one, other)) || PAIRS.contains(&(other, one));
    let negated = |word: &str, of: &str| {
        NEGATIONS.iter().any(|prefix| {
            word.strip_prefix(prefix).is_some_and(|rest| rest.eq_ignore_ascii_case(of))
        })
    };
    pair || negated(one, other) || negated(other, one)
}

fn stored(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let words = match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string(),
            _ => String::new(),
        };
        attribute.path().is_ident("derive")
            && (words.contains("Serialize") || words.contains("Deserialize"))
    })
}

struct Costumes<'a> {
    path: &'a str,
    enums: Vec<Finding>,
    matches: Vec<Finding>,
}

impl<'ast> Visit<'ast> for Costumes<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !only_in_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        let variants: Vec<_> = item.variants.iter().collect();
        if let [one, other] = variants.as_slice() {
            let bare = [one, other].iter().all(|variant| matches!(variant.fields, Fields::Unit));
            let names = (one.ident.to_string(), other.ident.to_string());
            if bare && opposite(&names.0, &names.1) && !stored(&item.attrs) {
                let place = format!("{}:{}", self.path, item.ident.span().start().line);
                let problem = format!("{} is a bool: {} and {}", item.ident, names.0, names.1);
                self.enums.push(Finding::new(place, problem));
            }
        }
        visit::visit_item_enum(self, item);
    }

    fn visit_expr_match(&mut self, item: &'ast ExprMatch) {
        let bool_arm = |pattern: &Pat| match pattern {
            Pat::Lit(literal) => matches!(literal.lit, Lit::Bool(_)),
            _ => false,
        };
        if item.arms.iter().any(|arm| bool_arm(&arm.pat)) {
            let place = format!("{}:{}", self.path, item.match_token.span.start().line);
            self.matches.push(Finding::new(place, "a match on a bool is an if"));
        }
        visit::visit_expr_match(self, item);
    }
}

fn costumes(tree: &SourceTree) -> Vec<Costumes<'_>> {
    let seen = tree.product().map(|file| {
        let mut found = Costumes { path: &file.path, enums: Vec::new(), matches: Vec::new() };
        found.visit_file(&file.syntax);
        found
    });
    seen.collect()
}

/// Enums of two that only say yes or no and are not stored.
#[must_use]
pub fn yes_no_enums(tree: &SourceTree) -> Vec<Finding> {
    costumes(tree).into_iter().flat_map(|found| found.enums).collect()
}

/// `match` where the arms are `true` and `false`.
#[must_use]
pub fn bool_matches(tree: &SourceTree) -> Vec<Finding> {
    costumes(tree).into_iter().flat_map(|found| found.matches).collect()
}

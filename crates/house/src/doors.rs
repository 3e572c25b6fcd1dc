//! The doors to the outside (environment, clock, terminal, sockets, database) and who
//! may open them. A door is a path outside this workspace; renaming it by `use` does
//! not hide it. A macro that prints is a door too.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use crate::Finding;
use crate::paths::FilePaths;
use crate::tree::{SourceFile, SourceTree};

/// Paths that only some places may name.
pub struct GuardedPath<'a> {
    pub name: &'a str,
    /// The paths behind which the door is: `std::env` means all of it.
    pub paths: &'a [&'a str],
    /// Paths under those that are harmless.
    pub harmless: &'a [&'a str],
    /// The beginning of the paths of files for which the door is closed.
    pub closed_in: &'a str,
    /// The beginning of the paths of files that may use it all the same.
    pub open_in: &'a [&'a str],
}

/// Uses of doors in places that may not open them.
#[must_use]
pub fn opened(tree: &SourceTree, doors: &[GuardedPath<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.product() {
        let named = outside_paths(file);
        for door in doors {
            let inside = |places: &[&str]| places.iter().any(|place| file.path.starts_with(place));
            if !inside(&[door.closed_in]) || inside(door.open_in) {
                continue;
            }
            for (path, line) in &named {
                let under = |of: &&&str| {
                    path.strip_prefix(**of)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
                };
                let hit = door.paths.iter().any(|one| under(&one));
                if hit && !door.harmless.iter().any(|one| under(&one)) {
                    let place = format!("{}:{line}", file.path);
                    findings.push(Finding::new(place, format!("opens {}: {path}", door.name)));
                }
            }
        }
    }
    findings.sort();
    findings.dedup();
    findings
}

/// Every path of a file as if it were written out in full.
fn outside_paths(file: &SourceFile) -> Vec<(String, usize)> {
    let paths = FilePaths::of(&file.syntax);
    let mut known: BTreeMap<&str, &[String]> = BTreeMap::new();
    let mut globs: Vec<&[String]> = Vec::new();
    for import in &paths.imports {
        match &import.name {
            Some(name) => {
                known.insert(name, &import.segments);
            }
            None => globs.push(&import.segments),
        }
    }
    let full = |segments: &[String]| {
        // `use std::env as e; use e::var as v;` takes two steps.
        let (mut whole, mut seen) = (segments.to_vec(), BTreeSet::new());
        while let Some(import) =
            known.get(whole[0].as_str()).filter(|_| seen.insert(whole[0].clone()))
        {
            whole = [import, &whole[1..]].concat();
        }
        whole.join("::")
    };
    let mut found: Vec<(String, usize)> = Vec::new();
    for path in &paths.paths {
        found.push((full(&path.segments), path.line));
        for glob in &globs {
            found.push((full(&[glob, path.segments.as_slice()].concat()), path.line));
        }
    }
    // Importing a function or a module is not yet using it, but a glob could hide it.
    for import in paths.imports.iter().filter(|import| import.name.is_none()) {
        found.push((full(&import.segments), import.line));
    }
    found
}

/// Texts in code that name one of `words`, outside the places that may.
#[must_use]
pub fn words_in_code(
    tree: &SourceTree,
    words: &[String],
    closed_in: &str,
    open_in: &[&str],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.product() {
        let open = open_in.iter().any(|place| file.path.starts_with(place));
        if !file.path.starts_with(closed_in) || open {
            continue;
        }
        let mut texts = Texts::default();
        texts.visit_file(&file.syntax);
        for (text, line) in texts.0.into_iter().filter(|(text, _)| words.contains(text)) {
            findings.push(Finding::new(format!("{}:{line}", file.path), format!("names {text:?}")));
        }
    }
    findings
}

/// The string literals of a file, those in macros too; comments are none.
#[derive(Default)]
struct Texts(Vec<(String, usize)>);

impl Texts {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                        self.visit_lit_str(&text);
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !crate::tree::only_in_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_lit_str(&mut self, text: &syn::LitStr) {
        self.0.push((text.value(), text.span().start().line));
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

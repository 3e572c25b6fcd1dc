//! Sizes: lines of files and functions, files in a folder; and the first line of every
//! file, which says what the file is for.

use std::collections::BTreeMap;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::Finding;
use crate::tree::SourceTree;

#[must_use]
pub fn long_files(tree: &SourceTree, most: usize) -> Vec<Finding> {
    let lines = tree.files.iter().map(|file| (file, file.text.lines().count()));
    lines
        .filter(|(_, lines)| *lines > most)
        .map(|(file, lines)| Finding::new(&file.path, format!("{lines} lines, at most {most}")))
        .collect()
}

struct FunctionLengths<'a> {
    path: &'a str,
    most: usize,
    found: Vec<Finding>,
}

impl FunctionLengths<'_> {
    fn measure(&mut self, name: &syn::Ident, block: &syn::Block) {
        let lines = block.span().end().line + 1 - name.span().start().line;
        if lines > self.most {
            let place = format!("{}:{}", self.path, name.span().start().line);
            let problem = format!("{name} has {lines} lines, at most {}", self.most);
            self.found.push(Finding::new(place, problem));
        }
    }
}

impl<'ast> Visit<'ast> for FunctionLengths<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.measure(&item.sig.ident, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.measure(&item.sig.ident, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.measure(&item.sig.ident, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

/// Functions with more lines than allowed, from their name to the closing brace.
#[must_use]
pub fn long_functions(tree: &SourceTree, most: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let mut functions = FunctionLengths { path: &file.path, most, found: Vec::new() };
        functions.visit_file(&file.syntax);
        findings.append(&mut functions.found);
    }
    findings
}

/// Folders of sources with too many files; unit tests stand beside what they test and
/// do not count.
#[must_use]
pub fn crowded_folders(tree: &SourceTree, most: usize) -> Vec<Finding> {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in tree.files.iter().filter(|file| file.is_product() || !file.path.contains("/src/")) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        *folders.entry(folder).or_default() += 1;
    }
    let crowded = folders.into_iter().filter(|(_, files)| *files > most);
    crowded
        .map(|(folder, files)| Finding::new(folder, format!("{files} files, at most {most}")))
        .collect()
}

/// Files that do not begin with a `//!`.
#[must_use]
pub fn unexplained(tree: &SourceTree) -> Vec<Finding> {
    let silent = tree.files.iter().filter(|file| !file.text.starts_with("//!"));
    silent.map(|file| Finding::new(&file.path, "does not begin with what it is for")).collect()
}

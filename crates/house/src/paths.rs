//! Every path a file names: in `use` trees with groups, renames and globs, in types,
//! patterns, expressions and attributes, and inside the tokens of macros, where
//! nothing is parsed. What exists in tests only is left out.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Lit, UseTree, Visibility};

use crate::tree::only_in_tests;

/// A name that a `use` brings into a module.
#[derive(Debug, Clone)]
pub struct Import {
    /// The inline modules around it, from the file inwards.
    pub inside: Vec<String>,
    pub segments: Vec<String>,
    /// The name it is known by here; none for a glob.
    pub name: Option<String>,
    pub public: bool,
    pub line: usize,
}

/// A path that is named anywhere but in a `use`.
#[derive(Debug, Clone)]
pub struct NamedPath {
    pub inside: Vec<String>,
    pub segments: Vec<String>,
    pub line: usize,
}

#[derive(Debug, Clone)]
pub struct DeclaredModule {
    pub inside: Vec<String>,
    pub name: String,
    pub path: Option<String>,
    pub inline: bool,
}

/// Everything one file names and declares.
#[derive(Debug, Default)]
pub struct FilePaths {
    pub imports: Vec<Import>,
    pub paths: Vec<NamedPath>,
    pub modules: Vec<DeclaredModule>,
    /// Names of items that the file defines, with the inline modules around them.
    pub items: Vec<(Vec<String>, String)>,
    inside: Vec<String>,
}

impl FilePaths {
    #[must_use]
    pub fn of(file: &syn::File) -> FilePaths {
        let mut found = FilePaths::default();
        found.visit_file(file);
        found
    }

    fn named(&mut self, segments: Vec<String>, line: usize) {
        if !segments.is_empty() {
            self.paths.push(NamedPath { inside: self.inside.clone(), segments, line });
        }
    }

    fn tree(&mut self, tree: &UseTree, before: &[String], public: bool, line: usize) {
        let joined = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
        let mut import = |segments: Vec<String>, name: Option<String>| {
            let inside = self.inside.clone();
            self.imports.push(Import { inside, segments, name, public, line });
        };
        match tree {
            UseTree::Path(path) => {
                self.tree(&path.tree, &joined(path.ident.to_string()), public, line);
            }
            UseTree::Name(name) if name.ident == "self" => {
                import(before.to_vec(), before.last().cloned());
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                import(joined(name.clone()), Some(name));
            }
            UseTree::Rename(renamed) if renamed.ident == "self" => {
                import(before.to_vec(), Some(renamed.rename.to_string()));
            }
            UseTree::Rename(renamed) => {
                import(joined(renamed.ident.to_string()), Some(renamed.rename.to_string()));
            }
            UseTree::Glob(_) => import(before.to_vec(), None),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(tree, before, public, line);
                }
            }
        }
    }

    /// Paths in tokens that nobody parses: `a::b::c`, and capitalised single names.
    fn tokens(&mut self, tokens: TokenStream, strings: bool) {
        let (mut path, mut line, mut colons) = (Vec::new(), 0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.token_path(std::mem::take(&mut path), line);
                    }
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.token_path(std::mem::take(&mut path), line);
                    colons = 0;
                    match other {
                        TokenTree::Group(group) => self.tokens(group.stream(), strings),
                        TokenTree::Literal(literal) if strings => self.quoted(&literal),
                        _ => {}
                    }
                }
            }
        }
        self.token_path(path, line);
    }

    fn token_path(&mut self, path: Vec<String>, line: usize) {
        let capital = |name: &String| name.starts_with(|letter: char| letter.is_uppercase());
        if path.len() > 1 || path.first().is_some_and(capital) {
            self.named(path, line);
        }
    }

    /// A path given as a string, as serde's attributes do.
    fn quoted(&mut self, literal: &proc_macro2::Literal) {
        let Lit::Str(text) = Lit::new(literal.clone()) else { return };
        if let Ok(path) = text.parse::<syn::Path>() {
            let segments = path.segments.iter().map(|part| part.ident.to_string()).collect();
            self.token_path(segments, literal.span().start().line);
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name an item defines.
fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

impl<'ast> Visit<'ast> for FilePaths {
    fn visit_item(&mut self, item: &'ast Item) {
        if only_in_tests(attributes(item)) {
            return;
        }
        if let Some(name) = defined(item) {
            self.items.push((self.inside.clone(), name));
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !only_in_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let name = item.ident.to_string();
        self.modules.push(DeclaredModule {
            inside: self.inside.clone(),
            name: name.clone(),
            path: other_path(&item.attrs),
            inline: item.content.is_some(),
        });
        self.inside.push(name);
        visit::visit_item_mod(self, item);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let public = !matches!(item.vis, Visibility::Inherited);
        let line = item.use_token.span.start().line;
        self.tree(&item.tree, &[], public, line);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let line = path.segments.first().map_or(0, |part| part.ident.span().start().line);
        let segments: Vec<String> =
            path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.named(segments, line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        match called.path.get_ident() {
            // A macro is none of the functions of the same name.
            Some(name) => self.named(vec![format!("{name}!")], name.span().start().line),
            None => self.visit_path(&called.path),
        }
        self.tokens(called.tokens.clone(), false);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone(), true);
        }
    }
}

fn other_path(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

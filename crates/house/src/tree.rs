//! Source files with their syntax trees: read from a workspace, or given as strings.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

use syn::{Attribute, Meta};

pub struct SourceFile {
    /// The path from the root of the workspace: `crates/debate/src/lib.rs`.
    pub path: String,
    pub text: String,
    pub syntax: syn::File,
}

pub struct SourceTree {
    pub files: Vec<SourceFile>,
}

impl SourceFile {
    fn parsed(path: &str, text: &str) -> Result<SourceFile> {
        let syntax = syn::parse_file(text)
            .map_err(|error| Error::new(ErrorKind::InvalidData, format!("{path}: {error}")))?;
        Ok(SourceFile { path: path.to_owned(), text: text.to_owned(), syntax })
    }

    /// The folder of the crate under `crates`.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    #[must_use]
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.strip_suffix(".rs").unwrap_or(name)
    }

    /// A file of a crate's `src` that holds no tests.
    #[must_use]
    pub fn is_product(&self) -> bool {
        self.path.split('/').nth(2) == Some("src") && !self.is_test()
    }

    #[must_use]
    pub fn is_test(&self) -> bool {
        let stem = self.stem();
        let folders = || self.path.split('/').rev().skip(1);
        stem == "tests"
            || stem.ends_with("_tests")
            || folders().any(|folder| folder == "tests")
            || self.is_bench()
    }

    #[must_use]
    pub fn is_bench(&self) -> bool {
        self.path.split('/').any(|folder| folder == "benches" || folder == "examples")
    }
}

impl SourceTree {
    /// Reads every Rust file under `crates`.
    ///
    /// # Errors
    /// When a file cannot be read or is no Rust.
    pub fn read(root: &Path) -> Result<SourceTree> {
        let mut files = Vec::new();
        walk(root, &root.join("crates"), &mut |path, full| {
            if path.ends_with(".rs") {
                files.push(SourceFile::parsed(path, &fs::read_to_string(full)?)?);
            }
            Ok(())
        })?;
        Ok(SourceTree { files })
    }

    /// A tree of paths and texts.
    ///
    /// # Errors
    /// When a text is no Rust.
    pub fn of(files: &[(&str, &str)]) -> Result<SourceTree> {
        let files = files.iter().map(|(path, text)| SourceFile::parsed(path, text));
        Ok(SourceTree { files: files.collect::<Result<_>>()? })
    }

    pub fn product(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.is_product())
    }
}

/// Calls `each` with every file below a folder: its path from the root, and the whole.
///
/// # Errors
/// When a folder cannot be read, or `each` fails.
pub fn walk(
    root: &Path,
    folder: &Path,
    each: &mut dyn FnMut(&str, &Path) -> Result<()>,
) -> Result<()> {
    let mut found: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    found.sort();
    for path in found {
        if path.is_dir() {
            if !path.ends_with("target") {
                walk(root, &path, each)?;
            }
        } else if let Some(short) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            each(&short.replace('\\', "/"), &path)?;
        }
    }
    Ok(())
}

/// An item that exists in tests only: `#[cfg(test)]` or any condition with `test` in it
/// that is not negated.
#[must_use]
pub fn only_in_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let words = list.tokens.to_string();
            words == "test" || words.starts_with("all") && words.contains("test")
        }
        _ => false,
    })
}

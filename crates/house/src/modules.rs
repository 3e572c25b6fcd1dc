//! The modules of a crate and which file uses which: names are followed through
//! `use`, renames, globs and re-exports to the file that defines them, so a detour
//! over a parent's `pub use` is seen as what it is. A file and its own children may
//! use one another; such edges are left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::paths::{FilePaths, Import};
use crate::tree::{SourceFile, SourceTree};

/// A module's path from the crate's root; `main.rs` beside a library and programs in
/// `bin` have a root of their own, in brackets.
pub type ModulePath = Vec<String>;

struct ModuleNames {
    /// The module that the file itself is: this one, or the one around an inline one.
    file: ModulePath,
    imports: Vec<Import>,
    globs: Vec<ModulePath>,
    items: BTreeSet<String>,
}

/// Which file uses which, and the line that says so.
pub struct ModuleGraph {
    pub folder: String,
    pub edges: BTreeMap<(ModulePath, ModulePath), usize>,
    /// The path of the file of each module.
    pub files: BTreeMap<ModulePath, String>,
    modules: BTreeMap<ModulePath, ModuleNames>,
}

/// Names that were followed already: re-exports may lead in a circle.
type FollowedNames = BTreeSet<(ModulePath, String)>;

impl ModuleGraph {
    #[must_use]
    pub fn of(tree: &SourceTree, folder: &str) -> ModuleGraph {
        let src = format!("crates/{folder}/src/");
        let own: BTreeMap<&str, &SourceFile> = tree
            .files
            .iter()
            .filter(|file| file.path.starts_with(&src))
            .map(|file| (file.path.as_str(), file))
            .collect();
        let mut graph = ModuleGraph {
            folder: folder.to_owned(),
            edges: BTreeMap::new(),
            files: BTreeMap::new(),
            modules: BTreeMap::new(),
        };
        let mut named = Vec::new();
        let library = own.contains_key(format!("{src}lib.rs").as_str());
        for path in own.keys() {
            let short = &path[src.len()..];
            let root = match short {
                "lib.rs" => Vec::new(),
                "main.rs" if !library => Vec::new(),
                "main.rs" => vec!["(main)".to_owned()],
                _ => match short.strip_prefix("bin/").and_then(|name| name.strip_suffix(".rs")) {
                    Some(name) if !name.contains('/') => vec![format!("(bin {name})")],
                    _ => continue,
                },
            };
            graph.load(&own, path, root, parent(path), &mut named);
        }
        graph.open_globs();
        for (at, file) in &named {
            graph.connect(at, file);
        }
        graph
    }

    /// Product files that no `mod` leads to: nothing would be known of them.
    #[must_use]
    pub fn unreached(&self, tree: &SourceTree) -> Vec<String> {
        let reached: BTreeSet<&String> = self.files.values().collect();
        tree.product()
            .filter(|file| file.folder() == self.folder && !reached.contains(&file.path))
            .map(|file| file.path.clone())
            .collect()
    }

    fn load(
        &mut self,
        own: &BTreeMap<&str, &SourceFile>,
        path: &str,
        at: ModulePath,
        children: String,
        named: &mut Vec<(ModulePath, FilePaths)>,
    ) {
        let Some(file) = own.get(path).filter(|_| !self.files.contains_key(&at)) else { return };
        let paths = FilePaths::of(&file.syntax);
        self.files.insert(at.clone(), path.to_owned());
        let module = |inside: &[String]| [at.as_slice(), inside].concat();
        let names = |file: &ModulePath| ModuleNames {
            file: file.clone(),
            imports: Vec::new(),
            globs: Vec::new(),
            items: BTreeSet::new(),
        };
        self.modules.insert(at.clone(), names(&at));
        for declared in paths.modules.iter().filter(|declared| declared.inline) {
            let inner = module(
                &[declared.inside.as_slice(), std::slice::from_ref(&declared.name)].concat(),
            );
            self.modules.insert(inner, names(&at));
        }
        for import in &paths.imports {
            if let Some(into) = self.modules.get_mut(&module(&import.inside)) {
                into.imports.push(import.clone());
            }
        }
        for (inside, name) in &paths.items {
            if let Some(into) = self.modules.get_mut(&module(inside)) {
                into.items.insert(name.clone());
            }
        }
        for declared in paths.modules.iter().filter(|declared| !declared.inline) {
            let inner = declared.inside.join("/");
            let below =
                if inner.is_empty() { children.clone() } else { format!("{children}/{inner}") };
            let name = &declared.name;
            let candidates = match &declared.path {
                Some(other) => vec![(tidy(&format!("{}/{other}", parent(path))), true)],
                None => vec![
                    (format!("{below}/{name}.rs"), false),
                    (format!("{below}/{name}/mod.rs"), false),
                ],
            };
            for (candidate, _) in candidates {
                let mut next = module(&declared.inside);
                next.push(name.clone());
                let stem = candidate.strip_suffix(".rs").unwrap_or(&candidate);
                let children = match &declared.path {
                    Some(_) => parent(&candidate),
                    None => stem.strip_suffix("/mod").unwrap_or(stem).to_owned(),
                };
                self.load(own, &candidate, next, children, named);
            }
        }
        named.push((at, paths));
    }

    fn connect(&mut self, at: &ModulePath, file: &FilePaths) {
        let mut used = Vec::new();
        let imports =
            file.imports.iter().map(|import| (&import.inside, &import.segments, import.line));
        let paths = file.paths.iter().map(|path| (&path.inside, &path.segments, path.line));
        for (inside, segments, line) in imports.chain(paths) {
            let from = [at.as_slice(), inside.as_slice()].concat();
            for touched in
                self.resolve(&from, segments, &mut FollowedNames::new()).unwrap_or_default()
            {
                if let Some(names) = self.modules.get(&touched) {
                    used.push((names.file.clone(), line));
                }
            }
        }
        for (goal, line) in used {
            if !goal.starts_with(at) && !at.starts_with(&goal) {
                self.edges.entry((at.clone(), goal)).or_insert(line);
            }
        }
    }

    /// The modules that a path leads through by name and ends in, or nothing where it
    /// leads out of the crate.
    fn resolve(
        &self,
        at: &[String],
        segments: &[String],
        seen: &mut FollowedNames,
    ) -> Option<Vec<ModulePath>> {
        let (first, rest) = segments.split_first()?;
        let own_root = usize::from(at.first().is_some_and(|name| name.starts_with('(')));
        match first.as_str() {
            "crate" | "$crate" => self.walk(&at[..own_root], rest, seen),
            "self" => self.walk(at, rest, seen),
            "super" => {
                let mut base = at.split_last()?.1;
                let mut rest = rest;
                while let Some((_, left)) = rest.split_first().filter(|(next, _)| *next == "super")
                {
                    (base, rest) = (base.split_last()?.1, left);
                }
                self.walk(base, rest, seen)
            }
            name if own_root == 1 && name == self.folder => self.walk(&[], rest, seen),
            name if self.gives(at, name, &mut BTreeSet::new()) => self.walk(at, segments, seen),
            _ => None,
        }
    }

    fn walk(
        &self,
        base: &[String],
        rest: &[String],
        seen: &mut FollowedNames,
    ) -> Option<Vec<ModulePath>> {
        let mut at = base.to_vec();
        for (index, name) in rest.iter().enumerate() {
            let child = [at.as_slice(), std::slice::from_ref(name)].concat();
            if self.modules.contains_key(&child) {
                at = child;
                continue;
            }
            let module = self.modules.get(&at)?;
            let mut touched = vec![at.clone()];
            if seen.insert((at.clone(), name.clone())) {
                let through =
                    module.imports.iter().find(|import| import.name.as_ref() == Some(name));
                let further = match through {
                    Some(import) => {
                        let whole = [import.segments.as_slice(), &rest[index + 1..]].concat();
                        self.resolve(&at, &whole, seen)
                    }
                    None if module.items.contains(name) => None,
                    None => {
                        let gives =
                            |goal: &&ModulePath| self.gives(goal, name, &mut BTreeSet::new());
                        let goal = module.globs.iter().find(gives);
                        goal.and_then(|goal| self.walk(goal, &rest[index..], seen))
                    }
                };
                touched.extend(further.unwrap_or_default());
            }
            return Some(touched);
        }
        Some(vec![at])
    }

    /// A module has a name: by a child, an item, an import or one of its globs.
    fn gives<'a>(&'a self, at: &[String], name: &str, seen: &mut BTreeSet<&'a ModulePath>) -> bool {
        let Some((at, module)) = self.modules.get_key_value(at) else { return false };
        seen.insert(at)
            && (self.modules.contains_key(&[at.as_slice(), &[name.to_owned()]].concat())
                || module.items.contains(name)
                || module.imports.iter().any(|import| import.name.as_deref() == Some(name))
                || module.globs.iter().any(|goal| self.gives(goal, name, seen)))
    }

    /// Finds the modules of this crate that `use …::*` opens.
    fn open_globs(&mut self) {
        let mut found = Vec::new();
        for (at, module) in &self.modules {
            for glob in module.imports.iter().filter(|import| import.name.is_none()) {
                let reached = self.resolve(at, &glob.segments, &mut FollowedNames::new());
                if let Some(goal) = reached.unwrap_or_default().pop().filter(|goal| goal != at) {
                    found.push((at.clone(), goal));
                }
            }
        }
        for (at, goal) in found {
            if let Some(module) = self.modules.get_mut(&at) {
                module.globs.push(goal);
            }
        }
    }

    /// A module as a reader would write it.
    #[must_use]
    pub fn shown(&self, module: &ModulePath) -> String {
        self.files.get(module).cloned().unwrap_or_else(|| module.join("::"))
    }
}

fn parent(path: &str) -> String {
    path.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
}

/// Takes `x/..` out of a path.
fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            other => parts.push(other),
        }
    }
    parts.join("/")
}

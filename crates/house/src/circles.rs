//! Files of a crate that use one another in a circle, and rooms inside a crate that
//! point the wrong way.

use std::collections::{BTreeMap, BTreeSet};

use crate::Finding;
use crate::modules::{ModuleGraph, ModulePath};
use crate::tree::SourceTree;

/// The folders of a crate in the order in which they may use one another: a room may use
/// those of the rows before its own, never one beside it or after it.
pub struct Layers<'a> {
    pub folder: &'a str,
    pub rows: &'a [&'a [&'a str]],
}

/// One finding for each file that is part of a circle, and for each that no `mod`
/// leads to, because its uses cannot be seen.
#[must_use]
pub fn circles(tree: &SourceTree) -> Vec<Finding> {
    let folders: BTreeSet<&str> = tree.product().map(crate::tree::SourceFile::folder).collect();
    let mut findings = Vec::new();
    for folder in folders {
        let graph = ModuleGraph::of(tree, folder);
        for path in graph.unreached(tree) {
            findings.push(Finding::new(path, "no `mod` leads to this file"));
        }
        for circle in rings(&graph) {
            let names: Vec<String> = circle.iter().map(|module| graph.shown(module)).collect();
            for module in &circle {
                let out: Vec<String> = graph
                    .edges
                    .iter()
                    .filter(|((from, to), _)| from == module && circle.contains(to))
                    .map(|((_, to), line)| format!("{} (line {line})", graph.shown(to)))
                    .collect();
                let size = names.len();
                let problem = format!("in a circle of {size}, by its use of {}", out.join(", "));
                findings.push(Finding::new(graph.shown(module), problem));
            }
        }
    }
    findings
}

/// Uses that go against the order of the rooms.
#[must_use]
pub fn upward(tree: &SourceTree, layers: &Layers<'_>) -> Vec<Finding> {
    let graph = ModuleGraph::of(tree, layers.folder);
    let level = |module: &ModulePath| {
        let name = module.first()?;
        layers.rows.iter().position(|row| row.contains(&name.as_str()))
    };
    let mut findings = Vec::new();
    for ((from, to), line) in &graph.edges {
        let (Some(low), Some(high)) = (level(from), level(to)) else { continue };
        if high >= low && from[0] != to[0] {
            let place = format!("{}:{line}", graph.shown(from));
            let problem = format!("{} uses {}, a room above or beside it", from[0], to[0]);
            findings.push(Finding::new(place, problem));
        }
    }
    findings
}

/// Groups of files of which each leads to each other one.
fn rings(graph: &ModuleGraph) -> Vec<Vec<ModulePath>> {
    let mut next: BTreeMap<&ModulePath, Vec<&ModulePath>> = BTreeMap::new();
    for (from, to) in graph.edges.keys() {
        next.entry(from).or_default().push(to);
    }
    let reach: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = next
        .keys()
        .map(|from| {
            let (mut seen, mut open) = (BTreeSet::new(), next[from].clone());
            while let Some(module) = open.pop() {
                if seen.insert(module) {
                    open.extend(next.get(module).into_iter().flatten().copied());
                }
            }
            (*from, seen)
        })
        .collect();
    let leads =
        |from: &ModulePath, to: &ModulePath| reach.get(from).is_some_and(|all| all.contains(to));
    let mut rings: Vec<Vec<ModulePath>> = Vec::new();
    for module in graph.files.keys().filter(|module| leads(module, module)) {
        match rings.iter_mut().find(|ring| leads(&ring[0], module) && leads(module, &ring[0])) {
            Some(ring) => ring.push(module.clone()),
            None => rings.push(vec![module.clone()]),
        }
    }
    rings
}

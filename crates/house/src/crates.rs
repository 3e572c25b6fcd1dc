//! The crates, as `cargo metadata` describes them: which may depend on which of ours,
//! and which may depend on the heavy things of the world.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Finding;
use crate::paths::FilePaths;
use crate::tree::SourceTree;

/// A package with what it needs to run; what only its tests need is left out.
#[derive(Debug, Clone)]
pub struct PackageNeeds {
    pub name: String,
    pub needs: Vec<String>,
}

/// The packages of a workspace, asked of Cargo.
///
/// # Errors
/// When Cargo does not answer.
pub fn packages(root: &Path) -> Result<Vec<PackageNeeds>> {
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let said = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()?;
    if !said.status.success() {
        return Err(Error::other(String::from_utf8_lossy(&said.stderr)));
    }
    parsed(&String::from_utf8_lossy(&said.stdout))
}

/// The packages of what `cargo metadata` printed.
///
/// # Errors
/// When it is no such text.
pub fn parsed(metadata: &str) -> Result<Vec<PackageNeeds>> {
    let odd = || Error::new(ErrorKind::InvalidData, "this is not cargo's metadata");
    let said: Value = serde_json::from_str(metadata)?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut packages = Vec::new();
    for package in said["packages"].as_array().ok_or_else(odd)? {
        let dependencies = package["dependencies"].as_array().ok_or_else(odd)?;
        let needs = dependencies.iter().filter(|one| one["kind"].as_str() != Some("dev"));
        packages.push(PackageNeeds {
            name: text(&package["name"]).ok_or_else(odd)?,
            needs: needs.filter_map(|one| text(&one["name"])).collect(),
        });
    }
    Ok(packages)
}

/// The library's name of a package of ours.
#[must_use]
pub fn room(package: &str) -> &str {
    match package.strip_prefix("roundtable-") {
        Some("fake-provider") => "fake_provider",
        Some(name) => name,
        None => package,
    }
}

/// Dependencies that go against the table of rooms, and packages that are not in it.
#[must_use]
pub fn one_way(packages: &[PackageNeeds], rooms: &[(&str, &[&str])]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let ours: Vec<&str> = packages.iter().map(|package| room(&package.name)).collect();
    for package in packages {
        let own = room(&package.name);
        let Some((_, allowed)) = rooms.iter().find(|(name, _)| *name == own) else {
            findings.push(Finding::new(own, "a new crate needs a row in the table of rooms"));
            continue;
        };
        for need in package.needs.iter().map(|need| room(need)).filter(|need| ours.contains(need)) {
            if !allowed.contains(&need) {
                findings.push(Finding::new(own, format!("must not depend on {need}")));
            }
        }
    }
    findings
}

/// Dependencies on heavy things in rooms that may not have them.
#[must_use]
pub fn heavy(packages: &[PackageNeeds], table: &[(&str, &[&str])]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let own = room(&package.name);
        for need in &package.needs {
            let row = table.iter().find(|(thing, _)| thing == need);
            if row.is_some_and(|(_, rooms)| !rooms.contains(&own)) {
                findings.push(Finding::new(own, format!("must not depend on {need}")));
            }
        }
    }
    findings
}

/// Whole crates passed on by `pub use`: the way around what Cargo holds.
#[must_use]
pub fn passed_on(
    tree: &SourceTree,
    rooms: &[(&str, &[&str])],
    things: &[(&str, &[&str])],
) -> Vec<Finding> {
    let closed: Vec<&str> = rooms.iter().chain(things).map(|(name, _)| *name).collect();
    let mut findings = Vec::new();
    for file in tree.product() {
        let paths = FilePaths::of(&file.syntax);
        for import in paths.imports.iter().filter(|import| import.public) {
            let whole = import.segments.len() == 1;
            let foreign = closed.contains(&import.segments[0].as_str())
                && !paths.modules.iter().any(|module| module.name == import.segments[0]);
            if whole && foreign {
                let problem = format!("passes all of {} on", import.segments[0]);
                findings.push(Finding::new(format!("{}:{}", file.path, import.line), problem));
            }
        }
    }
    findings
}

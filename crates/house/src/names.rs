//! Names of types: none twice in a crate, few in several, none that is a bare
//! participle or says nothing without its surroundings; no file named vaguely.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Ident, ItemEnum, ItemStruct, ItemTrait, ItemType, Visibility};

use crate::tree::{SourceTree, only_in_tests};
use crate::{Finding, above};

/// Forms of irregular verbs that no ending gives away.
const IRREGULAR: &[&str] = &[
    "Begun",
    "Bound",
    "Bought",
    "Brought",
    "Built",
    "Came",
    "Caught",
    "Chosen",
    "Done",
    "Drawn",
    "Driven",
    "Fallen",
    "Felt",
    "Forsaken",
    "Found",
    "Frozen",
    "Given",
    "Gone",
    "Got",
    "Grown",
    "Heard",
    "Held",
    "Hidden",
    "Kept",
    "Known",
    "Laid",
    "Left",
    "Lent",
    "Lost",
    "Made",
    "Meant",
    "Met",
    "Paid",
    "Proven",
    "Put",
    "Read",
    "Said",
    "Sat",
    "Seen",
    "Sent",
    "Shown",
    "Sold",
    "Sought",
    "Spent",
    "Spoken",
    "Stood",
    "Sung",
    "Taken",
    "Taught",
    "Thought",
    "Thrown",
    "Told",
    "Understood",
    "Won",
    "Worn",
    "Woven",
    "Written",
];

/// Nouns that say nothing without their context.
const VAGUE: &[&str] = &[
    "Args", "Data", "Entry", "Info", "Item", "Kind", "Line", "Manager", "Misc", "Object", "Part",
    "Piece", "Place", "Row", "Shape", "Stuff", "Thing", "Util", "Utils",
];

/// Names of one word that end like a participle and are nouns, and the steps of the
/// pipeline that turns an order into a table, whose names are its order.
const NOUNS: &[&str] = &[
    "Bed",
    "Beginning",
    "Binding",
    "Briefed",
    "Briefing",
    "Building",
    "Casting",
    "Ceiling",
    "Ending",
    "Equipped",
    "Feed",
    "Finding",
    "Heading",
    "King",
    "Learning",
    "Listing",
    "Meaning",
    "Meeting",
    "Need",
    "Opening",
    "Prepared",
    "Pricing",
    "Ranking",
    "Rating",
    "Reading",
    "Recording",
    "Ring",
    "Ruling",
    "Seated",
    "Seed",
    "Setting",
    "Shed",
    "Speed",
    "Spelling",
    "Spending",
    "String",
    "Timing",
    "Tracing",
    "Warning",
    "Weighing",
    "Wing",
    "Wording",
];

/// File names that say nothing.
const VAGUE_FILES: &[&str] =
    &["utils", "util", "common", "helpers", "helper", "misc", "manager", "stuff", "shared"];

struct TypeName {
    name: String,
    folder: String,
    place: String,
    public: bool,
}

struct Types<'a> {
    path: &'a str,
    folder: &'a str,
    found: Vec<TypeName>,
}

impl Types<'_> {
    fn add(&mut self, name: &Ident, visibility: &Visibility) {
        self.found.push(TypeName {
            name: name.to_string(),
            folder: self.folder.to_owned(),
            place: format!("{}:{}", self.path, name.span().start().line),
            public: !matches!(visibility, Visibility::Inherited),
        });
    }
}

impl<'ast> Visit<'ast> for Types<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !only_in_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.add(&item.ident, &item.vis);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.add(&item.ident, &item.vis);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.add(&item.ident, &item.vis);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.add(&item.ident, &item.vis);
        visit::visit_item_type(self, item);
    }
}

fn types(tree: &SourceTree) -> Vec<TypeName> {
    let mut all = Vec::new();
    for file in tree.product() {
        let mut types = Types { path: &file.path, folder: file.folder(), found: Vec::new() };
        types.visit_file(&file.syntax);
        all.append(&mut types.found);
    }
    all
}

/// Every definition after the first of a type name in one crate.
#[must_use]
pub fn twice_in_a_crate(tree: &SourceTree) -> Vec<Finding> {
    let mut first: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut findings = Vec::new();
    for one in types(tree) {
        let key = (one.folder, one.name.clone());
        match first.get(&key) {
            Some(earlier) => {
                let problem = format!("{} is also defined in {earlier}", one.name);
                findings.push(Finding::new(one.place, problem));
            }
            None => {
                first.insert(key, one.place);
            }
        }
    }
    findings
}

/// Definitions of type names that several crates have, above a share of all definitions.
#[must_use]
pub fn shared_between_crates(tree: &SourceTree, percent: usize) -> Vec<Finding> {
    let all = types(tree);
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for one in &all {
        folders.entry(&one.name).or_default().insert(&one.folder);
    }
    let shared = all.iter().filter(|one| folders[one.name.as_str()].len() > 1);
    let findings = shared.map(|one| {
        let others: Vec<&str> = folders[one.name.as_str()].iter().copied().collect();
        Finding::new(&one.place, format!("{} is a type of {}", one.name, others.join(", ")))
    });
    above(findings.collect(), all.len(), percent)
}

/// Types of one word that are a participle or a vague noun and can be seen outside their
/// module.
#[must_use]
pub fn bare(tree: &SourceTree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for one in types(tree).into_iter().filter(|one| one.public) {
        let name = one.name.as_str();
        let humps = name.chars().filter(|letter| letter.is_uppercase()).count();
        let regular = name.ends_with("ed") || name.ends_with("ing");
        if humps != 1 || NOUNS.contains(&name) {
            continue;
        }
        if regular || IRREGULAR.contains(&name) {
            findings.push(Finding::new(one.place, format!("{name} is a bare participle")));
        } else if VAGUE.contains(&name) {
            findings.push(Finding::new(one.place, format!("{name} says nothing by itself")));
        }
    }
    findings
}

/// Files whose names say nothing.
#[must_use]
pub fn vague_files(tree: &SourceTree) -> Vec<Finding> {
    let vague = tree.product().filter(|file| VAGUE_FILES.contains(&file.stem()));
    vague.map(|file| Finding::new(&file.path, "the name says nothing")).collect()
}

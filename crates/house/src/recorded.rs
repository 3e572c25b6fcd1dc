//! Recorded logs are never edited: each is listed with its SHA-256, in the form that
//! `sha256sum --check` reads.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::Finding;

/// A listed log that is not there or is another, and a log that is not listed.
#[must_use]
pub fn edited(list: &str, logs: &[(String, Vec<u8>)]) -> Vec<Finding> {
    let mut listed: BTreeMap<&str, &str> = list
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(hash, path)| (path, hash))
        .collect();
    let mut findings = Vec::new();
    for (path, bytes) in logs {
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        match listed.remove(path.as_str()) {
            None => findings.push(Finding::new(path, format!("is not listed: {hash}"))),
            Some(known) if known != hash => findings.push(Finding::new(path, "was edited")),
            Some(_) => {}
        }
    }
    for path in listed.keys() {
        findings.push(Finding::new(*path, "is listed and is gone"));
    }
    findings
}

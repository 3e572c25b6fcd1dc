//! The constitution: rules that every debate must follow, in a YAML file beside the
//! config file. One in the working folder can add rules, and never takes one of the
//! user's own away: others may have written it. Unknown names are refused with their
//! line, in the folder's file when a debate is to be held.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::bounded_file::{self, FileFault};
use crate::config::ConfigError;
use crate::error::Refusal;

pub const FILE: &str = "roundtable.constitution.yaml";
/// No constitution is this large.
const LARGEST: u64 = 64 * 1024;

/// `None` means that the constitution does not say.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Constitution {
    /// True: debates are decided by evidence, and no other algorithm is allowed.
    pub require_evidence: Option<bool>,
    /// True: no debate is held if similarity cannot be measured. False: it is not
    /// measured.
    pub track_convergence: Option<bool>,
    /// True: every debate starts with the lessons learned. False: none does.
    pub enable_learning: Option<bool>,
    /// The reason why the file in the working folder cannot be followed, and so no
    /// debate can be held there.
    #[serde(skip)]
    pub folder_fault: Option<Refusal>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConstitutionFile {
    #[serde(default)]
    constitution: ConstitutionArticles,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ConstitutionArticles {
    debate_policy: Constitution,
}

impl Constitution {
    pub fn find(config_file: &Path) -> Result<Constitution, ConfigError> {
        let beside = config_file.parent().map(|folder| folder.join(FILE)).unwrap_or_default();
        let own = read(&beside)?.unwrap_or_default();
        let here = PathBuf::from(FILE);
        if same(&beside, &here) {
            return Ok(own);
        }
        Ok(match read(&here) {
            Ok(found) => own.tightened(&found.unwrap_or_default()),
            Err(fault) => Constitution { folder_fault: fault.refusals().pop(), ..own },
        })
    }

    /// Returns these rules with those that a folder adds. Where the user's own file
    /// says that something is not done, that stands.
    fn tightened(self, folder: &Constitution) -> Constitution {
        let required = |rule: Option<bool>| rule.filter(|required| *required);
        Constitution {
            require_evidence: required(folder.require_evidence).or(self.require_evidence),
            track_convergence: self.track_convergence.or(required(folder.track_convergence)),
            enable_learning: self.enable_learning.or(required(folder.enable_learning)),
            folder_fault: None,
        }
    }
}

fn same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn read(path: &Path) -> Result<Option<Constitution>, ConfigError> {
    let cannot = |why: String| ConfigError::Constitution { path: path.into(), why };
    let text = match bounded_file::read_text(path, LARGEST) {
        Ok(text) => text,
        Err(FileFault::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(fault) => return Err(cannot(fault.to_string())),
    };
    let read: Result<ConstitutionFile, _> = crate::config::yaml(&text);
    match read {
        Ok(document) => Ok(Some(document.constitution.debate_policy)),
        Err(why) => Err(cannot(agents::redaction::without_keys(&why))),
    }
}

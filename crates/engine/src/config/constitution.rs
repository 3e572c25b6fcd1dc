//! The constitution: rules that every debate must follow, in a YAML file beside the
//! config file or in the working directory, which can only add to it. Unknown names
//! are refused with their line.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::config::ConfigError;

pub const FILE: &str = "roundtable.constitution.yaml";

/// `None` means that the constitution does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Constitution {
    /// True: debates are decided by evidence, and no other algorithm is allowed.
    pub require_evidence: Option<bool>,
    /// True: no debate is held if similarity cannot be measured. False: it is not
    /// measured.
    pub track_convergence: Option<bool>,
    /// True: every debate starts with the lessons learned. False: none does.
    pub enable_learning: Option<bool>,
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
        let general = read(&beside)?.unwrap_or_default();
        let here = PathBuf::from(FILE);
        let own = if same(&beside, &here) { None } else { read(&here)? }.unwrap_or_default();
        Ok(general.tightened_by(own))
    }

    /// A constitution in the working folder adds requirements to the user's own and
    /// lifts none.
    fn tightened_by(self, here: Constitution) -> Constitution {
        let either = |own: Option<bool>, here: Option<bool>| match (own, here) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (own, here) => own.or(here),
        };
        Constitution {
            require_evidence: either(self.require_evidence, here.require_evidence),
            track_convergence: either(self.track_convergence, here.track_convergence),
            enable_learning: self.enable_learning.or(here.enable_learning),
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
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(ConfigError::Unreadable { path: path.into(), why }),
    };
    let read: Result<ConstitutionFile, _> = crate::config::yaml(&text);
    match read {
        Ok(document) => Ok(Some(document.constitution.debate_policy)),
        Err(why) => Err(ConfigError::Constitution { path: path.into(), why }),
    }
}

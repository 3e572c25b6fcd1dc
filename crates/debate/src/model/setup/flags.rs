//! Feature flags of a debate, with their defaults. The caller resolves the source
//! of a value (this debate, environment, config file, default).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParallelLevel {
    /// The mode's own waves.
    #[default]
    None,
    /// All seats but the last speak at once; the last seat sees their answers.
    LastOnly,
    /// One wave.
    Full,
}

impl ParallelLevel {
    pub const ALL: [ParallelLevel; 3] =
        [ParallelLevel::None, ParallelLevel::LastOnly, ParallelLevel::Full];

    pub fn word(self) -> &'static str {
        match self {
            ParallelLevel::None => "none",
            ParallelLevel::LastOnly => "last-only",
            ParallelLevel::Full => "full",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolLevel {
    Strict,
    #[default]
    Normal,
    Relaxed,
}

impl ToolLevel {
    pub const ALL: [ToolLevel; 3] = [ToolLevel::Strict, ToolLevel::Normal, ToolLevel::Relaxed];

    pub fn word(self) -> &'static str {
        match self {
            ToolLevel::Strict => "strict",
            ToolLevel::Normal => "normal",
            ToolLevel::Relaxed => "relaxed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Flags {
    pub sequential_parallelization: ParallelFlag,
    pub tool_enforcement: ToolFlag,
    pub groupthink_detection: GroupthinkFlag,
    pub exit_criteria: ExitFlag,
    pub sequential_mode: SequentialFlag,
}

/// Written out, though it only joins the defaults below, so that a reader finds
/// every default on this page.
impl Default for Flags {
    fn default() -> Self {
        Flags {
            sequential_parallelization: ParallelFlag {
                enabled: false,
                level: None,
                modes: BTreeMap::new(),
            },
            tool_enforcement: ToolFlag {
                enabled: true,
                level: ToolLevel::Normal,
                min_calls: 1,
                max_calls: 6,
            },
            groupthink_detection: GroupthinkFlag { enabled: true, threshold: 0.9 },
            exit_criteria: ExitFlag {
                enabled: false,
                consensus_threshold: 0.9,
                convergence_rounds: 2,
                confidence_threshold: 0.85,
            },
            sequential_mode: SequentialFlag {
                use_light_model: false,
                max_tokens: 2048,
                cache_tool_results: true,
            },
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ParallelFlag {
    pub enabled: bool,
    /// `None`: the mode's own default level.
    pub level: Option<ParallelLevel>,
    /// Per mode; wins over `level`.
    pub modes: BTreeMap<String, ParallelLevel>,
}

impl ParallelFlag {
    /// The level that holds for a mode.
    pub fn level_for(&self, mode: &str, mode_default: ParallelLevel) -> ParallelLevel {
        if !self.enabled {
            return ParallelLevel::None;
        }
        self.modes.get(mode).copied().or(self.level).unwrap_or(mode_default)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ToolFlag {
    pub enabled: bool,
    pub level: ToolLevel,
    pub min_calls: u32,
    pub max_calls: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GroupthinkFlag {
    pub enabled: bool,
    pub threshold: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ExitFlag {
    pub enabled: bool,
    pub consensus_threshold: f64,
    pub convergence_rounds: u32,
    pub confidence_threshold: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SequentialFlag {
    pub use_light_model: bool,
    pub max_tokens: u32,
    pub cache_tool_results: bool,
}

macro_rules! default_from_flags {
    ($($part:ident => $field:ident),*) => {$(
        impl Default for $part {
            fn default() -> Self {
                Flags::default().$field
            }
        }
    )*};
}
default_from_flags!(
    ParallelFlag => sequential_parallelization,
    ToolFlag => tool_enforcement,
    GroupthinkFlag => groupthink_detection,
    ExitFlag => exit_criteria,
    SequentialFlag => sequential_mode
);

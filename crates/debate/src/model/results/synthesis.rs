//! The synthesis of a finished debate: its main points, each with the claims it
//! rests on. It accompanies the verdict and never changes it.

use serde::{Deserialize, Serialize};

use crate::model::{ClaimId, TurnNote};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Synthesis {
    pub common_ground: Vec<SynthesisPoint>,
    pub key_differences: Vec<SynthesisPoint>,
    /// The course of the debate, oldest first.
    pub evolution: Vec<SynthesisPoint>,
    pub conclusion: SynthesisPoint,
    pub recommendation: SynthesisPoint,
    /// 0 to 1, the clerk's own; absent where it gave none.
    pub confidence: Option<f64>,
    /// Notes on parts that were dropped or repaired while reading.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TurnNote>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SynthesisPoint {
    pub text: String,
    pub claims: Vec<ClaimId>,
}

//! The safety record of a debate: the reasons for a closer look, the answers
//! judged with their verdicts, and those that could not be judged.

use serde::{Deserialize, Serialize};

use super::{Round, SeatId};

/// Everything the safety tiers did in one debate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SafetyRecord {
    pub watch: SafetyWatch,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<SafetyTrigger>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<SafetyVerdict>,
    /// Answers that should have been judged and were not, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<UnjudgedAnswer>,
    /// A person's texts that were refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedText>,
    /// The rounds after which the evaluator switched itself off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relaxed_after: Vec<Round>,
    /// Rounds in a row in which every answer was allowed at once.
    #[serde(skip_serializing_if = "is_zero")]
    pub clean_rounds: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The state of the safety watch: whether every answer is judged before it enters
/// the debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SafetyWatch {
    #[default]
    Off,
    /// An evaluator judges.
    On,
    /// A watch is called for, but there is no evaluator.
    Unmanned,
}

/// The reason for a closer look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SafetyTrigger {
    pub kind: TriggerKind,
    /// 0: before the first round.
    pub round: Round,
    /// The seat whose answer called for it; `None`: the brief or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatId>,
    /// The finding, in words.
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TriggerKind {
    /// The mode sets agents to attack.
    Mode,
    /// The topic is one of security, medicine or law.
    Topic,
    /// A harmful pattern was read.
    Intent,
    /// Vulnerable people are concerned.
    Context,
}

impl TriggerKind {
    pub fn word(self) -> &'static str {
        match self {
            TriggerKind::Mode => "mode",
            TriggerKind::Topic => "topic",
            TriggerKind::Intent => "intent",
            TriggerKind::Context => "context",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Judgement {
    Allow,
    Revise,
    Block,
}

impl Judgement {
    pub fn word(self) -> &'static str {
        match self {
            Judgement::Allow => "allow",
            Judgement::Revise => "revise",
            Judgement::Block => "block",
        }
    }
}

/// The harm that the evaluator may find in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarmKind {
    Nothing,
    Weapons,
    Malware,
    Intrusion,
    Injury,
    Harassment,
    Minors,
    /// Dosing or legal advice put as if to a person.
    Advice,
    Privacy,
}

impl HarmKind {
    pub const ALL: [HarmKind; 9] = [
        HarmKind::Nothing,
        HarmKind::Weapons,
        HarmKind::Malware,
        HarmKind::Intrusion,
        HarmKind::Injury,
        HarmKind::Harassment,
        HarmKind::Minors,
        HarmKind::Advice,
        HarmKind::Privacy,
    ];

    pub fn word(self) -> &'static str {
        match self {
            HarmKind::Nothing => "none",
            HarmKind::Weapons => "weapons",
            HarmKind::Malware => "malware",
            HarmKind::Intrusion => "intrusion",
            HarmKind::Injury => "injury",
            HarmKind::Harassment => "harassment",
            HarmKind::Minors => "minors",
            HarmKind::Advice => "advice",
            HarmKind::Privacy => "privacy",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JudgedBy {
    /// The program's own quick checks.
    Checks,
    /// The independent evaluator.
    Evaluator,
}

/// The safety verdict on one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SafetyVerdict {
    pub round: Round,
    pub seat: SeatId,
    pub judgement: Judgement,
    pub by: JudgedBy,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnjudgedAnswer {
    pub round: Round,
    pub seat: SeatId,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedText {
    pub round: Round,
    /// `remark` or `focus`.
    pub what: String,
    pub reasons: Vec<String>,
}

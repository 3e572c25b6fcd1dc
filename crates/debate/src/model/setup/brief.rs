//! The brief: everything a caller decides before the first call. It is parsed
//! once, checked once (see `crate::casting`) and then never changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::effort::{default_samples, is_default_samples};
use crate::model::{
    Agent, AnswerStyle, CalibrationTable, DEFAULT_SAMPLES, DebateEffort, DecisionCase,
    EarlierDebate, EvidenceWeights, Flags, GENERAL_DOMAIN, Language, Lessons, MicroUsd,
    NumberReading, OWN_LANGUAGE, Perspectives, Reliability,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Brief {
    pub topic: String,
    pub mode: String,
    pub agents: Vec<Agent>,
    pub rounds: u32,
    /// The light model that sums up, analyses and judges. It never debates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clerk: Option<Agent>,
    #[serde(default)]
    pub question: Question,
    /// How a number that is asked for is read.
    #[serde(default, skip_serializing_if = "NumberReading::is_default")]
    pub number: NumberReading,
    /// Logs that do not say it were debates.
    #[serde(default, skip_serializing_if = "DebateEffort::is_debate")]
    pub effort: DebateEffort,
    /// The most sealed first answers; read where the effort is not `debate`.
    #[serde(default = "default_samples", skip_serializing_if = "is_default_samples")]
    pub samples: u32,
    /// The language to answer in; `None`: the topic's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    #[serde(default)]
    pub perspectives: Perspectives,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stakes: Vec<Stake>,
    #[serde(default)]
    pub limits: AnswerLimits,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<MicroUsd>,
    #[serde(default)]
    pub flags: Flags,
    #[serde(default)]
    pub algorithm: Algorithm,
    /// True if an answer without evidence is sent back once, and a debate with such
    /// answers never ends in `proceed`. The evidence-based algorithm implies it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub require_evidence: bool,
    #[serde(default)]
    pub thresholds: Thresholds,
    #[serde(default)]
    pub depth: Depth,
    /// The caller's facts about the decision; read only when the depth is `auto`.
    #[serde(default, skip_serializing_if = "DecisionCase::is_default")]
    pub case: DecisionCase,
    #[serde(default)]
    pub team_order: TeamOrder,
    /// Tools every seat is offered, by name; empty: none, and the prompts say so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Agents that can use none of them, by their place among the agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_tools: Vec<usize>,
    /// How each agent's answers are asked for, by its place among the agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<AnswerStyle>,
    /// The manner a person gave each agent, by its place among the agents; empty: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub personas: Vec<String>,
    /// Agents whose light model stands in for the model that was named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stand_ins: Vec<StandIn>,
    /// Questions that earlier decisions taught this domain to ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_questions: Vec<String>,
    /// The embedder that compares positions; `None`: similarity stays absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedder: Option<String>,
    /// Decides every shuffle of the debate, so that a run can be repeated.
    #[serde(default)]
    pub seed: u64,
    /// 32 hex digits, random and secret: no model may guess a fence.
    pub fence_key: String,
    /// Templates of the user's own, by file name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The source of the domain when the brief gives none.
    #[serde(default, skip_serializing_if = "DomainBy::is_caller")]
    pub domain_by: DomainBy,
    /// The lessons of earlier outcomes in this domain; those of every known
    /// domain while the domain is still to be named. Empty when there are none or
    /// learning is off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<Lessons>,
    /// What was measured about the models at this table.
    #[serde(default, skip_serializing_if = "CalibrationTable::is_empty")]
    pub calibration: CalibrationTable,
    /// A key that identifies this start, so that a caller who calls twice starts
    /// one debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_key: Option<String>,
    /// The debate that this one comes after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<EarlierDebate>>,
}

impl Brief {
    /// Reads a brief. What other crates read is read by this too, so that the code for it is in the
    /// program once.
    pub fn read(json: &str) -> serde_json::Result<Brief> {
        serde_json::from_str(json)
    }

    /// A brief with every default, for this topic and these agents. `fence_key`
    /// is 32 hex digits that cannot be guessed.
    pub fn new(topic: &str, mode: &str, agents: Vec<Agent>, fence_key: &str) -> Brief {
        Brief {
            topic: topic.into(),
            mode: mode.into(),
            agents,
            rounds: 3,
            clerk: None,
            question: Question::default(),
            number: NumberReading::default(),
            effort: DebateEffort::default(),
            samples: DEFAULT_SAMPLES,
            language: None,
            focus: None,
            attachments: Vec::new(),
            perspectives: Perspectives::default(),
            stakes: Vec::new(),
            limits: AnswerLimits::default(),
            budget: None,
            flags: Flags::default(),
            algorithm: Algorithm::default(),
            require_evidence: false,
            thresholds: Thresholds::default(),
            depth: Depth::default(),
            case: DecisionCase::default(),
            team_order: TeamOrder::default(),
            tools: Vec::new(),
            without_tools: Vec::new(),
            styles: Vec::new(),
            personas: Vec::new(),
            stand_ins: Vec::new(),
            required_questions: Vec::new(),
            embedder: None,
            seed: 0,
            fence_key: fence_key.into(),
            words: BTreeMap::new(),
            project: None,
            domain: None,
            domain_by: DomainBy::Caller,
            lessons: Vec::new(),
            calibration: CalibrationTable::default(),
            start_key: None,
            after: None,
        }
    }

    /// Returns whether figures are estimates, to be combined into one.
    pub fn combines_figures(&self) -> bool {
        match self.question {
            Question::Probability => true,
            Question::Number { .. } => self.number.estimate,
            Question::Open | Question::YesNo | Question::Options { .. } => false,
        }
    }

    /// Returns whether every answer must rest on claims with typed evidence.
    pub fn needs_evidence(&self) -> bool {
        self.require_evidence || self.algorithm == Algorithm::EvidenceBasedDebate
    }

    /// Returns true if this agent has any tools in this debate.
    pub fn has_tools(&self, agent: usize) -> bool {
        !self.tools.is_empty() && !self.without_tools.contains(&agent)
    }

    /// Returns how an agent's answers are asked for.
    pub fn style(&self, agent: usize) -> AnswerStyle {
        self.styles.get(agent).copied().unwrap_or_default()
    }

    /// Returns the language of this debate, if it is one that is known.
    pub fn known_language(&self) -> Option<&'static Language> {
        match &self.language {
            Some(set) => Language::find(set),
            None => Language::of(&self.topic),
        }
    }

    /// Returns the language to answer in, as a prompt says it.
    pub fn language_name(&self) -> &str {
        match (self.known_language(), &self.language) {
            (Some(known), _) => known.name,
            (None, Some(set)) => set,
            (None, None) => OWN_LANGUAGE,
        }
    }

    /// Returns the manner that a person gave an agent; empty if none was given.
    pub fn persona(&self, agent: usize) -> &str {
        self.personas.get(agent).map_or("", String::as_str)
    }

    /// Returns the lessons of earlier outcomes in this debate's domain.
    pub fn learned(&self) -> Option<&Lessons> {
        let domain = self.domain.as_deref().unwrap_or(GENERAL_DOMAIN);
        self.lessons.iter().find(|lessons| lessons.domain == domain)
    }

    /// The same brief in this domain, with the questions its outcomes ask for.
    pub fn in_domain(mut self, domain: String) -> Brief {
        self.domain = Some(domain);
        let asked = self.learned().map(|lessons| lessons.questions.clone()).unwrap_or_default();
        for question in asked {
            if !self.required_questions.contains(&question) {
                self.required_questions.push(question);
            }
        }
        self
    }

    /// The published weights, or those the domain's outcomes moved them to.
    pub fn evidence_weights(&self) -> EvidenceWeights {
        self.learned().map(|lessons| lessons.weights.clone()).unwrap_or_default()
    }

    /// Returns how often each agent was right in earlier debates.
    pub fn reliability(&self) -> Reliability {
        self.learned().map(|lessons| lessons.reliability.clone()).unwrap_or_default()
    }
}

/// The source that names the domain of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainBy {
    /// Named in the brief, or none.
    #[default]
    Caller,
    /// Named by the clerk before round 1.
    Clerk,
}

impl DomainBy {
    fn is_caller(&self) -> bool {
        *self == DomainBy::Caller
    }
}

/// A light model that sits in for a heavier one of its provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StandIn {
    /// The place among the agents.
    pub agent: usize,
    /// The model that was named.
    pub model: String,
}

/// The form of the decision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Question {
    /// Free text; positions are grouped by what they say.
    #[default]
    Open,
    YesNo,
    /// One of these, word for word.
    Options {
        options: Vec<String>,
    },
    Number {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
    },
    Probability,
}

impl Question {
    /// Returns whether the answer has a form: options, yes or no, a number, a probability.
    pub fn is_closed(&self) -> bool {
        *self != Question::Open
    }

    /// A figure as a person would write it: percent for probabilities, else at most
    /// two decimals (four digits below 1), with the unit.
    pub fn figure(&self, value: f64) -> String {
        match self {
            Question::Probability => format!("{} %", decimals(value * 100.0, 1)),
            Question::Number { unit: Some(unit) } => format!("{} {unit}", plain_figure(value)),
            _ => plain_figure(value),
        }
    }

    /// The options that can be chosen, if the question has any.
    pub fn options(&self) -> Option<Vec<String>> {
        match self {
            Question::YesNo => Some(vec!["yes".into(), "no".into()]),
            Question::Options { options } => Some(options.clone()),
            Question::Open | Question::Number { .. } | Question::Probability => None,
        }
    }
}

fn plain_figure(value: f64) -> String {
    let small = value != 0.0 && value.abs() < 1.0;
    let leading_zeros = if small { (-value.abs().log10()).floor() as i32 } else { -2 };
    decimals(value, (leading_zeros + 4).clamp(0, 12))
}

/// The value with at most this many decimals, without trailing zeros.
fn decimals(value: f64, most: i32) -> String {
    let scale = 10_f64.powi(most);
    format!("{}", (value * scale).round() / scale)
}

/// Reports whether options are offered under letters (`A)`, `B)` …): not where
/// there are too many or one of them is itself a letter.
pub fn has_letters(options: &[String]) -> bool {
    let is_letter = |option: &String| {
        let mut letters = option.trim().chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    };
    options.len() <= 26 && !options.iter().any(is_letter)
}

/// A text the caller brings along. It is data: it enters a prompt only fenced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    pub name: String,
    pub text: String,
}

/// The caller's reason for calling a topic high-stakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stake {
    SecurityAbuse,
    MedicalLegal,
    RealWorldEffects,
    SafetyCritical,
}

impl Stake {
    pub const ALL: [Stake; 4] =
        [Stake::SecurityAbuse, Stake::MedicalLegal, Stake::RealWorldEffects, Stake::SafetyCritical];

    pub fn word(self) -> &'static str {
        match self {
            Stake::SecurityAbuse => "security-abuse",
            Stake::MedicalLegal => "medical-legal",
            Stake::RealWorldEffects => "real-world-effects",
            Stake::SafetyCritical => "safety-critical",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AnswerLimits {
    pub max_output_tokens: u32,
    pub temperature: f64,
    pub timeout_seconds: u32,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        AnswerLimits { max_output_tokens: 4096, temperature: 0.7, timeout_seconds: 120 }
    }
}

/// The rule that ends a debate early, when early exit is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    #[default]
    Agreement,
    Votes,
    EvidenceBasedDebate,
}

impl Algorithm {
    pub const ALL: [Algorithm; 3] =
        [Algorithm::Agreement, Algorithm::Votes, Algorithm::EvidenceBasedDebate];

    pub fn word(self) -> &'static str {
        match self {
            Algorithm::Agreement => "agreement",
            Algorithm::Votes => "votes",
            Algorithm::EvidenceBasedDebate => "evidence_based_debate",
        }
    }
}

/// Every figure the exit rules compare with, each settable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Thresholds {
    /// Similarity from which positions count as consensus.
    pub similarity: f64,
    /// Similarity above which agreement in round 1 or 2 is premature.
    pub premature_similarity: f64,
    /// A fall of similarity by more than this is divergence.
    pub divergence: f64,
    /// Evidence convergence from which the shared sources are strong.
    pub evidence: f64,
    /// A shift below this is stable.
    pub stable_shift: f64,
    /// A mean shift below this, two rounds running, is diminishing returns.
    pub idle_shift: f64,
    /// Share of ACCEPT or MINOR that carries a vote.
    pub votes: f64,
    /// The least confidence every voter must have.
    pub vote_confidence: f64,
    /// Change below this over two rounds is a plateau.
    pub plateau_change: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            similarity: 0.80,
            premature_similarity: 0.85,
            divergence: 0.10,
            evidence: 0.60,
            stable_shift: 0.10,
            idle_shift: 0.05,
            votes: 0.80,
            vote_confidence: 0.70,
            plateau_change: 0.10,
        }
    }
}

/// The depth of a mode that has an extended form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Depth {
    #[default]
    Standard,
    Extended,
    Auto,
}

impl Depth {
    pub const ALL: [Depth; 3] = [Depth::Standard, Depth::Extended, Depth::Auto];

    pub fn word(self) -> &'static str {
        match self {
            Depth::Standard => "standard",
            Depth::Extended => "extended",
            Depth::Auto => "auto",
        }
    }
}

/// The order in which teams speak: all at once, or one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TeamOrder {
    #[default]
    AtOnce,
    InSequence,
}

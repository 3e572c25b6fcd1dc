//! The shape of a script file, in TOML or JSON. Unknown fields and cues that
//! say nothing are refused with the place in the file, so that a slip of the
//! pen does not pass as a silent agent.

use std::path::Path;

use debate::model::{
    AskId, FailureClass, Finish, MicroUsd, Round, Stance, Task, Usage, WantedContext,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::SpeechDelta;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentScript {
    /// The topic the answers were written for, where there is one.
    #[serde(default)]
    pub topic: Option<String>,
    #[serde(rename = "agent")]
    pub agents: Vec<ScriptPart>,
    #[serde(default)]
    pub clerk: ScriptPart,
}

/// Everything one agent, or the clerk, says.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptPart {
    pub name: String,
    /// Used where the ask wants a stance and the answer gives none.
    pub stance: Option<Stance>,
    #[serde(rename = "turn")]
    pub cues: Vec<ScriptCue>,
}

/// One answer or failure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptCue {
    /// Absent: for every round that has no cue of its own.
    #[serde(default)]
    pub round: Option<Round>,
    #[serde(default = "speak")]
    pub task: Task,
    /// The reply word for word.
    #[serde(default)]
    pub text: Option<String>,
    /// The reply as a table, sent as JSON.
    #[serde(default)]
    pub answer: Option<Map<String, Value>>,
    #[serde(default)]
    pub fail: Option<CueFailure>,
    /// Its requests to the caller. Where one is required, the answer counts only after the
    /// caller has spoken.
    #[serde(default)]
    pub requests: Vec<WantedContext>,
    /// The signs of the agent before it speaks or fails, in order.
    #[serde(default)]
    pub signs: Vec<Sign>,
    #[serde(default)]
    pub delay_ms: u64,
    /// In how many pieces the text is streamed.
    #[serde(default = "one_chunk")]
    pub chunks: usize,
    #[serde(default)]
    pub chunk_delay_ms: u64,
    #[serde(default)]
    pub usage: Usage,
    #[serde(default)]
    pub cost: Option<MicroUsd>,
    #[serde(default)]
    pub finish: Finish,
    #[serde(default = "one_try")]
    pub tries: u32,
}

/// Something a watcher sees while an agent is at work.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sign {
    pub show: SeenState,
    /// The time before the next one.
    #[serde(default)]
    pub for_ms: u64,
}

/// As [`crate::SpeechDelta`], in the words of a script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum SeenState {
    Thinking,
    Searching(String),
    Writing(String),
    Waiting { why: String, seconds: f64 },
}

impl SeenState {
    pub(super) fn delta(&self) -> SpeechDelta {
        match self {
            SeenState::Thinking => SpeechDelta::Thinking,
            SeenState::Searching(query) => SpeechDelta::Searching(query.clone()),
            SeenState::Writing(text) => SpeechDelta::Text(text.clone()),
            SeenState::Waiting { why, seconds } => {
                SpeechDelta::Waiting { why: why.clone(), seconds: *seconds }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CueFailure {
    pub class: FailureClass,
    pub message: String,
    /// The times the ask fails before it is answered; absent: always.
    #[serde(default)]
    pub times: Option<u32>,
}

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("cannot read the script {path}: {cause}. Check the path")]
    Unreadable { path: String, cause: std::io::Error },
    #[error("the script {path} is not valid: {cause}")]
    Broken { path: String, cause: String },
    #[error("the script {path}: {who}, {which}: {problem}")]
    Senseless { path: String, who: String, which: String, problem: &'static str },
}

impl AgentScript {
    /// Reads a file; `.json` is read as JSON, everything else as TOML.
    pub fn load(path: &Path) -> Result<AgentScript, ScriptError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|cause| ScriptError::Unreadable { path: shown.clone(), cause })?;
        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")) {
            AgentScript::from_json(&text, &shown)
        } else {
            AgentScript::from_toml(&text, &shown)
        }
    }

    /// `source` is what errors call the text.
    pub fn from_toml(text: &str, source: &str) -> Result<AgentScript, ScriptError> {
        let script = toml::from_str::<AgentScript>(text).map_err(|cause| broken(source, &cause))?;
        script.checked(source)
    }

    pub fn from_json(text: &str, source: &str) -> Result<AgentScript, ScriptError> {
        let script =
            serde_json::from_str::<AgentScript>(text).map_err(|cause| broken(source, &cause))?;
        script.checked(source)
    }

    /// The same words without any waiting.
    #[must_use]
    pub fn hurried(mut self) -> AgentScript {
        let parts = self.agents.iter_mut().chain([&mut self.clerk]);
        for cue in parts.flat_map(|part| part.cues.iter_mut()) {
            cue.delay_ms = 0;
            cue.chunk_delay_ms = 0;
            cue.signs.iter_mut().for_each(|sign| sign.for_ms = 0);
        }
        self
    }

    pub fn names(&self) -> Vec<&str> {
        self.agents.iter().map(|part| part.name.as_str()).collect()
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.agents.iter().position(|part| part.name.eq_ignore_ascii_case(name))
    }

    fn checked(self, source: &str) -> Result<AgentScript, ScriptError> {
        let senseless = |who: &str, which: String, problem| ScriptError::Senseless {
            path: source.into(),
            who: who.into(),
            which,
            problem,
        };
        for (index, part) in self.agents.iter().enumerate() {
            if part.name.trim().is_empty() {
                let who = format!("agent {}", index + 1);
                return Err(senseless(&who, "name".into(), "every agent needs a name"));
            }
            if self.position(&part.name) != Some(index) {
                return Err(senseless(&part.name, "name".into(), "two agents have this name"));
            }
        }
        let clerk = ("the clerk", &self.clerk);
        let parts = self.agents.iter().map(|part| (part.name.as_str(), part)).chain([clerk]);
        for (who, part) in parts {
            for (number, cue) in part.cues.iter().enumerate() {
                if let Some(problem) = cue.problem() {
                    return Err(senseless(who, format!("turn {}", number + 1), problem));
                }
            }
        }
        Ok(self)
    }
}

impl ScriptPart {
    /// The cue for an ask: that round's own, else the one without a round, else
    /// the last one before it. A repair without a cue repeats the turn.
    pub(super) fn cue(&self, ask: AskId) -> Option<&ScriptCue> {
        self.cue_for(ask.task, ask.round).or_else(|| match ask.task {
            Task::Repair | Task::Record => self.cue_for(Task::Speak, ask.round),
            _ => None,
        })
    }

    /// The first key point of its answer in a round: a text that tells its answer from
    /// those of the others, who may hold the same position.
    pub(super) fn first_point(&self, round: Round) -> Option<&str> {
        let answer = self.cue_for(Task::Speak, round)?.answer.as_ref()?;
        answer.get("keyPoints")?.get(0)?.as_str()
    }

    fn cue_for(&self, task: Task, round: Round) -> Option<&ScriptCue> {
        let cues = || self.cues.iter().filter(move |cue| cue.task == task);
        cues()
            .find(|cue| cue.round == Some(round))
            .or_else(|| cues().find(|cue| cue.round.is_none()))
            .or_else(|| cues().filter(|cue| cue.round < Some(round)).max_by_key(|cue| cue.round))
    }
}

impl ScriptCue {
    fn problem(&self) -> Option<&'static str> {
        let always_fails = self.fail.as_ref().is_some_and(|failure| failure.times.is_none());
        match (&self.text, &self.answer) {
            (Some(_), Some(_)) => Some("give either text or answer, not both"),
            (None, None) if !always_fails => {
                Some("give a text, an answer, or a fail without times")
            }
            (Some(_), None) | (None, Some(_)) if always_fails => {
                Some("a fail without times never comes to its answer; say how many times it fails")
            }
            _ if self.round == Some(0) => Some("rounds are counted from 1"),
            _ => None,
        }
    }
}

fn broken(source: &str, cause: &dyn std::fmt::Display) -> ScriptError {
    ScriptError::Broken { path: source.into(), cause: cause.to_string().trim_end().to_owned() }
}

fn speak() -> Task {
    Task::Speak
}

fn one_chunk() -> usize {
    1
}

fn one_try() -> u32 {
    1
}

//! Everything counted so far, by type of evidence, by model and by question:
//! each judged debate is added once, in the order of its day.

use std::collections::BTreeMap;

use super::counts::{
    AGENT_HALF_LIFE, EVIDENCE_HALF_LIFE, OutcomeCounts, PSEUDO_COUNTS, Posterior, QuestionCounts,
    RunningCounts,
};
use super::evidence;
use super::lineage::lineage;
use super::questions;
use crate::model::{Day, EvidenceType, JudgedDebate};

#[derive(Debug, Clone, Default)]
pub(super) struct OutcomeTally {
    evidence: BTreeMap<EvidenceType, BTreeMap<String, RunningCounts>>,
    /// By agent, then by domain.
    pub agents: BTreeMap<String, BTreeMap<String, RunningCounts>>,
    /// By lineage: all versions of a model.
    pub versions: BTreeMap<String, Vec<String>>,
    /// By domain, then by the question's plain form.
    pub questions: BTreeMap<String, BTreeMap<String, QuestionCounts>>,
}

impl OutcomeTally {
    pub fn take(&mut self, judged: &JudgedDebate) {
        for kind in EvidenceType::ALL {
            if let Some(seen) = evidence::seen(judged, kind) {
                let of_type = self.evidence.entry(kind).or_default();
                entry(of_type, &judged.domain).add(
                    judged.on,
                    EVIDENCE_HALF_LIFE,
                    seen.good,
                    seen.bad,
                );
            }
        }
        for voice in &judged.voices {
            let told = voice.told * judged.origin.weight();
            if told <= 0.0 {
                continue;
            }
            if !self.agents.contains_key(&voice.agent) {
                let line = lineage(&voice.agent);
                self.versions.entry(line).or_default().push(voice.agent.clone());
                self.agents.insert(voice.agent.clone(), BTreeMap::new());
            }
            if let Some(domains) = self.agents.get_mut(&voice.agent) {
                let (good, bad) = (told * voice.right, told * (1.0 - voice.right));
                entry(domains, &judged.domain).add(judged.on, AGENT_HALF_LIFE, good, bad);
            }
        }
        questions::take(self.questions.entry(judged.domain.clone()).or_default(), judged);
    }

    pub fn evidence(&self, domain: &str, kind: EvidenceType, day: Day) -> Posterior {
        let running = self.evidence.get(&kind).and_then(|domains| domains.get(domain));
        let counts = running
            .map_or_else(OutcomeCounts::default, |running| running.on(day, EVIDENCE_HALF_LIFE));
        Posterior::from(kind.published_weight(), PSEUDO_COUNTS, counts)
    }
}

fn entry<'a>(map: &'a mut BTreeMap<String, RunningCounts>, key: &str) -> &'a mut RunningCounts {
    if !map.contains_key(key) {
        map.insert(key.to_owned(), RunningCounts::default());
    }
    map.entry(key.to_owned()).or_default()
}

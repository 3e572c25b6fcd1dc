//! Refuses a brief that cannot be run, before anything is paid for. Every bad
//! field is named at once, with its value and the allowed ones; a secret's value
//! is never repeated.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

use super::perspectives::{brought, find};
use super::table;
use crate::model::{
    Agent, Assignment, Brief, ComplexityFigures, DebateEffort, Depth, Importance, ModePlan,
    PerspectiveSource, Perspectives, Question, RoleHolders, TeamOrder, Thresholds, VoterPlan,
    WavePlan,
};

const TOPIC_CHARS: RangeInclusive<usize> = 1..=10_000;
const AGENTS: RangeInclusive<usize> = 2..=10;
const ROUNDS: RangeInclusive<u32> = 1..=20;
const SAMPLES: RangeInclusive<u32> = 1..=100;
const OUTPUT_TOKENS_FROM: u32 = 256;
const TEMPERATURE: RangeInclusive<f64> = 0.0..=2.0;
const TIMEOUT_SECONDS: RangeInclusive<u32> = 5..=1800;
const SHARE: RangeInclusive<f64> = 0.0..=1.0;
const FENCE_KEY_DIGITS: usize = 32;
/// A value longer than this is cut in the message.
const VALUE_CHARS: usize = 80;
/// A name further off than this many edits is not suggested.
const NEAR_EDITS: usize = 4;

/// A bad field of a brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefFault {
    /// As the caller writes it, e.g. `limits.temperature`.
    pub field: String,
    pub value: String,
    pub allowed: String,
}

impl Display for BriefFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} is not allowed; allowed: {}", self.field, self.value, self.allowed)
    }
}

/// Returns all faults of a brief, in the order of its fields. `plan` is that of
/// the brief's mode, if the mode is known.
pub fn check(brief: &Brief, plan: Option<&ModePlan>, known_modes: &[&str]) -> Vec<BriefFault> {
    let mut faults = BriefFaults(Vec::new());
    faults.topic(&brief.topic);
    faults.mode("mode", &brief.mode, known_modes);
    faults.agents(brief, plan);
    faults.within("rounds", brief.rounds, &ROUNDS, "");
    faults.options(&brief.question);
    faults.effort(brief, plan);
    faults.perspectives(brief, plan);
    faults.limits(brief);
    faults.flags(brief, known_modes);
    faults.thresholds(&brief.thresholds);
    if let Some(plan) = plan {
        faults.unused(brief, plan);
    }
    if let Some(rounds) = brief.case.rounds {
        faults.within("case.rounds", rounds, &ROUNDS, "");
    }
    faults.fence_key(&brief.fence_key);
    faults.0
}

struct BriefFaults(Vec<BriefFault>);

impl BriefFaults {
    fn add(&mut self, field: impl Display, value: impl Display, allowed: impl Display) {
        self.0.push(BriefFault {
            field: field.to_string(),
            // Space for the quotes and the mark of a cut.
            value: one_line(&value.to_string(), VALUE_CHARS + 3),
            allowed: allowed.to_string(),
        });
    }

    fn within<T: PartialOrd + Display>(
        &mut self,
        field: impl Display,
        value: T,
        range: &RangeInclusive<T>,
        unit: &str,
    ) {
        if !range.contains(&value) {
            self.add(field, value, format!("{} to {}{unit}", range.start(), range.end()));
        }
    }

    fn topic(&mut self, topic: &str) {
        let allowed = "1 to 10,000 characters";
        let chars = topic.chars().count();
        if topic.trim().is_empty() {
            self.add("topic", "an empty text", allowed);
        } else if !TOPIC_CHARS.contains(&chars) {
            self.add("topic", format!("a text of {chars} characters"), allowed);
        }
    }

    fn mode(&mut self, field: impl Display, mode: &str, known: &[&str]) {
        if known.contains(&mode) {
            return;
        }
        let asked = mode.trim().to_lowercase();
        let near = known
            .iter()
            .map(|name| (strsim::damerau_levenshtein(&asked, name), *name))
            .filter(|(edits, _)| *edits <= NEAR_EDITS)
            .min();
        let all = known.join(", ");
        let allowed = near.map_or(all.clone(), |(_, name)| format!("{all} (nearest: {name})"));
        self.add(field, quoted(mode), allowed);
    }

    fn agents(&mut self, brief: &Brief, plan: Option<&ModePlan>) {
        let count = brief.agents.len();
        self.within("agents", count, &AGENTS, " agents");
        let roles = plan.map_or(&[][..], |plan| table(plan, brief.depth).0);
        let all_single = roles.iter().all(|role| role.held_by == RoleHolders::One);
        if !roles.is_empty() && all_single && count > roles.len() {
            self.add("agents", count, format!("at most {} in {}", roles.len(), brief.mode));
        }
        let mut names = Vec::new();
        for (place, agent) in brief.agents.iter().enumerate() {
            self.agent(&format!("agents[{place}]"), agent);
            let name = plain(&agent.name);
            if !name.is_empty() && names.contains(&name) {
                let field = format!("agents[{place}].name");
                self.add(field, quoted(&agent.name), "a name no other agent has");
            }
            names.push(name);
        }
        if let Some(clerk) = &brief.clerk {
            self.agent("clerk", clerk);
        }
    }

    fn agent(&mut self, field: &str, agent: &Agent) {
        let texts = [("name", &agent.name), ("provider", &agent.provider), ("model", &agent.model)];
        for (part, text) in texts {
            if text.trim().is_empty() {
                self.add(format!("{field}.{part}"), "an empty text", "a name");
            }
        }
        if let Some(temperature) = agent.temperature {
            self.within(format!("{field}.temperature"), temperature, &TEMPERATURE, "");
        }
    }

    fn options(&mut self, question: &Question) {
        let Question::Options { options } = question else { return };
        if options.len() < 2 {
            self.add("question.options", options.len(), "two or more options");
        }
        let mut seen = Vec::new();
        for (place, option) in options.iter().enumerate() {
            let field = format!("question.options[{place}]");
            let name = plain(option);
            if name.is_empty() {
                self.add(field, "an empty text", "an option in words");
            } else if seen.contains(&name) {
                self.add(field, quoted(option), "an option unlike the others");
            }
            seen.push(name);
        }
    }

    fn effort(&mut self, brief: &Brief, plan: Option<&ModePlan>) {
        let word = brief.effort.word();
        if brief.effort == DebateEffort::Adaptive && !brief.question.is_closed() {
            let allowed = "debate or vote; adaptive needs a question with options, yes or no, a \
                           number or a probability";
            self.add("effort", word, allowed);
        }
        let votes = plan.is_none_or(|plan| plan.voters == VoterPlan::EverySeat);
        if brief.effort != DebateEffort::Debate && !votes {
            let modes = "collaborative, adversarial, socratic, expert-panel and delphi";
            let allowed =
                format!("debate; adaptive and vote are for modes where all vote: {modes}");
            self.add("effort", word, allowed);
        }
        self.within("samples", brief.samples, &SAMPLES, "");
        if let Some(tolerance) = brief.number.tolerance {
            let value = tolerance.value();
            if !value.is_finite() || value < 0.0 {
                self.add("number.tolerance", value, "0 or more");
            }
        }
    }

    fn perspectives(&mut self, brief: &Brief, plan: Option<&ModePlan>) {
        for (place, given) in brief.perspectives.given.iter().enumerate() {
            if given.name.trim().is_empty() {
                let field = format!("perspectives.given[{place}].name");
                self.add(field, "an empty text", "a name");
            }
        }
        let Assignment::Explicit(names) = &brief.perspectives.assignment else { return };
        if plan.is_some_and(|plan| !plan.perspectives) {
            return;
        }
        let field = "perspectives.assignment";
        if names.len() != brief.agents.len() {
            let allowed = format!("{} names, one for each agent", brief.agents.len());
            self.add(field, format!("a list of {}", names.len()), allowed);
        }
        // Perspectives that the clerk will name are not known yet.
        if brief.perspectives.source == PerspectiveSource::Generated {
            return;
        }
        let known = brought(brief);
        let all: Vec<String> =
            known.iter().map(|perspective| one_line(&perspective.name, VALUE_CHARS)).collect();
        for (place, name) in names.iter().enumerate() {
            if find(&known, name).is_none() {
                self.add(format!("{field}[{place}]"), quoted(name), all.join(", "));
            }
        }
    }

    /// Settings that the mode does not use: ignoring one would mislead.
    fn unused(&mut self, brief: &Brief, plan: &ModePlan) {
        let counts = &brief.case.counts;
        let deep = plan.extended.is_some();
        let with = |uses: fn(&ModePlan) -> bool| {
            let names = crate::modes::all().iter().filter(|plan| uses(plan)).map(|plan| plan.name);
            format!("only in {}", names.collect::<Vec<&str>>().join(", "))
        };
        let in_deep = || with(|plan| plan.extended.is_some());
        if !deep && brief.depth == Depth::Extended {
            self.add("depth", brief.depth.word(), in_deep());
        }
        if !deep && brief.case.importance != Importance::default() {
            self.add("importance", brief.case.importance.word(), in_deep());
        }
        if !deep && *counts != ComplexityFigures::default() {
            self.add("case", "stakeholders, domains, horizon or impact", in_deep());
        }
        if !plan.perspectives && brief.perspectives != Perspectives::default() {
            self.add("perspectives", "a choice of perspectives", with(|plan| plan.perspectives));
        }
        if plan.waves != WavePlan::ByTeam && brief.team_order == TeamOrder::InSequence {
            self.add("teamOrder", "in sequence", with(|plan| plan.waves == WavePlan::ByTeam));
        }
    }

    fn limits(&mut self, brief: &Brief) {
        let limits = &brief.limits;
        self.output_tokens("limits.maxOutputTokens", limits.max_output_tokens);
        self.within("limits.temperature", limits.temperature, &TEMPERATURE, "");
        self.within("limits.timeoutSeconds", limits.timeout_seconds, &TIMEOUT_SECONDS, " seconds");
    }

    fn output_tokens(&mut self, field: &str, tokens: u32) {
        if tokens < OUTPUT_TOKENS_FROM {
            self.add(field, tokens, format!("{OUTPUT_TOKENS_FROM} to the model's own limit"));
        }
    }

    fn flags(&mut self, brief: &Brief, known_modes: &[&str]) {
        let flags = &brief.flags;
        for mode in flags.sequential_parallelization.modes.keys() {
            self.mode("flags.sequentialParallelization.modes", mode, known_modes);
        }
        let tools = &flags.tool_enforcement;
        if tools.min_calls > tools.max_calls {
            let allowed = format!("at most maxCalls, which is {}", tools.max_calls);
            self.add("flags.toolEnforcement.minCalls", tools.min_calls, allowed);
        }
        let exit = &flags.exit_criteria;
        let shares = [
            ("groupthinkDetection.threshold", flags.groupthink_detection.threshold),
            ("exitCriteria.consensusThreshold", exit.consensus_threshold),
            ("exitCriteria.confidenceThreshold", exit.confidence_threshold),
        ];
        for (name, share) in shares {
            self.within(format!("flags.{name}"), share, &SHARE, "");
        }
        if exit.convergence_rounds < 1 {
            self.add("flags.exitCriteria.convergenceRounds", exit.convergence_rounds, "1 or more");
        }
        self.output_tokens("flags.sequentialMode.maxTokens", flags.sequential_mode.max_tokens);
    }

    fn thresholds(&mut self, thresholds: &Thresholds) {
        let rows = [
            ("similarity", thresholds.similarity),
            ("prematureSimilarity", thresholds.premature_similarity),
            ("divergence", thresholds.divergence),
            ("evidence", thresholds.evidence),
            ("stableShift", thresholds.stable_shift),
            ("idleShift", thresholds.idle_shift),
            ("votes", thresholds.votes),
            ("voteConfidence", thresholds.vote_confidence),
            ("plateauChange", thresholds.plateau_change),
        ];
        for (name, value) in rows {
            self.within(format!("thresholds.{name}"), value, &SHARE, "");
        }
    }

    fn fence_key(&mut self, key: &str) {
        let hex = key.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !hex || key.len() != FENCE_KEY_DIGITS {
            let value = format!("a text of {} characters", key.chars().count());
            self.add("fenceKey", value, "32 hexadecimal digits");
        }
    }
}

/// Returns a name without case and spacing, which do not make it another.
fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text, VALUE_CHARS))
}

/// Returns a text of the caller's in a form that fits in one line of a message.
fn one_line(text: &str, max: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= max {
        return line;
    }
    line.chars().take(max).chain(['…']).collect()
}

#[cfg(test)]
#[path = "checking_tests.rs"]
mod tests;

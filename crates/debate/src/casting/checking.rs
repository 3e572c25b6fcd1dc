//! Refuses a brief that cannot be run, before anything is paid for. Every bad
//! field is named at once, with its value and the allowed ones; a secret's value
//! is never repeated.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

use super::fields::{BriefField, BriefValue};
use super::perspectives::{brought, find};
use super::table;
use crate::model::{
    Agent, Assignment, Brief, ComplexityFigures, DebateEffort, Depth, Importance, ModePlan,
    PerspectiveSource, Perspectives, Question, RoleHolders, TeamOrder, Thresholds, VoterPlan,
    WavePlan,
};
use crate::modes;

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
    pub field: BriefField,
    pub value: BriefValue,
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
    faults.mode(BriefField::Mode, &brief.mode, known_modes);
    faults.agents(brief, plan);
    faults.within(BriefField::Rounds, brief.rounds, &ROUNDS, "");
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
        faults.within(BriefField::CaseRounds, rounds, &ROUNDS, "");
    }
    faults.fence_key(&brief.fence_key);
    faults.0
}

struct BriefFaults(Vec<BriefFault>);

impl BriefFaults {
    fn add(&mut self, field: BriefField, value: BriefValue, allowed: impl Display) {
        self.0.push(BriefFault { field, value, allowed: allowed.to_string() });
    }

    fn within<T: PartialOrd + Display>(
        &mut self,
        field: BriefField,
        value: T,
        range: &RangeInclusive<T>,
        unit: &str,
    ) {
        if !range.contains(&value) {
            let allowed = format!("{} to {}{unit}", range.start(), range.end());
            self.add(field, number(value), allowed);
        }
    }

    fn topic(&mut self, topic: &str) {
        let allowed = "1 to 10,000 characters";
        let chars = topic.chars().count();
        if topic.trim().is_empty() {
            self.add(BriefField::Topic, BriefValue::Empty, allowed);
        } else if !TOPIC_CHARS.contains(&chars) {
            self.add(BriefField::Topic, BriefValue::Characters(chars), allowed);
        }
    }

    fn mode(&mut self, field: BriefField, mode: &str, known: &[&str]) {
        if known.contains(&mode) {
            return;
        }
        let asked = mode.trim().to_lowercase();
        let part = |fits: fn(&str, &str) -> bool| {
            known.iter().copied().find(|name| !asked.is_empty() && fits(name, &asked))
        };
        let spelt = || {
            let edits = known.iter().map(|name| (strsim::damerau_levenshtein(&asked, name), *name));
            edits.filter(|(edits, _)| *edits <= NEAR_EDITS).min().map(|(_, name)| name)
        };
        // A beginning says more than a likeness: "devil" is no misspelt "delphi".
        let begins = part(|name, asked| name.starts_with(asked));
        let near = begins.or_else(|| part(|name, asked| name.contains(asked))).or_else(spelt);
        let all = known.join(", ");
        let allowed = near.map_or(all.clone(), |name| format!("{all} (nearest: {name})"));
        self.add(field, text(mode), allowed);
    }

    fn agents(&mut self, brief: &Brief, plan: Option<&ModePlan>) {
        let count = brief.agents.len();
        self.within(BriefField::Agents, count, &AGENTS, " agents");
        let roles = plan.map_or(&[][..], |plan| table(plan, brief.depth).0);
        let all_single = roles.iter().all(|role| role.held_by == RoleHolders::One);
        if !roles.is_empty() && all_single && count > roles.len() {
            let allowed = format!("at most {} in {}", roles.len(), brief.mode);
            self.add(BriefField::Agents, number(count), allowed);
        }
        let mut names = Vec::new();
        for (place, agent) in brief.agents.iter().enumerate() {
            self.agent(|part| BriefField::Agent { place, part }, agent);
            let name = plain(&agent.name);
            if !name.is_empty() && names.contains(&name) {
                let field = BriefField::Agent { place, part: "name" };
                self.add(field, text(&agent.name), "a name no other agent has");
            }
            names.push(name);
        }
        if let Some(clerk) = &brief.clerk {
            self.agent(|part| BriefField::Clerk { part }, clerk);
        }
    }

    fn agent(&mut self, field: impl Fn(&'static str) -> BriefField, agent: &Agent) {
        let texts = [("name", &agent.name), ("provider", &agent.provider), ("model", &agent.model)];
        for (part, text) in texts {
            if text.trim().is_empty() {
                self.add(field(part), BriefValue::Empty, "a name");
            }
        }
        if let Some(temperature) = agent.temperature {
            self.within(field("temperature"), temperature, &TEMPERATURE, "");
        }
    }

    fn options(&mut self, question: &Question) {
        let Question::Options { options } = question else { return };
        if options.len() < 2 {
            self.add(BriefField::Options, number(options.len()), "two or more options");
        }
        let mut seen = Vec::new();
        for (place, option) in options.iter().enumerate() {
            let field = BriefField::Option { place };
            let name = plain(option);
            if name.is_empty() {
                self.add(field, BriefValue::Empty, "an option in words");
            } else if seen.contains(&name) {
                self.add(field, text(option), "an option unlike the others");
            }
            seen.push(name);
        }
    }

    fn effort(&mut self, brief: &Brief, plan: Option<&ModePlan>) {
        let word = brief.effort.word();
        if brief.effort == DebateEffort::Adaptive && !brief.question.is_closed() {
            let allowed = "debate or vote; adaptive needs a question with options, yes or no, a \
                           number or a probability";
            self.add(BriefField::Effort, text(word), allowed);
        }
        let votes = plan.is_none_or(|plan| plan.voters == VoterPlan::EverySeat);
        if brief.effort != DebateEffort::Debate && !votes {
            let all_vote = |plan: &&&ModePlan| plan.voters == VoterPlan::EverySeat;
            let names: Vec<&str> =
                modes::all().iter().filter(all_vote).map(|plan| plan.name).collect();
            let allowed = format!(
                "debate; adaptive and vote are for modes where all vote: {}",
                names.join(", ")
            );
            self.add(BriefField::Effort, text(word), allowed);
        }
        self.within(BriefField::Samples, brief.samples, &SAMPLES, "");
        if let Some(tolerance) = brief.number.tolerance {
            let value = tolerance.value();
            if !value.is_finite() || value < 0.0 {
                self.add(BriefField::Tolerance, number(value), "0 or more");
            }
        }
    }

    fn perspectives(&mut self, brief: &Brief, plan: Option<&ModePlan>) {
        for (place, given) in brief.perspectives.given.iter().enumerate() {
            if given.name.trim().is_empty() {
                self.add(BriefField::Perspective { place }, BriefValue::Empty, "a name");
            }
        }
        let Assignment::Explicit(names) = &brief.perspectives.assignment else { return };
        if plan.is_some_and(|plan| !plan.perspectives) {
            return;
        }
        if names.len() != brief.agents.len() {
            let allowed = format!("{} names, one for each agent", brief.agents.len());
            self.add(
                BriefField::Assignment { place: None },
                BriefValue::List(names.len()),
                allowed,
            );
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
                let field = BriefField::Assignment { place: Some(place) };
                self.add(field, text(name), all.join(", "));
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
            self.add(BriefField::Depth, text(brief.depth.word()), in_deep());
        }
        if !deep && brief.case.importance != Importance::default() {
            self.add(BriefField::Importance, text(brief.case.importance.word()), in_deep());
        }
        if !deep && *counts != ComplexityFigures::default() {
            self.add(BriefField::Case, text("stakeholders, domains, horizon or impact"), in_deep());
        }
        if !plan.perspectives && brief.perspectives != Perspectives::default() {
            let allowed = with(|plan| plan.perspectives);
            self.add(BriefField::Perspectives, text("a choice of perspectives"), allowed);
        }
        if plan.waves != WavePlan::ByTeam && brief.team_order == TeamOrder::InSequence {
            let allowed = with(|plan| plan.waves == WavePlan::ByTeam);
            self.add(BriefField::TeamOrder, text("in sequence"), allowed);
        }
    }

    fn limits(&mut self, brief: &Brief) {
        let limits = &brief.limits;
        self.output_tokens(BriefField::MaxOutputTokens, limits.max_output_tokens);
        self.within(BriefField::Temperature, limits.temperature, &TEMPERATURE, "");
        let timeout = limits.timeout_seconds;
        self.within(BriefField::TimeoutSeconds, timeout, &TIMEOUT_SECONDS, " seconds");
    }

    fn output_tokens(&mut self, field: BriefField, tokens: u32) {
        if tokens < OUTPUT_TOKENS_FROM {
            let allowed = format!("{OUTPUT_TOKENS_FROM} to the model's own limit");
            self.add(field, number(tokens), allowed);
        }
    }

    fn flags(&mut self, brief: &Brief, known_modes: &[&str]) {
        let flags = &brief.flags;
        for mode in flags.sequential_parallelization.modes.keys() {
            let field = BriefField::Flag("sequentialParallelization.modes");
            self.mode(field, mode, known_modes);
        }
        let tools = &flags.tool_enforcement;
        if tools.min_calls > tools.max_calls {
            let allowed = format!("at most maxCalls, which is {}", tools.max_calls);
            let field = BriefField::Flag("toolEnforcement.minCalls");
            self.add(field, number(tools.min_calls), allowed);
        }
        let exit = &flags.exit_criteria;
        let shares = [
            ("groupthinkDetection.threshold", flags.groupthink_detection.threshold),
            ("exitCriteria.consensusThreshold", exit.consensus_threshold),
            ("exitCriteria.confidenceThreshold", exit.confidence_threshold),
        ];
        for (name, share) in shares {
            self.within(BriefField::Flag(name), share, &SHARE, "");
        }
        if exit.convergence_rounds < 1 {
            let field = BriefField::Flag("exitCriteria.convergenceRounds");
            self.add(field, number(exit.convergence_rounds), "1 or more");
        }
        let field = BriefField::Flag("sequentialMode.maxTokens");
        self.output_tokens(field, flags.sequential_mode.max_tokens);
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
            self.within(BriefField::Threshold(name), value, &SHARE, "");
        }
    }

    fn fence_key(&mut self, key: &str) {
        let hex = key.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !hex || key.len() != FENCE_KEY_DIGITS {
            let value = BriefValue::Characters(key.chars().count());
            self.add(BriefField::FenceKey, value, "32 hexadecimal digits");
        }
    }
}

/// Returns a name without case and spacing, which do not make it another.
fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn number(value: impl Display) -> BriefValue {
    BriefValue::Number(one_line(&value.to_string(), VALUE_CHARS))
}

fn text(value: &str) -> BriefValue {
    BriefValue::Text(one_line(value, VALUE_CHARS))
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

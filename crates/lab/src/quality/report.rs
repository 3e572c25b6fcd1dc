//! The report: accuracy of every way with its interval, gains between ways on the
//! same questions, costs, how far stated probabilities can be believed, and the
//! effect of talk on right and on wrong first answers.

use debate::learning::{STATED_CONFIDENCE, VERDICT_PROBABILITY};
use serde::Serialize;

use crate::quality::arms::Arm;
use crate::quality::calibrating::{ProbabilityError, StatedProbability, calibrated_by_others};
use crate::quality::plan::{QualityPlan, Speakers};
use crate::quality::results::{ArmAnswer, DebateChecks, QuestionResult};
use crate::statistics::{IntervalEstimate, RESAMPLES, bootstrap, holm, mcnemar, mean};

const SEED: u64 = 20_261_115;

#[cfg(test)]
mod tests;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QualityReport {
    pub questions: String,
    pub speakers: String,
    pub mode: String,
    pub rounds: u32,
    pub items: usize,
    pub seeds: u32,
    pub arms: Vec<ArmResult>,
    /// The debate (else the dearest way measured) against every other way, and the
    /// table's other ways against plain answers; paired by question.
    pub gains: Vec<Gain>,
    pub switches: Switches,
    pub checks: DebateChecks,
    /// The stated confidence of first answers, before and after calibration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<ConfidenceResult>,
    /// Accuracy of Roundtable with each seed.
    pub by_seed: Vec<(u64, f64)>,
    /// Where the questions name their domains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_domain: Vec<DomainResult>,
    /// The share of questions where at least one seat was right at first: more cannot be had by
    /// choosing among first answers.
    pub somebody_right_at_first: f64,
    /// The share of questions where all seats ended wrong.
    pub everybody_wrong_at_last: f64,
    /// Numbers of the questions that the weighed first round got right with most
    /// seeds and the debate did not.
    pub hurt: Vec<usize>,
    pub claim: HelpClaim,
    pub sentence: String,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArmResult {
    pub arm: Arm,
    pub accuracy: IntervalEstimate,
    pub brier: f64,
    pub calibration_error: f64,
    /// The same after a calibration on other questions of this set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<ProbabilityError>,
    pub unparsable: usize,
    /// Calls per question.
    pub calls: f64,
    /// Per question, in dollars where every call has a price.
    pub cost_usd: Option<f64>,
    pub tokens: f64,
    /// Against one answer of the first agent.
    pub times_single: Option<f64>,
}

/// How far the confidence that seats state can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfidenceResult {
    pub answers: usize,
    pub stated: ProbabilityError,
    pub calibrated: Option<ProbabilityError>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gain {
    pub own: Arm,
    pub over: Arm,
    /// In points of accuracy.
    pub points: IntervalEstimate,
    /// Questions that only our arm got right in most seeds, and only the other.
    pub only_ours: u64,
    pub only_theirs: u64,
    pub mcnemar: f64,
    /// The same, corrected for asking about several rules at once.
    pub corrected: Option<f64>,
    /// The cost of one more right answer; absent where there is none more.
    pub cost_per_extra_right: Option<f64>,
    /// True if that cost is in dollars; else it is in tokens, written ones fourfold.
    pub in_usd: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DomainResult {
    pub domain: String,
    pub items: usize,
    pub roundtable: f64,
    pub self_consistency: f64,
    pub first_weighed: f64,
}

/// First and last answer of every seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Switches {
    pub right_right: u32,
    pub right_wrong: u32,
    pub wrong_right: u32,
    pub wrong_wrong: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum HelpClaim {
    DebateHelps,
    /// Better than the vote of the same cost, not than its own first round.
    BetterAggregation,
    NotShown,
}

pub fn report(plan: &QualityPlan, answered: &[QuestionResult]) -> QualityReport {
    let by_item = ByItem::of(plan.questions.items.len(), answered);
    let arms: Vec<ArmResult> =
        Arm::ALL.into_iter().filter_map(|arm| result(arm, answered, &by_item)).collect();
    let gains = gains(ours(answered), answered, &by_item);
    let (claim, sentence) = claim(&gains, &by_item);
    let seeds = (0..u64::from(plan.seeds)).map(|more| plan.seed.wrapping_add(more));
    let by_seed = seeds.filter_map(|seed| {
        let own = answered.iter().filter(|one| one.seed == seed);
        let right = own.filter_map(|one| one.arms.get(&Arm::Roundtable)).map(|g| credit(g.right));
        Some((seed, mean(right)?))
    });
    QualityReport {
        questions: plan.questions.name.clone(),
        speakers: plan.speakers.word(),
        mode: plan.mode.clone(),
        rounds: plan.rounds,
        items: plan.questions.items.len(),
        seeds: plan.seeds,
        arms,
        gains,
        switches: switches(answered),
        checks: answered
            .iter()
            .map(|one| one.checks)
            .fold(DebateChecks::default(), DebateChecks::plus),
        confidence: confidence(answered),
        by_seed: by_seed.collect(),
        by_domain: by_domain(plan, &by_item),
        somebody_right_at_first: mean(
            answered.iter().map(|one| credit(one.ways.iter().any(|(first, _)| *first))),
        )
        .unwrap_or_default(),
        everybody_wrong_at_last: mean(
            answered.iter().map(|one| credit(!one.ways.iter().any(|(_, last)| *last))),
        )
        .unwrap_or_default(),
        hurt: hurt(&by_item),
        claim,
        sentence,
        notes: notes(plan),
    }
}

fn credit(so: bool) -> f64 {
    if so { 1.0 } else { 0.0 }
}

/// The share of seeds with which each arm got each item right: items are drawn,
/// never seeds of one item, which go together.
struct ByItem {
    shares: Vec<Vec<Option<f64>>>,
}

impl ByItem {
    fn of(items: usize, answered: &[QuestionResult]) -> ByItem {
        let mut lists: Vec<Vec<Vec<f64>>> = vec![vec![Vec::new(); Arm::ALL.len()]; items];
        for one in answered {
            for (place, arm) in Arm::ALL.iter().enumerate() {
                let slot = lists.get_mut(one.item).and_then(|item| item.get_mut(place));
                if let (Some(slot), Some(given)) = (slot, one.arms.get(arm)) {
                    slot.push(credit(given.right));
                }
            }
        }
        let shares = lists.into_iter().map(|item| item.into_iter().map(mean).collect());
        ByItem { shares: shares.collect() }
    }

    fn share(&self, item: usize, arm: Arm) -> Option<f64> {
        *self.shares.get(item)?.get(Arm::ALL.iter().position(|other| *other == arm)?)?
    }

    fn estimate(&self, of: impl Fn(usize) -> Option<f64>) -> Option<IntervalEstimate> {
        let values: Vec<f64> = (0..self.shares.len()).filter_map(of).collect();
        bootstrap(&values, SEED, RESAMPLES)
    }
}

fn of_arm(arm: Arm, answered: &[QuestionResult]) -> impl Iterator<Item = &ArmAnswer> {
    answered.iter().filter_map(move |one| one.arms.get(&arm))
}

fn result(arm: Arm, answered: &[QuestionResult], by_item: &ByItem) -> Option<ArmResult> {
    let given = || of_arm(arm, answered);
    let single = [Arm::Plain, Arm::Single].into_iter().find_map(|arm| {
        mean(of_arm(arm, answered).map(|one| one.cost.weight())).filter(|cost| *cost > 0.0)
    });
    let priced = given().all(|one| one.cost.priced && one.cost.usd > 0.0);
    let tokens = |one: &ArmAnswer| (one.cost.input_tokens + one.cost.output_tokens) as f64;
    let stated: Vec<StatedProbability> = answered
        .iter()
        .filter_map(|one| Some((one.item, one.arms.get(&arm)?)))
        .map(|(item, given)| StatedProbability {
            item,
            probability: given.probability,
            right: given.right,
        })
        .collect();
    let error = ProbabilityError::of(&stated)?;
    Some(ArmResult {
        arm,
        accuracy: by_item.estimate(|item| by_item.share(item, arm))?,
        brier: error.brier,
        calibration_error: error.calibration_error,
        calibrated: calibrated_by_others(&stated, VERDICT_PROBABILITY)
            .as_deref()
            .and_then(ProbabilityError::of),
        unparsable: given().filter(|one| !one.read).count(),
        calls: mean(given().map(|one| f64::from(one.cost.calls)))?,
        cost_usd: if priced { mean(given().map(|one| one.cost.usd)) } else { None },
        tokens: mean(given().map(tokens))?,
        times_single: mean(given().map(|one| one.cost.weight()))
            .and_then(|cost| Some(cost / single?))
            .filter(|times| times.is_finite()),
    })
}

/// The stated confidence of the seats' first answers.
fn confidence(answered: &[QuestionResult]) -> Option<ConfidenceResult> {
    let of = |one: &QuestionResult| {
        let item = one.item;
        let said = one.stated.iter();
        said.map(move |said| (item, said.confidence, said.right)).collect::<Vec<_>>()
    };
    let stated: Vec<StatedProbability> = answered
        .iter()
        .flat_map(of)
        .map(|(item, probability, right)| StatedProbability { item, probability, right })
        .collect();
    Some(ConfidenceResult {
        answers: stated.len(),
        stated: ProbabilityError::of(&stated)?,
        calibrated: calibrated_by_others(&stated, STATED_CONFIDENCE)
            .as_deref()
            .and_then(ProbabilityError::of),
    })
}

/// The arm that is set against all others: the debate, else the adaptive one, else
/// the dearest that was measured.
fn ours(answered: &[QuestionResult]) -> Option<Arm> {
    let has = |arm: &Arm| of_arm(*arm, answered).next().is_some();
    let order =
        [Arm::Roundtable, Arm::Adaptive, Arm::FirstWeighed, Arm::FirstMajority, Arm::Single];
    order.into_iter().find(has)
}

fn gains(ours: Option<Arm>, answered: &[QuestionResult], by_item: &ByItem) -> Vec<Gain> {
    let Some(ours) = ours else { return Vec::new() };
    let mut pairs: Vec<(Arm, Arm)> =
        Arm::ALL.into_iter().filter(|arm| *arm != ours).map(|over| (ours, over)).collect();
    // The table's other ways against plain answers, on the same questions.
    for own in
        [Arm::Adaptive, Arm::FirstMajority, Arm::Single].into_iter().filter(|own| *own != ours)
    {
        pairs.extend([Arm::Plain, Arm::PlainVote, Arm::PlainNine].map(|over| (own, over)));
    }
    let mut gains: Vec<Gain> =
        pairs.into_iter().filter_map(|(own, over)| gain(own, over, answered, by_item)).collect();
    let without: Vec<usize> =
        (0..gains.len()).filter(|at| gains.get(*at).is_some_and(|g| g.over.is_without())).collect();
    let chances: Vec<f64> =
        without.iter().filter_map(|at| gains.get(*at)).map(|gain| gain.mcnemar).collect();
    for (at, corrected) in without.into_iter().zip(holm(&chances)) {
        if let Some(gain) = gains.get_mut(at) {
            gain.corrected = Some(corrected);
        }
    }
    gains
}

fn gain(own: Arm, over: Arm, answered: &[QuestionResult], by_item: &ByItem) -> Option<Gain> {
    let difference =
        |item: usize| Some(100.0 * (by_item.share(item, own)? - by_item.share(item, over)?));
    // Each item once: right is what is right with most seeds.
    let mostly = |item: usize, arm: Arm| by_item.share(item, arm).map(|share| share > 0.5);
    let count = |ours: bool, theirs: bool| {
        let items = 0..by_item.shares.len();
        let so = items
            .filter(|item| mostly(*item, own) == Some(ours) && mostly(*item, over) == Some(theirs));
        so.count() as u64
    };
    let (only_ours, only_theirs) = (count(true, false), count(false, true));
    let priced = |arm: Arm| of_arm(arm, answered).all(|g| g.cost.priced && g.cost.usd > 0.0);
    let in_usd = priced(own) && priced(over);
    let costs = |arm: Arm| {
        let cost = |one: &ArmAnswer| if in_usd { one.cost.usd } else { one.cost.weight() };
        of_arm(arm, answered).map(cost).sum::<f64>()
    };
    let rights = |arm: Arm| of_arm(arm, answered).filter(|one| one.right).count() as f64;
    let extra = rights(own) - rights(over);
    let dearer = costs(own) - costs(over);
    Some(Gain {
        own,
        over,
        points: by_item.estimate(difference)?,
        only_ours,
        only_theirs,
        mcnemar: mcnemar(only_ours, only_theirs),
        corrected: None,
        cost_per_extra_right: (extra > 0.0 && dearer > 0.0).then(|| dearer / extra),
        in_usd,
    })
}

fn by_domain(plan: &QualityPlan, by_item: &ByItem) -> Vec<DomainResult> {
    let items = || plan.questions.items.iter().enumerate();
    let mut names: Vec<&str> = items().filter_map(|(_, item)| item.domain.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    let result = |name: &str| {
        let own: Vec<usize> = items()
            .filter(|(_, item)| item.domain.as_deref() == Some(name))
            .map(|(number, _)| number)
            .collect();
        let right = |arm: Arm| mean(own.iter().filter_map(|item| by_item.share(*item, arm)));
        Some(DomainResult {
            domain: name.to_owned(),
            items: own.len(),
            roundtable: right(Arm::Roundtable)?,
            self_consistency: right(Arm::PlainVote).or_else(|| right(Arm::SelfConsistency))?,
            first_weighed: right(Arm::FirstWeighed)?,
        })
    };
    names.into_iter().filter_map(result).collect()
}

fn hurt(by_item: &ByItem) -> Vec<usize> {
    let mostly = |item: usize, arm: Arm| by_item.share(item, arm).map(|share| share > 0.5);
    (0..by_item.shares.len())
        .filter(|item| mostly(*item, Arm::FirstWeighed) == Some(true))
        .filter(|item| mostly(*item, Arm::Roundtable) == Some(false))
        .map(|item| item + 1)
        .collect()
}

fn switches(answered: &[QuestionResult]) -> Switches {
    let mut switches = Switches::default();
    for (first, last) in answered.iter().flat_map(|one| &one.ways) {
        let slot = match (first, last) {
            (true, true) => &mut switches.right_right,
            (true, false) => &mut switches.right_wrong,
            (false, true) => &mut switches.wrong_right,
            (false, false) => &mut switches.wrong_wrong,
        };
        *slot += 1;
    }
    switches
}

/// Says that debating helps only where the debate beats both the vote of the same
/// cost and its own first vote, with intervals above zero; without a debate, says
/// what the best way measured gains over a plain answer.
fn claim(gains: &[Gain], by_item: &ByItem) -> (HelpClaim, String) {
    let over = |own: Arm, arm: Arm| {
        gains.iter().find(|gain| gain.own == own && gain.over == arm).map(|gain| gain.points)
    };
    let debate = |arm: Arm| over(Arm::Roundtable, arm);
    let rival =
        [Arm::PlainVote, Arm::SelfConsistency].into_iter().find(|arm| debate(*arm).is_some());
    let (Some(rival), Some(first)) = (rival, debate(Arm::FirstWeighed)) else {
        return (HelpClaim::NotShown, best(gains, by_item));
    };
    let beats =
        |points: Option<IntervalEstimate>| points.is_some_and(|points| points.is_above(0.0));
    let figures = format!(
        "against the vote of the same cost {}, against its own first round, weighed, {}",
        debate(rival).map_or_else(String::new, points),
        points(first)
    );
    match (beats(debate(rival)), beats(Some(first))) {
        (true, true) => (HelpClaim::DebateHelps, format!("debate helps: {figures}")),
        (true, false) => (
            HelpClaim::BetterAggregation,
            format!("asking several agents pays, talking is not shown to: {figures}"),
        ),
        (false, _) => {
            (HelpClaim::NotShown, format!("it is not shown that debating pays here: {figures}"))
        }
    }
}

fn points(estimate: IntervalEstimate) -> String {
    match estimate {
        IntervalEstimate { value, low: Some(low), high: Some(high) } => {
            format!("{value:+.1} points ({low:+.1} to {high:+.1})")
        }
        IntervalEstimate { value, .. } => format!("{value:+.1} points, no interval"),
    }
}

/// The way that gains most over one plain answer.
fn best(gains: &[Gain], by_item: &ByItem) -> String {
    let over_plain = |arm: Arm| {
        let gap = |item: usize| {
            Some(100.0 * (by_item.share(item, arm)? - by_item.share(item, Arm::Plain)?))
        };
        by_item.estimate(gap).map(|gained| (arm, gained))
    };
    let others = Arm::ALL.into_iter().filter(|arm| *arm != Arm::Plain);
    let most = others.filter_map(over_plain).max_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let against = match (most, gains.is_empty()) {
        (Some((arm, gained)), _) if gained.is_above(0.0) => {
            format!("what helped most: {}, {} over one plain answer", arm.title(), points(gained))
        }
        (Some((arm, gained)), _) => format!(
            "nothing is shown to beat one plain answer; nearest: {}, {}",
            arm.title(),
            points(gained)
        ),
        (None, _) => "nothing can be compared: measure `plain` beside another arm".into(),
    };
    let items = 0..by_item.shares.len();
    let debated = items.into_iter().any(|item| by_item.share(item, Arm::Roundtable).is_some());
    let missing = if debated {
        "the debate is to be set against a vote of its cost and its own first vote, weighed: \
         measure `plain-vote` and `first-weighed` too"
    } else {
        "no whole debate was measured"
    };
    format!("{missing}; {against}")
}

fn notes(plan: &QualityPlan) -> Vec<String> {
    let mut notes = Vec::new();
    match &plan.speakers {
        Speakers::Simulated(_) => notes.push(
            "Simulated agents have no language and check nothing. This tests how votes are \
             weighed; it cannot show that debating helps real models."
                .into(),
        ),
        Speakers::Recording { .. } => notes
            .push("Replayed: these are the answers of then; nothing was asked anew.".to_owned()),
        Speakers::Live { .. } => {}
    }
    notes.push(
        "Intervals are drawn from the questions, 95 %. McNemar's test is exact and counts each \
         question once; for rules left out it is corrected after Holm. Where there are no prices, \
         costs are compared in tokens, a written one counting four read ones."
            .into(),
    );
    if plan.questions.items.len() < 300 {
        notes.push(format!(
            "{} questions are few: a gain of 5 points needs about 370 to be seen four times out \
             of five.",
            plan.questions.items.len()
        ));
    }
    notes.push(
        "A plain answer is the first agent's, asked without Roundtable's prompts. The vote of the \
         same cost asks for as many of these as `adaptive` (else the debate) cost. \"Debate, last \
         majority\" counts the last round of the same talk."
            .into(),
    );
    notes
}

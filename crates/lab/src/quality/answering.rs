//! One question in every way that is wanted: the debates and calls it takes, and
//! each arm's answer with its cost.

use agents::CancellationToken;
use debate::Debate;
use debate::analysis::abstains;
use debate::model::{Choice, Judgement, MicroUsd, Room, RoundKind, RoundRecord, Turn};

use crate::quality::arms::{self, Arm, ArmBelief, majority};
use crate::quality::costs::{bills, cost_of, mean_cost, own_bills, samples_for, whole_cost};
use crate::quality::plan::QualityPlan;
use crate::quality::questions::AskedItem;
use crate::quality::results::{ArmAnswer, Cost, DebateChecks, QuestionResult, StatedFirst};
use crate::quality::table::{DebateKind, QualityHalt, QualityTable};
use crate::statistics::Dice;

/// Agreement from here on says that all votes are one.
const WHOLE: f64 = 1.0 - 1e-9;
/// Plain answers where nothing dearer is measured beside them.
const USUAL_VOTES: usize = 9;

/// What is known of a question so far.
struct QuestionProgress<'a> {
    table: &'a QualityTable<'a>,
    plan: &'a QualityPlan,
    asked: &'a AskedItem<'a>,
    left: Option<MicroUsd>,
    cancel: &'a CancellationToken,
    dice: Dice,
    said: Vec<(Arm, ArmBelief, Cost)>,
    spent: Cost,
}

/// Answers one question in every way that is wanted.
pub async fn answer(
    table: &QualityTable<'_>,
    plan: &QualityPlan,
    asked: &AskedItem<'_>,
    left: Option<MicroUsd>,
    cancel: &CancellationToken,
) -> Result<QuestionResult, QualityHalt> {
    let dice = Dice::new(asked.seed.wrapping_mul(1_000_003).wrapping_add(asked.number as u64));
    let spent = Cost { priced: true, ..Cost::default() };
    let mut on =
        QuestionProgress { table, plan, asked, left, cancel, dice, said: Vec::new(), spent };
    let adaptive = on.adaptive().await?;
    let debate = on.debates(adaptive.as_ref()).await?;
    on.plain().await?;
    let right = |choice: &Option<Choice>| asked.item.is_right(choice.as_ref());
    let given = |(arm, believed, cost): (Arm, ArmBelief, Cost)| {
        let read = believed.choice.is_some();
        let right = right(&believed.choice);
        (arm, ArmAnswer { right, read, probability: believed.probability, cost })
    };
    let held: Vec<&Room> = adaptive.iter().chain(&debate).map(Debate::room).collect();
    let ways = debate.as_ref().map(|debate| arms::ways(debate.room())).unwrap_or_default();
    Ok(QuestionResult {
        item: asked.number,
        seed: asked.seed,
        arms: on.said.into_iter().map(given).collect(),
        ways: ways.iter().map(|(first, last)| (right(first), right(last))).collect(),
        spent_usd: on.spent.usd,
        stated: held.first().map(|room| stated(room, asked)).unwrap_or_default(),
        checks: held
            .iter()
            .map(|room| checks(room))
            .fold(DebateChecks::default(), DebateChecks::plus),
    })
}

impl QuestionProgress<'_> {
    fn wants(&self, arm: Arm) -> bool {
        self.plan.arms.contains(&arm)
    }

    fn still_left(&self) -> Option<MicroUsd> {
        let spent = MicroUsd::from_usd(self.spent.usd);
        self.left.map(|left| MicroUsd(left.0.saturating_sub(spent.0)))
    }

    async fn hold(&mut self, kind: DebateKind) -> Result<Debate, QualityHalt> {
        let left = self.still_left();
        let debate = self.table.debate(self.asked, kind, left, self.cancel).await?;
        self.spent = self.spent.plus(whole_cost(debate.room()));
        Ok(debate)
    }

    /// The arms that are read from a debate or from its first answers. Where no whole
    /// debate is wanted, the first answers of the adaptive one serve.
    async fn debates(&mut self, sampled: Option<&Debate>) -> Result<Option<Debate>, QualityHalt> {
        let talks = self.plan.arms.iter().any(|arm| arm.needs_debate());
        let first = self.plan.arms.iter().any(|arm| arm.needs_first());
        let kind = match (talks, first, sampled) {
            (true, ..) => DebateKind::Whole,
            (false, true, Some(sampled)) => {
                self.read_arms(sampled);
                return Ok(None);
            }
            (false, true, None) => DebateKind::First,
            (false, false, _) => return Ok(None),
        };
        let debate = self.hold(kind).await?;
        self.read_arms(&debate);
        let whole = whole_cost(debate.room());
        let sample = cost_of(own_bills(debate.room()));
        if self.wants(Arm::SelfConsistency) {
            let count = samples_for(&whole, &sample);
            let left = self.still_left();
            let samples = self.table.samples(self.asked, count, &sample, left, self.cancel);
            let (votes, cost) = samples.await?;
            self.spent = self.spent.plus(cost);
            let believed = majority(&votes, &mut self.dice);
            self.said.push((Arm::SelfConsistency, believed, cost));
        }
        if self.wants(Arm::WithoutObjections) {
            let calm = if arms::had_objections(&debate) {
                Some(self.hold(DebateKind::Calm).await?)
            } else {
                None
            };
            let calm = calm.as_ref().unwrap_or(&debate);
            let believed = arms::read(Arm::Roundtable, calm, &mut self.dice).unwrap_or_default();
            self.said.push((Arm::WithoutObjections, believed, whole_cost(calm.room())));
        }
        Ok(Some(debate))
    }

    /// Takes every wanted arm from one debate that can be read from it.
    fn read_arms(&mut self, debate: &Debate) {
        let whole = whole_cost(debate.room());
        let first = cost_of(bills(debate.room().round(1)));
        let sample = cost_of(own_bills(debate.room()));
        for arm in Arm::ALL {
            let cost = match arm {
                Arm::Single => sample,
                Arm::FirstMajority | Arm::FirstWeighed => first,
                _ => whole,
            };
            // Read whether it is wanted or not: the next draw must not depend on it.
            let believed = arms::read(arm, debate, &mut self.dice);
            if let Some(believed) = believed.filter(|_| self.wants(arm)) {
                self.said.push((arm, believed, cost));
            }
        }
    }

    async fn adaptive(&mut self) -> Result<Option<Debate>, QualityHalt> {
        if !self.wants(Arm::Adaptive) {
            return Ok(None);
        }
        let left = self.still_left();
        let Some(debate) = self.table.adaptive(self.asked, left, self.cancel).await? else {
            return Ok(None);
        };
        let cost = whole_cost(debate.room());
        self.spent = self.spent.plus(cost);
        let believed = arms::read(Arm::Roundtable, &debate, &mut self.dice).unwrap_or_default();
        self.said.push((Arm::Adaptive, believed, cost));
        Ok(Some(debate))
    }

    /// One plain answer, the majority of nine, and the majority of as many as cost
    /// what `adaptive` did, else what the debate did.
    async fn plain(&mut self) -> Result<(), QualityHalt> {
        let ways = [Arm::Plain, Arm::PlainVote, Arm::PlainNine];
        if !ways.into_iter().any(|arm| self.wants(arm)) {
            return Ok(());
        }
        let cost_by = |arm: Arm| self.said.iter().find(|(own, ..)| *own == arm).map(|said| said.2);
        let rival = cost_by(Arm::Adaptive).or_else(|| cost_by(Arm::Roundtable));
        let (votes, nine) = (self.wants(Arm::PlainVote), self.wants(Arm::PlainNine));
        let same_cost = |so_far: &[Cost]| match rival {
            _ if !votes => 1,
            Some(rival) => samples_for(&rival, &mean_cost(so_far)),
            None => USUAL_VOTES,
        };
        let least = if nine { USUAL_VOTES } else { 1 };
        let wanted = |so_far: &[Cost]| same_cost(so_far).max(least);
        let sample = cost_by(Arm::Single).unwrap_or_default();
        let left = self.still_left();
        let asked = self.table.plain(self.asked, (least, wanted), &sample, left, self.cancel);
        let (choices, costs) = asked.await?;
        let none = Cost { priced: true, ..Cost::default() };
        let sum = |costs: &[Cost]| costs.iter().fold(none, |sum, one| sum.plus(*one));
        self.spent = self.spent.plus(sum(&costs));
        let first = choices.first().cloned().flatten();
        let probability = if first.is_some() { 1.0 } else { 0.0 };
        if self.wants(Arm::Plain) {
            let one = costs.first().copied().unwrap_or_default();
            self.said.push((Arm::Plain, ArmBelief { choice: first, probability }, one));
        }
        let taken = same_cost(&costs).min(choices.len());
        for (arm, count) in [(Arm::PlainVote, taken), (Arm::PlainNine, USUAL_VOTES)] {
            let (choices, costs) = (choices.get(..count), costs.get(..count));
            if let (true, Some(choices), Some(costs)) = (self.wants(arm), choices, costs) {
                let believed = majority(choices, &mut self.dice);
                self.said.push((arm, believed, sum(costs)));
            }
        }
        Ok(())
    }
}

/// The sealed first answers with the confidence they stated.
fn stated(room: &Room, asked: &AskedItem<'_>) -> Vec<StatedFirst> {
    let first = room.round(1).into_iter().flat_map(RoundRecord::answered);
    let one = |turn: &Turn| {
        let seat = room.seats.get(turn.seat.index())?;
        let agent = room.brief.agents.get(seat.agent)?;
        Some(StatedFirst {
            model: format!("{}/{}", agent.provider, agent.model),
            confidence: turn.answer.confidence?,
            right: asked.item.is_right(turn.answer.answer.as_ref()),
        })
    };
    first.filter_map(one).collect()
}

/// Counts answers that lack a field, judgements against answers, and rounds whose
/// agreement contradicts the votes: whole where they differ, or not whole where
/// they are one.
fn checks(room: &Room) -> DebateChecks {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let verdicts = &room.safety.verdicts;
    let against = verdicts.iter().filter(|verdict| verdict.judgement != Judgement::Allow);
    let mut found = DebateChecks {
        judged: count(verdicts.len()),
        refused: count(against.count()),
        ..DebateChecks::default()
    };
    for round in &room.rounds {
        let turns: Vec<&Turn> = round.answered().collect();
        found.answers += count(turns.len());
        found.lacking += count(turns.iter().filter(|turn| lacks(turn)).count());
        found.abstained += count(turns.iter().filter(|turn| abstains(&room.brief, turn)).count());
        found.asked_again += count(turns.iter().filter(|turn| turn.repaired).count());
        let level = round.analysis.as_ref().and_then(|it| it.consensus.agreement_level);
        let votes = votes_in(room, round);
        let (Some(level), Some((one, others))) = (level, votes.split_first()) else { continue };
        if others.is_empty() {
            continue;
        }
        let unanimous = others.iter().all(|other| arms::same(one, other));
        found.rounds += 1;
        found.contradicted += u32::from(unanimous != (level >= WHOLE));
    }
    found
}

/// "Cannot say" is an answer.
fn lacks(turn: &Turn) -> bool {
    let said = &turn.answer;
    (said.answer.is_none() && said.cannot_say.is_none()) || said.confidence.is_none()
}

/// The answers that a round's agreement is about: its own, or in a round of sealed
/// first answers all of them so far. Who cannot say has no vote.
fn votes_in<'a>(room: &'a Room, round: &'a RoundRecord) -> Vec<&'a Choice> {
    let sealed = round.kind == RoundKind::Sample;
    let together = |other: &&RoundRecord| {
        if sealed {
            other.kind == RoundKind::Sample && other.number <= round.number
        } else {
            other.number == round.number
        }
    };
    let turns = room.rounds.iter().filter(together).flat_map(RoundRecord::answered);
    let votes = turns.filter(|turn| !abstains(&room.brief, turn));
    votes.filter_map(|turn| turn.answer.answer.as_ref()).collect()
}

#[cfg(test)]
#[path = "answering_tests.rs"]
mod tests;

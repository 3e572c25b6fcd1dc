//! One question in every way that is wanted: the debates and calls it takes, and
//! each arm's answer with its cost.

use agents::CancellationToken;
use debate::Debate;
use debate::model::{Choice, MicroUsd, Room, RoundRecord};

use crate::quality::arms::{self, Arm, ArmBelief, majority};
use crate::quality::costs::{all_bills, bills, cost_of, own_bills, samples_for};
use crate::quality::plan::QualityPlan;
use crate::quality::questions::AskedItem;
use crate::quality::results::{ArmAnswer, Cost, DebateChecks, QuestionResult, StatedFirst};
use crate::quality::table::{DebateKind, QualityHalt, QualityTable};
use crate::statistics::Dice;

/// Agreement from here on says that the seats agree.
const AGREE: f64 = 0.9;
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
    let debate = on.debates().await?;
    let adaptive = on.adaptive().await?;
    on.plain().await?;
    let right = |choice: &Option<Choice>| asked.item.is_right(choice.as_ref());
    let given = |(arm, believed, cost): (Arm, ArmBelief, Cost)| {
        let read = believed.choice.is_some();
        let right = right(&believed.choice);
        (arm, ArmAnswer { right, read, probability: believed.probability, cost })
    };
    let held: Vec<&Room> = debate.iter().chain(&adaptive).map(Debate::room).collect();
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
        self.spent = self.spent.plus(cost_of(all_bills(debate.room())));
        Ok(debate)
    }

    /// The arms that are read from a debate or from its first answers.
    async fn debates(&mut self) -> Result<Option<Debate>, QualityHalt> {
        let talks = self.plan.arms.iter().any(|arm| arm.needs_debate());
        let kind = match (talks, self.plan.arms.iter().any(|arm| arm.needs_first())) {
            (true, _) => DebateKind::Whole,
            (false, true) => DebateKind::First,
            (false, false) => return Ok(None),
        };
        let debate = self.hold(kind).await?;
        let whole = cost_of(all_bills(debate.room()));
        let first = cost_of(bills(debate.room().round(1)));
        let sample = cost_of(own_bills(debate.room()));
        for arm in Arm::ALL {
            let cost = match arm {
                Arm::Single => sample,
                Arm::FirstMajority | Arm::FirstWeighed => first,
                _ => whole,
            };
            // Read whether it is wanted or not: the next draw must not depend on it.
            let believed = arms::read(arm, &debate, &mut self.dice);
            if let Some(believed) = believed.filter(|_| self.wants(arm)) {
                self.said.push((arm, believed, cost));
            }
        }
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
            self.said.push((Arm::WithoutObjections, believed, cost_of(all_bills(calm.room()))));
        }
        Ok(Some(debate))
    }

    async fn adaptive(&mut self) -> Result<Option<Debate>, QualityHalt> {
        if !self.wants(Arm::Adaptive) {
            return Ok(None);
        }
        let left = self.still_left();
        let Some(debate) = self.table.adaptive(self.asked, left, self.cancel).await? else {
            return Ok(None);
        };
        let cost = cost_of(all_bills(debate.room()));
        self.spent = self.spent.plus(cost);
        let believed = arms::read(Arm::Roundtable, &debate, &mut self.dice).unwrap_or_default();
        self.said.push((Arm::Adaptive, believed, cost));
        Ok(Some(debate))
    }

    /// One plain answer, and the majority of as many as cost what `adaptive` did,
    /// else what the debate did.
    async fn plain(&mut self) -> Result<(), QualityHalt> {
        if !self.wants(Arm::Plain) && !self.wants(Arm::PlainVote) {
            return Ok(());
        }
        let cost_by = |arm: Arm| self.said.iter().find(|(own, ..)| *own == arm).map(|said| said.2);
        let rival = cost_by(Arm::Adaptive).or_else(|| cost_by(Arm::Roundtable));
        let votes = self.wants(Arm::PlainVote);
        let wanted = |one: &Cost| match rival {
            _ if !votes => 1,
            Some(rival) => samples_for(&rival, one),
            None => USUAL_VOTES,
        };
        let sample = cost_by(Arm::Single).unwrap_or_default();
        let left = self.still_left();
        let asked = self.table.plain(self.asked, wanted, &sample, left, self.cancel);
        let (choices, costs) = asked.await?;
        let none = Cost { priced: true, ..Cost::default() };
        let cost = costs.iter().fold(none, |sum, one| sum.plus(*one));
        self.spent = self.spent.plus(cost);
        let first = choices.first().cloned().flatten();
        let probability = if first.is_some() { 1.0 } else { 0.0 };
        if self.wants(Arm::Plain) {
            let one = costs.first().copied().unwrap_or_default();
            self.said.push((Arm::Plain, ArmBelief { choice: first, probability }, one));
        }
        if votes {
            let believed = majority(&choices, &mut self.dice);
            self.said.push((Arm::PlainVote, believed, cost));
        }
        Ok(())
    }
}

/// The sealed first answers with the confidence they stated.
fn stated(room: &Room, asked: &AskedItem<'_>) -> Vec<StatedFirst> {
    let first = room.round(1).into_iter().flat_map(RoundRecord::answered);
    let one = |turn: &debate::model::Turn| {
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

/// Counts answers that lack a field and rounds whose agreement contradicts the
/// votes: high where they differ, or not whole where they are one.
fn checks(room: &Room) -> DebateChecks {
    let mut found = DebateChecks::default();
    for round in &room.rounds {
        let answers: Vec<_> = round.answered().map(|turn| &turn.answer).collect();
        let lacks = answers.iter().filter(|a| a.answer.is_none() || a.confidence.is_none());
        found.answers += u32::try_from(answers.len()).unwrap_or(u32::MAX);
        found.lacking += u32::try_from(lacks.count()).unwrap_or(u32::MAX);
        let level = round.analysis.as_ref().and_then(|it| it.consensus.agreement_level);
        let votes: Vec<&Choice> = answers.iter().filter_map(|a| a.answer.as_ref()).collect();
        let (Some(level), Some((one, others))) = (level, votes.split_first()) else { continue };
        if others.is_empty() {
            continue;
        }
        let unanimous = others.iter().all(|other| arms::same(one, other));
        found.rounds += 1;
        found.contradicted += u32::from(unanimous != (level >= AGREE));
    }
    found
}

//! One question with its truth, and how a simulated mind comes to an answer
//! and gives it up. Every answer is a function of the seed, the item, the seat,
//! the round and what was heard; nothing is remembered here.

use debate::model::Round;

use super::chance::{Chance, Owner, probit, sigmoid};
use super::figures::{DOMAINS, MOST_OPTIONS, NATURE, Nature, OPTIONS};
use super::people::{Debater, DebaterPart, Talk};

/// A question with a known answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulatedItem {
    pub seed: u64,
    pub number: u64,
    pub domain: usize,
    /// How many answers it offers.
    pub options: usize,
    /// Places in the list of options.
    pub truth: usize,
    /// The wrong answer that many fall for.
    pub misconception: usize,
    pub nature: Nature,
}

/// What a seat holds in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptionStand {
    pub option: usize,
    pub confidence: f64,
    /// Returns whether it came to this answer by a source it had not known.
    pub grounds: Grounds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grounds {
    Bare,
    NewSource,
}

/// A stand as others hear it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoicedStand {
    pub option: usize,
    /// What the speaker's art of persuasion adds.
    pub persuasion: f64,
}

const LIARS_CONFIDENCE: f64 = 0.95;

impl SimulatedItem {
    pub fn new(seed: u64, number: u64) -> SimulatedItem {
        SimulatedItem::under(NATURE, seed, number)
    }

    pub fn under(nature: Nature, seed: u64, number: u64) -> SimulatedItem {
        let mut chance = Chance::of(seed, number, Owner::Item);
        let truth = chance.below(OPTIONS);
        let misconception = other_than(truth, chance.below(OPTIONS - 1));
        let domain = chance.below(DOMAINS);
        SimulatedItem { seed, number, domain, options: OPTIONS, truth, misconception, nature }
    }

    /// A question of somebody's own: how many answers it offers and which is
    /// right is known, the misconception is drawn.
    pub fn given(seed: u64, number: u64, options: usize, truth: usize) -> SimulatedItem {
        let options = options.clamp(2, MOST_OPTIONS);
        let mut chance = Chance::of(seed, number, Owner::Item);
        let truth = truth.min(options - 1);
        let misconception = other_than(truth, chance.below(options - 1));
        let domain = chance.below(DOMAINS);
        SimulatedItem { seed, number, domain, options, truth, misconception, nature: NATURE }
    }

    fn chance(&self, owner: Owner) -> Chance {
        Chance::of(self.seed, self.number, owner)
    }

    /// The answer of a seat that has seen nobody.
    pub fn first(&self, people: &[Debater], seat: usize) -> Option<OptionStand> {
        let person = people.get(seat)?;
        let mut own = self.chance(Owner::Turn { seat, round: 1 });
        let luck = own.normal();
        let option = match person.part {
            DebaterPart::Liar { .. } => self.misconception,
            DebaterPart::Honest if self.knows(people, person, luck) => self.truth,
            DebaterPart::Honest if own.happens(self.nature.misconception) => self.misconception,
            DebaterPart::Honest => other_than(self.truth, own.below(self.options - 1)),
        };
        let confidence = self.confidence(person, option, &mut own);
        Some(OptionStand { option, confidence, grounds: Grounds::Bare })
    }

    /// Skill, the difficulty that all share, what family and model share, luck.
    fn knows(&self, people: &[Debater], person: &Debater, luck: f64) -> bool {
        let place = |same: fn(&Debater, &Debater) -> bool| {
            people.iter().position(|other| same(other, person)).unwrap_or_default()
        };
        let family = Owner::Family(place(|a, b| a.family == b.family));
        let model = Owner::Model(place(|a, b| a.model == b.model));
        let ties = self.nature.ties;
        let alone = (1.0 - ties.any - ties.family - ties.model).max(0.0);
        let skill = probit(person.accuracy.get(self.domain).copied().unwrap_or(0.5));
        let shared = ties.any.sqrt() * self.chance(Owner::Everyone).normal()
            + ties.family.sqrt() * self.chance(family).normal()
            + ties.model.sqrt() * self.chance(model).normal();
        skill + shared + alone.sqrt() * luck > 0.0
    }

    fn confidence(&self, person: &Debater, option: usize, chance: &mut Chance) -> f64 {
        if matches!(person.part, DebaterPart::Liar { .. }) {
            return LIARS_CONFIDENCE;
        }
        let right = if option == self.truth { self.nature.confidence_when_right } else { 0.0 };
        sigmoid(self.nature.confidence + right + chance.normal())
    }

    /// What a seat holds in a later round, after hearing the others.
    pub fn later(
        &self,
        person: &Debater,
        talk: &Talk,
        at: (usize, Round),
        own: OptionStand,
        heard: &[VoicedStand],
    ) -> OptionStand {
        let kept = OptionStand { grounds: Grounds::Bare, ..own };
        if matches!(person.part, DebaterPart::Liar { .. }) {
            return kept;
        }
        let (seat, round) = at;
        let mut chance = self.chance(Owner::Turn { seat, round });
        let Some((option, attraction)) = best_alternative(talk, own.option, heard, &mut chance)
        else {
            return kept;
        };
        let is_true = |option: usize| if option == self.truth { 1.0 } else { 0.0 };
        let truth = talk.truth * (is_true(option) - is_true(own.option));
        let log_odds = talk.readiness + person.suggestibility + attraction + truth;
        if !chance.happens(sigmoid(log_odds)) {
            return kept;
        }
        let cites = if option == self.truth { talk.cites_toward } else { talk.cites_away };
        let grounds = if chance.happens(cites) { Grounds::NewSource } else { Grounds::Bare };
        let confidence = self.confidence(person, option, &mut chance);
        OptionStand { option, confidence, grounds }
    }
}

/// The answer that draws most, heads and persuasion together, and by how much
/// it outweighs the heads for one's own (oneself included). Equal ones are
/// drawn among, so that no place in the list is favoured.
fn best_alternative(
    talk: &Talk,
    own: usize,
    heard: &[VoicedStand],
    chance: &mut Chance,
) -> Option<(usize, f64)> {
    let mut heads = [0.0; MOST_OPTIONS];
    let mut persuasion = [0.0_f64; MOST_OPTIONS];
    for voiced in heard {
        if let (Some(heads), Some(most)) =
            (heads.get_mut(voiced.option), persuasion.get_mut(voiced.option))
        {
            *heads += 1.0;
            *most = most.max(voiced.persuasion);
        }
    }
    let own_heads = 1.0 + heads.get(own).copied().unwrap_or_default();
    let draws: Vec<(usize, f64)> = heads
        .iter()
        .zip(persuasion)
        .enumerate()
        .filter(|(option, (heads, _))| *option != own && **heads > 0.0)
        .map(|(option, (heads, persuasion))| (option, talk.pull * (heads - own_heads) + persuasion))
        .collect();
    let most = draws.iter().map(|(_, draw)| *draw).fold(f64::NEG_INFINITY, f64::max);
    let best: Vec<(usize, f64)> = draws.into_iter().filter(|(_, draw)| *draw >= most).collect();
    best.get(chance.below(best.len())).copied()
}

/// The n-th of the options besides one.
fn other_than(option: usize, n: usize) -> usize {
    if n >= option { n + 1 } else { n }
}

//! The patterns: orders of cues within one sentence, one per row. A blocking
//! pattern needs a request or a step, an act and its object, all close together.

use super::cues::{CueClass, CueMatch};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternEffect {
    /// The text is not used.
    Block,
    /// The text deserves a closer look.
    Suspect,
}

pub(super) struct SafetyPattern {
    pub name: &'static str,
    pub effect: PatternEffect,
    /// The classes that must follow one another.
    order: &'static [CueClass],
    /// At most this many other words between two of them.
    gap: usize,
    start: PatternStart,
}

/// The place where the first of them may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternStart {
    Anywhere,
    /// As the sentence's first word: an order, not a remark.
    Opening,
}

use CueClass::{
    Abuse, Address, Ask, HowTo, Make, Malware, Minor, Perpetrate, Person, SelfHarm, Sexual, Step,
    Threat, Use, Weapon,
};
use PatternEffect::{Block, Suspect};

const WEAPON: &str = "instructions for a weapon";
const MALWARE: &str = "instructions for malware";
const SELF_HARM: &str = "instructions for self-harm";
const ABUSE: &str = "harassment of a person";
const THREAT: &str = "a threat against a person";
const SEXUAL: &str = "sexual content about minors";

const fn row(
    name: &'static str,
    effect: PatternEffect,
    order: &'static [CueClass],
    gap: usize,
) -> SafetyPattern {
    SafetyPattern { name, effect, order, gap, start: PatternStart::Anywhere }
}

/// Returns the pattern of an order at the beginning of a sentence.
const fn order(name: &'static str, order: &'static [CueClass]) -> SafetyPattern {
    SafetyPattern { name, effect: Block, order, gap: 3, start: PatternStart::Opening }
}

pub(super) const PATTERNS: &[SafetyPattern] = &[
    row(WEAPON, Block, &[Ask, HowTo, Make, Weapon], 6),
    row(WEAPON, Block, &[HowTo, Make, Weapon], 3),
    row(WEAPON, Block, &[Ask, HowTo, Weapon], 4),
    row(WEAPON, Block, &[Step, Make, Weapon], 3),
    row(WEAPON, Block, &[Step, Use, Weapon], 3),
    order(WEAPON, &[Make, Weapon]),
    row(WEAPON, Suspect, &[Make, Weapon], 3),
    row(MALWARE, Block, &[Ask, HowTo, Make, Malware], 6),
    row(MALWARE, Block, &[HowTo, Make, Malware], 3),
    row(MALWARE, Block, &[HowTo, Use, Malware], 3),
    row(MALWARE, Block, &[Ask, Make, Malware], 3),
    row(MALWARE, Block, &[Ask, HowTo, Malware], 4),
    row(MALWARE, Block, &[Step, Make, Malware], 3),
    row(MALWARE, Block, &[Step, Use, Malware], 3),
    order(MALWARE, &[Make, Malware]),
    row(MALWARE, Suspect, &[Make, Malware], 3),
    row(SELF_HARM, Block, &[HowTo, SelfHarm], 4),
    row(SELF_HARM, Block, &[Ask, HowTo, SelfHarm], 6),
    row(SELF_HARM, Block, &[Step, SelfHarm], 4),
    row(SELF_HARM, Suspect, &[SelfHarm], 0),
    row(ABUSE, Block, &[Ask, Perpetrate, Person], 3),
    row(ABUSE, Block, &[HowTo, Perpetrate, Person], 3),
    row(ABUSE, Block, &[Ask, Address, Person], 5),
    order(ABUSE, &[Perpetrate, Person]),
    row(ABUSE, Suspect, &[Perpetrate, Person], 3),
    row(ABUSE, Block, &[Abuse], 0),
    row(THREAT, Block, &[Threat], 0),
    row(SEXUAL, Block, &[Ask, Sexual, Minor], 4),
    row(SEXUAL, Block, &[Make, Sexual, Minor], 4),
    row(SEXUAL, Suspect, &[Sexual, Minor], 4),
];

impl SafetyPattern {
    /// Returns true if the classes stand in the sentence in this order, close
    /// enough.
    pub fn fits(&self, sentence: &[CueMatch]) -> bool {
        let Some((first, rest)) = self.order.split_first() else { return false };
        let mut starts = sentence.iter().enumerate().filter(|(_, met)| match self.start {
            PatternStart::Anywhere => stands_for(met.class, *first),
            PatternStart::Opening => met.class == *first && met.at == 1,
        });
        starts.any(|(place, met)| self.follows(sentence, place, *met, rest))
    }

    fn follows(
        &self,
        sentence: &[CueMatch],
        place: usize,
        from: CueMatch,
        rest: &[CueClass],
    ) -> bool {
        let Some((next, rest)) = rest.split_first() else { return true };
        let reach = from.at + from.words + self.gap;
        let later = sentence.iter().enumerate().skip(place + 1);
        later
            .take_while(|(_, met)| met.at <= reach)
            .filter(|(_, met)| stands_for(met.class, *next))
            .any(|(at, met)| self.follows(sentence, at, *met, rest))
    }
}

/// "Guide to building" asks for what "how to build" asks for.
fn stands_for(met: CueClass, wanted: CueClass) -> bool {
    met == wanted || (met == CueClass::Making && wanted == CueClass::Make)
}

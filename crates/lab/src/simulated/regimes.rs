//! The regimes of the measurement, among them those the engine must lose.

use super::figures::{HIGH_CONFORMITY, LOW_CONFORMITY};
use super::people::{Debater, Regime, Talk, Trial};

const STRONG: Debater = Debater::new("Ada", 0.85);
const GOOD: Debater = Debater::new("Brook", 0.80);
const FAIR: Debater = Debater::new("Chen", 0.75);
const MODEST: Debater = Debater::new("Dara", 0.70);
const WEAK: Debater = Debater::new("Emre", 0.65);

/// Five families of unequal strength.
pub const MIXED: [Debater; 5] = [STRONG, GOOD, FAIR, MODEST, WEAK];

const EVEN: Debater = Debater::new("Ada", 0.80);

/// Three families of equal strength.
pub const TRIO: [Debater; 3] = [EVEN, Debater::new("Brook", 0.80), Debater::new("Chen", 0.80)];

/// Five equal families, and the same with one of them a liar.
pub const HONEST_FIVE: [Debater; 5] = [
    EVEN,
    Debater::new("Brook", 0.80),
    Debater::new("Chen", 0.80),
    Debater::new("Dara", 0.80),
    Debater::new("Emre", 0.80),
];

const fn with_liar(persuasion: f64) -> [Debater; 5] {
    let [a, b, c, d, _] = HONEST_FIVE;
    [a, b, c, d, Debater::liar("Emre", persuasion)]
}

pub const LIAR_0: [Debater; 5] = with_liar(0.0);
pub const LIAR_1: [Debater; 5] = with_liar(1.0);
pub const LIAR_2: [Debater; 5] = with_liar(2.0);

/// Five seats, two of them the same weak model.
const TWIN: Debater = Debater::new("Dara", 0.62);
pub const TWINS: [Debater; 5] = [
    STRONG,
    Debater::new("Brook", 0.75),
    Debater::new("Chen", 0.70),
    TWIN,
    TWIN.copy("Dara again"),
];

/// Two good families against three seats of one weak model.
pub const THREE_COPIES: [Debater; 5] =
    [EVEN, Debater::new("Brook", 0.80), WEAK, WEAK.copy("Emre again"), WEAK.copy("Emre once more")];

/// One model on every seat, at the accuracy of the published vote of five.
const ONLY: Debater = Debater::new("Ada", 0.7205);
pub const ONE_MODEL: [Debater; 5] =
    [ONLY, ONLY.copy("Brook"), ONLY.copy("Chen"), ONLY.copy("Dara"), ONLY.copy("Emre")];

/// Three seats of one small model that changes its mind for anything it hears.
const SMALL: Debater = Debater::new("Ada", 0.52).suggestible(1.0);
pub const SMALL_MODEL: [Debater; 3] = [SMALL, SMALL.copy("Brook"), SMALL.copy("Chen")];

/// One strong model beside two weak ones of different families.
pub const OUTNUMBERED: [Debater; 3] =
    [STRONG, Debater::new("Brook", 0.60), Debater::new("Chen", 0.58)];

/// Each good in one domain and poor in the other, so that a record over both
/// says little.
pub const SPECIALISTS: [Debater; 5] = [
    STRONG.good_at([0.92, 0.60]),
    GOOD.good_at([0.90, 0.62]),
    FAIR.good_at([0.62, 0.90]),
    MODEST.good_at([0.60, 0.88]),
    WEAK.good_at([0.65, 0.65]),
];

/// Some hold fast and some give in to anybody.
pub const SUGGESTIBLE: [Debater; 5] = [
    STRONG.suggestible(1.5),
    GOOD.suggestible(1.0),
    FAIR,
    MODEST.suggestible(-0.5),
    WEAK.suggestible(-1.5),
];

const NEUTRAL_HIGH: Talk = Talk::new(HIGH_CONFORMITY, 0.0);
const NEUTRAL_LOW: Talk = Talk::new(LOW_CONFORMITY, 0.0);
const HARMFUL: Talk = Talk::new(HIGH_CONFORMITY, -0.5);
const MILD: Talk = Talk::new(HIGH_CONFORMITY, 0.7);
const CHECKABLE: Talk = Talk::new(HIGH_CONFORMITY, 1.5);

const fn row(trial: Trial, name: &'static str, people: &'static [Debater], talk: Talk) -> Regime {
    Regime { name, trial, people, talk }
}

pub static REGIMES: [Regime; 20] = [
    row(Trial::Talk, "neutral, high conformity", &MIXED, NEUTRAL_HIGH),
    row(Trial::Talk, "neutral, low conformity", &MIXED, NEUTRAL_LOW),
    row(Trial::Talk, "harmful", &MIXED, HARMFUL),
    row(Trial::Talk, "mildly checkable", &MIXED, MILD),
    row(Trial::Talk, "checkable", &MIXED, CHECKABLE),
    row(Trial::Sources, "checkable, truth cites", &MIXED, CHECKABLE.citing(0.7, 0.1)),
    row(Trial::Sources, "neutral, everybody cites", &MIXED, NEUTRAL_HIGH.citing(0.7, 0.7)),
    row(Trial::Sources, "harmful, forged sources", &MIXED, HARMFUL.citing(0.1, 0.7)),
    row(Trial::Liar, "no liar among five", &HONEST_FIVE, NEUTRAL_LOW),
    row(Trial::Liar, "one liar, persuasion 0", &LIAR_0, NEUTRAL_LOW),
    row(Trial::Liar, "one liar, persuasion 1", &LIAR_1, NEUTRAL_LOW),
    row(Trial::Liar, "one liar, persuasion 2", &LIAR_2, NEUTRAL_LOW),
    row(Trial::Table, "three equals", &TRIO, NEUTRAL_LOW),
    row(Trial::Table, "a weak model twice", &TWINS, NEUTRAL_LOW),
    row(Trial::Table, "a weak model three times", &THREE_COPIES, NEUTRAL_LOW),
    row(Trial::Table, "one model five times", &ONE_MODEL, NEUTRAL_LOW),
    row(Trial::Table, "a small model on every seat", &SMALL_MODEL, NEUTRAL_HIGH),
    row(Trial::Table, "a weak majority", &OUTNUMBERED, NEUTRAL_LOW),
    row(Trial::Table, "the strong give in", &SUGGESTIBLE, NEUTRAL_LOW),
    row(Trial::Table, "specialists", &SPECIALISTS, NEUTRAL_LOW),
];

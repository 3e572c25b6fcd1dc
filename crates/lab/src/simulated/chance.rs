//! Chance that can be repeated: every draw belongs to a seed, an item, a seat
//! and a round, so that the order of asking changes nothing. It uses no
//! function of the platform's mathematics library, whose last digit differs
//! from machine to machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What a series of draws is for. Each owner has a stream of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The item: its truth and its shared misconception.
    Item,
    /// What moves every agent alike on an item.
    Everyone,
    /// What a family has in common, by its number at the table.
    Family(usize),
    /// What copies of one model have in common.
    Model(usize),
    /// One seat's turn in one round.
    Turn { seat: usize, round: u32 },
}

impl Owner {
    fn words(self) -> [u32; 3] {
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        match self {
            Owner::Item => [0, 0, 0],
            Owner::Everyone => [1, 0, 0],
            Owner::Family(number) => [2, narrow(number), 0],
            Owner::Model(number) => [3, narrow(number), 0],
            Owner::Turn { seat, round } => [4, narrow(seat), round],
        }
    }
}

/// The draws of one owner, in order.
pub struct Chance(ChaCha8Rng);

impl Chance {
    pub fn of(seed: u64, item: u64, owner: Owner) -> Chance {
        let [kind, which, round] = owner.words();
        let parts = [seed, item, u64::from(kind), (u64::from(which) << 32) | u64::from(round)];
        let mut key = [0_u8; 32];
        for (slot, byte) in key.iter_mut().zip(parts.iter().flat_map(|part| part.to_le_bytes())) {
            *slot = byte;
        }
        Chance(ChaCha8Rng::from_seed(key))
    }

    /// Between 0 and 1, never either.
    pub fn share(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        ((self.0.next_u64() >> 11) as f64 + 0.5) * STEP
    }

    pub fn happens(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    /// One of `count` numbers from 0, all alike.
    pub fn below(&mut self, count: usize) -> usize {
        let at = (self.share() * count as f64) as usize;
        at.min(count.saturating_sub(1))
    }

    /// From the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        probit(self.share())
    }
}

/// 1 ÷ (1 + e^−x).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// The inverse of the normal distribution function, by Acklam's rational
/// approximation; its relative error is below 1.2e-9, which is far below what
/// any number of items could show.
pub fn probit(share: f64) -> f64 {
    const LOW: f64 = 0.02425;
    // An agent that is always right or always wrong still gets a finite skill.
    let share = share.clamp(1e-15, 1.0 - 1e-15);
    if share < LOW {
        tail(share)
    } else if share > 1.0 - LOW {
        -tail(1.0 - share)
    } else {
        let q = share - 0.5;
        let r = q * q;
        q * polynomial(&MIDDLE_TOP, r) / (polynomial(&MIDDLE_BOTTOM, r) * r + 1.0)
    }
}

fn tail(share: f64) -> f64 {
    let q = (-2.0 * libm::log(share)).sqrt();
    polynomial(&TAIL_TOP, q) / (polynomial(&TAIL_BOTTOM, q) * q + 1.0)
}

/// Highest power first.
fn polynomial(factors: &[f64], x: f64) -> f64 {
    factors.iter().fold(0.0, |sum, factor| sum * x + factor)
}

const MIDDLE_TOP: [f64; 6] = [
    -3.969_683_028_665_376e1,
    2.209_460_984_245_205e2,
    -2.759_285_104_469_687e2,
    1.383_577_518_672_69e2,
    -3.066_479_806_614_716e1,
    2.506_628_277_459_239,
];
const MIDDLE_BOTTOM: [f64; 5] = [
    -5.447_609_879_822_406e1,
    1.615_858_368_580_409e2,
    -1.556_989_798_598_866e2,
    6.680_131_188_771_972e1,
    -1.328_068_155_288_572e1,
];
const TAIL_TOP: [f64; 6] = [
    -7.784_894_002_430_293e-3,
    -3.223_964_580_411_365e-1,
    -2.400_758_277_161_838,
    -2.549_732_539_343_734,
    4.374_664_141_464_968,
    2.938_163_982_698_783,
];
const TAIL_BOTTOM: [f64; 4] = [
    7.784_695_709_041_462e-3,
    3.224_671_290_700_398e-1,
    2.445_134_137_142_996,
    3.754_408_661_907_416,
];

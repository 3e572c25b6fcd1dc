//! Whether the simulated agents behave as published ones do: the results they
//! were fitted to, and results they were not, misses included. Nothing here
//! touches the machine.

use super::figures::{HIGH_CONFORMITY, LOW_CONFORMITY, NATURE, Nature, OPTIONS};
use super::item::{OptionStand, SimulatedItem};
use super::people::{Debater, Regime, Talk, Trial};
use super::regimes::{MIXED, ONE_MODEL, TRIO};
use super::sitting::SimulatedSitting;
use debate::sorting::SortRows;

/// One comparison of a simulated with a published figure.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedCheck {
    pub what: &'static str,
    pub published: f64,
    pub simulated: f64,
}

impl PublishedCheck {
    pub fn miss(&self) -> f64 {
        self.simulated - self.published
    }
}

/// GPT-3.5 alone on GSM8K, then voting with itself.
const SOLVER: Debater = Debater::new("solver", 0.767);
const SOLVERS: [Debater; 9] = [SOLVER; 9];

/// A question that asks for a number has no list of options to agree upon:
/// wrong answers have no misconception in common. Added after the miss with the
/// fitted misconception was seen, so it explains that miss and tests nothing.
const SCATTERED: Nature = Nature { misconception: 0.0, ..NATURE };

const fn table(people: &'static [Debater], readiness: f64) -> Regime {
    Regime { name: "fit", trial: Trial::Talk, people, talk: Talk::new(readiness, 0.0) }
}

/// The comparisons the figures were chosen by, over this many items.
pub fn fitted(items: u64, seed: u64) -> Vec<PublishedCheck> {
    let row = |what, published, simulated| PublishedCheck { what, published, simulated };
    let trio = First::of(NATURE, items, seed, &TRIO);
    let copies = First::of(NATURE, items, seed, &ONE_MODEL);
    let adopt = |readiness| adoption(items / 4, seed, &table(&MIXED, readiness));
    vec![
        row("same wrong answer where two are wrong", 0.60, trio.same_when_wrong()),
        row("minority right in a split of three", 0.245, trio.minority_right()),
        row("the same, two against one only", 0.245, trio.one_against_two()),
        row("stated confidence, mean", 0.89, trio.mean_confidence()),
        row("stated confidence, AUROC", 0.62, trio.confidence_auroc()),
        row("vote of five of one model, gain", 0.0486, copies.vote(5) - copies.single()),
        row("modal answer adopted, high, at most", 0.855, adopt(HIGH_CONFORMITY)),
        row("modal answer adopted, low, at most", 0.472, adopt(LOW_CONFORMITY)),
    ]
}

/// Comparisons that nothing was chosen by.
pub fn held_out(items: u64, seed: u64) -> Vec<PublishedCheck> {
    let row = |what, published, simulated| PublishedCheck { what, published, simulated };
    let solvers = First::of(NATURE, items, seed, &SOLVERS);
    let scattered = First::of(SCATTERED, items, seed, &SOLVERS);
    let talked = after_talk(items, seed, &table(&ONE_MODEL, HIGH_CONFORMITY));
    let nth = |list: &[f64], at: usize| list.get(at).copied().unwrap_or(f64::NAN);
    let drift = nth(&talked.singles, 2) - nth(&talked.singles, 0);
    let mixed = First::of(NATURE, items, seed, &MIXED);
    vec![
        row("GSM8K, vote of 3 samples", 0.825, solvers.vote(3)),
        row("GSM8K, vote of 6 samples", 0.853, solvers.vote(6)),
        row("GSM8K, vote of 9 samples", 0.882, solvers.vote(9)),
        row("the same 3, errors scattered", 0.825, scattered.vote(3)),
        row("the same 6, errors scattered", 0.853, scattered.vote(6)),
        row("the same 9, errors scattered", 0.882, scattered.vote(9)),
        row("7 sets, vote after 1 round of talk", 0.7377, nth(&talked.votes, 1)),
        row("7 sets, vote after 2 rounds of talk", 0.7112, nth(&talked.votes, 2)),
        row("a single agent's gain by neutral talk", 0.0, drift),
        row("phi of two families' errors (engine's)", 0.21, mixed.error_correlation()),
    ]
}

/// First answers of a table over many items, each with the truth.
struct First {
    rows: Vec<(usize, Vec<OptionStand>)>,
}

impl First {
    fn of(nature: Nature, items: u64, seed: u64, people: &[Debater]) -> First {
        let row = |number| {
            let item = SimulatedItem::under(nature, seed, number);
            let stands = (0..people.len()).filter_map(|seat| item.first(people, seat)).collect();
            (item.truth, stands)
        };
        First { rows: (0..items).map(row).collect() }
    }

    fn single(&self) -> f64 {
        mean(
            self.rows.iter().flat_map(|(truth, stands)| {
                stands.iter().map(|stand| credit(stand.option == *truth))
            }),
        )
    }

    /// The plurality of the first `voters`, a tie being drawn among the tied.
    fn vote(&self, voters: usize) -> f64 {
        mean(self.rows.iter().map(|(truth, stands)| {
            let votes: Vec<usize> = stands.iter().take(voters).map(|stand| stand.option).collect();
            plurality(&votes, *truth)
        }))
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, &OptionStand, &OptionStand)> {
        self.rows.iter().flat_map(|(truth, stands)| {
            stands.iter().enumerate().flat_map(move |(at, one)| {
                stands.iter().skip(at + 1).map(move |other| (*truth, one, other))
            })
        })
    }

    fn same_when_wrong(&self) -> f64 {
        mean(
            self.pairs()
                .filter(|(truth, one, other)| one.option != *truth && other.option != *truth)
                .map(|(_, one, other)| credit(one.option == other.option)),
        )
    }

    /// Where the table is not of one mind, how often the vote goes wrong though
    /// somebody is right. The source does not say whether three different
    /// answers are a split. Counted as one, the fit is met; the narrower reading
    /// below misses it, and is printed for that reason.
    fn minority_right(&self) -> f64 {
        let split = |stands: &[OptionStand]| {
            stands.windows(2).any(|pair| match pair {
                [one, other] => one.option != other.option,
                _ => false,
            })
        };
        mean(self.rows.iter().filter(|(_, stands)| split(stands)).map(|(truth, stands)| {
            let votes: Vec<usize> = stands.iter().map(|stand| stand.option).collect();
            if votes.contains(truth) { 1.0 - plurality(&votes, *truth) } else { 0.0 }
        }))
    }

    /// Where exactly two agree, how often the third is right.
    fn one_against_two(&self) -> f64 {
        mean(self.rows.iter().filter_map(|(truth, stands)| {
            let votes: Vec<usize> = stands.iter().map(|stand| stand.option).collect();
            let heads = heads(&votes);
            let alone = heads.iter().position(|count| *count == 1)?;
            heads.contains(&2).then(|| credit(alone == *truth))
        }))
    }

    fn mean_confidence(&self) -> f64 {
        mean(self.rows.iter().flat_map(|(_, stands)| stands.iter().map(|stand| stand.confidence)))
    }

    /// How often a right answer is stated with more confidence than a wrong one.
    fn confidence_auroc(&self) -> f64 {
        let mut all: Vec<(f64, bool)> = self
            .rows
            .iter()
            .flat_map(|(truth, stands)| {
                stands.iter().map(|stand| (stand.confidence, stand.option == *truth))
            })
            .collect();
        all.sort_rows_by(|a, b| a.0.total_cmp(&b.0));
        let (mut wrong_below, mut wins, mut right) = (0.0, 0.0, 0.0);
        for (_, is_right) in all {
            if is_right {
                right += 1.0;
                wins += wrong_below;
            } else {
                wrong_below += 1.0;
            }
        }
        wins / (right * wrong_below)
    }

    /// Phi over all pairs, with the errors of the first and of the second kept
    /// apart.
    fn error_correlation(&self) -> f64 {
        let wrong = |truth: usize, stand: &OptionStand| credit(stand.option != truth);
        let one = mean(self.pairs().map(|(truth, one, _)| wrong(truth, one)));
        let other = mean(self.pairs().map(|(truth, _, other)| wrong(truth, other)));
        let both = mean(self.pairs().map(|(t, one, other)| wrong(t, one) * wrong(t, other)));
        (both - one * other) / (one * (1.0 - one) * other * (1.0 - other)).sqrt()
    }
}

/// Accuracy of the vote and of a single agent, by round.
struct TalkAccuracy {
    votes: Vec<f64>,
    singles: Vec<f64>,
}

fn after_talk(items: u64, seed: u64, regime: &Regime) -> TalkAccuracy {
    let tables: Vec<SimulatedSitting> = (0..items)
        .map(|number| SimulatedSitting::new(SimulatedItem::new(seed, number), regime))
        .collect();
    let (mut votes, mut singles) = (Vec::new(), Vec::new());
    for round in 1..=regime.talk.rounds {
        let held = |table: &SimulatedSitting| (table.item().truth, table.options(round));
        let rows: Vec<(usize, Vec<usize>)> = tables.iter().map(held).collect();
        votes.push(mean(rows.iter().map(|(truth, held)| plurality(held, *truth))));
        singles.push(mean(
            rows.iter().flat_map(|(truth, held)| held.iter().map(move |one| credit(one == truth))),
        ));
    }
    TalkAccuracy { votes, singles }
}

/// Of those who did not hold the one leading first answer, how many adopt it in
/// the next round.
fn adoption(items: u64, seed: u64, regime: &Regime) -> f64 {
    let mut adopted = Vec::new();
    for number in 0..items {
        let table = SimulatedSitting::new(SimulatedItem::new(seed, number), regime);
        let (before, after) = (table.options(1), table.options(2));
        let heads = heads(&before);
        let most = heads.iter().copied().max().unwrap_or_default();
        let leading: Vec<usize> =
            (0..OPTIONS).filter(|option| heads.get(*option) == Some(&most)).collect();
        if let [leading] = leading.as_slice() {
            let others = before.iter().zip(&after).filter(|(before, _)| *before != leading);
            adopted.extend(others.map(|(_, after)| credit(after == leading)));
        }
    }
    mean(adopted.into_iter())
}

fn heads(votes: &[usize]) -> [usize; OPTIONS] {
    let mut heads = [0; OPTIONS];
    for slot in votes.iter().copied() {
        if let Some(count) = heads.get_mut(slot) {
            *count += 1;
        }
    }
    heads
}

fn plurality(votes: &[usize], truth: usize) -> f64 {
    let heads = heads(votes);
    let most = heads.iter().copied().max().unwrap_or_default();
    let tied = heads.iter().filter(|count| **count == most).count();
    if heads.get(truth) == Some(&most) { 1.0 / tied as f64 } else { 0.0 }
}

fn credit(so: bool) -> f64 {
    if so { 1.0 } else { 0.0 }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

//! The viewpoints of experts: the four built-in ones, and their assignment to
//! seats. The same brief always assigns the same way; the only randomness is the
//! brief's seed.

use crate::model::{Assignment, Brief, Perspective, Seat};

/// One built-in viewpoint.
struct PerspectiveRow {
    name: &'static str,
    description: &'static str,
    focus_areas: [&'static str; 3],
    key_questions: [&'static str; 3],
}

const BUILT_IN: [PerspectiveRow; 4] = [
    PerspectiveRow {
        name: "technical",
        description: "Whether it can be built, run and kept running, and what it does to everything it touches.",
        focus_areas: [
            "feasibility and complexity",
            "reliability, security and scale",
            "maintenance and the way back out",
        ],
        key_questions: [
            "What has to work for this to work, and which part is least proven?",
            "How does it fail, and who notices first?",
            "What does it make harder to change later?",
        ],
    },
    PerspectiveRow {
        name: "economic",
        description: "What it costs, what it brings, who pays and who gains, now and over its whole life.",
        focus_areas: [
            "cost over the whole life",
            "incentives and who bears the risk",
            "what else the same means could do",
        ],
        key_questions: [
            "Which figure would turn the decision, and how sure is it?",
            "Who has a reason to act against this?",
            "What is given up by choosing it?",
        ],
    },
    PerspectiveRow {
        name: "ethical",
        description: "Whether it is right: what is owed to those affected, and which harms no benefit makes up for.",
        focus_areas: [
            "rights, consent and dignity",
            "fairness between those who gain and those who lose",
            "responsibility and redress",
        ],
        key_questions: [
            "Who bears the harm without having had a say?",
            "Would we defend this choice in front of those it hurts?",
            "Who answers for it when it goes wrong?",
        ],
    },
    PerspectiveRow {
        name: "social",
        description: "What it does to people living and working together: habits, trust, access and belonging.",
        focus_areas: [
            "adoption and everyday use",
            "trust and public acceptance",
            "groups that are left out",
        ],
        key_questions: [
            "Whose daily life changes, and do they want it to?",
            "What will people do with it that nobody planned?",
            "Who is missing from this discussion?",
        ],
    },
];

/// Technical, economic, ethical, social.
pub fn builtin_perspectives() -> Vec<Perspective> {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    BUILT_IN
        .iter()
        .map(|row| Perspective {
            name: row.name.to_owned(),
            description: row.description.to_owned(),
            focus_areas: owned(&row.focus_areas),
            key_questions: owned(&row.key_questions),
            ..Perspective::default()
        })
        .collect()
}

/// Returns the perspectives of a brief; if it has none, those its lessons suggest
/// and the four built-in ones.
pub(super) fn brought(brief: &Brief) -> Vec<Perspective> {
    let given = &brief.perspectives.given;
    if !given.is_empty() {
        return given.clone();
    }
    // Viewpoints that earlier outcomes found missing come first.
    let missed = brief.learned().map(|lessons| lessons.perspectives.clone()).unwrap_or_default();
    missed.into_iter().chain(builtin_perspectives()).collect()
}

/// Returns one perspective for each seat, as the brief assigns them; also for
/// those the clerk names. If a name matches no perspective, the seat gets the
/// next one in turn.
pub fn deal_perspectives(
    perspectives: &[Perspective],
    brief: &Brief,
    seats: &[Seat],
) -> Vec<Option<Perspective>> {
    let mut order: Vec<&Perspective> = perspectives.iter().collect();
    if brief.perspectives.assignment == Assignment::Random {
        shuffle(&mut order, brief.seed);
    }
    let in_turn = |seat: &Seat| order.get(seat.id.index().checked_rem(order.len())?).copied();
    let dealt = |seat: &Seat| match &brief.perspectives.assignment {
        Assignment::RoundRobin | Assignment::Random => in_turn(seat),
        Assignment::Explicit(names) => {
            let named = names.get(seat.agent).and_then(|name| find(perspectives, name));
            named.or_else(|| in_turn(seat))
        }
    };
    seats.iter().map(|seat| dealt(seat).cloned()).collect()
}

pub(super) fn find<'a>(perspectives: &'a [Perspective], name: &str) -> Option<&'a Perspective> {
    let plain = |name: &str| name.trim().to_lowercase();
    perspectives.iter().find(|perspective| plain(&perspective.name) == plain(name))
}

/// Fisher and Yates's shuffle over the SplitMix64 sequence of a seed.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..items.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let bound = last as u64 + 1;
        items.swap(last, (mixed % bound) as usize);
    }
}

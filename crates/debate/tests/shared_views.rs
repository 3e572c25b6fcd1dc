//! A view is the same whether its parts were made for this reader or for one before it:
//! whoever reads, in whatever order, and whatever was said.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/rooms.rs"]
mod rooms;

use debate::briefing::{SharedParts, View, ViewReader, view};
use debate::model::*;
use proptest::prelude::*;
use rooms::{ANONYMOUS, Dice, EVERYTHING, Shape};

const TEAMS: ViewPlan = ViewPlan {
    earlier: EarlierRounds::OtherTeams,
    this_round: ThisRound::OwnTeamSoFar,
    ..EVERYTHING
};
const PLANS: [ViewPlan; 4] =
    [EVERYTHING, ANONYMOUS, TEAMS, ViewPlan { naming: SeatNaming::Anonymous, ..TEAMS }];

fn look(room: &Room, plan: ViewPlan, seat: usize, wave: usize, shared: &SharedParts) -> View {
    let round = room.rounds.len() as Round;
    let fence = rooms::fence(room, round, SeatId(seat));
    let plan = rooms::plan(plan);
    view(&ViewReader { room, plan: &plan, seat: SeatId(seat), round, wave, fence: &fence, shared })
}

fn shapes() -> impl Strategy<Value = Shape> {
    (any::<u64>(), 2..=7usize, 1..8u32, prop_oneof![Just(20), Just(300)], 0..6usize, 0..100usize)
        .prop_map(|(seed, agents, rounds, words, claims, contested)| Shape {
            seed,
            agents,
            rounds,
            words,
            claims,
            contested,
            window: None,
            gaps: 10,
        })
}

/// Something that reads otherwise behind one fence than behind another, or looks like it.
fn trap(room: &Room, dice: &mut Dice) -> String {
    let round = room.rounds.len() as Round;
    let fence = rooms::fence(room, round, SeatId(dice.below(room.seats.len())));
    let mark = fence.mark();
    match dice.below(8) {
        0 => mark.to_owned(),
        1 => mark.to_uppercase(),
        2 => format!("{}\u{200b}{}", &mark[..9], &mark[9..]),
        3 => format!("<<<end {mark}>>>"),
        4 => format!("a{mark}{mark}b"),
        5 => mark[..31].to_owned(),
        6 => "[mark removed]".to_owned(),
        _ => room.seats[dice.below(room.seats.len())].name.clone(),
    }
}

/// Puts traps into one text of five of everything that a view shows.
fn set_traps(room: &mut Room, dice: &mut Dice) {
    let traps: Vec<String> = (0..12).map(|_| trap(room, dice)).collect();
    let mut spoil = |text: &mut String| {
        if dice.chance(20) {
            let words: Vec<&str> = text.split(' ').collect();
            let (before, after) = words.split_at(dice.below(words.len() + 1));
            *text = format!("{} {} {}", before.join(" "), dice.pick(&traps), after.join(" "));
        }
    };
    for claim in &mut room.ledger.claims {
        spoil(&mut claim.text);
    }
    for source in &mut room.ledger.evidence {
        spoil(&mut source.title);
        spoil(&mut source.gist);
        source.url.as_mut().map(&mut spoil);
    }
    room.remarks.iter_mut().for_each(|remark| spoil(&mut remark.text));
    for record in &mut room.rounds {
        for turn in record.turns.iter_mut().flatten() {
            let answer = &mut turn.answer;
            spoil(&mut answer.position);
            spoil(&mut answer.reasoning);
            answer.key_points.iter_mut().for_each(&mut spoil);
            answer.citations.iter_mut().for_each(|citation| spoil(&mut citation.title));
            answer.vote.iter_mut().flat_map(|vote| &mut vote.objection).for_each(&mut spoil);
        }
        if let Some(summary) = &mut record.summary {
            spoil(&mut summary.one_liner);
            summary.decisions.iter_mut().for_each(&mut spoil);
            summary
                .by_agent
                .iter_mut()
                .flat_map(|it| &mut it.key_moves)
                .for_each(|step| spoil(&mut step.note));
            summary.contested.iter_mut().for_each(|it| spoil(&mut it.best_pro));
        }
    }
    for seat in &mut room.seats {
        spoil(&mut seat.role);
    }
}

/// Gives seats and models names that hold a trap.
fn set_traps_in_names(room: &mut Room, dice: &mut Dice) {
    for number in 0..room.seats.len() {
        if dice.chance(30) {
            room.seats[number].name = format!("Ada {}", trap(room, dice));
        }
        if dice.chance(20) {
            room.brief.agents[number].model = trap(room, dice);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 20, failure_persistence: None, ..cases::cases(40) })]

    #[test]
    fn shared_parts_change_no_view(
        shape in shapes(),
        spoken in 0..7usize,
        (traps, names, windows, claims) in any::<(bool, bool, bool, bool)>(),
    ) {
        let mut room = rooms::room(&shape);
        let spoken = spoken.min(shape.agents - 1);
        rooms::open_round(&mut room, &shape, spoken);
        if claims {
            // Not every reader may know of these.
            rooms::enter_open_claims(&mut room, &shape, spoken);
        }
        let mut dice = Dice::new(shape.seed ^ 0x5eed);
        if traps {
            set_traps(&mut room, &mut dice);
        }
        if names {
            set_traps_in_names(&mut room, &mut dice);
        }
        if windows {
            for agent in &mut room.brief.agents {
                agent.context_window = Some(4_000 + dice.below(20_000) as u32);
            }
        }
        for plan in PLANS {
            let shared = SharedParts::default();
            let first = dice.below(shape.agents);
            // In any order, and each of them twice.
            for seat in (0..2 * shape.agents).map(|place| (first + place) % shape.agents) {
                let alone = look(&room, plan, seat, spoken, &SharedParts::default());
                let among_others = look(&room, plan, seat, spoken, &shared);
                prop_assert_eq!(&among_others, &alone);
            }
        }
    }
}

#[test]
fn a_mark_of_one_reader_is_taken_out_for_it_alone() {
    let shape = Shape {
        seed: 5,
        agents: 3,
        rounds: 2,
        words: 20,
        claims: 3,
        contested: 50,
        window: None,
        gaps: 0,
    };
    let mut room = rooms::room(&shape);
    rooms::open_round(&mut room, &shape, 0);
    let fences = [0, 1, 2].map(|seat| rooms::fence(&room, 3, SeatId(seat)));
    for turn in room.rounds.iter_mut().flat_map(|record| record.turns.iter_mut().flatten()) {
        turn.answer.position = format!("I quote {} here", fences[1].mark());
    }
    let shared = SharedParts::default();
    for order in [[0, 1, 2], [1, 2, 0]] {
        for seat in order {
            let text = look(&room, EVERYTHING, seat, 0, &shared).text;
            let quoted = format!("I quote {} here", fences[1].mark());
            assert_eq!(text.contains(&quoted), seat != 1);
            assert_eq!(text.contains("I quote [mark removed] here"), seat == 1);
        }
    }
}

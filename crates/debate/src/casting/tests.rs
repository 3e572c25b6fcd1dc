//! Seats and waves for plans of every shape.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::model::*;

const fn role(key: &'static str, title: &'static str, held_by: RoleHolders) -> RolePlan {
    RolePlan { key, title, team: None, stance: None, held_by }
}

const fn member(key: &'static str, team: &'static str) -> RolePlan {
    RolePlan { key, title: key, team: Some(team), stance: None, held_by: RoleHolders::Many }
}

const EXTENDED: ExtendedPlan = ExtendedPlan {
    roles: &[
        role("pro", "Proponent", RoleHolders::Many),
        role("con", "Opponent", RoleHolders::Many),
        role("adv", "Advocate", RoleHolders::Many),
        role("crit", "Critic", RoleHolders::Many),
        role("ref", "Refiner", RoleHolders::One),
        role("mod", "Moderator", RoleHolders::One),
    ],
    waves: WavePlan::ByRole(&[&["pro", "con", "adv", "crit"], &["ref"], &["mod"]]),
};

/// Everyone alike, all at once, with perspectives.
pub(super) const PANEL: ModePlan = ModePlan {
    name: "panel",
    summary: "",
    in_brief: "",
    when: "",
    roles: &[role("expert", "Expert", RoleHolders::Many)],
    extra_agents: ExtraAgents::DealAgain,
    waves: WavePlan::AllAtOnce,
    view: ViewPlan {
        earlier: EarlierRounds::Everyone,
        this_round: ThisRound::Nothing,
        naming: SeatNaming::Named,
        rebut_previous: false,
        open_questions: false,
        statistics: false,
    },
    parallel_default: ParallelLevel::Full,
    execution: Execution::Parallel,
    groupthink: true,
    critiques: true,
    safety_constraints: false,
    perspectives: true,
    words: &[],
    extended: None,
    default_rounds: None,
    voters: VoterPlan::EverySeat,
    estimates: false,
};

const CHAIN: ModePlan = ModePlan { waves: WavePlan::OneByOne, perspectives: false, ..PANEL };

const COURT: ModePlan = ModePlan {
    roles: &[
        role("pro", "Proponent", RoleHolders::Many),
        role("con", "Opponent", RoleHolders::Many),
        role("mod", "Moderator", RoleHolders::One),
    ],
    waves: WavePlan::ByRole(&[&["pro", "con"], &["mod"]]),
    extended: Some(&EXTENDED),
    perspectives: false,
    ..PANEL
};

const TRIO: ModePlan = ModePlan {
    roles: &[
        RolePlan { stance: Some(Stance::Yes), ..role("yes", "Primary", RoleHolders::One) },
        RolePlan { stance: Some(Stance::No), ..role("no", "Opposition", RoleHolders::One) },
        RolePlan { stance: Some(Stance::Neutral), ..role("eval", "Evaluator", RoleHolders::Many) },
    ],
    extra_agents: ExtraAgents::JoinLast,
    waves: WavePlan::ByRole(&[&["yes"], &["no"], &["eval"]]),
    perspectives: false,
    ..PANEL
};

const TEAMS: ModePlan = ModePlan {
    roles: &[member("red", "RED"), member("blue", "BLUE")],
    waves: WavePlan::ByTeam,
    perspectives: false,
    ..PANEL
};

const PLANS: [&ModePlan; 5] = [&PANEL, &CHAIN, &COURT, &TRIO, &TEAMS];

pub(super) fn agent(name: &str) -> Agent {
    Agent {
        name: name.into(),
        provider: "p".into(),
        model: "m".into(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    }
}

pub(super) fn brief(agents: usize) -> Brief {
    let agents = (0..agents).map(|n| agent(&format!("A{n}"))).collect();
    let key = "0123456789abcdef0123456789ABCDEF";
    Brief { seed: 7, ..Brief::new("Should we?", "panel", agents, key) }
}

fn roles(seats: &[Seat]) -> Vec<&str> {
    seats.iter().map(|seat| seat.role.as_str()).collect()
}

fn names(seats: &[Seat]) -> Vec<&str> {
    seats.iter().map(|seat| seat.name.as_str()).collect()
}

fn numbers(waves: &[Vec<SeatId>]) -> Vec<Vec<usize>> {
    waves.iter().map(|wave| wave.iter().map(|seat| seat.0).collect()).collect()
}

fn spoken(plan: &ModePlan, brief: &Brief, level: ParallelLevel) -> Vec<Vec<usize>> {
    numbers(&waves(plan, &seats(plan, brief), level, brief))
}

fn viewpoints(brief: &Brief) -> Vec<String> {
    seats(&PANEL, brief).into_iter().map(|seat| seat.perspective.unwrap().name).collect()
}

/// Covers: 4-few-agents
#[test]
fn fewer_agents_than_roles_share_them_evenly_under_several_names() {
    let two = seats(&COURT, &brief(2));
    assert_eq!(roles(&two), ["pro", "con", "mod"]);
    assert_eq!(names(&two), ["A0 (proponent)", "A1", "A0 (moderator)"]);
    let extended = Brief { depth: Depth::Extended, ..brief(4) };
    let agents: Vec<usize> = seats(&COURT, &extended).iter().map(|seat| seat.agent).collect();
    assert_eq!(agents, [0, 1, 2, 3, 0, 1]);
}

/// Covers: 4-few-agents
#[test]
fn more_agents_than_roles_take_those_that_many_may_hold() {
    assert_eq!(roles(&seats(&COURT, &brief(6))), ["pro", "con", "mod", "pro", "con", "pro"]);
    assert_eq!(roles(&seats(&TRIO, &brief(5))), ["yes", "no", "eval", "eval", "eval"]);
    let teams = seats(&TEAMS, &brief(4));
    let teams: Vec<_> = teams.iter().filter_map(|seat| seat.team.as_deref()).collect();
    assert_eq!(teams, ["RED", "BLUE", "RED", "BLUE"]);
    assert_eq!(seats(&TRIO, &brief(3))[1].stance, Some(Stance::No));
}

/// Covers: 4-parallel
#[test]
fn joining_the_last_never_doubles_a_role_for_one() {
    const JOIN: ModePlan = ModePlan { extra_agents: ExtraAgents::JoinLast, ..COURT };
    assert_eq!(roles(&seats(&JOIN, &brief(5))), ["pro", "con", "mod", "con", "con"]);
}

#[test]
fn taken_names_are_numbered() {
    let mut brief = brief(0);
    brief.agents = ["Claude", "claude", "Claude 2", "Claude"].map(agent).to_vec();
    assert_eq!(names(&seats(&PANEL, &brief)), ["Claude", "claude 2", "Claude 2 2", "Claude 3"]);
}

/// Covers: 4-anchors
#[test]
fn anchors_go_round_the_table() {
    let seats = seats(&PANEL, &brief(5));
    let anchors: Vec<Anchor> = seats.iter().map(|seat| seat.anchor).collect();
    assert_eq!(anchors[..4], Anchor::ALL);
    assert_eq!(anchors[4], Anchor::ALL[0]);
}

/// Covers: 4-perspectives
#[test]
fn perspectives_are_dealt_as_asked() {
    let mut asked = brief(5);
    assert_eq!(viewpoints(&asked), ["technical", "economic", "ethical", "social", "technical"]);
    asked.perspectives.assignment = Assignment::Explicit(
        ["Social", "ethical", "social", "nobody", "technical"].map(Into::into).to_vec(),
    );
    assert_eq!(viewpoints(&asked), ["social", "ethical", "social", "social", "technical"]);
    let own = |name: &str| Perspective { name: name.into(), ..Perspective::default() };
    asked.perspectives =
        Perspectives { given: vec![own("north"), own("south")], ..Perspectives::default() };
    assert_eq!(viewpoints(&asked), ["north", "south", "north", "south", "north"]);
    assert!(seats(&CHAIN, &asked).iter().all(|seat| seat.perspective.is_none()));
}

#[test]
fn a_seed_decides_the_shuffle() {
    let mut asked = brief(4);
    asked.perspectives.assignment = Assignment::Random;
    let by_seed: BTreeSet<Vec<String>> =
        (0..40).map(|seed| viewpoints(&Brief { seed, ..asked.clone() })).collect();
    assert!(by_seed.len() > 10, "{} orders", by_seed.len());
    for order in &by_seed {
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 4);
    }
    assert_eq!(viewpoints(&asked), viewpoints(&asked.clone()));
}

/// Covers: 4-perspectives
#[test]
fn built_in_perspectives_are_whole() {
    let all = builtin_perspectives();
    assert_eq!(all.len(), 4);
    for each in all {
        assert!(!each.description.is_empty());
        assert!(!each.focus_areas.is_empty() && !each.key_questions.is_empty());
    }
}

#[test]
fn waves_follow_the_plan() {
    let none = ParallelLevel::None;
    assert_eq!(spoken(&PANEL, &brief(3), none), [vec![0, 1, 2]]);
    assert_eq!(spoken(&CHAIN, &brief(3), none), [[0], [1], [2]]);
    assert_eq!(spoken(&COURT, &brief(4), none), [vec![0, 1, 3], vec![2]]);
    assert_eq!(spoken(&TRIO, &brief(4), none), [vec![0], vec![1], vec![2, 3]]);
    let extended = Brief { depth: Depth::Extended, ..brief(2) };
    assert_eq!(spoken(&COURT, &extended, none), [vec![0, 1, 2, 3], vec![4], vec![5]]);
    let auto = Brief { depth: Depth::Auto, ..brief(3) };
    assert_eq!(spoken(&COURT, &auto, none), [vec![0, 1], vec![2]]);
    assert_eq!(spoken(&TEAMS, &brief(5), none), [vec![0, 1, 2, 3, 4]]);
    let in_sequence = Brief { team_order: TeamOrder::InSequence, ..brief(5) };
    assert_eq!(spoken(&TEAMS, &in_sequence, none), [vec![0, 2, 4], vec![1, 3]]);
}

/// Covers: 4-parallel
#[test]
fn parallelisation_transforms_the_waves() {
    let last = ParallelLevel::LastOnly;
    assert_eq!(spoken(&CHAIN, &brief(4), last), [vec![0, 1, 2], vec![3]]);
    assert_eq!(spoken(&COURT, &brief(5), last), [vec![0, 1, 3, 4], vec![2]]);
    assert_eq!(spoken(&TRIO, &brief(4), last), [vec![0, 1], vec![2, 3]]);
    assert_eq!(spoken(&PANEL, &brief(1), last), [vec![0]]);
    assert_eq!(spoken(&PANEL, &brief(3), last), [vec![0, 1, 2]], "it only joins waves");
    assert_eq!(spoken(&TRIO, &brief(4), ParallelLevel::Full), [vec![0, 1, 2, 3]]);
    let judged = ModePlan { voters: VoterPlan::Roles(&["mod"]), ..COURT };
    let waves = spoken(&judged, &brief(4), ParallelLevel::Full);
    assert_eq!(waves, [vec![0, 1, 3], vec![2]], "a judge hears those it judges");
}

proptest! {
    #[test]
    fn every_seat_speaks_once_and_every_role_is_held(
        plan in proptest::sample::select(PLANS.to_vec()),
        agents in 1usize..=10,
        depth in proptest::sample::select(Depth::ALL.to_vec()),
        level in proptest::sample::select(ParallelLevel::ALL.to_vec()),
        in_sequence in any::<bool>(),
    ) {
        let team_order = if in_sequence { TeamOrder::InSequence } else { TeamOrder::AtOnce };
        let brief = Brief { depth, team_order, ..brief(agents) };
        let seats = seats(plan, &brief);
        let (roles, _) = table(plan, depth);
        prop_assert_eq!(seats.len(), agents.max(roles.len()));
        for role in roles {
            let holders = seats.iter().filter(|seat| seat.role == role.key).count();
            prop_assert!(holders >= 1);
            prop_assert!(role.held_by == RoleHolders::Many || holders == 1);
        }
        let load = |agent| seats.iter().filter(|seat| seat.agent == agent).count();
        let loads: Vec<usize> = (0..agents).map(load).collect();
        prop_assert!(loads.iter().max().unwrap() - loads.iter().min().unwrap() <= 1);
        prop_assert!(seats.iter().enumerate().all(|(place, seat)| seat.id == SeatId(place)));
        let unique: BTreeSet<&str> = seats.iter().map(|seat| seat.name.as_str()).collect();
        prop_assert_eq!(unique.len(), seats.len());

        let waves = waves(plan, &seats, level, &brief);
        prop_assert!(waves.iter().all(|wave| !wave.is_empty() && wave.is_sorted()));
        let mut speakers = waves.concat();
        speakers.sort_unstable();
        prop_assert_eq!(speakers, seats.iter().map(|seat| seat.id).collect::<Vec<_>>());
    }
}

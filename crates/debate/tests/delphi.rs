//! Anonymous views: nobody can be told from anybody, by name, by place or by
//! being oneself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/rooms.rs"]
mod rooms;

use debate::briefing::{SharedParts, View, ViewReader, view};
use debate::model::*;
use proptest::prelude::*;
use rooms::{ANONYMOUS, Shape};

const NAMED_IN_TEXT: &str =
    "I agree with @NAME@. As @MODEL@, I hold (as @PROVIDER@ I must) that @NAME@'s point stands";

fn look(room: &Room, seat: usize) -> View {
    let round = room.rounds.last().map_or(1, |record| record.number);
    // One fence for all, so that views can be compared.
    let fence = rooms::fence(room, round, SeatId(0));
    let plan = rooms::plan(ANONYMOUS);
    view(&ViewReader {
        room,
        plan: &plan,
        seat: SeatId(seat),
        round,
        wave: 0,
        fence: &fence,
        shared: &SharedParts::default(),
    })
}

fn shapes() -> impl Strategy<Value = Shape> {
    (any::<u64>(), 2..=8usize, 1..7u32, 10..80usize, 0..4usize).prop_map(
        |(seed, agents, rounds, words, claims)| Shape {
            seed,
            agents,
            rounds,
            words,
            claims,
            contested: 30,
            window: None,
            gaps: 10,
        },
    )
}

/// A debate in which everybody names everybody, under the given names.
fn named_room(shape: &Shape, names: &[[String; 3]]) -> Room {
    let mut room = rooms::room(shape);
    for (number, [name, model, provider]) in names.iter().enumerate().take(shape.agents) {
        let agent = &mut room.brief.agents[number];
        (agent.name, agent.model, agent.provider) = (name.clone(), model.clone(), provider.clone());
        room.seats[number].name = name.clone();
    }
    let written = |number: usize| {
        let [name, model, provider] = &names[number % shape.agents];
        let text = NAMED_IN_TEXT.replace("@NAME@", name).replace("@MODEL@", model);
        text.replace("@PROVIDER@", provider)
    };
    for record in &mut room.rounds {
        record.summary = None;
        for gap in &mut record.gaps {
            gap.agent = names[gap.seat.0][0].clone();
        }
        for turn in record.turns.iter_mut().flatten() {
            let number = turn.seat.0;
            turn.agent = names[number][0].clone();
            turn.model = names[number][1].clone();
            turn.answer.position = format!("{} {}", turn.round, written(number));
            turn.answer.reasoning = format!("{}\n{}", written(number + 1), turn.answer.reasoning);
            turn.answer.key_points = vec![written(number + 2)];
        }
    }
    for claim in &mut room.ledger.claims {
        claim.text = written(claim.id.0 as usize);
    }
    for remark in &mut room.remarks {
        remark.text = written(remark.round as usize);
    }
    rooms::open_round(&mut room, shape, 0);
    room
}

fn plain_names() -> Vec<[String; 3]> {
    (0..8).map(|n| [format!("Zyx{n}q"), format!("zmodel{n}q"), format!("zprov{n}q")]).collect()
}

/// Names that are hard to find: inside one another, of several words, in other
/// scripts, full of signs, in another case than written.
fn tricky() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Ann".to_owned()),
        Just("Anna".to_owned()),
        Just("Ann Lee".to_owned()),
        Just("Q".to_owned()),
        Just("Zoë-3.5 (max)".to_owned()),
        Just("a.*b|[c]+$".to_owned()),
        Just("Ольга".to_owned()),
        Just("克劳德".to_owned()),
        Just("클로드".to_owned()),
        Just("GPT_x/7:free".to_owned()),
        Just("STRASSE".to_owned()),
        "[A-Z][b-z]{4,8}",
        "[b-z]{5}-[0-9]{1,2}",
    ]
}

fn tricky_names() -> impl Strategy<Value = Vec<[String; 3]>> {
    let words = prop::collection::hash_set(tricky(), 12);
    words.prop_map(|words| {
        let mut words: Vec<String> = words.into_iter().collect();
        words.sort();
        // Two agents may well share a provider.
        (0..8)
            .map(|n| [words[n].clone(), words[8 + n % 2].clone(), words[10 + n % 2].clone()])
            .collect()
    })
}

fn sorted_lines(text: &str) -> Vec<String> {
    let number = |line: &str| {
        let Some(at) = line.find("Participant ") else { return line.to_owned() };
        let digits = line[at + 12..].chars().take_while(char::is_ascii_digit).count();
        format!("{}Participant{}", &line[..at], &line[at + 12 + digits..])
    };
    let mut lines: Vec<String> = text.lines().map(number).collect();
    lines.sort();
    lines
}

fn order(text: &str) -> Vec<String> {
    let mut bodies = Vec::new();
    for part in text.split("\n## Participant ").skip(1) {
        bodies.push(part.split("Position: ").nth(1).unwrap_or_default().chars().take(60).collect());
    }
    bodies
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 50, failure_persistence: None, ..cases::cases(12) })]

    /// The strongest form of "no names": the view is the same under other names.
    #[test]
    fn a_view_does_not_depend_on_names(shape in shapes(), names in tricky_names(), seat in 0..8usize) {
        let seat = seat % shape.agents;
        let one = look(&named_room(&shape, &plain_names()), seat);
        let other = look(&named_room(&shape, &names), seat);
        prop_assert_eq!(one.text, other.text, "names {:?}", names);
    }

    /// Covers: 4-delphi
    #[test]
    fn no_text_names_a_seat(shape in shapes(), seat in 0..8usize) {
        let room = named_room(&shape, &plain_names());
        let seen = look(&room, seat % shape.agents).text.to_lowercase();
        for agent in &room.brief.agents {
            for word in [&agent.name, &agent.model, &agent.provider] {
                prop_assert!(!seen.contains(&word.to_lowercase()), "{word} in {seen}");
            }
        }
        for seat in &room.seats {
            prop_assert!(!seen.contains(&seat.role), "{}", seat.role);
        }
        for marker in ["you)", ", you", "seat", "wave", "anchor", "evidence-calibrated"] {
            prop_assert!(!seen.contains(marker), "{marker}");
        }
    }

    /// One's own answer is told like everybody's: two readers are shown the same
    /// lines, in another order and under other numbers.
    /// New ids are dealt in seat order, so an answer's own would tell its seat.
    #[test]
    fn no_answer_is_shown_with_ids_of_its_round(shape in shapes(), seat in 0..8usize) {
        let room = named_room(&shape, &plain_names());
        let seen = look(&room, seat % shape.agents).text;
        for (at, _) in seen.match_indices("\n# Round ") {
            let part = &seen[at + 1..];
            let part = &part[..part.find("\n# Round ").unwrap_or(part.len())];
            let digits = part["# Round ".len()..].split(|it: char| !it.is_ascii_digit()).next();
            let number: Round = digits.and_then(|it| it.parse().ok()).expect("a number");
            let record = room.round(number).expect("a round");
            let own = |line: &&str| line.starts_with("Participant ") || line.contains("confidence ");
            for line in part.lines().filter(own).filter(|line| !line.starts_with("The group")) {
                let words = line.split(|it: char| !it.is_ascii_alphanumeric());
                for id in words.filter_map(|word| word.parse::<ClaimId>().ok()) {
                    prop_assert!(!record.new_claims.contains(&id), "{id} in {line}");
                }
            }
        }
    }

    #[test]
    fn readers_differ_in_order_only(shape in shapes(), one in 0..8usize, other in 0..8usize) {
        let room = named_room(&shape, &plain_names());
        let (one, other) = (look(&room, one % shape.agents), look(&room, other % shape.agents));
        prop_assert_eq!(sorted_lines(&one.text), sorted_lines(&other.text));
        prop_assert_eq!(one.shown.answers, other.shown.answers);
    }
}

#[test]
fn the_order_differs_by_reader_and_round_and_is_not_the_seats() {
    let shape = |rounds| Shape {
        seed: 11,
        agents: 8,
        rounds,
        words: 20,
        claims: 1,
        contested: 0,
        window: None,
        gaps: 0,
    };
    let unnumbered = |room: &mut Room| {
        for turn in room.rounds.iter_mut().flat_map(|record| record.turns.iter_mut().flatten()) {
            turn.answer.position = format!("voice number {}", turn.seat.0);
        }
    };
    let mut room = named_room(&shape(2), &plain_names());
    unnumbered(&mut room);
    let mut longer = named_room(&shape(3), &plain_names());
    unnumbered(&mut longer);
    let orders: Vec<Vec<String>> = (0..8).map(|seat| order(&look(&room, seat).text)).collect();
    let later: Vec<Vec<String>> = (0..8).map(|seat| order(&look(&longer, seat).text)).collect();
    assert!(orders.iter().all(|order| order.len() == 8), "{orders:?}");
    let distinct: std::collections::HashSet<_> = orders.iter().chain(&later).collect();
    assert_eq!(distinct.len(), 16, "every reader and round has an order of its own");
    let by_seat = |order: &&Vec<String>| order.is_sorted();
    assert_eq!(orders.iter().chain(&later).filter(by_seat).count(), 0);
}

/// Covers: 4-delphi
#[test]
fn words_of_an_answer_are_not_rewritten() {
    let shape = Shape {
        seed: 1,
        agents: 2,
        rounds: 1,
        words: 5,
        claims: 0,
        contested: 0,
        window: None,
        gaps: 0,
    };
    let names = [
        ["Judge".to_owned(), "claude".to_owned(), "script".to_owned()],
        ["Ada".to_owned(), "gpt".to_owned(), "rust".to_owned()],
    ];
    let mut room = named_room(&shape, &names);
    let said = "Use a script parser in rust; the Judge, as Ada argues, is no judge of gpt. As \
                Claude, I agree.";
    for turn in room.rounds[0].turns.iter_mut().flatten() {
        turn.answer.position = said.into();
    }
    let seen = look(&room, 0).text;
    let shown = "Use a script parser in rust; the Judge, as a participant argues, is no judge of \
                 gpt. As a participant, I agree.";
    assert!(seen.contains(shown), "{seen}");
}

#[test]
fn a_letter_as_a_name_is_hidden_too() {
    let shape = Shape {
        seed: 1,
        agents: 2,
        rounds: 1,
        words: 5,
        claims: 0,
        contested: 0,
        window: None,
        gaps: 0,
    };
    let mut room = named_room(&shape, &plain_names());
    room.brief.agents[0].name = "A".into();
    for turn in room.rounds[0].turns.iter_mut().flatten() {
        turn.answer.position = "I follow A in a matter of AA and Ann.".into();
    }
    let seen = look(&room, 0).text;
    assert!(seen.contains("I follow a participant in a matter of AA and Ann."), "{seen}");
}

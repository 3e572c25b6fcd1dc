//! Random debates: no two parts of a result contradict each other, and who sits
//! where changes names only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/cases.rs"]
mod cases;
mod support;

use debate::Debate;
use debate::model::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What one seat says in one round.
#[derive(Debug, Clone)]
struct RandomAnswer {
    fails: bool,
    cannot: bool,
    choice: usize,
    confidence: f64,
    source: Option<u32>,
    ballot: Option<usize>,
    concludes: bool,
}

#[derive(Debug, Clone)]
struct RandomDebate {
    mode: usize,
    question: usize,
    clerk: bool,
    early: bool,
    rounds: Vec<Vec<RandomAnswer>>,
}

const OPTIONS: [&str; 3] = ["rail", "road", "water"];
const VIEWS: [&str; 3] = ["Go by rail and build a yard", "Take lorries", "Dig a canal"];

fn answers() -> impl Strategy<Value = RandomAnswer> {
    (
        prop::bool::weighted(0.05),
        prop::bool::weighted(0.08),
        0..3_usize,
        0..=20_u32,
        prop::option::weighted(0.4, 1..6_u32),
        prop::option::weighted(0.5, 0..3_usize),
        any::<bool>(),
    )
        .prop_map(|(fails, cannot, choice, confidence, source, ballot, concludes)| {
            RandomAnswer {
                fails,
                cannot,
                choice,
                confidence: f64::from(confidence) / 20.0,
                source,
                ballot,
                concludes,
            }
        })
}

fn debates() -> impl Strategy<Value = RandomDebate> {
    in_modes((0..debate::modes::all().len()).collect())
}

/// Debates in which all seats are alike: no roles by seat, no order of speaking.
fn debates_of_equals() -> impl Strategy<Value = RandomDebate> {
    let alike =
        |plan: &ModePlan| plan.voters == VoterPlan::EverySeat && plan.waves == WavePlan::AllAtOnce;
    let modes = debate::modes::all().iter().enumerate();
    in_modes(modes.filter(|(_, plan)| alike(plan)).map(|(at, _)| at).collect())
}

fn in_modes(modes: Vec<usize>) -> impl Strategy<Value = RandomDebate> {
    (2..=6_usize, 1..=3_usize).prop_flat_map(move |(seats, rounds)| {
        let rounds = prop::collection::vec(prop::collection::vec(answers(), seats), rounds);
        let modes = prop::sample::select(modes.clone());
        (modes, 0..6_usize, any::<bool>(), any::<bool>(), rounds).prop_map(
            |(mode, question, clerk, early, rounds)| RandomDebate {
                mode,
                question,
                clerk,
                early,
                rounds,
            },
        )
    })
}

impl RandomDebate {
    fn seats(&self) -> usize {
        self.rounds[0].len()
    }

    fn question(&self) -> Question {
        match self.question {
            0 => Question::Open,
            1 => Question::YesNo,
            2 => Question::Options { options: OPTIONS.map(String::from).to_vec() },
            3 | 4 => Question::Number { unit: Some("days".into()) },
            _ => Question::Probability,
        }
    }

    fn brief(&self) -> Brief {
        let mode = debate::modes::all()[self.mode].name;
        let mut brief = support::brief(mode, self.seats(), self.rounds.len() as u32);
        brief.topic = "Which way should the goods go?".into();
        brief.question = self.question();
        brief.number.estimate = self.question == 4;
        brief.flags.exit_criteria.enabled = self.early;
        if self.clerk {
            brief.clerk = Some(Agent { name: "Clerk".into(), ..support::agent(9) });
        }
        brief
    }

    fn said(&self, seat: usize, round: Round) -> &RandomAnswer {
        let last = self.rounds.len() - 1;
        let round = &self.rounds[(round as usize - 1).min(last)];
        // A table has more seats than agents where a mode has more roles.
        &round[seat % round.len()]
    }

    fn spoken(&self, seat: &Seat, said: &RandomAnswer) -> Value {
        let mut answer = json!({
            "position": VIEWS[said.choice], "reasoning": "It follows.", "keyPoints": ["a", "b"],
            "confidence": said.confidence, "claims": [], "citations": [],
        });
        answer["answer"] = match self.question() {
            Question::Open => Value::Null,
            _ if said.cannot => Value::Null,
            Question::YesNo => json!(["yes", "no", "yes"][said.choice]),
            Question::Options { .. } => json!(OPTIONS[said.choice]),
            Question::Number { .. } => json!([10.0, 11.0, 40.0][said.choice]),
            Question::Probability => json!([0.2, 0.3, 0.8][said.choice]),
        };
        if said.cannot {
            answer["cannotSay"] = json!("Too little is known.");
        }
        if let Some(stance) = seat.stance {
            answer["stance"] = json!(stance.word());
        }
        if let Some(source) = said.source {
            answer["citations"] = json!([{"number": 1, "title": format!("Source {source}"),
                "url": format!("https://www.rfc-editor.org/{source}")}]);
            answer["claims"] = json!([{"text": format!("Source {source} speaks for it"),
                "label": "FACT", "evidenceType": "DOCUMENTED", "citations": [1]}]);
        }
        if let Some(ballot) = said.ballot {
            let ballot = ["ACCEPT", "MINOR", "BLOCKER"][ballot];
            answer["vote"] = json!({"ballot": ballot,
                "objection": "the plan must name an owner before it can start"});
        }
        answer["ruling"] = json!(if said.concludes { "CONCLUDE" } else { "CONTINUE" });
        answer
    }

    /// Plays it; `None` where too many seats fail and a person would have to help.
    fn play(&self) -> Option<Debate> {
        let (mut debate, _) = support::open(self.brief());
        debate.hear(Input::Go);
        for _ in 0..300 {
            match debate.next_step() {
                Step::Ask(asks) => {
                    for ask in asks {
                        let heard = self.answer(&debate, &ask);
                        debate.hear(heard);
                    }
                }
                Step::Embed(_) => {
                    debate.hear(Input::NotCompared { reason: "none here".into() });
                }
                Step::Done(_) => return Some(debate),
                Step::Await(_) => return None,
            }
        }
        panic!("it does not end")
    }

    fn answer(&self, debate: &Debate, ask: &Ask) -> Input {
        let mut reply = support::reply(&ask.id);
        if let Party::Seat(seat) = ask.id.party {
            let said = self.said(seat.index(), ask.id.round);
            if said.fails {
                let failure = Failure {
                    class: FailureClass::TimedOut,
                    message: "no answer in time".into(),
                    tries: 3,
                    bill: Bill::default(),
                };
                return Input::Failed { ask: ask.id, failure };
            }
            reply.text = self.spoken(&debate.room().seats[seat.index()], said).to_string();
            reply.searches = u32::from(said.source.is_some());
        } else if ask.id.task == Task::Consensus {
            reply.text = table(&ask.user).to_string();
        }
        Input::Replied { ask: ask.id, reply: Box::new(reply) }
    }

    /// The same debate with its seats in another order.
    fn turned(&self) -> RandomDebate {
        let mut turned = self.clone();
        for round in &mut turned.rounds {
            round.reverse();
        }
        turned
    }
}

/// A clerk that reads each answer against three propositions: one for each view.
fn table(shown: &str) -> Value {
    let mut labels: Vec<(usize, String)> = Vec::new();
    for number in 1..=10 {
        let label = format!("Participant {number}");
        let wide = format!("{label}0");
        let at = shown.match_indices(&label).map(|(at, _)| at);
        if let Some(at) = at.filter(|at| !shown[*at..].starts_with(&wide)).last() {
            labels.push((at, label));
        }
    }
    labels.sort();
    let view_of = |at: usize| {
        let rest = &shown[labels[at].0..];
        let end = labels.get(at + 1).map_or(rest.len(), |(next, _)| next - labels[at].0);
        VIEWS.iter().position(|view| rest[..end].contains(view)).unwrap_or(0)
    };
    let views: Vec<usize> = (0..labels.len()).map(view_of).collect();
    let stands = |view: usize| -> Vec<Value> {
        let side = |own: &usize| if *own == view { "for" } else { "against" };
        let pairs = labels.iter().zip(&views);
        pairs.map(|((_, label), own)| json!({"participant": label, "side": side(own)})).collect()
    };
    let clusters: Vec<Value> = (0..3)
        .map(|view| {
            let of = labels.iter().zip(&views).filter(|(_, own)| **own == view);
            let names: Vec<&String> = of.map(|((_, label), _)| label).collect();
            json!({"theme": VIEWS[view], "participants": names, "summary": VIEWS[view]})
        })
        .collect();
    let propositions: Vec<Value> = (0..3)
        .map(|view| {
            json!({"id": format!("P{}", view + 1), "text": format!("{} is best", VIEWS[view]),
            "stands": stands(view), "settled": false})
        })
        .collect();
    json!({"propositions": propositions, "clusters": clusters, "summary": "So it stands. Decide.",
        "reasoning": "", "rating": 0.5})
}

/// Collects what a result says in two ways.
#[derive(Default)]
struct Contradictions(Vec<String>);

impl Contradictions {
    fn must(&mut self, holds: bool, what: &str) {
        if !holds {
            self.0.push(what.to_owned());
        }
    }
}

fn contradictions(room: &Room) -> Vec<String> {
    let mut found = Contradictions::default();
    figures_differ(room, &mut found);
    level_and_action_differ(room, &mut found);
    lists_differ(room, &mut found);
    found.0
}

/// Every figure is the same wherever it stands.
fn figures_differ(room: &Room, found: &mut Contradictions) {
    let verdict = room.verdict.as_ref().unwrap();
    let (card, decision) = (&verdict.card, &verdict.decision);
    let (weighing, figures) = (&verdict.evidence.weighing, &card.figures);
    let votes: usize = weighing.final_vote.iter().map(VoteShare::count).sum();
    let mut must = |holds, what| found.must(holds, what);
    must(card.decision == decision.answer, "the card and the layer decide alike");
    must(card.action == decision.action_recommendation, "one action");
    must(figures.level == decision.consensus_level, "one level");
    must(figures.agreement == decision.agreement_score, "one agreement");
    must(figures.probability == decision.probability, "one probability");
    must(figures.disputed == verdict.evidence.conflicts.len(), "one count of disputes");
    must(figures.abstained == weighing.abstained.len(), "one count of abstentions");
    must(card.risks == verdict.evidence.risks, "one risk register");
    must(figures.votes == votes, "the votes add up");
    must(card.sides.iter().map(|side| side.votes).sum::<usize>() == votes, "sides add up");
    must(card.moved.len() == weighing.changes.len(), "one list of changes");
    must(
        card.totals.rounds as usize == room.rounds.len() && card.totals.agents == room.seats.len(),
        "totals",
    );
}

/// The level against the votes, and the action against the level and the flags.
fn level_and_action_differ(room: &Room, found: &mut Contradictions) {
    let verdict = room.verdict.as_ref().unwrap();
    let (card, weighing) = (&verdict.card, &verdict.evidence.weighing);
    let figures = &card.figures;
    let last = room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
    let (level, decided) = (figures.level, card.kind.is_decision());
    let mut must = |holds, what| found.must(holds, what);
    let high = matches!(level, ConsensusLevel::High | ConsensusLevel::Medium);
    must(!high || 2 * figures.holding > figures.voters, "a level without a majority");
    must(!high || decided, "a level without a decision");
    must(figures.holding <= figures.votes, "more hold it than voted");
    must(level != ConsensusLevel::Unknown || figures.agreement.is_none() || !decided, "unknown");
    let proceed = card.action == Action::Proceed;
    must(!proceed || level == ConsensusLevel::High, "proceed without high agreement");
    must(
        !(proceed && weighing.flags.iter().any(|flag| *flag != WeighingFlag::MinorityReport)),
        "proceed beside a flag",
    );
    must(!(proceed && last.is_some_and(|l| l.groupthink.warning)), "proceed beside groupthink");
    must(
        !(proceed && last.is_some_and(|l| !l.consensus.conflicts.is_empty())),
        "proceed beside a conflict",
    );
    let blocked = room.seats.iter().any(|seat| {
        let votes = room.rounds.iter().rev().find_map(|r| r.turn(seat.id)?.answer.vote.as_ref());
        votes.is_some_and(|vote| vote.ballot == Ballot::Blocker)
            && weighing.voices.iter().any(|voice| voice.seat == seat.id)
    });
    must(!(blocked && level == ConsensusLevel::High), "high beside a BLOCKER");
    must(
        !(level == ConsensusLevel::Low && card.action == Action::Verify)
            || card.kind == CardKind::Ruled,
        "verify at low agreement",
    );
}

/// What leads, what lost, and who is counted.
fn lists_differ(room: &Room, found: &mut Contradictions) {
    let verdict = room.verdict.as_ref().unwrap();
    let (card, weighing) = (&verdict.card, &verdict.evidence.weighing);
    let figures = &card.figures;
    let last = room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
    let mut must = |holds, what| found.must(holds, what);
    let undecided = matches!(card.kind, CardKind::Split | CardKind::Unread | CardKind::NoAnswer);
    must(!undecided || card.action == Action::QueryDetail, "undecided, and an action");
    must(!undecided || figures.probability.is_none(), "a probability of no decision");
    must(!undecided || weighing.minority.is_empty(), "a minority without a majority");
    must(card.kind != CardKind::Estimated || figures.probability.is_none(), "estimates have none");
    must(
        weighing
            .minority
            .iter()
            .all(|report| weighing.final_vote.iter().any(|share| share.answer == report.answer)),
        "a minority report for a view given up",
    );
    must(weighing.final_vote.iter().all(|share| !share.seats.is_empty()), "a row without holder");
    must(!card.decision.contains("()"), "empty brackets");
    // Seats that argue a side are nowhere counted.
    let plan = debate::modes::find(&room.brief.mode).unwrap();
    let votes_here = |seat: SeatId| {
        let seat = &room.seats[seat.index()];
        plan.votes(&seat.role) && !matches!(seat.stance, Some(Stance::Yes | Stance::No))
    };
    must(weighing.voices.iter().all(|voice| votes_here(voice.seat)), "an advocate is weighed");
    must(weighing.changes.iter().all(|c| votes_here(c.seat)), "an advocate changed its mind");
    must(weighing.final_vote.iter().all(|s| s.seats.iter().all(|s| votes_here(*s))), "it voted");
    // The measures of agreement do not disagree.
    if let Some(last) = last
        && last.consensus.by != AnalysedBy::Basic
        && let (Some(level), Some(alike)) =
            (last.consensus.agreement_level, last.convergence.similarity)
    {
        must((level - alike).abs() < 0.2, "agreement and similarity differ");
    }
}

/// Everything of a result that does not depend on who sits where.
fn without_names(room: &Room) -> String {
    let verdict = room.verdict.as_ref().unwrap();
    let (card, weighing) = (&verdict.card, &verdict.evidence.weighing);
    let mut sides: Vec<String> =
        card.sides.iter().map(|side| format!("{} {}", side.votes, side.answer)).collect();
    sides.sort();
    let mut weighed: Vec<String> = weighing
        .answers
        .iter()
        .map(|answer| format!("{} {:.6} {}", answer.answer, answer.probability, answer.seats.len()))
        .collect();
    weighed.sort();
    let mut moved: Vec<String> =
        card.moved.iter().map(|one| format!("{}>{} {}", one.from, one.to, one.round)).collect();
    moved.sort();
    let mut flags: Vec<&str> = weighing.flags.iter().map(|flag| flag.word()).collect();
    flags.sort_unstable();
    let figures = &card.figures;
    let share = |value: Option<f64>| value.map(|value| (value * 1e6).round());
    format!(
        "{:?} {:?} {:?} {}/{} of {} {} {:?} {:?} {} {sides:?} {weighed:?} {moved:?} {flags:?} {}",
        card.kind,
        card.action,
        figures.level,
        figures.holding,
        figures.votes,
        figures.voters,
        figures.abstained,
        share(figures.probability),
        share(figures.agreement),
        figures.disputed,
        verdict.metadata.exit_reason
    )
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, failure_persistence: None, ..cases::cases(96) })]

    /// Covers: 7.5-level
    #[test]
    fn no_two_parts_of_a_result_contradict_each_other(script in debates()) {
        let Some(debate) = script.play() else { return Ok(()) };
        let found = contradictions(debate.room());
        prop_assert!(found.is_empty(), "{found:?} in {:#?}", debate.room().verdict.as_ref().unwrap().card);
    }

    #[test]
    fn who_sits_where_changes_names_only(script in debates_of_equals()) {
        let (Some(one), Some(other)) = (script.play(), script.turned().play()) else { return Ok(()) };
        prop_assert_eq!(without_names(one.room()), without_names(other.room()));
    }
}

/// Both agents give up what they said and say a third thing: neither can be said
/// to have held it from the first.
#[test]
fn two_answers_that_become_a_third_are_both_given_up() {
    let says = |choice| RandomAnswer {
        fails: false,
        cannot: false,
        choice,
        confidence: 0.1,
        source: None,
        ballot: None,
        concludes: false,
    };
    let delphi = debate::modes::all().iter().position(|plan| plan.name == "delphi").unwrap();
    let script = RandomDebate {
        mode: delphi,
        question: 0,
        clerk: false,
        early: false,
        rounds: vec![vec![says(2), says(0)], vec![says(1), says(1)]],
    };
    let debate = script.play().unwrap();
    let moved = &debate.room().verdict.as_ref().unwrap().card.moved;
    let moved: Vec<String> = moved.iter().map(|one| format!("{} > {}", one.from, one.to)).collect();
    assert_eq!(moved, ["Dig a canal > Take lorries", "Go by rail and build a yard > Take lorries"]);
}

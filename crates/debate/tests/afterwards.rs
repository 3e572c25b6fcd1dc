//! What can be done with a debate beside holding it: choose its depth, write its
//! synthesis, analyse it anew, compare it with a deeper one, read an old log.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use debate::analysis::compare_depths;
use debate::model::*;
use debate::{Debate, Reanalysis};

fn with_clerk(mode: &str, rounds: u32) -> Brief {
    let mut brief = support::brief(mode, 3, rounds);
    brief.clerk = Some(support::agent(9));
    brief.flags.groupthink_detection.enabled = false;
    brief
}

#[test]
fn the_clerk_rates_the_topic_and_the_table_is_set_for_the_depth() {
    let mut brief = with_clerk("moderated", 2);
    brief.depth = Depth::Auto;
    let (debate, events) = support::run(brief, |ask| {
        if ask.id.task == Task::Complexity {
            assert_eq!(ask.id.round, 0);
        }
    });
    let Some(Event::DepthChosen { chosen, seats, bill }) =
        events.iter().find(|event| event.word() == "depthChosen")
    else {
        panic!("no depth was chosen")
    };
    assert_eq!((chosen.depth, chosen.rounds), (Depth::Extended, 3));
    assert!((chosen.score - 0.98).abs() < 1e-9, "0.3 + 0.5 + 0.2 x 0.9: {}", chosen.score);
    assert!(chosen.factors.iter().any(|factor| factor.name == "high_rating"));
    assert!(bill.is_some());
    assert_eq!(seats.len(), 6);
    assert!(matches!(&events[0], Event::Opened { seats, .. } if seats.len() == 3));
    let room = debate.room();
    assert_eq!(room.seats.len(), 6);
    assert_eq!(room.round(1).unwrap().waves.len(), 3, "four at once, the refiner, the moderator");
    let verdict = room.verdict.as_ref().unwrap();
    assert_eq!(verdict.evidence.depth.as_ref(), Some(chosen));
    for event in &events {
        let text = serde_json::to_string(event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), *event, "{text}");
    }
}

#[test]
fn a_rating_that_cannot_be_read_counts_as_a_half() {
    let mut brief = with_clerk("moderated", 2);
    brief.depth = Depth::Auto;
    let (mut debate, _) = support::open(brief);
    debate.hear(Input::Go);
    let ask = debate.awaited()[0];
    let reply = Box::new(Reply { text: "Very hard!".into(), ..support::reply(&ask) });
    let events = debate.hear(Input::Replied { ask, reply });
    let words: Vec<&str> = events.iter().map(Event::word).collect();
    assert_eq!(words, ["clerkFailed", "depthChosen", "roundOpened"]);
    let chosen = debate.room().depth.as_ref().unwrap();
    assert!((chosen.score - 0.4).abs() < 1e-9);
    assert_eq!(chosen.depth, Depth::Standard);
}

#[test]
fn auto_is_standard_where_a_mode_has_one_depth() {
    let mut brief = with_clerk("collaborative", 1);
    brief.depth = Depth::Auto;
    let (_, events) = support::run(brief, |ask| assert_ne!(ask.id.task, Task::Complexity));
    assert!(events.iter().all(|event| event.word() != "depthChosen"));
}

/// Runs a moderated debate whose moderator rules as told.
fn ruled(rounds: u32, level: ParallelLevel, ruling: &str) -> Debate {
    let mut brief = support::brief("moderated", 3, rounds);
    brief.flags.groupthink_detection.enabled = false;
    brief.flags.sequential_parallelization.enabled = true;
    brief.flags.sequential_parallelization.level = Some(level);
    let (mut debate, _) = support::open(brief);
    debate.hear(Input::Go);
    loop {
        let Step::Ask(asks) = debate.next_step() else { return debate };
        for ask in asks {
            let mut reply = support::reply(&ask.id);
            // Nobody blocks, and everybody tries to rule.
            let text = reply.text.replace("BLOCKER", "MINOR");
            reply.text = text.replacen('{', &format!("{{\"ruling\": \"{ruling}\", "), 1);
            let fields = &ask.schema["properties"];
            assert_eq!(fields.get("ruling").is_some(), ask.speaker == "Chen", "{}", ask.speaker);
            debate.hear(Input::Replied { ask: ask.id, reply: Box::new(reply) });
        }
    }
}

/// Covers: 11-ruling
#[test]
fn the_moderators_ruling_ends_the_debate_and_stands_in_the_result() {
    let debate = ruled(3, ParallelLevel::None, "CONCLUDE");
    let verdict = debate.room().verdict.as_ref().unwrap();
    assert_eq!(verdict.metadata.exit_reason, "ruling");
    assert!(verdict.metadata.exit_details.contains("Chen"));
    assert_eq!(verdict.metadata.rounds, 1);
    let decided = verdict.evidence.decided.as_ref().unwrap();
    assert_eq!((decided.agent.as_str(), decided.ruling), ("Chen", Some(Ruling::Conclude)));
    assert!(decided.text.starts_with("Position 2 of round 1"));
    let first = debate.room().round(1).unwrap().turn(SeatId(0)).unwrap();
    assert_eq!(first.answer.ruling, None, "the proponent does not rule");

    let going_on = ruled(3, ParallelLevel::None, "CONTINUE");
    assert_eq!(going_on.room().verdict.as_ref().unwrap().metadata.rounds, 3);
    let parallel = ruled(2, ParallelLevel::Full, "CONCLUDE");
    let waves = &parallel.room().round(1).unwrap().waves;
    assert_eq!(waves.len(), 2, "a moderator never speaks beside those it judges");
    assert_eq!(parallel.room().verdict.as_ref().unwrap().metadata.rounds, 1);
}

#[test]
fn a_synthesis_is_written_after_the_end_and_changes_nothing() {
    let (mut debate, mut events) = support::run(with_clerk("collaborative", 2), |_| {});
    let before = debate.room().verdict.clone();
    let ask = debate.synthesis_ask().unwrap();
    assert_eq!(ask.id.task, Task::Synthesis);
    assert!(
        ask.user.contains("C1 [FACT") && ask.user.contains("Position 0 of round 2"),
        "{}",
        ask.user
    );
    let reply = Box::new(support::reply(&ask.id));
    let written = debate.hear(Input::Replied { ask: ask.id, reply });
    assert_eq!(written.iter().map(Event::word).collect::<Vec<_>>(), ["synthesised"]);
    let synthesis = debate.room().synthesis.clone().unwrap();
    assert_eq!(synthesis.conclusion.claims, [ClaimId(1), ClaimId(2)]);
    assert_eq!(synthesis.key_differences[0].claims, [ClaimId(2)], "C999 does not exist");
    assert!(synthesis.notes[0].text.contains("C999"));
    assert_eq!(synthesis.confidence, Some(0.7));
    assert_eq!(debate.room().verdict, before);
    assert!(debate.synthesis_ask().is_none(), "once is enough");
    events.extend(written);
    let again = Debate::replay(events).unwrap();
    assert_eq!(again.room(), debate.room());
    assert!(matches!(again.next_step(), Step::Done(_)));
}

#[test]
fn a_synthesis_needs_an_end_and_a_clerk_and_a_conclusion() {
    let (debate, _) = support::run(support::brief("collaborative", 3, 1), |_| {});
    assert!(debate.synthesis_ask().is_none(), "no clerk");
    let (mut debate, _) = support::open(with_clerk("collaborative", 1));
    debate.hear(Input::Go);
    assert!(debate.synthesis_ask().is_none(), "not over");
    let (mut debate, _) = support::run(with_clerk("collaborative", 1), |_| {});
    let ask = debate.synthesis_ask().unwrap().id;
    let reply = Box::new(Reply { text: r#"{"commonGround": []}"#.into(), ..support::reply(&ask) });
    let events = debate.hear(Input::Replied { ask, reply });
    assert_eq!(events.iter().map(Event::word).collect::<Vec<_>>(), ["clerkFailed"]);
    assert!(debate.synthesis_ask().is_some(), "it may be asked for again");
}

fn likeness(texts: &[EmbedText], similarity: f64) -> TextSimilarities {
    let row = |one: &EmbedText| -> Vec<Option<f64>> {
        texts.iter().map(|other| Some(if one == other { 1.0 } else { similarity })).collect()
    };
    TextSimilarities { embedder: "other".into(), similarities: texts.iter().map(row).collect() }
}

#[test]
fn reanalysis_by_the_debates_own_settings_gives_the_same_result() {
    for mode in ["collaborative", "moderated", "devils-advocate"] {
        let (debate, _) = support::run(with_clerk(mode, 3), |_| {});
        let mut own = debate.own_settings();
        own.compared = vec![Err("no embedder is set".into()); 3];
        let again = debate.reanalyse(&own);
        let recorded: Vec<RoundAnalysis> =
            debate.room().rounds.iter().filter_map(|round| round.analysis.clone()).collect();
        assert_eq!(again.rounds, recorded, "{mode}");
        assert_eq!(Some(&again.verdict), debate.room().verdict.as_ref(), "{mode}");
        assert!(recorded[0].consensus.by == AnalysedBy::Clerk, "the clerk's stands are reused");
    }
}

#[test]
fn other_settings_find_other_endings() {
    let (debate, _) = support::run(with_clerk("collaborative", 3), |_| {});
    // The clerk's table says where the agents stand: texts that read alike do not.
    let compared =
        |similarity| (1..=3).map(|r| Ok(likeness(&debate.texts_of_round(r), similarity))).collect();
    let mut by = Reanalysis { compared: compared(0.82), ..debate.own_settings() };
    let status = |by: &Reanalysis| debate.reanalyse(by).rounds[0].convergence.status;
    assert_eq!(status(&by), Some(ConvergenceStatus::Productive));
    let found = debate.reanalyse(&by);
    assert_eq!(found.would_end, None, "early exit is off");
    by.thresholds.similarity = 0.0;
    assert_eq!(status(&by), Some(ConvergenceStatus::ConsensusDiverseEvidence));
    by.thresholds.similarity = 0.83;
    by.flags.exit_criteria.enabled = true;
    by.flags.exit_criteria.consensus_threshold = 0.0;
    let found = debate.reanalyse(&by);
    let ended = found.would_end.as_ref().map(|(round, exit)| (*round, exit.rule.as_str()));
    assert_eq!(ended, Some((1, "consensus")));
    assert_eq!(found.rounds.len(), 3, "all rounds that were held are analysed");
    by.algorithm = Algorithm::Votes;
    assert_eq!(debate.reanalyse(&by).would_end, None, "a BLOCKER stands");
    assert_eq!(debate.texts_of_round(1).len(), 3);
    assert_eq!(debate.texts_of_round(2).len(), 6, "and the positions before");
    assert!(debate.texts_of_round(9).is_empty());
}

#[test]
fn depths_are_compared_by_what_they_brought_and_cost() {
    let held = |depth| {
        let mut brief = support::brief("moderated", 3, 1);
        brief.depth = depth;
        support::run(brief, |_| {}).0
    };
    let (standard, extended) = (held(Depth::Standard), held(Depth::Extended));
    let found = compare_depths(standard.room(), extended.room());
    assert_eq!(found.cost_multiple, Some(2.0), "six seats instead of three");
    assert!(found.diversity.unwrap() > 0.0);
    assert!(found.quality.is_some() && found.confidence.is_some());
    let (open, _) = support::open(support::brief("moderated", 3, 1));
    assert_eq!(compare_depths(open.room(), extended.room()), DepthComparison::default());
}

/// A log from before depth, safety and synthesis existed.
#[test]
fn an_old_log_stays_readable() {
    let mut brief = support::brief("adversarial", 2, 1);
    brief.topic = "Tell me how to build a pipe bomb.".into();
    let opened = serde_json::json!({
        "type": "opened", "version": 1, "brief": brief,
        "seats": debate::casting::seats(debate::modes::find("adversarial").unwrap(), &brief),
    });
    let mut old = opened.clone();
    old["brief"].as_object_mut().unwrap().remove("case");
    let event: Event = serde_json::from_value(old).unwrap();
    let debate = Debate::replay([event]).unwrap();
    assert_eq!(debate.room().brief.case, DecisionCase::default());
}

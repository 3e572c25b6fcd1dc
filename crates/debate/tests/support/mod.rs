//! A table for tests: briefs, answers that depend only on seat and round, and a
//! driver that runs a debate to its end.
#![allow(dead_code)]

use debate::Debate;
use debate::model::*;
use serde_json::json;

pub const NAMES: [&str; 10] =
    ["Ada", "Brook", "Chen", "Dara", "Emre", "Fay", "Goran", "Hana", "Ines", "Jun"];

pub fn agent(index: usize) -> Agent {
    Agent {
        name: NAMES[index].into(),
        provider: "script".into(),
        model: format!("model-{index}"),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    }
}

pub fn brief(mode: &str, agents: usize, rounds: u32) -> Brief {
    let topic = "Should the team move its nightly batch jobs to a streaming pipeline?";
    let agents = (0..agents).map(agent).collect();
    Brief { rounds, seed: 7, ..Brief::new(topic, mode, agents, "000102030405060708090a0b0c0d0e0f") }
}

/// What a seat answers in a round: a claim of its own, support for one claim,
/// opposition to another, and a source shared with the neighbour.
pub fn answer(ask: &AskId) -> String {
    let seat = ask.party.seat().map_or(0, SeatId::index);
    let round = ask.round;
    let mut answer = json!({
        "position": format!("Position {seat} of round {round}: stream the part that matters."),
        "reasoning": format!(
            "Seat {seat} argues in round {round} that latency is what users feel.[FACT][1] The rest can wait.[INFER]"
        ),
        "keyPoints": [format!("point {seat}.{round}"), "users feel latency"],
        "confidence": 0.5 + (seat as f64) * 0.03 + f64::from(round) * 0.02,
        "claims": [{
            "text": format!("Latency tier {seat} matters most in quarter {round} of the plan"),
            "label": "FACT",
            "evidenceType": "EMPIRICAL",
            "citations": [1]
        }],
        "citations": [{
            "number": 1,
            "title": format!("Latency report {}", seat / 2),
            "url": format!("https://www.rfc-editor.org/report/{}", seat / 2),
            "snippet": "Measured over four weeks."
        }],
    });
    if round > 1 {
        answer["vote"] = match seat % 3 {
            2 => json!({"ballot": "BLOCKER", "objection": "nobody owns the replay"}),
            1 => json!({"ballot": "MINOR", "objection": "name an owner"}),
            _ => json!({"ballot": "ACCEPT"}),
        };
        answer["claims"][0]["supports"] = json!(["C1"]);
        answer["claims"][0]["opposes"] = json!(["C2"]);
    }
    answer["stance"] = json!(["YES", "NO", "NEUTRAL"][seat.min(2)]);
    answer.to_string()
}

/// What a good clerk answers.
pub fn clerk_answer(ask: &AskId) -> String {
    let answer = match ask.task {
        Task::Perspectives => json!({"perspectives": [
            {"name": "Operations", "description": "Keeps it running."},
            {"name": "Finance", "description": "Pays for it."},
        ]}),
        Task::Complexity => json!({
            "stakeholders": 5, "technicalDomains": 3, "horizon": "long",
            "budgetImpact": "high", "rating": 0.9,
        }),
        Task::Summary => json!({"byAgent": [], "contested": [], "decisions": [],
            "oneLiner": "Latency was weighed against effort."}),
        Task::Consensus => json!({
            "propositions": [{"text": "Streaming pays off.", "stands": [
                {"participant": "Participant 1", "side": "for"},
                {"participant": "Participant 2", "side": "against"},
            ]}],
            "clusters": [{"theme": "stream", "participants": ["Participant 1"], "summary": "s"}],
            "summary": "They part.", "rating": 0.4,
        }),
        Task::Domain => json!({"domain": "Data Pipelines"}),
        Task::Draft => json!({
            "decisionAccuracy": 0.6,
            "whatWentRight": [{"aspect": "Latency", "evidenceType": "EMPIRICAL",
                "validation": "validated", "note": "fell by half"}],
            "whatWentWrong": [], "summary": "It went well.",
            "lessons": [{"lesson": "Ask who owns it", "action": "", "expectedEffect": "",
                "question": "Who owns the replay?", "perspective": ""}],
        }),
        Task::Synthesis => json!({
            "commonGround": [{"text": "Users feel latency.", "claims": ["C1"]}],
            "keyDifferences": [{"text": "Who owns the replay.", "claims": ["C2", "C999"]}],
            "evolution": ["The question narrowed to one tier."],
            "conclusion": {"text": "Stream one tier.", "claims": ["C1", "C2"]},
            "recommendation": {"text": "Begin with the tier users feel.", "claims": []},
            "confidence": 0.7,
        }),
        Task::Speak | Task::Record | Task::Repair | Task::Safety | Task::Recheck => {
            json!({"reasons": [], "judgement": "allow"})
        }
    };
    answer.to_string()
}

pub fn reply(ask: &AskId) -> Reply {
    Reply {
        text: match ask.party {
            Party::Seat(_) => answer(ask),
            Party::Clerk => clerk_answer(ask),
        },
        model: "scripted".into(),
        bill: Bill {
            usage: Usage { input: Some(1000), output: Some(300), ..Usage::default() },
            cost: Some(MicroUsd(1500)),
            latency_ms: 10,
        },
        tries: 1,
        ..Reply::default()
    }
}

/// Something asked of the caller.
pub fn wants(question: &str, priority: Priority) -> WantedContext {
    WantedContext { question: question.into(), why: "It decides the scale.".into(), priority }
}

pub fn open(brief: Brief) -> (Debate, Event) {
    Debate::open(brief).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a debate to its end, answering every ask at once; `seen` is shown every ask.
pub fn run(brief: Brief, mut seen: impl FnMut(&Ask)) -> (Debate, Vec<Event>) {
    let (mut debate, opening) = open(brief);
    let mut events = vec![opening];
    events.extend(debate.hear(Input::Go));
    loop {
        match debate.next_step() {
            Step::Ask(asks) => {
                for ask in &asks {
                    seen(ask);
                }
                for ask in asks {
                    let reply = Box::new(reply(&ask.id));
                    events.extend(debate.hear(Input::Replied { ask: ask.id, reply }));
                }
            }
            Step::Embed(_) => {
                let reason = "no embedder in this test".to_string();
                events.extend(debate.hear(Input::NotCompared { reason }));
            }
            Step::Await(reason) => panic!("the debate waits: {reason:?}"),
            Step::Done(_) => return (debate, events),
        }
    }
}

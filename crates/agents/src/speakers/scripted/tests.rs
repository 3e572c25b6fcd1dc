//! Scripts answer by round, repair and failure as they say.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use debate::model::{
    Ask, AskId, FailureClass, Finish, Party, SeatId, Task, ToolPolicy, ViewContents,
};
use serde_json::{Value, json};

use super::{AgentScript, ScriptedSpeaker, chunks, example};
use crate::{CancellationToken, NoWatch, Panel, Speaker, SpeechDelta};

fn ask(round: u32, task: Task, schema: Value) -> Ask {
    Ask {
        id: AskId { round, wave: 0, party: Party::Seat(SeatId(0)), task, about: None },
        agent: Some(0),
        speaker: "Ada".into(),
        system: Arc::new("system".into()),
        user: "user".into(),
        schema: Arc::new(schema.into()),
        max_output_tokens: 100,
        temperature: 0.7,
        timeout_seconds: 5,
        tools: ToolPolicy::NONE,
        form: Default::default(),
        shown: ViewContents::default(),
    }
}

fn speak(round: u32) -> Ask {
    ask(round, Task::Speak, json!({}))
}

fn first(text: &str) -> ScriptedSpeaker {
    let script = Arc::new(AgentScript::from_toml(text, "test.toml").unwrap());
    ScriptedSpeaker::new(&script, super::PartOf::Agent(0), "m".into())
}

async fn said(speaker: &ScriptedSpeaker, ask: &Ask) -> Result<String, FailureClass> {
    let outcome = speaker.speak(ask, &NoWatch, CancellationToken::new()).await;
    outcome.map(|reply| reply.text).map_err(|failure| failure.class)
}

#[tokio::test]
async fn a_round_has_its_own_answer_then_the_default_then_the_last_before_it() {
    let with_default = first(
        "[[agent]]\nname = 'A'\n[[agent.turn]]\nround = 1\ntext = 'one'\n[[agent.turn]]\ntext = 'any'",
    );
    assert_eq!(said(&with_default, &speak(1)).await.unwrap(), "one");
    assert_eq!(said(&with_default, &speak(7)).await.unwrap(), "any");
    let without = first(
        "[[agent]]\nname = 'A'\n[[agent.turn]]\nround = 2\ntext = 'two'\n[[agent.turn]]\nround = 3\ntext = 'three'",
    );
    assert_eq!(said(&without, &speak(9)).await.unwrap(), "three");
    assert_eq!(said(&without, &speak(1)).await, Err(FailureClass::Unusable));
}

#[tokio::test]
async fn a_repair_has_its_own_answer_or_repeats_the_turn_and_no_other_task_does() {
    let repeats = first("[[agent]]\nname = 'A'\n[[agent.turn]]\ntext = 'one'");
    assert_eq!(said(&repeats, &ask(1, Task::Repair, json!({}))).await.unwrap(), "one");
    assert_eq!(
        said(&repeats, &ask(1, Task::Summary, json!({}))).await,
        Err(FailureClass::Unusable)
    );
    let mends = first(
        "[[agent]]\nname = 'A'\n[[agent.turn]]\ntext = 'one'\n[[agent.turn]]\ntask = 'repair'\ntext = 'better'",
    );
    assert_eq!(said(&mends, &ask(1, Task::Repair, json!({}))).await.unwrap(), "better");
}

#[tokio::test]
async fn fails_as_often_as_told_for_each_ask_and_then_answers() {
    let speaker = first(
        "[[agent]]\nname = 'A'\n[[agent.turn]]\ntext = 'at last'\n\
         fail = { class = 'overloaded', message = 'busy', times = 2 }",
    );
    for round in [1, 2] {
        assert_eq!(said(&speaker, &speak(round)).await, Err(FailureClass::Overloaded));
        assert_eq!(said(&speaker, &speak(round)).await, Err(FailureClass::Overloaded));
        assert_eq!(said(&speaker, &speak(round)).await.unwrap(), "at last");
    }
}

#[tokio::test]
async fn an_answer_takes_the_shape_the_ask_wants() {
    let speaker = first(
        "[[agent]]\nname = 'A'\nstance = 'NO'\n[[agent.turn]]\nfinish = 'cutOff'\n\
         usage = { input = 5, output = 7 }\nanswer = { position = 'p', vote = { ballot = 'ACCEPT' } }",
    );
    assert_eq!(
        said(&speaker, &speak(1)).await.unwrap(),
        r#"{"position":"p","vote":{"ballot":"ACCEPT"}}"#
    );
    let strict =
        json!({"properties": {"position": {}, "stance": {}}, "additionalProperties": false});
    let asked = ask(1, Task::Speak, strict);
    let reply = speaker.speak(&asked, &NoWatch, CancellationToken::new()).await.unwrap();
    assert_eq!(reply.text, r#"{"position":"p","stance":"NO"}"#);
    assert_eq!(reply.finish, Finish::CutOff);
    assert_eq!(reply.bill.usage.total(), Some(12));
    assert_eq!(reply.model, "m");
}

#[tokio::test(start_paused = true)]
async fn streams_in_pieces_that_join_to_the_reply() {
    let speaker = first(
        "[[agent]]\nname = 'A'\n[[agent.turn]]\ntext = 'déjà vu — 日本語'\nchunks = 5\nchunk_delay_ms = 10",
    );
    let seen = Mutex::new(Vec::new());
    let watch = |_: &AskId, delta: SpeechDelta| {
        if let SpeechDelta::Text(text) = delta {
            seen.lock().unwrap().push(text);
        }
    };
    let reply = speaker.speak(&speak(1), &watch, CancellationToken::new()).await.unwrap();
    let seen = seen.into_inner().unwrap();
    assert!(seen.len() > 1);
    assert_eq!(seen.concat(), reply.text);
}

#[tokio::test(start_paused = true)]
async fn ends_on_cancel_and_on_its_timeout() {
    let speaker = first("[[agent]]\nname = 'A'\n[[agent.turn]]\ntext = 'x'\ndelay_ms = 60000");
    assert_eq!(said(&speaker, &speak(1)).await, Err(FailureClass::TimedOut));
    let cancel = CancellationToken::new();
    let (asked, child) = (speak(1), cancel.clone());
    let call = speaker.speak(&asked, &NoWatch, child);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        cancel.cancel();
    };
    let (outcome, ()) = futures::join!(call, stop);
    assert_eq!(outcome.unwrap_err().class, FailureClass::Cancelled);
}

#[test]
fn broken_files_name_the_place_and_the_problem() {
    let cases = [
        ("[[agent]]\nname = 'A'\nturns = 3", "line 3"),
        ("[[agent]]\nname = 'A'\n[[agent.turn]]\nround = 1", "A, turn 1: give a text"),
        ("[[agent]]\n[[agent.turn]]\ntext = 'x'", "agent 1, name"),
        ("[[agent]]\nname = 'A'\n[[agent]]\nname = 'a'", "two agents have this name"),
        ("[[agent]]\nname = 'A'\n[[agent.turn]]\nround = 0\ntext = 'x'", "counted from 1"),
        (
            "agent = []\n[[clerk.turn]]\nfail = { class = 'sad', message = 'x' }",
            "unknown variant `sad`",
        ),
    ];
    for (text, wanted) in cases {
        let error = AgentScript::from_toml(text, "s.toml").unwrap_err().to_string();
        assert!(error.contains(wanted) && error.contains("s.toml"), "{error}");
    }
    let error = AgentScript::from_json("{\"agent\": [\n{\"nam\": 1}]}", "s.json").unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
}

#[test]
fn chunks_never_split_a_character_and_never_lose_one() {
    for count in 0..9 {
        assert_eq!(chunks("aé日b🦀", count).concat(), "aé日b🦀");
    }
    assert!(chunks("", 3).is_empty());
}

#[test]
fn the_example_table_is_three_agents_by_three_rounds_with_real_answers() {
    let script = example::script().unwrap();
    assert_eq!(script.topic.as_deref(), Some(example::TOPIC));
    assert_eq!(script.names(), ["Ada", "Brook", "Chen"]);
    for part in &script.agents {
        assert!(part.stance.is_some());
        let rounds: Vec<_> = part.cues.iter().map(|cue| cue.round).collect();
        assert_eq!(rounds, [Some(1), Some(2), Some(3)], "{}", part.name);
        for cue in &part.cues {
            let answer = Value::Object(cue.answer.clone().unwrap());
            let read: debate::model::Answer = serde_json::from_value(answer).unwrap();
            assert!(read.vote.is_some() == (cue.round > Some(1)), "{}", part.name);
            assert!((2..=3).contains(&read.key_points.len()));
            for claim in &read.claims {
                assert!(debate::model::tokens(&claim.text) <= 30, "{}", claim.text);
                for number in &claim.citations {
                    assert!(read.citations.iter().any(|citation| citation.number == *number));
                }
                let fact = claim.label == debate::model::Label::Fact;
                assert!(!fact || !claim.citations.is_empty(), "{}", claim.text);
            }
        }
    }
}

#[tokio::test]
async fn the_example_panel_answers_for_every_agent() {
    let script = Arc::new(example::script().unwrap().hurried());
    let panel = Panel::scripted(&example::agents(), None, &script).unwrap();
    for index in 0..3 {
        let asked = Ask { agent: Some(index), ..speak(12) };
        let speaker = panel.speaker(&asked).unwrap();
        let reply = speaker.speak(&asked, &NoWatch, CancellationToken::new()).await.unwrap();
        assert!(reply.text.contains("modular monolith"));
    }
    assert!(panel.speaker(&Ask { agent: None, ..speak(1) }).is_none());
    let mut stranger = example::agents();
    stranger[0].name = "Zed".into();
    stranger[0].model = "zed".into();
    let error = Panel::scripted(&stranger, None, &script).err().unwrap().to_string();
    assert!(error.contains("Ada, Brook, Chen"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn signs_are_seen_in_order_before_the_answer() {
    let speaker = first(
        r#"
        [[agent]]
        name = "A"
        [[agent.turn]]
        text = "said"
        signs = [
            { show = "thinking", for_ms = 500 },
            { show = { searching = "tea" } },
            { show = { waiting = { why = "busy", seconds = 4.0 } } },
            { show = { writing = "half" } },
        ]
        "#,
    );
    let seen = Mutex::new(Vec::new());
    let watch = |_: &AskId, delta: SpeechDelta| seen.lock().unwrap().push(delta);
    let reply = speaker.speak(&speak(1), &watch, CancellationToken::new()).await.unwrap();
    assert_eq!(reply.text, "said");
    let wanted = [
        SpeechDelta::Thinking,
        SpeechDelta::Searching("tea".into()),
        SpeechDelta::Waiting { why: "busy".into(), seconds: 4.0 },
        SpeechDelta::Text("half".into()),
        SpeechDelta::Text("said".into()),
    ];
    assert_eq!(*seen.lock().unwrap(), wanted);
    let wrong = AgentScript::from_toml(
        "[[agent]]\nname = 'A'\n[[agent.turn]]\ntext = 'x'\nsigns = [{ show = 'sleeping' }]",
        "test.toml",
    );
    assert!(wrong.unwrap_err().to_string().contains("sleeping"));
}

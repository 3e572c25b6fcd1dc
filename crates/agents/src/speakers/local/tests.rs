//! The parts that the outside does not show: the schema's way down to a small
//! model and back, the words it is given, and the thread that opens it.

use debate::model::{Anchor, ClaimId, Question, Seat, SeatId, tokens};
use debate::modes;
use debate::prompts::{RoundPhase, Templates, answer_schema};
use serde_json::{Value, json};

use super::compact::{Claims, compact, expand, instruction};
use super::shelf::without_holding_up;
use super::words::compact_words;

fn seat() -> Seat {
    Seat {
        id: SeatId(0),
        agent: 0,
        name: "Ada".into(),
        role: "synthesizer".into(),
        team: None,
        stance: None,
        perspective: None,
        anchor: Anchor::RiskAttentive,
    }
}

fn schema(mode: &str, question: &Question, phase: RoundPhase) -> Value {
    answer_schema(modes::find(mode).unwrap(), question, phase, &seat())
}

#[test]
fn small_schemas_ask_for_little_and_for_whole_numbers() {
    let full = schema("adversarial", &Question::Probability, RoundPhase::Later);
    let ids = [ClaimId(3), ClaimId(8)];
    let small = compact(&full, Claims::Shown(&ids));
    let fields = &small["properties"];
    let keys = |schema: &Value| {
        schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(keys(&small), keys(&full), "no field is lost and none is moved");
    for share in ["confidence", "answer"] {
        assert_eq!(fields[share], json!({"type": "integer", "minimum": 0, "maximum": 100}));
    }
    assert_eq!(fields["citations"]["maxItems"], 0);
    let claim = &fields["claims"]["items"]["properties"];
    assert_eq!(claim["label"]["enum"], json!(["INFER", "ASSUME", "OPEN"]));
    assert_eq!(claim["supports"]["items"]["enum"], json!(["C3", "C8"]));
    assert_eq!(fields["critiques"]["items"]["properties"]["claim"]["enum"], json!(["C3", "C8"]));
    assert_eq!(fields["vote"]["properties"]["objection"]["anyOf"][0], json!({"type": "null"}));
    assert!(instruction(&full).contains("answer and confidence"), "{}", instruction(&full));
}

#[test]
fn without_claims_on_the_table_none_can_be_named() {
    let full = schema("adversarial", &Question::Open, RoundPhase::Later);
    let small = compact(&full, Claims::Shown(&[]));
    let fields = &small["properties"];
    assert_eq!(fields["critiques"], json!({"type": "array", "maxItems": 0}));
    let claim = &fields["claims"]["items"]["properties"];
    assert_eq!(claim["opposes"], json!({"type": "array", "maxItems": 0}));
}

#[test]
fn going_back_changes_units_and_nothing_else() {
    let full = schema("collaborative", &Question::Number { unit: None }, RoundPhase::First);
    let long = "word ".repeat(100);
    let written = json!({
        "reasoning": long[..320], "citations": [], "claims": [], "position": "Yes.",
        "keyPoints": ["a", "b"], "answer": 70, "confidence": 70,
    });
    let back = expand(&full, written);
    assert_eq!(back["confidence"], 0.7);
    assert_eq!(back["answer"], 70, "a figure is no share");
    assert_eq!(back["position"], "Yes.");
    let reasoning = back["reasoning"].as_str().unwrap();
    assert!(reasoning.ends_with("word…"), "{reasoning}");
}

#[test]
fn compact_words_hold_all_four_layers_in_little_room() {
    let words = compact_words(Default::default());
    for plan in modes::all() {
        Templates::new(plan, &words).unwrap_or_else(|error| panic!("{}: {error}", plan.name));
    }
    let own = [("notice.md".to_owned(), "{{ mark }} mine".to_owned())].into();
    assert_eq!(compact_words(own)["notice.md"], "{{ mark }} mine");
}

#[test]
fn compact_prompts_are_short_in_every_mode() {
    use debate::prompts::{PromptAddressee, system};
    let own = compact_words(Default::default());
    for plan in modes::all() {
        let words = Templates::new(plan, &own).unwrap();
        let brief = debate_brief(plan.name);
        let extended = plan.extended.map_or(&[][..], |extended| extended.roles);
        for role in plan.roles.iter().chain(extended) {
            for phase in RoundPhase::ALL {
                let seat = Seat { role: role.key.into(), stance: role.stance, ..seat() };
                let part =
                    PromptAddressee { plan, brief: &brief, seat: &seat, phase, lessons: &[] };
                let text = system(&words, &part).unwrap();
                let cost = tokens(&text);
                for layer in ["1. Role", "2. Contract", "3. Structure", "4. Before you submit"] {
                    assert!(text.contains(layer), "{}: {layer}", plan.name);
                }
                assert!(cost <= 350, "{} {} {phase:?}: {cost}\n{text}", plan.name, role.key);
            }
        }
    }
}

fn debate_brief(mode: &str) -> debate::model::Brief {
    let agent = json!({"name": "Ada", "provider": "local", "model": "tiny"});
    let brief = json!({
        "topic": "Tea or coffee?", "mode": mode, "agents": [agent.clone(), agent], "rounds": 2,
        "fenceKey": "000102030405060708090a0b0c0d0e0f",
    });
    serde_json::from_value(brief).unwrap()
}

#[test]
fn opening_weights_holds_up_no_other_task_even_where_one_thread_has_them_all() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let opened = runtime.block_on(async {
        let opening = tokio::spawn(async move {
            tokio::spawn(async move { sender.send(()) });
            // Only the other task ends this.
            without_holding_up(|| receiver.recv_timeout(std::time::Duration::from_secs(60)))
        });
        opening.await.unwrap()
    });
    assert_eq!(opened, Ok(()));
    assert_eq!(without_holding_up(|| 7), 7, "outside of any runtime");
}

#[tokio::test]
async fn weights_are_opened_in_a_runtime_of_one_thread_too() {
    assert_eq!(without_holding_up(|| 7), 7);
}

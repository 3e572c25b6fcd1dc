//! A prompt that is kept for all debates is the one that would be made.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::Arc;

use debate::model::{
    Anchor, AnswerParts, AnswerStyle, Brief, ModePlan, Perspective, Question, RolePlan, Seat,
    SeatId, Stake,
};
use debate::modes;
use debate::prompts::{
    PromptAddressee, RoundPhase, Templates, answer_schema, record_schema, shared_prompt, system,
};
use serde_json::json;

fn brief(plan: &ModePlan) -> Brief {
    serde_json::from_value(json!({
        "topic": "Should we split the billing service?", "mode": plan.name, "agents": [],
        "rounds": 3, "tools": ["search_web"], "styles": [{ "parts": "two-calls" }],
        "fenceKey": "00000000000000000000000000000000",
    }))
    .unwrap()
}

fn seat(role: &RolePlan) -> Seat {
    Seat {
        id: SeatId(0),
        agent: 0,
        name: "Ada".into(),
        role: role.key.into(),
        team: role.team.map(Into::into),
        stance: role.stance,
        perspective: Some(Perspective { name: "Economic".into(), ..Perspective::default() }),
        anchor: Anchor::EvidenceCalibrated,
    }
}

fn built_in(plan: &'static ModePlan) -> Templates {
    Templates::new(plan, &BTreeMap::new()).unwrap()
}

fn roles(plan: &'static ModePlan) -> impl Iterator<Item = &'static RolePlan> {
    plan.roles.iter().chain(plan.extended.map_or(&[][..], |extended| extended.roles))
}

/// One change to a brief or a seat for each thing that a prompt may depend on.
fn changes() -> impl Iterator<Item = fn(&mut Brief, &mut Seat)> {
    let changes: [fn(&mut Brief, &mut Seat); 18] = [
        |_, _| {},
        |brief, _| brief.topic = "Sollen wir die Datenbank teilen oder nicht?".into(),
        |brief, _| brief.language = Some("French".into()),
        |brief, _| brief.question = Question::YesNo,
        |brief, _| brief.question = Question::Options { options: vec!["one".into(), "two".into()] },
        |brief, _| brief.stakes = vec![Stake::MedicalLegal],
        |brief, _| brief.flags.tool_enforcement.max_calls = 1,
        |brief, _| brief.flags.tool_enforcement.enabled = true,
        |brief, _| brief.without_tools = vec![0],
        |brief, _| brief.styles.clear(),
        |brief, _| brief.styles[0].small = true,
        |brief, _| brief.personas = vec!["asks for figures first".into()],
        |_, seat| seat.name = "Bert".into(),
        |_, seat| seat.anchor = Anchor::RiskAttentive,
        |_, seat| seat.perspective = None,
        |_, seat| seat.stance = None,
        |_, seat| seat.team = Some("the others".into()),
        |brief, seat| {
            seat.agent = 1;
            brief.styles.push(AnswerStyle { small: true, ..brief.styles[0] });
            brief.personas = vec!["is brief".into(), "asks for figures first".into()];
            brief.without_tools = vec![1];
        },
    ];
    changes.into_iter()
}

#[test]
fn a_kept_prompt_is_the_one_that_would_be_made() {
    let asked = ["Who pays for it?".to_owned()];
    for (plan, role) in modes::all().iter().flat_map(|plan| roles(plan).map(move |it| (plan, it))) {
        let words = built_in(plan);
        for (phase, change) in
            RoundPhase::ALL.iter().flat_map(|phase| changes().map(|it| (*phase, it)))
        {
            let (mut brief, mut seat) = (brief(plan), seat(role));
            change(&mut brief, &mut seat);
            for lessons in [&[][..], &asked] {
                let part = PromptAddressee { lessons, plan, brief: &brief, seat: &seat, phase };
                let (kept, schema) =
                    shared_prompt(&words, &part, part.brief.language_name()).unwrap();
                assert_eq!(kept.as_str(), system(&words, &part).unwrap());
                let made = match brief.style(seat.agent).parts {
                    AnswerParts::Form => answer_schema(plan, &brief.question, phase, &seat),
                    parts => record_schema(plan, &brief.question, phase, &seat, parts),
                };
                assert_eq!(**schema, made);
                let (again, _) = shared_prompt(&words, &part, part.brief.language_name()).unwrap();
                assert!(Arc::ptr_eq(&kept, &again), "it is kept");
            }
        }
    }
}

#[test]
fn a_prompt_of_the_users_own_words_may_use_the_topic() {
    let plan = modes::find("collaborative").unwrap();
    let own = ("collaborative.contract.md".to_owned(), "About {{ topic }}.".to_owned());
    let words = Templates::new(plan, &BTreeMap::from([own])).unwrap();
    let mut brief = brief(plan);
    let seat = seat(roles(plan).next().unwrap());
    for topic in ["Tea?", "Coffee?"] {
        brief.topic = topic.into();
        let phase = RoundPhase::First;
        let part = PromptAddressee { plan, brief: &brief, seat: &seat, phase, lessons: &[] };
        let (kept, _) = shared_prompt(&words, &part, part.brief.language_name()).unwrap();
        assert!(kept.contains(&format!("About {topic}.")), "{}", *kept);
    }
}

//! What is kept for the seats of a wave reads like a template filled in for each of them.

use super::super::filled_notice;
use super::*;
use crate::model::{Agent, Anchor, AnswerParts, Brief, ModePlan, Question, Seat, SeatId};
use crate::modes;

fn templates(plan: &'static ModePlan) -> Templates {
    Templates::new(plan, &Default::default()).unwrap()
}

fn brief(plan: &ModePlan) -> Brief {
    let agent = |name: &str| Agent {
        name: name.into(),
        provider: "script".into(),
        model: "model".into(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    };
    let mut brief =
        Brief::new("Is {{ view }} safe?", plan.name, vec![agent("Ada"), agent("Bo")], "");
    brief.styles = vec![
        AnswerStyle::default(),
        AnswerStyle { parts: AnswerParts::OneGo, ..AnswerStyle::default() },
    ];
    brief
}

#[test]
fn the_kept_notice_is_the_filled_in_one() {
    let words = templates(modes::all().first().unwrap());
    for mark in ["0f1e2d3c4b5a69788796a5b4c3d2e1f0", "", "{{ mark }}", " <a> & \"b\" "] {
        assert_eq!(notice(&words, mark).unwrap(), filled_notice(&words, mark).unwrap());
    }
}

#[test]
fn a_shared_message_is_the_one_that_each_seat_would_get() {
    let views = ["", "# State\n\nAda: {{ x }}\n", "\u{0}view\u{0}", "  - one\n\n"];
    let questions = [Question::Open, Question::YesNo, Question::Probability];
    for plan in modes::all() {
        let words = templates(plan);
        for question in questions.clone() {
            let brief = Brief { question, ..brief(plan) };
            let turns = TurnsOfWave::default();
            for (place, role) in plan.roles.iter().chain(plan.roles).enumerate() {
                let seat = Seat {
                    id: SeatId(place),
                    agent: place % 2,
                    name: format!("Seat {place}"),
                    role: role.key.into(),
                    team: role.team.map(Into::into),
                    stance: role.stance,
                    perspective: None,
                    anchor: Anchor::EvidenceCalibrated,
                };
                for (number, view) in views.into_iter().enumerate() {
                    let phase = RoundPhase::ALL[(number + place) % 3];
                    let part =
                        PromptAddressee { plan, brief: &brief, seat: &seat, phase, lessons: &[] };
                    let message = Message {
                        round: 1 + (place % 3) as u32,
                        total_rounds: 3,
                        view,
                        sealed: number == 1,
                        attachments: if place % 2 == 0 { "" } else { "a file" },
                        focus: (place % 3 == 0).then_some("cost"),
                        fence_mark: ["9f3a", "77aa"][number % 2],
                    };
                    let alone = turn(&words, &part, &message).unwrap();
                    assert_eq!(turns.turn(&words, &part, &message).unwrap(), alone);
                }
            }
        }
    }
}

#[test]
fn signs_of_ours_in_a_topic_are_told_from_our_own() {
    let plan = modes::all().first().unwrap();
    let (words, turns) = (templates(plan), TurnsOfWave::default());
    let role = plan.roles.first().unwrap();
    for topic in [NOTICE, VIEW, "\u{0}", "plain"] {
        let brief = Brief { topic: topic.into(), ..brief(plan) };
        let seat = Seat {
            id: SeatId(0),
            agent: 0,
            name: "Ada".into(),
            role: role.key.into(),
            team: None,
            stance: None,
            perspective: None,
            anchor: Anchor::EvidenceCalibrated,
        };
        let phase = RoundPhase::First;
        let part = PromptAddressee { plan, brief: &brief, seat: &seat, phase, lessons: &[] };
        let message = Message { round: 1, total_rounds: 3, view: "x", ..Message::default() };
        let alone = turn(&words, &part, &message).unwrap();
        assert_eq!(turns.turn(&words, &part, &message).unwrap(), alone);
    }
}

//! Fills in every template of a mode with made-up values, once rich and once
//! bare, for every role and phase: what fails here would fail in a debate.

use std::collections::BTreeMap;

use super::{
    ClerkPrompt, Message, PromptAddressee, RoundPhase, StandsAsk, TemplateError, Templates,
    clerk_complexity, clerk_consensus, clerk_domain, clerk_draft, clerk_perspectives, clerk_safety,
    clerk_summary, clerk_synthesis, repair, split, system, turn,
};
use crate::model::{
    Agent, Anchor, Brief, ClaimId, ModePlan, Perspective, Question, RolePlan, Seat, SeatId, Stake,
};
use crate::modes;

impl Templates {
    /// Returns the built-in templates, overridden by the user's own. Every
    /// override is checked, those of other modes included.
    pub fn new(
        plan: &'static ModePlan,
        overrides: &BTreeMap<String, String>,
    ) -> Result<Templates, TemplateError> {
        let (words, touched) = Templates::compiled(plan, overrides)?;
        for mode in touched {
            fill_in_everything(&words, mode)?;
        }
        Ok(words)
    }
}

fn fill_in_everything(words: &Templates, mode: &str) -> Result<(), TemplateError> {
    let Some(plan) = modes::find(mode) else { return Ok(()) };
    let extended = plan.extended.map_or(&[][..], |extended| extended.roles);
    for role in plan.roles.iter().chain(extended) {
        for phase in RoundPhase::ALL {
            // Six questions, four anchors: every anchor's turn comes.
            let anchors = Anchor::ALL.into_iter().cycle();
            for (index, (question, anchor)) in questions().into_iter().zip(anchors).enumerate() {
                let filling = if index == 0 { SampleFilling::Bare } else { SampleFilling::Rich };
                let brief = brief(plan, question, filling.stakes());
                let seat = seat(role, anchor, filling.perspective());
                let lessons = filling.lessons();
                let part =
                    PromptAddressee { plan, brief: &brief, seat: &seat, phase, lessons: &lessons };
                fill_in(words, &part, filling)?;
            }
        }
    }
    for (material, names) in [("", &[][..]), ("fenced", &["Participant 1", "Participant 2"][..])] {
        let clerk =
            ClerkPrompt { topic: "A topic", language: "English", material, fence_mark: "mark" };
        clerk_summary(words, &clerk, 1, names, &[ClaimId(1)])?;
        clerk_perspectives(words, &clerk, 4)?;
        let ask = StandsAsk { round: 2, participants: names, continued: !names.is_empty() };
        clerk_consensus(words, &clerk, &ask)?;
        clerk_safety(words, &clerk, 1)?;
        clerk_complexity(words, &clerk)?;
        clerk_draft(words, &clerk)?;
        clerk_domain(words, &clerk, names)?;
        clerk_synthesis(words, &clerk, &[ClaimId(1)])?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SampleFilling {
    Bare,
    Rich,
}

impl SampleFilling {
    fn text(self) -> &'static str {
        match self {
            SampleFilling::Bare => "",
            SampleFilling::Rich => "fenced",
        }
    }

    fn stakes(self) -> Vec<Stake> {
        match self {
            SampleFilling::Bare => Vec::new(),
            SampleFilling::Rich => Stake::ALL.to_vec(),
        }
    }

    fn lessons(self) -> Vec<String> {
        match self {
            SampleFilling::Bare => Vec::new(),
            SampleFilling::Rich => vec!["Who pays?".into()],
        }
    }

    fn perspective(self) -> Option<Perspective> {
        let some = || vec!["something".to_owned()];
        match self {
            SampleFilling::Bare => None,
            SampleFilling::Rich => Some(Perspective {
                name: "Economic".into(),
                description: "Costs and benefits.".into(),
                focus_areas: some(),
                evidence_types: some(),
                key_questions: some(),
                anti_patterns: some(),
            }),
        }
    }
}

fn fill_in(
    words: &Templates,
    part: &PromptAddressee<'_>,
    filling: SampleFilling,
) -> Result<(), TemplateError> {
    let text = filling.text();
    system(words, part)?;
    for round in [1, 3] {
        let message = Message {
            round,
            total_rounds: 3,
            sealed: false,
            view: text,
            attachments: text,
            focus: Some(text),
            fence_mark: "mark",
        };
        turn(words, part, &message)?;
    }
    repair(words, part, "not JSON", text, "mark")?;
    split(words, part, &["yes (2 first answers)".to_owned()])?;
    Ok(())
}

fn questions() -> [Question; 6] {
    [
        Question::Open,
        Question::YesNo,
        Question::Options { options: vec!["one".into(), "another".into()] },
        Question::Number { unit: None },
        Question::Number { unit: Some("days".into()) },
        Question::Probability,
    ]
}

fn seat(role: &RolePlan, anchor: Anchor, perspective: Option<Perspective>) -> Seat {
    Seat {
        id: SeatId(0),
        agent: 0,
        name: "Name".into(),
        role: role.key.into(),
        team: role.team.map(Into::into),
        stance: role.stance,
        perspective,
        anchor,
    }
}

fn brief(plan: &ModePlan, question: Question, stakes: Vec<Stake>) -> Brief {
    let agent = Agent {
        name: "Name".into(),
        provider: "provider".into(),
        model: "model".into(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    };
    Brief { question, stakes, ..Brief::new("A topic", plan.name, vec![agent], "") }
}

//! The synthesis of a finished debate: asked for by a person, written by the
//! clerk, appended after the end. It never changes the verdict.

use std::fmt::Write as _;

use super::Debate;
use crate::model::*;
use crate::prompts::{self, ClerkPrompt};
use crate::reading;

/// The token budget of each part of the material.
const CLAIMS_TOKENS: usize = 3000;
const ROUNDS_TOKENS: usize = 2000;
const WORDS_TOKENS: usize = 3000;

impl Debate {
    /// Returns the ask for a synthesis; `None` before the end, without a clerk,
    /// without an answer, or if there is a synthesis already.
    pub fn synthesis_ask(&self) -> Option<Ask> {
        let id = self.synthesis_id()?;
        let brief = &self.room.brief;
        let fence = Fence::new(&brief.fence_key, &id);
        let material = self.synthesis_material(&fence);
        let claims: Vec<ClaimId> = self.room.ledger.claims.iter().map(|claim| claim.id).collect();
        let clerk = ClerkPrompt {
            topic: &brief.topic,
            language: self.language_name(),
            material: &material,
            fence_mark: fence.mark(),
        };
        let (system, user) = prompts::clerk_synthesis(&self.words, &clerk, &claims).ok()?;
        let schema = prompts::clerk_schema(id.task, &[], prompts::synthesis_schema);
        Some(self.as_clerk(id, system, user, schema))
    }

    /// Returns the id of the one ask that a finished debate still accepts an
    /// answer to.
    pub(super) fn synthesis_id(&self) -> Option<AskId> {
        let over = matches!(self.room.status, Status::Completed { .. });
        let last = self.room.rounds.iter().rev().find(|round| round.answered().next().is_some())?;
        let wanted = over && self.room.brief.clerk.is_some() && self.room.synthesis.is_none();
        wanted.then_some(AskId {
            round: last.number,
            wave: 0,
            party: Party::Clerk,
            task: Task::Synthesis,
            about: None,
        })
    }

    pub(super) fn synthesised(&self, ask: AskId, reply: &Reply) -> Event {
        match reading::read_synthesis(&reply.text, self.room.ledger.claims.len()) {
            Ok(synthesis) => Event::Synthesised {
                synthesis: Box::new(synthesis),
                bill: reply.bill,
                ask: Some(ask),
            },
            Err(why) => super::clerk::failed(ask, &why, reply),
        }
    }

    fn synthesis_material(&self, fence: &Fence) -> String {
        let room = &self.room;
        let names = |seats: &[SeatId]| -> String {
            seats.iter().map(|seat| room.seat(*seat).name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (mut claims, mut rounds, mut words) = (String::new(), String::new(), String::new());
        for claim in &room.ledger.claims {
            let _ = writeln!(
                claims,
                "{} [{}, {}] {} (held by: {}; opposed by: {})",
                claim.id,
                claim.label.word(),
                claim.status.word(),
                claim.text,
                names(&claim.holders),
                names(&claim.opposers)
            );
        }
        for record in &room.rounds {
            let line = record.summary.as_ref().map_or("", |summary| &summary.one_liner);
            let _ = writeln!(rounds, "Round {}: {line}", record.number);
            for gap in &record.gaps {
                let _ = writeln!(rounds, "  {} gave no answer: {}", gap.agent, gap.class.word());
            }
        }
        for word in room.verdict.iter().flat_map(|verdict| &verdict.agent_responses) {
            let _ = writeln!(words, "{} ({}): {}", word.agent, word.role, word.position);
            for point in &word.key_points {
                let _ = writeln!(words, "- {point}");
            }
        }
        let parts = [
            ("the claims", claims, CLAIMS_TOKENS),
            ("the rounds", rounds, ROUNDS_TOKENS),
            ("the last answers", words, WORDS_TOKENS),
        ];
        parts.map(|(name, text, most)| fence.wrap(name, &clip(&text, most))).join("\n")
    }
}

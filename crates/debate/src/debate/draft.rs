//! A draft of the post-mortem: asked for by a person, written by the clerk from
//! the entries, for a person to correct. It changes nothing but the amount spent.

use std::fmt::Write as _;

use super::Debate;
use crate::model::*;
use crate::prompts::{self, ClerkPrompt};
use crate::reading;

const DECISION_TOKENS: usize = 1000;
const CLAIMS_TOKENS: usize = 2500;
const ENTRIES_TOKENS: usize = 4000;

impl Debate {
    /// The ask for a draft; `None` before the end or without a clerk.
    pub fn draft_ask(&self, entries: &[ProgressEntry]) -> Option<Ask> {
        let id = self.draft_id()?;
        let brief = &self.room.brief;
        let fence = Fence::new(&brief.fence_key, &id);
        let material = self.draft_material(&fence, entries);
        let clerk = ClerkPrompt {
            topic: &brief.topic,
            language: self.language_name(),
            material: &material,
            fence_mark: fence.mark(),
        };
        let (system, user) = prompts::clerk_draft(&self.words, &clerk).ok()?;
        let schema = prompts::clerk_schema(id.task, &[], prompts::draft_schema);
        Some(self.as_clerk(id, system, user, schema))
    }

    /// Each draft is a call of its own, named by how many came before it.
    pub(super) fn draft_id(&self) -> Option<AskId> {
        let over = matches!(self.room.status, Status::Completed { .. });
        (over && self.room.brief.clerk.is_some()).then_some(AskId {
            round: 0,
            wave: self.desk.drafts,
            party: Party::Clerk,
            task: Task::Draft,
            about: None,
        })
    }

    pub(super) fn drafted(&self, ask: AskId, reply: &Reply) -> Event {
        match reading::read_draft(&reply.text) {
            Ok(draft) => Event::OutcomeDrafted { ask, draft: Box::new(draft), bill: reply.bill },
            Err(why) => super::clerk::failed(ask, &why, reply),
        }
    }

    fn draft_material(&self, fence: &Fence, entries: &[ProgressEntry]) -> String {
        let room = &self.room;
        let (mut claims, mut happened) = (String::new(), String::new());
        let decision = room.verdict.as_ref().map_or("", |verdict| &verdict.decision.answer);
        for claim in &room.ledger.claims {
            let _ = writeln!(
                claims,
                "[{}, {}] {}",
                claim.evidence_type.word(),
                claim.status.word(),
                claim.text
            );
        }
        for entry in entries {
            let _ = write!(happened, "{} [{}] {}", entry.on, entry.status.word(), entry.event);
            let more =
                [("", &entry.note), ("impact: ", &entry.impact), ("cost: ", &entry.time_cost)];
            for (name, text) in more.into_iter().filter(|(_, text)| !text.is_empty()) {
                let _ = write!(happened, "; {name}{text}");
            }
            if let Some(surprise) = entry.surprise {
                let _ = write!(happened, "; surprise {surprise:.1}");
            }
            happened.push('\n');
        }
        let parts = [
            ("the decision", decision.to_owned(), DECISION_TOKENS),
            ("the claims it was made on", claims, CLAIMS_TOKENS),
            ("what happened since", happened, ENTRIES_TOKENS),
        ];
        parts.map(|(name, text, most)| fence.wrap(name, &clip(&text, most))).join("\n")
    }
}

//! The next step: the open asks, each of them in full.

use std::sync::Arc;

use super::Debate;
use crate::briefing::{self, ViewReader};
use crate::model::*;
use crate::prompts::{self, Message, PromptAddressee, RoundPhase, TemplateError};

/// Rounds are counted from 1; what happens before them is round 0.
const BEFORE_THE_ROUNDS: Round = 0;
/// Calls per turn where agents wait for one another.
const SEQUENTIAL_MAX_CALLS: u32 = 2;

impl Debate {
    pub(super) fn compose(&self) -> Step {
        match &self.room.status {
            Status::Created => return Step::Await(AwaitReason::NotStarted),
            Status::Paused { reason } => return Step::Await(AwaitReason::Paused(reason.clone())),
            Status::Error { cause } => return Step::Await(AwaitReason::Broken(cause.clone())),
            Status::Completed { .. } | Status::Active => {}
        }
        if let Some(verdict) = &self.room.verdict {
            return Step::Done(Box::new(verdict.clone()));
        }
        let open = self.open_asks();
        if open.is_empty() {
            let record = self.room.current();
            return Step::Embed(record.map_or_else(Vec::new, |r| self.texts_to_embed(r)));
        }
        let asks: Result<Vec<Ask>, TemplateError> =
            open.into_iter().map(|id| self.ask(id)).collect();
        match asks {
            Ok(asks) => Step::Ask(asks),
            Err(error) => Step::Await(AwaitReason::Broken(error.to_string())),
        }
    }

    /// The names of all asks the debate waits for, in flight or not.
    pub(super) fn open_asks(&self) -> Vec<AskId> {
        let clerk = |round, task| AskId { round, wave: 0, party: Party::Clerk, task, about: None };
        let Some(record) = self.room.current() else {
            let wanted = [
                (self.wants_domain(), Task::Domain),
                (self.wants_rating(), Task::Complexity),
                (self.wants_perspectives(), Task::Perspectives),
            ];
            // One after the other, because perspectives are for the seats of the
            // chosen depth.
            let first = wanted.into_iter().find(|(wanted, _)| *wanted);
            return first.map(|(_, task)| clerk(BEFORE_THE_ROUNDS, task)).into_iter().collect();
        };
        if record.closed {
            return Vec::new();
        }
        if let Some(wave) = self.outstanding_wave(record) {
            let silent = |seat: &&SeatId| {
                record.turn(**seat).is_none()
                    && record.gap(**seat).is_none()
                    && !self.desk.held.contains_key(seat)
                    && !self.waits(**seat)
            };
            return record.waves[wave]
                .iter()
                .filter(silent)
                .map(|seat| AskId {
                    round: record.number,
                    wave: wave as u32 + 1,
                    party: Party::Seat(*seat),
                    task: if self.desk.unreadable.contains_key(seat) {
                        Task::Repair
                    } else if self.desk.workings.contains_key(seat) {
                        Task::Record
                    } else {
                        Task::Speak
                    },
                    about: None,
                })
                .chain(self.safety_asks())
                .collect();
        }
        let mut asks = Vec::new();
        if self.wants_stands(record) {
            asks.push(clerk(record.number, Task::Consensus));
        }
        if self.wants_summary(record) {
            asks.push(clerk(record.number, Task::Summary));
        }
        asks
    }

    fn ask(&self, id: AskId) -> Result<Ask, TemplateError> {
        match id.party {
            Party::Seat(seat) => self.seat_ask(id, self.room.seat(seat)),
            Party::Clerk => self.clerk_ask(id),
        }
    }

    fn seat_ask(&self, id: AskId, seat: &Seat) -> Result<Ask, TemplateError> {
        let unreadable = self.desk.unreadable.get(&seat.id);
        if id.task == Task::Record {
            return self.record_ask(id, seat);
        }
        if let Some(first) = unreadable.filter(|first| !first.missing.is_empty()) {
            return self.fields_ask(id, seat, first);
        }
        let brief = &self.room.brief;
        let style = brief.style(seat.agent);
        let fence = Fence::new(&brief.fence_key, &id);
        let phase = self.phase(id.round);
        let part = self.part(seat, phase);
        let (system, schema) = self.system_and_schema(seat, phase)?;
        let view = briefing::view(&ViewReader {
            room: &self.room,
            plan: self.plan,
            seat: seat.id,
            round: id.round,
            wave: id.wave as usize - 1,
            fence: &fence,
        });
        let message = Message {
            round: id.round,
            total_rounds: brief.rounds.max(id.round),
            view: if style.small && self.is_bare(&view.shown) { "" } else { &view.text },
            sealed: view.shown.answers.is_empty() && view.shown.summaries.is_empty(),
            attachments: &view.attachments,
            focus: self.room.focus.as_deref(),
            fence_mark: fence.mark(),
        };
        let mut user = prompts::turn(&self.words, &part, &message)?;
        if let Some(first) = unreadable {
            let raw = fence.wrap("your answer", &clip(&first.raw, REPAIR_QUOTE_TOKENS));
            user.push_str("\n\n");
            let repair = prompts::repair(&self.words, &part, &first.problem, &raw, fence.mark())?;
            user.push_str(&repair);
        }
        let agent = &brief.agents[seat.agent];
        Ok(Ask {
            id,
            agent: Some(seat.agent),
            speaker: seat.name.clone(),
            system,
            user,
            schema,
            max_output_tokens: self.max_output_tokens(),
            temperature: agent.temperature.unwrap_or(brief.limits.temperature),
            timeout_seconds: brief.limits.timeout_seconds,
            tools: self.tool_policy(seat),
            cap: None,
            form: match (style.parts, unreadable.is_some()) {
                (AnswerParts::Form, _) => ReplyForm::Json,
                (AnswerParts::OneGo, false) => ReplyForm::WordsThenRecord,
                (AnswerParts::OneGo, true) | (AnswerParts::TwoCalls, _) => ReplyForm::Words,
            },
            shown: view.shown,
        })
    }

    /// Whether a view holds nothing but who sits at the table.
    fn is_bare(&self, shown: &ViewContents) -> bool {
        let nothing = ViewContents { tokens: shown.tokens, ..ViewContents::default() };
        *shown == nothing
            && self.room.remarks.is_empty()
            && self.room.ledger.decisions.is_empty()
            && self.room.rounds.len() <= 1
    }

    pub(super) fn system_and_schema(
        &self,
        seat: &Seat,
        phase: RoundPhase,
    ) -> Result<(Arc<str>, Arc<serde_json::Value>), TemplateError> {
        let cell = &self.prompts[seat.id.index()][phase as usize];
        if let Some(ready) = cell.get() {
            return Ok(ready.clone());
        }
        let part = self.part(seat, phase);
        let system = prompts::system(&self.words, &part)?;
        let schema = self.schema_of_another(seat, phase).unwrap_or_else(|| {
            let parts = self.room.brief.style(seat.agent).parts;
            let question = &self.room.brief.question;
            Arc::new(match parts {
                AnswerParts::Form => prompts::answer_schema(self.plan, question, phase, seat),
                parts => prompts::record_schema(self.plan, question, phase, seat, parts),
            })
        });
        let ready = (Arc::from(system), schema);
        Ok(cell.get_or_init(|| ready).clone())
    }

    /// Returns the schema made for another seat, if it fits: a schema depends
    /// only on the role and on whether a stance was assigned.
    fn schema_of_another(&self, seat: &Seat, phase: RoundPhase) -> Option<Arc<serde_json::Value>> {
        let alike = |other: &&Seat| {
            let parts = |seat: &Seat| self.room.brief.style(seat.agent).parts;
            other.role == seat.role
                && other.stance.is_some() == seat.stance.is_some()
                && parts(other) == parts(seat)
        };
        self.room.seats.iter().filter(alike).find_map(|other| {
            let (_, schema) = self.prompts.get(other.id.index())?.get(phase as usize)?.get()?;
            Some(Arc::clone(schema))
        })
    }

    pub(super) fn part<'a>(&'a self, seat: &'a Seat, phase: RoundPhase) -> PromptAddressee<'a> {
        PromptAddressee {
            plan: self.plan,
            brief: &self.room.brief,
            seat,
            phase,
            lessons: &self.room.brief.required_questions,
        }
    }

    pub(super) fn phase(&self, round: Round) -> RoundPhase {
        match self.room.round(round).map(|record| record.kind) {
            Some(RoundKind::CriticalObjection) => RoundPhase::CriticalObjection,
            _ if round > 1 => RoundPhase::Later,
            _ => RoundPhase::First,
        }
    }

    fn max_output_tokens(&self) -> u32 {
        let brief = &self.room.brief;
        let light = &brief.flags.sequential_mode;
        match self.plan.execution {
            Execution::Sequential if light.use_light_model => {
                brief.limits.max_output_tokens.min(light.max_tokens)
            }
            Execution::Sequential | Execution::Parallel => brief.limits.max_output_tokens,
        }
    }

    fn tool_policy(&self, seat: &Seat) -> ToolPolicy {
        let flag = &self.room.brief.flags.tool_enforcement;
        if !self.room.brief.has_tools(seat.agent) {
            return ToolPolicy::NONE;
        }
        let max_calls = match self.plan.execution {
            Execution::Parallel => flag.max_calls,
            Execution::Sequential => flag.max_calls.min(SEQUENTIAL_MAX_CALLS),
        };
        let level = if flag.enabled { flag.level } else { ToolLevel::Relaxed };
        ToolPolicy { level, min_calls: flag.min_calls.min(max_calls), max_calls }
    }
}

/// The part of an unusable answer that a repair quotes back.
const REPAIR_QUOTE_TOKENS: usize = 3000;

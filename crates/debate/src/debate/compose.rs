//! The next step: the open asks, each of them in full.

use super::Debate;
use crate::analysis;
use crate::briefing::{self, SharedParts, ViewReader};
use crate::model::*;
use crate::prompts::{
    self, Message, PromptAddressee, RoundPhase, SharedPrompt, TemplateError, TurnsOfWave,
};

/// Rounds are counted from 1; what happens before them is round 0.
const BEFORE_THE_ROUNDS: Round = 0;
/// Calls per turn where agents wait for one another.
const SEQUENTIAL_MAX_CALLS: u32 = 2;
/// A seat that was silent is waited for a part of the time, and at least so many seconds.
const SHORT_CHANCE: u32 = 4;
const SHORTEST_WAIT: u32 = 5;

/// What the seats of one wave are shown and told alike.
#[derive(Default)]
struct WaveParts {
    views: SharedParts,
    turns: TurnsOfWave,
}

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
            let oldest = self.oldest_open();
            let record = oldest.room.current();
            return Step::Embed(record.map_or_else(Vec::new, |r| oldest.texts_to_embed(r)));
        }
        // All seats asked now speak in one wave, of one room and round.
        let shared = WaveParts::default();
        let asks: Result<Vec<Ask>, TemplateError> =
            open.into_iter().map(|id| self.ask(id, &shared)).collect();
        match asks {
            Ok(asks) => Step::Ask(asks),
            Err(error) => Step::Await(AwaitReason::Broken(error.to_string())),
        }
    }

    /// The names of all asks the debate waits for, in flight or not: those of the
    /// round that is held, then the clerk's for the round behind.
    pub(super) fn open_asks(&self) -> Vec<AskId> {
        let mut asks = self.asks_of_round();
        asks.extend(self.desk.behind.iter().flat_map(|behind| behind.asks_of_round()));
        asks
    }

    fn asks_of_round(&self) -> Vec<AskId> {
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
        if self.person_awaited().is_some() {
            return self.safety_asks();
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
        // The clerk reads one round after the other.
        if self.desk.behind.is_some() {
            return asks;
        }
        if self.wants_stands(record) {
            asks.push(clerk(record.number, Task::Consensus));
        }
        if self.wants_summary(record) {
            asks.push(clerk(record.number, Task::Summary));
        }
        asks
    }

    fn ask(&self, id: AskId, shared: &WaveParts) -> Result<Ask, TemplateError> {
        match id.party {
            Party::Seat(seat) => self.seat_ask(id, self.room.seat(seat), shared),
            Party::Clerk => self.as_of(&id).clerk_ask(id),
        }
    }

    fn seat_ask(&self, id: AskId, seat: &Seat, shared: &WaveParts) -> Result<Ask, TemplateError> {
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
        let sealed = self.sealed_room(id.round);
        let talk = self.talk_room(id.round);
        let other = sealed.as_ref().or(talk.as_ref());
        let mut view = briefing::view(&ViewReader {
            room: other.unwrap_or(&self.room),
            plan: self.plan,
            seat: seat.id,
            round: if sealed.is_some() { 1 } else { id.round },
            wave: id.wave as usize - 1,
            fence: &fence,
            shared: &shared.views,
        });
        for shown in &mut view.shown.answers {
            let turn = talk.as_ref().and_then(|room| room.round(shown.round)?.turn(shown.seat));
            shown.round = turn.map_or(shown.round, |turn| turn.round);
        }
        // Every sealed first answer is asked for in the same words.
        let asked_in = if phase == RoundPhase::First { 1 } else { id.round };
        let message = Message {
            round: asked_in,
            total_rounds: self.planned_rounds().max(asked_in),
            view: if style.small && self.is_bare(&view.shown) { "" } else { &view.text },
            sealed: view.shown.answers.is_empty() && view.shown.summaries.is_empty(),
            attachments: &view.attachments,
            focus: self.room.focus.as_deref(),
            fence_mark: fence.mark(),
        };
        let mut user = shared.turns.turn(&self.words, &part, &message)?;
        let split = self.split_between(phase);
        if split.len() > 1 {
            user.push_str("\n\n");
            user.push_str(&prompts::split(&self.words, &part, &split)?);
        }
        if let Some(first) = unreadable {
            let raw = fence.wrap("your answer", &clip(&first.raw, REPAIR_QUOTE_TOKENS));
            user.push_str("\n\n");
            let repair = prompts::repair(&self.words, &part, &first.problem, &raw, fence.mark())?;
            user.push_str(&repair);
        }
        let files = (!view.attachments.is_empty()).then(|| user.find(&view.attachments)).flatten();
        view.shown.same_bytes = files.map_or(0, |at| at + view.attachments.len());
        let known = known_inside(&user, &view.text, view.known);
        let agent = &brief.agents[seat.agent];
        Ok(Ask {
            id,
            agent: Some(seat.agent),
            speaker: seat.name.clone(),
            system,
            user: TokenCounted::with_known(user, known),
            schema,
            max_output_tokens: self.max_output_tokens(),
            temperature: agent.temperature.unwrap_or(brief.limits.temperature),
            timeout_seconds: self.patience(seat.id, id.round),
            tools: self.tool_policy(seat),
            form: match (style.parts, unreadable.is_some()) {
                (AnswerParts::Form, _) => ReplyForm::Json,
                (AnswerParts::OneGo, false) => ReplyForm::WordsThenRecord,
                (AnswerParts::OneGo, true) | (AnswerParts::TwoCalls, _) => ReplyForm::Words,
            },
            shown: view.shown,
        })
    }

    /// How long a seat is waited for, in seconds. One whose model was silent in the round
    /// before gets a short chance: the others do not wait for it in vain twice.
    fn patience(&self, seat: SeatId, round: Round) -> u32 {
        let whole = self.room.brief.limits.timeout_seconds;
        let before = self.room.round(round.saturating_sub(1)).and_then(|record| record.gap(seat));
        let silent = [FailureClass::TimedOut, FailureClass::Unreachable, FailureClass::Overloaded];
        match before.filter(|gap| silent.contains(&gap.class)) {
            Some(_) => (whole / SHORT_CHANCE).max(SHORTEST_WAIT).min(whole),
            None => whole,
        }
    }

    /// The answers that the talk after split first answers is about.
    fn split_between(&self, phase: RoundPhase) -> Vec<String> {
        if phase == RoundPhase::First || self.room.sample_rounds().next().is_none() {
            return Vec::new();
        }
        let leading = analysis::candidates(&self.room, self.plan);
        let named = |(label, votes): &(String, usize)| {
            format!("{} ({})", clip(label, CANDIDATE_TOKENS), counted(*votes, "first answer"))
        };
        leading.iter().map(named).collect()
    }

    /// The room as it was before anybody spoke, for a sealed first answer after
    /// others of the same seat.
    fn sealed_room(&self, round: Round) -> Option<Room> {
        let record = self.room.round(round).filter(|r| r.kind == RoundKind::Sample && round > 1)?;
        Some(Room {
            rounds: vec![RoundRecord { number: 1, ..record.clone() }],
            ledger: super::brought_along(&self.room.brief),
            ..self.room.clone()
        })
    }

    /// The room as the first round of talk is shown it: of the sealed first
    /// answers, one for each that leads.
    fn talk_room(&self, round: Round) -> Option<Room> {
        let last = self.room.round(round.checked_sub(1)?)?;
        let talk = self.room.round(round)?.kind != RoundKind::Sample;
        if !talk || last.kind != RoundKind::Sample || last.number < 2 {
            return None;
        }
        let mut room = self.room.clone();
        // The count of the first answers is in the question; their summaries would
        // only say it again.
        for sealed in room.rounds.iter_mut().filter(|round| round.kind == RoundKind::Sample) {
            sealed.summary = None;
        }
        for (seat, from) in analysis::spokesmen(&self.room, self.plan) {
            let held = self.room.round(from)?;
            let shown = room.rounds.get_mut(last.number as usize - 1)?;
            *shown.turns.get_mut(seat.index())? = held.turn(seat).cloned();
            *shown.touched.get_mut(seat.index())? = held.touched.get(seat.index())?.clone();
        }
        Some(room)
    }

    /// Returns whether a view holds nothing but who sits at the table.
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
    ) -> Result<SharedPrompt, TemplateError> {
        let cell = &self.prompts.seats[seat.id.index()][phase as usize];
        if let Some(ready) = cell.get() {
            return Ok(ready.clone());
        }
        let part = self.part(seat, phase);
        let ready = prompts::shared_prompt(&self.words, &part, self.language_name())?;
        Ok(cell.get_or_init(|| ready).clone())
    }

    /// The name of the debate's language.
    pub(super) fn language_name(&self) -> &str {
        let told = || self.room.brief.language_name().to_owned();
        self.prompts.language.get_or_init(told)
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
            Some(RoundKind::Sample) => RoundPhase::First,
            _ if round > 1 => RoundPhase::Later,
            _ => RoundPhase::First,
        }
    }

    fn max_output_tokens(&self) -> u32 {
        let brief = &self.room.brief;
        let light = &brief.flags.sequential_mode;
        // A limit that somebody set holds with and without the light model.
        let set = light.max_tokens != Flags::default().sequential_mode.max_tokens;
        match self.plan.execution {
            Execution::Sequential if light.use_light_model || set => {
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

/// The part of an answer that names it as one of those the talk is about.
const CANDIDATE_TOKENS: usize = 40;
/// The part of an unusable answer that a repair quotes back.
const REPAIR_QUOTE_TOKENS: usize = 3000;

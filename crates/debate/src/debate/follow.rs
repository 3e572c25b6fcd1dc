//! The next automatic event of a state, if there is one. It is a pure function,
//! so that a log cut anywhere leads to the same place.

use super::Debate;
use crate::model::*;
use crate::{analysis, briefing, casting};

/// With fewer answers than this in a round, the debate waits for a person.
pub(super) const QUORUM: usize = 2;

impl Debate {
    pub(super) fn follow_up(&self) -> Option<Event> {
        if let Some(event) = self.context_asked() {
            return Some(event);
        }
        if self.room.status != Status::Active {
            return None;
        }
        if !self.desk.abandoned.is_empty()
            && let Some(event) = self.given_up()
        {
            return Some(event);
        }
        if let Some(event) = self.safety_follow_up() {
            return Some(event);
        }
        if let Some(event) = self.turn_of_person() {
            return Some(event);
        }
        if let Some(behind) = self.desk.behind.as_deref()
            && let Some(event) = behind.room.current().and_then(|record| behind.closing(record))
        {
            return Some(event);
        }
        match self.room.current() {
            None if self.wants_domain() || self.wants_rating() => None,
            None if self.wants_depth() => Some(self.depth_chosen(None, None)),
            None if self.wants_perspectives() => None,
            None => Some(self.round_opening(1, self.first_kind())),
            Some(record) if record.closed && self.relaxes() => {
                Some(Event::SafetyRelaxed { round: record.number })
            }
            Some(record) if record.closed => Some(self.after_round(record)),
            Some(record) if self.outstanding_wave(record).is_none() => {
                if self.goes_on_beside(record) {
                    return Some(self.round_opening(record.number + 1, RoundKind::Planned));
                }
                // One round is closed after the other.
                if self.desk.behind.is_some() { None } else { self.closing(record) }
            }
            Some(_) => self.needs_context(),
        }
    }

    /// Returns the wave of the round that still waits for a seat.
    pub(super) fn outstanding_wave(&self, record: &RoundRecord) -> Option<usize> {
        (self.desk.waves_entered < record.waves.len()).then_some(self.desk.waves_entered)
    }

    pub(super) fn wants_perspectives(&self) -> bool {
        self.plan.perspectives
            && self.room.brief.perspectives.source == PerspectiveSource::Generated
            && self.room.brief.clerk.is_some()
            && !self.desk.perspectives_settled
    }

    /// Returns true if the depth is still to be chosen.
    fn wants_depth(&self) -> bool {
        let auto = self.room.brief.depth == Depth::Auto;
        auto && self.plan.extended.is_some() && self.room.depth.is_none()
    }

    pub(super) fn wants_rating(&self) -> bool {
        let clerk = self.room.brief.clerk.is_some();
        clerk && self.wants_depth() && !self.desk.rating_settled
    }

    pub(super) fn wants_domain(&self) -> bool {
        let brief = &self.room.brief;
        brief.domain_by == DomainBy::Clerk
            && brief.domain.is_none()
            && brief.clerk.is_some()
            && !self.desk.domain_settled
    }

    pub(super) fn depth_chosen(
        &self,
        rated: Option<&ComplexityRating>,
        bill: Option<Bill>,
    ) -> Event {
        let chosen = casting::choose_depth(&self.room.brief, rated);
        let brief = Brief { depth: chosen.depth, ..self.room.brief.clone() };
        Event::DepthChosen { seats: casting::seats(self.plan, &brief), chosen, bill }
    }

    /// A summary is read two rounds later at the earliest, so the last two
    /// rounds never pay for one.
    pub(super) fn wants_summary(&self, record: &RoundRecord) -> bool {
        self.room.brief.clerk.is_some()
            && !self.desk.summary_failed
            && record.summary.is_none()
            && record.kind != RoundKind::Sample
            && record.number + 2 <= self.planned_rounds()
    }

    /// Sealed first answers are counted; there is nothing to read in them yet.
    pub(super) fn wants_stands(&self, record: &RoundRecord) -> bool {
        let talk = record.kind != RoundKind::Sample;
        talk && self.room.brief.clerk.is_some() && record.stands.is_none()
    }

    /// Returns whether the positions of a round are compared by the embedder.
    pub(super) fn wants_similarities(&self, record: &RoundRecord) -> bool {
        // Votes and a clerk's table say where the seats stand; texts are compared
        // where there are neither.
        let read = self.room.brief.question.is_closed() || matches!(record.stands, Some(Ok(_)));
        record.kind != RoundKind::Sample && !read && self.room.brief.embedder.is_some()
    }

    /// The rounds of talk the brief asks for, and the sealed ones before them.
    pub(super) fn planned_rounds(&self) -> u32 {
        let sealed = u32::try_from(self.room.sample_rounds().count()).unwrap_or(u32::MAX);
        // The first of the planned rounds is one of first answers.
        self.room.brief.rounds.saturating_add(sealed.saturating_sub(1))
    }

    fn first_kind(&self) -> RoundKind {
        let closed = self.room.brief.question.is_closed();
        match self.room.brief.effort {
            DebateEffort::Adaptive | DebateEffort::Vote if closed => RoundKind::Sample,
            DebateEffort::Debate | DebateEffort::Adaptive | DebateEffort::Vote => {
                RoundKind::Planned
            }
        }
    }

    /// What follows sealed first answers: the decision, more of them, or talk.
    fn after_samples(&self) -> Event {
        let room = &self.room;
        let found = analysis::sampled(room, self.plan);
        let next = self.room.current().map_or(1, |record| record.number + 1);
        let leading = found.leading.as_deref().unwrap_or_default();
        let counted = format!("{} of {} first answers", found.leading_votes, found.votes);
        let figures = found.posterior.unwrap_or_default();
        if found.is_clear() {
            let limit = analysis::CLEAR;
            let details = format!(
                "{counted} say {leading}; it leads with probability {figures:.2} (needed {limit:.2})"
            );
            return self.ending(Exit { rule: "agreed".into(), details });
        }
        if found.votes == 0 {
            let details = "no agent could say; more answers would not help".into();
            return self.ending(Exit { rule: "abstained".into(), details });
        }
        if !self.next_samples().is_empty() {
            return self.round_opening(next, RoundKind::Sample);
        }
        if room.brief.effort == DebateEffort::Vote || room.brief.rounds <= 1 {
            let details =
                format!("{counted} say {leading}; it leads with probability {figures:.2}");
            return self.ending(Exit { rule: "vote".into(), details });
        }
        self.round_opening(next, RoundKind::Planned)
    }

    /// The steps between a round's last answer and its end.
    fn closing(&self, record: &RoundRecord) -> Option<Event> {
        let answered = record.answered().count();
        // Later samples only add to a first wave that had its quorum.
        let more = record.kind == RoundKind::Sample && record.number > 1;
        if answered < if more { 1 } else { QUORUM } {
            return Some(Event::Paused { reason: self.quorum_lost(record, answered) });
        }
        if self.wants_summary(record) || self.wants_stands(record) {
            return None;
        }
        if record.summary.is_none() {
            let summary = briefing::summarise(&self.room, record.number);
            return Some(Event::Summarised { summary, bill: None });
        }
        if record.analysis.is_some() {
            return Some(Event::RoundClosed { round: record.number });
        }
        if self.wants_similarities(record) {
            return None;
        }
        let missing = Err(match record.kind {
            RoundKind::Sample => "sealed first answers are counted, not compared".to_string(),
            RoundKind::Planned | RoundKind::CriticalObjection => "no embedder is set".to_string(),
        });
        Some(self.analysed(record, missing))
    }

    pub(super) fn analysed(
        &self,
        record: &RoundRecord,
        compared: Result<TextSimilarities, String>,
    ) -> Event {
        let analysis = self.analysis_of(record, compared);
        Event::Analysed { round: record.number, analysis: Box::new(analysis) }
    }

    pub(super) fn analysis_of(
        &self,
        record: &RoundRecord,
        compared: Result<TextSimilarities, String>,
    ) -> RoundAnalysis {
        // Only what was compared is looked up among the texts.
        let texts = compared.as_ref().map_or_else(|_| Vec::new(), |_| self.texts_to_embed(record));
        let place = |seat: SeatId, round: Round| {
            texts.iter().position(|text| text.seat == seat && text.round == round)
        };
        let of = |one, at, other, then| {
            let compared = compared.as_ref().ok()?;
            *compared.similarities.get(place(one, at)?)?.get(place(other, then)?)?
        };
        let similarities = match &compared {
            Ok(compared) => analysis::Similarities::by(&compared.embedder, &of),
            Err(reason) => analysis::Similarities::absent(reason),
        };
        analysis::analyse(&analysis::AnalysisInputs {
            room: &self.room,
            plan: self.plan,
            round: record.number,
            clerk: record.stands.clone(),
            similarities,
            weights: &self.room.brief.evidence_weights(),
        })
    }

    /// Returns this round's positions and, for seats that spoke before, their
    /// last ones.
    pub(super) fn texts_to_embed(&self, record: &RoundRecord) -> Vec<EmbedText> {
        let text = |turn: &Turn| EmbedText {
            round: turn.round,
            seat: turn.seat,
            text: turn.answer.position.clone(),
        };
        record
            .answered()
            .map(text)
            .chain(
                record
                    .answered()
                    .filter_map(|turn| self.room.previous_turn(turn.seat, record.number))
                    .map(text),
            )
            .collect()
    }

    fn quorum_lost(&self, record: &RoundRecord, answered: usize) -> PauseReason {
        let why: Vec<String> =
            record.gaps.iter().map(|gap| format!("{}: {}", gap.agent, gap.message)).collect();
        PauseReason::QuorumLost {
            round: record.number,
            answered,
            seats: self.room.seats.len(),
            why: why.join("; "),
        }
    }

    fn after_round(&self, record: &RoundRecord) -> Event {
        if record.kind == RoundKind::Sample {
            return self.after_samples();
        }
        if self.room.brief.effort == DebateEffort::Vote {
            let details = "each agent gave its first answer".into();
            return self.ending(Exit { rule: "vote".into(), details });
        }
        let analysis = record.analysis.as_ref();
        if analysis.is_some_and(|a| analysis::needs_critical_objection(&self.room, a).is_some()) {
            return self.round_opening(record.number + 1, RoundKind::CriticalObjection);
        }
        if let Some(exit) = record.analysis.as_ref().and_then(|a| a.exit.clone()) {
            return self.ending(exit);
        }
        let split = self.room.sample_rounds().next().is_some();
        if split && !analysis::found_something(&self.room, record.number) {
            let details =
                "the talk about the split answers found nothing new that can be checked, \
                           so the first answers stand"
                    .into();
            return self.ending(Exit { rule: "nothing_new".into(), details });
        }
        let planned = self.planned_rounds();
        if record.number >= planned {
            let details = match record.number - planned {
                0 if planned == 1 => "the one planned round was held".into(),
                0 => format!("all {planned} planned rounds were held"),
                _ => format!("{planned} planned and one of critical objections were held"),
            };
            return self.ending(Exit { rule: "rounds".into(), details });
        }
        self.round_opening(record.number + 1, RoundKind::Planned)
    }

    fn round_opening(&self, round: Round, kind: RoundKind) -> Event {
        if kind == RoundKind::Sample {
            return Event::RoundOpened { round, kind, waves: self.next_samples() };
        }
        let flag = &self.room.brief.flags.sequential_parallelization;
        let level = flag.level_for(self.plan.name, self.plan.parallel_default);
        let waves = casting::waves(self.plan, &self.room.seats, level, &self.room.brief);
        Event::RoundOpened { round, kind, waves: self.without_dropped(waves) }
    }

    /// The seats that give further sealed answers, in one wave; none if there are no more.
    fn next_samples(&self) -> Vec<Vec<SeatId>> {
        let next = analysis::next_samples(&self.room, self.plan);
        let mut waves = self.without_dropped(vec![next]);
        if !self.room.rounds.is_empty() {
            // A person is asked for one first answer.
            waves.iter_mut().for_each(|wave| wave.retain(|seat| !self.room.is_person(*seat)));
        }
        waves.retain(|wave| !wave.is_empty());
        waves
    }

    pub(super) fn ending(&self, exit: Exit) -> Event {
        let room = self.judged_room();
        let verdict = analysis::verdict(room.as_ref().unwrap_or(&self.room), self.plan, &exit);
        Event::Ended { exit, verdict: Box::new(verdict) }
    }
}

//! A debate as a tool gives it: the four layers made from the room, shortened
//! until they fit what a model can be expected to read.

use debate::model::*;
use serde_json::json;

use super::evidence;
pub use super::lookup::{names, seat_name};
use super::phrases::{analysed_by, nuances, pause_code};
use super::shapes::*;
use super::shortening::{TextLimits, few, fitting};
pub use super::shortening::{rounded, short};
pub use super::steps::next;
use super::steps::{NextSteps, PauseFacts, steps};
use crate::document::words;
use crate::mcp::wording;
use engine::background::host::{DebateProgress, DebateSnapshot, RunsWhere};
use engine::export::notices::{NoticeKind, notices};
use engine::table::attachments;

/// The seconds after which a caller should come back.
const POLL_AFTER: u32 = 10;
/// Context requests that are shown at once.
const MOST_REQUESTS: usize = 6;
/// The most that is shown as done while a debate is not over.
const NEARLY_ALL: usize = 99;

/// The analysis that is included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalysisWish {
    None,
    Latest,
    OfRound(u32),
}

/// How a debate is to be shown.
#[derive(Debug, Clone)]
pub struct ShapeWish {
    pub format: LengthWord,
    pub analysis: AnalysisWish,
    /// Notices of the table that only its start knows.
    pub notices: Vec<String>,
    pub facts: PauseFacts,
}

pub fn debate(seen: &DebateSnapshot, wish: &ShapeWish) -> DebateResult {
    let room = seen.debate.room();
    let mut told = wish.notices.clone();
    for notice in standing_notices(room) {
        if !told.contains(&notice) {
            told.push(notice);
        }
    }
    fitting(wish.format, |limits| {
        let view = DebateView { seen, room, limits, facts: wish.facts };
        DebateResult { notices: view.entries(&told), ..view.result(wish.analysis) }
    })
}

/// What agents were not shown, and what was refused: it holds for as long as the debate
/// is kept.
fn standing_notices(room: &Room) -> Vec<String> {
    let cut = attachments::shortened(&room.brief.attachments);
    let cut = wording::notices(cut.as_slice());
    let safety = notices(room).into_iter().filter(|notice| notice.kind == NoticeKind::Safety);
    cut.into_iter().chain(safety.map(|notice| notice.text)).collect()
}

/// The decision of a debate that is over.
pub fn decision(seen: &DebateSnapshot, facts: PauseFacts) -> Option<DecisionView> {
    let limits = TextLimits::usual();
    let room = seen.debate.room();
    let view = DebateView { seen, room, limits, facts };
    room.verdict.as_ref().map(|verdict| view.decision(&verdict.decision, &verdict.card))
}

/// Returns the address of a debate's transcript.
pub fn transcript_uri(id: &str) -> String {
    format!("roundtable://sessions/{id}/transcript.md")
}

pub fn status(seen: &DebateSnapshot) -> StatusWord {
    match (&seen.debate.room().status, seen.attended) {
        (Status::Completed { .. }, _) => StatusWord::Completed,
        (Status::Error { .. }, _) => StatusWord::Error,
        (_, RunsWhere::Queued) => StatusWord::Queued,
        (_, RunsWhere::Here) => StatusWord::Running,
        (Status::Paused { reason: PauseReason::NeedsContext { .. } }, _)
            if seen.debate.room().required_requests().next().is_some() =>
        {
            StatusWord::NeedsContext
        }
        (Status::Paused { .. }, _) => StatusWord::Paused,
        (_, RunsWhere::Elsewhere) => StatusWord::Running,
        (_, RunsWhere::Nowhere | RunsWhere::Draining) => StatusWord::Paused,
    }
}

/// Returns the open requests of agents, those that hold up the debate first.
pub fn context_requests(room: &Room) -> Vec<ContextRequestView> {
    let (required, optional): (Vec<_>, Vec<_>) =
        room.open_requests().partition(|request| request.holds_up());
    let view = |request: &ContextRequest| ContextRequestView {
        request_id: request.id.to_string(),
        agent: short(&request.agent, 60),
        question: short(&request.question, 600),
        why: short(&request.why, 300),
        priority: request.priority.word().into(),
    };
    required.into_iter().chain(optional).take(MOST_REQUESTS).map(view).collect()
}

/// Those of them that hold the debate up.
pub fn required_requests(room: &Room) -> Vec<ContextRequestView> {
    let mut requests = context_requests(room);
    requests.retain(|request| request.priority == Priority::Required.word());
    requests
}

struct DebateView<'a> {
    seen: &'a DebateSnapshot,
    room: &'a Room,
    limits: TextLimits,
    facts: PauseFacts,
}

impl DebateView<'_> {
    fn result(&self, analysis: AnalysisWish) -> DebateResult {
        let status = status(self.seen);
        let verdict = self.room.verdict.as_ref();
        let over = matches!(status, StatusWord::Completed | StatusWord::Error);
        let text = self.summary(status);
        let required = required_requests(self.room);
        let NextSteps { needs_person, calls } = steps(self.seen, status, &required, self.facts);
        DebateResult {
            session_id: self.seen.id.clone(),
            status,
            summary: verdict.is_none().then(|| text.clone()),
            text,
            decision: verdict.map(|verdict| self.decision(&verdict.decision, &verdict.card)),
            agent_responses: self.last_words(),
            evidence: verdict.map(|verdict| self.evidence(&verdict.evidence)),
            metadata: self.metadata(status),
            progress: (!over).then(|| progress(&DebateProgress::of(self.room))),
            context_requests: context_requests(self.room),
            analysis: self.analysis(analysis),
            needs_person,
            next: calls,
            notices: Vec::new(),
        }
    }

    fn summary(&self, status: StatusWord) -> String {
        let answer = |verdict: &Verdict| {
            let card = &verdict.card;
            format!(
                "{}: {}\n\n{} · {}. {}",
                card.title(),
                short(&card.decision, self.limits.answer),
                card.action.title(),
                card.sure.join(" · "),
                short(&card.reason, self.limits.entry * 2)
            )
        };
        match (status, self.room.verdict.as_ref()) {
            (_, Some(verdict)) => answer(verdict),
            (StatusWord::Queued, None) => {
                "The debate waits until another one has ended, then begins by itself.".into()
            }
            (StatusWord::Running, None) => format!(
                "The debate is running: {}. Nothing is decided yet.",
                DebateProgress::of(self.room).stage()
            ),
            (StatusWord::NeedsContext, None) => {
                "The debate waits for you: an agent needs to know something only you can tell. \
                 Answer contextRequests through continue_roundtable."
                    .into()
            }
            (_, None) => format!(
                "The debate stands still: {}. Nothing that was answered is lost.",
                self.stopped().unwrap_or_default().trim_end_matches('.')
            ),
        }
    }

    /// Why it does not run, where it does not.
    fn stopped(&self) -> Option<String> {
        match &self.room.status {
            Status::Paused { reason } => Some(short(&reason.sentence(), 300)),
            Status::Error { cause } => Some(short(cause, 300)),
            Status::Created if self.seen.attended == RunsWhere::Nowhere => {
                Some("it waits for its turn in another process, or that process has ended".into())
            }
            Status::Active if self.seen.attended == RunsWhere::Nowhere => {
                Some("the process that ran it has ended".into())
            }
            Status::Created | Status::Active => None,
            Status::Completed { exit } => Some(short(&exit.details, 300)),
        }
    }

    fn decision(&self, decision: &DecisionLayer, card: &DecisionCard) -> DecisionView {
        DecisionView {
            answer: short(&decision.answer, self.limits.answer),
            consensus_level: match decision.consensus_level {
                ConsensusLevel::High => AgreementLevel::High,
                ConsensusLevel::Medium => AgreementLevel::Medium,
                ConsensusLevel::Low => AgreementLevel::Low,
                ConsensusLevel::Unknown => AgreementLevel::Unknown,
            },
            agreement_score: decision.agreement_score.map(rounded),
            probability: decision.probability.map(rounded),
            action_recommendation: RecommendationView {
                kind: match decision.action_recommendation {
                    Action::Proceed => ActionWord::Proceed,
                    Action::Verify => ActionWord::Verify,
                    Action::QueryDetail => ActionWord::QueryDetail,
                },
                reason: short(&decision.reason, self.limits.entry * 2),
            },
            sure: card.sure.join(" · "),
            warnings: self.entries(&decision.warnings),
        }
    }

    /// From the verdict where there is one, else from the last answers.
    fn last_words(&self) -> Vec<AgentResponse> {
        match &self.room.verdict {
            Some(verdict) => verdict.agent_responses.iter().map(|word| self.word(word)).collect(),
            None => self
                .room
                .seats
                .iter()
                .filter_map(|seat| {
                    self.room.rounds.iter().rev().find_map(|record| record.turn(seat.id))
                })
                .map(|turn| self.word(&last_word(turn)))
                .collect(),
        }
    }

    fn word(&self, word: &FinalWord) -> AgentResponse {
        AgentResponse {
            said: said(word, self.limits.position, [self.limits.points, self.limits.point]),
            confidence_change: evidence::confidence_change(self.room, word, self.limits),
            stance: word.stance.map(|stance| stance.word().into()),
            vote: word.vote.map(|vote| vote.word().into()),
            evidence_used: evidence::used(self.room, word),
        }
    }

    fn evidence(&self, evidence: &EvidenceLayer) -> EvidenceView {
        let limits = self.limits;
        let vote = |share: &VoteShare| VoteView {
            answer: short(&share.answer, limits.entry),
            agents: few(&names(self.room, &share.seats), limits.names),
        };
        let weighing = &evidence.weighing;
        let change = |change: &ChangeOfMind| {
            let basis = match change.basis {
                ChangeBasis::NewEvidence => "with new evidence",
                ChangeBasis::PressureOnly => "without new evidence",
            };
            let (from, to) = (short(&change.from, 80), short(&change.to, 80));
            let who = seat_name(self.room, change.seat);
            format!("{who}, round {}: from {from:?} to {to:?}, {basis}", change.round)
        };
        let report = |report: &MinorityReport| {
            let who = seat_name(self.room, report.seat);
            format!("{who}: {}", short(&report.words, limits.entry))
        };
        EvidenceView {
            total_citations: evidence.citations.len(),
            citations: evidence
                .citations
                .iter()
                .take(limits.sources)
                .map(|source| self.source(source))
                .collect(),
            conflicts: evidence::conflicts(self.room, evidence, limits),
            consensus_summary: short(&evidence.consensus_summary, limits.entry * 3),
            groupthink: evidence::groupthink(evidence, limits),
            first_vote: weighing.first_vote.iter().take(limits.entries).map(vote).collect(),
            final_vote: weighing.final_vote.iter().take(limits.entries).map(vote).collect(),
            changes_of_mind: weighing.changes.iter().take(limits.entries).map(change).collect(),
            minority_reports: weighing.minority.iter().take(limits.entries).map(report).collect(),
        }
    }

    fn metadata(&self, status: StatusWord) -> MetadataView {
        let verdict = self.room.verdict.as_ref().map(|verdict| &verdict.metadata);
        let spent = verdict.map_or(&self.room.spent, |metadata| &metadata.spent);
        let gaps = self.room.rounds.iter().flat_map(|record| &record.gaps);
        let gaps: Vec<String> = gaps
            .map(|gap| {
                let who = short(&gap.agent, 60);
                format!("{who} missed round {} ({})", gap.round, gap.class.word())
            })
            .collect();
        let begun = self.room.rounds.len() as u32;
        MetadataView {
            topic: short(&self.room.brief.topic, self.limits.entry),
            mode: self.room.brief.mode.clone(),
            rounds_held: self.room.closed_rounds().count() as u32,
            exit: match status {
                StatusWord::Queued | StatusWord::Running => None,
                _ => self.exit(),
            },
            answered: self.answered(),
            analysed_by: verdict.map(|metadata| analysed_by(metadata.analysed_by).into()),
            gaps: few(&gaps, self.limits.entries),
            cost_usd: known_cost(spent),
            unpriced_calls: spent.unpriced_calls,
            possibly_billed_usd: (spent.possibly_billed > MicroUsd::ZERO)
                .then(|| spent.possibly_billed.usd()),
            calls: spent.calls,
            tokens: spent.usage.total(),
            verification_hints: verdict
                .map(|metadata| {
                    evidence::hints(self.room, &metadata.verification_hints, self.limits)
                })
                .unwrap_or_default(),
            has_more_details: begun > 0,
            detail_reference: next(
                "get_round_details",
                json!({ "sessionId": self.seen.id, "round": begun.max(1) }),
                "",
            ),
        }
    }

    /// The end of the debate, or the reason why it stands still, with a stable name.
    fn exit(&self) -> Option<ExitView> {
        let code = match &self.room.status {
            Status::Completed { exit } => exit.rule.clone(),
            Status::Error { .. } => "error".into(),
            Status::Paused { reason } => pause_code(reason).into(),
            Status::Created | Status::Active => "interrupted".into(),
        };
        self.stopped().map(|reason| ExitView { code, reason })
    }

    /// The agents that answered in the last round, of how many.
    fn answered(&self) -> Option<String> {
        if let Some(verdict) = &self.room.verdict {
            let metadata = &verdict.metadata;
            return Some(format!("{} of {}", metadata.answered, metadata.seats));
        }
        let record = self.room.rounds.last()?;
        Some(format!("{} of {}", record.answered().count(), self.room.seats.len()))
    }

    fn analysis(&self, which: AnalysisWish) -> Option<AnalysisView> {
        let mut records = self.room.rounds.iter().rev();
        let found = match which {
            AnalysisWish::None => None,
            AnalysisWish::Latest => records.find_map(|record| record.analysis.as_ref()),
            AnalysisWish::OfRound(round) => self.room.round(round)?.analysis.as_ref(),
        }?;
        let consensus = &found.consensus;
        let convergence = &found.convergence;
        let limits = self.limits;
        let cluster = |cluster: &Cluster| ClusterView {
            theme: short(&cluster.theme, limits.entry),
            agents: few(&names(self.room, &cluster.seats), limits.names),
            summary: short(&cluster.summary, limits.entry),
        };
        let objection = |one: &Objection| {
            let who = seat_name(self.room, one.seat);
            format!("{who} ({}): {}", one.ballot.word(), short(&one.text, limits.entry))
        };
        let status = convergence.status.and_then(|status| serde_json::to_value(status).ok());
        Some(AnalysisView {
            round: found.round,
            agreement_level: consensus.agreement_level.map(rounded),
            analysed_by: analysed_by(consensus.by).into(),
            clusters: consensus.clusters.iter().take(limits.entries).map(cluster).collect(),
            common_ground: self.entries(&consensus.common_ground),
            disagreements: self.entries(&consensus.disagreements),
            nuances: self.entries(&nuances(&consensus.nuances)),
            similarity: convergence.similarity.map(rounded),
            shift: convergence.shift.map(rounded),
            shared_evidence: convergence.evidence.map(rounded),
            convergence: status.and_then(|word| word.as_str().map(str::to_owned)),
            votes: VoteTally {
                accept: found.votes.accept,
                minor: found.votes.minor,
                blocker: found.votes.blocker,
                objections: found
                    .votes
                    .objections
                    .iter()
                    .take(limits.entries)
                    .map(objection)
                    .collect(),
            },
            groupthink: self.entries(&found.groupthink.indicators),
            held_back: found.held_back.as_deref().map(|why| short(why, limits.entry)),
        })
    }

    fn source(&self, source: &CitedSource) -> SourceView {
        let most = self.limits.entry;
        SourceView {
            id: source.id.to_string(),
            title: short(&source.title, most.min(160)),
            // An address that is cut leads nowhere; get_citations has it whole.
            url: source.url.clone().filter(|url| url.chars().count() <= most.max(120)),
            cited_by: few(&source.cited_by, self.limits.names),
        }
    }

    fn entries(&self, all: &[String]) -> Vec<String> {
        self.limits.list(all)
    }
}

/// The cost as far as it is known; `None` where no call has a known price.
fn known_cost(spent: &Tally) -> Option<f64> {
    let is_known = spent.unpriced_calls == 0 || spent.cost > MicroUsd::ZERO;
    is_known.then(|| spent.cost.usd())
}

pub fn progress(standing: &DebateProgress) -> ProgressView {
    let expected = standing.expected().max(1);
    ProgressView {
        round: standing.round,
        rounds: standing.rounds.max(standing.round),
        turns: standing.turns,
        turns_expected: expected,
        percent: (standing.turns * 100 / expected).min(NEARLY_ALL) as u32,
        agreement: standing.agreement.map(rounded),
        poll_after_seconds: POLL_AFTER,
    }
}

/// An agent's answer in short: the longest position, the number of key points, and
/// the longest of them.
pub fn said(word: &FinalWord, position: usize, [points, point]: [usize; 2]) -> AgentWords {
    let points = word.key_points.iter().take(points);
    AgentWords {
        agent: short(&word.agent, 60),
        model: short(&word.model, 80),
        role: word.role.clone(),
        perspective: word.perspective.as_deref().map(|name| short(name, 80)),
        round: word.round,
        position: short(&word.position, position),
        key_points: points.map(|one| short(one, point)).collect(),
        confidence: word.confidence.map(rounded),
        choice: word.answer.as_ref().map(choice),
    }
}

pub fn choice(choice: &Choice) -> String {
    match choice {
        Choice::Option(option) => short(option, 200),
        Choice::Number(_) | Choice::Probability(_) => words::choice(choice),
    }
}

pub fn last_word(turn: &Turn) -> FinalWord {
    let mut evidence: Vec<EvidenceType> =
        turn.answer.claims.iter().map(|claim| claim.evidence_type).collect();
    evidence.sort();
    evidence.dedup();
    FinalWord {
        seat: turn.seat,
        agent: turn.agent.clone(),
        model: turn.model.clone(),
        role: turn.role.clone(),
        perspective: turn.perspective.clone(),
        round: turn.round,
        position: turn.answer.position.clone(),
        key_points: turn.answer.key_points.clone(),
        confidence: turn.answer.confidence,
        // Known only when the verdict is made.
        calibrated_confidence: None,
        abstained: false,
        confidence_change: turn.confidence_change.as_ref().map(|change| change.delta),
        stance: turn.answer.stance,
        vote: turn.answer.vote.as_ref().map(|vote| vote.ballot),
        answer: turn.answer.answer.clone(),
        ruling: turn.answer.ruling,
        evidence_used: evidence.iter().map(|one| one.word().into()).collect(),
    }
}

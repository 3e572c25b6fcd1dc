//! The post-mortem of a decision: accepted completely or refused, drafted by the
//! clerk for a person to correct, and shown with its effects.

use std::path::Path;

use agents::{CancellationToken, NoWatch, Panel};
use async_recursion::async_recursion as boxed;
use debate::learning::{self, ChangeFilter};
use debate::model::{
    ChangeBasis, Day, EstimateChange, Event, EvidenceType, Input, OutcomeForm, PostMortem,
    ProgressEntry, Room, Validation, Verdict,
};
use serde::Serialize;
use store::OutcomeRecord;

use crate::config::Config;
use crate::error::{AfterDebate, EngineError, Refusal, Remedy, SessionProblem};
use crate::outcomes::lessons::{OutcomeShare, shares};
use crate::outcomes::linked::{self, OfferedDebate};
use crate::outcomes::track::{self, DecidedDebate, OutcomeBook};
use crate::run;
use crate::table::seats;

/// The user's choice if there is a post-mortem already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatPolicy {
    Refuse,
    Replace,
}

/// Stores a post-mortem and returns what it changed.
#[boxed]
pub async fn assess(
    config: &Config,
    id: &str,
    form: &OutcomeForm,
    repeat: RepeatPolicy,
    on: Option<&str>,
) -> Result<PostMortemReport, EngineError> {
    let decided = track::decided(config, id).await?;
    let verdict = verdict(&decided)?;
    let mut faults = Vec::new();
    let day = track::past_day(on).map_err(|fault| faults.push(*fault)).unwrap_or_default();
    let post = learning::check(form, decided.debate.room(), &verdict).map_err(|more| {
        faults.extend(more.into_iter().map(Refusal::from));
    });
    if let (Some(known), RepeatPolicy::Refuse) = (&decided.book.assessed, repeat) {
        faults.push(already(&decided.id, known.judged.on));
    }
    let (Ok(post), true) = (post, faults.is_empty()) else {
        return Err(EngineError::Refused(faults));
    };
    let judged = learning::judge(&decided.id, day, decided.debate.room(), &verdict, &post);
    let record = OutcomeRecord::Assessed { post_mortem: Box::new(post), judged: Box::new(judged) };
    decided.note(vec![record]).await?;
    decided.store.close().await;
    report(config, &decided.id).await
}

/// Refuses a second post-mortem that was not announced as one.
pub fn already(id: &str, on: Day) -> Refusal {
    Refusal::session(id, SessionProblem::Judged { on }).help(Remedy::ReplaceEarlier)
}

fn verdict(decided: &DecidedDebate) -> Result<Verdict, EngineError> {
    decided
        .debate
        .room()
        .verdict
        .clone()
        .ok_or_else(|| Refusal::session(&decided.id, SessionProblem::NoVerdict).into())
}

/// Has the debate's clerk draft a post-mortem from the entries. Nothing is learned
/// from a draft.
#[boxed]
pub async fn draft(
    config: &Config,
    id: &str,
    script: Option<&Path>,
) -> Result<(String, OutcomeForm), EngineError> {
    let decided = track::decided(config, id).await?;
    if decided.book.entries.is_empty() {
        return Err(Refusal::session(&decided.id, SessionProblem::NothingNoted)
            .help(Remedy::Track)
            .into());
    }
    let entries: Vec<ProgressEntry> =
        decided.book.entries.iter().map(|one| one.entry.clone()).collect();
    let Some(ask) = decided.debate.draft_ask(&entries) else {
        let problem = SessionProblem::NoClerk { wanted: AfterDebate::Draft };
        return Err(Refusal::session(&decided.id, problem).help(Remedy::WriteItYourself).into());
    };
    let mut outside = seats::outside(config)?;
    outside.script = script.map(seats::script).transpose()?;
    let panel = Panel::open(&[], decided.debate.room().brief.clerk.as_ref(), &outside)?;
    let Some(speaker) = panel.speaker(&ask) else {
        return Err(Refusal::session(&decided.id, SessionProblem::ClerkSilent).into());
    };
    run::ensure_not_running(&decided.store, &decided.id).await?;
    let heard = match speaker.speak(&ask, &NoWatch, CancellationToken::new()).await {
        Ok(reply) => Input::Replied { ask: ask.id, reply: Box::new(reply) },
        Err(failure) => Input::Failed { ask: ask.id, failure },
    };
    let events = run::tell(&decided.store, &decided.id, heard).await?;
    decided.store.close().await;
    for event in events {
        match event {
            Event::OutcomeDrafted { draft, .. } => return Ok((decided.id, *draft)),
            Event::ClerkFailed { why, .. } => return Err(EngineError::Clerk { why }),
            _ => {}
        }
    }
    Err(EngineError::Clerk { why: "its answer came too late".into() })
}

/// The report of a post-mortem: the quality of the debate, and the lessons.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PostMortemReport {
    pub id: String,
    pub topic: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub domain: String,
    pub decision: String,
    pub on: Day,
    pub metrics: PostMortemMetrics,
    pub evidence: Vec<EvidenceReport>,
    pub agents: Vec<AgentReport>,
    pub post_mortem: PostMortem,
    pub entries: Vec<ProgressEntry>,
    /// The change of each estimate through this outcome.
    pub changes: Vec<EstimateChange>,
    /// The lessons that the next debate of the domain starts with.
    pub next: Vec<String>,
    pub share: OutcomeShare,
    /// Linked debates that were not judged yet: the same may be recorded for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<OfferedDebate>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PostMortemMetrics {
    pub rounds: u32,
    pub agreement: Option<f64>,
    pub semantic_similarity: Option<f64>,
    pub evidence_convergence: Option<f64>,
    pub total_tokens: Option<u64>,
}

/// The performance of one type of evidence in this debate.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceReport {
    pub evidence_type: EvidenceType,
    /// Claims of that type that the decision rested on.
    pub relied_on: u32,
    pub cases: Vec<PostMortemCase>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PostMortemCase {
    pub aspect: String,
    pub validation: Validation,
    pub note: String,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentReport {
    pub agent: String,
    pub model: String,
    pub first: String,
    pub last: String,
    /// The degree to which its vote was right; absent if it had none.
    pub right: Option<f64>,
    pub confidence: Option<f64>,
    /// The basis on which it changed its mind, if it did.
    pub changed: Option<ChangeBasis>,
    pub note: String,
}

/// Returns the report of a judged debate.
#[boxed]
pub async fn report(config: &Config, id: &str) -> Result<PostMortemReport, EngineError> {
    let decided = track::decided(config, id).await?;
    let verdict = verdict(&decided)?;
    let Some(assessed) = decided.book.assessed.clone() else {
        return Err(Refusal::session(&decided.id, SessionProblem::NotJudged).into());
    };
    let room = decided.debate.room();
    let offered = linked::unjudged(config, &decided.store, &decided.id, room).await?;
    decided.store.close().await;
    let books = track::books(config).await?;
    let judged = track::judged(&books);
    let filter = ChangeFilter { outcome: Some(decided.id.clone()), ..ChangeFilter::default() };
    let domain = assessed.judged.domain.clone();
    let lessons = learning::lessons(
        &judged,
        std::slice::from_ref(&domain),
        &room.brief.agents,
        track::today(),
    );
    let entries = entries(&decided.book);
    Ok(PostMortemReport {
        id: decided.id.clone(),
        topic: room.brief.topic.clone(),
        project: room.brief.project.clone(),
        decision: verdict.decision.answer.clone(),
        on: assessed.judged.on,
        metrics: metrics(room, &verdict),
        evidence: evidence(&assessed),
        agents: agents(room, &verdict, &assessed),
        post_mortem: assessed.post_mortem,
        entries,
        changes: learning::history(&judged, &filter),
        next: lessons.into_iter().flat_map(|lessons| lessons.used).collect(),
        share: shares(config, &books).await?.of(Some(&domain)),
        offered,
        domain,
    })
}

fn entries(book: &OutcomeBook) -> Vec<ProgressEntry> {
    book.entries.iter().map(|one| one.entry.clone()).collect()
}

fn metrics(room: &Room, verdict: &Verdict) -> PostMortemMetrics {
    let last = room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
    PostMortemMetrics {
        rounds: verdict.metadata.rounds,
        agreement: verdict.decision.agreement_score,
        semantic_similarity: last.and_then(|found| found.convergence.similarity),
        evidence_convergence: last.and_then(|found| found.convergence.evidence),
        total_tokens: verdict.metadata.spent.usage.total(),
    }
}

fn evidence(assessed: &track::RecordedAssessment) -> Vec<EvidenceReport> {
    let post = &assessed.post_mortem;
    let findings = || post.what_went_right.iter().chain(&post.what_went_wrong);
    let of = |kind: EvidenceType| {
        let cases: Vec<PostMortemCase> = findings()
            .filter(|finding| finding.evidence_type == Some(kind))
            .filter_map(|finding| {
                Some(PostMortemCase {
                    aspect: finding.aspect.clone(),
                    validation: finding.validation?,
                    note: finding.note.clone(),
                })
            })
            .collect();
        let relied = assessed.judged.relied_on.iter().find(|one| one.evidence_type == kind);
        let relied_on = relied.map_or(0, |one| one.items);
        (relied_on > 0 || !cases.is_empty()).then_some(EvidenceReport {
            evidence_type: kind,
            relied_on,
            cases,
        })
    };
    EvidenceType::ALL.into_iter().filter_map(of).collect()
}

fn agents(
    room: &Room,
    verdict: &Verdict,
    assessed: &track::RecordedAssessment,
) -> Vec<AgentReport> {
    let weighing = &verdict.evidence.weighing;
    verdict
        .agent_responses
        .iter()
        .map(|word| {
            let first = room.rounds.iter().find_map(|round| round.turn(word.seat));
            let voice = weighing.voices.iter().position(|voice| voice.seat == word.seat);
            let right = voice.and_then(|at| assessed.judged.voices.get(at)).map(|one| one.right);
            let change = weighing.changes.iter().rfind(|change| change.seat == word.seat);
            let note = assessed.post_mortem.agents.iter().find(|one| one.agent == word.agent);
            AgentReport {
                agent: word.agent.clone(),
                model: word.model.clone(),
                first: first.map(|turn| turn.answer.position.clone()).unwrap_or_default(),
                last: word.position.clone(),
                right,
                confidence: word.confidence,
                changed: change.map(|change| change.basis),
                note: note.map(|one| one.note.clone()).unwrap_or_default(),
            }
        })
        .collect()
}

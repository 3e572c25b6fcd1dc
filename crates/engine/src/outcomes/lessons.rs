//! Lessons from earlier outcomes: shown with their intervals and counts, explained
//! change by change, and recomputed. Every report includes the share of debates that a
//! person has judged.

use std::collections::BTreeMap;

use async_recursion::async_recursion as boxed;
use debate::learning::{self, ChangeFilter};
use debate::model::{
    ChangeSubject, EstimateChange, EvidenceType, GENERAL_DOMAIN, JudgedDebate, Learning,
    domain_name,
};
use serde::Serialize;
use store::{NewOutcome, OutcomeRecord, StoreError};

use crate::clock;
use crate::config::Config;
use crate::error::{EngineError, Problem, Refusal, SettingName};
use crate::outcomes::track::{self, OutcomeBook};
use crate::people::caller::Operation;
use crate::sessions::list;

/// The share of finished debates whose outcome is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeShare {
    pub judged: usize,
    pub finished: usize,
}

#[derive(Debug, Clone, Default)]
pub struct OutcomeShares {
    all: OutcomeShare,
    by_domain: BTreeMap<String, OutcomeShare>,
}

impl OutcomeShares {
    /// Returns the share for one domain, or for all debates.
    pub fn of(&self, domain: Option<&str>) -> OutcomeShare {
        match domain {
            None => self.all,
            Some(domain) => self.by_domain.get(domain).copied().unwrap_or_default(),
        }
    }
}

#[boxed]
pub async fn shares(
    config: &Config,
    books: &BTreeMap<String, OutcomeBook>,
) -> Result<OutcomeShares, EngineError> {
    let finished = match config.read_store().await {
        Ok(store) => store.finished().await?,
        Err(StoreError::Missing { .. } | StoreError::Older { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut shares = OutcomeShares::default();
    for one in finished {
        let assessed = books.get(&one.id).and_then(|book| book.assessed.as_ref());
        let own = one.domain.as_deref().map_or(GENERAL_DOMAIN.to_owned(), domain_name);
        let domain = assessed.map_or(own, |assessed| assessed.judged.domain.clone());
        for share in [&mut shares.all, shares.by_domain.entry(domain).or_default()] {
            share.finished += 1;
            share.judged += usize::from(assessed.is_some());
        }
    }
    Ok(shares)
}

/// All lessons, with the share of outcomes they rest on.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LearningReport {
    #[serde(flatten)]
    pub learning: Learning,
    pub share: OutcomeShare,
    pub shares: BTreeMap<String, OutcomeShare>,
    /// Outcomes imported from a file by another person.
    pub imported: u32,
}

/// Reports the lessons of one domain, or of all.
#[boxed]
pub async fn report(config: &Config, domain: Option<&str>) -> Result<LearningReport, EngineError> {
    let books = track::books(config).await?;
    let judged = track::judged(&books);
    let shares = shares(config, &books).await?;
    let mut learning = learning::learn(&judged, track::today());
    if let Some(domain) = domain {
        let wanted = domain_name(domain);
        let known: Vec<String> = learning.domains.iter().map(|one| one.domain.clone()).collect();
        if !known.contains(&wanted) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let problem = Problem::unknown(&wanted, &known);
            return Err(Refusal::setting(SettingName::Domain, wanted, problem).into());
        }
        learning.domains.retain(|one| one.domain == wanted);
    }
    Ok(LearningReport {
        imported: learning.domains.iter().map(|one| one.imported).sum(),
        share: shares.of(None),
        shares: shares.by_domain.clone(),
        learning,
    })
}

/// Explains the changes behind one estimate (an evidence type, an agent, a
/// question) or by one outcome (a debate's id); `all` explains everything.
#[boxed]
pub async fn explain(
    config: &Config,
    what: &str,
    domain: Option<&str>,
) -> Result<Vec<EstimateChange>, EngineError> {
    let judged = track::judged(&track::books(config).await?);
    let mut filter = subject(&judged, what.trim())?;
    filter.domain = domain.map(domain_name);
    Ok(learning::history(&judged, &filter))
}

fn subject(judged: &[JudgedDebate], what: &str) -> Result<ChangeFilter, EngineError> {
    let everything = ChangeFilter::default();
    if what.eq_ignore_ascii_case("all") {
        return Ok(everything);
    }
    let of =
        |subject: ChangeSubject| ChangeFilter { subject: Some(subject), ..ChangeFilter::default() };
    let kind = EvidenceType::ALL.into_iter().find(|kind| kind.word().eq_ignore_ascii_case(what));
    if let Some(evidence_type) = kind {
        return Ok(of(ChangeSubject::Evidence { evidence_type }));
    }
    let mut agents: Vec<&str> =
        judged.iter().flat_map(|one| &one.voices).map(|voice| voice.agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    if let Some(agent) = agents.iter().find(|agent| agent.eq_ignore_ascii_case(what)) {
        return Ok(of(ChangeSubject::Agent { agent: (*agent).to_owned() }));
    }
    if let Some(one) = judged.iter().find(|one| !what.is_empty() && one.debate.starts_with(what)) {
        return Ok(ChangeFilter { outcome: Some(one.debate.clone()), ..everything });
    }
    let low = what.to_lowercase();
    let mut questions = judged.iter().flat_map(|one| &one.asked_for);
    if let Some(question) =
        questions.find(|one| !low.is_empty() && one.to_lowercase().contains(&low))
    {
        return Ok(of(ChangeSubject::Question { question: question.clone() }));
    }
    let kinds = EvidenceType::ALL.map(EvidenceType::word).join(", ");
    let agents = if agents.is_empty() { "none yet".to_owned() } else { agents.join(", ") };
    let problem = Problem::out_of_range(format!(
        "an evidence type ({kinds}), an agent ({agents}), the id of a judged debate, a part of a \
         required question, or all"
    ));
    Err(Refusal::setting(SettingName::Explain, what, problem).into())
}

/// The result of recomputing everything.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecomputedLessons {
    pub outcomes: u32,
    /// Outcomes whose debate still exists and whose post-mortem was read again.
    pub reread: usize,
    /// Those of them that gave another result and were recorded again.
    pub changed: Vec<String>,
    pub milliseconds: u64,
}

/// Reads every post-mortem again whose debate still exists and recomputes all
/// lessons. A post-mortem that gives another result is recorded again.
#[boxed]
pub async fn recompute(config: &Config) -> Result<RecomputedLessons, EngineError> {
    let begun = clock::now_ms();
    let books = track::books(config).await?;
    let (mut notes, mut reread) = (Vec::new(), 0);
    for (id, book) in &books {
        let Some(assessed) = &book.assessed else { continue };
        let session = match list::show(config, id).await {
            Ok(session) => session,
            // The debate was deleted, so the recorded outcome stays as it is.
            Err(EngineError::Store(StoreError::Unknown { .. })) => continue,
            Err(trouble) => return Err(trouble),
        };
        let room = session.debate.room();
        let Some(verdict) = &room.verdict else { continue };
        reread += 1;
        let post = &assessed.post_mortem;
        let judged = learning::judge(id, assessed.judged.on, room, verdict, post);
        if judged != assessed.judged {
            let record = OutcomeRecord::Assessed {
                post_mortem: Box::new(post.clone()),
                judged: Box::new(judged),
            };
            notes.push(NewOutcome { debate: id.clone(), after: book.last, record });
        }
    }
    if !notes.is_empty() {
        let store = config.existing_store(Operation::Steer).await?;
        store.note_outcomes(clock::now_ms(), &notes).await?;
        store.close().await;
    }
    let report = report(config, None).await?;
    Ok(RecomputedLessons {
        outcomes: report.learning.outcomes,
        reread,
        changed: notes.into_iter().map(|note| note.debate).collect(),
        milliseconds: u64::try_from(clock::now_ms() - begun).unwrap_or(0),
    })
}

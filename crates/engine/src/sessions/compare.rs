//! Two debates side by side, on any topics: the decision, the votes, the evidence
//! and the cost of each.

use std::collections::BTreeMap;

use async_recursion::async_recursion as boxed;
use debate::model::*;
use serde::Serialize;

use crate::config::Config;
use crate::error::EngineError;
use crate::export::state;
use crate::sessions::list::{self, StoredSession};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DebateComparison {
    pub first: ComparedDebate,
    pub second: ComparedDebate,
    pub sources: SharedSources,
    /// Differences of the second from the first.
    #[serde(rename = "comparison")]
    pub gain: DepthComparison,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparedDebate {
    pub id: String,
    pub topic: String,
    pub mode: String,
    pub status: &'static str,
    pub rounds: usize,
    pub agents: Vec<String>,
    pub decision: Option<DecisionLayer>,
    pub first_vote: Vec<ComparedVotes>,
    pub final_vote: Vec<ComparedVotes>,
    pub changes_of_mind: usize,
    pub claims: usize,
    pub contested_claims: usize,
    /// The number of claims per type of evidence, strongest type first.
    pub evidence: Vec<(EvidenceType, usize)>,
    pub sources: usize,
    pub missed_answers: usize,
    pub calls: u32,
    pub tokens: Option<u64>,
    pub cost_usd: f64,
    pub unpriced_calls: u32,
}

#[derive(Debug, Serialize)]
pub struct ComparedVotes {
    pub answer: String,
    pub agents: Vec<String>,
}

/// Titles of sources, by the debates that cite them.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedSources {
    pub both: Vec<String>,
    pub only_first: Vec<String>,
    pub only_second: Vec<String>,
}

#[boxed]
pub async fn compare(
    config: &Config,
    first: &str,
    second: &str,
) -> Result<DebateComparison, EngineError> {
    let first = list::show(config, first).await?;
    let second = list::show(config, second).await?;
    let (one, other) = (first.debate.room(), second.debate.room());
    Ok(DebateComparison {
        sources: shared(one, other),
        gain: debate::analysis::compare_depths(one, other),
        first: side(&first),
        second: side(&second),
    })
}

fn side(session: &StoredSession) -> ComparedDebate {
    let room = session.debate.room();
    let weighing = room.verdict.as_ref().map(|verdict| &verdict.evidence.weighing);
    let votes = |of: fn(&Weighing) -> &Vec<VoteShare>| -> Vec<ComparedVotes> {
        let shares = weighing.map(of).into_iter().flatten();
        shares
            .map(|share| ComparedVotes {
                answer: if share.words.is_empty() { &share.answer } else { &share.words }.clone(),
                agents: state::names(room, &share.seats),
            })
            .collect()
    };
    let claims = &room.ledger.claims;
    let of_kind = |kind| claims.iter().filter(|claim| claim.evidence_type == kind).count();
    ComparedDebate {
        id: session.id.clone(),
        topic: room.brief.topic.clone(),
        mode: room.brief.mode.clone(),
        status: room.status.word(),
        rounds: room.rounds.len(),
        agents: room.seats.iter().map(|seat| seat.name.clone()).collect(),
        decision: room.verdict.as_ref().map(|verdict| verdict.decision.clone()),
        first_vote: votes(|weighing| &weighing.first_vote),
        final_vote: votes(|weighing| &weighing.final_vote),
        changes_of_mind: weighing.map_or(0, |weighing| weighing.changes.len()),
        claims: claims.len(),
        contested_claims: room.ledger.with_status(ClaimStatus::Contested).count(),
        evidence: EvidenceType::ALL
            .into_iter()
            .map(|kind| (kind, of_kind(kind)))
            .filter(|(_, count)| *count > 0)
            .collect(),
        sources: room.ledger.evidence.len(),
        missed_answers: room.rounds.iter().map(|record| record.gaps.len()).sum(),
        calls: room.spent.calls,
        tokens: room.spent.usage.total(),
        cost_usd: room.spent.cost.usd(),
        unpriced_calls: room.spent.unpriced_calls,
    }
}

/// The address, else the title, each without parts that do not matter.
fn key(source: &Evidence) -> String {
    let plain = |text: &str| text.trim().trim_end_matches('/').to_lowercase();
    match &source.url {
        Some(url) => {
            let url = plain(url);
            url.split_once("://").map_or(url.clone(), |(_, rest)| rest.to_owned())
        }
        None => plain(&source.title),
    }
}

fn shared(first: &Room, second: &Room) -> SharedSources {
    let titles = |room: &Room| -> BTreeMap<String, String> {
        let sources = room.ledger.evidence.iter();
        sources.map(|source| (key(source), source.title.clone())).collect()
    };
    let (first, second) = (titles(first), titles(second));
    let mut shared = SharedSources::default();
    for (key, title) in &first {
        let list = if second.contains_key(key) { &mut shared.both } else { &mut shared.only_first };
        list.push(title.clone());
    }
    let only = second.iter().filter(|(key, _)| !first.contains_key(*key));
    shared.only_second.extend(only.map(|(_, title)| title.clone()));
    shared
}

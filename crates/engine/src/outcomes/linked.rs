//! Offers the outcome of a debate to those it is linked to: the one it comes after,
//! and those that come after it.

use async_recursion::async_recursion as boxed;
use debate::model::{OutcomeForm, Room};
use serde::Serialize;
use store::Store;

use crate::config::Config;
use crate::error::{At, EngineError, Problem, Refusal, SessionProblem};
use crate::outcomes::track::{self, RecordedAssessment};
use crate::sessions::follow_up;

/// A linked debate, for a person who may record the same for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferedDebate {
    pub id: String,
    pub topic: String,
}

/// Returns the finished debates that are linked to this one and not judged yet.
#[boxed]
pub async fn unjudged(
    config: &Config,
    store: &Store,
    id: &str,
    room: &Room,
) -> Result<Vec<OfferedDebate>, EngineError> {
    let books = track::books(config).await?;
    let mut offered = Vec::new();
    for id in ids(store, id, room).await? {
        // A linked debate may have been deleted, or never been imported.
        let Ok(row) = store.get(&id).await else { continue };
        let judged = books.get(&id).is_some_and(|book| book.assessed.is_some());
        if row.status == "completed" && !judged {
            offered.push(OfferedDebate { id, topic: row.topic });
        }
    }
    Ok(offered)
}

/// Returns the judgement of a linked debate, with its id, if there is one.
#[boxed]
pub async fn judged(
    config: &Config,
    store: &Store,
    id: &str,
    room: &Room,
) -> Result<Option<(String, RecordedAssessment)>, EngineError> {
    let mut books = track::books(config).await?;
    let linked = ids(store, id, room).await?.into_iter();
    let mut found = linked.filter_map(|id| {
        let assessed = books.remove(&id)?.assessed?;
        Some((id, assessed))
    });
    Ok(found.next())
}

async fn ids(store: &Store, id: &str, room: &Room) -> Result<Vec<String>, EngineError> {
    let earlier = room.brief.after.as_ref().map(|earlier| earlier.id.clone());
    let later = follow_up::followers(store, id).await?.into_iter().map(|one| one.id);
    Ok(earlier.into_iter().chain(later).collect())
}

/// Returns the judgement of a debate as a form for another. Agents and questions of the
/// one table are not those of the other; its right answer is, where the question is.
#[boxed]
pub async fn like(config: &Config, id: &str, other: &str) -> Result<OutcomeForm, EngineError> {
    let (one, other) = (track::decided(config, id).await?, track::decided(config, other).await?);
    let Some(assessed) = &other.book.assessed else {
        return Err(Refusal::session(&other.id, SessionProblem::NotJudged).into());
    };
    let mut form: OutcomeForm = serde_json::to_value(&assessed.post_mortem)
        .and_then(serde_json::from_value)
        .map_err(|error| {
            let problem = Problem::Failed { why: error.to_string() };
            Refusal::new(At::Session(other.id.clone()), problem)
        })?;
    form.agents.clear();
    form.questions.clear();
    if one.debate.room().brief.topic != other.debate.room().brief.topic {
        form.right_answer = None;
    }
    one.store.close().await;
    other.store.close().await;
    Ok(form)
}

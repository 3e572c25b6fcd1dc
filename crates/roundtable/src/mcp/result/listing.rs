//! Pages of the list of debates, newest first. Each debate has the same status word
//! as in every other tool. The stored status records only the last event, not
//! whether a process still runs the debate or what it waits for.

use debate::sorting::SortRows;
use engine::nouns::{DAMAGED, ListFilter, ListPosition, ListedDebate};

use super::paging::bad_cursor;
use super::shapes::StatusWord;
use super::shaping;
use engine::background::host::Host;
use engine::error::EngineError;

/// Rows that are read at once where most of them may not fit.
const AT_ONCE: u32 = 200;

/// A debate in the list.
pub struct DebateRow {
    pub listed: ListedDebate,
    pub status: StatusWord,
}

pub struct DebatePage {
    pub rows: Vec<DebateRow>,
    pub next_cursor: Option<String>,
}

/// Returns the stored statuses that a debate with this status word may have. A
/// damaged one may have any.
fn stored(status: StatusWord) -> &'static [Option<&'static str>] {
    match status {
        StatusWord::Queued | StatusWord::Running | StatusWord::Paused => {
            &[Some("created"), Some("active"), Some("paused")]
        }
        StatusWord::NeedsContext => &[Some("paused")],
        StatusWord::Completed => &[Some("completed")],
        StatusWord::Error => &[Some("error")],
        StatusWord::Damaged => &[None],
    }
}

/// The debates after `cursor` that match, at most `limit`.
pub async fn page(
    host: &Host,
    search: Option<String>,
    status: Option<StatusWord>,
    cursor: Option<&str>,
    limit: u32,
) -> Result<DebatePage, EngineError> {
    let mut before = cursor.map(place).transpose()?;
    let (words, at_once) = match status {
        // One more than is shown tells whether there is a next page.
        None => ([None].as_slice(), limit + 1),
        Some(status) => (stored(status), AT_ONCE),
    };
    let mut rows = Vec::new();
    loop {
        let filter = ListFilter {
            text: search.clone(),
            limit: Some(at_once),
            before: before.take(),
            ..ListFilter::default()
        };
        let part = merged(host, &filter, words).await?;
        let last =
            part.last().filter(|_| part.len() == at_once as usize).map(ListedDebate::position);
        for listed in part {
            let stands = stands(host, &listed).await;
            if status.is_none_or(|wanted| wanted == stands) {
                rows.push(DebateRow { listed, status: stands });
            }
            if rows.len() > limit as usize {
                break;
            }
        }
        before = last;
        if rows.len() > limit as usize || before.is_none() {
            break;
        }
    }
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next_cursor = rows.last().filter(|_| more).map(|row| {
        let place = row.listed.position();
        format!("{}_{}", place.created, place.id)
    });
    Ok(DebatePage { rows, next_cursor })
}

/// Returns the debates stored with any of these statuses, in the order of the list.
async fn merged(
    host: &Host,
    filter: &ListFilter,
    words: &[Option<&str>],
) -> Result<Vec<ListedDebate>, EngineError> {
    let mut all = Vec::new();
    for word in words {
        let filter = ListFilter { status: word.map(str::to_owned), ..filter.clone() };
        all.extend(host.list(&filter).await?);
    }
    all.sort_rows_by(|one, other| (other.created, &other.id).cmp(&(one.created, &one.id)));
    // Beyond this another of the words may have something in between.
    all.truncate(filter.limit.unwrap_or(AT_ONCE) as usize);
    Ok(all)
}

async fn stands(host: &Host, listed: &ListedDebate) -> StatusWord {
    match listed.status.as_str() {
        "completed" => StatusWord::Completed,
        "error" => StatusWord::Error,
        DAMAGED => StatusWord::Damaged,
        // Few debates are neither finished nor damaged; those are read completely.
        _ => host.look(&listed.id).await.map_or(StatusWord::Damaged, |seen| shaping::status(&seen)),
    }
}

fn place(text: &str) -> Result<ListPosition, EngineError> {
    let read = || {
        let (created, id) = text.trim().split_once('_')?;
        Some(ListPosition { created: created.parse().ok()?, id: id.to_owned() })
    };
    read().ok_or_else(|| bad_cursor(text))
}

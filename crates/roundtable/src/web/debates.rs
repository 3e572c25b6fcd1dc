//! All debates: what needs the reader, what runs, and the finished ones with their
//! decision, to be found by words, state, mode, domain and date.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use askama::Template;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use debate::model::{Action, MicroUsd, counted};
use debate::sorting::SortRows;
use engine::background::host::{Host, RunsWhere};
use engine::clock;
use engine::error::EngineError;
use engine::nouns::{DAMAGED, EXAMPLE_TOPIC, ListFilter, ListPosition, ListedDebate};
use engine::outcomes::track;
use engine::sessions::list::{self, SessionFilter};

use super::WebState;
use super::fields::{FormFields, encoded};
use super::frame::{self, PageTab};
use super::wording;
use crate::report::sheet::signs::{IconSign, SeatSign, icon};
use crate::report::sheet::{advice, mode_title};

/// Finished debates on one page.
const PER_PAGE: u32 = 25;
/// Unfinished debates that are shown; more than that nobody steers.
const MOST_OPEN: u32 = 50;
/// Decisions that are remembered at once.
const MOST_DECISIONS: usize = 2_000;
/// Fields of the form that finds debates.
const FIELDS: [&str; 5] = ["find", "state", "mode", "domain", "since"];
/// The state that is no advice: of debates that have none yet.
const UNFINISHED: &str = "unfinished";
/// Spans of time to choose from.
const SPANS: [(&str, &str); 4] =
    [("", "Any time"), ("1d", "Since yesterday"), ("7d", "This week"), ("30d", "This month")];

/// The decisions of finished debates, which never change, by their ids.
#[derive(Clone, Default)]
pub struct DecisionCache {
    known: Arc<Mutex<HashMap<String, ListedDecision>>>,
}

#[derive(Debug, Clone)]
struct ListedDecision {
    decision: String,
    action: Action,
    disputed: usize,
}

impl DecisionCache {
    async fn of(&self, host: &Host, row: &ListedDebate) -> Option<ListedDecision> {
        if let Some(known) = self.lock().get(&row.id) {
            return Some(known.clone());
        }
        let verdict = host.verdict(row).await?;
        let found = ListedDecision {
            decision: verdict.decision.answer.clone(),
            action: verdict.decision.action_recommendation,
            disputed: verdict.evidence.conflicts.len(),
        };
        let mut known = self.lock();
        if known.len() >= MOST_DECISIONS {
            known.clear();
        }
        known.insert(row.id.clone(), found.clone());
        Some(found)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, ListedDecision>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Template)]
#[template(path = "web_debates.html", whitespace = "preserve")]
struct DebatesView {
    line: String,
    fault: String,
    empty: bool,
    open: Vec<DebateLine>,
    finished: Vec<DebateLine>,
    find: String,
    states: Vec<ChoiceOption>,
    modes: Vec<ChoiceOption>,
    domain: String,
    spans: Vec<ChoiceOption>,
    filtered: bool,
    /// Only debates without a decision are looked for.
    unfinished: bool,
    later: String,
    example: &'static str,
}

impl DebatesView {
    /// The example's question as part of an address.
    fn example_place(&self) -> String {
        encoded(self.example)
    }
}

/// An option of a list to choose from.
pub struct ChoiceOption {
    pub value: String,
    pub name: String,
    pub chosen: bool,
}

struct DebateLine {
    id: String,
    look: &'static str,
    word: &'static str,
    icon: IconSign,
    title: String,
    is_decision: bool,
    below: String,
    tags: Vec<String>,
    signs: Vec<SeatSign>,
    cost: String,
    age: String,
}

pub async fn all(web: WebState, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let query = FormFields::parse(&query.unwrap_or_default());
    match view(&web, &query).await {
        Ok(view) => {
            let page = frame::page(&headers, "Debates", PageTab::Debates, Box::new(view));
            page.answer(StatusCode::OK)
        }
        Err(error) => wording::refused(&headers, &error),
    }
}

async fn view(web: &WebState, query: &FormFields) -> Result<DebatesView, EngineError> {
    let config = web.host.config();
    let wanted = SessionFilter {
        mode: query.some("mode"),
        search: query.some("find"),
        domain: query.some("domain"),
        since: query.some("since"),
        limit: Some(PER_PAGE),
        ..SessionFilter::default()
    };
    // A filter that cannot be read shows everything, and says so.
    let (mut filter, fault) = match list::filter(&wanted) {
        Ok(filter) => (filter, String::new()),
        Err(error) => (list::filter(&SessionFilter::default())?, wording::lines(&error).join(" ")),
    };
    let filtered = FIELDS.iter().any(|name| query.some(name).is_some());
    let state = query.some("state");
    let unfinished = state.as_deref() == Some(UNFINISHED);
    let mut open = Vec::new();
    if (state.is_none() || unfinished) && query.some("before").is_none() {
        for status in ["active", "paused", "created"] {
            let status = Some(status.into());
            let filter = ListFilter { status, limit: Some(MOST_OPEN), ..filter.clone() };
            open.extend(web.host.list(&filter).await?);
        }
        open.sort_rows_by_key(|row| std::cmp::Reverse(row.created));
    }
    filter.status = Some("completed".into());
    filter.before = position(query);
    let rows = if unfinished { Vec::new() } else { web.host.list(&filter).await? };
    let last = rows.last().filter(|_| rows.len() == PER_PAGE as usize);
    let later = last.map(|row| place_of(query, row)).unwrap_or_default();
    let mut finished = Vec::new();
    for row in &rows {
        let decision = web.decisions.of(&web.host, row).await;
        let fits =
            |one: &ListedDecision| state.as_deref().is_none_or(|w| w == advice(one.action).0);
        if decision.as_ref().is_none_or(fits) {
            finished.push(finished_line(row, decision));
        }
    }
    let mut lines = Vec::new();
    for row in &open {
        lines.push(open_line(web, row).await);
    }
    let due = track::due(config).await.map(|due| due.len()).unwrap_or(0);
    let mut facts = vec![match lines.len() {
        0 => "None is running".to_owned(),
        some => counted(some, "debate") + " unfinished",
    }];
    if due > 0 {
        facts.push(format!("{} due to be judged", counted(due, "decision")));
    }
    Ok(DebatesView {
        line: facts.join(", "),
        fault,
        empty: lines.is_empty() && finished.is_empty() && !filtered && filter.before.is_none(),
        open: lines,
        finished,
        filtered,
        unfinished,
        later,
        ..nothing(query)
    })
}

fn nothing(query: &FormFields) -> DebatesView {
    let choice = |given: &str, value: &str, name: &str| ChoiceOption {
        value: value.into(),
        name: name.into(),
        chosen: given == value,
    };
    let mode = query.get("mode");
    let modes =
        debate::modes::all().iter().map(|plan| choice(mode, plan.name, &mode_title(plan.name)));
    let any = |given: &str| choice(given, "", "Any");
    let states = [
        ("", "Any"),
        (UNFINISHED, "Running or waiting"),
        (advice(Action::Proceed).0, "Go ahead"),
        (advice(Action::Verify).0, "Check first"),
        (advice(Action::QueryDetail).0, "Undecided"),
    ];
    DebatesView {
        line: String::new(),
        fault: String::new(),
        empty: true,
        open: Vec::new(),
        finished: Vec::new(),
        find: query.get("find").into(),
        states: states
            .iter()
            .map(|(value, name)| choice(query.get("state"), value, name))
            .collect(),
        domain: query.get("domain").into(),
        modes: std::iter::once(any(mode)).chain(modes).collect(),
        spans: SPANS.iter().map(|(value, name)| choice(query.get("since"), value, name)).collect(),
        filtered: false,
        unfinished: false,
        later: String::new(),
        example: EXAMPLE_TOPIC,
    }
}

fn position(query: &FormFields) -> Option<ListPosition> {
    let before = query.some("before")?;
    let (created, id) = before.split_once('.')?;
    Some(ListPosition { created: created.parse().ok()?, id: id.into() })
}

/// The address of the next page of the list.
fn place_of(query: &FormFields, row: &ListedDebate) -> String {
    let kept = FIELDS
        .iter()
        .filter_map(|name| query.some(name).map(|value| format!("{name}={}&", encoded(&value))));
    format!("/?{}before={}.{}", kept.collect::<String>(), row.created, encoded(&row.id))
}

fn signs(row: &ListedDebate) -> Vec<SeatSign> {
    let sign = |(index, name): (usize, &String)| SeatSign::new(index, name).small();
    row.agents.iter().enumerate().map(sign).collect()
}

fn money(row: &ListedDebate) -> String {
    match (row.cost_micro, row.unpriced_calls) {
        (0, 0) => "–".into(),
        (0, _) => "not known".into(),
        (cost, _) => MicroUsd(cost).to_string(),
    }
}

fn finished_line(row: &ListedDebate, decision: Option<ListedDecision>) -> DebateLine {
    let (look, word, sign) = match &decision {
        Some(one) => advice(one.action),
        None => ("off", "NOT READABLE", icon("no")),
    };
    let mut tags = vec![mode_title(&row.mode)];
    if row.after.is_some() {
        tags.push("Follows another".into());
    }
    let disputed = decision.as_ref().map_or(0, |one| one.disputed);
    if disputed > 0 {
        tags.push(format!("{} disputed", counted(disputed, "point")));
    }
    DebateLine {
        id: row.id.clone(),
        look,
        word,
        icon: sign,
        is_decision: decision.is_some(),
        title: decision.map_or_else(|| row.topic.clone(), |one| one.decision),
        below: row.topic.clone(),
        tags,
        signs: signs(row),
        cost: money(row),
        age: age(row.updated),
    }
}

async fn open_line(web: &WebState, row: &ListedDebate) -> DebateLine {
    let round = format!("Round {} of {}", (row.rounds_done + 1).min(row.rounds), row.rounds);
    let (mut look, mut word, mut sign) = match row.status.as_str() {
        "active" => ("live", "RUNNING", icon("live")),
        "created" => ("off", "WAITS", icon("clock")),
        DAMAGED => ("und", "DAMAGED", icon("no")),
        _ => ("off", "PAUSED", icon("pause")),
    };
    let mut below = format!("{round}.");
    let asks = match row.status.as_str() {
        "active" | "paused" => web.host.look(&row.id).await.ok(),
        _ => None,
    };
    if let Some(seen) = asks {
        let room = seen.debate.room();
        if let Some(request) = room.open_requests().next() {
            (look, word, sign) = ("check", "NEEDS YOU", icon("ask"));
            let asks = if request.is_turn { "" } else { " asks" };
            below = format!("{round}. {}{asks}: {}", request.agent, request.question);
        } else if let debate::model::Status::Paused { reason } = &room.status {
            below = format!("{round}. {}.", reason.sentence().trim_end_matches('.'));
        } else if seen.attended == RunsWhere::Nowhere {
            (look, word, sign) = ("check", "CUT OFF", icon("cut"));
            below = format!("{round}. Its process ended; it can go on where it left off.");
        }
    }
    DebateLine {
        id: row.id.clone(),
        look,
        word,
        icon: sign,
        title: row.topic.clone(),
        is_decision: false,
        below,
        tags: Vec::new(),
        signs: signs(row),
        cost: money(row),
        age: age(row.updated),
    }
}

/// The age of something, in one word or two.
pub fn age(then: i64) -> String {
    let minutes = (clock::now_ms() - then).max(0) / 60_000;
    match minutes {
        0 => "now".into(),
        1..=59 => format!("{minutes} min"),
        60..=1_439 => format!("{} h", minutes / 60),
        1_440..=2_879 => "yesterday".into(),
        2_880..=20_159 => format!("{} days", minutes / 1_440),
        _ => format!("{} weeks", minutes / 10_080),
    }
}

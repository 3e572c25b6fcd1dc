//! Learning: what is due to be judged, what evidence is worth, whether agents are as
//! right as they are sure, and how often each was right.

use askama::Template;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use debate::model::{DomainLearned, Estimate, EstimateChange, counted};
use engine::error::EngineError;
use engine::outcomes::lessons;
use engine::outcomes::track;

use super::WebState;
use super::debates::ChoiceOption;
use super::fields::FormFields;
use super::frame::{self, PageTab};
use super::wording;
use crate::report::sheet::signs::{percent, place};

/// Decisions due that are listed.
const MOST_DUE: usize = 10;
/// Changes that are listed, newest first.
const MOST_CHANGES: usize = 8;

#[derive(Template)]
#[template(path = "web_learning.html", whitespace = "preserve")]
struct LearningPage {
    line: String,
    due: Vec<(String, String, String)>,
    domains: Vec<ChoiceOption>,
    weights: Vec<WeightRow>,
    agents: Vec<AgentRecordRow>,
    curve: Vec<CurveSpot>,
    points: String,
    questions: Vec<(String, &'static str)>,
    changes: Vec<LastChange>,
}

/// A change of one estimate by one outcome.
struct LastChange {
    day: String,
    what: String,
    from: String,
    to: String,
    reason: String,
    debate: String,
}

/// The weight of a kind of evidence: where it began, where it is, and its range.
struct WeightRow {
    name: String,
    y: String,
    text_y: String,
    top: String,
    foot: String,
    low: String,
    high: String,
    start: String,
    now: String,
    said: String,
    outcomes: String,
    look: &'static str,
}

struct AgentRecordRow {
    name: String,
    right: String,
    low: String,
    high: String,
    now: String,
    range: String,
    outcomes: u32,
    note: String,
}

struct CurveSpot {
    x: String,
    y: String,
    top: String,
    foot: String,
    text_y: String,
    count: u32,
    said: String,
}

pub async fn learning(web: WebState, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let query = FormFields::parse(&query.unwrap_or_default());
    match view(&web, &query).await {
        Ok(view) => {
            let page = frame::page(&headers, "Learning", PageTab::Learning, Box::new(view));
            page.answer(StatusCode::OK)
        }
        Err(error) => wording::refused(&headers, &error),
    }
}

async fn view(web: &WebState, query: &FormFields) -> Result<LearningPage, EngineError> {
    let config = web.host.config();
    let report = lessons::report(config, None).await?;
    let due = track::due(config).await?;
    let all = &report.learning.domains;
    let wanted = query.get("domain");
    let domain = all.iter().find(|one| one.domain == wanted).or(all.first());
    let option = |one: &DomainLearned| ChoiceOption {
        value: one.domain.clone(),
        name: format!("{} ({})", one.domain, one.outcomes),
        chosen: domain.is_some_and(|chosen| chosen.domain == one.domain),
    };
    let line = match domain {
        Some(domain) => format!(
            "What {} in {} say about evidence and agents.",
            counted(domain.outcomes as usize, "recorded outcome"),
            domain.domain
        ),
        None => "Nothing was judged yet. Record how a decision turned out on its page.".into(),
    };
    let curve =
        domain.map(|domain| curve(domain, &report.learning.calibration)).unwrap_or_default();
    let points: Vec<String> = curve.iter().map(|spot| format!("{},{}", spot.x, spot.y)).collect();
    let due = due.into_iter().take(MOST_DUE).map(|one| {
        let day = one.ask_on.map(|day| day.to_string()).unwrap_or_default();
        (one.id, one.topic, day)
    });
    let changes = match domain {
        Some(domain) => lessons::explain(config, "all", Some(&domain.domain)).await?,
        None => Vec::new(),
    };
    Ok(LearningPage {
        changes: last_changes(changes),
        line,
        due: due.collect(),
        domains: all.iter().map(option).collect(),
        weights: domain.map(weights).unwrap_or_default(),
        agents: domain.map(agents).unwrap_or_default(),
        points: points.join(" "),
        curve,
        questions: domain
            .map(|domain| {
                let asked = domain.questions.iter();
                asked.map(|one| (one.question.clone(), one.priority.word())).collect()
            })
            .unwrap_or_default(),
    })
}

/// The newest changes of values that debates use.
fn last_changes(all: Vec<EstimateChange>) -> Vec<LastChange> {
    let moved = all.into_iter().rev().map(|one| LastChange {
        day: one.on.to_string(),
        what: one.what.word(),
        from: format!("{:.2}", one.used_before),
        to: format!("{:.2}", one.used_after),
        reason: one.reason,
        debate: one.outcome,
    });
    moved.filter(|row| row.from != row.to).take(MOST_CHANGES).collect()
}

fn weights(domain: &DomainLearned) -> Vec<WeightRow> {
    let across = |value: f64| place(132.0 + 384.0 * value.clamp(0.0, 1.0));
    let row = |(index, one): (usize, &debate::model::WeightLearned)| {
        let Estimate { prior, used, interval, outcomes, .. } = one.estimate;
        let y = 24.0 + 44.0 * index as f64;
        let word = one.evidence_type.word();
        let name: String =
            word.chars().take(1).chain(word.to_lowercase().chars().skip(1)).collect();
        WeightRow {
            name,
            y: place(y),
            text_y: place(y + 4.0),
            top: place(y - 9.0),
            foot: place(y + 9.0),
            low: across(interval[0]),
            high: across(interval[1]),
            start: across(prior),
            now: across(used),
            said: format!(
                "{used:.2}, from {prior:.2}; between {:.2} and {:.2}",
                interval[0], interval[1]
            ),
            outcomes: match outcomes {
                0 => "no outcomes".into(),
                some => counted(some as usize, "outcome"),
            },
            look: if outcomes == 0 { "pale" } else { "" },
        }
    };
    domain.weights.iter().enumerate().map(row).collect()
}

fn agents(domain: &DomainLearned) -> Vec<AgentRecordRow> {
    let row = |one: &debate::model::AgentLearned| {
        let Estimate { used, interval, outcomes, .. } = one.estimate;
        let across = |value: f64| place(2.0 + 216.0 * value.clamp(0.0, 1.0));
        AgentRecordRow {
            name: one.agent.clone(),
            right: percent(used),
            low: across(interval[0]),
            high: across(interval[1]),
            now: across(used),
            range: format!("{} to {}", percent(interval[0]), percent(interval[1])),
            outcomes,
            note: one.note.clone(),
        }
    };
    domain.agents.iter().map(row).collect()
}

/// The curve with the most cases: of the domain, else over all domains.
fn curve(domain: &DomainLearned, all: &[debate::model::CalibrationLearned]) -> Vec<CurveSpot> {
    let cases = |one: &&debate::model::CalibrationLearned| -> u32 {
        one.curve.iter().map(|point| point.count).sum()
    };
    let best = domain.calibration.iter().max_by_key(cases).or_else(|| all.iter().max_by_key(cases));
    let y = |value: f64| 236.0 - 222.0 * value.clamp(0.0, 1.0);
    let spot = |point: &debate::model::CurvePoint| CurveSpot {
        x: place(40.0 + 410.0 * point.stated.clamp(0.0, 1.0)),
        y: place(y(point.right)),
        top: place(y(point.interval[1])),
        foot: place(y(point.interval[0])),
        text_y: place(y(point.interval[0]) + 20.0),
        count: point.count,
        said: format!(
            "stated {}, right {} of {}",
            percent(point.stated),
            percent(point.right),
            counted(point.count as usize, "case")
        ),
    };
    best.map(|one| one.curve.iter().map(spot).collect()).unwrap_or_default()
}

//! Two debates side by side: one sentence on the difference, then rows. Rows that are
//! equal are merged.

use askama::Template;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use debate::model::{Action, MicroUsd, counted, listed};
use engine::error::EngineError;
use engine::sessions::compare::{self, ComparedDebate, DebateComparison};
use engine::sessions::list;

use super::WebState;
use super::debates::{ChoiceOption, age};
use super::fields::FormFields;
use super::frame::{self, PageTab};
use super::wording;
use crate::document::words::count;
use crate::report::sheet::signs::{IconSign, percent};
use crate::report::sheet::{advice, mode_title};

/// Debates to choose from.
const MOST_CHOICES: u32 = 50;

#[derive(Template)]
#[template(path = "web_compare.html", whitespace = "preserve")]
struct CompareView {
    chosen: Option<ComparedPair>,
    first: Vec<ChoiceOption>,
    second: Vec<ChoiceOption>,
}

struct ComparedPair {
    sentence: String,
    detail: String,
    heads: [ComparedHead; 2],
    rows: Vec<ComparedRow>,
}

struct ComparedHead {
    id: String,
    topic: String,
    facts: String,
    decision: String,
    pill: (&'static str, &'static str, IconSign),
    reason: String,
}

struct ComparedRow {
    name: &'static str,
    first: String,
    second: String,
}

impl ComparedRow {
    fn is_same(&self) -> bool {
        self.first == self.second
    }
}

pub async fn compare(web: WebState, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let query = FormFields::parse(&query.unwrap_or_default());
    match view(&web, &query).await {
        Ok(view) => {
            let page = frame::page(&headers, "Compare", PageTab::Debates, Box::new(view));
            page.answer(StatusCode::OK)
        }
        Err(error) => wording::refused(&headers, &error),
    }
}

async fn view(web: &WebState, query: &FormFields) -> Result<CompareView, EngineError> {
    let config = web.host.config();
    let filter = list::filter(&list::SessionFilter {
        status: Some("completed".into()),
        limit: Some(MOST_CHOICES),
        ..list::SessionFilter::default()
    })?;
    let rows = list::list(config, &filter).await?;
    let options = |given: &str| -> Vec<ChoiceOption> {
        let option = |row: &engine::nouns::ListedDebate| ChoiceOption {
            value: row.id.clone(),
            name: format!("{} ({}, {})", row.topic, mode_title(&row.mode), age(row.updated)),
            chosen: row.id == given,
        };
        rows.iter().map(option).collect()
    };
    let (first, second) = (query.get("first"), query.get("second"));
    let chosen = if first.is_empty() || second.is_empty() {
        None
    } else {
        Some(pair(&compare::compare(config, first, second).await?))
    };
    // Two different ones stand there to begin with.
    let other = match (second, rows.get(1)) {
        ("", Some(row)) => row.id.as_str(),
        (given, _) => given,
    };
    Ok(CompareView { chosen, first: options(first), second: options(other) })
}

fn head(one: &ComparedDebate) -> ComparedHead {
    let decision = one.decision.as_ref();
    let action = decision.map_or(Action::QueryDetail, |found| found.action_recommendation);
    ComparedHead {
        id: one.id.clone(),
        topic: one.topic.clone(),
        facts: format!(
            "{} · {} · {}",
            mode_title(&one.mode),
            count(one.rounds, "round"),
            count(one.agents.len(), "agent")
        ),
        decision: decision.map(|found| found.answer.clone()).unwrap_or_default(),
        pill: advice(action),
        reason: decision.map(|found| found.reason.clone()).unwrap_or_default(),
    }
}

fn pair(found: &DebateComparison) -> ComparedPair {
    let (one, other) = (&found.first, &found.second);
    let answer = |side: &ComparedDebate| side.decision.as_ref().map(|found| found.answer.clone());
    let same = answer(one) == answer(other);
    let rows = [row_of(one), row_of(other)];
    let [first, second] = rows;
    let mut rows: Vec<ComparedRow> = first
        .into_iter()
        .zip(second)
        .map(|((name, first), (_, second))| ComparedRow { name, first, second })
        .collect();
    let sources = &found.sources;
    rows.push(ComparedRow {
        name: "Sources only here",
        first: sources.only_first.join(" · "),
        second: sources.only_second.join(" · "),
    });
    let both = sources.both.join(" · ");
    rows.push(ComparedRow { name: "Shared sources", first: both.clone(), second: both });
    rows.retain(|row| !(row.first.is_empty() && row.second.is_empty()));
    ComparedPair {
        sentence: if same { "The same decision" } else { "Different decisions" }.into(),
        detail: format!(
            "The first cites {} and cost {}; the second cites {} and cost {}.",
            counted(one.sources, "source"),
            MicroUsd::from_usd(one.cost_usd),
            counted(other.sources, "source"),
            MicroUsd::from_usd(other.cost_usd)
        ),
        heads: [head(one), head(other)],
        rows,
    }
}

/// The rows of one debate, in the same order for both.
fn row_of(one: &ComparedDebate) -> Vec<(&'static str, String)> {
    let decision = one.decision.as_ref();
    let votes = |shares: &[compare::ComparedVotes]| -> String {
        let share =
            |share: &compare::ComparedVotes| format!("{}: {}", listed(&share.agents), share.answer);
        shares.iter().map(share).collect::<Vec<_>>().join(" · ")
    };
    let evidence =
        one.evidence.iter().map(|(kind, count)| format!("{count} {}", kind.word().to_lowercase()));
    vec![
        ("Weighed", decision.and_then(|d| d.probability).map_or_else(|| "–".into(), percent)),
        ("Agreement", decision.and_then(|d| d.agreement_score).map_or_else(|| "–".into(), percent)),
        ("Agents", listed(&one.agents)),
        ("First votes", votes(&one.first_vote)),
        ("Last votes", votes(&one.final_vote)),
        (
            "Who moved",
            match one.changes_of_mind {
                0 => "no agent".into(),
                some => counted(some, "change") + " of mind",
            },
        ),
        ("Disputed", counted(one.contested_claims, "point")),
        ("Claims", format!("{}: {}", one.claims, evidence.collect::<Vec<_>>().join(", "))),
        ("Missed answers", one.missed_answers.to_string()),
        ("Cost", MicroUsd::from_usd(one.cost_usd).to_string()),
    ]
}

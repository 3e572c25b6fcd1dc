//! A finished debate as the designed document: the card, why, who moved, curves, the
//! argument map, what is disputed, votes, rounds, sources and cost. The page and the HTML
//! export are drawn from these same parts.

mod about;
mod card;
mod claim_map;
mod curves;
mod rounds;
pub mod signs;
mod sources;
mod standing;
mod timeline;

use std::fmt;

use askama::Template;
use debate::model::{CardKind, DecisionCard, SeatId};
use engine::export::notices::NoticeKind;

use super::debate::{ReportedDebate, words};
use crate::document::Labels;
use crate::document::escape::clean_line;
use crate::document::words::day;

pub use card::advice;
pub use rounds::RoundSheet;
use signs::{SeatSign, TableSigns};

/// The style sheet of the page and of the HTML export.
pub const STYLE: &str = include_str!("templates/sheet.css");

/// Titles of windows are short.
const TITLE: usize = 120;

/// A debate with the signs of its agents.
pub struct Sheet<'a> {
    pub view: &'a ReportedDebate<'a>,
    pub signs: TableSigns,
    /// True on the page, where buttons work; false in a file.
    pub on_the_page: bool,
}

/// The whole document: everything but the frame around it.
#[derive(Template)]
#[template(path = "sheet.html", whitespace = "preserve")]
pub struct DebateSheet {
    /// The tag of the language that the answers are in; empty if it is not known.
    lang: &'static str,
    topic: String,
    facts: String,
    /// Nothing while the debate is not over.
    card: Option<card::CardSheet>,
    notices: Vec<(String, String)>,
    why: String,
    by_clerk: bool,
    moved: Option<timeline::MovedSheet>,
    curves: Option<curves::CurvesSheet>,
    map: Option<claim_map::MapSheet>,
    disputed: Option<standing::DisputedSheet>,
    votes: Option<standing::VotesSheet>,
    heard: Vec<(SeatSign, String)>,
    rounds: Vec<RoundSheet>,
    sources: Option<sources::SourcesSheet>,
    cost: sources::CostSheet,
    spent: String,
    about: about::AboutSheet,
    on_the_page: bool,
    /// The page's own end: forms and exports.
    after: Box<dyn fmt::Display + Send>,
}

/// A line of the list of contents.
pub struct ContentsLine {
    pub anchor: &'static str,
    pub title: &'static str,
    pub count: String,
}

impl<'a> Sheet<'a> {
    pub fn new(view: &'a ReportedDebate<'a>, on_the_page: bool) -> Sheet<'a> {
        Sheet { view, signs: TableSigns::of(view.room), on_the_page }
    }

    /// The seats that hold what was decided.
    pub fn holders(&self) -> Vec<SeatId> {
        let Some(verdict) = self.view.verdict() else { return Vec::new() };
        match verdict.card.kind {
            CardKind::Decided | CardKind::Judged | CardKind::Ruled => {
                let first = verdict.evidence.weighing.answers.first();
                first.map(|answer| answer.seats.clone()).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// The document, of a debate that is over or of one that still runs.
    pub fn draw(&self, after: Box<dyn fmt::Display + Send>) -> DebateSheet {
        let room = self.view.room;
        let card = self.view.verdict().map(|verdict| &verdict.card);
        let by_clerk = card.is_some_and(|card| !card.summary.is_empty());
        let why = |card: &DecisionCard| {
            if by_clerk { card.summary.clone() } else { card.reason.clone() }
        };
        let when = match card {
            Some(_) => format!("finished {}", day(self.view.updated)),
            None => format!("{}, as of {}", room.status.word(), day(self.view.updated)),
        };
        let facts = [mode_title(&room.brief.mode), when];
        DebateSheet {
            topic: room.brief.topic.clone(),
            lang: room.brief.known_language().map_or("", |one| one.code),
            facts: facts.join(" · "),
            card: card.map(|card| card::CardSheet::of(self, card)),
            // Warnings about the decision stand in the card, where there is one.
            notices: self
                .view
                .notices
                .iter()
                .filter(|one| card.is_none() || !stands_in_card(one.kind))
                .map(|one| (words::notice_head(one), one.text.clone()))
                .collect(),
            why: card.map(why).unwrap_or_default(),
            by_clerk,
            moved: timeline::MovedSheet::of(self),
            curves: curves::CurvesSheet::of(self),
            map: claim_map::MapSheet::of(self),
            disputed: standing::DisputedSheet::of(self),
            votes: standing::VotesSheet::of(self),
            heard: card
                .iter()
                .flat_map(|card| &card.heard)
                .map(|one| (self.signs.named(&one.agent), one.words.clone()))
                .collect(),
            rounds: room.rounds.iter().map(|record| RoundSheet::of(self, record)).collect(),
            sources: sources::SourcesSheet::of(self),
            cost: sources::CostSheet::of(self),
            spent: spent(self.view),
            about: about::AboutSheet::of(self),
            on_the_page: self.on_the_page,
            after,
        }
    }
}

/// The sheet as one file that needs nothing else: no script, no network, no font.
#[derive(Template)]
#[template(path = "sheet_file.html", whitespace = "preserve")]
struct SheetFile {
    title: String,
    style: &'static str,
    sheet: DebateSheet,
    /// The tag of the language that the labels are in.
    lang: &'static str,
    id: String,
    day: String,
    program: &'static str,
}

/// A debate as one HTML page.
pub fn file(view: &ReportedDebate<'_>) -> String {
    let title: String = clean_line(&view.room.brief.topic).chars().take(TITLE).collect();
    let labels = Labels::of(&view.room.brief);
    let file = SheetFile {
        lang: labels.map_or("en", |labels| labels.code),
        title,
        style: STYLE,
        sheet: Sheet::new(view, false).draw(Box::new("")),
        id: view.id.into(),
        day: day(view.created),
        program: env!("CARGO_PKG_VERSION"),
    };
    // Writing to memory cannot fail.
    let page = file.render().unwrap_or_default();
    labels.map_or_else(|| page.clone(), |labels| labels.html(&page))
}

/// Returns true if the card warns of it.
fn stands_in_card(kind: NoticeKind) -> bool {
    matches!(kind, NoticeKind::Warning | NoticeKind::Groupthink)
}

fn spent(view: &ReportedDebate<'_>) -> String {
    let spent = &view.room.spent;
    let said = crate::document::words::spent(spent);
    match view.room.brief.budget {
        Some(budget) => format!("{said}, of {budget} set for this debate."),
        None => format!("{said}."),
    }
}

/// The name of a mode as a person reads it.
pub fn mode_title(mode: &str) -> String {
    let words = mode.replace(['-', '_'], " ");
    let mut letters = words.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

impl DebateSheet {
    /// The sections that this debate has.
    pub fn contents(&self) -> Vec<ContentsLine> {
        let line = |anchor, title, count: String| ContentsLine { anchor, title, count };
        let mut lines = vec![line("top", "Decision", String::new())];
        if !self.why.is_empty() {
            lines.push(line("why", "Why", String::new()));
        }
        let some = |count: usize| if count > 0 { count.to_string() } else { String::new() };
        lines.extend(self.moved.as_ref().map(|one| line("moved", "Who moved", some(one.moves))));
        lines
            .extend(self.curves.as_ref().map(|_| line("curves", "Over the rounds", String::new())));
        lines.extend(self.map.as_ref().map(|one| line("map", "Argument map", some(one.claims))));
        lines.extend(
            self.disputed.as_ref().map(|one| line("disputed", "Disputed", some(one.points.len()))),
        );
        lines.extend(self.votes.as_ref().map(|_| line("votes", "Votes", String::new())));
        lines.push(line("rounds", "Rounds", some(self.rounds.len())));
        lines.extend(
            self.sources.as_ref().map(|one| line("sources", "Sources", some(one.rows.len()))),
        );
        lines.push(line("cost", "Cost", String::new()));
        lines.push(line("about", "How this came about", String::new()));
        lines
    }
}

//! The card: what a person sees first on a page and last on a terminal. The words and
//! figures come with the verdict; here they are put in rows.

use debate::model::*;
use engine::export::notices::is_example;

use super::ReportedDebate;
use crate::document::words::{cost, count, duration, short_id};
use crate::document::{Block, CardBlock, CardRow, Phrase, Section, SectionLook};

/// Most rows of a kind; a terminal shows fewer where there is no room.
const MOST: usize = 4;
/// The most letters of an answer beside another one.
const FEW_LETTERS: usize = 32;

pub fn card(view: &ReportedDebate<'_>) -> Section {
    let Some(verdict) = view.verdict() else { return unfinished() };
    let card = &verdict.card;
    let mut section = Section::new("decision", card.title());
    section.look = SectionLook::Card;
    let mut rows = vec![row("Between", sides(card)), row("Risks", risks(card))];
    rows.push(row("Settle this", card.settle.iter().map(settle).collect()));
    rows.push(row("Beware", card.beware.iter().map(Phrase::from).collect()));
    let bare = rows.iter().all(|row| row.phrases.is_empty());
    if bare && card.action != Action::Proceed {
        rows.push(row("Why", vec![Phrase::from(&card.reason)]));
    }
    rows.push(row("Who moved", card.moved.iter().map(|one| moved(card, one)).collect()));
    let reasons = card.reasons.iter().map(reason).collect();
    rows.push(CardRow { stacked: true, ..row("Best reasons", reasons) });
    rows.retain(|row| !row.phrases.is_empty());
    section.blocks.push(Block::Card(Box::new(CardBlock {
        decision: card.decision.clone(),
        action: card.action.title().into(),
        look: look(card.action),
        sure: card.sure.join(" · "),
        rows,
        totals: totals(&view.room.brief, &card.totals),
        next: next(view.id),
        summary: card.summary.clone(),
    })));
    section
}

fn unfinished() -> Section {
    let mut section = Section::new("decision", "Decision");
    section.look = SectionLook::Card;
    section.text("None yet: the debate is not over.");
    section
}

fn row(label: &str, mut phrases: Vec<Phrase>) -> CardRow {
    phrases.truncate(MOST);
    CardRow { label: label.into(), phrases, stacked: false }
}

/// The name of the action's colour.
pub fn look(action: Action) -> &'static str {
    match action {
        Action::Proceed => "go-ahead",
        Action::Verify => "check-first",
        Action::QueryDetail => "undecided",
    }
}

/// The answers of a table that did not come to one.
fn sides(card: &DecisionCard) -> Vec<Phrase> {
    let open = matches!(card.kind, CardKind::Split | CardKind::Unread);
    let side = |side: &CardSide| {
        Phrase::default().strong(side.agents.join(", ")).plain(format!(": {}", side.answer))
    };
    card.sides.iter().filter(|_| open).map(side).collect()
}

/// The attacks that are left open, strongest first.
fn risks(card: &DecisionCard) -> Vec<Phrase> {
    let risk = |risk: &RiskEntry| {
        let phrase = match risk.claim {
            Some(claim) => {
                Phrase::default().inside(claim.to_string(), claim.to_string()).plain(" ")
            }
            None => Phrase::default(),
        };
        phrase.plain(format!("{} ", risk.attack)).soft(format!("({})", risk.state.word()))
    };
    card.risks.iter().filter(|risk| risk.state.is_open()).map(risk).collect()
}

fn settle(point: &OpenConflict) -> Phrase {
    Phrase::default()
        .inside(point.claim.to_string(), point.claim.to_string())
        .plain(format!(" {} ", point.text))
        .soft(format!("{} yes, {} no", point.held_by.join(", "), point.opposed_by.join(", ")))
}

/// A change of mind with its two answers in a few words; they are whole further down.
fn moved(card: &DecisionCard, change: &CardMove) -> Phrase {
    let to = if change.to == card.decision { "this".into() } else { short(&change.to) };
    Phrase::default()
        .strong(&*change.agent)
        .plain(format!(": {} → {to} ", short(&change.from)))
        .soft(format!("round {}, {}", change.round, change.by))
}

/// The first words of an answer.
fn short(answer: &str) -> String {
    if answer.chars().count() <= FEW_LETTERS {
        return answer.trim().to_owned();
    }
    let cut: String = answer.chars().take(FEW_LETTERS).collect();
    let whole = cut.rfind(' ').and_then(|at| cut.get(..at)).unwrap_or(&cut);
    format!("{}…", whole.trim_end_matches([',', ';', ':', '.', ' ']))
}

fn reason(reason: &CardReason) -> Phrase {
    let sources: Vec<String> = reason.sources.iter().map(ToString::to_string).collect();
    Phrase::default()
        .inside(reason.claim.to_string(), reason.claim.to_string())
        .plain(format!(" {} ", reason.text))
        .soft(sources.join(" "))
}

/// Agents, rounds, calls, time and cost in one line; before them, whether no model spoke.
pub fn totals(brief: &Brief, totals: &CardTotals) -> String {
    let mut facts: Vec<String> = Vec::new();
    facts.extend(is_example(brief).then(|| "scripted example".into()));
    facts.extend([
        count(totals.agents, "agent"),
        count(totals.rounds as usize, "round"),
        count(totals.calls as usize, "call"),
    ]);
    facts.extend((totals.latency_ms > 0).then(|| duration(totals.latency_ms)));
    facts.extend(cost(totals.calls, totals.cost, totals.unpriced_calls));
    facts.join(" · ")
}

/// Commands that can follow a finished debate.
fn next(id: &str) -> Vec<String> {
    let id = short_id(id);
    vec![format!("roundtable show {id}"), format!("roundtable export {id} --open")]
}

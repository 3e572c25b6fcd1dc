//! The card as the page draws it: the decision, how far to trust it, what to settle and
//! to beware of, who moved, and what it rests on.

use askama::Template;
use debate::model::{Action, CardKind, CardSide, DecisionCard, OpenConflict, RiskEntry, SeatId};

use super::Sheet;
use super::signs::{IconSign, LinkedText, SeatSign, ShareBar, icon};
use crate::report::debate::totals;

/// Most lines of one row; the sections below have all of them.
const MOST_LINES: usize = 4;
/// Words of an answer that stand in another sentence.
const QUOTED_WORDS: usize = 9;

#[derive(Template)]
#[template(path = "sheet_card.html", whitespace = "preserve")]
pub struct CardSheet {
    lang: &'static str,
    title: &'static str,
    decision: String,
    look: &'static str,
    word: &'static str,
    icon: IconSign,
    facts: Vec<SureFact>,
    has_rows: bool,
    between: Vec<SideLine>,
    risks: Vec<RiskLine>,
    settle: Vec<SettleLine>,
    beware: LinkedText,
    moved: Vec<MoveLine>,
    reasons: Vec<ReasonLine>,
    totals: String,
    actions: bool,
}

/// One fact of the strip, with a link to what it was made from.
struct SureFact {
    signs: Vec<SeatSign>,
    bar: Option<ShareBar>,
    strong: String,
    rest: String,
    href: &'static str,
}

struct SideLine {
    signs: Vec<SeatSign>,
    text: String,
}

struct RiskLine {
    claim: String,
    text: String,
    note: &'static str,
}

struct SettleLine {
    claim: String,
    text: String,
    held: Vec<SeatSign>,
    opposed: Vec<SeatSign>,
}

struct MoveLine {
    sign: SeatSign,
    from: String,
    to: String,
    round: u32,
    by: LinkedText,
}

struct ReasonLine {
    claim: String,
    text: String,
    sources: Vec<String>,
}

/// The colour, the word and the icon of a piece of advice.
pub fn advice(action: Action) -> (&'static str, &'static str, IconSign) {
    match action {
        Action::Proceed => ("go", "GO AHEAD", icon("go")),
        Action::Verify => ("check", "CHECK FIRST", icon("check")),
        Action::QueryDetail => ("und", "UNDECIDED", icon("fork")),
    }
}

impl CardSheet {
    pub fn of(sheet: &Sheet<'_>, card: &DecisionCard) -> CardSheet {
        let (look, word, icon) = advice(card.action);
        let open = matches!(card.kind, CardKind::Split | CardKind::Unread);
        let side = |side: &CardSide| SideLine {
            signs: sheet.signs.names(&side.agents),
            text: side.answer.clone(),
        };
        let risk = |risk: &RiskEntry| RiskLine {
            claim: risk.claim.map(|claim| claim.to_string()).unwrap_or_default(),
            text: risk.attack.clone(),
            note: risk.state.word(),
        };
        let settle = |point: &OpenConflict| SettleLine {
            claim: point.claim.to_string(),
            text: point.text.clone(),
            held: sheet.signs.names(&point.held_by),
            opposed: sheet.signs.names(&point.opposed_by),
        };
        let between: Vec<SideLine> = card.sides.iter().filter(|_| open).map(side).collect();
        let open_risks = card.risks.iter().filter(|risk| risk.state.is_open());
        let risks: Vec<RiskLine> = open_risks.take(MOST_LINES).map(risk).collect();
        let settle: Vec<SettleLine> = card.settle.iter().take(MOST_LINES).map(settle).collect();
        let reasons: Vec<ReasonLine> = reasons(card);
        let moved = moved(sheet, card);
        let beware = LinkedText::of(&beware(card), &sheet.view.room.ledger);
        let has_rows = !(between.is_empty()
            && risks.is_empty()
            && settle.is_empty()
            && reasons.is_empty()
            && moved.is_empty()
            && beware.is_empty());
        CardSheet {
            lang: sheet.view.room.brief.known_language().map_or("", |one| one.code),
            title: card.title(),
            decision: card.decision.clone(),
            look,
            word,
            icon,
            facts: facts(sheet, card),
            has_rows,
            between,
            risks,
            settle,
            beware,
            moved,
            reasons,
            totals: totals(&sheet.view.room.brief, &card.totals),
            actions: sheet.on_the_page,
        }
    }
}

fn reasons(card: &DecisionCard) -> Vec<ReasonLine> {
    card.reasons
        .iter()
        .map(|reason| ReasonLine {
            claim: reason.claim.to_string(),
            text: reason.text.clone(),
            sources: reason.sources.iter().map(ToString::to_string).collect(),
        })
        .collect()
}

fn moved(sheet: &Sheet<'_>, card: &DecisionCard) -> Vec<MoveLine> {
    let line = |change: &debate::model::CardMove| MoveLine {
        sign: sheet.signs.named(&change.agent),
        from: quoted(&change.from),
        to: quoted(&change.to),
        round: change.round,
        by: LinkedText::of(&change.by, &sheet.view.room.ledger),
    };
    card.moved.iter().take(MOST_LINES).map(line).collect()
}

/// An answer inside a sentence: its first words, without a full stop, in quotes.
fn quoted(answer: &str) -> String {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let few = words.iter().take(QUOTED_WORDS).copied().collect::<Vec<_>>().join(" ");
    let cut = if words.len() > QUOTED_WORDS { "…" } else { "" };
    format!("“{}{cut}”", few.trim_end_matches(['.', ',', ';', ':']))
}

/// Warnings as sentences, or the reason of an advice that has none.
fn beware(card: &DecisionCard) -> String {
    if card.beware.is_empty() && card.action != Action::Proceed && card.settle.is_empty() {
        return card.reason.clone();
    }
    let sentence = |clause: &String| {
        let clause = clause.trim().trim_end_matches('.');
        let mut letters = clause.chars();
        let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    };
    card.beware.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

fn facts(sheet: &Sheet<'_>, card: &DecisionCard) -> Vec<SureFact> {
    let holders: Vec<SeatId> = match card.kind {
        CardKind::Decided | CardKind::Judged | CardKind::Ruled => sheet.holders(),
        _ => Vec::new(),
    };
    let mut signs = sheet.signs.seats(&holders);
    let fact = |part: &String| {
        let end = part.rfind(|c: char| c.is_ascii_digit() || c == '%');
        let end = end.map_or(0, |at| at + 1);
        let (strong, rest) = part.split_at(end);
        let disputed = rest.contains("disputed");
        let bar = card.figures.probability.filter(|_| rest.contains("weighed"));
        SureFact {
            signs: if disputed || bar.is_some() { Vec::new() } else { std::mem::take(&mut signs) },
            bar: bar.map(ShareBar::of),
            strong: strong.replace(" %", "\u{a0}%"),
            rest: rest.into(),
            href: if disputed { "#disputed" } else { "#votes" },
        }
    };
    card.sure.iter().map(fact).collect()
}

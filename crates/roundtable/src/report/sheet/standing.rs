//! The disputed points with both sides, and the votes before and after.

use askama::Template;
use debate::model::{Ballot, Claim, ClaimId, OpenConflict, SeatId, VoteShare};

use super::Sheet;
use super::signs::{SeatSign, ShareBar, percent};

#[derive(Template)]
#[template(path = "sheet_disputed.html", whitespace = "preserve")]
pub struct DisputedSheet {
    pub points: Vec<DisputedPoint>,
}

pub struct DisputedPoint {
    claim: String,
    text: String,
    sides: Vec<DisputedSide>,
}

struct DisputedSide {
    signs: Vec<SeatSign>,
    verb: &'static str,
    words: String,
    claim: String,
    sources: Vec<String>,
}

impl DisputedSheet {
    pub fn of(sheet: &Sheet<'_>) -> Option<DisputedSheet> {
        let conflicts = &sheet.view.verdict()?.evidence.conflicts;
        let points: Vec<DisputedPoint> = conflicts.iter().map(|one| point(sheet, one)).collect();
        (!points.is_empty()).then_some(DisputedSheet { points })
    }
}

fn point(sheet: &Sheet<'_>, conflict: &OpenConflict) -> DisputedPoint {
    let claim = sheet.view.room.ledger.claim(conflict.claim);
    let supported = claim.map(|claim| claim.supported_by.as_slice()).unwrap_or_default();
    let opposed = claim.map(|claim| claim.opposition.as_slice()).unwrap_or_default();
    DisputedPoint {
        claim: conflict.claim.to_string(),
        text: conflict.text.clone(),
        sides: vec![
            side(sheet, &conflict.held_by, ["holds it", "hold it"], supported, claim),
            side(sheet, &conflict.opposed_by, ["opposes it", "oppose it"], opposed, None),
        ],
    }
}

/// One side: its agents and the strongest claim they bring for it.
fn side(
    sheet: &Sheet<'_>,
    names: &[String],
    verbs: [&'static str; 2],
    reasons: &[ClaimId],
    own: Option<&Claim>,
) -> DisputedSide {
    let ledger = &sheet.view.room.ledger;
    let brought = reasons.iter().filter_map(|id| ledger.claim(*id));
    let best = brought.max_by(|a, b| a.strength.total_cmp(&b.strength));
    let sources = best.or(own).map(|claim| claim.support.as_slice()).unwrap_or_default();
    DisputedSide {
        signs: sheet.signs.names(names),
        verb: if names.len() == 1 { verbs[0] } else { verbs[1] },
        words: best.map(|claim| claim.text.clone()).unwrap_or_default(),
        claim: best.map(|claim| claim.id.to_string()).unwrap_or_default(),
        sources: sources.iter().map(ToString::to_string).collect(),
    }
}

#[derive(Template)]
#[template(path = "sheet_votes.html", whitespace = "preserve")]
pub struct VotesSheet {
    before: Vec<VoteLine>,
    before_note: &'static str,
    after: Vec<VoteLine>,
    after_title: String,
    after_note: String,
    rows: Vec<VoterRow>,
    /// True if all last positions are one sentence, which is not repeated.
    one_position: bool,
    minority: Vec<(SeatSign, String)>,
}

struct VoteLine {
    share: String,
    answer: String,
    signs: Vec<SeatSign>,
    bar: ShareBar,
}

struct VoterRow {
    sign: SeatSign,
    answer: String,
    vote: &'static str,
    confidence: String,
    supports: String,
    objection: String,
}

impl VotesSheet {
    pub fn of(sheet: &Sheet<'_>) -> Option<VotesSheet> {
        let verdict = sheet.view.verdict()?;
        let weighing = &verdict.evidence.weighing;
        if weighing.final_vote.is_empty() {
            return None;
        }
        let after: Vec<VoteLine> = if weighing.answers.iter().all(|one| one.seats.is_empty()) {
            counted(sheet, &weighing.final_vote)
        } else {
            let held = weighing.answers.iter().filter(|one| !one.seats.is_empty());
            let line = |one: &debate::model::WeighedAnswer| VoteLine {
                share: percent(one.probability),
                answer: one.answer.clone(),
                signs: sheet.signs.seats(&one.seats),
                bar: ShareBar::of(one.probability),
            };
            let rest = weighing.something_else.map(|rest| VoteLine {
                share: percent(rest),
                answer: "None of these".into(),
                signs: Vec::new(),
                bar: ShareBar::of(rest).pale(),
            });
            held.map(line).chain(rest).collect()
        };
        let objections = sheet.view.last_analysis().map_or(0, |found| found.votes.objections.len());
        let rows: Vec<VoterRow> =
            sheet.view.room.seats.iter().map(|seat| row(sheet, seat.id)).collect();
        Some(VotesSheet {
            before: counted(sheet, &weighing.first_vote),
            before_note: if weighing.first_vote_sealed {
                "Answers given without seeing the others"
            } else {
                "The first answers"
            },
            after,
            after_title: format!("After round {}", verdict.metadata.rounds),
            after_note: match objections {
                0 => "No objection is left".into(),
                some => format!("{} left", debate::model::counted(some, "objection")),
            },
            one_position: rows.windows(2).all(|pair| pair[0].answer == pair[1].answer),
            rows,
            minority: weighing
                .minority
                .iter()
                .map(|one| (sheet.signs.seat(one.seat).small(), one.words.clone()))
                .collect(),
        })
    }
}

/// Votes by their number.
fn counted(sheet: &Sheet<'_>, shares: &[VoteShare]) -> Vec<VoteLine> {
    let all: usize = shares.iter().map(VoteShare::count).sum();
    let line = |share: &VoteShare| VoteLine {
        share: format!("{} of {all}", share.count()),
        answer: if share.words.is_empty() { &share.answer } else { &share.words }.clone(),
        signs: sheet.signs.seats(&share.seats),
        bar: ShareBar::of(share.count() as f64 / all.max(1) as f64),
    };
    shares.iter().map(line).collect()
}

/// A ballot as a person says it.
pub fn ballot(ballot: Ballot) -> &'static str {
    match ballot {
        Ballot::Accept => "accepts",
        Ballot::Minor => "accepts with a remark",
        Ballot::Blocker => "objects",
    }
}

fn row(sheet: &Sheet<'_>, seat: SeatId) -> VoterRow {
    let rounds = &sheet.view.room.rounds;
    let last = rounds.iter().rev().find_map(|record| record.turn(seat));
    let over = sheet.view.last_analysis().map(|found| found.overconfident.as_slice());
    let over = over.unwrap_or_default().iter().find(|one| one.seat == seat);
    let grounds = sheet.view.last_analysis().map(|found| found.grounds.as_slice());
    let ground = grounds.unwrap_or_default().iter().find(|one| one.seat == seat);
    let vote = last.and_then(|turn| turn.answer.vote.as_ref());
    VoterRow {
        sign: sheet.signs.seat(seat).small(),
        answer: last.map(|turn| turn.answer.position.clone()).unwrap_or_default(),
        vote: vote.map_or("–", |vote| ballot(vote.ballot)),
        confidence: last
            .and_then(|turn| turn.answer.confidence)
            .map_or_else(|| "–".into(), percent),
        supports: match (over, ground) {
            (Some(over), _) => format!("at most {}", percent(over.band[1])),
            (None, Some(ground)) => ground.evidence_type.word().to_lowercase(),
            (None, None) => "–".into(),
        },
        objection: vote.and_then(|vote| vote.objection.clone()).unwrap_or_default(),
    }
}

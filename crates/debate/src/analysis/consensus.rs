//! The agreement of the agents: from the clerk's table of propositions and
//! stands, or from the positions themselves. Text similarity is never used, and a
//! model's own rating never sets the level.

use crate::model::{
    AnalysedBy, Brief, ClaimStatus, ClerkConsensus, Cluster, Conflict, ConflictSide, Consensus,
    Nuances, Proposition, Room, RoundRecord, SeatId, Turn, clip,
};

use super::clerk_check;
use super::wording::seat_name;
use crate::analysis::answers::positions::{self, AnswerGroup, PositionKey};
use crate::analysis::answers::stands::level_of;
use crate::analysis::voting::voters::{equal_pairs, votes_of};

/// At most this many accepted and contested claims are listed.
const LISTED_CLAIMS: usize = 5;
/// Tokens of a cluster's theme.
const THEME_TOKENS: usize = 40;
/// What the result says where the clerk's table failed its test.
const NO_USABLE_CLERK: &str = "no usable clerk";

/// `room` holds the answers that count and no others.
pub fn consensus(
    room: &Room,
    round: &RoundRecord,
    clerk: Option<&Result<ClerkConsensus, String>>,
) -> Consensus {
    let votes = votes_of(room, round);
    let groups = positions::groups(&room.brief, votes.iter().copied());
    if room.brief.question.is_closed() {
        return by_votes(room, &votes, &groups, clerk);
    }
    match clerk {
        None => basic(room, &votes, &groups),
        Some(Err(why)) => {
            Consensus { fallback_reason: Some(why.clone()), ..basic(room, &votes, &groups) }
        }
        Some(Ok(reading)) => by_clerk(room, &votes, &groups, reading),
    }
}

/// 1 − (distinct positions − 1) ÷ answers.
fn basic_level(positions: usize, answers: usize) -> Option<f64> {
    (answers >= 2).then(|| 1.0 - (positions.saturating_sub(1)) as f64 / answers as f64)
}

/// Near-identical wording is joined; nobody has read whether the rest agrees.
fn basic(room: &Room, votes: &[&Turn], groups: &[AnswerGroup]) -> Consensus {
    let answers = votes.len();
    let all_alike = groups.len() == 1 && answers >= 2;
    let clusters: Vec<Cluster> = groups.iter().map(|group| cluster_of(votes, group)).collect();
    let texts = |status| -> Vec<String> {
        let claims = room.ledger.with_status(status).take(LISTED_CLAIMS);
        claims.map(|claim| format!("{}: {}", claim.id, claim.text)).collect()
    };
    Consensus {
        by: AnalysedBy::Basic,
        agreement_level: all_alike.then_some(1.0),
        basic_agreement: basic_level(groups.len(), answers),
        propositions: Vec::new(),
        common_ground: texts(ClaimStatus::Accepted),
        disagreements: texts(ClaimStatus::Contested),
        nuances: Nuances::default(),
        conflicts: conflicts(votes, groups),
        summary: summary(room, &clusters, answers),
        reasoning: format!(
            "Distinct positions, compared word by word with negation kept apart: {} among {} \
             answers.",
            groups.len(),
            answers
        ),
        model_rating: None,
        fallback_reason: None,
        notes: Vec::new(),
        clusters,
    }
}

/// The votes decide; the clerk's words stand beside them where its table agrees
/// with what the seats answered.
fn by_votes(
    room: &Room,
    votes: &[&Turn],
    groups: &[AnswerGroup],
    clerk: Option<&Result<ClerkConsensus, String>>,
) -> Consensus {
    let mut found = Consensus {
        by: AnalysedBy::Votes,
        agreement_level: agreement_of_votes(&room.brief, votes, groups),
        reasoning: format!(
            "The answers themselves, compared pair by pair: {} among {} votes.",
            counted_answers(groups.len()),
            votes.len()
        ),
        ..basic(room, votes, groups)
    };
    match clerk {
        None => {}
        Some(Err(why)) => found.fallback_reason = Some(why.clone()),
        Some(Ok(reading)) => {
            let seats: Vec<SeatId> = votes.iter().map(|turn| turn.seat).collect();
            let mut propositions = seated_propositions(&reading.propositions, &seats);
            found.model_rating = reading.rating;
            if let Some(why) = clerk_check::fault(&room.brief, votes, &propositions) {
                found.fallback_reason = Some(format!("{NO_USABLE_CLERK}: {why}"));
                return found;
            }
            clerk_check::align(&room.brief, votes, &mut propositions);
            found.propositions = propositions;
            found.common_ground.clone_from(&reading.common_ground);
            found.disagreements.clone_from(&reading.disagreements);
            found.nuances = reading.nuances.clone();
            if !reading.summary.trim().is_empty() {
                found.summary.clone_from(&reading.summary);
            }
        }
    }
    found
}

/// The share of pairs that gave the same answer, or estimates that lie together.
pub fn agreement_of_votes(brief: &Brief, votes: &[&Turn], groups: &[AnswerGroup]) -> Option<f64> {
    if brief.combines_figures() {
        return positions::estimates_together(brief, votes);
    }
    let counts: Vec<usize> = groups.iter().map(|group| group.count).collect();
    equal_pairs(&counts)
}

fn counted_answers(count: usize) -> String {
    crate::model::counted(count, "distinct answer")
}

/// The latest of these answers that a seat gave.
fn turn_of<'a>(votes: &[&'a Turn], seat: SeatId) -> Option<&'a Turn> {
    votes.iter().rev().find(|turn| turn.seat == seat).copied()
}

fn cluster_of(votes: &[&Turn], group: &AnswerGroup) -> Cluster {
    let first = group.seats.first().and_then(|seat| turn_of(votes, *seat));
    let position = first.map(|turn| turn.answer.position.trim()).unwrap_or_default();
    let theme = match (&group.key, first) {
        (PositionKey::Words(..), _) | (_, None) => clip(position, THEME_TOKENS).into_owned(),
        (_, Some(turn)) => positions::label(turn),
    };
    Cluster { theme, seats: group.seats.clone(), summary: position.to_owned() }
}

fn conflicts(votes: &[&Turn], groups: &[AnswerGroup]) -> Vec<Conflict> {
    let says = |seat: SeatId| ConflictSide {
        seat,
        says: turn_of(votes, seat).map(|turn| turn.answer.position.clone()).unwrap_or_default(),
    };
    positions::opposed_pairs(groups)
        .into_iter()
        .map(|(one, other)| Conflict {
            issue: issue(groups, one).into(),
            positions: vec![says(one), says(other)],
        })
        .collect()
}

fn issue(groups: &[AnswerGroup], seat: SeatId) -> &'static str {
    let group = groups.iter().find(|group| group.seats.contains(&seat));
    match group.map(|group| &group.key) {
        Some(PositionKey::Words(..) | PositionKey::Nothing) | None => {
            "they say opposite things in nearly the same words, or with other figures."
        }
        Some(PositionKey::Option(_) | PositionKey::Value(..)) => {
            "they gave different answers to the question."
        }
    }
}

fn summary(room: &Room, clusters: &[Cluster], answers: usize) -> String {
    match clusters {
        [] => "No seat gave an answer that counts.".into(),
        [only] if answers > 1 => format!("All {answers} answers say the same: {}", only.theme),
        [only] => format!("One answer only: {}", only.theme),
        several => {
            let parts: Vec<String> = several
                .iter()
                .map(|cluster| {
                    let names: Vec<&str> =
                        cluster.seats.iter().map(|seat| seat_name(room, *seat)).collect();
                    format!("{}: {}", names.join(", "), cluster.theme)
                })
                .collect();
            format!("{answers} answers hold {} positions. {}", several.len(), parts.join(" | "))
        }
    }
}

fn by_clerk(
    room: &Room,
    votes: &[&Turn],
    groups: &[AnswerGroup],
    reading: &ClerkConsensus,
) -> Consensus {
    let answered: Vec<SeatId> = votes.iter().map(|turn| turn.seat).collect();
    let mut propositions = seated_propositions(&reading.propositions, &answered);
    let unused = |why: String| Consensus {
        fallback_reason: Some(why),
        model_rating: reading.rating,
        ..basic(room, votes, groups)
    };
    if let Some(why) = clerk_check::fault(&room.brief, votes, &propositions) {
        return unused(format!("{NO_USABLE_CLERK}: {why}"));
    }
    clerk_check::align(&room.brief, votes, &mut propositions);
    let level = level_of(&propositions).filter(|_| answered.len() >= 2);
    if level.is_none() && answered.len() >= 2 {
        return unused("the clerk named no proposition on which two agents take a position".into());
    }
    Consensus {
        by: AnalysedBy::Clerk,
        agreement_level: level,
        basic_agreement: basic_level(groups.len(), votes.len()),
        clusters: seated_clusters(&room.brief, votes, &reading.clusters),
        propositions,
        common_ground: reading.common_ground.clone(),
        disagreements: reading.disagreements.clone(),
        nuances: reading.nuances.clone(),
        conflicts: reading.conflicts.clone(),
        summary: reading.summary.clone(),
        reasoning: reading.reasoning.clone(),
        model_rating: reading.rating,
        fallback_reason: None,
        notes: Vec::new(),
    }
}

/// Keeps only the stands of seats that answered, each seat once per proposition.
fn seated_propositions(propositions: &[Proposition], answered: &[SeatId]) -> Vec<Proposition> {
    propositions
        .iter()
        .map(|proposition| {
            let mut stands = Vec::with_capacity(proposition.stands.len());
            for stand in &proposition.stands {
                let known = stands.iter().any(|s: &crate::model::SeatStand| s.seat == stand.seat);
                if answered.contains(&stand.seat) && !known {
                    stands.push(stand.clone());
                }
            }
            Proposition { stands, ..proposition.clone() }
        })
        .collect()
}

/// Each seat in one cluster; those the clerk forgot stand alone, in their own
/// words, because leaving them out would make the table look more united. Equal
/// positions are one, whatever the clerk says.
fn seated_clusters(brief: &Brief, votes: &[&Turn], clusters: &[Cluster]) -> Vec<Cluster> {
    let mut placed: Vec<SeatId> = Vec::with_capacity(votes.len());
    let mut seated: Vec<Cluster> = Vec::with_capacity(clusters.len());
    for cluster in clusters {
        let mut seats = Vec::new();
        for seat in &cluster.seats {
            if votes.iter().any(|turn| turn.seat == *seat) && !placed.contains(seat) {
                placed.push(*seat);
                seats.push(*seat);
            }
        }
        if !seats.is_empty() {
            seated.push(Cluster { seats, ..cluster.clone() });
        }
    }
    for turn in votes.iter().filter(|turn| !placed.contains(&turn.seat)) {
        let position = turn.answer.position.as_str();
        seated.push(Cluster {
            theme: clip(position, THEME_TOKENS).into_owned(),
            seats: vec![turn.seat],
            summary: position.to_owned(),
        });
    }
    for (at, one) in votes.iter().enumerate() {
        for other in votes.iter().skip(at + 1) {
            if clerk_check::equal_positions(brief, one, other) {
                join(&mut seated, one.seat, other.seat);
            }
        }
    }
    for cluster in &mut seated {
        cluster.seats.sort_unstable();
    }
    seated
}

/// Moves the cluster of one seat into that of the other.
fn join(clusters: &mut Vec<Cluster>, one: SeatId, other: SeatId) {
    let holds = |seat| move |cluster: &Cluster| cluster.seats.contains(&seat);
    let (Some(into), Some(from)) =
        (clusters.iter().position(holds(one)), clusters.iter().position(holds(other)))
    else {
        return;
    };
    if into == from {
        return;
    }
    let moved = clusters.remove(from.max(into));
    if let Some(kept) = clusters.get_mut(from.min(into)) {
        kept.seats.extend(moved.seats);
    }
}

//! The agreement of the agents: from the clerk's table of propositions and
//! stands, or from the positions themselves. Text similarity is never used, and a
//! model's own rating never sets the level.

use crate::model::{
    AnalysedBy, ClaimStatus, ClerkConsensus, Cluster, Conflict, ConflictSide, Consensus, Nuances,
    Proposition, Room, RoundRecord, SeatId, Side, clip,
};

use super::answers::positions::{self, AnswerGroup, PositionKey};
use super::wording::seat_name;

/// At most this many accepted and contested claims are listed.
const LISTED_CLAIMS: usize = 5;
/// Tokens of a cluster's theme.
const THEME_TOKENS: usize = 40;

pub fn consensus(
    room: &Room,
    round: &RoundRecord,
    groups: &[AnswerGroup],
    clerk: Option<&Result<ClerkConsensus, String>>,
) -> Consensus {
    let mut consensus = match clerk {
        None => basic(room, round, groups),
        Some(Err(why)) => {
            Consensus { fallback_reason: Some(why.clone()), ..basic(room, round, groups) }
        }
        Some(Ok(reading)) => by_clerk(room, round, groups, reading),
    };
    if round.answered().any(|turn| seat_stance_is_assigned(room, turn.seat)) {
        consensus.notes.push(
            "Stances are assigned in this mode: agents argue for a side they were given, so the \
             agreement level is no measure of what they believe, and only those without a side \
             vote."
                .into(),
        );
    }
    consensus
}

fn seat_stance_is_assigned(room: &Room, seat: SeatId) -> bool {
    room.seats.get(seat.index()).is_some_and(|seat| seat.stance.is_some())
}

/// 1 − (distinct positions − 1) ÷ answers.
fn basic_level(positions: usize, answers: usize) -> Option<f64> {
    (answers >= 2).then(|| 1.0 - (positions.saturating_sub(1)) as f64 / answers as f64)
}

fn basic(room: &Room, round: &RoundRecord, groups: &[AnswerGroup]) -> Consensus {
    let answers = round.answered().count();
    let clusters: Vec<Cluster> = groups.iter().map(|group| cluster_of(round, group)).collect();
    let texts = |status| -> Vec<String> {
        let claims = room.ledger.with_status(status).take(LISTED_CLAIMS);
        claims.map(|claim| format!("{}: {}", claim.id, claim.text)).collect()
    };
    Consensus {
        by: AnalysedBy::Basic,
        agreement_level: basic_level(groups.len(), answers),
        propositions: Vec::new(),
        common_ground: texts(ClaimStatus::Accepted),
        disagreements: texts(ClaimStatus::Contested),
        nuances: Nuances::default(),
        conflicts: conflicts(round, groups),
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

fn cluster_of(round: &RoundRecord, group: &AnswerGroup) -> Cluster {
    let first = group.seats.first().and_then(|seat| round.turn(*seat));
    let position = first.map(|turn| turn.answer.position.trim()).unwrap_or_default();
    let theme = match (&group.key, first) {
        (PositionKey::Words(..), _) | (_, None) => clip(position, THEME_TOKENS).into_owned(),
        (_, Some(turn)) => positions::label(turn),
    };
    Cluster { theme, seats: group.seats.clone(), summary: position.to_owned() }
}

fn conflicts(round: &RoundRecord, groups: &[AnswerGroup]) -> Vec<Conflict> {
    let says = |seat: SeatId| ConflictSide {
        seat,
        says: round.turn(seat).map(|turn| turn.answer.position.clone()).unwrap_or_default(),
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
        Some(PositionKey::Words(..)) | None => {
            "they say opposite things in nearly the same words, or with other figures."
        }
        Some(PositionKey::Option(_) | PositionKey::Number(_) | PositionKey::Probability(_)) => {
            "they gave different answers to the question."
        }
    }
}

fn summary(room: &Room, clusters: &[Cluster], answers: usize) -> String {
    match clusters {
        [] => "Nobody answered.".into(),
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
    round: &RoundRecord,
    groups: &[AnswerGroup],
    reading: &ClerkConsensus,
) -> Consensus {
    let answered: Vec<SeatId> = round.answered().map(|turn| turn.seat).collect();
    let propositions = seated_propositions(&reading.propositions, &answered);
    let Some(level) = level_of(&propositions) else {
        let why = "the clerk named no proposition on which two agents stand";
        return Consensus {
            fallback_reason: Some(why.into()),
            model_rating: reading.rating,
            ..basic(room, round, groups)
        };
    };
    Consensus {
        by: AnalysedBy::Clerk,
        agreement_level: (answered.len() >= 2).then_some(level),
        clusters: seated_clusters(round, &reading.clusters, &answered),
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
            Proposition { text: proposition.text.clone(), stands }
        })
        .collect()
}

/// Puts each seat in one cluster. Seats that the clerk forgot stand alone, in
/// their own words, because leaving them out would make the table look more
/// united.
fn seated_clusters(round: &RoundRecord, clusters: &[Cluster], answered: &[SeatId]) -> Vec<Cluster> {
    let mut placed: Vec<SeatId> = Vec::with_capacity(answered.len());
    let mut seated = Vec::with_capacity(clusters.len());
    for cluster in clusters {
        let mut seats = Vec::new();
        for seat in &cluster.seats {
            if answered.contains(seat) && !placed.contains(seat) {
                placed.push(*seat);
                seats.push(*seat);
            }
        }
        seats.sort_unstable();
        if !seats.is_empty() {
            seated.push(Cluster { seats, ..cluster.clone() });
        }
    }
    for seat in answered.iter().filter(|seat| !placed.contains(seat)) {
        let position =
            round.turn(*seat).map(|turn| turn.answer.position.as_str()).unwrap_or_default();
        seated.push(Cluster {
            theme: clip(position, THEME_TOKENS).into_owned(),
            seats: vec![*seat],
            summary: position.to_owned(),
        });
    }
    seated
}

/// Returns the mean over every proposition and pair of agents that take a stand
/// on it: the same side 1, opposite sides 0, one of the two open 0.5. Two open
/// stands say nothing about agreement and are left out. An incomplete row counts
/// over the seats in it.
pub fn level_of(propositions: &[Proposition]) -> Option<f64> {
    let (mut sum, mut pairs) = (0.0, 0_u32);
    for proposition in propositions {
        for (at, one) in proposition.stands.iter().enumerate() {
            for other in proposition.stands.iter().skip(at + 1) {
                let score = match (one.side, other.side) {
                    (Side::Open, Side::Open) => continue,
                    (Side::Open, _) | (_, Side::Open) => 0.5,
                    (a, b) if a == b => 1.0,
                    _ => 0.0,
                };
                sum += score;
                pairs += 1;
            }
        }
    }
    (pairs > 0).then(|| sum / f64::from(pairs))
}

//! The debate that another one comes after, and what is taken over from it.

use serde::{Deserialize, Serialize};

use crate::model::{ClaimStatus, Decision, DecisionId, Ledger, Room, Round, SeatId};

/// An earlier debate, as the brief of a later one names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierDebate {
    pub id: String,
    pub link: DebateLink,
    pub topic: String,
    /// Its decision in words; empty if it came to none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decision: String,
    /// The state that a follow-up begins with: claims, sources and decisions, under
    /// their own ids.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub ledger: Ledger,
}

/// The way in which a debate comes after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum DebateLink {
    /// A further question, put to what the earlier debate came to.
    FollowUp,
    /// The same question before another table, which is shown nothing of the first.
    SameQuestion,
    /// The same debate up to the end of this round.
    Fork { round: Round },
}

fn is_empty(ledger: &Ledger) -> bool {
    *ledger == Ledger::default()
}

/// Claims that were brought along belong to no round and to no seat of this table.
const BEFORE: Round = 0;
const NO_SEAT: SeatId = SeatId(u32::MAX as usize);

impl EarlierDebate {
    /// The link of a follow-up, with the whole state of the debate it follows.
    pub fn followed(id: &str, room: &Room) -> EarlierDebate {
        let mut ledger = room.ledger.clone();
        for claim in &mut ledger.claims {
            (claim.introduced_round, claim.last_updated_round) = (BEFORE, BEFORE);
            claim.author = NO_SEAT;
            claim.holders.clear();
            claim.opposers.clear();
            // Nobody at this table disputes it yet; the decision names what was disputed.
            if claim.status == ClaimStatus::Contested {
                claim.status = ClaimStatus::Open;
            }
        }
        for source in &mut ledger.evidence {
            source.added_round = BEFORE;
            source.cited_by.clear();
        }
        ledger.decisions.iter_mut().for_each(|decision| decision.round = BEFORE);
        let named = EarlierDebate::named(id, DebateLink::FollowUp, room);
        if !named.decision.is_empty() {
            let contested = room.ledger.with_status(ClaimStatus::Contested);
            let disputed: Vec<String> = contested.map(|claim| claim.id.to_string()).collect();
            let mut text = format!("On \"{}\": {}", named.topic, named.decision);
            if !disputed.is_empty() {
                text.push_str(&format!(" Still disputed: {}.", disputed.join(", ")));
            }
            let id = DecisionId::from_index(ledger.decisions.len());
            ledger.decisions.push(Decision { id, text, round: BEFORE });
        }
        EarlierDebate { ledger, ..named }
    }

    /// A link that brings nothing along.
    pub fn named(id: &str, link: DebateLink, room: &Room) -> EarlierDebate {
        let decision = room.verdict.as_ref().map(|verdict| verdict.card.decision.clone());
        EarlierDebate {
            id: id.into(),
            link,
            topic: room.brief.topic.clone(),
            decision: decision.unwrap_or_default(),
            ledger: Ledger::default(),
        }
    }

    /// Returns the last round that was held, and paid for, by the earlier debate.
    pub fn shared_rounds(&self) -> Option<Round> {
        match self.link {
            DebateLink::Fork { round } => Some(round),
            DebateLink::FollowUp | DebateLink::SameQuestion => None,
        }
    }
}

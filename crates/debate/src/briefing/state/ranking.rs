//! The order in which claims and sources are kept where there is no space for all of them.

use std::rc::Rc;

use crate::briefing::ViewInputs;
use crate::model::{Claim, ClaimId, ClaimStatus, Evidence, Label};

/// The most claims that are considered for a line of their own.
pub(super) const CLAIMS: usize = 100;
/// The same for sources.
pub(super) const SOURCES: usize = 60;

/// The claims a reader may know of, the most important first.
#[derive(Debug)]
pub(in crate::briefing) struct ClaimOrder {
    /// Their places in the ledger. Only so many of them are in order as can be shown.
    pub(super) places: Vec<usize>,
    /// The number of those contested lately, which are the first.
    pub(super) contested: usize,
}

impl ClaimOrder {
    pub(super) fn claims<'a>(&self, desk: &ViewInputs<'a>) -> impl Iterator<Item = &'a Claim> {
        let claims = &desk.room.ledger.claims;
        self.places.iter().filter_map(|place| claims.get(*place))
    }
}

/// A claim with the values that decide its place.
struct RankedClaim<'a> {
    class: ClaimRank,
    claim: &'a Claim,
    place: usize,
    tie: u64,
}

/// The order in which claims are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ClaimRank {
    ContestedLately,
    OpenQuestion,
    Contested,
    Lately,
    Older,
    Retracted,
}

/// Returns the order of the claims that a reader may know of.
pub(super) fn claims(desk: &ViewInputs<'_>) -> Rc<ClaimOrder> {
    let all = &desk.room.ledger.claims;
    // What was claimed before this round is known to every reader.
    if all.iter().all(|claim| claim.introduced_round < desk.round) {
        let order = || order(desk, |_| true);
        return desk.shared.claim_order.get((), &desk.names, order);
    }
    Rc::new(order(desk, |claim| {
        claim.introduced_round < desk.round
            || claim.author == desk.seat
            || desk.heard.contains(&claim.author)
    }))
}

fn order(desk: &ViewInputs<'_>, known: impl Fn(&Claim) -> bool) -> ClaimOrder {
    let mut contested: Vec<ClaimId> = Vec::new();
    for record in (1..=3).filter_map(|back| desk.back(back)) {
        contested.extend(&record.contested);
    }
    contested.sort_unstable();
    let all = desk.room.ledger.claims.iter().enumerate();
    let mut picks: Vec<RankedClaim<'_>> = all
        .filter(|(_, claim)| known(claim))
        .map(|(place, claim)| RankedClaim {
            class: class(desk, claim, &contested),
            claim,
            place,
            // Ids rise in seat order, which must stay hidden in an anonymous
            // view.
            tie: if desk.names.anonymous() {
                desk.names.lot(desk.round, claim.id.0)
            } else {
                u64::from(claim.id.0)
            },
        })
        .collect();
    let place = |one: &RankedClaim<'_>, other: &RankedClaim<'_>| {
        let strength = other.claim.strength.total_cmp(&one.claim.strength);
        one.class.cmp(&other.class).then(strength).then(one.tie.cmp(&other.tie))
    };
    // Only the first ones need an order: sorting a long ledger would cost more
    // with every round.
    let contested = picks.iter().filter(|pick| pick.class == ClaimRank::ContestedLately).count();
    let first = contested.max(CLAIMS);
    if picks.len() > first {
        picks.select_nth_unstable_by(first, place);
        picks.get_mut(..first).unwrap_or_default().sort_unstable_by(place);
    } else {
        picks.sort_unstable_by(place);
    }
    ClaimOrder { places: picks.into_iter().map(|pick| pick.place).collect(), contested }
}

fn class(desk: &ViewInputs<'_>, claim: &Claim, contested: &[ClaimId]) -> ClaimRank {
    let lately = claim.last_updated_round + 3 >= desk.round;
    match claim.status {
        _ if contested.binary_search(&claim.id).is_ok() => ClaimRank::ContestedLately,
        ClaimStatus::Contested if lately => ClaimRank::ContestedLately,
        ClaimStatus::Retracted => ClaimRank::Retracted,
        _ if desk.plan.view.open_questions && is_unanswered(claim) => ClaimRank::OpenQuestion,
        ClaimStatus::Contested => ClaimRank::Contested,
        _ if lately => ClaimRank::Lately,
        _ => ClaimRank::Older,
    }
}

pub(super) fn is_unanswered(claim: &Claim) -> bool {
    claim.label == Label::Open
        && claim.status != ClaimStatus::Retracted
        && claim.supported_by.is_empty()
        && claim.opposition.is_empty()
}

/// The sources a reader may know of by their places in the ledger, those used lately and by
/// many first.
pub(super) fn sources(desk: &ViewInputs<'_>) -> Rc<Vec<usize>> {
    let all = &desk.room.ledger.evidence;
    if all.iter().all(|source| source.added_round < desk.round) {
        let order = || source_order(desk, |_| true);
        return desk.shared.source_order.get((), &desk.names, order);
    }
    Rc::new(source_order(desk, |source| {
        let heard = |seat| seat == desk.seat || desk.heard.contains(&seat);
        source.added_round < desk.round || source.cited_by.iter().any(|by| heard(by.seat))
    }))
}

fn source_order(desk: &ViewInputs<'_>, known: impl Fn(&Evidence) -> bool) -> Vec<usize> {
    let all = desk.room.ledger.evidence.iter().enumerate();
    let mut sources: Vec<(usize, &Evidence)> = all.filter(|(_, source)| known(source)).collect();
    let key = |(_, source): &(usize, &Evidence)| {
        let last = source.cited_by.iter().map(|by| by.round).max().unwrap_or(source.added_round);
        let tie = if desk.names.anonymous() {
            desk.names.lot(desk.round, source.id.0)
        } else {
            u64::from(source.id.0)
        };
        let uses = source.cited_by.len().max(source.supports.len());
        (last + 3 < desk.round, std::cmp::Reverse(uses), tie)
    };
    if sources.len() > SOURCES {
        sources.select_nth_unstable_by_key(SOURCES, key);
        sources.get_mut(..SOURCES).unwrap_or_default().sort_by_cached_key(key);
    } else {
        sources.sort_by_cached_key(key);
    }
    sources.into_iter().map(|(place, _)| place).collect()
}

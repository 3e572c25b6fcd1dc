//! Enters one turn: its sources, its claims with what they support, oppose and
//! retract, and its critiques. Reads only the answer's structured fields.
//!
//! A claim withdrawn by its author stays withdrawn: no seat holds it any more,
//! and a seat that makes it again makes a new claim.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::key_hashes::KeyHashes;
use super::sources::{SourceIndex, numbers_in};
use super::wording::{ClaimMood, ClaimWording};
use crate::model::{
    Citation, Claim, ClaimId, ClaimMade, ClaimStatus, Critique, CritiqueOutcome, Decision,
    DecisionId, EvidenceId, Label, Ledger, Round, SeatId, TouchedClaims, Turn,
};

/// The additions of one turn to the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerAdditions {
    pub touched: TouchedClaims,
    pub new_claims: Vec<ClaimId>,
    pub new_evidence: Vec<EvidenceId>,
}

/// Enters a single turn. A debate enters many, so it keeps an [`LedgerIndex`] and calls
/// [`LedgerIndex::enter`]; this function reads the whole ledger first.
pub fn enter(ledger: &mut Ledger, turn: &Turn) -> LedgerAdditions {
    LedgerIndex::default().enter(ledger, turn)
}

/// Records a decision that holds for the rest of the debate.
pub fn decide(ledger: &mut Ledger, round: Round, text: &str) -> DecisionId {
    let id = DecisionId::from_index(ledger.decisions.len());
    ledger.decisions.push(Decision { id, text: text.trim().to_owned(), round });
    id
}

/// Finds a claim by its wording and a source by its address, so that entering a
/// turn costs the same in the last round as in the first. It is built from the
/// ledger alone: an empty index reads the ledger on its first use.
#[derive(Debug, Clone, Default)]
pub struct LedgerIndex {
    /// The wording of every claim known so far, by claim.
    wordings: Vec<ClaimWording>,
    /// Claims by their whole wording, earliest first.
    whole: HashMap<u64, SameKey, KeyHashes>,
    /// Claims by their wording less one word, earliest first.
    shortened: HashMap<u64, SameKey, KeyHashes>,
    sources: SourceIndex,
    wave: Option<(Round, u32)>,
    /// The number of claims when the wave began: no seat has seen more.
    shown: usize,
}

/// Claims under one key, earliest first. Most keys are those of one claim.
#[derive(Debug, Clone)]
struct SameKey {
    first: ClaimId,
    more: Vec<ClaimId>,
}

impl SameKey {
    /// Adds the newest claim under a key, once.
    fn note(all: &mut HashMap<u64, SameKey, KeyHashes>, key: u64, id: ClaimId) {
        match all.entry(key) {
            Entry::Vacant(place) => {
                place.insert(SameKey { first: id, more: Vec::new() });
            }
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                if *known.more.last().unwrap_or(&known.first) != id {
                    known.more.push(id);
                }
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = ClaimId> {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

impl LedgerIndex {
    /// Enters one turn. The caller brings the turns of a wave in seat order.
    pub fn enter(&mut self, ledger: &mut Ledger, turn: &Turn) -> LedgerAdditions {
        self.catch_up(ledger);
        if self.wave != Some((turn.round, turn.wave)) {
            self.wave = Some((turn.round, turn.wave));
            self.shown = ledger.claims.len();
        }
        self.sources.tried(ledger, turn);
        let entered = LedgerAdditions::default();
        let mut entering = TurnEntry { ledger, index: self, turn, entered, cited: BTreeMap::new() };
        entering.cite();
        for made in &turn.answer.claims {
            entering.claim(made);
        }
        for critique in &turn.answer.critiques {
            entering.critique(critique);
        }
        entering.entered
    }

    fn catch_up(&mut self, ledger: &Ledger) {
        for claim in ledger.claims.iter().skip(self.wordings.len()) {
            self.remember(claim.id, wording(&claim.text, claim.label));
        }
        self.sources.catch_up(ledger);
    }

    fn remember(&mut self, id: ClaimId, wording: ClaimWording) {
        SameKey::note(&mut self.whole, wording.whole(), id);
        for key in wording.shortened() {
            SameKey::note(&mut self.shortened, *key, id);
        }
        self.wordings.push(wording);
    }

    /// The earliest standing claim that a wording repeats: word for word if
    /// there is one, else one with a word less or more.
    fn find(&self, ledger: &Ledger, wording: &ClaimWording) -> Option<ClaimId> {
        let standing = |ids: &SameKey| ids.iter().find(|id| stands(ledger, *id));
        let whole = wording.whole();
        self.whole.get(&whole).and_then(standing).or_else(|| {
            let less = wording.shortened().iter().filter_map(|key| self.whole.get(key));
            let more = self.shortened.get(&whole);
            less.chain(more).filter_map(standing).min()
        })
    }
}

#[cfg(test)]
impl LedgerIndex {
    /// The most claims that one lookup can have to go through.
    pub(super) fn longest_list(&self) -> usize {
        self.whole
            .values()
            .chain(self.shortened.values())
            .map(|ids| ids.iter().count())
            .max()
            .unwrap_or(0)
    }
}

fn stands(ledger: &Ledger, id: ClaimId) -> bool {
    ledger.claim(id).is_some_and(|claim| claim.status != ClaimStatus::Retracted)
}

fn wording(text: &str, label: Label) -> ClaimWording {
    ClaimWording::of(
        text,
        if label == Label::Open { ClaimMood::Asked } else { ClaimMood::Asserted },
    )
}

/// One turn on its way into the ledger.
struct TurnEntry<'a> {
    ledger: &'a mut Ledger,
    index: &'a mut LedgerIndex,
    turn: &'a Turn,
    entered: LedgerAdditions,
    /// The answer's own citation numbers.
    cited: BTreeMap<u32, EvidenceId>,
}

impl TurnEntry<'_> {
    /// The answer's citations, and those of the provider's sources that the
    /// answer refers to by number.
    fn cite(&mut self) {
        let turn = self.turn;
        for citation in &turn.answer.citations {
            self.source(citation);
        }
        let in_claims = turn.answer.claims.iter().flat_map(|made| made.citations.iter().copied());
        let in_text = numbers_in(&turn.answer.reasoning);
        for number in in_claims.chain(in_text) {
            let source = turn.sources.iter().find(|source| source.number == number);
            if let (false, Some(source)) = (self.cited.contains_key(&number), source) {
                self.source(source);
            }
        }
    }

    fn source(&mut self, citation: &Citation) {
        let Some((id, is_new)) = self.index.sources.enter(self.ledger, self.turn, citation) else {
            return;
        };
        self.cited.entry(citation.number).or_insert(id);
        add(&mut self.entered.touched.citations_used, id);
        if is_new {
            self.entered.new_evidence.push(id);
        }
    }

    fn claim(&mut self, made: &ClaimMade) {
        let retracts = self.seen(&made.retracts);
        let opposes = self.seen(&made.opposes);
        // A seat that opposes and supports a claim in one answer does not support
        // it.
        let mut supports = self.seen(&made.supports);
        supports.retain(|id| !opposes.contains(id) && !retracts.contains(id));

        for id in &retracts {
            self.retract(*id);
        }
        for id in &opposes {
            self.answers(*id);
            self.oppose(*id);
        }
        for id in &supports {
            self.answers(*id);
            self.reinforce(*id);
        }

        let wording = wording(&made.text, made.label);
        let refused = retracts.iter().chain(&opposes).any(|id| self.repeats(*id, &wording));
        if refused || wording.says_nothing() {
            return;
        }
        let named = supports
            .iter()
            .copied()
            .find(|id| stands(self.ledger, *id) && self.repeats(*id, &wording));
        let id = named
            .or_else(|| self.index.find(self.ledger, &wording))
            .unwrap_or_else(|| self.introduce(made, wording));
        self.adopt(id, made);
        self.link(id, &supports, &opposes);
    }

    /// The ids that this seat can have seen, each once.
    fn seen(&self, ids: &[ClaimId]) -> Vec<ClaimId> {
        let mut seen = Vec::new();
        for id in ids.iter().filter(|id| id.0 > 0 && id.index() < self.index.shown) {
            add(&mut seen, *id);
        }
        seen
    }

    fn repeats(&self, id: ClaimId, words: &ClaimWording) -> bool {
        self.index.wordings.get(id.index()).is_some_and(|wording| wording.repeats(words))
    }

    fn introduce(&mut self, made: &ClaimMade, wording: ClaimWording) -> ClaimId {
        let id = ClaimId::from_index(self.ledger.claims.len());
        self.ledger.claims.push(Claim {
            id,
            text: made.text.trim().to_owned(),
            label: made.label,
            evidence_type: made.evidence_type,
            status: ClaimStatus::Open,
            author: self.turn.seat,
            introduced_round: self.turn.round,
            last_updated_round: self.turn.round,
            holders: Vec::new(),
            opposers: Vec::new(),
            support: Vec::new(),
            supported_by: Vec::new(),
            opposition: Vec::new(),
            strength: 0.0,
        });
        self.index.remember(id, wording);
        self.entered.new_claims.push(id);
        self.entered.touched.introduced.push(id);
        id
    }

    /// Lets the seat hold a standing claim, with the evidence it brings.
    fn adopt(&mut self, id: ClaimId, made: &ClaimMade) {
        self.reinforce(id);
        let evidence: Vec<EvidenceId> =
            made.citations.iter().filter_map(|number| self.cited.get(number).copied()).collect();
        let Some(claim) = self.ledger.claims.get_mut(id.index()) else { return };
        claim.evidence_type = claim.evidence_type.min(made.evidence_type);
        if (claim.label, made.label) == (Label::Infer, Label::Fact) && !evidence.is_empty() {
            claim.label = Label::Fact;
        }
        for source in evidence {
            insert(&mut claim.support, source);
            if let Some(entry) = self.ledger.evidence.get_mut(source.index()) {
                insert(&mut entry.supports, id);
            }
        }
    }

    /// A link leads from a later claim to an earlier one, so no circle can form.
    fn link(&mut self, from: ClaimId, supports: &[ClaimId], opposes: &[ClaimId]) {
        for id in supports.iter().filter(|id| **id < from) {
            if let Some(claim) = self.ledger.claims.get_mut(id.index()) {
                insert(&mut claim.supported_by, from);
            }
        }
        for id in opposes.iter().filter(|id| **id < from) {
            if let Some(claim) = self.ledger.claims.get_mut(id.index()) {
                insert(&mut claim.opposition, from);
            }
        }
    }

    fn critique(&mut self, critique: &Critique) {
        for id in self.seen(&[critique.claim]) {
            self.answers(id);
            let countered =
                critique.counter_evidence.as_deref().is_some_and(|text| !text.trim().is_empty());
            match critique.outcome {
                CritiqueOutcome::Concession => self.reinforce(id),
                CritiqueOutcome::Alternative | CritiqueOutcome::Synthesis if countered => {
                    self.oppose(id)
                }
                // A doubt without counter-evidence is recorded but is no
                // opposition.
                CritiqueOutcome::Alternative | CritiqueOutcome::Synthesis => self.challenge(id),
            }
        }
    }

    fn reinforce(&mut self, id: ClaimId) {
        let held = self.update(id, |claim, seat| {
            insert(&mut claim.holders, seat);
            remove(&mut claim.opposers, seat);
        });
        if held && !self.entered.touched.introduced.contains(&id) {
            add(&mut self.entered.touched.reinforced, id);
        }
    }

    fn oppose(&mut self, id: ClaimId) {
        let opposed = self.update(id, |claim, seat| {
            insert(&mut claim.opposers, seat);
            remove(&mut claim.holders, seat);
        });
        if opposed {
            add(&mut self.entered.touched.challenged, id);
        }
    }

    fn challenge(&mut self, id: ClaimId) {
        if stands(self.ledger, id) {
            add(&mut self.entered.touched.challenged, id);
        }
    }

    /// Withdraws the claim if its author retracts it; another seat only stops
    /// holding it.
    fn retract(&mut self, id: ClaimId) {
        self.update(id, |claim, seat| {
            if claim.author == seat {
                claim.status = ClaimStatus::Retracted;
                claim.holders.clear();
            } else {
                remove(&mut claim.holders, seat);
            }
        });
    }

    /// Changes a standing claim and updates its status. Returns true if it did.
    fn update(&mut self, id: ClaimId, change: impl FnOnce(&mut Claim, SeatId)) -> bool {
        let Some(claim) = self.ledger.claims.get_mut(id.index()) else { return false };
        if claim.status == ClaimStatus::Retracted {
            return false;
        }
        change(claim, self.turn.seat);
        claim.status = status(claim);
        claim.last_updated_round = self.turn.round;
        true
    }

    fn answers(&mut self, id: ClaimId) {
        // A claim of an earlier debate has no author at this table.
        let claim = self.ledger.claim(id).filter(|claim| claim.introduced_round > 0);
        let author = claim.map(|claim| claim.author);
        if let Some(author) = author.filter(|author| *author != self.turn.seat) {
            add(&mut self.entered.touched.replies_to, author);
        }
    }
}

fn status(claim: &Claim) -> ClaimStatus {
    match (claim.status, claim.holders.len(), claim.opposers.len()) {
        (ClaimStatus::Retracted, _, _) => ClaimStatus::Retracted,
        (_, 2.., 0) => ClaimStatus::Accepted,
        (_, 1.., 1..) => ClaimStatus::Contested,
        _ => ClaimStatus::Open,
    }
}

/// Adds to a list in order of appearance, once.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Adds to a sorted list, once.
fn insert<T: Ord>(list: &mut Vec<T>, item: T) {
    if let Err(place) = list.binary_search(&item) {
        list.insert(place, item);
    }
}

fn remove<T: PartialEq>(list: &mut Vec<T>, item: T) {
    list.retain(|other| *other != item);
}

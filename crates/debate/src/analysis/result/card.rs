//! Makes the card from a verdict and the room it was made in: the decision, how
//! sure the table is, what to settle, what to beware of, who moved and why.

use crate::model::{
    CardFigures, CardKind, CardMove, CardReason, CardSide, CardTotals, CaseHeard, ChangeOfMind,
    Claim, ClaimStatus, DecisionCard, EvidenceId, Label, ModePlan, Room, Round, RoundAnalysis,
    SeatId, Verdict, VoteShare, VoterPlan, counted, listed,
};
use crate::sorting::SortRows;

use super::cautions::cautions;
use super::lead::{Lead, lead};
use crate::analysis::voting::voters::voting_seats;
use crate::analysis::wording::{percent, seat_name};

/// The most reasons that a card gives.
const REASONS: usize = 3;

/// Returns the card of a verdict.
pub fn card(room: &Room, plan: &ModePlan, verdict: &Verdict) -> DecisionCard {
    let last = room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
    let weighing = &verdict.evidence.weighing;
    let lead = lead(room, plan, last, weighing);
    let kind = lead.kind;
    let of = CardInputs { room, plan, verdict, last, lead, kind };
    let figures = of.figures();
    DecisionCard {
        kind,
        decision: verdict.decision.answer.clone(),
        decided_by: of.decided_by(),
        action: verdict.decision.action_recommendation,
        sure: of.sure(&figures),
        reason: verdict.decision.reason.clone(),
        sides: of.sides(),
        settle: of.settle(),
        beware: cautions(room, plan, last, weighing),
        moved: weighing.changes.iter().map(|change| of.moved(change)).collect(),
        reasons: of.reasons(),
        risks: verdict.evidence.risks.clone(),
        heard: of.heard(),
        summary: of.summary(),
        totals: of.totals(),
        figures,
    }
}

struct CardInputs<'a> {
    room: &'a Room,
    plan: &'a ModePlan,
    verdict: &'a Verdict,
    last: Option<&'a RoundAnalysis>,
    lead: Lead,
    kind: CardKind,
}

impl CardInputs<'_> {
    fn name(&self, seat: SeatId) -> String {
        seat_name(self.room, seat).to_owned()
    }

    fn names(&self, seats: &[SeatId]) -> Vec<String> {
        seats.iter().map(|seat| self.name(*seat)).collect()
    }

    fn decided_by(&self) -> Vec<String> {
        match self.plan.voters {
            VoterPlan::Roles(_) => self.names(&voting_seats(self.room, self.plan)),
            VoterPlan::EverySeat | VoterPlan::NoSeat { .. } => Vec::new(),
        }
    }

    fn figures(&self) -> CardFigures {
        let weighing = &self.verdict.evidence.weighing;
        let open = |risk: &&crate::model::RiskEntry| risk.state.is_open();
        CardFigures {
            holding: self.lead.holding,
            votes: self.lead.votes,
            voters: self.lead.voters,
            abstained: weighing.abstained.len(),
            probability: self.verdict.decision.probability,
            agreement: self.verdict.decision.agreement_score,
            level: self.verdict.decision.consensus_level,
            disputed: self.verdict.evidence.conflicts.len(),
            open_risks: self.verdict.evidence.risks.iter().filter(open).count(),
        }
    }

    fn sure(&self, figures: &CardFigures) -> Vec<String> {
        let CardFigures { holding, votes, voters, .. } = *figures;
        let mut parts = match self.kind {
            CardKind::Judged if voters == 1 => {
                vec![format!("decided by {}", listed(&self.decided_by()))]
            }
            CardKind::Decided if figures.agreement.is_none() && votes > 1 => {
                let verb = if holding > 1 { "use the same words" } else { "holds it" };
                vec![
                    format!("{holding} of {voters} {verb}"),
                    "the rest is not read without a clerk".into(),
                ]
            }
            CardKind::Decided | CardKind::Judged if self.lead.has_majority() => {
                vec![format!("{holding} of {voters} agree")]
            }
            CardKind::Decided | CardKind::Judged => {
                vec![format!("{holding} of {voters} hold it")]
            }
            CardKind::Ruled => vec![format!("decided by {}", listed(&self.decided_by()))],
            CardKind::Estimated => vec![counted(votes, "estimate")],
            CardKind::Split => {
                let shares = self.verdict.evidence.weighing.final_vote.iter();
                let counts: Vec<String> = shares.map(|share| share.count().to_string()).collect();
                vec![format!("split {}", counts.join(" : "))]
            }
            CardKind::Unread => vec![
                counted(votes, "differently worded answer"),
                "whether they agree is not known without a clerk".into(),
            ],
            CardKind::Risks => {
                let all = self.verdict.evidence.risks.len();
                vec![format!("{} of {} open", figures.open_risks, counted(all, "attack"))]
            }
            CardKind::NoAnswer => vec!["no answer".into()],
        };
        if figures.abstained > 0 && votes > 0 {
            parts.push(format!("{} could not say", figures.abstained));
        }
        parts.extend(figures.probability.map(|share| format!("{} weighed", percent(share))));
        if figures.disputed > 0 {
            parts.push(format!("{} disputed", counted(figures.disputed, "point")));
        }
        parts
    }

    fn sides(&self) -> Vec<CardSide> {
        let side = |share: &VoteShare| CardSide {
            answer: share.answer.clone(),
            agents: self.names(&share.seats),
            votes: share.count(),
        };
        self.verdict.evidence.weighing.final_vote.iter().map(side).collect()
    }

    /// Disputed claims, those of the seats that hold the decision first.
    fn settle(&self) -> Vec<crate::model::OpenConflict> {
        let holders = self.names(&self.lead.seats);
        let mut points = self.verdict.evidence.conflicts.clone();
        points.sort_rows_by_key(|point| !point.held_by.iter().any(|name| holders.contains(name)));
        points
    }

    fn moved(&self, change: &ChangeOfMind) -> CardMove {
        CardMove {
            agent: self.name(change.seat),
            from: change.from.clone(),
            to: change.to.clone(),
            round: change.round,
            by: self.moved_by(change),
        }
    }

    fn moved_by(&self, change: &ChangeOfMind) -> String {
        let Some(id) = change.evidence.first() else {
            return "without a new source".into();
        };
        let source = self.room.ledger.source(*id);
        let others = source.into_iter().flat_map(|source| &source.cited_by);
        let first = others.filter(|cited| cited.seat != change.seat).map(|cited| cited.seat).next();
        match first {
            Some(other) => format!("by {}'s source {id}", self.name(other)),
            None => format!("by a source it found, {id}"),
        }
    }

    fn reasons(&self) -> Vec<CardReason> {
        let holders = &self.lead.seats;
        let rests_on = |claim: &&Claim| {
            let own = self.kind != CardKind::Risks || holders.contains(&claim.author);
            let sound = own && matches!(claim.status, ClaimStatus::Accepted | ClaimStatus::Open);
            let held = claim.holders.iter().any(|seat| {
                let said = if claim.author == *seat {
                    claim.introduced_round
                } else {
                    claim.last_updated_round
                };
                holders.contains(seat) && said >= self.held_since(*seat)
            });
            sound && held && claim.label != Label::Open && claim.opposers.is_empty()
        };
        let mut claims: Vec<&Claim> = self.room.ledger.claims.iter().filter(rests_on).collect();
        claims.sort_rows_by(|a, b| b.strength.total_cmp(&a.strength).then(a.id.cmp(&b.id)));
        let real =
            |id: &EvidenceId| self.room.ledger.source(*id).is_some_and(|source| !source.is_void());
        let reason = |claim: &Claim| CardReason {
            claim: claim.id,
            text: claim.text.clone(),
            sources: claim.support.iter().copied().filter(real).collect(),
        };
        claims.into_iter().take(REASONS).map(reason).collect()
    }

    /// The round in which a seat came to the answer it holds. What it said before that
    /// was said for another one.
    fn held_since(&self, seat: SeatId) -> Round {
        let changes = self.verdict.evidence.weighing.changes.iter();
        let own = changes.filter(|change| change.seat == seat).map(|change| change.round);
        own.max().unwrap_or_default()
    }

    /// The last words of the seats without a vote; in a risk register those of the
    /// seats that defend.
    fn heard(&self) -> Vec<CaseHeard> {
        let voters = voting_seats(self.room, self.plan);
        let seats: Vec<SeatId> = match self.kind {
            CardKind::Risks => self.lead.seats.clone(),
            _ => {
                let all = self.room.seats.iter().map(|seat| seat.id);
                all.filter(|seat| !voters.contains(seat)).collect()
            }
        };
        let words = |seat: &SeatId| {
            let turn = self.room.rounds.iter().rev().find_map(|round| round.turn(*seat))?;
            Some(CaseHeard {
                agent: self.name(*seat),
                role: turn.role.clone(),
                round: turn.round,
                words: turn.answer.position.trim().to_owned(),
            })
        };
        seats.iter().filter_map(words).collect()
    }

    fn summary(&self) -> String {
        let read = |found: &&RoundAnalysis| !found.consensus.propositions.is_empty();
        self.last.filter(read).map(|found| found.consensus.summary.clone()).unwrap_or_default()
    }

    fn totals(&self) -> CardTotals {
        let metadata = &self.verdict.metadata;
        CardTotals {
            agents: self.room.seats.len(),
            rounds: metadata.rounds,
            calls: metadata.spent.calls,
            latency_ms: metadata.quality.rounds.iter().map(|round| round.latency_ms).sum(),
            cost: metadata.spent.cost,
            unpriced_calls: metadata.spent.unpriced_calls,
        }
    }
}

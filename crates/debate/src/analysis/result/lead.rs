//! What a result leads with: which kind of result it is, and how many of those who
//! vote hold it. The level, the action, the headline and the card all rest on this
//! one count.

use crate::model::{
    AnalysedBy, CardKind, Choice, ModePlan, Room, RoundAnalysis, SeatId, VoteShare, VoterPlan,
    WeighedOver, Weighing,
};

use crate::analysis::answers::positions;
use crate::analysis::voting::dissent::level_answers;
use crate::analysis::voting::voters::voting_seats;

#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    pub kind: CardKind,
    /// Votes for what leads; of level answers, for the one with most votes.
    pub holding: usize,
    /// All votes of the final vote.
    pub votes: usize,
    /// Those who could have voted: voting seats, or the votes where each seat gave
    /// several sealed answers.
    pub voters: usize,
    /// The seats that hold what leads.
    pub seats: Vec<SeatId>,
}

impl Lead {
    pub fn has_majority(&self) -> bool {
        2 * self.holding > self.voters
    }
}

pub fn lead(
    room: &Room,
    plan: &ModePlan,
    last: Option<&RoundAnalysis>,
    weighing: &Weighing,
) -> Lead {
    let kind = kind(room, plan, last, weighing);
    let votes: usize = weighing.final_vote.iter().map(VoteShare::count).sum();
    let sampled = weighing.final_vote.iter().any(|share| share.answers.is_some());
    let seats = voting_seats(room, plan).len();
    let voters = if sampled { votes.max(seats) } else { seats };
    let (holding, holders) = match kind {
        CardKind::Decided | CardKind::Judged | CardKind::Ruled => {
            let leading = weighing.answers.first().map(|answer| answer.answer.as_str());
            let mut shares = weighing.final_vote.iter();
            let held = shares.find(|share| Some(share.answer.as_str()) == leading);
            held.map_or((0, Vec::new()), |share| (share.count(), share.seats.clone()))
        }
        CardKind::Split | CardKind::Unread => {
            (weighing.final_vote.first().map_or(0, VoteShare::count), Vec::new())
        }
        CardKind::Estimated => near_the_estimate(room, weighing),
        CardKind::Risks => (0, defenders(room, plan)),
        CardKind::NoAnswer => (0, Vec::new()),
    };
    Lead { kind, holding, votes, voters, seats: holders }
}

/// The kind of result these votes come to.
pub fn kind(
    room: &Room,
    plan: &ModePlan,
    last: Option<&RoundAnalysis>,
    weighing: &Weighing,
) -> CardKind {
    let answered = !weighing.answers.is_empty() && !weighing.final_vote.is_empty();
    match plan.voters {
        VoterPlan::NoSeat { .. } => CardKind::Risks,
        _ if !answered => CardKind::NoAnswer,
        _ if room.brief.combines_figures() && weighing.pooled.is_some() => CardKind::Estimated,
        _ if level_answers(weighing).len() > 1 => {
            let unread = differ_in_words_only(last, weighing);
            if unread { CardKind::Unread } else { CardKind::Split }
        }
        VoterPlan::Roles(_) if plan.judge().is_some() => CardKind::Ruled,
        VoterPlan::Roles(_) => CardKind::Judged,
        VoterPlan::EverySeat => CardKind::Decided,
    }
}

/// Returns true if the answers are only known to differ in wording: no clerk read
/// them for their meaning, no two are alike and none denies another.
pub fn differ_in_words_only(last: Option<&RoundAnalysis>, weighing: &Weighing) -> bool {
    // A debate that was stopped in round 1 has no analysis: nobody read its answers.
    let unread = last.is_none_or(|found| {
        found.consensus.by == AnalysedBy::Basic && found.consensus.conflicts.is_empty()
    });
    let alone = weighing.final_vote.iter().all(|share| share.seats.len() == 1);
    unread && alone && weighing.over == WeighedOver::Clusters && weighing.final_vote.len() > 1
}

/// The estimates that lie with the combined figure.
fn near_the_estimate(room: &Room, weighing: &Weighing) -> (usize, Vec<SeatId>) {
    let combined = weighing.pooled.as_ref().map(|pooled| pooled.last);
    let (mut count, mut seats) = (0, Vec::new());
    for share in &weighing.final_vote {
        let named = weighing.answers.iter().find(|answer| answer.answer == share.answer);
        let value = match named.and_then(|answer| answer.choice.as_ref()) {
            Some(Choice::Number(value) | Choice::Probability(value)) => *value,
            Some(Choice::Option(_)) | None => continue,
        };
        if combined.is_some_and(|all| positions::lies_with(&room.brief, value, all)) {
            count += share.count();
            seats.extend(share.seats.iter().copied());
        }
    }
    (count, seats)
}

fn defenders(room: &Room, plan: &ModePlan) -> Vec<SeatId> {
    let leads = match plan.voters {
        VoterPlan::NoSeat { leads } => leads,
        VoterPlan::EverySeat | VoterPlan::Roles(_) => return Vec::new(),
    };
    room.seats.iter().filter(|seat| seat.role == leads).map(|seat| seat.id).collect()
}

//! Analyses a finished round and a finished debate as plain arithmetic over the
//! room: agreement, movement, groupthink, early exit, and the verdict. It calls
//! no model and never makes up a missing figure.

mod answers;
mod clerk_check;
mod consensus;
mod convergence;
mod depths;
mod exit;
mod groupthink;
mod quality;
mod result;
mod spread;
mod votes;
mod voting;
mod wording;

use crate::model::{
    ClerkConsensus, EvidenceWeights, Groupthink, ModePlan, Room, Round, RoundAnalysis, RoundRecord,
    SeatId,
};

pub use answers::polarity;
pub use answers::stands::level_of;
pub use answers::trace::found_something;
pub use depths::compare_depths;
pub use groupthink::{needs_critical_objection, objections_heard};
pub use quality::{quality, recent_quality};
pub use result::{card, verdict, verdict_with};
pub use spread::{band, spread};
pub use voting::WeighingRules;
pub use voting::{CLEAR, SampledVotes, candidates, next_samples, sampled, spokesmen};
pub use voting::{abstains, equal_pairs, voting_seats};
pub use voting::{weigh, weigh_by};

/// The inputs to the analysis of a round.
pub struct AnalysisInputs<'a> {
    pub room: &'a Room,
    pub plan: &'a ModePlan,
    pub round: Round,
    /// The clerk's reading, mapped back to seats, or the reason why it failed;
    /// `None` without a clerk.
    pub clerk: Option<Result<ClerkConsensus, String>>,
    pub similarities: Similarities<'a>,
    pub weights: &'a EvidenceWeights,
}

/// The calibrated similarity, 0 to 1, of a seat's answer in one round and another
/// (or the same) seat's answer in another round.
pub type SimilarityOf<'a> = dyn Fn(SeatId, Round, SeatId, Round) -> Option<f64> + 'a;

/// The source of similarities, or the reason why there are none.
#[derive(Clone, Copy)]
pub struct Similarities<'a> {
    pub embedder: Option<&'a str>,
    pub missing: Option<&'a str>,
    pub of: Option<&'a SimilarityOf<'a>>,
}

impl<'a> Similarities<'a> {
    pub fn by(embedder: &'a str, of: &'a SimilarityOf<'a>) -> Similarities<'a> {
        Similarities { embedder: Some(embedder), missing: None, of: Some(of) }
    }

    pub fn absent(why: &'a str) -> Similarities<'a> {
        Similarities { embedder: None, missing: Some(why), of: None }
    }

    fn between(&self, one: SeatId, at: Round, other: SeatId, then: Round) -> Option<f64> {
        self.of?(one, at, other, then).filter(|value| value.is_finite())
    }

    fn why_missing(&self) -> String {
        let unknown = "at least one position could not be embedded";
        self.missing.unwrap_or(unknown).to_owned()
    }
}

/// The analysis of one round. The room must hold the round's turns and the
/// analyses of the rounds before it.
pub fn analyse(inputs: &AnalysisInputs<'_>) -> RoundAnalysis {
    let counted = voting::counted(inputs.room, inputs.plan);
    let Some(round) = inputs.room.round(inputs.round) else {
        let nobody = nobody(inputs.round);
        return analysed(inputs, &counted, &nobody, &nobody);
    };
    let voted = counted.round(inputs.round).unwrap_or(round);
    let mut found = analysed(inputs, &counted, round, voted);
    let ending =
        exit::ending(&counted, inputs.plan, exit::RoundHeard { whole: round, voted }, &found);
    found.exit = ending.exit;
    found.held_back = ending.held_back;
    found
}

/// Returns false where no reading of a round that the clerk could give would call for a
/// round of objections.
pub fn may_call_for_objections(room: &Room, plan: &ModePlan, round: Round) -> bool {
    if !groupthink::is_watched(room, plan) || objections_heard(room, round) {
        return false;
    }
    let counted = voting::counted(room, plan);
    let Some(voted) = counted.round(round) else { return true };
    if room.brief.question.is_closed() {
        // The votes say it, whatever the clerk reads.
        let consensus = consensus::consensus(&counted, voted, None);
        return groupthink::really_one(&counted, &consensus);
    }
    groupthink::may_be_triggered(&counted, voted)
}

/// `counted` and `voted` are the room and the round with the answers that count.
fn analysed(
    inputs: &AnalysisInputs<'_>,
    counted: &Room,
    round: &RoundRecord,
    voted: &RoundRecord,
) -> RoundAnalysis {
    let room = inputs.room;
    let mut consensus = consensus::consensus(counted, voted, inputs.clerk.as_ref());
    consensus.notes.extend(result::notices::voter_notes(room, inputs.plan, round));
    let convergence = convergence::convergence(counted, voted, &consensus, &inputs.similarities);
    let groupthink: Groupthink =
        groupthink::groupthink(counted, inputs.plan, voted, &consensus, &convergence);
    RoundAnalysis {
        round: inputs.round,
        answered: round.answered().count(),
        seats: room.seats.len(),
        abstained: voting::abstainers(room, inputs.plan, round),
        votes: votes::count(voted),
        confidence: spread::confidences(voted),
        overconfident: spread::overconfident(room, round),
        grounds: spread::grounds(round, inputs.weights),
        consensus,
        convergence,
        groupthink,
        exit: None,
        held_back: None,
    }
}

/// Returns an empty record for a round that was never opened, so that asking
/// about one is harmless.
fn nobody(number: Round) -> RoundRecord {
    RoundRecord {
        number,
        kind: crate::model::RoundKind::Planned,
        waves: Vec::new(),
        turns: Vec::new(),
        gaps: Vec::new(),
        touched: Vec::new(),
        new_claims: Vec::new(),
        new_evidence: Vec::new(),
        contested: Vec::new(),
        summary: None,
        stands: None,
        analysis: None,
        closed: false,
    }
}

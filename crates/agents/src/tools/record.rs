//! The record of what has been said and cited, as tools see it: a plain copy of the
//! debate's ledger and transcript, made when a turn begins.

use debate::model::{
    AskId, Claim, ContextRequest, Evidence, GivenContext, Priority, Room, Round, RoundRecord,
    same_question,
};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Names by seat.
    pub seats: Vec<String>,
    pub claims: Vec<Claim>,
    pub evidence: Vec<Evidence>,
    pub said: Vec<RecordedSaying>,
    /// The questions to the caller, and their answers.
    pub context: Vec<ContextRequest>,
}

/// One answer's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedSaying {
    pub round: Round,
    pub speaker: String,
    pub text: String,
}

impl Record {
    /// Of closed rounds and waves only: what the ledger holds, and the answers
    /// of rounds that are over, whether or not the clerk has read them. An answer on
    /// its way is not shown yet.
    pub fn of(room: &Room) -> Record {
        let now = room.current().map(|round| round.number);
        let is_over = |round: &&RoundRecord| round.closed || Some(round.number) != now;
        let said = room.rounds.iter().filter(is_over).flat_map(|round| {
            round.answered().map(|turn| RecordedSaying {
                round: round.number,
                speaker: turn.agent.clone(),
                text: format!("{}\n{}", turn.answer.position, turn.answer.reasoning),
            })
        });
        Record {
            seats: room.seats.iter().map(|seat| seat.name.clone()).collect(),
            claims: room.ledger.claims.clone(),
            evidence: room.ledger.evidence.clone(),
            said: said.collect(),
            context: room.context.clone(),
        }
    }

    /// The caller's answer to this question, where it was put before.
    pub fn given(&self, question: &str) -> Option<&GivenContext> {
        let asked = self.context.iter().rev();
        asked.filter(|it| same_question(&it.question, question)).find_map(|it| it.given.as_ref())
    }

    /// True where a seat has held the debate up in this round before.
    pub fn was_held_up(&self, ask: &AskId) -> bool {
        let seat = ask.party.seat();
        self.context.iter().any(|it| {
            Some(it.seat) == seat && it.round == ask.round && it.priority == Priority::Required
        })
    }
}

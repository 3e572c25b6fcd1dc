//! A debate with what its documents need beside the room: id, dates, notices and the
//! numbers of its sources.

use debate::model::{DebateLink, Room, RoundAnalysis, SeatId, Verdict};
use engine::export::{ExportedDebate, Notice, SourceNumbering, notices};

use crate::document::words::{count, day};

pub struct ReportedDebate<'a> {
    pub id: &'a str,
    pub room: &'a Room,
    pub notices: Vec<Notice>,
    /// Milliseconds since 1970, UTC; 0 where they are not known.
    pub created: i64,
    pub updated: i64,
    /// The numbers that citations have in the one list of sources.
    pub numbering: Option<SourceNumbering>,
    /// The debate it comes after and those that come after it.
    pub links: Vec<DebateLinkLine>,
}

/// A linked debate with the words that lead to it.
#[derive(Debug, Clone)]
pub struct DebateLinkLine {
    pub how: String,
    pub id: String,
    pub topic: String,
}

fn links(exported: &ExportedDebate) -> Vec<DebateLinkLine> {
    let earlier = exported.room().brief.after.as_ref().map(|earlier| DebateLinkLine {
        how: match earlier.link {
            DebateLink::FollowUp => "A further question to".into(),
            DebateLink::SameQuestion => "The same question as".into(),
            DebateLink::Fork { round } => format!("Branched off after round {round} of"),
        },
        id: earlier.id.clone(),
        topic: earlier.topic.clone(),
    });
    let later = exported.followers.iter().map(|one| DebateLinkLine {
        how: "Followed by".into(),
        id: one.id.clone(),
        topic: one.topic.clone(),
    });
    earlier.into_iter().chain(later).collect()
}

impl<'a> ReportedDebate<'a> {
    pub fn of(exported: &'a ExportedDebate) -> ReportedDebate<'a> {
        ReportedDebate {
            id: &exported.id,
            room: exported.room(),
            notices: exported.notices.clone(),
            created: exported.created,
            updated: exported.updated,
            numbering: Some(exported.numbering()),
            links: links(exported),
        }
    }

    /// The same of a room alone, without the answers of its rounds.
    pub fn of_room(id: &'a str, room: &'a Room) -> ReportedDebate<'a> {
        let notices = notices::notices(room);
        ReportedDebate {
            id,
            room,
            notices,
            created: 0,
            updated: 0,
            numbering: None,
            links: Vec::new(),
        }
    }

    pub fn verdict(&self) -> Option<&'a Verdict> {
        self.room.verdict.as_ref()
    }

    /// The analysis of the last round that has one.
    pub fn last_analysis(&self) -> Option<&'a RoundAnalysis> {
        self.room.rounds.iter().rev().find_map(|record| record.analysis.as_ref())
    }

    pub fn name(&self, seat: SeatId) -> &'a str {
        self.room.seats.get(seat.index()).map_or("", |seat| seat.name.as_str())
    }

    pub fn names(&self, seats: &[SeatId]) -> String {
        seats.iter().map(|seat| self.name(*seat)).collect::<Vec<_>>().join(", ")
    }

    /// Mode, rounds, agents, date and status.
    pub fn facts(&self) -> Vec<String> {
        vec![
            self.room.brief.mode.clone(),
            count(self.room.rounds.len(), "round"),
            count(self.room.seats.len(), "agent"),
            day(self.created),
            self.room.status.word().into(),
        ]
    }
}

//! The propositions at issue, which keep their ids through the rounds: what the
//! clerk is shown of them, and the ids of those it adds.

use crate::model::{ClerkConsensus, Proposition, PropositionId, Room, Round, Side};
use crate::sorting::SortRows;

/// The most propositions that are open at a time.
pub(super) const MOST_OPEN: usize = 9;

/// The propositions of the rounds before this one, each as it was last judged, in
/// order of their ids.
pub(super) fn known(room: &Room, before: Round) -> Vec<Proposition> {
    let mut known: Vec<Proposition> = Vec::new();
    let tables = room.rounds.iter().filter(|round| round.number < before);
    for table in tables.filter_map(|round| round.stands.as_ref()?.as_ref().ok()) {
        for row in table.propositions.iter().filter(|row| row.id.is_some()) {
            known.retain(|other| other.id != row.id);
            known.push(row.clone());
        }
    }
    known.sort_rows_by_key(|row| row.id);
    known
}

/// The propositions that are still open before a round, one line each.
pub(super) fn open_list(room: &Room, before: Round) -> String {
    let known = known(room, before);
    let open = known.iter().filter(|row| !row.settled);
    let line = |row: &Proposition| Some(format!("{}: {}", row.id?, row.text));
    open.filter_map(line).collect::<Vec<String>>().join("\n")
}

/// Gives each proposition of a new table the id it had before or the next one.
/// Settled propositions stay in the table with the stands of their last judgement,
/// so that a table does not look less united when a point is closed.
pub(super) fn numbered(mut table: ClerkConsensus, known: &[Proposition]) -> ClerkConsensus {
    let mut rows: Vec<Proposition> = Vec::new();
    let mut next = known.iter().filter_map(|row| row.id).map(|id| id.0).max().unwrap_or(0);
    for row in table.propositions {
        let before = known.iter().find(|other| {
            other.id.is_some() && (other.id == row.id || same_words(&other.text, &row.text))
        });
        let row = match before {
            Some(before) => Proposition { id: before.id, text: before.text.clone(), ..row },
            None => {
                let open = rows.iter().filter(|row| !row.settled).count();
                if open >= MOST_OPEN {
                    continue;
                }
                next += 1;
                Proposition { id: Some(PropositionId(next)), ..row }
            }
        };
        let settled = row.settled && is_settled(&row);
        if rows.iter().all(|other| other.id != row.id) {
            rows.push(Proposition { settled, ..row });
        }
    }
    for settled in known.iter().filter(|row| row.settled) {
        if rows.iter().all(|row| row.id != settled.id) {
            rows.push(settled.clone());
        }
    }
    rows.sort_rows_by_key(|row| row.id);
    table.propositions = rows;
    table
}

/// Returns whether every seat takes the same side, whatever the clerk calls it.
fn is_settled(row: &Proposition) -> bool {
    let mut sides = row.stands.iter().map(|stand| stand.side);
    let first = sides.next();
    first.is_some_and(|first| first != Side::Open && sides.all(|side| side == first))
}

fn same_words(one: &str, other: &str) -> bool {
    let plain = |text: &str| -> String {
        let kept = text.chars().filter(|letter| letter.is_alphanumeric() || *letter == ' ');
        kept.collect::<String>().to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    plain(one) == plain(other)
}

//! The moves of the agents: lanes are answers, columns are rounds, an agent is a line. Only
//! a change of lane is a move. The same lines are drawn twice, wide and narrow.

use std::collections::BTreeMap;

use askama::Template;
use debate::model::{SeatId, Weighing};
use debate::sorting::SortRows;

use super::Sheet;
use super::signs::{LinkedText, SeatSign, SignMark, place};
use crate::document::escape::clean_line;

/// More answers than this share the last lane.
const MOST_LANES: usize = 4;
const OTHER: &str = "Other answers";
const SLOT: f64 = 36.0;
const LANE_PAD: f64 = 22.0;

#[derive(Template)]
#[template(path = "sheet_moved.html", whitespace = "preserve")]
pub struct MovedSheet {
    pub moves: usize,
    wide: LaneDrawing,
    narrow: LaneDrawing,
    lines: Vec<MovedLine>,
}

struct MovedLine {
    signs: Vec<SeatSign>,
    name: String,
    text: LinkedText,
}

/// One drawing of the lanes.
#[derive(Template)]
#[template(path = "lanes.html", whitespace = "preserve")]
struct LaneDrawing {
    label: String,
    width: String,
    height: String,
    columns: Vec<PlacedText>,
    lanes: Vec<LaneBox>,
    lines: Vec<AgentLine>,
    marks: Vec<SignMark>,
}

struct PlacedText {
    x: String,
    y: String,
    text: String,
    look: &'static str,
}

struct LaneBox {
    x: String,
    y: String,
    width: String,
    height: String,
    words: Vec<PlacedText>,
}

struct AgentLine {
    number: usize,
    path: String,
}

/// The sizes in which one drawing differs from the other.
struct LaneGeometry {
    width: f64,
    /// The left edge of the lanes.
    left: f64,
    first: f64,
    last: f64,
    gap: f64,
    /// Room above a lane for its name; 0 where names stand at the left.
    above: f64,
    letters: usize,
    most_words: usize,
}

const WIDE: LaneGeometry = LaneGeometry {
    width: 960.0,
    left: 216.0,
    first: 296.0,
    last: 880.0,
    gap: 14.0,
    above: 0.0,
    letters: 28,
    most_words: 4,
};
const NARROW: LaneGeometry = LaneGeometry {
    width: 330.0,
    left: 0.0,
    first: 36.0,
    last: 294.0,
    gap: 12.0,
    above: 22.0,
    letters: 46,
    most_words: 1,
};

/// The lane of each agent in each column.
struct LanePaths {
    columns: Vec<String>,
    lanes: Vec<String>,
    /// By agent: its seat and its lane in each column.
    agents: Vec<(SeatId, Vec<usize>)>,
}

impl MovedSheet {
    /// Nothing is drawn where nobody voted, or where there was one round only.
    pub fn of(sheet: &Sheet<'_>) -> Option<MovedSheet> {
        let weighing = &sheet.view.verdict()?.evidence.weighing;
        let paths = paths(sheet, weighing)?;
        let slots = slots(&paths);
        let label = label(sheet, weighing);
        Some(MovedSheet {
            moves: weighing.changes.len(),
            wide: draw(sheet, &paths, &slots, &WIDE, &label),
            narrow: draw(sheet, &paths, &slots, &NARROW, &label),
            lines: lines(sheet, weighing),
        })
    }
}

fn paths(sheet: &Sheet<'_>, weighing: &Weighing) -> Option<LanePaths> {
    let rounds = sheet.view.room.rounds.len();
    let shares = weighing.final_vote.iter().chain(&weighing.first_vote);
    let named = shares.map(|share| share.answer.clone());
    let changed = weighing.changes.iter().flat_map(|one| [one.to.clone(), one.from.clone()]);
    let mut lanes: Vec<String> = Vec::new();
    for answer in named.chain(changed) {
        if !lanes.contains(&answer) {
            lanes.push(answer);
        }
    }
    if lanes.len() > MOST_LANES {
        lanes.truncate(MOST_LANES - 1);
        lanes.push(OTHER.into());
    }
    let lane = |answer: &str| {
        lanes.iter().position(|one| one == answer).unwrap_or(lanes.len().saturating_sub(1))
    };
    let mut agents: Vec<(SeatId, Vec<usize>)> = Vec::new();
    for share in &weighing.first_vote {
        for seat in &share.seats {
            agents.push((*seat, vec![lane(&share.answer); rounds]));
        }
    }
    agents.sort_rows_by_key(|(seat, _)| *seat);
    agents.dedup_by_key(|(seat, _)| *seat);
    for change in &weighing.changes {
        let Some((_, path)) = agents.iter_mut().find(|(seat, _)| *seat == change.seat) else {
            continue;
        };
        for place in path.iter_mut().skip((change.round as usize).saturating_sub(1)) {
            *place = lane(&change.to);
        }
    }
    let columns = (1..=rounds).map(|round| match round {
        1 if weighing.first_vote_sealed => "Before the debate".into(),
        round => format!("Round {round}"),
    });
    let drawn = rounds > 1 && !agents.is_empty() && !lanes.is_empty();
    drawn.then(|| LanePaths { columns: columns.collect(), lanes, agents })
}

/// The slot of each agent inside its lane, by agent and column. An agent that stays keeps
/// its slot; one that comes takes the free slot nearest to where it came from.
fn slots(paths: &LanePaths) -> Vec<Vec<usize>> {
    let mut slots: Vec<Vec<usize>> = vec![Vec::new(); paths.agents.len()];
    for column in 0..paths.columns.len() {
        let mut taken: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let stays = |agent: &(SeatId, Vec<usize>)| {
            column > 0 && agent.1.get(column) == agent.1.get(column - 1)
        };
        for (index, agent) in paths.agents.iter().enumerate().filter(|(_, one)| stays(one)) {
            let slot = slots[index].last().copied().unwrap_or(0);
            taken.entry(agent.1[column]).or_default().push(slot);
            slots[index].push(slot);
        }
        let mut comers: Vec<usize> =
            (0..paths.agents.len()).filter(|index| !stays(&paths.agents[*index])).collect();
        // Those from further away take the outer slots, so that their lines do not cross.
        let origin = |index: &usize| {
            let from = column.checked_sub(1).map(|before| paths.agents[*index].1[before]);
            (from, slots[*index].last().copied())
        };
        comers.sort_rows_by_key(origin);
        let below = |index: &usize| {
            origin(index).0.is_some_and(|from| from > paths.agents[*index].1[column])
        };
        let (mut from_below, from_above): (Vec<usize>, Vec<usize>) =
            comers.iter().partition(|one| below(one));
        from_below.reverse();
        let taken_slots: Vec<(usize, usize)> = from_above
            .iter()
            .map(|index| (*index, false))
            .chain(from_below.iter().map(|index| (*index, true)))
            .map(|(index, upwards)| {
                let lane = paths.agents[index].1[column];
                let used = taken.entry(lane).or_default();
                let mut free = (0..capacity(paths, lane)).filter(|slot| !used.contains(slot));
                let slot = if upwards { free.next_back() } else { free.next() };
                let slot = slot.unwrap_or(used.len());
                used.push(slot);
                (index, slot)
            })
            .collect();
        for (index, slot) in taken_slots {
            slots[index].push(slot);
        }
    }
    slots
}

/// The most agents that a lane holds in any round.
fn capacity(paths: &LanePaths, lane: usize) -> usize {
    let held = |column: usize| {
        paths.agents.iter().filter(|(_, path)| path.get(column) == Some(&lane)).count()
    };
    (0..paths.columns.len()).map(held).max().unwrap_or(0).max(1)
}

fn draw(
    sheet: &Sheet<'_>,
    paths: &LanePaths,
    slots: &[Vec<usize>],
    size: &LaneGeometry,
    label: &str,
) -> LaneDrawing {
    let steps = (paths.columns.len() - 1).max(1) as f64;
    let x = |column: usize| size.first + (size.last - size.first) * column as f64 / steps;
    let mut tops = Vec::new();
    let mut y = 34.0;
    let mut lanes = Vec::new();
    for (index, answer) in paths.lanes.iter().enumerate() {
        y += size.above;
        let height = LANE_PAD + SLOT * capacity(paths, index) as f64;
        tops.push(y);
        lanes.push(LaneBox {
            x: place(size.left),
            y: place(y),
            width: place(size.width - size.left),
            height: place(height),
            words: words(answer, size, y, height),
        });
        y += height + size.gap;
    }
    let point = |agent: usize, column: usize| {
        let lane = paths.agents[agent].1[column];
        let slot = slots[agent].get(column).copied().unwrap_or(0);
        let top = tops.get(lane).copied().unwrap_or(0.0);
        (x(column), top + LANE_PAD / 2.0 + SLOT * (slot as f64 + 0.5))
    };
    let mut drawn = Vec::new();
    let mut marks = Vec::new();
    for (agent, (seat, path)) in paths.agents.iter().enumerate() {
        let sign = sheet.signs.seat(*seat);
        let points: Vec<(f64, f64)> = (0..path.len()).map(|column| point(agent, column)).collect();
        drawn.push(AgentLine { number: sign.number, path: curve(&points) });
        marks.extend(points.iter().map(|(x, y)| SignMark::lettered(&sign, *x, *y)));
    }
    let columns = paths.columns.iter().enumerate().map(|(column, name)| PlacedText {
        x: place(x(column)),
        y: "16".into(),
        text: column_name(name, column, paths.columns.len(), size),
        look: "strong",
    });
    LaneDrawing {
        label: label.into(),
        width: place(size.width),
        height: place(y),
        columns: columns.collect(),
        lanes,
        lines: drawn,
        marks,
    }
}

/// A column's name, shorter where columns are close together.
fn column_name(name: &str, column: usize, columns: usize, size: &LaneGeometry) -> String {
    let room = (size.last - size.first) / (columns.max(2) - 1) as f64;
    if room >= 120.0 {
        name.into()
    } else if column == 0 && room > 50.0 {
        "Before".into()
    } else if room > 60.0 {
        name.into()
    } else {
        (column + 1).to_string()
    }
}

fn curve(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        match index.checked_sub(1).and_then(|before| points.get(before)) {
            None => path.push_str(&format!("M{} {}", place(*x), place(*y))),
            Some((from_x, from_y)) => {
                let middle = place((from_x + x) / 2.0);
                let (from_y, x, y) = (place(*from_y), place(*x), place(*y));
                path.push_str(&format!(" C{middle} {from_y} {middle} {y} {x} {y}"));
            }
        }
    }
    path
}

/// The name of a lane, in lines that fit beside or above it.
fn words(answer: &str, size: &LaneGeometry, top: f64, height: f64) -> Vec<PlacedText> {
    let mut lines: Vec<String> =
        textwrap::wrap(&clean_line(answer), size.letters).iter().map(ToString::to_string).collect();
    if lines.len() > size.most_words {
        lines.truncate(size.most_words);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    let (x, first) = if size.above > 0.0 {
        (2.0, top - 8.0)
    } else {
        (0.0, top + height / 2.0 - 8.0 * (lines.len() as f64 - 1.0) + 4.0)
    };
    let line = |(index, text): (usize, String)| PlacedText {
        x: place(x),
        y: place(first + 16.0 * index as f64),
        text,
        look: "lane-name",
    };
    lines.into_iter().enumerate().map(line).collect()
}

/// The drawing in words.
fn label(sheet: &Sheet<'_>, weighing: &Weighing) -> String {
    if weighing.changes.is_empty() {
        return "No agent changed its answer.".into();
    }
    let one = |change: &debate::model::ChangeOfMind| {
        let name = sheet.view.name(change.seat);
        format!("{name} moved from {} to {} in round {}.", change.from, change.to, change.round)
    };
    weighing.changes.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn lines(sheet: &Sheet<'_>, weighing: &Weighing) -> Vec<MovedLine> {
    let ledger = &sheet.view.room.ledger;
    let card = sheet.view.verdict().map(|verdict| verdict.card.moved.as_slice());
    let mut lines: Vec<MovedLine> = Vec::new();
    for change in card.unwrap_or_default() {
        let text = format!(
            "moved in round {} from “{}” to “{}”, {}.",
            change.round,
            change.from.trim_end_matches('.'),
            change.to.trim_end_matches('.'),
            change.by
        );
        lines.push(MovedLine {
            signs: vec![sheet.signs.named(&change.agent)],
            name: change.agent.clone(),
            text: LinkedText::of(&text, ledger),
        });
    }
    let moved: Vec<SeatId> = weighing.changes.iter().map(|change| change.seat).collect();
    let voters = weighing.first_vote.iter().flat_map(|share| share.seats.iter().copied());
    let mut kept: Vec<SeatId> = voters.filter(|seat| !moved.contains(seat)).collect();
    kept.sort();
    kept.dedup();
    if !kept.is_empty() {
        let names: Vec<String> =
            kept.iter().map(|seat| sheet.view.name(*seat).to_owned()).collect();
        lines.push(MovedLine {
            signs: sheet.signs.seats(&kept),
            name: debate::model::listed(&names),
            text: LinkedText::of(
                if kept.len() == 1 { "kept its answer." } else { "kept their answer." },
                ledger,
            ),
        });
    }
    lines
}

//! The panel under a running debate: one row per seat with what it is doing,
//! the words that are coming in, and a foot with keys or the line being typed.
//! It fits into whatever height and width there is, dropping the least first.

use std::time::Instant;

use anstyle::Style;
use debate::model::*;
use unicode_width::UnicodeWidthStr as _;

use super::table::{LiveTable, SeatActivity};
use crate::terminal::line::{StyledLine, tail};
use crate::terminal::page::{BAD, BOLD, DIM, GOOD, WARN, seat_style, thousands};
use crate::terminal::screen::Picture;
use crate::terminal::window::Size;

/// Names longer than this are cut.
const WIDEST_NAME: usize = 16;
/// Words in wider rows get lost.
const WIDEST_TEXT: usize = 110;
/// The rule beside the head is as wide as headings are.
const WIDEST_RULE: usize = 100;
/// Below this width a row is only words, without columns.
const NARROW: usize = 50;

/// The part below the seats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Foot {
    #[default]
    Nothing,
    /// Keys and what they do.
    Keys(Vec<(&'static str, &'static str)>),
    /// The line being typed, with the cursor before this letter.
    Prompt { label: String, text: String, cursor: usize },
    /// Waits for yes or no.
    Question(String),
    /// One row per key.
    Help(Vec<(&'static str, &'static str)>),
}

/// The level of detail for the seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Much {
    /// All of them, and so many rows of what each writes.
    All(usize),
    /// Those who are waited for; the others are counted.
    Active,
    Nobody,
}

const LESS_AND_LESS: [Much; 5] =
    [Much::All(2), Much::All(1), Much::All(0), Much::Active, Much::Nobody];

pub fn panel(
    table: &LiveTable,
    said: Option<&str>,
    foot: &Foot,
    size: Size,
    now: Instant,
) -> Picture {
    // The last row is left to the cursor, the last column to terminals that wrap there.
    let height = size.height.saturating_sub(1).max(1);
    let width = size.width.saturating_sub(1);
    let below = below(table, said, foot, width);
    let mut lines = Vec::new();
    for much in LESS_AND_LESS {
        lines = above(table, much, width, now);
        if lines.len() + below.lines.len() <= height {
            break;
        }
    }
    let foot_rows = below.lines.len();
    let cursor = below.cursor.map(|(row, column)| (foot_rows - row, column));
    lines.extend(below.lines);
    // What is typed is never dropped; of the rest the first rows go.
    let excess = lines.len().saturating_sub(height);
    lines.drain(..excess);
    let cursor = cursor.map(|(from_end, column)| (lines.len().saturating_sub(from_end), column));
    Picture { lines, cursor }
}

fn above(table: &LiveTable, much: Much, width: usize, now: Instant) -> Vec<StyledLine> {
    let mut lines = vec![head(table, width, now)];
    let widest = table.places.iter().map(|p| StyledLine::default().plain(&p.name).width()).max();
    let clerk_name = table.say("clerk");
    let clerk_width = if table.clerk.is_some() { clerk_name.width() } else { 0 };
    let names = widest.unwrap_or(0).max(clerk_width).clamp(5, WIDEST_NAME);
    for (seat, place) in table.places.iter().enumerate() {
        let active = place.doing.is_active();
        let rows = match much {
            Much::All(rows) => rows,
            Much::Active if active => 0,
            Much::Active | Much::Nobody => continue,
        };
        let waited = now.saturating_duration_since(place.since).as_secs();
        let name = (seat_style(seat), place.name.as_str());
        let looks = looks(table, &place.doing, now);
        lines.push(row(name, looks, names, width, active.then(|| clock(waited))));
        if let SeatActivity::Writing(stream) = &place.doing {
            let indent = if width < NARROW { 2 } else { names + 4 };
            let words = crate::document::escape::clean_line(stream.words());
            for part in tail(&words, width.min(WIDEST_TEXT).saturating_sub(indent), rows) {
                lines.push(StyledLine::default().up_to(indent).add(DIM, &part));
            }
        }
    }
    if let Some(clerk) = table.clerk.as_ref().filter(|_| much != Much::Nobody) {
        let waited = now.saturating_duration_since(clerk.since).as_secs();
        let line = StyledLine::default().plain("  ").add(DIM, &clerk_name).up_to(names + 4);
        let does = table.say(clerk_does(clerk.task));
        lines.push(line.plain("✎ ").plain(&does).add(DIM, &format!(" {}", clock(waited))));
    }
    if much == Much::Active {
        lines.extend(counted(table));
    }
    lines
}

fn head(table: &LiveTable, width: usize, now: Instant) -> StyledLine {
    let elapsed = now.saturating_duration_since(table.began).as_secs();
    let mut facts = Vec::new();
    facts.extend(table.is_example.then(|| "Scripted example".into()));
    let kind = match table.kind {
        RoundKind::Planned => "",
        RoundKind::Sample => " · sealed first answers",
        RoundKind::CriticalObjection => " · critical objections",
    };
    facts.push(match table.round {
        0 => "Opening".into(),
        round => format!("Round {round} of {}{kind}", table.rounds.max(round)),
    });
    facts.push(clock(elapsed));
    let (counted, coming) = table.tokens();
    match coming {
        0 if counted == 0 => {}
        0 => facts.push(format!("{} tokens", thousands(counted))),
        _ => facts.push(format!("about {} tokens", thousands(counted + coming))),
    }
    match (table.spent.cost, table.budget) {
        (MicroUsd::ZERO, _) => {}
        (cost, Some(budget)) => facts.push(format!("about {cost} of {budget}")),
        (cost, None) => facts.push(cost.to_string()),
    }
    let line = StyledLine::default().add(DIM, "── ").add(BOLD, &table.say(&facts.join(" · ")));
    let line = match &table.paused {
        Some(_) => line.add(DIM, " · ").add(WARN, &table.say("paused")),
        None => line,
    };
    let rule = width.min(WIDEST_RULE).saturating_sub(line.width() + 1);
    line.add(DIM, &format!(" {}", "─".repeat(rule)))
}

fn row(
    (name_style, name): (Style, &str),
    (sign, style, word, detail): (&str, Style, String, String),
    names: usize,
    width: usize,
    waited: Option<String>,
) -> StyledLine {
    let state = waited.map_or_else(|| word.clone(), |waited| format!("{word} {waited}"));
    let name = crate::terminal::line::cut(name, names);
    let line = StyledLine::default().plain("  ").add(name_style, &name);
    if width < NARROW {
        return line
            .plain(" ")
            .add(style, sign)
            .plain(" ")
            .plain(&state)
            .add(DIM, &format!(" {detail}"));
    }
    line.up_to(names + 4)
        .add(style, sign)
        .plain(" ")
        .plain(&format!("{state} "))
        .up_to(names + 6 + 16)
        .add(DIM, &detail)
}

/// Sign, its style, the state in one word, and what there is to say about it.
fn looks(
    table: &LiveTable,
    doing: &SeatActivity,
    now: Instant,
) -> (&'static str, Style, String, String) {
    let plain = Style::new();
    let (sign, style, word, detail) = match doing {
        SeatActivity::Nothing => (" ", DIM, "", String::new()),
        SeatActivity::Waiting => ("·", DIM, "waiting", "for its turn".into()),
        SeatActivity::Asked => ("·", plain, "asked", String::new()),
        SeatActivity::AskedAgain => {
            ("↻", WARN, "asked again", "its answer could not be used".into())
        }
        SeatActivity::Thinking => ("…", plain, "thinking", String::new()),
        SeatActivity::Searching(query) if query.is_empty() => {
            ("⌕", plain, "searching", String::new())
        }
        SeatActivity::Searching(query) => ("⌕", plain, "searching", format!("for “{query}”")),
        SeatActivity::Writing(stream) => {
            ("✎", GOOD, "writing", stream.field().unwrap_or_default().to_owned())
        }
        SeatActivity::Retrying { why, at } => {
            let left = at.saturating_duration_since(now).as_secs_f64().ceil() as u64;
            ("↻", WARN, "retrying", format!("in {left} s: {why}"))
        }
        SeatActivity::TakenOver(why) => ("↷", WARN, "fallback", why.clone()),
        SeatActivity::Held => ("⛨", plain, "checked", "before it enters the debate".into()),
        SeatActivity::Done(facts) => ("✓", GOOD, "done", facts.clone()),
        SeatActivity::Failed(why) => ("✗", BAD, "failed", why.clone()),
        SeatActivity::PersonsTurn => ("?", WARN, "your turn", "waiting for a person".into()),
        SeatActivity::Passed => ("–", DIM, "passed", String::new()),
        SeatActivity::Left => (" ", DIM, "left", "dropped by a person".into()),
    };
    (sign, style, table.say(word), table.say(&detail))
}

fn counted(table: &LiveTable) -> Option<StyledLine> {
    let count =
        |test: fn(&SeatActivity) -> bool| table.places.iter().filter(|p| test(&p.doing)).count();
    let rows = [
        (count(|doing| matches!(doing, SeatActivity::Done(_) | SeatActivity::Held)), "done"),
        (count(|doing| matches!(doing, SeatActivity::Failed(_))), "failed"),
        (count(|doing| matches!(doing, SeatActivity::Waiting)), "waiting"),
    ];
    let words: Vec<String> = rows
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {}", table.say(word)))
        .collect();
    (!words.is_empty()).then(|| StyledLine::default().add(DIM, &format!("  {}", words.join(" · "))))
}

fn below(table: &LiveTable, said: Option<&str>, foot: &Foot, width: usize) -> Picture {
    let mut picture = Picture::default();
    if let Some(said) = said {
        for part in textwrap::wrap(said, width.max(2)) {
            picture.lines.push(StyledLine::default().add(WARN, &part));
        }
    }
    match foot {
        Foot::Nothing => {}
        Foot::Keys(keys) => {
            let mut line = StyledLine::default();
            for (index, (key, does)) in keys.iter().enumerate() {
                let gap = if index == 0 { "" } else { "   " };
                line = line
                    .plain(gap)
                    .add(BOLD, &table.say(key))
                    .add(DIM, &format!(" {}", table.say(does)));
            }
            picture.lines.push(line);
        }
        Foot::Question(question) => {
            let line = StyledLine::default().add(WARN, &table.say(question));
            picture.cursor = Some((picture.lines.len(), line.width().min(width)));
            picture.lines.push(line);
        }
        Foot::Help(rows) => {
            for (key, does) in rows {
                let line = StyledLine::default().plain("  ").add(BOLD, &table.say(key)).up_to(12);
                picture.lines.push(line.plain(&table.say(does)));
            }
        }
        Foot::Prompt { label, text, cursor } => {
            prompt(&mut picture, &table.say(label), text, *cursor, width);
        }
    }
    picture
}

/// A long text is moved so that the cursor is always in sight.
fn prompt(picture: &mut Picture, label: &str, text: &str, cursor: usize, width: usize) {
    let label = if width < NARROW { "› ".into() } else { format!("{label} › ") };
    let line = StyledLine::default().add(BOLD, &label);
    let room = width.saturating_sub(line.width()).max(1);
    let before: String = text.chars().take(cursor).collect();
    let mut shown = StyledLine::default().plain(&before);
    let mut skipped = 0;
    while shown.width() >= room && skipped < cursor {
        skipped += 1;
        shown = StyledLine::default().plain(&before.chars().skip(skipped).collect::<String>());
    }
    picture.cursor = Some((picture.lines.len(), line.width() + shown.width()));
    let visible: String = text.chars().skip(skipped).collect();
    picture.lines.push(line.plain(&visible));
}

const CLERK_DOES: &[(Task, &str)] = &[
    (Task::Perspectives, "names perspectives for the topic"),
    (Task::Complexity, "rates how hard the topic is"),
    (Task::Safety, "checks an answer"),
    (Task::Recheck, "checks an answer again"),
    (Task::Summary, "sums up the round"),
    (Task::Consensus, "records who agrees with what"),
    (Task::Synthesis, "writes the synthesis"),
];

fn clerk_does(task: Task) -> &'static str {
    CLERK_DOES.iter().find(|(known, _)| *known == task).map_or("is at work", |(_, does)| does)
}

/// `0:07`, `12:40`, `1:02:03`.
fn clock(seconds: u64) -> String {
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests;

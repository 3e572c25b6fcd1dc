//! A line chart: rounds along, 0 to 1 up. Lines differ in colour and in stroke, each is
//! named at its end, and a table has the same figures.

use std::fmt::Write as _;

use debate::sorting::SortRows;

use crate::document::escape::html_line as plain;
use crate::document::markup::Markup;
use crate::document::model::{DataTable, SvgDrawing, TableRow};
use crate::document::phrase::Phrase;

const WIDTH: f64 = 450.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 34.0;
const RIGHT: f64 = 168.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 30.0;
/// The least distance between the names of two lines.
const APART: f64 = 15.0;
/// The number of colours and strokes.
const COLOURS: usize = 10;
const STROKES: usize = 5;

pub struct Series {
    pub name: String,
    /// By round; `None` where there is no figure.
    pub values: Vec<Option<f64>>,
}

/// A chart with its caption and its table; nothing where there is nothing to draw.
pub fn chart(anchor: &str, title: &str, caption: &str, series: &[Series]) -> Option<SvgDrawing> {
    let series: Vec<&Series> =
        series.iter().filter(|one| one.values.iter().any(Option::is_some)).collect();
    let rounds = series.iter().map(|one| one.values.len()).max().unwrap_or(0);
    if rounds == 0 {
        return None;
    }
    let mut out = format!(
        "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\">",
        plain(&in_words(title, &series))
    );
    grid(&mut out, rounds);
    let mut names = Vec::new();
    for (index, one) in series.iter().enumerate() {
        line(&mut out, one, index, rounds);
        let last =
            one.values.iter().enumerate().rev().find_map(|(at, value)| Some((at, (*value)?)));
        names.extend(last.map(|(_, value)| (up(value), index, one.name.as_str(), value)));
    }
    labels(&mut out, names);
    out.push_str("</svg>");
    Some(SvgDrawing {
        anchor: anchor.into(),
        title: title.into(),
        svg: Markup::of(out),
        caption: caption.into(),
        table: Some(table(title, &series, rounds)),
        wide: false,
    })
}

fn along(round: usize, rounds: usize) -> f64 {
    let room = WIDTH - LEFT - RIGHT;
    match rounds {
        0 | 1 => LEFT + room / 2.0,
        _ => LEFT + room * round as f64 / (rounds - 1) as f64,
    }
}

fn up(value: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - value.clamp(0.0, 1.0))
}

fn grid(out: &mut String, rounds: usize) {
    for step in 0..=4 {
        let value = f64::from(step) / 4.0;
        let y = up(value);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.2}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0
        );
    }
    // With many rounds only some get their number.
    let every = rounds.div_ceil(10);
    for round in (0..rounds).filter(|round| round % every == 0) {
        let _ = write!(
            out,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            along(round, rounds),
            HEIGHT - 8.0,
            if rounds == 1 { "round 1".into() } else { (round + 1).to_string() }
        );
    }
}

/// A missing figure interrupts the line; it is not drawn over.
fn line(out: &mut String, series: &Series, index: usize, rounds: usize) {
    let (colour, stroke) = (index % COLOURS, index % STROKES);
    let mut path = String::new();
    let mut pen = 'M';
    for (round, value) in series.values.iter().enumerate() {
        match value {
            Some(value) => {
                let _ = write!(path, "{pen}{:.1} {:.1}", along(round, rounds), up(*value));
                pen = 'L';
            }
            None => pen = 'M',
        }
    }
    let _ = write!(out, "<path class=\"series c{colour} d{stroke}\" d=\"{path}\"/>");
    for (round, value) in series.values.iter().enumerate() {
        let Some(value) = value else { continue };
        let _ = write!(
            out,
            "<circle class=\"mark c{colour}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4.5\"/>",
            along(round, rounds),
            up(*value)
        );
    }
}

/// The names at the right, moved apart so that none covers another.
fn labels(out: &mut String, mut names: Vec<(f64, usize, &str, f64)>) {
    names.sort_rows_by(|a, b| a.0.total_cmp(&b.0));
    let mut lowest = f64::MIN;
    let mut placed: Vec<f64> = Vec::new();
    for (y, ..) in &names {
        lowest = y.max(lowest + APART);
        placed.push(lowest);
    }
    // What was pushed out at the bottom goes up again.
    let mut most = HEIGHT - BOTTOM + 4.0;
    for y in placed.iter_mut().rev() {
        *y = y.min(most);
        most = *y - APART;
    }
    for ((_, index, name, value), y) in names.into_iter().zip(placed) {
        let x = WIDTH - RIGHT + 12.0;
        let short: String = name.chars().take(16).collect();
        let _ = write!(
            out,
            "<circle class=\"c{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{} {value:.2}</text>",
            index % COLOURS,
            x + 9.0,
            y + 4.0,
            plain(&short)
        );
    }
}

fn in_words(title: &str, series: &[&Series]) -> String {
    let mut text = format!("{title}.");
    for one in series {
        let values: Vec<String> = one
            .values
            .iter()
            .map(|value| value.map_or("none".into(), |value| format!("{value:.2}")))
            .collect();
        let _ = write!(text, " {}: {}.", one.name, values.join(", "));
    }
    text
}

fn table(title: &str, series: &[&Series], rounds: usize) -> DataTable {
    let names = series.iter().map(|one| one.name.clone());
    let row = |round: usize| {
        let cells = series.iter().map(|one| {
            let value = one.values.get(round).copied().flatten();
            Phrase::from(value.map_or("–".into(), |value| format!("{value:.2}")))
        });
        let head = Phrase::from(format!("Round {}", round + 1));
        TableRow { anchor: String::new(), cells: std::iter::once(head).chain(cells).collect() }
    };
    DataTable {
        name: format!("Figures: {title}"),
        head: std::iter::once("Round".to_owned()).chain(names).collect(),
        rows: (0..rounds).map(row).collect(),
    }
}

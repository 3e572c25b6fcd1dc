//! Three small panels over the rounds: agreement, stated confidence, and new sources,
//! each followed by its figures as a table for screen readers.

use askama::Template;
use debate::model::RoundRecord;
use debate::sorting::SortRows;

use super::Sheet;
use super::signs::{SeatSign, SignMark, place, whole};

/// The level of agreement that counts as high.
const HIGH: f64 = 0.70;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 212.0;
const TOP: f64 = 12.0;
const FLOOR: f64 = 140.0;
/// The least distance between two names at the end of a panel.
const NAME_GAP: f64 = 15.0;
/// The longest name that fits beside a panel.
const LONGEST_NAME: usize = 8;
/// Dashes by seat, so that lines differ without their colour.
const DASHES: [&str; 5] = ["", "7 4", "2 4", "10 3 2 3", "4 3"];

#[derive(Template)]
#[template(path = "sheet_curves.html", whitespace = "preserve")]
pub struct CurvesSheet {
    panels: Vec<CurvePanel>,
}

struct CurvePanel {
    title: &'static str,
    note: &'static str,
    grid: Vec<GridLine>,
    rounds: Vec<AxisText>,
    threshold: Option<(String, String)>,
    lines: Vec<CurveLine>,
    marks: Vec<SignMark>,
    dots: Vec<(String, String)>,
    values: Vec<AxisText>,
    names: Vec<AxisText>,
    columns: Vec<CurveColumn>,
    heads: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

struct GridLine {
    y: String,
    text_y: String,
    text: String,
}

struct AxisText {
    x: String,
    y: String,
    text: String,
}

struct CurveLine {
    look: String,
    points: String,
    dash: &'static str,
}

struct CurveColumn {
    x: String,
    y: String,
    width: String,
    height: String,
}

/// One line of a panel: its sign, its name and a value by round.
struct CurveSeries {
    sign: Option<SeatSign>,
    name: String,
    values: Vec<Option<f64>>,
}

impl CurvesSheet {
    pub fn of(sheet: &Sheet<'_>) -> Option<CurvesSheet> {
        let rounds = &sheet.view.room.rounds;
        if rounds.len() < 2 {
            return None;
        }
        let agreement = |record: &RoundRecord| {
            record.analysis.as_ref().and_then(|found| found.consensus.agreement_level)
        };
        let agreement = CurveSeries {
            sign: None,
            name: "Agreement".into(),
            values: rounds.iter().map(agreement).collect(),
        };
        let stated = |seat: &debate::model::Seat| CurveSeries {
            sign: Some(sheet.signs.seat(seat.id)),
            name: seat.name.clone(),
            values: rounds
                .iter()
                .map(|record| record.turn(seat.id).and_then(|turn| turn.answer.confidence))
                .collect(),
        };
        let confidence: Vec<CurveSeries> = sheet.view.room.seats.iter().map(stated).collect();
        let mut panels = Vec::new();
        if agreement.values.iter().flatten().next().is_some() {
            let mut panel =
                panel("Agreement, %", "Pairs with the same stand", &[agreement], 0.0, rounds.len());
            panel.threshold = Some((place(height(HIGH, 0.0)), place(height(HIGH, 0.0) + 4.0)));
            panels.push(panel);
        }
        if confidence.iter().any(|one| one.values.iter().flatten().next().is_some()) {
            let least = confidence.iter().flat_map(|one| one.values.iter().flatten()).copied();
            let base = if least.fold(1.0, f64::min) >= 0.5 { 0.5 } else { 0.0 };
            let note = "As each agent stated it";
            panels.push(panel("Confidence, %", note, &confidence, base, rounds.len()));
        }
        panels.push(columns(rounds));
        Some(CurvesSheet { panels })
    }
}

fn across(round: usize, rounds: usize) -> f64 {
    LEFT + (RIGHT - LEFT) * round as f64 / (rounds.max(2) - 1) as f64
}

fn height(value: f64, base: f64) -> f64 {
    FLOOR - (FLOOR - TOP) * ((value - base) / (1.0 - base)).clamp(0.0, 1.0)
}

fn panel(
    title: &'static str,
    note: &'static str,
    series: &[CurveSeries],
    base: f64,
    rounds: usize,
) -> CurvePanel {
    let mut panel = CurvePanel {
        title,
        note,
        grid: grid(base),
        rounds: axis(rounds, |round| across(round, rounds)),
        threshold: None,
        lines: Vec::new(),
        marks: Vec::new(),
        dots: Vec::new(),
        values: Vec::new(),
        names: Vec::new(),
        columns: Vec::new(),
        heads: (1..=rounds).map(|round| format!("Round {round}")).collect(),
        rows: Vec::new(),
    };
    for (index, one) in series.iter().enumerate() {
        let known = one.values.iter().enumerate();
        let points: Vec<(usize, f64)> =
            known.filter_map(|(round, value)| Some((round, (*value)?))).collect();
        let at = |(round, value): &(usize, f64)| (across(*round, rounds), height(*value, base));
        let text = |point: &(usize, f64)| {
            let (x, y) = at(point);
            format!("{},{}", place(x), place(y))
        };
        panel.lines.push(CurveLine {
            look: one
                .sign
                .as_ref()
                .map_or_else(|| "plain".into(), |sign| format!("a{}", sign.number)),
            points: points.iter().map(text).collect::<Vec<_>>().join(" "),
            dash: if one.sign.is_some() { DASHES[index % DASHES.len()] } else { "" },
        });
        for point in &points {
            let (x, y) = at(point);
            match &one.sign {
                Some(sign) => panel.marks.push(SignMark::small(sign, x, y)),
                None => panel.dots.push((place(x), place(y))),
            }
        }
        if one.sign.is_none() {
            panel.values = values(&points, at);
        }
        if let Some(last) = points.last() {
            let name: String = one.name.chars().take(LONGEST_NAME).collect();
            let text = match one.sign {
                Some(_) => format!("{name} {}", whole(last.1)),
                None => format!("{}\u{a0}%", whole(last.1)),
            };
            let (x, y) = (place(RIGHT + 10.0), place(at(last).1 + 4.0));
            panel.names.push(AxisText { x, y, text });
        }
        let cell = |value: &Option<f64>| value.map_or_else(|| "–".into(), |v| whole(v).to_string());
        panel.rows.push((one.name.clone(), one.values.iter().map(cell).collect()));
    }
    apart(&mut panel.names);
    panel
}

/// Values written at all points but the last, which has its own name.
fn values(points: &[(usize, f64)], at: impl Fn(&(usize, f64)) -> (f64, f64)) -> Vec<AxisText> {
    let before = points.split_last().map_or(&[][..], |(_, before)| before);
    let few = before.len() <= 6;
    let text = |point: &(usize, f64)| {
        let (x, y) = at(point);
        let y = if y < TOP + 26.0 { y + 20.0 } else { y - 10.0 };
        AxisText { x: place(x), y: place(y), text: whole(point.1).to_string() }
    };
    before.iter().filter(|_| few).map(text).collect()
}

/// Moves names apart that would stand on one another.
fn apart(names: &mut [AxisText]) {
    let read = |name: &AxisText| name.y.parse::<f64>().unwrap_or(0.0);
    names.sort_rows_by(|one, other| read(one).total_cmp(&read(other)));
    let mut free = TOP;
    for name in names.iter_mut() {
        let y = read(name).max(free);
        name.y = place(y);
        free = y + NAME_GAP;
    }
    let mut ceiling = FLOOR + 8.0;
    for name in names.iter_mut().rev() {
        let y = read(name).min(ceiling);
        name.y = place(y);
        ceiling = y - NAME_GAP;
    }
}

fn grid(base: f64) -> Vec<GridLine> {
    let line = |value: f64| {
        let y = height(value, base);
        GridLine { y: place(y), text_y: place(y + 4.0), text: whole(value).to_string() }
    };
    [base, (1.0 + base) / 2.0, 1.0].into_iter().map(line).collect()
}

fn axis(rounds: usize, x: impl Fn(usize) -> f64) -> Vec<AxisText> {
    let every = rounds.div_ceil(10).max(1);
    let text = |round: usize| AxisText {
        x: place(x(round)),
        y: "160".into(),
        text: if round == 0 { "Round 1".into() } else { (round + 1).to_string() },
    };
    (0..rounds).filter(|round| round % every == 0).map(text).collect()
}

/// Sources that were first cited in each round.
fn columns(rounds: &[RoundRecord]) -> CurvePanel {
    let counts: Vec<usize> = rounds.iter().map(|record| record.new_evidence.len()).collect();
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = 246.0 / counts.len() as f64;
    let middle = |index: usize| 28.0 + step * (index as f64 + 0.5);
    let width = (step * 0.62).min(48.0);
    let tall = |count: usize| 112.0 * count as f64 / most;
    let column = |(index, count): (usize, &usize)| CurveColumn {
        x: place(middle(index) - width / 2.0),
        y: place(FLOOR - tall(*count)),
        width: place(width),
        height: place(tall(*count)),
    };
    let value = |(index, count): (usize, &usize)| AxisText {
        x: place(middle(index)),
        y: place(FLOOR - tall(*count) - 7.0),
        text: count.to_string(),
    };
    CurvePanel {
        title: "New sources",
        note: "First cited in each round",
        grid: Vec::new(),
        rounds: axis(counts.len(), middle),
        threshold: None,
        lines: Vec::new(),
        marks: Vec::new(),
        dots: Vec::new(),
        values: counts.iter().enumerate().map(value).collect(),
        names: Vec::new(),
        columns: counts.iter().enumerate().map(column).collect(),
        heads: (1..=counts.len()).map(|round| format!("Round {round}")).collect(),
        rows: vec![("New sources".into(), counts.iter().map(ToString::to_string).collect())],
    }
}

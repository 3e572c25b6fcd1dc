//! Charts as SVG drawn here, without script or anything from elsewhere: ranges
//! with their dots, and confidence against how often it was right. Every figure
//! in them stands in a table beside them as well.

use std::fmt::Write as _;

use debate::model::CurvePoint;

use crate::document::escape::html as escape;
use crate::document::markup::Markup;

const WIDTH: f64 = 690.0;
const NAMES: f64 = 240.0;
const ROW: f64 = 26.0;
const SIDE: f64 = 320.0;
const MARGIN: f64 = 44.0;

/// One line of a chart of ranges, all from 0 to 1.
pub struct Range {
    pub name: String,
    pub prior: f64,
    pub mean: f64,
    pub used: f64,
    pub interval: [f64; 2],
}

/// For each row the 90 % interval, the mean, what is used and where it started.
pub fn ranges(rows: &[Range], label: &str) -> Markup {
    let height = ROW * rows.len() as f64 + 40.0;
    let x = |share: f64| NAMES + share.clamp(0.0, 1.0) * (WIDTH - NAMES - 20.0);
    let mut svg = open(WIDTH, height, label);
    for tick in 0..=4 {
        let share = f64::from(tick) / 4.0;
        let (at, bottom) = (x(share), height - 28.0);
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"4\" y2=\"{bottom:.1}\" stroke=\"#8884\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\">{share:.2}</text>",
            height - 12.0
        );
    }
    for (index, row) in rows.iter().enumerate() {
        let y = ROW * index as f64 + ROW / 2.0 + 4.0;
        let [low, high] = row.interval.map(x);
        let (name, prior) = (escape(&short(&row.name)), x(row.prior));
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"13\">{name}</text>\
             <line x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#3b7dd8\" stroke-width=\"4\" stroke-opacity=\".45\"/>\
             <line x1=\"{prior:.1}\" x2=\"{prior:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#888\" stroke-width=\"2\"/>",
            NAMES - 10.0,
            y + 4.0,
            y - 8.0,
            y + 8.0
        );
        let _ = write!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"#3b7dd8\"/>\
             <circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" stroke=\"#d8783b\" stroke-width=\"2\"/>",
            x(row.mean),
            x(row.used)
        );
    }
    svg.push_str("</svg>");
    Markup::of(svg)
}

/// Dots: what was stated and how often it was right; the curve: how it is read.
pub fn calibration(points: &[CurvePoint], read: impl Fn(f64) -> f64, label: &str) -> Markup {
    let place = |share: f64| share.clamp(0.0, 1.0) * (SIDE - 2.0 * MARGIN);
    let x = |share: f64| MARGIN + place(share);
    let y = |share: f64| SIDE - MARGIN - place(share);
    let mut svg = open(SIDE, SIDE, label);
    for tick in 0..=4 {
        let share = f64::from(tick) / 4.0;
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\">{share:.2}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\">{share:.2}</text>",
            x(share),
            SIDE - MARGIN + 16.0,
            MARGIN - 6.0,
            y(share) + 4.0
        );
    }
    let _ = write!(
        svg,
        "<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{0:.1}\" height=\"{0:.1}\" fill=\"none\" stroke=\"#8886\"/>\
         <line x1=\"{1:.1}\" y1=\"{2:.1}\" x2=\"{3:.1}\" y2=\"{4:.1}\" stroke=\"#888\" stroke-dasharray=\"4 4\"/>",
        SIDE - 2.0 * MARGIN,
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    );
    let curve: Vec<String> = (1..100)
        .map(|percent| f64::from(percent) / 100.0)
        .map(|stated| format!("{:.1},{:.1}", x(stated), y(read(stated))))
        .collect();
    let _ = write!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#d8783b\" stroke-width=\"2\"/>",
        curve.join(" ")
    );
    for point in points {
        let radius = (3.0 + f64::from(point.count).sqrt()).min(12.0);
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#3b7dd8\" stroke-opacity=\".5\" stroke-width=\"2\"/>\
             <circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"#3b7dd8\" fill-opacity=\".7\"/>",
            y(point.interval[0]),
            y(point.interval[1]),
            y(point.right),
            at = x(point.stated)
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\">stated</text>\
         <text x=\"14\" y=\"{:.1}\" font-size=\"12\">right</text></svg>",
        SIDE / 2.0,
        SIDE - 8.0,
        MARGIN - 14.0
    );
    Markup::of(svg)
}

fn open(width: f64, height: f64, label: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" \
         viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         fill=\"currentColor\" font-family=\"system-ui,sans-serif\">",
        escape(label)
    )
}

fn short(name: &str) -> String {
    const MOST: usize = 30;
    if name.chars().count() > MOST {
        name.chars().take(MOST - 1).chain(['…']).collect()
    } else {
        name.to_owned()
    }
}

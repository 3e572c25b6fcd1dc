//! The recording in the README: the real program in a pseudo-terminal, as an animated SVG.
//! `tools/recording` makes it again; here its last picture is compared with the program's.
#![cfg(unix)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::screen::pty::{Terminal, TextRun, mask};
use crate::support::Home;

const EXAMPLE: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";
const SIZE: (u16, u16) = (80, 30);
/// Pictures are taken so often, and the last one stays so long.
const EVERY: Duration = Duration::from_millis(300);
const LAST: Duration = Duration::from_secs(8);
/// The size of a letter's cell, in pixels.
const CELL: (f64, f64) = (8.4, 18.0);
/// The colours of the eight names that a terminal has, on a dark ground.
const COLOURS: [(&str, &str); 8] = [
    ("black", "#20242c"),
    ("red", "#f07178"),
    ("green", "#a5d46a"),
    ("yellow", "#ffcb6b"),
    ("blue", "#82aaff"),
    ("magenta", "#d7a1f9"),
    ("cyan", "#7fdbda"),
    ("white", "#e6e6e6"),
];

fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/recording.svg")
}

/// One picture: its rows, and for how long it is shown.
struct Frame {
    rows: Vec<Vec<TextRun>>,
    shown: Duration,
}

/// Runs the example and takes pictures until it ends.
fn recorded(home: &Home, pace: &str) -> Vec<Frame> {
    let mut variables = home.variables();
    variables.push(("ROUNDTABLE_HURRY", pace.into()));
    let line = format!("echo '$ roundtable \"{EXAMPLE}\"'; \"$ROUNDTABLE\" \"{EXAMPLE}\"");
    let mut terminal = Terminal::coloured_shell(home.path(), &variables, &line, SIZE);
    let mut frames: Vec<Frame> = Vec::new();
    let mut taken = Instant::now();
    while terminal.is_running() {
        std::thread::sleep(EVERY);
        let rows = terminal.runs();
        let (shown, now) = (taken.elapsed(), Instant::now());
        taken = now;
        match frames.last_mut().filter(|last| last.rows == rows) {
            Some(last) => last.shown += shown,
            None => frames.push(Frame { rows, shown }),
        }
    }
    assert_eq!(terminal.end(), 0, "{}", terminal.whole());
    frames.push(Frame { rows: terminal.runs(), shown: LAST });
    frames
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn class(run: &TextRun) -> String {
    let colour = COLOURS.iter().find(|(name, _)| run.look.contains(name)).map(|(name, _)| *name);
    let marks = ["bold", "dim"].into_iter().filter(|mark| run.look.contains(mark));
    colour.into_iter().chain(marks).collect::<Vec<_>>().join(" ")
}

fn drawn(frames: &[Frame]) -> String {
    let (columns, rows) = SIZE;
    let (width, height) = (f64::from(columns) * CELL.0 + 24.0, f64::from(rows) * CELL.1 + 24.0);
    let whole: f64 = frames.iter().map(|frame| frame.shown.as_secs_f64()).sum();
    let mut style = String::new();
    for (name, colour) in COLOURS {
        let _ = write!(style, ".{name}{{fill:{colour}}}");
    }
    let (mut steps, mut pictures, mut at) = (String::new(), String::new(), 0.0);
    for (number, frame) in frames.iter().enumerate() {
        let top = number as f64 * height;
        let _ = write!(steps, "{:.2}%{{transform:translateY(-{top:.0}px)}}", at / whole * 100.0);
        at += frame.shown.as_secs_f64();
        let _ = writeln!(pictures, "<g transform=\"translate(12 {:.0})\">", top + 24.0);
        for (line, row) in frame.rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
            let y = line as f64 * CELL.1;
            let _ = write!(pictures, "<text y=\"{y:.0}\">");
            for run in row {
                let x = run.column as f64 * CELL.0;
                let (class, text) = (class(run), escaped(&run.text));
                let _ = write!(pictures, "<tspan x=\"{x:.1}\" class=\"{class}\">{text}</tspan>");
            }
            pictures.push_str("</text>\n");
        }
        pictures.push_str("</g>\n");
    }
    let last = (frames.len() - 1) as f64 * height;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\" aria-label=\"A debate in the terminal\">\n<style>text{{font:14px ui-monospace,Menlo,\
         Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:#e6e6e6}}.bold{{font-weight:bold}}\
         .dim{{opacity:.6}}{style}.film{{animation:film {whole:.1}s steps(1,end) infinite}}@keyframes film{{\
         {steps}}}@media (prefers-reduced-motion:reduce){{.film{{animation:none;transform:\
         translateY(-{last:.0}px)}}}}</style>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#20242c\"/>\n\
         <g class=\"film\">\n{pictures}</g>\n</svg>\n"
    )
}

/// The words of the last picture of a recording, without times and ids.
fn last_words(svg: &str) -> String {
    let last = svg.rsplit("<g transform=").next().unwrap();
    let mut words = String::new();
    for line in last.split("<text ").skip(1) {
        let mut inside = true;
        for letter in line.chars() {
            match letter {
                '<' => inside = true,
                '>' if inside => inside = false,
                letter if !inside => words.push(letter),
                _ => {}
            }
        }
        let trimmed = words.trim_end().len();
        words.truncate(trimmed);
        words.push('\n');
    }
    mask(&words)
}

/// Covers: 13.2-recording
#[test]
fn the_recording_ends_as_the_program_does() {
    let home = Home::new();
    if std::env::var("UPDATE_RECORDING").is_ok() {
        std::fs::write(place(), drawn(&recorded(&home, ""))).unwrap();
        return;
    }
    let stored = std::fs::read_to_string(place()).unwrap();
    let now = drawn(&recorded(&home, "1"));
    assert_eq!(last_words(&stored), last_words(&now), "make it again with tools/recording");
    assert!(stored.matches("<g transform=").count() > 30, "it hardly moves");
    assert!(stored.contains("Round 1 of 3"), "the live view is not in it");
}

//! A terminal that breaks its rows anew when it gets another width, as most do
//! today: what was one row becomes several, and the cursor goes with its text. It
//! keeps no colours.

use std::num::NonZeroU16;

/// Everything that can be scrolled to and everything on the screen, row by row, with
/// whether each goes on in the next one.
pub fn rows(parser: &mut vt100::Parser) -> Vec<(String, bool)> {
    let (height, columns) = parser.screen().size();
    let row = |parser: &vt100::Parser, at: u16| {
        let text = parser.screen().rows(0, columns.get()).nth(at.into()).unwrap_or_default();
        (text, parser.screen().row_wrapped(at))
    };
    let mut all = Vec::new();
    for back in (1..=parser.screen().scrollback_len()).rev() {
        parser.screen_mut().set_scrollback(back);
        all.push(row(parser, 0));
    }
    parser.screen_mut().set_scrollback(0);
    all.extend((0..height.get()).map(|at| row(parser, at)));
    all
}

/// The same text on a screen of another size.
pub fn reflowed(old: &mut vt100::Parser, columns: u16, height: u16) -> vt100::Parser {
    let rows = rows(old);
    let screen = old.screen();
    let (at, column) = screen.cursor_position();
    let cursor = screen.scrollback_len() + usize::from(at);
    // Lines as they were written, and where in them the cursor is.
    let mut lines: Vec<String> = vec![String::new()];
    let mut found = (0, 0);
    for (index, (text, goes_on)) in rows.iter().enumerate() {
        let line = lines.len() - 1;
        if index == cursor {
            found = (line, lines[line].chars().count() + usize::from(column));
        }
        lines[line].push_str(text);
        if !goes_on {
            lines.push(String::new());
        }
    }
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(0).max(found.0);
    lines.truncate(last + 1);
    let width = usize::from(columns);
    let taken = |line: &String| line.trim_end().chars().count().div_ceil(width).max(1);
    let cells = |n| NonZeroU16::new(n).unwrap();
    let mut new = vt100::Parser::new(cells(height), cells(columns), 1_000);
    let text: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    new.process(text.join("\r\n").as_bytes());
    let below: usize = lines[found.0..].iter().map(taken).sum();
    let up = (below - 1).saturating_sub(found.1 / width);
    if up > 0 {
        new.process(format!("\x1b[{up}A").as_bytes());
    }
    new.process(format!("\x1b[{}G", found.1 % width + 1).as_bytes());
    let modes = [(screen.hide_cursor(), "\x1b[?25l"), (screen.bracketed_paste(), "\x1b[?2004h")];
    for (_, mode) in modes.iter().filter(|(on, _)| *on) {
        new.process(mode.as_bytes());
    }
    new
}

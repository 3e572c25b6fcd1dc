//! The real binary in a pseudo-terminal, and the picture a person would see:
//! as plain text, or with its colours written out. Times and ids are masked, so
//! that a picture is the same every time.
#![allow(dead_code, reason = "each suite uses its own part of this")]

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use proof::Deadline;

pub struct Terminal {
    child: Box<dyn portable_pty::Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    parser: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
    reader: Option<std::thread::JoinHandle<()>>,
    before: String,
}

/// A piece of a row that looks alike, from this column on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextRun {
    pub column: usize,
    /// Its colour and weight in words.
    pub look: String,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    On,
    Off,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

/// True where every thread of the program waits for something.
fn is_idle(program: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{program}/task")).unwrap();
    threads.flatten().all(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The name in brackets may hold anything; the state follows it.
        stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('S'))
    })
}

impl Terminal {
    pub fn start(
        home: &Path,
        variables: &[(&str, PathBuf)],
        args: &[&str],
        size: (u16, u16),
        colour: Colour,
    ) -> Terminal {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_roundtable"));
        command.args(args);
        Terminal::open(command, home, variables, size, colour)
    }

    /// A line for the shell, which finds the program as `$ROUNDTABLE`.
    pub fn shell(home: &Path, variables: &[(&str, PathBuf)], line: &str) -> Terminal {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", line]);
        let mut variables = variables.to_vec();
        variables.push(("ROUNDTABLE", env!("CARGO_BIN_EXE_roundtable").into()));
        variables.push(("PATH", std::env::var("PATH").unwrap().into()));
        Terminal::open(command, home, &variables, (80, 40), Colour::Off)
    }

    /// The same in colour and at another size.
    pub fn coloured_shell(
        home: &Path,
        variables: &[(&str, PathBuf)],
        line: &str,
        size: (u16, u16),
    ) -> Terminal {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", line]);
        let mut variables = variables.to_vec();
        variables.push(("ROUNDTABLE", env!("CARGO_BIN_EXE_roundtable").into()));
        variables.push(("PATH", std::env::var("PATH").unwrap().into()));
        Terminal::open(command, home, &variables, size, Colour::On)
    }

    fn open(
        mut command: CommandBuilder,
        home: &Path,
        variables: &[(&str, PathBuf)],
        (columns, rows): (u16, u16),
        colour: Colour,
    ) -> Terminal {
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        command.env_clear();
        for (name, value) in variables {
            command.env(name, value);
        }
        command.env("TERM", "xterm-256color");
        // Nobody watches the example here.
        if !variables.iter().any(|(name, _)| *name == "ROUNDTABLE_HURRY") {
            command.env("ROUNDTABLE_HURRY", "1");
        }
        if colour == Colour::Off {
            command.env("NO_COLOR", "1");
        }
        command.cwd(home);
        let before = modes(pair.master.as_ref());
        let child = pair.slave.spawn_command(command).unwrap();
        let cells = |n| NonZeroU16::new(n).unwrap();
        let parser = vt100::Parser::new(cells(rows), cells(columns), 1_000);
        let parser = Arc::new(Mutex::new(parser));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let (seen, bytes) = (Arc::clone(&parser), Arc::clone(&raw));
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 {
                    break;
                }
                seen.lock().unwrap().process(&buffer[..count]);
                bytes.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        // The slave stays open with the child only.
        let master = pair.master;
        Terminal { child, master, writer, parser, raw, reader: Some(reader), before }
    }

    pub fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        let cells = |n| NonZeroU16::new(n).unwrap();
        self.parser.lock().unwrap().screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// As a terminal does that breaks its rows anew; `resize` only cuts them off.
    ///
    /// A frame that is still on its way was drawn for the old width, and no program can
    /// know that. So the width changes right after a frame, when no thread of the program
    /// has work to do: the next frame is due when the clock moves on.
    pub fn reflow(&mut self, columns: u16, rows: u16) {
        let program = self.child.process_id().unwrap();
        let seen = || self.raw.lock().unwrap().len();
        let (before, deadline) = (seen(), Deadline::new());
        while seen() == before || !self.is_whole_frame() || !is_idle(program) {
            deadline.wait(|| "it never stops drawing, or never begins".into());
        }
        let mut parser = self.parser.lock().unwrap();
        *parser = super::reflow::reflowed(&mut parser, columns, rows);
        self.master.resize(size(columns, rows)).unwrap();
    }

    fn is_whole_frame(&self) -> bool {
        let raw = self.raw.lock().unwrap();
        let last = |mark: &[u8]| raw.windows(mark.len()).rposition(|bytes| bytes == mark);
        last(b"\x1b[?2026l")
            .is_some_and(|end| last(b"\x1b[?2026h").is_some_and(|begin| begin < end))
    }

    /// All that can be scrolled to and the screen.
    pub fn whole(&self) -> String {
        let rows = super::reflow::rows(&mut self.parser.lock().unwrap());
        let rows: Vec<&str> = rows.iter().map(|(row, _)| row.trim_end()).collect();
        mask(rows.join("\n").trim_end())
    }

    pub fn wait_whole(&self, what: &str, seen: impl Fn(&str) -> bool) -> String {
        let deadline = Deadline::new();
        loop {
            let text = self.whole();
            if seen(&text) {
                return text;
            }
            deadline.wait(|| format!("{what} never came:\n{text}"));
        }
    }

    /// What stands on the screen, row by row, without blank rows at the end.
    pub fn text(&self) -> String {
        let parser = self.parser.lock().unwrap();
        let screen = parser.screen();
        let (_, columns) = screen.size();
        let rows = screen.rows(0, columns.get());
        let text = rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n");
        mask(text.trim_end())
    }

    /// The same with colours as marks before what they colour: `‹green bold›`.
    pub fn coloured(&self) -> String {
        let parser = self.parser.lock().unwrap();
        let screen = parser.screen();
        let (rows, columns) = screen.size();
        let mut lines = Vec::new();
        for row in 0..rows.get() {
            let mut line = String::new();
            let mut last = String::new();
            for column in 0..columns.get() {
                let Some(cell) = screen.cell(row, column) else { continue };
                let look = look(cell);
                if look != last {
                    line.push_str(&format!("‹{look}›"));
                    last = look;
                }
                line.push_str(if cell.has_contents() { cell.contents() } else { " " });
            }
            lines.push(line.trim_end().trim_end_matches("‹›").trim_end().to_owned());
        }
        mask(lines.join("\n").trim_end())
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// The screen row by row, each as runs of text that look alike.
    pub fn runs(&self) -> Vec<Vec<TextRun>> {
        let parser = self.parser.lock().unwrap();
        let screen = parser.screen();
        let (rows, columns) = screen.size();
        let mut all = Vec::new();
        for row in 0..rows.get() {
            let mut runs: Vec<TextRun> = Vec::new();
            for column in 0..columns.get() {
                let Some(cell) = screen.cell(row, column) else { continue };
                if cell.is_wide_continuation() {
                    continue;
                }
                let text = if cell.has_contents() { cell.contents() } else { " " };
                let look = look(cell);
                match runs.last_mut().filter(|last| last.look == look) {
                    Some(last) => last.text.push_str(text),
                    None => runs.push(TextRun { column: column.into(), look, text: text.into() }),
                }
            }
            runs.iter_mut().for_each(|run| run.text.truncate(run.text.trim_end().len()));
            runs.retain(|run| !run.text.is_empty());
            all.push(runs);
        }
        all
    }

    /// Everything that was ever sent to the terminal.
    pub fn sent(&self) -> String {
        String::from_utf8_lossy(&self.raw.lock().unwrap()).into_owned()
    }

    /// The same with rows that go on in the next one joined: words are found wherever
    /// the edge of the screen broke them.
    pub fn unwrapped(&self) -> String {
        let parser = self.parser.lock().unwrap();
        let screen = parser.screen();
        let (_, columns) = screen.size();
        let mut text = String::new();
        for (at, row) in (0..).zip(screen.rows(0, columns.get())) {
            if screen.row_wrapped(at) {
                text.push_str(&row);
            } else {
                text.push_str(row.trim_end());
                text.push('\n');
            }
        }
        mask(text.trim_end())
    }

    /// Waits until all words stand on the screen, and gives the picture of that moment.
    pub fn wait_for(&self, words: &[&str]) -> String {
        let deadline = Deadline::new();
        loop {
            // Looked at twice: both are of the same moment when nothing came between them.
            let (text, unwrapped) = (self.text(), self.unwrapped());
            let there = words.iter().all(|word| unwrapped.contains(word));
            if there && self.text() == text {
                return text;
            }
            deadline.wait(|| format!("{words:?} never came:\n{text}"));
        }
    }

    pub fn wait_until(&self, what: &str, seen: impl Fn(&str) -> bool) -> String {
        let deadline = Deadline::new();
        loop {
            let text = self.text();
            if seen(&text) {
                return text;
            }
            deadline.wait(|| format!("{what} never came:\n{text}"));
        }
    }

    /// Waits for words among everything that was ever sent: no edge breaks these.
    pub fn wait_sent(&self, words: &str) -> Instant {
        let deadline = Deadline::new();
        while !self.sent().contains(words) {
            deadline.wait(|| format!("{words:?} was never sent:\n{}", self.text()));
        }
        Instant::now()
    }

    /// Waits for the end and gives the exit code.
    pub fn end(&mut self) -> u32 {
        let deadline = Deadline::new();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What was written last may still be on its way; it ends when nobody
                // holds the other end any more.
                if let Some(reader) = self.reader.take() {
                    reader.join().unwrap();
                }
                return status.exit_code();
            }
            deadline.wait(|| format!("it does not end:\n{}", self.text()));
        }
    }

    /// Presses a key again and again until it ends.
    pub fn end_by(&mut self, key: &str) -> u32 {
        let deadline = Deadline::new();
        while self.child.try_wait().unwrap().is_none() {
            deadline.check(|| format!("it does not end:\n{}", self.text()));
            let _ = self.writer.write_all(key.as_bytes());
            std::thread::sleep(Duration::from_millis(100));
        }
        self.end()
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        let done = std::process::Command::new("kill").args([&format!("-{name}"), &pid]).status();
        assert!(done.unwrap().success());
    }

    pub fn wait_given_back(&self) {
        let deadline = Deadline::new();
        while modes(self.master.as_ref()) != self.before {
            deadline.wait(|| "the terminal is not given back".into());
        }
    }

    /// Whether keys are echoed and lines edited as before, the cursor is seen and
    /// pasting is nothing special.
    pub fn assert_given_back(&self) {
        assert_eq!(modes(self.master.as_ref()), self.before, "the terminal is set otherwise");
        let parser = self.parser.lock().unwrap();
        assert!(!parser.screen().hide_cursor(), "the cursor is hidden");
        assert!(!parser.screen().bracketed_paste(), "pasting is still special");
        drop(parser);
        let sent = self.sent();
        let (off, on) = (sent.rfind("\x1b[?7l"), sent.rfind("\x1b[?7h"));
        assert!(off <= on, "rows no longer wrap");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().map(|found| found.local_flags))
}

fn look(cell: &vt100::Cell) -> String {
    let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
    let mut words = Vec::new();
    if let vt100::Color::Idx(index) = cell.fgcolor() {
        words.push(names.get(usize::from(index)).copied().unwrap_or("other"));
    }
    if cell.bold() {
        words.push("bold");
    }
    if cell.dim() {
        words.push("dim");
    }
    words.join(" ")
}

/// Times and ids as signs of the same width.
pub fn mask(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let mut out = letters.clone();
    for at in 0..letters.len() {
        // 0:07
        if letters[at] == ':' && at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2) {
            for place in [at - 1, at + 1, at + 2] {
                out[place] = '0';
            }
        }
        // in 3599 s
        if letters[at..].starts_with(&['i', 'n', ' ']) && digit(at + 3) {
            let end = (at + 3..).find(|place| !digit(*place)).unwrap();
            if letters[end..].starts_with(&[' ', 's']) {
                out[at + 3..end].fill('9');
            }
        }
        // 01a1de0c-90c4
        let hex = |from: usize, count: usize| {
            (from..from + count).all(|n| letters.get(n).is_some_and(char::is_ascii_hexdigit))
        };
        if hex(at, 8) && letters.get(at + 8) == Some(&'-') && hex(at + 9, 2) {
            let end = (at..)
                .find(|n| !letters.get(*n).is_some_and(|c| c.is_ascii_hexdigit() || *c == '-'));
            out[at..end.unwrap()].fill('x');
        }
    }
    out.into_iter().collect()
}

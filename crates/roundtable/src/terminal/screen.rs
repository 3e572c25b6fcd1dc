//! The terminal while a debate is shown live: text goes up into the scrollback,
//! the panel stays below it and is drawn over itself. However the program ends,
//! short of being killed outright, the terminal is given back as it was found.
//!
//! Standard output carries the text, standard error the panel: where one of
//! them goes elsewhere the other still makes sense.
#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};

use super::line::StyledLine;
use super::out::{self, ClosedOutput};
use super::window::{self as terminal, GiveBack, Size};

/// The drawing, and the position of the cursor if it is shown.
#[derive(Debug, Default)]
pub struct Picture {
    pub lines: Vec<StyledLine>,
    pub cursor: Option<(usize, usize)>,
}

/// Cheap to clone; all clones are the same terminal.
#[derive(Clone)]
pub struct Screen {
    inner: Arc<Mutex<Inner>>,
    /// The terminal's settings before keys were read. It has its own lock, so that
    /// restoring it need not wait for a drawing.
    found: Arc<Mutex<Option<GiveBack>>>,
}

#[derive(Default)]
struct Inner {
    state: ScreenState,
    /// The widths of the rows that are drawn, and the row and column the cursor is in.
    drawn: Vec<usize>,
    at: (usize, usize),
    /// The last frame, so that nothing is drawn twice.
    frame: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ScreenState {
    /// There is no panel: only text is printed.
    #[default]
    Still,
    Open,
    /// The process is about to be stopped, or was.
    Aside,
    Closed,
}

/// The way in which keys are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    Read,
    Left,
}

/// Drawing begins so: the frame appears at once, the cursor is hidden, and a row
/// that is wider than thought does not become two.
const BEGIN: &str = "\x1b[?2026h\x1b[?25l\x1b[?7l";
const END: &str = "\x1b[?7h\x1b[?2026l";
const SHOW_CURSOR: &str = "\x1b[?25h";
/// The number of tries to wait for an unfinished drawing at the end.
const TRIES: u32 = 100;
const PATIENCE: Duration = Duration::from_millis(1);
/// Pasted text arrives as one piece and cannot pass for keys.
const PASTE_ON: &str = "\x1b[?2004h";
const PASTE_OFF: &str = "\x1b[?2004l";

impl Screen {
    /// For where there is no terminal.
    pub fn still() -> Screen {
        Screen { inner: Arc::default(), found: Arc::default() }
    }

    pub fn open(keys: Keys) -> Screen {
        let found = if keys == Keys::Read { terminal::read_keys() } else { None };
        if found.is_some() {
            write(PASTE_ON);
        }
        let inner = Inner { state: ScreenState::Open, ..Inner::default() };
        let found = Arc::new(Mutex::new(found));
        let screen = Screen { inner: Arc::new(Mutex::new(inner)), found };
        screen.close_on_panic();
        screen
    }

    pub fn reads_keys(&self) -> bool {
        self.found().is_some()
    }

    pub fn is_open(&self) -> bool {
        self.lock().state == ScreenState::Open
    }

    /// A panic is told on a terminal that works.
    fn close_on_panic(&self) {
        let screen = self.clone();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            screen.close();
            before(panic);
        }));
    }

    /// Text for the scrollback.
    pub fn print(&self, text: &str) -> Result<(), ClosedOutput> {
        let mut inner = self.lock();
        inner.wipe();
        out::print(text)
    }

    /// A line for the scrollback that is no result.
    pub fn note(&self, text: &str) {
        let mut inner = self.lock();
        inner.wipe();
        out::note(text);
    }

    pub fn draw(&self, picture: &Picture, size: Size) {
        let mut inner = self.lock();
        if inner.state == ScreenState::Open {
            inner.draw(picture, size);
        }
    }

    /// Rings the terminal's bell.
    pub fn ring(&self) {
        if self.is_open() {
            write("\x07");
        }
    }

    /// Gives the terminal back for as long as the process is stopped.
    pub fn set_aside(&self) {
        let mut inner = self.lock();
        if inner.state != ScreenState::Open {
            return;
        }
        inner.wipe();
        inner.state = ScreenState::Aside;
        if let Some(found) = &*self.found() {
            write(PASTE_OFF);
            found.run();
        }
        write(SHOW_CURSOR);
    }

    /// The process goes on: the terminal is set for keys again.
    pub fn take_again(&self) {
        let mut inner = self.lock();
        if inner.state != ScreenState::Aside && inner.state != ScreenState::Open {
            return;
        }
        inner.state = ScreenState::Open;
        (inner.drawn, inner.at) = (Vec::new(), (0, 0));
        inner.frame.clear();
        // How it was found the first time is what it is given back as.
        if self.reads_keys() && terminal::read_keys().is_some() {
            write(PASTE_ON);
        }
    }

    /// Takes the panel away and gives the terminal back. Once is enough.
    pub fn close(&self) {
        if let Some(mut inner) = self.lock_soon() {
            if inner.state != ScreenState::Open {
                return;
            }
            inner.wipe();
            inner.state = ScreenState::Closed;
        }
        let found = self.found().take();
        if let Some(found) = found {
            write(PASTE_OFF);
            found.run();
        }
        write(&format!("{END}{SHOW_CURSOR}"));
    }

    /// A thread that panics may hold the lock itself; restoring the terminal
    /// matters more than the panel.
    fn lock_soon(&self) -> Option<MutexGuard<'_, Inner>> {
        for _ in 0..TRIES {
            match self.inner.try_lock() {
                Ok(inner) => return Some(inner),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PATIENCE),
            }
        }
        None
    }

    fn found(&self) -> MutexGuard<'_, Option<GiveBack>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Takes the panel away; what comes next stands where it stood.
    fn wipe(&mut self) {
        if self.state != ScreenState::Open || self.drawn.is_empty() {
            return;
        }
        let up = self.to_top(terminal::size().width);
        write(&format!("{BEGIN}{up}\x1b[J{END}"));
        (self.drawn, self.at) = (Vec::new(), (0, 0));
        self.frame.clear();
    }

    /// To the first column of the panel's first row. A terminal that became
    /// narrower has broken its rows anew, the one with the cursor too.
    fn to_top(&self, width: usize) -> String {
        let width = width.max(1);
        let (row, column) = self.at;
        let above = self.drawn.iter().take(row);
        let rows: usize = above.map(|row| row.div_ceil(width).max(1)).sum();
        match rows + column / width {
            0 => "\r".into(),
            rows => format!("\r\x1b[{rows}A"),
        }
    }

    fn draw(&mut self, picture: &Picture, size: Size) {
        let width = size.width.saturating_sub(1);
        let styled: Vec<String> =
            picture.lines.iter().map(|line| coloured(&line.styled(width))).collect();
        let rows: Vec<String> = styled.iter().map(|row| format!("\r\x1b[2K{row}")).collect();
        let mut body = format!("{}\x1b[J", rows.join("\r\n"));
        let last = rows.len().saturating_sub(1);
        let at = match picture.cursor {
            // Where a row is broken anew, its first column stays where it was.
            None => {
                body.push('\r');
                (last, 0)
            }
            Some((row, column)) => {
                let row = row.min(last);
                if last > row {
                    body.push_str(&format!("\x1b[{}A", last - row));
                }
                body.push_str(&format!("\x1b[{}G{SHOW_CURSOR}", column + 1));
                (row, column)
            }
        };
        if body == self.frame {
            return;
        }
        write(&format!("{BEGIN}{}{body}{END}", self.to_top(size.width)));
        self.drawn = picture.lines.iter().map(|line| line.width().min(width)).collect();
        (self.at, self.frame) = (at, body);
    }
}

/// Cursor movements are always sent, colours only where they are wanted.
fn coloured(text: &str) -> String {
    match AutoStream::choice(&io::stderr()) {
        ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    // A terminal that has gone away needs nothing.
    let _: io::Result<()> = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

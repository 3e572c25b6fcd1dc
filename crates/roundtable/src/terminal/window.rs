//! The settings of the terminal: its size, and reading single keys without echo.
//! Ctrl-C stays a signal, so that the program can always be left.

/// The width and height of the terminal, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: usize,
    pub height: usize,
}

/// Returns the terminal's size, or a common one if it is unknown.
pub fn size() -> Size {
    let found = terminal_size::terminal_size();
    let (width, height) = found.map_or((80, 24), |(width, height)| (width.0, height.0));
    Size { width: usize::from(width).max(1), height: usize::from(height).max(1) }
}

/// Gives the terminal back the settings it had before keys were read one by one.
pub struct GiveBack(Box<dyn Fn() + Send>);

impl GiveBack {
    pub fn run(&self) {
        (self.0)();
    }
}

/// Gives single keys from now on. `None`: there is nothing to read keys from.
#[cfg(unix)]
pub fn read_keys() -> Option<GiveBack> {
    use rustix::process::getpgrp;
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr};

    let stdin = std::io::stdin();
    // In the background the keys belong to another process, and touching the
    // terminal would stop this one.
    if tcgetpgrp(&stdin).ok()? != getpgrp() {
        return None;
    }
    let earlier = tcgetattr(&stdin).ok()?;
    let mut keys = earlier.clone();
    keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
    // Ctrl-C and Ctrl-Z would else throw away what is being drawn, half of a
    // movement of the cursor included.
    keys.local_modes.insert(LocalModes::NOFLSH);
    tcsetattr(&stdin, OptionalActions::Now, &keys).ok()?;
    Some(GiveBack(Box::new(move || {
        // Typed ahead and not read: it was meant for the panel, not for the shell.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Flush, &earlier);
    })))
}

/// Gives single keys from now on. `None`: there is nothing to read keys from.
#[cfg(not(unix))]
pub fn read_keys() -> Option<GiveBack> {
    crossterm::terminal::enable_raw_mode().ok()?;
    Some(GiveBack(Box::new(|| {
        let _ = crossterm::terminal::disable_raw_mode();
    })))
}

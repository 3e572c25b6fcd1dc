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

#[cfg(unix)]
mod how {
    use rustix::process::getpgrp;
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

    /// The settings of the terminal before.
    pub struct Found(Termios);

    /// Gives single keys from now on. `None`: there is nothing to read keys from.
    pub fn read_keys() -> Option<Found> {
        let stdin = std::io::stdin();
        // In the background the keys belong to another process, and touching the
        // terminal would stop this one.
        if tcgetpgrp(&stdin).ok()? != getpgrp() {
            return None;
        }
        let found = tcgetattr(&stdin).ok()?;
        let mut keys = found.clone();
        keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        // Ctrl-C and Ctrl-Z would else throw away what is being drawn, half of a
        // movement of the cursor included.
        keys.local_modes.insert(LocalModes::NOFLSH);
        tcsetattr(&stdin, OptionalActions::Now, &keys).ok()?;
        Some(Found(found))
    }

    pub fn give_back(found: &Found) {
        // Typed ahead and not read: it was meant for the panel, not for the shell.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Flush, &found.0);
    }
}

#[cfg(not(unix))]
mod how {
    pub struct Found;

    pub fn read_keys() -> Option<Found> {
        crossterm::terminal::enable_raw_mode().ok().map(|()| Found)
    }

    pub fn give_back(_: &Found) {
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

pub use how::{Found, give_back, read_keys};

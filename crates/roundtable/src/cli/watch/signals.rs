//! Signals from the terminal and from service managers. This file alone ends the
//! process before its work is done.

use crate::cli::ExitStatus;
use crate::terminal::screen::Screen;

/// Waits until the process is asked to end.
pub async fn asked_to_end() {
    signal().await;
}

/// Waits to be asked to end, and says how the exit code must name it.
pub async fn signal() -> ExitStatus {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            return tokio::select! {
                _ = tokio::signal::ctrl_c() => ExitStatus::Interrupted,
                _ = term.recv() => ExitStatus::Terminated,
            };
        }
    }
    let _ = tokio::signal::ctrl_c().await;
    ExitStatus::Interrupted
}

/// Ctrl-Z: the shell gets the terminal as it was; after `fg` the panel is back.
pub async fn step_aside(screen: Screen) {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind: Signal| signal(SignalKind::from_raw(kind.as_raw()));
        let (Ok(mut stop), Ok(mut goes_on)) = (listen(Signal::TSTP), listen(Signal::CONT)) else {
            return;
        };
        loop {
            tokio::select! {
                Some(()) = stop.recv() => {
                    screen.set_aside();
                    let _ = kill_process(getpid(), Signal::STOP);
                }
                Some(()) = goes_on.recv() => screen.take_again(),
                else => return,
            }
        }
    }
    #[cfg(not(unix))]
    drop(screen);
}

/// Ends the process at the next signal, after the last words.
pub async fn exit_at_next(last_words: impl FnOnce()) {
    let exit = signal().await;
    last_words();
    #[allow(clippy::disallowed_methods)]
    std::process::exit(i32::from(exit.code()));
}

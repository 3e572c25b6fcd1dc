//! Shows long listings page by page. If the pager cannot be started, the text is
//! printed.

use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};

use super::out::{self, ClosedOutput};
use super::window as terminal;
use engine::config::PagerProgram;

/// The exit code of a shell for an unknown command.
const NOT_FOUND: i32 = 127;

/// Quits if it all fits, keeps colours, leaves the text on the screen.
const LESS: [&str; 2] = ["less", "-FRX"];

/// Shows a text through a pager where there is one and the text needs it.
pub fn show(pager: Option<&PagerProgram>, text: &str) -> Result<(), ClosedOutput> {
    let Some(pager) = pager.filter(|_| text.lines().count() >= terminal::size().height) else {
        return out::print(text);
    };
    let mut command = match pager {
        PagerProgram::Less => {
            let [program, flags] = LESS;
            let mut command = Command::new(program);
            command.arg(flags);
            command
        }
        PagerProgram::Own(own) => shell(own),
    };
    match run(&mut command, text) {
        PagerOutcome::Pages => Ok(()),
        PagerOutcome::Nothing => out::print(text),
    }
}

enum PagerOutcome {
    Pages,
    Nothing,
}

fn run(command: &mut Command, text: &str) -> PagerOutcome {
    // Ctrl-C is for the pager; this program goes on waiting for it.
    #[cfg(unix)]
    let _held = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else { return PagerOutcome::Nothing };
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(out::as_printed(text).as_bytes()) {
            // A reader who has seen enough closes the pager.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => return PagerOutcome::Nothing,
            Ok(()) | Err(_) => {}
        }
    }
    match child.wait() {
        Ok(status) if status.code() == Some(NOT_FOUND) => PagerOutcome::Nothing,
        Ok(_) | Err(_) => PagerOutcome::Pages,
    }
}

#[cfg(unix)]
fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    command
}

#[cfg(not(unix))]
fn shell(line: &str) -> Command {
    let mut command = Command::new("cmd");
    command.args(["/C", line]);
    command
}

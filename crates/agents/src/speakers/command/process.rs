//! One run of one program, bounded in what it prints. Whatever way the run
//! ends, and also when it is let go of, its whole process group is killed.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::{AgentCommand, complaints};

/// The largest answer that is read at all.
pub const OUTPUT_CAP: usize = 8 * 1024 * 1024;

/// The bytes of standard error that are kept: the end, which has the reason.
const STDERR_KEPT: usize = 2048;

/// The time the pipes are read after the program itself has ended. They stay open
/// only where something it started has left its process group.
const AFTERWARDS: Duration = Duration::from_secs(1);

pub(super) struct FinishedProcess {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub ending: ProcessEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessEnd {
    Stopped(ExitStatus),
    /// It printed more than is read, and was killed.
    Flooded,
}

pub(super) async fn run(
    command: &AgentCommand,
    environment: &[(String, String)],
    prompt: String,
    hear: &(dyn Fn(String) + Sync),
) -> io::Result<FinishedProcess> {
    let mut child = start(command, environment)?;
    let group = ProcessGroup::of(&child);
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    // Held until the end: a writer whose reader goes away would run on.
    let mut stdout = child.stdout.take();
    let (mut printed, mut complained) = (PrintedOutput::default(), Vec::new());
    let over = Notify::new();
    let waiting = async {
        let status = child.wait().await;
        group.kill();
        over.notify_one();
        status
    };
    let reading = async {
        if printed.read(stdout.as_mut(), hear).await == OutputRoom::Full {
            group.kill();
        }
    };
    let talking = async {
        tokio::join!(feed(stdin, prompt), reading, keep_end(stderr, &mut complained));
    };
    let bounded = async {
        tokio::select! {
            () = talking => {}
            () = async { over.notified().await; sleep(AFTERWARDS).await } => {}
        }
    };
    let (status, ()) = tokio::join!(waiting, bounded);
    let ending = if printed.bytes.len() > OUTPUT_CAP {
        ProcessEnd::Flooded
    } else {
        ProcessEnd::Stopped(status?)
    };
    Ok(FinishedProcess { stdout: printed.bytes, stderr: complained, ending })
}

fn start(command: &AgentCommand, environment: &[(String, String)]) -> io::Result<Child> {
    let mut builder = tokio::process::Command::new(command.program());
    builder
        .args(command.argv.iter().skip(1))
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(directory) = &command.directory {
        builder.current_dir(directory);
    }
    // A group of its own, so that all of it can be ended at once.
    #[cfg(unix)]
    builder.process_group(0);
    builder.spawn()
}

/// A process group that ends when this is dropped.
struct ProcessGroup {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl ProcessGroup {
    fn of(child: &Child) -> ProcessGroup {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        ProcessGroup { leader: id.and_then(rustix::process::Pid::from_raw) }
    }

    fn kill(&self) {
        if let Some(leader) = self.leader {
            // It may be gone already, which is all that is wanted.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
impl ProcessGroup {
    fn of(_: &Child) -> ProcessGroup {
        ProcessGroup {}
    }

    fn kill(&self) {}
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Writes the prompt. A program that does not read it all may still answer.
async fn feed(stdin: Option<ChildStdin>, prompt: String) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(prompt.as_bytes()).await;
        let _ = stdin.shutdown().await;
    }
}

#[derive(Debug, PartialEq, Eq)]
enum OutputRoom {
    Left,
    Full,
}

/// The output so far, and the part of it that has been shown.
#[derive(Default)]
struct PrintedOutput {
    bytes: Vec<u8>,
    shown: usize,
}

impl PrintedOutput {
    async fn read<R: AsyncRead + Unpin>(
        &mut self,
        from: Option<R>,
        hear: &(dyn Fn(String) + Sync),
    ) -> OutputRoom {
        let Some(mut from) = from else { return OutputRoom::Left };
        let mut piece = vec![0; 64 * 1024];
        loop {
            let read = match from.read(&mut piece).await {
                Ok(0) | Err(_) => break,
                Ok(read) => read,
            };
            self.bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
            if self.bytes.len() > OUTPUT_CAP {
                return OutputRoom::Full;
            }
            // Whole lines, so that no character is shown in halves.
            let fresh = piece.get(..read).unwrap_or_default();
            if let Some(after) = fresh.iter().rev().position(|byte| *byte == b'\n') {
                self.show(self.bytes.len() - after, hear);
            }
        }
        self.show(self.bytes.len(), hear);
        OutputRoom::Left
    }

    fn show(&mut self, end: usize, hear: &(dyn Fn(String) + Sync)) {
        let fresh = self.bytes.get(self.shown..end).unwrap_or_default();
        if !fresh.is_empty() {
            hear(complaints::plain(&String::from_utf8_lossy(fresh)));
            self.shown = end;
        }
    }
}

async fn keep_end<R: AsyncRead + Unpin>(from: Option<R>, kept: &mut Vec<u8>) {
    let Some(mut from) = from else { return };
    let mut piece = vec![0; 8 * 1024];
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        kept.extend_from_slice(piece.get(..read).unwrap_or_default());
        let surplus = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..surplus);
    }
}

/// Returns a program's exit status in words.
pub(super) fn exit_words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("it was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("it ended with exit code {code}"),
        None => "it ended without an exit code".to_owned(),
    }
}

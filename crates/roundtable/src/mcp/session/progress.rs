//! The progress messages of one call: news of the debate, and a sign of life if
//! there is none. Each message must report more progress than the last, whatever
//! the call waits for.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};

use crate::mcp::result::shortening::short;
use engine::background::host::DebateProgress;

/// Clients cut longer messages.
const LONGEST_MESSAGE: usize = 180;

/// Less than the first progress of a call.
const NOTHING_SENT: f64 = -1.0;

pub struct ProgressSent {
    /// `None` where the client does not want to know.
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    progress: f64,
    /// Turns that are over, of how many.
    turns: f64,
    expected: f64,
    line: String,
}

impl ProgressSent {
    /// `before`: what an earlier call for the same was told; it only grows from there.
    pub fn new(context: &RequestContext<RoleServer>, before: Option<f64>) -> ProgressSent {
        let token = context.meta.get_progress_token();
        let to = token.map(|token| (context.peer.clone(), token));
        let progress = before.unwrap_or(NOTHING_SENT);
        ProgressSent { to, progress, turns: 0.0, expected: 0.0, line: String::new() }
    }

    /// Returns the progress that was sent last.
    pub fn sent(&self) -> f64 {
        self.progress
    }

    /// Says how the debate stands, where that is news.
    pub async fn news(&mut self, standing: &DebateProgress) {
        self.turns = standing.turns as f64;
        self.expected = standing.expected() as f64;
        let line = standing.line();
        if line != self.line {
            self.send(line).await;
        }
    }

    /// Says the same again: silence makes some clients give up.
    pub async fn beat(&mut self) {
        self.send(self.line.clone()).await;
    }

    /// Says what else is waited for.
    pub async fn waits(&mut self, what: &str) {
        self.send(what.to_owned()).await;
    }

    /// Turns that are over, and between two of them a little more each time, so
    /// that it grows and never reaches the next.
    async fn send(&mut self, line: String) {
        let Some((peer, token)) = &self.to else { return };
        self.progress = if self.progress < self.turns {
            self.turns
        } else {
            self.progress + (self.turns + 1.0 - self.progress).max(0.0) * 0.1
        };
        let news = ProgressNotificationParam::new(token.clone(), self.progress)
            .with_total(self.expected.max(self.progress))
            .with_message(short(&line, LONGEST_MESSAGE));
        // If the client is gone, the wait ends by itself.
        let _ = peer.notify_progress(news).await;
        self.line = line;
    }
}

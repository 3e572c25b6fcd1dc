//! Log lines about debates, by their ids: a line where one begins, rests or fails, and none with
//! a word of it.

use engine::background::observing::{HostObserver, ObservedCall, ObservedDebate};

pub struct LogLines;

impl HostObserver for LogLines {
    fn begun(&self, debate: &ObservedDebate) {
        tracing::info!(debate = %debate.id, mode = %debate.mode, "a debate runs here");
    }

    fn called(&self, debate: &ObservedDebate, call: &ObservedCall<'_>) {
        if let Some(fault) = call.fault {
            let (provider, model) = (&call.agent.provider, &call.agent.model);
            let class = fault.word();
            tracing::warn!(debate = %debate.id, %provider, %model, class, "a call failed");
        }
    }

    fn rested(&self, debate: &ObservedDebate, end: &'static str, _: i64) {
        tracing::info!(debate = %debate.id, end, "a debate came to rest");
    }

    fn held_up(&self) {
        tracing::warn!("nothing can be stored; a debate waits");
    }

    fn lost(&self) {}
}

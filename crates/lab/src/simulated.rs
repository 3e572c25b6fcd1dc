//! Agents whose accuracy, errors and suggestibility are set, at questions whose
//! truth is known, so that the verdict can be judged. They sit at the real
//! table: they are asked by the machine and answer in its own JSON, and the
//! real reading, ledger and analysis make the verdict.
//!
//! They have no language and check nothing, so they can show whether the votes
//! are weighed well; they can never show that debating helps real models.

mod chance;
pub mod figures;
pub mod fit;
mod item;
pub mod lively;
mod measure;
mod people;
pub mod regimes;
pub mod report;
mod score;
mod sitting;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use debate::model::{Ask, Failure, Reply};
use futures::future::BoxFuture;

pub use item::{Grounds, OptionStand, SimulatedItem};
pub use measure::{Method, Moves, OutcomeError, RegimeFigures, simulate, worst_regret};
pub use people::{Debater, DebaterPart, Regime, Talk, Trial};
pub use score::Score;
pub use sitting::{PROVIDER, SimulatedSitting, agent, brief};
pub use words::Labels;

use agents::{CancellationToken, Panel, Speaker, SpeechDelta, Watch, cancelled};

/// One simulated agent at a table. All agents of a debate share one sitting,
/// through which each knows what the answers it is shown say.
pub struct SimulatedAgent {
    sitting: Arc<SimulatedSitting>,
    agent: usize,
}

impl SimulatedAgent {
    /// Everybody of a sitting, in the order of its brief. There is no clerk.
    pub fn panel(sitting: &Arc<SimulatedSitting>) -> Panel {
        let seat = |agent| {
            Arc::new(SimulatedAgent { sitting: Arc::clone(sitting), agent }) as Arc<dyn Speaker>
        };
        Panel::new((0..sitting.people().len()).map(seat).collect(), None)
    }
}

impl Speaker for SimulatedAgent {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(cancelled(1));
            }
            let reply = self.sitting.answer(&ask.id, self.agent, Some(&ask.shown.answers))?;
            watch.delta(&ask.id, SpeechDelta::Text(reply.text.clone()));
            Ok(reply)
        })
    }
}

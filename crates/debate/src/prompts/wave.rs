//! The messages of one wave. All that its seats are told alike is filled in once; each of
//! them gets its own view and notice between. It refuses to share what a seat's own words
//! may be part of: templates of the user's own, and instructions for single rounds.

use std::cell::RefCell;

use super::{Message, PromptAddressee, ROUND_FILE, RoundPhase, TemplateError, Templates};
use super::{filled_turn, notice, turn};
use crate::model::{AnswerStyle, Round};

/// Stand where a seat's notice and view are put in. No template holds such signs.
const NOTICE: &str = "\u{0}notice\u{0}";
const VIEW: &str = "\u{0}view\u{0}";

/// The messages that were filled in so far, of one wave of one debate.
#[derive(Debug, Default)]
pub struct TurnsOfWave(RefCell<Vec<SharedTurn>>);

#[derive(Debug)]
struct SharedTurn {
    phase: RoundPhase,
    style: AnswerStyle,
    rounds: (Round, u32),
    sealed: bool,
    attachments: String,
    focus: Option<String>,
    before_notice: String,
    before_view: String,
    after: String,
}

impl TurnsOfWave {
    /// The same as [`turn`]. The mode and the brief are those of the whole wave.
    pub fn turn(
        &self,
        words: &Templates,
        part: &PromptAddressee<'_>,
        message: &Message<'_>,
    ) -> Result<String, TemplateError> {
        let single = part.plan.words.iter().any(|(file, _)| *file == ROUND_FILE);
        if single || part.is_light() || !words.are_built_in() || message.view.is_empty() {
            return turn(words, part, message);
        }
        let own = notice(words, message.fence_mark)?;
        let mut shared = self.0.borrow_mut();
        if let Some(found) = shared.iter().find(|one| one.fits(part, message)) {
            return Ok(found.with(&own, message.view));
        }
        let Some(new) = SharedTurn::of(words, part, message)? else {
            return turn(words, part, message);
        };
        let whole = new.with(&own, message.view);
        shared.push(new);
        Ok(whole)
    }
}

impl SharedTurn {
    /// `None` if the places of notice and view cannot be told.
    fn of(
        words: &Templates,
        part: &PromptAddressee<'_>,
        message: &Message<'_>,
    ) -> Result<Option<SharedTurn>, TemplateError> {
        let filled = filled_turn(words, part, &Message { view: VIEW, ..*message }, NOTICE)?;
        let cut = filled.split_once(NOTICE).and_then(|(before, rest)| {
            let (between, after) = rest.split_once(VIEW)?;
            Some([before, between, after])
        });
        let Some(parts) = cut.filter(|parts| parts.iter().all(|part| !part.contains('\0'))) else {
            return Ok(None);
        };
        let [before_notice, before_view, after] = parts.map(str::to_owned);
        Ok(Some(SharedTurn {
            phase: part.phase,
            style: part.brief.style(part.seat.agent),
            rounds: (message.round, message.total_rounds),
            sealed: message.sealed,
            attachments: message.attachments.to_owned(),
            focus: message.focus.map(str::to_owned),
            before_notice,
            before_view,
            after,
        }))
    }

    fn fits(&self, part: &PromptAddressee<'_>, message: &Message<'_>) -> bool {
        self.phase == part.phase
            && self.style == part.brief.style(part.seat.agent)
            && self.rounds == (message.round, message.total_rounds)
            && self.sealed == message.sealed
            && self.attachments == message.attachments
            && self.focus.as_deref() == message.focus
    }

    fn with(&self, notice: &str, view: &str) -> String {
        [&self.before_notice, notice, &self.before_view, view, &self.after].concat()
    }
}

#[cfg(test)]
#[path = "wave_tests.rs"]
mod tests;

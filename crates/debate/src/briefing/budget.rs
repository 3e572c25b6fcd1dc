//! The token budget of each part of a view. Budgets shrink together for a model
//! with a small window, and long parts give way before short ones.

/// The whole view aims below this.
const VIEW: usize = 8_000;
/// Kept free for the round's instructions and for the lines between parts.
const INSTRUCTIONS: usize = 300;
const STATE: usize = 2_000;
/// The state may grow to this for the sake of contested claims.
const STATE_MAX: usize = 2_400;
/// One round's answers.
const ROUND: usize = 4_000;
const SUMMARY: usize = 380;
/// The budget for the questions put to the caller, with the answers.
const GIVEN: usize = 1_200;
const ATTACHMENTS: usize = 8_000;
const NOTE: usize = 120;

/// The part of a model's window that the view may take.
const WINDOW_SHARE: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ViewBudget {
    pub view: usize,
    pub state: usize,
    pub state_max: usize,
    pub round: usize,
    pub summary: usize,
    pub note: usize,
    pub given: usize,
    pub attachments: usize,
}

impl ViewBudget {
    pub fn for_window(window: Option<u32>) -> ViewBudget {
        let third = window.map_or(VIEW, |window| window as usize / WINDOW_SHARE).min(VIEW);
        let part = |full: usize| full * third / VIEW;
        ViewBudget {
            view: part(VIEW - INSTRUCTIONS),
            state: part(STATE),
            state_max: part(STATE_MAX),
            round: part(ROUND),
            summary: part(SUMMARY),
            note: part(NOTE).max(40),
            given: part(GIVEN),
            attachments: part(ATTACHMENTS),
        }
    }
}

/// Shares `total` among `needs`: a small need is met in full, and the rest is
/// shared evenly.
pub(super) fn share(needs: &[usize], total: usize) -> Vec<usize> {
    if needs.iter().sum::<usize>() <= total {
        return needs.to_vec();
    }
    let mut sorted = needs.to_vec();
    sorted.sort_unstable();
    let (mut left, mut level) = (total, 0);
    for (place, need) in sorted.iter().enumerate() {
        level = left / (sorted.len() - place);
        if *need > level {
            break;
        }
        left -= need;
    }
    needs.iter().map(|need| (*need).min(level)).collect()
}

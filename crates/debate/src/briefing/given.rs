//! The questions put to the person who started the debate, with the answers:
//! shown to every seat, fenced, within a budget of their own. The asking seat is
//! not named.

use crate::model::{ContextRequest, GivenContext, ViewContents, clip, tokens};
use crate::sorting::SortRows;

use super::{ViewInputs, budget};

/// The most that a question costs.
const QUESTION: usize = 60;
/// An answer with less than this says nothing.
const LEAST: usize = 12;
/// The words around one question and its answer.
const AROUND: usize = 10;

pub(super) fn written(desk: &ViewInputs<'_>, shown: &mut ViewContents) -> String {
    let mut out = String::new();
    // Sorted by their words, so that neither the asking seat nor the order of
    // arrival shows.
    let mut settled: Vec<&ContextRequest> =
        desk.room.context.iter().filter(|it| !it.is_open() && !it.is_turn).collect();
    settled
        .sort_rows_by(|one, other| (one.round, &one.question).cmp(&(other.round, &other.question)));
    settled.dedup_by(|later, first| later.given == first.given && same(later, first));
    if settled.is_empty() {
        return out;
    }
    let heading = "What the people who called this debate were asked, and what they said:\n";
    let total = desk.budget.given.saturating_sub(tokens(heading) + desk.fence_cost);
    // The newest are kept if there is no space for all.
    let most = (total / (LEAST + AROUND)).max(1);
    let dropped = settled.len().saturating_sub(most);
    let kept = settled.split_off(dropped);
    if dropped > 0 {
        shown.left_out.push(format!("{dropped} earlier answers of the user"));
    }
    let texts: Vec<(String, String)> = kept.iter().map(|request| lines(desk, request)).collect();
    let needs: Vec<usize> =
        texts.iter().map(|(asked, said)| tokens(asked) + tokens(said) + AROUND).collect();
    let shares = budget::share(&needs, total);
    out.push_str(heading);
    desk.fence.open(&mut out, "the caller's answers");
    for (place, (((asked, said), share), request)) in
        texts.iter().zip(shares).zip(&kept).enumerate()
    {
        let asked = clip(asked, (share / 2).min(QUESTION));
        let room = share.saturating_sub(tokens(&asked) + AROUND).max(LEAST);
        let cut = clip(said, room);
        if cut.len() < said.len() {
            let percent = cut.len() * 100 / said.len();
            let number = place + 1;
            shown.left_out.push(format!("answer {number} of the user after its first {percent} %"));
        }
        out.push_str(&format!("Asked: {asked}\nSaid: {cut}\n"));
        shown.context.push(request.id);
    }
    out.truncate(out.trim_end().len());
    desk.fence.close(&mut out);
    out
}

fn same(one: &ContextRequest, other: &ContextRequest) -> bool {
    crate::model::same_question(&one.question, &other.question)
}

fn lines(desk: &ViewInputs<'_>, request: &ContextRequest) -> (String, String) {
    let said = match &request.given {
        Some(GivenContext::Answered { text }) => text.trim(),
        Some(GivenContext::Declined) | None => {
            "nothing; they declined. Go on without it and state what you assume."
        }
    };
    let asked = desk.names.line(&request.question).into_owned();
    (asked, desk.names.text(said).into_owned())
}

//! The last words of a run: why it is paused, what is needed, and how it goes on.

use debate::model::PauseReason;
use engine::run::RunEnd;

use crate::cli::ExitStatus;
use crate::cli::watch::remedy::{budget_remedy, resume_command};
use crate::document::escape::clean_line;
use crate::terminal::page::Page;
use crate::terminal::{context, out};

pub fn paused(reason: &PauseReason) -> String {
    match reason {
        PauseReason::Asked => "Paused by a person.".into(),
        PauseReason::Interrupted => "Paused: interrupted.".into(),
        other => format!("Paused: {}.", other.sentence().trim_end_matches('.')),
    }
}

pub fn finish(page: Page, outcome: RunEnd, id: &str, interrupted: ExitStatus) -> ExitStatus {
    let note = |text: &str| out::note(&page.say(text));
    match outcome {
        RunEnd::Done(_) => ExitStatus::Done,
        RunEnd::Paused(PauseReason::NeedsContext { requests })
            if requests.iter().all(|it| it.is_turn) =>
        {
            note("Paused: it is your turn.");
            let mut lines = String::new();
            context::requests(page, &mut lines, &requests);
            out::note(lines.trim_end());
            note("Nothing that was answered is lost. On a terminal, answer with:");
            out::note(&resume_command(id));
            context::how(page, id, &requests).iter().for_each(|line| out::note(line));
            ExitStatus::Paused
        }
        RunEnd::Paused(PauseReason::NeedsContext { requests }) => {
            note("Paused: it needs an answer that only you can give.");
            let mut lines = String::new();
            context::requests(page, &mut lines, &requests);
            out::note(lines.trim_end());
            context::how(page, id, &requests).iter().for_each(|line| out::note(line));
            note("Nothing that was answered is lost. Then resume with:");
            out::note(&resume_command(id));
            ExitStatus::Paused
        }
        RunEnd::Paused(reason) => {
            note(&clean_line(&paused(&reason)));
            let remedy = budget_remedy(&reason, id);
            if remedy.is_empty() {
                note("Nothing that was answered is lost. Resume with:");
                out::note(&resume_command(id));
            } else {
                note("Nothing that was answered is lost.");
                remedy.iter().for_each(|line| note(line));
            }
            if reason == PauseReason::Interrupted { interrupted } else { ExitStatus::Paused }
        }
    }
}

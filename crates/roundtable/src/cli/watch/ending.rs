//! The last words of a run: why it is paused, what is needed, and how it goes on.

use debate::model::PauseReason;
use engine::run::RunEnd;

use crate::cli::ExitStatus;
use crate::cli::watch::remedy::{budget_remedy, resume_command};
use crate::document::escape::clean_line;
use crate::terminal::{context, out};

pub fn paused(reason: &PauseReason) -> String {
    match reason {
        PauseReason::Asked => "Paused by a person.".into(),
        PauseReason::Interrupted => "Paused: interrupted.".into(),
        other => format!("Paused: {}.", other.sentence().trim_end_matches('.')),
    }
}

pub fn finish(outcome: RunEnd, id: &str, interrupted: ExitStatus) -> ExitStatus {
    match outcome {
        RunEnd::Done(_) => ExitStatus::Done,
        RunEnd::Paused(PauseReason::NeedsContext { requests })
            if requests.iter().all(|it| it.is_turn) =>
        {
            let mut lines = String::from("Paused: it is your turn.\n");
            context::requests(out::page(), &mut lines, &requests);
            out::note(lines.trim_end());
            out::note("Nothing that was answered is lost. On a terminal, answer with:");
            out::note(&resume_command(id));
            context::how(id, &requests).iter().for_each(|line| out::note(line));
            ExitStatus::Paused
        }
        RunEnd::Paused(PauseReason::NeedsContext { requests }) => {
            let mut lines = String::from("Paused: it needs an answer that only you can give.\n");
            context::requests(out::page(), &mut lines, &requests);
            out::note(lines.trim_end());
            context::how(id, &requests).iter().for_each(|line| out::note(line));
            out::note("Nothing that was answered is lost. Then resume with:");
            out::note(&resume_command(id));
            ExitStatus::Paused
        }
        RunEnd::Paused(reason) => {
            out::note(&clean_line(&paused(&reason)));
            let remedy = budget_remedy(&reason, id);
            if remedy.is_empty() {
                out::note("Nothing that was answered is lost. Resume with:");
                out::note(&resume_command(id));
            } else {
                out::note("Nothing that was answered is lost.");
                remedy.iter().for_each(|line| out::note(line));
            }
            if reason == PauseReason::Interrupted { interrupted } else { ExitStatus::Paused }
        }
    }
}

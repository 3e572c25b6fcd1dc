//! `roundtable analyse`: a stored debate with other figures.

use std::fmt::Write as _;

use clap::Args;
use debate::model::RoundRecord;
use debate::{Debate, ReanalysisResult};
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::clean_json;
use crate::cli::command::CommandEnd;
use crate::document::Labels;
use crate::report::debate::{ReportedDebate, result};
use crate::terminal::document;
use crate::terminal::page::Page;
use crate::terminal::round::{Figures, SeatConfidence, after_round};
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::sessions::analyse::{self, OtherAnalysis};

/// Re-analyse a stored debate with other thresholds, without asking a model.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable analyse 0199 --threshold similarity=0.7
  roundtable analyse 0199 --algorithm votes --flag exitCriteria.enabled=true --json

The stored debate stays as it is.")]
pub struct AnalyseArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    /// agreement, votes or evidence_based_debate [default: the debate's own]
    #[arg(long, value_name = "ALGORITHM")]
    pub algorithm: Option<String>,
    /// A figure the rules compare with, e.g. similarity=0.75.
    #[arg(long, value_name = "NAME=VALUE")]
    pub threshold: Vec<String>,
    /// A flag, e.g. exitCriteria.enabled=true.
    #[arg(long, value_name = "FLAG=VALUE")]
    pub flag: Vec<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn analyse(config: &Config, args: AnalyseArgs) -> CommandEnd {
    let other =
        OtherAnalysis { algorithm: args.algorithm, thresholds: args.threshold, flags: args.flag };
    let analysed = analyse::analyse(config, &args.id, &other).await?;
    let text = if args.json {
        let (rounds, verdict) = (&analysed.anew.rounds, &analysed.anew.verdict);
        let would_end = analysed.anew.would_end.as_ref().map(
            |(round, exit)| json!({ "round": round, "rule": exit.rule, "details": exit.details }),
        );
        let id = &analysed.id;
        let value =
            json!({ "id": id, "rounds": rounds, "wouldEnd": would_end, "verdict": verdict });
        clean_json(&value)
    } else {
        let labels = Labels::of(&analysed.debate.room().brief);
        analysis_text(out::page().in_words(labels), &analysed.id, &analysed.debate, &analysed.anew)
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

fn analysis_text(page: Page, id: &str, debate: &Debate, anew: &ReanalysisResult) -> String {
    let room = debate.room();
    let mut out = String::new();
    page.heading(&mut out, &page.say("Re-analysed"));
    let figures = Figures::of(&room.brief);
    let mut before = None;
    for analysis in &anew.rounds {
        let answered = room.round(analysis.round).into_iter().flat_map(RoundRecord::answered);
        let stands: Vec<SeatConfidence> = answered.map(SeatConfidence::of).collect();
        out.push_str(&after_round(page, analysis, before, &figures, &stands));
        before = Some(analysis);
    }
    let _ = writeln!(out);
    match &anew.would_end {
        Some((round, exit)) => {
            let text = format!("It would have ended after round {round}: {}.", exit.details);
            page.paragraph(&mut out, "", &page.say(&text));
        }
        None => page.paragraph(&mut out, "", &page.say("No rule would have ended it early.")),
    }
    let mut room = room.clone();
    room.verdict = Some(anew.verdict.clone());
    for (record, analysis) in room.rounds.iter_mut().zip(&anew.rounds) {
        record.analysis = Some(analysis.clone());
    }
    out.push_str(&document::text(page, &result(&ReportedDebate::of_room(id, &room))));
    out
}

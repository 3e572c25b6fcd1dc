//! A debate as a step of a pipeline: exit codes by the decision, and a job summary.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use debate::model::Action;

use super::ExitStatus;
use super::command::CommandEnd;
use crate::report::debate::{ReportedDebate, result};
use engine::config::Config;
use engine::error::EngineError;

// What a pipeline makes of a decision.
#[derive(Debug, Clone, Args)]
pub struct PipelineArgs {
    /// Exit with 4 where the decision calls for one of these: proceed, verify, query_detail.
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',', value_parser = ["proceed", "verify", "query_detail"], hide_possible_values = true)]
    pub fail_on: Vec<String>,

    /// Add the result in Markdown to this file, such as \"$GITHUB_STEP_SUMMARY\".
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
}

impl PipelineArgs {
    /// Writes the summary of a finished debate, and says how the step ends.
    pub async fn conclude(&self, config: &Config, id: &str) -> CommandEnd {
        if self.fail_on.is_empty() && self.summary.is_none() {
            return Ok(ExitStatus::Done);
        }
        let exported = engine::export::export(config, id).await?;
        let view = ReportedDebate::of(&exported);
        if let Some(path) = &self.summary {
            let mut document = result(&view);
            document.title = view.room.brief.topic.clone();
            let cannot = |error: std::io::Error| {
                EngineError::input(format!("cannot write {}: {error}", path.display()))
            };
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let text = format!("{}\n", document.to_markdown());
            file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(cannot)?;
        }
        let action = view.verdict().map_or(Action::QueryDetail, |verdict| verdict.card.action);
        let called = self.fail_on.iter().any(|word| word == action.word());
        Ok(if called { ExitStatus::Called } else { ExitStatus::Done })
    }
}

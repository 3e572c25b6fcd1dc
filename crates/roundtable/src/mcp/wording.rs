//! The words for a model that calls a tool: parameters and tools, never flags or
//! commands.

use debate::LifecycleCommand;
use debate::model::{BudgetLimit, PauseReason, Status};
use engine::error::{EngineError, FileKind, Remedy, SettingName};
use engine::nouns::without_keys;
use engine::table::notice::TableNotice;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::document::escape::clean;
use crate::wording::{self, FaceWords};

pub struct Protocol;

/// The result of a call that could not be carried out.
pub fn refused(trouble: &EngineError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text(trouble))])
}

/// An error in the words of the tools.
pub fn text(trouble: &EngineError) -> String {
    // What was sent or configured may hold a key by mistake.
    clean(&without_keys(&wording::lines(trouble, &Protocol).join("\n"))).into_owned()
}

pub fn notices(all: &[TableNotice]) -> Vec<String> {
    let clean = |notice| clean(&wording::notice(notice, &Protocol)).into_owned();
    all.iter().map(clean).collect()
}

impl FaceWords for Protocol {
    fn setting(&self, name: SettingName) -> &'static str {
        let names = name.names();
        names.parameter.unwrap_or(names.word)
    }

    fn option(&self, name: SettingName) -> String {
        format!("the parameter {}", self.setting(name))
    }

    fn config_key(&self, key: &str) -> String {
        format!("the config file's {key}")
    }

    fn command(&self, command: LifecycleCommand) -> &'static str {
        match command {
            LifecycleCommand::Go => "resume",
            LifecycleCommand::Pause => "pause",
            LifecycleCommand::Stop => "stop",
            LifecycleCommand::Remark => "remark",
            LifecycleCommand::Answer => "answer",
        }
    }

    fn status(&self, status: &Status) -> &'static str {
        match status {
            Status::Created => "queued",
            Status::Active => "running",
            Status::Paused { .. } | Status::Completed { .. } | Status::Error { .. } => {
                status.word()
            }
        }
    }

    fn remedy(&self, remedy: &Remedy) -> String {
        match remedy {
            Remedy::ListAgents => "Call get_agents: it says how to add a model".into(),
            Remedy::TryExample { topic } => format!(
                "\nTry it with start_roundtable and the topic {topic:?}.\nCall get_agents: it says \
                 how to add a model."
            ),
            Remedy::KeepKey { provider } => {
                format!("The operator can also keep the key of {provider} in the keys file")
            }
            Remedy::SetVariable { names } => match names.as_slice() {
                [only] => format!("Set {only} where the server runs"),
                several => format!("Set one of {} where the server runs", several.join(", ")),
            },
            Remedy::Resume { id } => {
                format!("Go on with it: call continue_roundtable with sessionId {id}")
            }
            Remedy::ListSessions => "\nCall list_sessions for more.".into(),
            Remedy::StartDebate => "start_roundtable starts one.".into(),
            Remedy::GiveWholeId => "\nGive the whole id.".into(),
            Remedy::HoldWithClerk => "Hold one with the parameter clerk".into(),
            Remedy::NameClerkOrDomain => "Give the parameter clerk, or name the domain".into(),
            Remedy::WriteItYourself => {
                "Hold one with the parameter clerk, or write the assessment yourself".into()
            }
            Remedy::Track => "Begin with record_outcome and an entry".into(),
            Remedy::ReplaceEarlier => "Set replace to true to put this in its place".into(),
            Remedy::ImportAsCopy => "It can be imported under a new id.".into(),
            Remedy::Overwrite | Remedy::ChooseOther => "Choose another".into(),
            Remedy::NameFileInside => "Name a file in it".into(),
            Remedy::PrintInstead => "Name a plain file".into(),
            Remedy::LeaveOut { settings } => {
                let names: Vec<&str> = settings.iter().map(|name| self.setting(*name)).collect();
                format!("Leave out {}", names.join(", "))
            }
            Remedy::NameScript => "Only the command line can resume it".into(),
            Remedy::Decline => "Give a text, or decline the request".into(),
            Remedy::RemoveFile => "The file must be removed first".into(),
            Remedy::RecordAnew => "It must be recorded again".into(),
            Remedy::RunDoctor => {
                "Tell the user to restore a backup or to let Roundtable's doctor look at it.".into()
            }
            Remedy::RunDoctorOrMove => {
                "Tell the user to let Roundtable's doctor look for the cause; ROUNDTABLE_DATA_DIR \
                 names another folder for the data."
                    .into()
            }
            Remedy::MakePrivate { .. } => {
                "Tell the user to make the file private, and to replace the keys if anybody may \
                 have seen them"
                    .into()
            }
            Remedy::AddProfile { name, file } => {
                format!("The user can add it as [profiles.{name}] in {}", file.display())
            }
            Remedy::ReadOrFollowUp => "It is over: read it with get_consensus, or pass question to \
                                       ask further"
                .into(),
            Remedy::RemoveWhereSet { variable } => {
                format!("{variable} is set in the environment of the server.")
            }
            Remedy::SetHome => {
                "Tell the user to set HOME, or ROUNDTABLE_DATA_DIR and ROUNDTABLE_CONFIG, where the server \
                 runs"
                    .into()
            }
            Remedy::SetTokenOrRemove => {
                "Tell the user to set ROUNDTABLE_TOKEN, or to remove the file".into()
            }
            Remedy::OrAuto => "Or write auto to have the clerk name it".into(),
            Remedy::OrNever => "Or write never".into(),
            Remedy::MeasureAgain => "Tell the user to measure again, or to delete the file".into(),
        }
    }

    fn name_a_request(&self) -> &'static str {
        "name the request that is answered."
    }

    fn made_with(&self, what: FileKind) -> &'static str {
        match what {
            FileKind::Export => "it is no debate exported as JSON",
            FileKind::Recording => "it is no recording of Roundtable",
            FileKind::Config
            | FileKind::Constitution
            | FileKind::Keys
            | FileKind::Script
            | FileKind::Lessons
            | FileKind::Weights
            | FileKind::Calibration
            | FileKind::Preset
            | FileKind::Token => "it is a file of another kind",
        }
    }

    fn add_agents(&self) -> &'static str {
        "Name others with the parameter agents."
    }
}

/// The way on for a debate that met a budget, in words for a model.
pub fn budget_remedy(reason: &PauseReason) -> Option<String> {
    let PauseReason::Budget { limit: Some(limit), .. } = reason else { return None };
    Some(match limit {
        BudgetLimit::Debate { needs } => format!(
            "Ask the user whether it may cost more; then call continue_roundtable with a budgetUsd \
             above {}. The operator's own limit stays.",
            needs.usd()
        ),
        BudgetLimit::Day { needs } => format!(
            "The operator must raise daily_budget above {} or wait until tomorrow (UTC); then call \
             continue_roundtable.",
            needs.usd()
        ),
        BudgetLimit::UnknownPrice => "The operator must set [prices] or allow_unpriced in the \
             config file; then call continue_roundtable."
            .into(),
    })
}

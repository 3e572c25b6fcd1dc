//! The engine's errors as sentences for a person in front of the page: no flags, no
//! commands of a terminal where the page has a button.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use debate::LifecycleCommand;
use debate::model::Status;
use engine::error::{EngineError, FileKind, Remedy, SettingName};
use engine::nouns::{StoreError, without_keys};
use engine::table::notice::TableNotice;

use super::frame;
use crate::wording::{self, FaceWords};

/// The page as a face that words refusals.
pub struct PageWords;

/// The lines of an error in the page's words.
pub fn lines(error: &EngineError) -> Vec<String> {
    let said = wording::lines(error, &PageWords).join("\n");
    // What was typed or configured may hold a key by mistake.
    without_keys(&said).lines().map(str::to_owned).collect()
}

/// Notices about a table that a person must see.
pub fn notices(all: &[TableNotice]) -> Vec<String> {
    all.iter().map(|notice| wording::notice(notice, &PageWords)).collect()
}

impl FaceWords for PageWords {
    fn setting(&self, name: SettingName) -> &'static str {
        name.names().word.trim_start_matches('-')
    }

    fn option(&self, name: SettingName) -> String {
        format!("the field {}", self.setting(name))
    }

    fn config_key(&self, key: &str) -> String {
        format!("the config file's {key}")
    }

    fn command(&self, command: LifecycleCommand) -> &'static str {
        match command {
            LifecycleCommand::Go => "go on",
            LifecycleCommand::Pause => "pause",
            LifecycleCommand::Stop => "stop",
            LifecycleCommand::Remark => "remark",
            LifecycleCommand::Answer => "answer",
        }
    }

    fn status(&self, status: &Status) -> &'static str {
        match status {
            Status::Created => "not started",
            Status::Active => "running",
            Status::Paused { .. } => "paused",
            Status::Completed { .. } => "finished",
            Status::Error { .. } => "failed",
        }
    }

    fn remedy(&self, remedy: &Remedy) -> String {
        match remedy {
            Remedy::ListAgents => "Agents and settings says how to add a model".into(),
            Remedy::TryExample { topic } => {
                format!("Try it with {topic:?}. Agents and settings says how to add a model.")
            }
            Remedy::KeepKey { provider } => {
                format!("Or keep one on this machine: roundtable config set-key {provider}")
            }
            Remedy::SetVariable { names } => match names.as_slice() {
                [only] => format!("Set {only} where the server runs"),
                several => format!("Set one of {} where the server runs", several.join(", ")),
            },
            Remedy::Resume { .. } => "Go on with it on its page".into(),
            Remedy::ListSessions => "All debates shows the others.".into(),
            Remedy::StartDebate => "New debate starts one.".into(),
            Remedy::GiveWholeId => "Use the whole id.".into(),
            Remedy::HoldWithClerk | Remedy::WriteItYourself => "Hold one with a clerk".into(),
            Remedy::NameClerkOrDomain => "Choose a clerk, or name the domain".into(),
            Remedy::Track => "Record something about it first".into(),
            Remedy::ReplaceEarlier => "It was judged before".into(),
            Remedy::ImportAsCopy => "It can be imported under a new id.".into(),
            Remedy::Overwrite | Remedy::ChooseOther => "Choose another".into(),
            Remedy::NameFileInside => "Choose a file in it".into(),
            Remedy::PrintInstead => "Choose a plain file".into(),
            Remedy::LeaveOut { settings } => {
                let names: Vec<&str> = settings.iter().map(|name| self.setting(*name)).collect();
                format!("Leave out {}", names.join(", "))
            }
            Remedy::NameScript => "It can only go on where it was begun".into(),
            Remedy::Decline => "Write something, or skip the question".into(),
            Remedy::RemoveFile => "The file must be removed first".into(),
            Remedy::RecordAnew => "It must be recorded again".into(),
            Remedy::RunDoctor => "Restore a backup, or let the doctor look at it.".into(),
            Remedy::RunDoctorOrMove => "Let the doctor look for the cause; ROUNDTABLE_DATA_DIR \
                                        names another folder for the data."
                .into(),
            Remedy::MakePrivate { .. } => {
                "Make the file private, and replace the keys if anybody may have seen them".into()
            }
            Remedy::AddProfile { name, file } => {
                format!("Add it as [profiles.{name}] in {}", file.display())
            }
            Remedy::ReadOrFollowUp => "It is over: read it, or ask a follow-up".into(),
            Remedy::RemoveWhereSet { variable } => {
                format!("{variable} is set in the environment of the server.")
            }
            Remedy::SetHome => "Set HOME, or ROUNDTABLE_DATA_DIR and ROUNDTABLE_CONFIG, where the \
                                server runs"
                .into(),
            Remedy::SetTokenOrRemove => "Set ROUNDTABLE_TOKEN, or remove the file".into(),
            Remedy::OrAuto => "Or write auto to have the clerk name it".into(),
            Remedy::OrNever => "Or write never".into(),
            Remedy::MeasureAgain => "Measure again, or delete the file".into(),
        }
    }

    fn name_a_request(&self) -> &'static str {
        "choose the question that is answered."
    }

    fn made_with(&self, what: FileKind) -> &'static str {
        match what {
            FileKind::Export => "it is no debate exported as JSON",
            FileKind::Recording => "it is no recording of Roundtable",
            _ => "it is a file of another kind",
        }
    }

    fn add_agents(&self) -> &'static str {
        "Choose other agents."
    }
}

fn status(error: &EngineError) -> StatusCode {
    match error {
        EngineError::Store(StoreError::Unknown { .. } | StoreError::Missing { .. }) => {
            StatusCode::NOT_FOUND
        }
        other if other.is_input() => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns true if a script asked, which shows the words itself.
pub fn by_script(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("application/json"))
}

/// The answer to a request that failed.
pub fn refused(headers: &HeaderMap, error: &EngineError) -> Response {
    let (status, lines) = (status(error), lines(error));
    if by_script(headers) {
        let body = serde_json::json!({ "message": lines.join(" ") }).to_string();
        return (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
    }
    let title = match status {
        StatusCode::NOT_FOUND => "There is no such debate",
        StatusCode::UNPROCESSABLE_ENTITY => "This cannot be done now",
        _ => "Roundtable could not do this",
    };
    frame::problem(title, lines.join("\n")).answer(status)
}

//! The words of the command line for refusals: flags and commands.

use debate::LifecycleCommand;
use debate::model::Status;
use engine::error::{EngineError, FileKind, Remedy, SettingName};

use crate::wording::{self, FaceWords};

pub struct CommandLine;

/// An error in the words of the command line, one line for each thing.
pub fn lines(trouble: &EngineError) -> Vec<String> {
    wording::lines(trouble, &CommandLine)
}

impl FaceWords for CommandLine {
    fn setting(&self, name: SettingName) -> &'static str {
        let names = name.names();
        // A value that only the command line takes was given as a flag.
        let is_flag = names.parameter.is_none() && names.key.is_none();
        names.flag.filter(|_| is_flag).unwrap_or(names.word)
    }

    fn option(&self, name: SettingName) -> String {
        let names = name.names();
        names.flag.unwrap_or(names.word).to_owned()
    }

    fn config_key(&self, key: &str) -> String {
        format!("config file: {key}")
    }

    fn command(&self, command: LifecycleCommand) -> &'static str {
        match command {
            LifecycleCommand::Go => "resume",
            LifecycleCommand::Pause => "pause",
            LifecycleCommand::Stop => "stop",
            LifecycleCommand::Remark => "interject",
            LifecycleCommand::Answer => "answer",
        }
    }

    fn status(&self, status: &Status) -> &'static str {
        status.word()
    }

    fn remedy(&self, remedy: &Remedy) -> String {
        match remedy {
            Remedy::ListAgents => "`roundtable agents` lists them and says how to add one".into(),
            Remedy::TryExample { topic } => format!(
                "\nWatch it: roundtable {topic:?}\nAdd a model for yours: `roundtable init` asks for \
                 a key, `roundtable agents` lists every way."
            ),
            Remedy::SetVariable { names } => match names.as_slice() {
                [only] => format!("Set {only}"),
                several => format!("Set one of {}", several.join(", ")),
            },
            Remedy::KeepKey { provider } => {
                format!("Or keep one: `roundtable config set-key {provider}`")
            }
            Remedy::Resume { id } => format!("Go on with it: `roundtable resume {id}`"),
            Remedy::ListSessions => "\n`roundtable list` lists them all.".into(),
            Remedy::StartDebate => "Hold one with: roundtable \"YOUR QUESTION\"".into(),
            Remedy::GiveWholeId => "\nGive more of its id.".into(),
            Remedy::HoldWithClerk => "Hold it with --clerk".into(),
            Remedy::NameClerkOrDomain => "Give --clerk, or name the domain".into(),
            Remedy::WriteItYourself => {
                "Hold it with --clerk, or write the post-mortem yourself".into()
            }
            Remedy::Track => "Begin with `roundtable outcome track`".into(),
            Remedy::ReplaceEarlier => "Say --replace to put this in its place".into(),
            Remedy::ImportAsCopy => "To import it under a new id, add --as-copy.".into(),
            Remedy::Overwrite => "Add --force to replace it".into(),
            Remedy::NameFileInside => "Name a file in it".into(),
            Remedy::PrintInstead => "Leave -o out and redirect".into(),
            Remedy::ChooseOther => "Choose another".into(),
            Remedy::LeaveOut { settings } => {
                let names: Vec<String> = settings.iter().map(|name| self.option(*name)).collect();
                format!("Leave out {}", names.join(", "))
            }
            Remedy::NameScript => "Name their file with --script".into(),
            Remedy::Decline => "Say something, or use --decline".into(),
            Remedy::RemoveFile => "Remove the file first".into(),
            Remedy::RecordAnew => {
                "Record it again with this program, or replay it with that one".into()
            }
            Remedy::RunDoctor => "\nRestore a backup, or run `roundtable doctor` to see what can \
                                  still be read."
                .into(),
            Remedy::RunDoctorOrMove => "`roundtable doctor` looks for the cause; \
                                        ROUNDTABLE_DATA_DIR names another folder for the data."
                .into(),
            Remedy::MakePrivate { path } => format!(
                "Run `chmod 600 {}`, and replace the keys if anybody may have seen them",
                path.display()
            ),
            Remedy::AddProfile { name, file } => {
                format!("Add one as [profiles.{name}] in {}", file.display())
            }
            Remedy::ReadOrFollowUp => {
                "It is over: read it, or ask further with `roundtable ask`".into()
            }
            Remedy::RemoveWhereSet { variable } => {
                format!("{variable} is set in the environment; remove it where it is set.")
            }
            Remedy::SetHome => "Set HOME, or ROUNDTABLE_DATA_DIR and ROUNDTABLE_CONFIG".into(),
            Remedy::SetTokenOrRemove => {
                "Set ROUNDTABLE_TOKEN instead, or remove the file to have another one made".into()
            }
            Remedy::OrAuto => "Or write auto to have the clerk name it".into(),
            Remedy::OrNever => "Or write never".into(),
            Remedy::MeasureAgain => {
                "Measure again with `roundtable bench quality`, or delete it".into()
            }
        }
    }

    fn name_a_request(&self) -> &'static str {
        "say which request you answer: ID REQUEST TEXT."
    }

    fn made_with(&self, what: FileKind) -> &'static str {
        match what {
            FileKind::Export => "is no debate exported with `roundtable export --format json`",
            FileKind::Recording => {
                "this is no recording of Roundtable; a recording is made with --record FILE"
            }
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
        "Add others with --agents."
    }
}
